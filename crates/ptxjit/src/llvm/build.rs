//! A thin layer over LLVM's C interface: values without static types, as the code generator needs them (one routine
//! serves scalars and vectors of any width). Ownership of contexts, modules and machines stays with inkwell.

use inkwell::context::Context;
use inkwell::llvm_sys::LLVMAtomicOrdering;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::*;
pub use inkwell::llvm_sys::{
    LLVMAtomicRMWBinOp as Rmw, LLVMIntPredicate as Icmp, LLVMOpcode as Opcode,
    LLVMRealPredicate as Fcmp,
};
use inkwell::module::Module;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::c_uint;

/// A value of the module that is being built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct V(LLVMValueRef);
/// A type of the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct T(LLVMTypeRef);
/// A basic block of the function that is being built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bb(LLVMBasicBlockRef);

pub use LLVMAtomicOrdering::{
    LLVMAtomicOrderingAcquire as ACQUIRE, LLVMAtomicOrderingAcquireRelease as ACQ_REL,
    LLVMAtomicOrderingMonotonic as MONOTONIC, LLVMAtomicOrderingRelease as RELEASE,
    LLVMAtomicOrderingSequentiallyConsistent as SEQ_CST,
};
/// Memory order.
pub type Ordering = LLVMAtomicOrdering;

/// Calls into LLVM.
macro_rules! ffi {
    ($call:expr) => {
        // SAFETY: all handles come from the context and module that the builder borrows, so they are alive and of
        // one context; types of operands are the caller's business and are verified (`verify`) before code is made.
        unsafe { $call }
    };
}

/// Cases of a switch that are tested one after the other in plain code.
const FEW_CASES: usize = 8;

const NO_NAME: *const std::ffi::c_char = c"".as_ptr();

/// `CallingConv::PreserveAll` (LLVM 19, llvm/IR/CallingConv.h).
const PRESERVE_ALL: c_uint = 15;

/// Declared intrinsics by name and overloaded types: the function and its type.
type Intrinsics = HashMap<(&'static str, Vec<T>), (V, T)>;

/// Builds instructions at the end of a block.
pub struct Builder<'c> {
    context: LLVMContextRef,
    module: LLVMModuleRef,
    raw: LLVMBuilderRef,
    intrinsics: RefCell<Intrinsics>,
    /// Only what LLVM's fast instruction selector knows, where that is as good.
    plain: Cell<bool>,
    borrow: std::marker::PhantomData<&'c Context>,
    /// `i1`
    pub i1: T,
    /// `i8`
    pub i8: T,
    /// `i16`
    pub i16: T,
    /// `i32`
    pub i32: T,
    /// `i64`
    pub i64: T,
    /// `i128`
    pub i128: T,
    /// `float`
    pub f32: T,
    /// `double`
    pub f64: T,
    /// `ptr`
    pub ptr: T,
    /// `void`
    pub void: T,
}

impl Drop for Builder<'_> {
    fn drop(&mut self) {
        ffi!(LLVMDisposeBuilder(self.raw));
    }
}

fn uint(n: usize) -> c_uint {
    c_uint::try_from(n).unwrap_or(c_uint::MAX)
}

impl<'c> Builder<'c> {
    /// A builder for a module.
    pub fn new(context: &'c Context, module: &Module<'c>) -> Self {
        let c = context.raw();
        Self {
            context: c,
            module: module.as_mut_ptr(),
            raw: ffi!(LLVMCreateBuilderInContext(c)),
            intrinsics: RefCell::default(),
            plain: Cell::new(false),
            borrow: std::marker::PhantomData,
            i1: T(ffi!(LLVMInt1TypeInContext(c))),
            i8: T(ffi!(LLVMInt8TypeInContext(c))),
            i16: T(ffi!(LLVMInt16TypeInContext(c))),
            i32: T(ffi!(LLVMInt32TypeInContext(c))),
            i64: T(ffi!(LLVMInt64TypeInContext(c))),
            i128: T(ffi!(LLVMInt128TypeInContext(c))),
            f32: T(ffi!(LLVMFloatTypeInContext(c))),
            f64: T(ffi!(LLVMDoubleTypeInContext(c))),
            ptr: T(ffi!(LLVMPointerTypeInContext(c, 0))),
            void: T(ffi!(LLVMVoidTypeInContext(c))),
        }
    }

    /// Has code made that LLVM's fast instruction selector knows: no switches, no scalar extremes by intrinsics.
    pub fn keep_plain(&self, plain: bool) {
        self.plain.set(plain);
    }

    /// The raw builder (debug locations).
    pub fn raw(&self) -> LLVMBuilderRef {
        self.raw
    }

    // Types.

    /// Integer of this many bits.
    pub fn int(&self, bits: u32) -> T {
        match bits {
            1 => self.i1,
            8 => self.i8,
            16 => self.i16,
            32 => self.i32,
            64 => self.i64,
            128 => self.i128,
            other => T(ffi!(LLVMIntTypeInContext(self.context, other))),
        }
    }

    /// `half`
    pub fn half(&self) -> T {
        T(ffi!(LLVMHalfTypeInContext(self.context)))
    }

    /// Vector; the element itself for one lane.
    pub fn vec(&self, elem: T, lanes: u32) -> T {
        if lanes == 1 {
            elem
        } else {
            T(ffi!(LLVMVectorType(elem.0, lanes)))
        }
    }

    /// Array.
    pub fn array(&self, elem: T, count: u64) -> T {
        T(ffi!(LLVMArrayType2(elem.0, count)))
    }

    /// Literal struct.
    pub fn structure(&self, fields: &[T]) -> T {
        let mut fields: Vec<_> = fields.iter().map(|t| t.0).collect();
        T(ffi!(LLVMStructTypeInContext(
            self.context,
            fields.as_mut_ptr(),
            uint(fields.len()),
            0
        )))
    }

    /// Function type.
    pub fn function_type(&self, ret: T, params: &[T]) -> T {
        let mut params: Vec<_> = params.iter().map(|t| t.0).collect();
        T(ffi!(LLVMFunctionType(
            ret.0,
            params.as_mut_ptr(),
            uint(params.len()),
            0
        )))
    }

    /// Type of a value.
    pub fn type_of(&self, v: V) -> T {
        T(ffi!(LLVMTypeOf(v.0)))
    }

    /// Lanes of a vector type, 1 for scalars.
    pub fn lanes_of(&self, t: T) -> u32 {
        match ffi!(LLVMGetTypeKind(t.0)) {
            inkwell::llvm_sys::LLVMTypeKind::LLVMVectorTypeKind => ffi!(LLVMGetVectorSize(t.0)),
            _ => 1,
        }
    }

    /// Element of a vector type; itself for scalars.
    pub fn elem_of(&self, t: T) -> T {
        match ffi!(LLVMGetTypeKind(t.0)) {
            inkwell::llvm_sys::LLVMTypeKind::LLVMVectorTypeKind => T(ffi!(LLVMGetElementType(t.0))),
            _ => t,
        }
    }

    /// Bits of a scalar type.
    pub fn bits_of(&self, t: T) -> u32 {
        let e = self.elem_of(t);
        if e == self.f32 {
            32
        } else if e == self.f64 || e == self.ptr {
            64
        } else if e == self.half() {
            16
        } else {
            ffi!(LLVMGetIntTypeWidth(e.0))
        }
    }

    /// Whether a type's element is `float` or `double`.
    pub fn is_float(&self, t: T) -> bool {
        let e = self.elem_of(t);
        e == self.f32 || e == self.f64
    }

    /// The same shape with another element.
    pub fn like(&self, shape: T, elem: T) -> T {
        self.vec(elem, self.lanes_of(shape))
    }

    // Constants.

    /// Integer constant, splat for vectors; the low bits of `value`.
    pub fn c(&self, t: T, value: u64) -> V {
        let lanes = self.lanes_of(t);
        let elem = self.elem_of(t);
        let one = if elem == self.i128 {
            let words = [value, 0];
            V(ffi!(LLVMConstIntOfArbitraryPrecision(
                elem.0,
                2,
                words.as_ptr()
            )))
        } else {
            V(ffi!(LLVMConstInt(elem.0, value, 0)))
        };
        if lanes == 1 {
            one
        } else {
            self.cvec(&vec![one; lanes as usize])
        }
    }

    /// Floating constant, splat for vectors.
    pub fn fc(&self, t: T, value: f64) -> V {
        let lanes = self.lanes_of(t);
        let one = V(ffi!(LLVMConstReal(self.elem_of(t).0, value)));
        if lanes == 1 {
            one
        } else {
            self.cvec(&vec![one; lanes as usize])
        }
    }

    /// Vector constant of integers; of one, a scalar.
    pub fn ints(&self, elem: T, values: impl IntoIterator<Item = u64>) -> V {
        let values: Vec<V> = values.into_iter().map(|v| self.c(elem, v)).collect();
        match values[..] {
            [only] => only,
            _ => self.cvec(&values),
        }
    }

    /// Vector constant.
    pub fn cvec(&self, values: &[V]) -> V {
        let mut values: Vec<_> = values.iter().map(|v| v.0).collect();
        V(ffi!(LLVMConstVector(
            values.as_mut_ptr(),
            uint(values.len())
        )))
    }

    /// All zero.
    pub fn zero(&self, t: T) -> V {
        V(ffi!(LLVMConstNull(t.0)))
    }

    /// All ones (integers).
    pub fn ones(&self, t: T) -> V {
        V(ffi!(LLVMConstAllOnes(t.0)))
    }

    /// Poison.
    pub fn poison(&self, t: T) -> V {
        V(ffi!(LLVMGetPoison(t.0)))
    }

    /// Whether a value is a constant (not: an instruction or argument).
    pub fn is_const(&self, v: V) -> bool {
        ffi!(LLVMIsConstant(v.0)) != 0
    }

    /// The value of a constant integer of at most 64 bits.
    pub fn as_int(&self, v: V) -> Option<u64> {
        if ffi!(LLVMIsAConstantInt(v.0)).is_null() || self.bits_of(self.type_of(v)) > 64 {
            return None;
        }
        Some(ffi!(LLVMConstIntGetZExtValue(v.0)))
    }

    // Functions and blocks.

    /// A function of the module.
    pub fn function(&self, name: &str, ty: T) -> V {
        let name = c_name(name);
        V(ffi!(LLVMAddFunction(self.module, name.as_ptr(), ty.0)))
    }

    /// A function that the module has already.
    pub fn known_function(&self, name: &str) -> Option<V> {
        let name = c_name(name);
        let function = ffi!(LLVMGetNamedFunction(self.module, name.as_ptr()));
        (!function.is_null()).then_some(V(function))
    }

    /// Makes a function of the module besides the one that is being made, which goes on where it was.
    pub fn aside(&self, name: &str, ty: T, make: impl FnOnce(V)) -> V {
        let here = self.here();
        let location = ffi!(LLVMGetCurrentDebugLocation2(self.raw));
        ffi!(LLVMSetCurrentDebugLocation2(self.raw, std::ptr::null_mut()));
        let function = self.function(name, ty);
        self.internal(function);
        self.at(self.block(function));
        make(function);
        self.at(here);
        ffi!(LLVMSetCurrentDebugLocation2(self.raw, location));
        function
    }

    /// An undefined hidden variable of the module.
    pub fn hidden_extern(&self, name: &str, ty: T) -> V {
        let name = c_name(name);
        let existing = ffi!(LLVMGetNamedGlobal(self.module, name.as_ptr()));
        if !existing.is_null() {
            return V(existing);
        }
        let global = ffi!(LLVMAddGlobal(self.module, ty.0, name.as_ptr()));
        self.hidden(V(global));
        V(global)
    }

    /// Makes a function local to the module.
    pub fn internal(&self, function: V) {
        ffi!(LLVMSetLinkage(
            function.0,
            inkwell::llvm_sys::LLVMLinkage::LLVMInternalLinkage
        ));
    }

    /// Makes a function or variable visible to the objects of one image only.
    pub fn hidden(&self, value: V) {
        let hidden = inkwell::llvm_sys::LLVMVisibility::LLVMHiddenVisibility;
        ffi!(LLVMSetVisibility(value.0, hidden));
    }

    /// Adds a named attribute without value to a function (`index` `None`) or its parameter.
    pub fn attribute(&self, function: V, parameter: Option<u32>, name: &str) {
        let kind = ffi!(LLVMGetEnumAttributeKindForName(
            name.as_ptr().cast(),
            name.len()
        ));
        let attribute = ffi!(LLVMCreateEnumAttribute(self.context, kind, 0));
        let index = parameter.map_or(c_uint::MAX, |p| p + 1);
        ffi!(LLVMAddAttributeAtIndex(function.0, index, attribute));
    }

    /// Adds a text attribute to a function.
    pub fn text_attribute(&self, function: V, key: &str, value: &str) {
        let attribute = ffi!(LLVMCreateStringAttribute(
            self.context,
            key.as_ptr().cast(),
            uint(key.len()),
            value.as_ptr().cast(),
            uint(value.len())
        ));
        ffi!(LLVMAddAttributeAtIndex(function.0, c_uint::MAX, attribute));
    }

    /// Parameter of a function.
    pub fn param(&self, function: V, index: u32) -> V {
        V(ffi!(LLVMGetParam(function.0, index)))
    }

    /// A new block at a function's end.
    pub fn block(&self, function: V) -> Bb {
        Bb(ffi!(LLVMAppendBasicBlockInContext(
            self.context,
            function.0,
            NO_NAME
        )))
    }

    /// Continues at the end of `block`.
    pub fn at(&self, block: Bb) {
        ffi!(LLVMPositionBuilderAtEnd(self.raw, block.0));
    }

    /// Where instructions go.
    pub fn here(&self) -> Bb {
        Bb(ffi!(LLVMGetInsertBlock(self.raw)))
    }

    /// Whether the current block has a terminator.
    pub fn closed(&self) -> bool {
        !ffi!(LLVMGetBasicBlockTerminator(self.here().0)).is_null()
    }

    // Terminators.

    /// `br`
    pub fn br(&self, to: Bb) {
        ffi!(LLVMBuildBr(self.raw, to.0));
    }

    /// `br i1`
    pub fn cond(&self, cond: V, then: Bb, other: Bb) {
        ffi!(LLVMBuildCondBr(self.raw, cond.0, then.0, other.0));
    }

    /// `switch` to blocks without `phi`
    pub fn switch(&self, index: V, other: Bb, cases: &[(u64, Bb)]) {
        let ty = self.type_of(index);
        if self.plain.get() && cases.len() <= FEW_CASES {
            let function = V(ffi!(LLVMGetBasicBlockParent(self.here().0)));
            for &(value, to) in cases {
                let next = self.block(function);
                let is = self.icmp(Icmp::LLVMIntEQ, index, self.c(ty, value));
                self.cond(is, to, next);
                self.at(next);
            }
            self.br(other);
            return;
        }
        let switch = ffi!(LLVMBuildSwitch(
            self.raw,
            index.0,
            other.0,
            uint(cases.len())
        ));
        for &(value, to) in cases {
            ffi!(LLVMAddCase(switch, self.c(ty, value).0, to.0));
        }
    }

    /// `ret void`
    pub fn ret(&self) {
        ffi!(LLVMBuildRetVoid(self.raw));
    }

    /// `ret`
    pub fn ret_value(&self, v: V) {
        ffi!(LLVMBuildRet(self.raw, v.0));
    }

    /// `unreachable`
    pub fn unreachable(&self) {
        ffi!(LLVMBuildUnreachable(self.raw));
    }

    // Instructions.

    /// A binary operation.
    pub fn bin(&self, op: Opcode, a: V, b: V) -> V {
        V(ffi!(LLVMBuildBinOp(self.raw, op, a.0, b.0, NO_NAME)))
    }

    /// A conversion.
    pub fn cast(&self, op: Opcode, v: V, to: T) -> V {
        V(ffi!(LLVMBuildCast(self.raw, op, v.0, to.0, NO_NAME)))
    }

    /// `bitcast`, nothing where the types agree; also between pointers and integers.
    pub fn bitcast(&self, v: V, to: T) -> V {
        let from = self.type_of(v);
        if from == to {
            return v;
        }
        // What was a value of that type before is that value.
        if !ffi!(LLVMIsABitCastInst(v.0)).is_null() {
            let before = V(ffi!(LLVMGetOperand(v.0, 0)));
            if self.type_of(before) == to {
                return before;
            }
        }
        if self.elem_of(to) == self.ptr {
            return self.cast(Opcode::LLVMIntToPtr, v, to);
        }
        if self.elem_of(from) == self.ptr {
            return self.cast(Opcode::LLVMPtrToInt, v, to);
        }
        self.cast(Opcode::LLVMBitCast, v, to)
    }

    /// Zero extension or truncation or nothing.
    pub fn zext(&self, v: V, to: T) -> V {
        self.resize(v, to, Opcode::LLVMZExt)
    }

    /// Sign extension or truncation or nothing.
    pub fn sext(&self, v: V, to: T) -> V {
        self.resize(v, to, Opcode::LLVMSExt)
    }

    fn resize(&self, v: V, to: T, widen: Opcode) -> V {
        let (from, into) = (self.bits_of(self.type_of(v)), self.bits_of(to));
        match from.cmp(&into) {
            std::cmp::Ordering::Equal => v,
            std::cmp::Ordering::Less => self.cast(widen, v, to),
            std::cmp::Ordering::Greater => self.cast(Opcode::LLVMTrunc, v, to),
        }
    }

    /// `icmp`
    pub fn icmp(&self, pred: Icmp, a: V, b: V) -> V {
        V(ffi!(LLVMBuildICmp(self.raw, pred, a.0, b.0, NO_NAME)))
    }

    /// `fcmp`
    pub fn fcmp(&self, pred: Fcmp, a: V, b: V) -> V {
        V(ffi!(LLVMBuildFCmp(self.raw, pred, a.0, b.0, NO_NAME)))
    }

    /// `select`
    pub fn select(&self, cond: V, a: V, b: V) -> V {
        if a == b {
            return a;
        }
        V(ffi!(LLVMBuildSelect(self.raw, cond.0, a.0, b.0, NO_NAME)))
    }

    /// `freeze`
    pub fn freeze(&self, v: V) -> V {
        if self.is_const(v) {
            v
        } else {
            V(ffi!(LLVMBuildFreeze(self.raw, v.0, NO_NAME)))
        }
    }

    /// `fneg`
    pub fn fneg(&self, v: V) -> V {
        V(ffi!(LLVMBuildFNeg(self.raw, v.0, NO_NAME)))
    }

    /// Stack slot; to be called while positioned in the entry block.
    pub fn alloca(&self, t: T, align: u32) -> V {
        let v = ffi!(LLVMBuildAlloca(self.raw, t.0, NO_NAME));
        ffi!(LLVMSetAlignment(v, align));
        V(v)
    }

    /// `load`
    pub fn load(&self, t: T, ptr: V, align: u32) -> V {
        let v = ffi!(LLVMBuildLoad2(self.raw, t.0, ptr.0, NO_NAME));
        ffi!(LLVMSetAlignment(v, align));
        V(v)
    }

    /// A load that stays where it is.
    pub fn load_always(&self, t: T, ptr: V, align: u32) -> V {
        let v = self.load(t, ptr, align);
        ffi!(LLVMSetVolatile(v.0, 1));
        v
    }

    /// A store that stays where it is.
    pub fn store_always(&self, v: V, ptr: V, align: u32) {
        let s = ffi!(LLVMBuildStore(self.raw, v.0, ptr.0));
        ffi!(LLVMSetAlignment(s, align));
        ffi!(LLVMSetVolatile(s, 1));
    }

    /// Lets it look as if somebody else knew an address.
    pub fn escape(&self, ptr: V) {
        let ty = self.function_type(self.void, &[self.ptr]);
        let constraints = "r";
        let f = V(ffi!(LLVMGetInlineAsm(
            ty.0,
            c"".as_ptr(),
            0,
            constraints.as_ptr().cast(),
            constraints.len(),
            1,
            0,
            inkwell::llvm_sys::LLVMInlineAsmDialect::LLVMInlineAsmDialectATT,
            0,
        )));
        self.call(ty, f, &[ptr]);
    }

    /// Inline assembly without side effects on memory; AT&T syntax.
    pub fn assembly(&self, ret: T, text: &str, constraints: &str, args: &[V]) -> V {
        let types: Vec<T> = args.iter().map(|&a| self.type_of(a)).collect();
        let ty = self.function_type(ret, &types);
        let f = V(ffi!(LLVMGetInlineAsm(
            ty.0,
            text.as_ptr().cast(),
            text.len(),
            constraints.as_ptr().cast(),
            constraints.len(),
            1,
            0,
            inkwell::llvm_sys::LLVMInlineAsmDialect::LLVMInlineAsmDialectATT,
            0
        )));
        self.call(ty, f, args)
    }

    /// `load` of memory that never changes.
    pub fn load_invariant(&self, t: T, ptr: V, align: u32) -> V {
        let v = self.load(t, ptr, align);
        self.metadata(v, "invariant.load");
        v
    }

    /// Marks an instruction with an empty metadata node.
    pub fn metadata(&self, v: V, kind: &str) {
        if ffi!(LLVMIsAInstruction(v.0)).is_null() {
            return;
        }
        let id = ffi!(LLVMGetMDKindIDInContext(
            self.context,
            kind.as_ptr().cast(),
            uint(kind.len())
        ));
        let node = ffi!(LLVMMDNodeInContext2(self.context, std::ptr::null_mut(), 0));
        let node = ffi!(LLVMMetadataAsValue(self.context, node));
        ffi!(LLVMSetMetadata(v.0, id, node));
    }

    /// Atomic `load`.
    pub fn load_atomic(&self, t: T, ptr: V, align: u32, order: Ordering) -> V {
        let v = self.load(t, ptr, align);
        ffi!(LLVMSetOrdering(v.0, order));
        ffi!(LLVMSetVolatile(v.0, 1));
        v
    }

    /// `store`
    pub fn store(&self, v: V, ptr: V, align: u32) {
        let s = ffi!(LLVMBuildStore(self.raw, v.0, ptr.0));
        ffi!(LLVMSetAlignment(s, align));
    }

    /// `store` that leaves no copy in the caches.
    pub fn store_past_caches(&self, v: V, ptr: V, align: u32) {
        let s = ffi!(LLVMBuildStore(self.raw, v.0, ptr.0));
        ffi!(LLVMSetAlignment(s, align));
        let kind = "nontemporal";
        let id = ffi!(LLVMGetMDKindIDInContext(
            self.context,
            kind.as_ptr().cast(),
            uint(kind.len())
        ));
        let mut one = ffi!(LLVMValueAsMetadata(self.c(self.i32, 1).0));
        let node = ffi!(LLVMMDNodeInContext2(self.context, &raw mut one, 1));
        let node = ffi!(LLVMMetadataAsValue(self.context, node));
        ffi!(LLVMSetMetadata(s, id, node));
    }

    /// Atomic `store`.
    pub fn store_atomic(&self, v: V, ptr: V, align: u32, order: Ordering) {
        let s = ffi!(LLVMBuildStore(self.raw, v.0, ptr.0));
        ffi!(LLVMSetAlignment(s, align));
        ffi!(LLVMSetOrdering(s, order));
        ffi!(LLVMSetVolatile(s, 1));
    }

    /// `fence`
    pub fn fence(&self, order: Ordering) {
        ffi!(LLVMBuildFence(self.raw, order, 0, NO_NAME));
    }

    /// Keeps the compiler from moving memory accesses; no instruction.
    pub fn compiler_fence(&self, order: Ordering) {
        ffi!(LLVMBuildFence(self.raw, order, 1, NO_NAME));
    }

    /// `atomicrmw`
    pub fn atomicrmw(&self, op: Rmw, ptr: V, v: V, order: Ordering) -> V {
        V(ffi!(LLVMBuildAtomicRMW(self.raw, op, ptr.0, v.0, order, 0)))
    }

    /// `cmpxchg`: what was there.
    pub fn cmpxchg(&self, ptr: V, expected: V, new: V, order: Ordering) -> V {
        let failure = match order {
            SEQ_CST => SEQ_CST,
            ACQ_REL | ACQUIRE => ACQUIRE,
            _ => MONOTONIC,
        };
        let pair = V(ffi!(LLVMBuildAtomicCmpXchg(
            self.raw, ptr.0, expected.0, new.0, order, failure, 0
        )));
        self.extract_value(pair, 0)
    }

    /// `extractvalue`
    pub fn extract_value(&self, v: V, index: u32) -> V {
        V(ffi!(LLVMBuildExtractValue(self.raw, v.0, index, NO_NAME)))
    }

    /// `insertvalue`
    pub fn insert_value(&self, all: V, v: V, index: u32) -> V {
        V(ffi!(LLVMBuildInsertValue(
            self.raw, all.0, v.0, index, NO_NAME
        )))
    }

    /// `getelementptr T, ptr, index…`; pointers or indices may be vectors.
    pub fn gep(&self, elem: T, ptr: V, indices: &[V]) -> V {
        let mut raw: Vec<_> = indices.iter().map(|v| v.0).collect();
        V(ffi!(LLVMBuildGEP2(
            self.raw,
            elem.0,
            ptr.0,
            raw.as_mut_ptr(),
            uint(raw.len()),
            NO_NAME
        )))
    }

    /// Pointer plus a constant number of bytes.
    pub fn offset(&self, ptr: V, bytes: i64) -> V {
        if bytes == 0 {
            return ptr;
        }
        let bytes = self.c(self.i64, bytes.cast_unsigned());
        self.gep(self.i8, ptr, &[bytes])
    }

    /// Pointer plus bytes.
    pub fn gep8(&self, ptr: V, bytes: V) -> V {
        self.gep(self.i8, ptr, &[bytes])
    }

    /// `insertelement`
    pub fn insert(&self, vector: V, v: V, lane: u32) -> V {
        let lane = self.c(self.i32, u64::from(lane));
        V(ffi!(LLVMBuildInsertElement(
            self.raw, vector.0, v.0, lane.0, NO_NAME
        )))
    }

    /// `insertelement` at a variable lane.
    pub fn insert_at(&self, vector: V, v: V, lane: V) -> V {
        V(ffi!(LLVMBuildInsertElement(
            self.raw, vector.0, v.0, lane.0, NO_NAME
        )))
    }

    /// `extractelement`
    pub fn extract(&self, vector: V, lane: u32) -> V {
        let lane = self.c(self.i32, u64::from(lane));
        self.extract_at(vector, lane)
    }

    /// `extractelement` at a variable lane.
    pub fn extract_at(&self, vector: V, lane: V) -> V {
        V(ffi!(LLVMBuildExtractElement(
            self.raw, vector.0, lane.0, NO_NAME
        )))
    }

    /// `shufflevector` with a constant mask; -1 = any.
    pub fn shuffle(&self, a: V, b: V, mask: &[i32]) -> V {
        let mask: Vec<V> = mask
            .iter()
            .map(|&m| {
                if m < 0 {
                    self.poison(self.i32)
                } else {
                    self.c(self.i32, u64::from(m.cast_unsigned()))
                }
            })
            .collect();
        let mask = self.cvec(&mask);
        V(ffi!(LLVMBuildShuffleVector(
            self.raw, a.0, b.0, mask.0, NO_NAME
        )))
    }

    /// Lanes `from .. from + count` of a vector.
    pub fn part(&self, v: V, from: u32, count: u32) -> V {
        if from == 0 && count == self.lanes_of(self.type_of(v)) {
            return v;
        }
        if count == 1 {
            return self.extract(v, from);
        }
        let mask: Vec<i32> = (from..from + count).map(|i| i.cast_signed()).collect();
        self.shuffle(v, self.poison(self.type_of(v)), &mask)
    }

    /// Vectors of one width, side by side; their number is a power of two.
    pub fn concat(&self, parts: &[V]) -> V {
        let mut parts = parts.to_vec();
        while parts.len() > 1 {
            let lanes = self.lanes_of(self.type_of(parts[0]));
            parts = parts
                .chunks(2)
                .map(|pair| {
                    if lanes == 1 {
                        let t = self.vec(self.type_of(pair[0]), 2);
                        let v = self.insert(self.poison(t), pair[0], 0);
                        return self.insert(v, pair[1], 1);
                    }
                    let mask: Vec<i32> = (0..2 * lanes).map(|i| i.cast_signed()).collect();
                    self.shuffle(pair[0], pair[1], &mask)
                })
                .collect();
        }
        parts[0]
    }

    /// The scalar in all lanes.
    pub fn splat(&self, v: V, lanes: u32) -> V {
        if lanes == 1 {
            return v;
        }
        if self.is_const(v) {
            return self.cvec(&vec![v; lanes as usize]);
        }
        let t = self.vec(self.type_of(v), lanes);
        let one = self.insert(self.poison(t), v, 0);
        self.shuffle(one, self.poison(t), &vec![0; lanes as usize])
    }

    /// `phi` without incoming edges.
    pub fn phi(&self, t: T) -> V {
        V(ffi!(LLVMBuildPhi(self.raw, t.0, NO_NAME)))
    }

    /// Adds an incoming edge.
    pub fn incoming(&self, phi: V, v: V, from: Bb) {
        let (mut v, mut from) = (v.0, from.0);
        ffi!(LLVMAddIncoming(phi.0, &raw mut v, &raw mut from, 1));
    }

    /// Calls a function or pointer.
    pub fn call(&self, ty: T, function: V, args: &[V]) -> V {
        let mut args: Vec<_> = args.iter().map(|v| v.0).collect();
        V(ffi!(LLVMBuildCall2(
            self.raw,
            ty.0,
            function.0,
            args.as_mut_ptr(),
            uint(args.len()),
            NO_NAME
        )))
    }

    /// Makes a function of the module leave all registers as they are; it is called by [`Self::call_aside`].
    pub fn keep_registers(&self, function: V) {
        ffi!(LLVMSetFunctionCallConv(function.0, PRESERVE_ALL));
    }

    /// Calls a function that leaves all registers as they are.
    pub fn call_aside(&self, ty: T, function: V, args: &[V]) {
        let call = self.call(ty, function, args);
        ffi!(LLVMSetInstructionCallConv(call.0, PRESERVE_ALL));
    }

    /// Calls an LLVM intrinsic with these overloaded types.
    pub fn intrinsic(&self, name: &'static str, types: &[T], args: &[V]) -> V {
        let key = (name, types.to_vec());
        let known = self.intrinsics.borrow().get(&key).copied();
        let (function, ty) = known.unwrap_or_else(|| {
            let id = ffi!(LLVMLookupIntrinsicID(name.as_ptr().cast(), name.len()));
            let mut raw: Vec<_> = types.iter().map(|t| t.0).collect();
            let function = V(ffi!(LLVMGetIntrinsicDeclaration(
                self.module,
                id,
                raw.as_mut_ptr(),
                raw.len()
            )));
            let ty = T(ffi!(LLVMGlobalGetValueType(function.0)));
            self.intrinsics.borrow_mut().insert(key, (function, ty));
            (function, ty)
        });
        self.call(ty, function, args)
    }

    /// An intrinsic overloaded on the type of its first operand only.
    pub fn intr(&self, name: &'static str, args: &[V]) -> V {
        let t = self.type_of(args[0]);
        let extreme = match name {
            "llvm.umin" => Some(Icmp::LLVMIntULT),
            "llvm.umax" => Some(Icmp::LLVMIntUGT),
            "llvm.smin" => Some(Icmp::LLVMIntSLT),
            "llvm.smax" => Some(Icmp::LLVMIntSGT),
            _ => None,
        };
        if let (Some(first), &[a, b]) = (extreme, args)
            && self.plain.get()
            && self.lanes_of(t) == 1
        {
            return self.select(self.icmp(first, a, b), a, b);
        }
        self.intrinsic(name, &[t], args)
    }

    // Shorthands.

    /// a + b
    pub fn add(&self, a: V, b: V) -> V {
        self.bin(Opcode::LLVMAdd, a, b)
    }
    /// a - b
    pub fn sub(&self, a: V, b: V) -> V {
        self.bin(Opcode::LLVMSub, a, b)
    }
    /// a * b
    pub fn mul(&self, a: V, b: V) -> V {
        self.bin(Opcode::LLVMMul, a, b)
    }
    /// a & b
    pub fn and(&self, a: V, b: V) -> V {
        self.bin(Opcode::LLVMAnd, a, b)
    }
    /// a | b
    pub fn or(&self, a: V, b: V) -> V {
        self.bin(Opcode::LLVMOr, a, b)
    }
    /// a ^ b
    pub fn xor(&self, a: V, b: V) -> V {
        self.bin(Opcode::LLVMXor, a, b)
    }
    /// ~a
    pub fn not(&self, a: V) -> V {
        self.xor(a, self.ones(self.type_of(a)))
    }
    /// a << b (b below the width)
    pub fn shl(&self, a: V, b: V) -> V {
        self.bin(Opcode::LLVMShl, a, b)
    }
    /// a >> b, zeros in
    pub fn lshr(&self, a: V, b: V) -> V {
        self.bin(Opcode::LLVMLShr, a, b)
    }
    /// a >> b, signs in
    pub fn ashr(&self, a: V, b: V) -> V {
        self.bin(Opcode::LLVMAShr, a, b)
    }
    /// a + b
    pub fn fadd(&self, a: V, b: V) -> V {
        self.bin(Opcode::LLVMFAdd, a, b)
    }
    /// a - b
    pub fn fsub(&self, a: V, b: V) -> V {
        self.bin(Opcode::LLVMFSub, a, b)
    }
    /// a * b
    pub fn fmul(&self, a: V, b: V) -> V {
        self.bin(Opcode::LLVMFMul, a, b)
    }
    /// a / b
    pub fn fdiv(&self, a: V, b: V) -> V {
        self.bin(Opcode::LLVMFDiv, a, b)
    }
    /// a * b + c rounded once
    pub fn fma(&self, a: V, b: V, c: V) -> V {
        self.intr("llvm.fma", &[a, b, c])
    }
}

fn c_name(name: &str) -> std::ffi::CString {
    std::ffi::CString::new(name.replace('\0', "")).unwrap_or_default()
}

impl V {
    /// The raw handle.
    pub fn raw(self) -> LLVMValueRef {
        self.0
    }
}
