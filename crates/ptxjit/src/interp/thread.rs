//! A thread: its stack of function frames and the execution of one instruction after the other.
#![expect(
    clippy::cast_possible_truncation,
    reason = "values are cut to the width of their type"
)]

use super::cta::Place;
use super::memory::Spaces;
use super::{Launch, Outcome, Printf, StopKind};
use crate::ir::fold::fold;
use crate::ir::{
    BarrierRed, Block, Builtin, Edge, Func, Function, Id, Inst, Op, Special, Terminator, TrapKind,
    Value, ValueDef,
};
use abi::sm;

/// Frames that a thread may have on its stack.
const MAX_DEPTH: usize = 4096;
/// Bytes of local memory that a thread may have.
const MAX_LOCAL: usize = 16 << 20;

/// What a thread does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It can go on.
    Ready,
    /// It waits for others.
    Waiting(Wait),
    /// It has ended.
    Done,
}

/// What a thread waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wait {
    /// The members of a warp operation.
    Warp {
        /// Where it is.
        place: Place,
        /// The operation.
        op: Op,
        /// Operands.
        args: Vec<u128>,
    },
    /// A barrier of `count` threads (0: all).
    Barrier {
        /// Number.
        id: u32,
        /// Threads.
        count: u32,
        /// Reduction, and this thread's predicate.
        red: Option<(BarrierRed, bool)>,
    },
    /// Notes its arrival at a barrier.
    Arrive {
        /// Number.
        id: u32,
    },
}

/// A function on the stack.
struct Frame<'a> {
    func: Func,
    function: &'a Function,
    block: Block,
    /// Next instruction of the block.
    at: usize,
    values: Vec<u128>,
    /// Start in local memory.
    base: u32,
    /// The caller's instruction that waits for the results.
    call: Option<Inst>,
}

/// A thread.
pub struct Thread<'a> {
    pub number: u32,
    pub state: State,
    launch: &'a Launch<'a>,
    cta: [u32; 3],
    frames: Vec<Frame<'a>>,
    pub local: Vec<u8>,
    clock: u64,
}

impl<'a> Frame<'a> {
    fn new(func: Func, function: &'a Function, base: u32, call: Option<Inst>) -> Self {
        Self {
            func,
            function,
            block: function.entry,
            at: 0,
            values: vec![0; function.values.len()],
            base,
            call,
        }
    }

    fn get(&self, value: Value) -> u128 {
        match self.function.values[value].def {
            ValueDef::Const(bits) => u128::from(bits),
            ValueDef::Undef => 0,
            ValueDef::Inst(..) | ValueDef::Param(..) => self.values[value.index()],
        }
    }
}

impl<'a> Thread<'a> {
    pub fn new(launch: &'a Launch<'a>, kernel: Func, cta: [u32; 3], number: u32) -> Self {
        let function = &launch.module.functions[kernel];
        Self {
            number,
            state: State::Ready,
            launch,
            cta,
            local: vec![0; function.frame() as usize],
            frames: vec![Frame::new(kernel, function, 0, None)],
            clock: 0,
        }
    }

    /// Lane in its warp.
    pub fn lane(&self) -> u32 {
        self.number % 32
    }

    /// PTX line of the instruction that it is at.
    pub fn line(&self) -> u32 {
        let Some(frame) = self.frames.last() else {
            return 0;
        };
        let block = &frame.function.blocks[frame.block];
        let loc = match frame.at.checked_sub(1).and_then(|at| block.insts.get(at)) {
            Some(&inst) if frame.at <= block.insts.len() => frame.function.insts[inst].loc,
            _ => block.term_loc,
        };
        frame.function.locs[loc].ptx_line
    }

    fn place(&self) -> Place {
        let inst = |frame: &Frame<'_>| {
            let at = frame.at.saturating_sub(1);
            frame.function.blocks[frame.block]
                .insts
                .get(at)
                .copied()
                .unwrap_or(Inst(u32::MAX))
        };
        self.frames
            .iter()
            .map(|frame| (frame.func, inst(frame)))
            .collect()
    }

    /// Sets the results of the instruction before the current place.
    pub fn give(&mut self, values: &[u128]) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let block = &frame.function.blocks[frame.block];
        let Some(&inst) = frame.at.checked_sub(1).and_then(|at| block.insts.get(at)) else {
            return;
        };
        for (result, &value) in frame.function.results(inst).zip(values) {
            frame.values[result.index()] = value & frame.function.ty(result).mask();
        }
    }

    /// Runs until it waits, ends, or has taken `turn` instructions; how many it took.
    pub fn run(
        &mut self,
        turn: u32,
        spaces: &mut Spaces<'_>,
        outcome: &mut Outcome,
    ) -> Result<u32, StopKind> {
        let mut taken = 0;
        while taken < turn && self.state == State::Ready {
            taken += 1;
            self.clock += 1;
            self.step(spaces, outcome)?;
        }
        Ok(taken)
    }

    fn step(&mut self, spaces: &mut Spaces<'_>, outcome: &mut Outcome) -> Result<(), StopKind> {
        let Some(frame) = self.frames.last_mut() else {
            self.state = State::Done;
            return Ok(());
        };
        let function = frame.function;
        let block = &function.blocks[frame.block];
        let Some(&inst) = block.insts.get(frame.at) else {
            return self.terminator(&block.term);
        };
        frame.at += 1;
        let data = &function.insts[inst];
        if let Some(guard) = data.guard
            && frame.get(guard) == 0
        {
            return Ok(());
        }
        let args: Vec<u128> = function
            .args(inst)
            .iter()
            .map(|&arg| frame.get(arg))
            .collect();
        if let Some(results) = fold(&data.op, &args) {
            self.give(&results);
            return Ok(());
        }
        self.effect(inst, data.op, &args, spaces, outcome)
    }

    /// Operations that are not pure.
    fn effect(
        &mut self,
        inst: Inst,
        op: Op,
        args: &[u128],
        spaces: &mut Spaces<'_>,
        outcome: &mut Outcome,
    ) -> Result<(), StopKind> {
        let arg = |n: usize| args.get(n).copied().unwrap_or(0);
        match op {
            Op::GlobalAddr { symbol } => {
                let address = self
                    .launch
                    .symbols
                    .get(symbol.index())
                    .copied()
                    .unwrap_or(0);
                self.give(&[u128::from(address)]);
            }
            Op::LocalAddr { slot } => {
                let base = self
                    .frames
                    .last()
                    .map_or(0, |f| f.base + f.function.locals[slot].offset);
                self.give(&[u128::from(base)]);
            }
            Op::ToGeneric { space } => {
                self.give(&[u128::from(super::memory::window(space)) + arg(0)])
            }
            Op::FromGeneric { space } => {
                self.give(&[arg(0).wrapping_sub(u128::from(super::memory::window(space)))]);
            }
            Op::IsSpace { space } => {
                self.give(&[u128::from(super::memory::is_in(space, arg(0) as u64))])
            }
            Op::Alloca { align } => {
                let start = self.local.len().next_multiple_of(align.max(1) as usize);
                let end = start.saturating_add(arg(0) as u32 as usize);
                if end > MAX_LOCAL {
                    return Err(StopKind::StackOverflow);
                }
                self.local.resize(end, 0);
                self.give(&[start as u128]);
            }
            Op::StackSave => self.give(&[self.local.len() as u128]),
            Op::StackRestore => self.local.truncate(arg(0) as usize),
            Op::Load { access } => {
                let mut values = Vec::new();
                spaces.load(&mut self.local, access, arg(0) as u64, &mut values)?;
                self.give(&values);
            }
            Op::Store { access } => {
                spaces.store(&mut self.local, access, arg(0) as u64, &args[1..])?
            }
            Op::Atom { rmw, access } => {
                let old =
                    spaces.atomic(&mut self.local, rmw, access, arg(0) as u64, arg(1), arg(2))?;
                self.give(&[old]);
            }
            Op::Red { rmw, access } => {
                spaces.atomic(&mut self.local, rmw, access, arg(0) as u64, arg(1), arg(2))?;
            }
            Op::Fence { .. } | Op::Nanosleep => {}
            Op::Shfl { .. }
            | Op::Vote { .. }
            | Op::Ballot
            | Op::MatchAny { .. }
            | Op::MatchAll { .. }
            | Op::ActiveMask
            | Op::Redux { .. }
            | Op::Elect
            | Op::WarpSync => {
                self.state = State::Waiting(Wait::Warp {
                    place: self.place(),
                    op,
                    args: args.to_vec(),
                });
            }
            Op::Barrier { .. } => self.wait_barrier(arg(0), arg(1), None),
            Op::BarrierArrive { .. } => {
                self.state = State::Waiting(Wait::Arrive { id: arg(0) as u32 })
            }
            // The block is its own cluster: it meets where it waits.
            Op::ClusterBarrier { wait: false } => {}
            Op::ClusterBarrier { wait: true } => {
                self.wait_barrier(abi::sm::CLUSTER_WAIT.into(), 0, None)
            }
            Op::BarrierRed { op, .. } => self.wait_barrier(arg(0), arg(1), Some((op, arg(2) != 0))),
            Op::Special { reg } => {
                let value = self.special(reg);
                self.give(&[u128::from(value)]);
            }
            Op::Call { func, .. } => return self.enter(func, inst, args),
            Op::CallBuiltin { builtin } => return self.builtin(builtin, args, spaces, outcome),
            // One grid is all that the interpreter runs.
            Op::CallRuntime { .. } => return Err(StopKind::DeviceRuntime),
            // Everything else is pure and has been folded.
            _ => return Err(StopKind::Unreachable),
        }
        Ok(())
    }

    fn wait_barrier(&mut self, id: u128, count: u128, red: Option<(BarrierRed, bool)>) {
        self.state = State::Waiting(Wait::Barrier {
            id: id as u32,
            count: count as u32,
            red,
        });
    }

    fn enter(&mut self, func: Func, inst: Inst, args: &[u128]) -> Result<(), StopKind> {
        let function = &self.launch.module.functions[func];
        let base = self.local.len().next_multiple_of(16);
        if self.frames.len() >= MAX_DEPTH || base + function.frame() as usize > MAX_LOCAL {
            return Err(StopKind::StackOverflow);
        }
        self.local.resize(base + function.frame() as usize, 0);
        let mut frame = Frame::new(func, function, base as u32, Some(inst));
        for (&param, &value) in function.blocks[function.entry].params.iter().zip(args) {
            frame.values[param.index()] = value;
        }
        self.frames.push(frame);
        Ok(())
    }

    fn builtin(
        &mut self,
        builtin: Builtin,
        args: &[u128],
        spaces: &mut Spaces<'_>,
        outcome: &mut Outcome,
    ) -> Result<(), StopKind> {
        let arg = |n: usize| args.get(n).copied().unwrap_or(0);
        match builtin {
            Builtin::Vprintf => {
                let format = spaces.string(&mut self.local, arg(0) as u64)?;
                let conversions = format.iter().filter(|&&byte| byte == b'%').count();
                let mut bytes = Vec::new();
                for n in 0..conversions as u64 * 8 {
                    match spaces.byte(&mut self.local, (arg(1) as u64).wrapping_add(n)) {
                        Ok(byte) => bytes.push(byte),
                        Err(_) => break,
                    }
                }
                outcome.printf.push(Printf {
                    format,
                    args: bytes,
                });
                self.give(&[conversions as u128]);
                Ok(())
            }
            Builtin::Assertfail => Err(StopKind::Assert),
            Builtin::Malloc => {
                let address = spaces.memory.alloc(arg(0) as u64);
                self.give(&[u128::from(address)]);
                Ok(())
            }
            Builtin::Free => {
                spaces.memory.free(arg(0) as u64);
                Ok(())
            }
        }
    }

    fn terminator(&mut self, term: &'a Terminator) -> Result<(), StopKind> {
        let Some(frame) = self.frames.last() else {
            return Ok(());
        };
        match term {
            Terminator::Jump(edge) => self.jump(edge),
            Terminator::Branch {
                cond, then, other, ..
            } => {
                let taken = frame.get(*cond) != 0;
                self.jump(if taken { then } else { other });
            }
            Terminator::Switch { index, table, .. } => {
                let index = frame.get(*index) as usize;
                match table.get(index).or_else(|| table.last()) {
                    Some(edge) => self.jump(edge),
                    None => return Err(StopKind::Unreachable),
                }
            }
            Terminator::Return(values) => {
                let values: Vec<u128> = values.iter().map(|&value| frame.get(value)).collect();
                let call = frame.call;
                if let Some(frame) = self.frames.pop() {
                    self.local.truncate(frame.base as usize);
                }
                if call.is_none() {
                    self.state = State::Done;
                } else {
                    self.give(&values);
                }
            }
            Terminator::Exit => self.state = State::Done,
            Terminator::Trap(kind) => {
                return Err(match kind {
                    TrapKind::Trap => StopKind::Trap,
                    TrapKind::Breakpoint => StopKind::Breakpoint,
                    TrapKind::InvalidPc => StopKind::InvalidPc,
                });
            }
            Terminator::Unreachable => return Err(StopKind::Unreachable),
        }
        Ok(())
    }

    fn jump(&mut self, edge: &Edge) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let values: Vec<u128> = edge.args.iter().map(|&arg| frame.get(arg)).collect();
        for (&param, value) in frame.function.blocks[edge.block].params.iter().zip(values) {
            frame.values[param.index()] = value;
        }
        frame.block = edge.block;
        frame.at = 0;
    }

    fn special(&self, reg: Special) -> u64 {
        let [bx, by, bz] = self.launch.block;
        let [gx, gy, gz] = self.launch.grid;
        let threads = bx * by * bz;
        let lane = self.lane();
        let below = (1u64 << lane) - 1;
        u64::from(match reg {
            Special::TidX => self.number % bx,
            Special::TidY => self.number / bx % by,
            Special::TidZ => self.number / (bx * by),
            Special::NTidX => bx,
            Special::NTidY => by,
            Special::NTidZ => bz,
            Special::LaneId => lane,
            Special::WarpId => self.number / 32,
            Special::NWarpId => threads.div_ceil(32),
            Special::CtaIdX | Special::ClusterIdX => self.cta[0],
            Special::CtaIdY | Special::ClusterIdY => self.cta[1],
            Special::CtaIdZ | Special::ClusterIdZ => self.cta[2],
            Special::NCtaIdX | Special::NClusterIdX => gx,
            Special::NCtaIdY | Special::NClusterIdY => gy,
            Special::NCtaIdZ | Special::NClusterIdZ => gz,
            Special::NSmId
            | Special::ClusterNCtaIdX
            | Special::ClusterNCtaIdY
            | Special::ClusterNCtaIdZ
            | Special::ClusterNCtaRank => 1,
            Special::LaneMaskEq => 1 << lane,
            Special::LaneMaskLe => below as u32 | 1 << lane,
            Special::LaneMaskLt => below as u32,
            Special::LaneMaskGe => !(below as u32),
            Special::LaneMaskGt => !(below as u32 | 1 << lane),
            Special::TotalSmemSize | Special::AggrSmemSize => self.launch.total_shared(),
            Special::ReservedSmemBegin => self.launch.reserved_shared(),
            Special::ReservedSmemSecond => {
                self.launch.reserved_shared() + sm::RESERVED_SHARED_SECOND
            }
            Special::ReservedSmemEnd => self.launch.reserved_shared() + sm::RESERVED_SHARED_BYTES,
            Special::ReservedSmemCap => sm::RESERVED_SHARED_BYTES,
            Special::DynamicSmemSize => self.launch.dynamic_shared,
            Special::Clock | Special::GlobalTimerLo => self.clock as u32,
            Special::ClockHi | Special::GlobalTimerHi => (self.clock >> 32) as u32,
            Special::Clock64 | Special::GlobalTimer => return self.clock,
            Special::SmId
            | Special::GridId
            | Special::IsExplicitCluster
            | Special::ClusterCtaIdX
            | Special::ClusterCtaIdY
            | Special::ClusterCtaIdZ
            | Special::ClusterCtaRank
            | Special::CurrentGraphExec
            | Special::EnvReg(_)
            | Special::Pm0
            | Special::Pm1
            | Special::Pm2
            | Special::Pm3
            | Special::Pm4
            | Special::Pm5
            | Special::Pm6
            | Special::Pm7 => 0,
        })
    }
}
