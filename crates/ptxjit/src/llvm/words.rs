//! Predicates of lanes as words, on machines that have no registers of mask bits.
//!
//! LLVM's passes turn the generator's masks (a word per lane) into vectors of bits wherever they can, and its code
//! generator keeps vectors of bits as vectors of bytes where they are combined: every comparison of words is packed, and
//! every use unpacked. After the passes, this takes back what only goes from comparisons of words to choices between
//! words.

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::*;
use inkwell::llvm_sys::{LLVMIntPredicate, LLVMOpcode as Opcode, LLVMTypeKind as Kind};
use inkwell::module::Module;
use std::collections::HashMap;
use std::ffi::c_uint;

/// Calls into LLVM.
macro_rules! ffi {
    ($call:expr) => {
        // SAFETY: handles are those of the module that is being changed, which the caller has to itself; none is used
        // after it was erased.
        unsafe { $call }
    };
}

const NO_NAME: *const std::ffi::c_char = c"".as_ptr();

/// Predicates of a function, at most: more would take time, and such code is too large for the usual effort anyway.
const MOST: usize = 4_000;

/// Rewrites the predicates of a module's functions.
pub(super) fn for_bits(module: &Module<'_>) {
    let context = ffi!(LLVMGetModuleContext(module.as_mut_ptr()));
    let builder = ffi!(LLVMCreateBuilderInContext(context));
    let word = ffi!(LLVMInt32TypeInContext(context));
    let mut function = ffi!(LLVMGetFirstFunction(module.as_mut_ptr()));
    while !function.is_null() {
        Words::new(builder, word, function).run();
        function = ffi!(LLVMGetNextFunction(function));
    }
    ffi!(LLVMDisposeBuilder(builder));
}

/// Lanes of a vector of bits that there are registers of words for.
fn bit_lanes(ty: LLVMTypeRef) -> Option<u32> {
    let is_bits =
        ffi!(LLVMGetTypeKind(ty)) == Kind::LLVMVectorTypeKind && element_bits(ty) == Some(1);
    let lanes = is_bits.then(|| ffi!(LLVMGetVectorSize(ty)))?;
    matches!(lanes, 8 | 16 | 32).then_some(lanes)
}

fn element_bits(ty: LLVMTypeRef) -> Option<u32> {
    let element = ffi!(LLVMGetElementType(ty));
    match ffi!(LLVMGetTypeKind(element)) {
        Kind::LLVMIntegerTypeKind => Some(ffi!(LLVMGetIntTypeWidth(element))),
        Kind::LLVMFloatTypeKind => Some(32),
        Kind::LLVMDoubleTypeKind | Kind::LLVMPointerTypeKind => Some(64),
        _ => None,
    }
}

fn type_of(v: LLVMValueRef) -> LLVMTypeRef {
    ffi!(LLVMTypeOf(v))
}

pub(super) fn operand(v: LLVMValueRef, n: u32) -> LLVMValueRef {
    ffi!(LLVMGetOperand(v, n))
}

struct Words {
    builder: LLVMBuilderRef,
    word: LLVMTypeRef,
    /// Instructions that combine vectors of bits.
    nodes: Vec<LLVMValueRef>,
    places: HashMap<LLVMValueRef, usize>,
    /// What belongs together, as a forest.
    group: Vec<usize>,
    /// What stands for a value.
    made: HashMap<LLVMValueRef, LLVMValueRef>,
}

impl Words {
    fn new(builder: LLVMBuilderRef, word: LLVMTypeRef, function: LLVMValueRef) -> Self {
        let mut nodes = Vec::new();
        let mut block = ffi!(LLVMGetFirstBasicBlock(function));
        while !block.is_null() {
            let mut inst = ffi!(LLVMGetFirstInstruction(block));
            while !inst.is_null() {
                if combines(inst) {
                    nodes.push(inst);
                }
                inst = ffi!(LLVMGetNextInstruction(inst));
            }
            block = ffi!(LLVMGetNextBasicBlock(block));
        }
        let places = nodes.iter().enumerate().map(|(i, &v)| (v, i)).collect();
        Self {
            builder,
            word,
            group: (0..nodes.len()).collect(),
            nodes,
            places,
            made: HashMap::new(),
        }
    }

    fn run(mut self) {
        if self.nodes.is_empty() || self.nodes.len() > MOST {
            return;
        }
        let wanted = self.wanted();
        let Some(order) = self.order(&wanted) else {
            return;
        };
        // What goes round in loops first.
        for &n in &order {
            let v = self.nodes[n];
            if opcode(v) == Opcode::LLVMPHI {
                ffi!(LLVMPositionBuilderBefore(self.builder, v));
                let phi = ffi!(LLVMBuildPhi(self.builder, self.words(v), NO_NAME));
                self.made.insert(v, phi);
            }
        }
        for &n in &order {
            let v = self.nodes[n];
            if opcode(v) != Opcode::LLVMPHI {
                let w = self.make(v);
                self.made.insert(v, w);
            }
        }
        for &n in &order {
            let v = self.nodes[n];
            if opcode(v) == Opcode::LLVMPHI {
                for i in 0..ffi!(LLVMCountIncoming(v)) {
                    let (mut w, mut from) = (
                        self.of(ffi!(LLVMGetIncomingValue(v, i)), v),
                        ffi!(LLVMGetIncomingBlock(v, i)),
                    );
                    ffi!(LLVMAddIncoming(self.made[&v], &raw mut w, &raw mut from, 1));
                }
            }
        }
        let mut dead = Vec::new();
        for &n in &order {
            self.replace(self.nodes[n], &mut dead);
        }
        for v in dead {
            ffi!(LLVMInstructionEraseFromParent(v));
        }
        for &n in &order {
            let v = self.nodes[n];
            ffi!(LLVMReplaceAllUsesWith(v, LLVMGetPoison(type_of(v))));
        }
        for &n in &order {
            ffi!(LLVMInstructionEraseFromParent(self.nodes[n]));
        }
    }

    fn root(&mut self, mut n: usize) -> usize {
        while self.group[n] != n {
            self.group[n] = self.group[self.group[n]];
            n = self.group[n];
        }
        n
    }

    /// The nodes whose group starts from comparisons of words, and from none of bytes.
    fn wanted(&mut self) -> Vec<bool> {
        for n in 0..self.nodes.len() {
            for o in operands(self.nodes[n]) {
                if let Some(&m) = self.places.get(&o) {
                    let (a, b) = (self.root(n), self.root(m));
                    self.group[a] = b;
                }
            }
        }
        let count = self.nodes.len();
        let (mut good, mut bad) = (vec![false; count], vec![false; count]);
        for n in 0..count {
            let root = self.root(n);
            for o in operands(self.nodes[n]) {
                if self.places.contains_key(&o) || ffi!(LLVMIsConstant(o)) != 0 {
                    continue;
                }
                let compared = !ffi!(LLVMIsAInstruction(o)).is_null()
                    && matches!(
                        opcode(o),
                        Opcode::LLVMICmp | Opcode::LLVMFCmp | Opcode::LLVMTrunc
                    );
                if compared && ffi!(LLVMGetTypeKind(type_of(o))) == Kind::LLVMVectorTypeKind {
                    match element_bits(type_of(operand(o, 0))) {
                        Some(32..) => good[root] = true,
                        Some(..=8) => bad[root] = true,
                        Some(_) | None => {}
                    }
                }
            }
        }
        // Conditions that are the same for all lanes say nothing: what words want then counts.
        for n in 0..count {
            let root = self.root(n);
            good[root] |= users(self.nodes[n]).into_iter().any(wants_words);
        }
        (0..count)
            .map(|n| {
                let root = self.root(n);
                good[root] && !bad[root]
            })
            .collect()
    }

    /// The wanted nodes, each behind those that it is made of.
    fn order(&self, wanted: &[bool]) -> Option<Vec<usize>> {
        let count = self.nodes.len();
        let mut waits = vec![0usize; count];
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); count];
        for n in (0..count).filter(|&n| wanted[n]) {
            if opcode(self.nodes[n]) == Opcode::LLVMPHI {
                continue;
            }
            for o in operands(self.nodes[n]) {
                if let Some(&m) = self.places.get(&o)
                    && opcode(o) != Opcode::LLVMPHI
                {
                    waits[n] += 1;
                    users[m].push(n);
                }
            }
        }
        let mut order: Vec<usize> = (0..count).filter(|&n| wanted[n] && waits[n] == 0).collect();
        let mut next = 0;
        while let Some(&n) = order.get(next) {
            next += 1;
            for &u in &users[n] {
                waits[u] -= 1;
                if waits[u] == 0 {
                    order.push(u);
                }
            }
        }
        let all = wanted.iter().filter(|&&w| w).count();
        (all > 0 && order.len() == all).then_some(order)
    }

    /// The vector of words for a vector of bits.
    fn words(&self, v: LLVMValueRef) -> LLVMTypeRef {
        let lanes = ffi!(LLVMGetVectorSize(type_of(v)));
        ffi!(LLVMVectorType(self.word, lanes))
    }

    /// What stands for an operand of `user`.
    fn of(&mut self, v: LLVMValueRef, user: LLVMValueRef) -> LLVMValueRef {
        if let Some(&w) = self.made.get(&v) {
            return w;
        }
        let ty = self.words(v);
        if ffi!(LLVMIsConstant(v)) != 0 {
            ffi!(LLVMPositionBuilderBefore(self.builder, user));
            return ffi!(LLVMBuildSExt(self.builder, v, ty, NO_NAME));
        }
        // Right behind where it is made; parameters at the start of the function.
        let behind = if ffi!(LLVMIsAInstruction(v)).is_null() {
            let function = ffi!(LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)));
            ffi!(LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)))
        } else {
            behind_phis(ffi!(LLVMGetNextInstruction(v)))
        };
        ffi!(LLVMPositionBuilderBefore(self.builder, behind));
        let w = ffi!(LLVMBuildSExt(self.builder, v, ty, NO_NAME));
        self.made.insert(v, w);
        w
    }

    /// Makes a node of words.
    fn make(&mut self, v: LLVMValueRef) -> LLVMValueRef {
        let ops: Vec<LLVMValueRef> = match opcode(v) {
            Opcode::LLVMSelect => vec![self.of(operand(v, 1), v), self.of(operand(v, 2), v)],
            Opcode::LLVMInsertElement | Opcode::LLVMFreeze => vec![self.of(operand(v, 0), v)],
            _ => vec![self.of(operand(v, 0), v), self.of(operand(v, 1), v)],
        };
        let cond = match opcode(v) {
            Opcode::LLVMSelect => Some(self.bits_before(operand(v, 0), v)),
            _ => None,
        };
        let b = self.builder;
        ffi!(LLVMPositionBuilderBefore(b, v));
        match (opcode(v), cond) {
            (Opcode::LLVMSelect, Some(cond)) => {
                ffi!(LLVMBuildSelect(b, cond, ops[0], ops[1], NO_NAME))
            }
            (Opcode::LLVMInsertElement, _) => {
                let bit = ffi!(LLVMBuildSExt(b, operand(v, 1), self.word, NO_NAME));
                let at = operand(v, 2);
                ffi!(LLVMBuildInsertElement(b, ops[0], bit, at, NO_NAME))
            }
            (Opcode::LLVMFreeze, _) => ffi!(LLVMBuildFreeze(b, ops[0], NO_NAME)),
            (Opcode::LLVMShuffleVector, _) => {
                let index = ffi!(LLVMInt32TypeInContext(LLVMGetTypeContext(self.word)));
                let mut picks: Vec<LLVMValueRef> = (0..ffi!(LLVMGetNumMaskElements(v)))
                    .map(|i| match ffi!(LLVMGetMaskValue(v, i)) {
                        pick if pick < 0 => ffi!(LLVMGetPoison(index)),
                        pick => ffi!(LLVMConstInt(index, u64::from(pick.unsigned_abs()), 0)),
                    })
                    .collect();
                let count = c_uint::try_from(picks.len()).unwrap_or(c_uint::MAX);
                let picks = ffi!(LLVMConstVector(picks.as_mut_ptr(), count));
                ffi!(LLVMBuildShuffleVector(b, ops[0], ops[1], picks, NO_NAME))
            }
            (op, _) => ffi!(LLVMBuildBinOp(b, op, ops[0], ops[1], NO_NAME)),
        }
    }

    /// A vector of bits (or a bit) for an instruction, made of what stands for it if something does.
    fn bits_before(&self, v: LLVMValueRef, user: LLVMValueRef) -> LLVMValueRef {
        match (self.places.get(&v), self.made.get(&v)) {
            (Some(_), Some(&w)) => {
                ffi!(LLVMPositionBuilderBefore(self.builder, user));
                let zero = ffi!(LLVMConstNull(type_of(w)));
                let less = LLVMIntPredicate::LLVMIntSLT;
                ffi!(LLVMBuildICmp(self.builder, less, w, zero, NO_NAME))
            }
            _ => v,
        }
    }

    /// Gives the users of a node what stands for it.
    fn replace(&mut self, v: LLVMValueRef, dead: &mut Vec<LLVMValueRef>) {
        let w = self.made[&v];
        for user in users(v) {
            if self.places.contains_key(&user) && self.made.contains_key(&user) {
                continue;
            }
            if opcode(user) == Opcode::LLVMSExt && type_of(user) == type_of(w) {
                ffi!(LLVMReplaceAllUsesWith(user, w));
                if !dead.contains(&user) {
                    dead.push(user);
                }
                continue;
            }
            let bits = self.bits_before(v, user);
            let count = c_uint::try_from(ffi!(LLVMGetNumOperands(user))).unwrap_or(0);
            for i in (0..count).filter(|&i| operand(user, i) == v) {
                ffi!(LLVMSetOperand(user, i, bits));
            }
        }
    }
}

pub(super) fn opcode(v: LLVMValueRef) -> Opcode {
    ffi!(LLVMGetInstructionOpcode(v))
}

/// What uses a value.
fn users(v: LLVMValueRef) -> Vec<LLVMValueRef> {
    let mut users = Vec::new();
    let mut next = ffi!(LLVMGetFirstUse(v));
    while !next.is_null() {
        users.push(ffi!(LLVMGetUser(next)));
        next = ffi!(LLVMGetNextUse(next));
    }
    users.dedup();
    users
}

/// Whether an instruction makes words of a vector of bits, or chooses between words by it.
fn wants_words(user: LLVMValueRef) -> bool {
    match opcode(user) {
        Opcode::LLVMSExt | Opcode::LLVMSelect => element_bits(type_of(user)) == Some(32),
        _ => false,
    }
}

fn behind_phis(mut at: LLVMValueRef) -> LLVMValueRef {
    while opcode(at) == Opcode::LLVMPHI {
        at = ffi!(LLVMGetNextInstruction(at));
    }
    at
}

/// Whether an instruction makes a vector of bits of others.
fn combines(inst: LLVMValueRef) -> bool {
    if bit_lanes(type_of(inst)).is_none() {
        return false;
    }
    match opcode(inst) {
        Opcode::LLVMAnd
        | Opcode::LLVMOr
        | Opcode::LLVMXor
        | Opcode::LLVMPHI
        | Opcode::LLVMSelect
        | Opcode::LLVMInsertElement
        | Opcode::LLVMFreeze => true,
        Opcode::LLVMShuffleVector => bit_lanes(type_of(operand(inst, 0))).is_some(),
        _ => false,
    }
}

/// The vectors of bits that a node is made of, and what it chooses by.
fn operands(node: LLVMValueRef) -> Vec<LLVMValueRef> {
    match opcode(node) {
        Opcode::LLVMPHI => (0..ffi!(LLVMCountIncoming(node)))
            .map(|i| ffi!(LLVMGetIncomingValue(node, i)))
            .collect(),
        Opcode::LLVMInsertElement | Opcode::LLVMFreeze => vec![operand(node, 0)],
        Opcode::LLVMSelect => (0..3)
            .map(|i| operand(node, i))
            .filter(|&o| bit_lanes(type_of(o)).is_some())
            .collect(),
        _ => vec![operand(node, 0), operand(node, 1)],
    }
}
