//! Memory traffic of kernels that pass over more data than the caches hold: rows are stored past the caches, and what the
//! next blocks will read is fetched ahead.
//!
//! A store that fills whole cache lines need not read them first. It pays only where nobody reads the data soon, so code
//! asks at run time whether the launch writes more than the caches hold. Such stores are ordered by a fence at the end of
//! the block; kernels that order their accesses themselves do without.
//!
//! The hardware's prefetchers follow long rows. A block of several rows takes a short piece of each, and the next block
//! goes on where it ends: its pieces are fetched while this block computes.

use super::build::{Icmp, V};
use super::emit::{Gen, Mask};
use super::flow::Flow;
use super::plan::Plan;
use super::shape::UNIFORM;
use crate::ir::{Access, Block, Function, Id, Op, Order, Space, Special, Ty, Value, ValueDef};
use abi::sm::CtaContext;
use std::mem::offset_of;

/// Bytes that a launch writes at least before they are stored past the caches: more than most last-level caches hold.
const LARGE: u64 = 32 << 20;
/// Bytes of a cache line.
const LINE: u32 = 64;
/// Blocks to be ahead.
const AHEAD: i64 = 2;
/// Bytes from a row of one block to that of the next, at most, where they are pieces of one row.
const NEAR: u64 = 4096;
/// Lines to fetch for an access, at most.
const MOST: i64 = 4;

/// By how much a value grows from one block to the next.
#[derive(Clone, Copy)]
enum Step {
    /// Not at all.
    None,
    /// By a constant.
    Fixed(i64),
    /// By a multiple of a value.
    By(Value, i64),
}

/// Bytes that each thread stores outside of loops at a place of its own; `None` where the kernel orders its accesses, or
/// stores nothing.
#[must_use]
pub fn stored_bytes(f: &Function, flow: &Flow, plan: &Plan) -> Option<u32> {
    let mut bytes = 0;
    for &b in &flow.order {
        for &i in &f.blocks[Block::from_index(b)].insts {
            match f.insts[i].op {
                Op::Store { access } if access.order != Order::Weak => return None,
                Op::Load { access } if access.order != Order::Weak => return None,
                Op::Store { access }
                    if matches!(access.space, Space::Global | Space::Generic)
                        && flow.loop_of[b].is_none()
                        && plan.shapes.shape(f.args(i)[0]) != UNIFORM =>
                {
                    bytes += access.bytes();
                }
                Op::Atom { .. }
                | Op::Red { .. }
                | Op::Fence { .. }
                | Op::Call { .. }
                | Op::CallBuiltin { .. }
                | Op::CallRuntime { .. }
                | Op::ClusterBarrier { .. } => return None,
                _ => {}
            }
        }
    }
    (bytes > 0).then_some(bytes)
}

impl Gen<'_, '_> {
    /// Stores a row of elements, one or several per lane, that all lanes fill.
    pub(super) fn store_row(&mut self, v: V, p: V, align: u32, access: &Access) {
        let fills = (self.w * access.bytes()).is_multiple_of(LINE);
        let bytes = match self.stored_bytes {
            Some(bytes)
                if fills
                    && self.w > 1
                    && !self.is_warp_kind()
                    && matches!(access.space, Space::Global | Space::Generic)
                    && self.flow.loop_of[self.block].is_none()
                    && !self.continues()
                    && !self.reads_back() =>
            {
                bytes
            }
            _ => {
                self.b.store(v, p, align);
                return;
            }
        };
        let i64 = self.b.i64;
        let large = self.is_large(bytes);
        let at = self.b.bitcast(p, i64);
        let low = self.b.and(at, self.b.c(i64, u64::from(LINE - 1)));
        let starts = self.b.icmp(Icmp::LLVMIntEQ, low, self.b.c(i64, 0));
        let past = self.b.and(large, starts);
        let (x, y, after) = (
            self.b.block(self.function),
            self.b.block(self.function),
            self.b.block(self.function),
        );
        self.b.cond(past, x, y);
        self.b.at(x);
        self.b.store_past_caches(v, p, LINE);
        self.b.br(after);
        self.b.at(y);
        self.b.store(v, p, align);
        self.b.br(after);
        self.b.at(after);
    }

    /// Whether the next block goes on where a row of this block's, one of several, ends. The hardware's prefetchers then
    /// follow each row, and stores past the caches would come in pieces, row by row.
    fn continues(&self) -> bool {
        let [_, y, z] = self.lanes.block;
        if y * z == 1 {
            return false;
        }
        let step = self.storing.and_then(|v| self.block_step(v, 12));
        match step {
            Some(Step::Fixed(n)) => n.unsigned_abs() <= NEAR,
            Some(Step::By(..)) => false,
            Some(Step::None) | None => true,
        }
    }

    /// Whether the kernel also reads where it stores: those lines are in the caches already.
    fn reads_back(&self) -> bool {
        let (f, at) = (self.f, self.storing);
        let mut insts = self
            .flow
            .order
            .iter()
            .flat_map(|&b| &f.blocks[Block::from_index(b)].insts);
        insts.any(|&i| matches!(f.insts[i].op, Op::Load { .. }) && Some(f.args(i)[0]) == at)
    }

    /// Orders what was stored past the caches, at the end of a block.
    pub(super) fn end_of_stores(&mut self) {
        if self.large.is_some() {
            self.b.intrinsic("llvm.x86.sse.sfence", &[], &[]);
        }
    }

    /// Whether the launch stores so much that the caches do not hold it.
    fn is_large(&mut self, bytes: u32) -> V {
        if let Some(v) = self.large {
            return v;
        }
        let (i32, i64) = (self.b.i32, self.b.i64);
        let nctaid = offset_of!(CtaContext, nctaid);
        let [x, y, z] = [0, 4, 8].map(|d| self.field(nctaid + d, i32));
        let threads = match self.lanes.threads() {
            Some(t) => self.b.c(i32, u64::from(t)),
            None => self.field(offset_of!(CtaContext, threads), i32),
        };
        let v = self.in_prologue(|g| {
            let mut total = g.b.c(i64, u64::from(bytes));
            for n in [x, y, z, threads] {
                let n = g.b.zext(n, i64);
                total = g.b.mul(total, n);
                // Large is large: no product wraps.
                let most = g.b.c(i64, LARGE);
                total = g.b.intr("llvm.umin", &[total, most]);
            }
            g.b.icmp(Icmp::LLVMIntUGE, total, g.b.c(i64, LARGE))
        });
        self.large = Some(v);
        v
    }

    /// Fetches what the next blocks will read where this one reads a row.
    pub(super) fn fetch_for_next_block(&mut self, value: Value, p: V, span: i64, reads: bool) {
        let [_, y, z] = self.lanes.block;
        if y * z < 2
            || self.flow.loop_of[self.block].is_some()
            || span > i64::from(LINE) * MOST
            || !self
                .fetched
                .insert((value, matches!(self.mask, Mask::Full)))
        {
            return;
        }
        let i64 = self.b.i64;
        let step = match self.block_step(value, 12) {
            // A line to be written is taken from whoever has it: only where the block's rows go on.
            Some(Step::Fixed(n)) if !reads && n.unsigned_abs() > NEAR => return,
            Some(Step::By(..)) if !reads => return,
            Some(Step::Fixed(n)) if n != 0 => self.b.c(i64, (n * AHEAD).cast_unsigned()),
            Some(Step::By(v, scale)) => {
                let Some(v) = self.again(v) else {
                    return;
                };
                let v = self.b.sext(v, i64);
                self.b
                    .mul(v, self.b.c(i64, (scale * AHEAD).cast_unsigned()))
            }
            Some(Step::Fixed(_) | Step::None) | None => return,
        };
        let (i32, ptr) = (self.b.i32, self.b.ptr);
        let p = self.b.gep8(p, step);
        let how = self.b.c(i32, u64::from(!reads));
        let (keep, data) = (self.b.c(i32, super::prefetch::INTO), self.b.c(i32, 1));
        for line in 0..(span + i64::from(LINE) - 1) / i64::from(LINE) {
            let q = self.b.offset(p, line * i64::from(LINE));
            self.b
                .intrinsic("llvm.prefetch", &[ptr], &[q, how, keep, data]);
        }
    }

    /// Growth of a value with `%ctaid.x`.
    fn block_step(&self, value: Value, depth: u32) -> Option<Step> {
        let inst = match self.f.values[value].def {
            ValueDef::Const(_) | ValueDef::Undef => return Some(Step::None),
            ValueDef::Param(..) => return None,
            ValueDef::Inst(inst, _) => inst,
        };
        if depth == 0 {
            return None;
        }
        let args = self.f.args(inst);
        let of = |i: usize| self.block_step(args[i], depth - 1);
        let constant = |i: usize| self.constant_of(args[i]);
        let scaled = |step: Step, by: i64| match step {
            Step::None => Some(Step::None),
            Step::Fixed(n) => n.checked_mul(by).map(Step::Fixed),
            Step::By(v, n) => n.checked_mul(by).map(|n| Step::By(v, n)),
        };
        match self.f.insts[inst].op {
            Op::Special {
                reg: Special::CtaIdX,
            } => Some(Step::Fixed(1)),
            Op::Special { .. } | Op::GlobalAddr { .. } => Some(Step::None),
            Op::Load { access } if access.space == Space::Param => Some(Step::None),
            Op::Add { .. } => match (of(0)?, of(1)?) {
                (Step::None, s) | (s, Step::None) => Some(s),
                (Step::Fixed(a), Step::Fixed(b)) => a.checked_add(b).map(Step::Fixed),
                _ => None,
            },
            Op::Sub { .. } => match (of(0)?, of(1)?) {
                (s, Step::None) => Some(s),
                (Step::None, Step::Fixed(n)) => n.checked_neg().map(Step::Fixed),
                _ => None,
            },
            Op::Mul { .. } | Op::MulWide { .. } => {
                match (of(0)?, of(1)?, constant(0), constant(1)) {
                    (Step::None, Step::None, ..) => Some(Step::None),
                    (s, Step::None, _, Some(c)) | (Step::None, s, Some(c), _) => scaled(s, c),
                    (Step::Fixed(n), Step::None, _, None) if self.uniform(args[1]) => {
                        Some(Step::By(args[1], n))
                    }
                    (Step::None, Step::Fixed(n), None, _) if self.uniform(args[0]) => {
                        Some(Step::By(args[0], n))
                    }
                    _ => None,
                }
            }
            Op::Shl { .. } => {
                let by = constant(1).filter(|c| (0..32).contains(c))?;
                scaled(of(0)?, 1 << by)
            }
            Op::Sext {
                from: Ty::B32,
                to: Ty::B64,
            }
            | Op::Zext {
                from: Ty::B32,
                to: Ty::B64,
            } => of(0),
            ref op if op.props().is_empty() || op.props() == crate::ir::Props::COMMUTES => {
                let none = (0..args.len()).all(|i| matches!(of(i), Some(Step::None)));
                none.then_some(Step::None)
            }
            _ => None,
        }
    }

    /// A value that is a constant in this specialisation.
    fn constant_of(&self, value: Value) -> Option<i64> {
        if let Some(c) = self.f.as_const(value) {
            return Some(c.cast_signed());
        }
        let inst = self.f.def_inst(value)?;
        let d = match self.f.insts[inst].op {
            Op::Special { reg } => match reg {
                Special::NTidX => 0,
                Special::NTidY => 1,
                Special::NTidZ => 2,
                _ => return None,
            },
            _ => return None,
        };
        let n = self.lanes.block[d];
        (n > 0).then_some(i64::from(n))
    }
}
