//! From a checked PTX module to the IR: one kernel at a time.
//!
//! Functions that the kernel calls are lowered into it (inlined), except recursive ones and large ones that are called
//! from several places, which become functions of the IR module. `.param` variables of calls become SSA values
//! ([`params`]). Guards: see [`crate::ir`].

mod address;
mod arith;
mod call;
mod cluster;
mod compare;
mod control;
mod convert;
mod float;
mod frame;
mod graph;
mod matrix;
mod memory;
mod moves;
mod params;
pub mod ssa;
mod texture;
mod transfer;
mod video;
mod warp;

use crate::ir::{
    Func, Function, Inst, KernelInfo, Loc, LocData, Module, Op, Sig, Signature, Symbol, SymbolData,
    Ty, Value,
};
use frame::Frame;
use ptx::checked::{Checked, FunctionId, GlobalId, Instruction};
use ptx::kind::Kind;
use ptx::layout::{Kernel, Layout};
use ptx::types::StateSpace;
use ssa::Builder;
use std::collections::HashMap;

/// Why a kernel cannot be lowered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LowerError {
    /// No kernel of this name is defined.
    #[error("no kernel '{0}'")]
    NoKernel(String),
    /// A function that is called is neither defined nor supplied by the driver.
    #[error("line {line}: unresolved extern function '{name}'{}", device_runtime(.name))]
    Unresolved {
        /// Its name.
        name: String,
        /// PTX line of the declaration.
        line: u32,
    },
    /// A module for 32-bit addresses.
    #[error(".address_size {0} is not supported, only 64")]
    AddressSize(u32),
    /// More local memory than a thread can have.
    #[error("function '{name}' needs {bytes} bytes of local memory, more than {LOCAL_LIMIT}")]
    LocalTooLarge {
        /// The function, with what was inlined into it.
        name: String,
        /// Bytes of its frame.
        bytes: u64,
    },
    /// An instruction that is not supported.
    #[error("line {line}: instruction '{instruction}' is not supported{}", .why.text())]
    Unsupported {
        /// PTX line.
        line: u32,
        /// Opcode, with modifiers where it is known only by its spelling.
        instruction: String,
        /// Why.
        why: Why,
    },
}

/// Why an instruction is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// The rest of tensor cores and bulk copies, textures: not done yet.
    SecondHalf,
    /// This form of a supported instruction, with the reason.
    Form(&'static str),
}

impl Why {
    fn text(&self) -> String {
        match self {
            Self::SecondHalf => {
                " (tensor, asynchronous copy and texture instructions come later)".to_owned()
            }
            Self::Form(why) => format!(": {why}"),
        }
    }
}

/// Why a function of the device runtime is not there.
fn device_runtime(name: &str) -> &'static str {
    if name.starts_with("__cudaCDP2") || name.starts_with("__cuda_syscall") {
        " (a function of the device runtime that is not supported)"
    } else {
        ""
    }
}

/// Local memory that a thread can have, bytes (CUDA Programming Guide, technical specifications: 512 KiB).
pub const LOCAL_LIMIT: u64 = 512 << 10;

/// Result of lowering a piece.
type Result<T> = std::result::Result<T, LowerError>;

/// Lowers a kernel and what it calls.
///
/// # Errors
/// [`LowerError`]: what is missing or not supported, by name and line.
pub fn lower(checked: &Checked, layout: &Layout, kernel: &str) -> Result<Module> {
    let kernel = layout
        .kernel(kernel)
        .ok_or_else(|| LowerError::NoKernel(kernel.to_owned()))?;
    if let Some(&function) = kernel.unresolved.first() {
        let data = &checked.functions[function.index()];
        return Err(LowerError::Unresolved {
            name: data.name.clone(),
            line: data.pos.line,
        });
    }
    let mut unit = Unit {
        checked,
        layout,
        kernel,
        calls: graph::Calls::new(checked, kernel),
        module: Module {
            info: kernel_info(checked, kernel),
            ..Module::default()
        },
        symbols: HashMap::new(),
        functions: HashMap::new(),
        queue: Vec::new(),
        sigs: HashMap::new(),
        routines: HashMap::new(),
    };
    unit.module.files = checked
        .files
        .iter()
        .map(|file| (file.index, file.name.clone()))
        .collect();
    let id = unit.function(kernel.function);
    unit.module.kernel = Some(id);
    while let Some(function) = unit.queue.pop() {
        let lowered = Lower::run(&mut unit, function)?;
        let id = unit.functions[&function];
        unit.module.functions[id] = lowered;
    }
    let mut module = unit.module;
    for function in module.functions.ids() {
        crate::passes::reads::run(&mut module.functions[function], &module.sigs);
    }
    Ok(module)
}

fn kernel_info(checked: &Checked, kernel: &Kernel) -> KernelInfo {
    let function = &checked.functions[kernel.function.index()];
    let params = kernel.params.iter().zip(&function.signature.params);
    KernelInfo {
        param_bytes: kernel.param_bytes,
        shared_bytes: if kernel.shared.has_dynamic {
            kernel.shared.dynamic_offset
        } else {
            kernel.shared.static_bytes
        },
        reserved_shared: false,
        max_ntid: function.limits.max_ntid.or(function.limits.req_ntid),
        req_ntid: function.limits.req_ntid,
        params: params
            .map(|(place, param)| crate::ir::KernelParam {
                offset: place.offset,
                bytes: place.size,
                pointee_align: param.pointer.map(|pointer| pointer.align.unwrap_or(1)),
            })
            .collect(),
    }
}

/// A kernel being lowered: what its functions share.
struct Unit<'a> {
    checked: &'a Checked,
    layout: &'a Layout,
    kernel: &'a Kernel,
    calls: graph::Calls,
    module: Module,
    symbols: HashMap<GlobalId, Symbol>,
    functions: HashMap<FunctionId, Func>,
    /// Functions with a name in the module and no body yet.
    queue: Vec<FunctionId>,
    sigs: HashMap<Signature, Sig>,
    /// Functions that compute products of matrices, and move matrices.
    routines: HashMap<crate::ir::matrix::Routine, Func>,
}

impl Unit<'_> {
    fn sig(&mut self, signature: Signature) -> Sig {
        let sigs = &mut self.module.sigs;
        *self
            .sigs
            .entry(signature)
            .or_insert_with_key(|signature| sigs.push(signature.clone()))
    }

    /// The IR function of a PTX function; its body is lowered later.
    fn function(&mut self, id: FunctionId) -> Func {
        if let Some(&func) = self.functions.get(&id) {
            return func;
        }
        let data = &self.checked.functions[id.index()];
        let mut signature = if self.kernel.function == id {
            Signature::default()
        } else {
            params::flat_signature(&data.signature)
        };
        // The caller is told which threads have ended.
        if self.kernel.function != id && self.calls.may_exit(id) {
            signature.results.push(Ty::Pred);
        }
        let sig = self.sig(signature.clone());
        let mut function = Function::new(&data.name, sig, &signature.params);
        function.no_return = data.signature.noreturn;
        let func = self.module.functions.push(function);
        self.functions.insert(id, func);
        self.queue.push(id);
        func
    }

    fn symbol(&mut self, id: GlobalId) -> Symbol {
        let variable = &self.checked.globals[id.index()];
        let symbols = &mut self.module.symbols;
        *self.symbols.entry(id).or_insert_with(|| {
            symbols.push(SymbolData {
                name: variable.name.clone(),
                constant: variable.space == StateSpace::Const,
                align: variable.align,
                bytes: variable.size,
            })
        })
    }
}

/// A function being lowered, with the functions inlined into it.
struct Lower<'u, 'a> {
    unit: &'u mut Unit<'a>,
    b: Builder,
    /// The PTX function whose instructions are being read.
    frame: Frame<'a>,
    /// The IR function is the kernel.
    is_kernel: bool,
    /// The PTX function that the IR function is made of.
    root: FunctionId,
    /// How deep inlining has gone; bounded by the call graph, which has no cycles where functions are inlined.
    depth: u32,
    /// The instruction being lowered, for messages.
    line: u32,
    opcode: &'a str,
    /// Guard of the instruction being lowered, as a value.
    guard: Option<Value>,
    locs: HashMap<LocData, Loc>,
}

impl<'u, 'a> Lower<'u, 'a> {
    fn run(unit: &'u mut Unit<'a>, id: FunctionId) -> Result<Function> {
        let func = unit.functions[&id];
        // Calls to the function itself look its signature up.
        let placeholder = Function::new("", unit.module.functions[func].sig, &[]);
        let function = std::mem::replace(&mut unit.module.functions[func], placeholder);
        let args = function.blocks[function.entry].params.clone();
        let is_kernel = unit.kernel.function == id;
        let mut b = Builder::new(function);
        let frame = Frame::new(unit.checked, &mut b, id, is_kernel);
        let mut this = Self {
            unit,
            b,
            frame,
            is_kernel,
            root: id,
            depth: 0,
            line: 0,
            opcode: "",
            guard: None,
            locs: HashMap::new(),
        };
        if !is_kernel {
            this.write_flat_params(&args);
        }
        this.body()?;
        let function = this.b.finish();
        let bytes: u64 = function
            .locals
            .values()
            .map(|slot| u64::from(slot.bytes))
            .sum();
        if bytes > LOCAL_LIMIT {
            return Err(LowerError::LocalTooLarge {
                name: function.name,
                bytes,
            });
        }
        Ok(function)
    }

    /// Lowers the current frame's body, from the current block on.
    fn body(&mut self) -> Result<()> {
        let body = self.frame.body;
        self.start_blocks();
        for (index, instruction) in body.instructions.iter().enumerate() {
            self.enter_instruction(index);
            self.line = instruction.pos.line;
            self.opcode = instruction.kind.opcode();
            self.b.loc = self.place(instruction);
            self.instruction(instruction)?;
        }
        self.enter_instruction(body.instructions.len());
        // Falling off the end returns.
        self.return_here();
        Ok(())
    }

    fn place(&mut self, instruction: &Instruction) -> Loc {
        let place = instruction
            .location
            .map(|index| self.frame.body.locations[index as usize].place);
        let data = LocData {
            ptx_line: instruction.pos.line,
            file: place.map_or(0, |place| place.file),
            line: place.map_or(0, |place| place.line),
        };
        let locs = &mut self.b.function.locs;
        *self.locs.entry(data).or_insert_with(|| locs.push(data))
    }

    /// An error about the current instruction.
    fn refuse<T>(&self, why: Why) -> Result<T> {
        Err(LowerError::Unsupported {
            line: self.line,
            instruction: self.opcode.to_owned(),
            why,
        })
    }

    /// An error about the form of the current instruction.
    fn form<T>(&self, why: &'static str) -> Result<T> {
        self.refuse(Why::Form(why))
    }

    fn instruction(&mut self, i: &'a Instruction) -> Result<()> {
        self.guard = i.guard.map(|guard| self.guard_value(guard));
        if self.guard.is_some() && needs_control_flow(&i.kind) {
            return self.guarded(i);
        }
        self.unguarded(i)
    }

    /// One row per instruction of [`Kind`].
    fn unguarded(&mut self, i: &'a Instruction) -> Result<()> {
        match &i.kind {
            Kind::Add(k) => self.add(i, k),
            Kind::AddC(k) => self.addc(i, k),
            Kind::Sub(k) => self.sub(i, k),
            Kind::SubC(k) => self.subc(i, k),
            Kind::Mul(k) => self.mul(i, k),
            Kind::Mad(k) => self.mad(i, k),
            Kind::MadC(k) => self.madc(i, k),
            Kind::Mul24(k) => self.mul24(i, k),
            Kind::Mad24(k) => self.mad24(i, k),
            Kind::Sad(k) => self.sad(i, k),
            Kind::Div(k) => self.div(i, k),
            Kind::Rem(k) => self.rem(i, k),
            Kind::Abs(k) => self.abs(i, k),
            Kind::Neg(k) => self.neg(i, k),
            Kind::Min(k) => self.min(i, k),
            Kind::Max(k) => self.max(i, k),
            Kind::Popc(k) => self.popc(i, k),
            Kind::Clz(k) => self.clz(i, k),
            Kind::Bfind(k) => self.bfind(i, k),
            Kind::Fns(_) => self.same(i, Op::Fns, &[Ty::B32; 3]),
            Kind::Brev(k) => self.brev(i, k),
            Kind::Bfe(k) => self.bfe(i, k),
            Kind::Bfi(k) => self.bfi(i, k),
            Kind::Szext(k) => self.szext(i, k),
            Kind::Bmsk(k) => self.bmsk(i, k),
            Kind::Dp4a(k) => self.dp4a(i, k),
            Kind::Dp2a(k) => self.dp2a(i, k),
            Kind::Testp(k) => self.testp(i, k),
            Kind::Copysign(k) => self.copysign(i, k),
            Kind::Fma(k) => self.fma(i, k),
            Kind::Rcp(k) => self.rcp(i, k),
            Kind::Sqrt(k) => self.sqrt(i, k),
            Kind::Rsqrt(k) => self.rsqrt(i, k),
            Kind::Sin(k) => self.sin(i, k),
            Kind::Cos(k) => self.cos(i, k),
            Kind::Lg2(k) => self.lg2(i, k),
            Kind::Ex2(k) => self.ex2(i, k),
            Kind::Tanh(k) => self.tanh(i, k),
            Kind::Set(k) => self.set(i, k),
            Kind::Setp(k) => self.setp(i, k),
            Kind::Selp(k) => self.selp(i, k),
            Kind::Slct(k) => self.slct(i, k),
            Kind::And(k) => self.and(i, k),
            Kind::Or(k) => self.or(i, k),
            Kind::Xor(k) => self.xor(i, k),
            Kind::Not(k) => self.not(i, k),
            Kind::Cnot(k) => self.cnot(i, k),
            Kind::Lop3(k) => self.lop3(i, k),
            Kind::Shf(k) => self.shf(i, k),
            Kind::Shl(k) => self.shl(i, k),
            Kind::Shr(k) => self.shr(i, k),
            Kind::Mov(k) => self.mov(i, k),
            Kind::Shfl(k) => self.shfl(i, k),
            Kind::Prmt(k) => self.prmt(i, k),
            Kind::Ld(k) => self.ld(i, k),
            Kind::Ldu(k) => self.ldu(i, k),
            Kind::St(k) => self.st(i, k),
            Kind::Isspacep(k) => self.isspacep(i, k),
            Kind::Cvta(k) => self.cvta(i, k),
            Kind::Cvt(k) => self.cvt(i, k),
            Kind::CvtPack(k) => self.cvt_pack(i, k),
            Kind::Barrier(k) => self.barrier(i, k),
            Kind::BarWarp(_) => self.bar_warp(i),
            Kind::Membar(k) => self.membar(k),
            Kind::Fence(k) => self.fence(k),
            Kind::FenceProxy(k) => self.fence_proxy(k),
            Kind::Atom(k) => self.atom(i, k),
            Kind::Red(k) => self.red(i, k),
            Kind::Vote(k) => self.vote(i, k),
            Kind::Match(k) => self.match_lanes(i, k),
            Kind::ActiveMask(_) => self.active_mask(i),
            Kind::Redux(k) => self.redux(i, k),
            Kind::Elect(_) => self.elect(i),
            Kind::Bra(k) => self.bra(i, k.uni),
            Kind::Brx(k) => self.brx(i, k.uni),
            Kind::Ret(_) => {
                self.return_here();
                Ok(())
            }
            Kind::Exit(_) => {
                self.exit_here();
                Ok(())
            }
            Kind::Trap(_) => self.trap(crate::ir::TrapKind::Trap),
            Kind::Brkpt(_) => self.trap(crate::ir::TrapKind::Breakpoint),
            Kind::Nanosleep(_) => self.nanosleep(i),
            Kind::Alloca(k) => self.alloca(i, k),
            Kind::StackSave(_) => self.stack_save(i),
            Kind::StackRestore(_) => self.stack_restore(i),
            Kind::CreatePolicy(_) => self.create_policy(i),
            // Hints: nothing to do on this device.
            Kind::Prefetch(_)
            | Kind::Prefetchu(_)
            | Kind::ApplyPriority(_)
            | Kind::Discard(_)
            | Kind::Pmevent(_)
            | Kind::GridDepControl(_) => Ok(()),
            Kind::Call(call) => self.call(i, call),
            Kind::Mapa(k) => self.mapa(i, k),
            Kind::GetCtaRank(k) => self.getctarank(i, k),
            Kind::BarrierCluster(k) => self.barrier_cluster(k),
            Kind::Video(video) => self.video(i, video),
            Kind::CpAsync(k) => self.cp_async(i, k),
            // Copies are done where they stand.
            Kind::CpAsyncCommit(_) | Kind::CpAsyncWait(_) | Kind::CpAsyncWaitAll(_) => Ok(()),
            Kind::CpAsyncArrive(k) => self.cp_async_arrive(i, k),
            Kind::MbarrierInit(k) => self.mbarrier_init(i, k),
            Kind::MbarrierInval(_) => Ok(()),
            Kind::MbarrierExpectTx(k) => self.mbarrier_tx(i, k.space, k.scope, false),
            Kind::MbarrierCompleteTx(k) => self.mbarrier_tx(i, k.space, k.scope, true),
            Kind::MbarrierArrive(k) => {
                self.mbarrier_arrive(i, false, k.expect_tx, k.order, k.scope, k.space)
            }
            Kind::MbarrierArriveDrop(k) => {
                self.mbarrier_arrive(i, true, k.expect_tx, k.order, k.scope, k.space)
            }
            Kind::MbarrierTestWait(k) => self.mbarrier_wait(i, k.parity, k.order, k.scope, k.space),
            Kind::MbarrierTryWait(k) => self.mbarrier_wait(i, k.parity, k.order, k.scope, k.space),
            Kind::MbarrierPendingCount(_) => self.mbarrier_pending(i),
            Kind::Other(other) if texture::is_texture(other) => self.texture(i, other),
            Kind::Other(other) => self.other(i, other),
        }
    }

    /// An instruction that has no row in the front end's table.
    fn other(&mut self, i: &'a Instruction, other: &'a ptx::kind::Other) -> Result<()> {
        let modifiers: Vec<&str> = other.modifiers.iter().map(String::as_str).collect();
        let mut done = self.matrix(i, &other.opcode, &modifiers);
        if let Ok(None) = done {
            done = self.bulk(i, &other.opcode, &modifiers);
        }
        match done {
            Ok(Some(())) => Ok(()),
            Ok(None) => Err(self.spelled(other, Why::SecondHalf)),
            Err(LowerError::Unsupported { why, .. }) => Err(self.spelled(other, why)),
            Err(error) => Err(error),
        }
    }

    fn spelled(&self, other: &ptx::kind::Other, why: Why) -> LowerError {
        LowerError::Unsupported {
            line: self.line,
            instruction: other.spelling(),
            why,
        }
    }

    /// Adds an instruction without a guard.
    fn inst(&mut self, op: Op, args: &[Value]) -> Inst {
        self.b.inst(&self.unit.module.sigs, op, args, None)
    }

    /// Adds an instruction that lanes with a false guard do not take part in.
    fn guarded_inst(&mut self, op: Op, args: &[Value]) -> Inst {
        self.b.inst(&self.unit.module.sigs, op, args, self.guard)
    }

    /// Adds a pure instruction; its first result. Operations without results are not passed here.
    fn op(&mut self, op: Op, args: &[Value]) -> Value {
        let inst = self.inst(op, args);
        self.result(inst, 0)
    }

    fn result(&mut self, inst: Inst, number: usize) -> Value {
        match self.b.function.results(inst).nth(number) {
            Some(value) => value,
            None => self.b.function.undef(Ty::B32),
        }
    }

    fn constant(&mut self, ty: Ty, bits: u64) -> Value {
        self.b.function.constant(ty, bits)
    }
}

/// Whether a guard on this instruction becomes a branch around it.
fn needs_control_flow(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Call(_)
            | Kind::Barrier(_)
            | Kind::Ret(_)
            | Kind::Exit(_)
            | Kind::Trap(_)
            | Kind::Brkpt(_)
            | Kind::Brx(_)
            | Kind::Alloca(_)
            | Kind::StackRestore(_)
            | Kind::CpAsync(_)
            | Kind::Other(_)
    )
}
