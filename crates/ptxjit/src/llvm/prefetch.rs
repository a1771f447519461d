//! Prefetching for loops that walk memory in strides which are known only at run time, as grid-stride loops do: the
//! hardware follows small constant strides by itself, and these it does not.

use super::build::V;
use super::emit::Gen;
use super::memory::Address;
use super::shape::UNIFORM;
use crate::ir::special::Varies;
use crate::ir::{Block, Id, Int, Op, Sign, Space, Special, Terminator, Ty, Value, ValueDef};

/// Rounds of the loop to be ahead.
const AHEAD: i64 = 16;
/// The same where all warps of the block go through a round before the next.
const TOGETHER: i64 = 8;
/// Where to: the second cache (`llvm.prefetch`'s locality). More lines can be on their way there than to the first one,
/// and large strides come back to the same few places of that.
pub(super) const INTO: u64 = 2;
/// Bytes of a cache line.
const LINE: i64 = 64;
/// Lines to fetch for an access, at most.
const MOST: i64 = 8;

/// Operations from which a step of a loop is computed anew, at most.
const STEADY: u32 = 6;

/// By how much a value grows per round of a loop: `by` times `scale`.
#[derive(Clone, Copy)]
enum Growth {
    None,
    By { by: Value, scale: i64 },
}

impl Gen<'_, '_> {
    /// Fetches what the access at hand will touch some rounds later.
    pub(super) fn prefetch(
        &mut self,
        of: Space,
        value: Value,
        address: &Address,
        bytes: u32,
        reads: bool,
    ) {
        let (p, span) = match address {
            Address::Affine(p, offsets) => {
                let (Some(&least), Some(&most)) = (offsets.iter().min(), offsets.iter().max())
                else {
                    return;
                };
                if least != 0 {
                    return;
                }
                (*p, most + i64::from(bytes))
            }
            Address::Uniform(_) | Address::Indexed(..) => return,
        };
        if !matches!(of, Space::Generic | Space::Global) || span > LINE * MOST {
            return;
        }
        let Some(l) = self.flow.loop_of[self.block] else {
            self.fetch_for_next_block(value, p, span, reads);
            return;
        };
        let Some(Growth::By { by, scale }) = self.growth(value, l, 8) else {
            return;
        };
        if self.f.as_const(by).is_some() || self.plan.shapes.shape(by) != UNIFORM {
            return;
        }
        let (i32, i64, ptr) = (self.b.i32, self.b.i64, self.b.ptr);
        // What comes from outside the loop is at hand: the loop uses it.
        let outside = self.plan.defs[by.index()].is_none_or(|d| !self.flow.loops[l].member[d]);
        let by = if outside {
            Some(self.scalar(by))
        } else {
            self.anew(by, STEADY)
        };
        let Some(by) = by else {
            return;
        };
        let by = self.b.sext(by, i64);
        let rounds = match self.is_barrier(self.block) && self.fissioned {
            true => TOGETHER,
            false => AHEAD,
        };
        let ahead = self.b.c(i64, scale.wrapping_mul(rounds).cast_unsigned());
        let ahead = self.b.mul(by, ahead);
        let p = self.b.gep8(p, ahead);
        let (read, keep, data) = (self.b.c(i32, 0), self.b.c(i32, INTO), self.b.c(i32, 1));
        for line in 0..(span + LINE - 1) / LINE {
            let q = self.b.offset(p, line * LINE);
            self.b
                .intrinsic("llvm.prefetch", &[ptr], &[q, read, keep, data]);
        }
    }

    fn growth(&self, value: Value, l: usize, depth: u32) -> Option<Growth> {
        if self.is_steady(value, l, STEADY) {
            return Some(Growth::None);
        }
        if depth == 0 {
            return None;
        }
        match self.f.values[value].def {
            ValueDef::Const(_) | ValueDef::Undef => Some(Growth::None),
            ValueDef::Param(block, number) => self.induction(value, block, number as usize, l),
            ValueDef::Inst(inst, _) => {
                let args = self.f.args(inst);
                let of = |i: usize| self.growth(args[i], l, depth - 1);
                let constant = |i: usize| self.f.as_const(args[i]).map(u64::cast_signed);
                let scaled = |g: Growth, by: i64| match g {
                    Growth::None => Growth::None,
                    Growth::By { by: v, scale } => Growth::By {
                        by: v,
                        scale: scale.wrapping_mul(by),
                    },
                };
                match self.f.insts[inst].op {
                    Op::Add { .. } => match (of(0)?, of(1)?) {
                        (Growth::None, g) | (g, Growth::None) => Some(g),
                        _ => None,
                    },
                    Op::Sub { .. } => match (of(0)?, of(1)?) {
                        (g, Growth::None) => Some(g),
                        _ => None,
                    },
                    Op::Mul {
                        w: Int::I32 | Int::I64,
                    }
                    | Op::MulWide { w: Int::I32, .. } => match (constant(0), constant(1)) {
                        (_, Some(c)) => Some(scaled(of(0)?, c)),
                        (Some(c), _) => Some(scaled(of(1)?, c)),
                        _ => None,
                    },
                    Op::Shl { .. } => {
                        let by = constant(1).filter(|c| (0..32).contains(c))?;
                        Some(scaled(of(0)?, 1 << by))
                    }
                    Op::Sext {
                        from: Ty::B32,
                        to: Ty::B64,
                    }
                    | Op::Zext {
                        from: Ty::B32,
                        to: Ty::B64,
                    } => of(0),
                    _ => None,
                }
            }
        }
    }

    /// Growth of a loop header's parameter.
    fn induction(&self, value: Value, block: Block, number: usize, l: usize) -> Option<Growth> {
        let this = &self.flow.loops[l];
        if block.index() != this.header {
            return None;
        }
        let mut next = None;
        for &latch in &this.latches {
            let term: &Terminator = &self.f.blocks[Block::from_index(latch)].term;
            for edge in term.edges().filter(|e| e.block == block) {
                let arg = edge.args[number];
                if next.is_some_and(|n| n != arg) {
                    return None;
                }
                next = Some(arg);
            }
        }
        let inst = self.f.def_inst(next?)?;
        let Op::Add { .. } = self.f.insts[inst].op else {
            return None;
        };
        let (x, y) = (self.f.args(inst)[0], self.f.args(inst)[1]);
        let by = if x == value {
            y
        } else if y == value {
            x
        } else {
            return None;
        };
        self.is_steady(by, l, STEADY)
            .then_some(Growth::By { by, scale: 1 })
    }

    /// Whether a value is the same in all rounds of a loop: from outside, or computed anew from such.
    fn is_steady(&self, value: Value, l: usize, depth: u32) -> bool {
        if self.plan.defs[value.index()].is_none_or(|d| !self.flow.loops[l].member[d]) {
            return true;
        }
        let Some(inst) = self.f.def_inst(value).filter(|_| depth > 0) else {
            return false;
        };
        match self.f.insts[inst].op {
            Op::Load { access } => access.space == Space::Param,
            Op::Special { reg } => matches!(reg.varies(), Varies::Grid | Varies::Block),
            Op::Add { .. }
            | Op::Sub { .. }
            | Op::Mul { .. }
            | Op::MulWide { .. }
            | Op::Shl { .. }
            | Op::Sext { .. }
            | Op::Zext { .. } => {
                let args = self.f.args(inst);
                args.iter().all(|&a| self.is_steady(a, l, depth - 1))
            }
            _ => false,
        }
    }

    /// A uniform value, computed here if it cannot be read.
    fn anew(&mut self, value: Value, depth: u32) -> Option<V> {
        if let Some(v) = self.again(value) {
            return Some(v);
        }
        let inst = self.f.def_inst(value).filter(|_| depth > 0)?;
        let op = self.f.insts[inst].op;
        if let Op::Special { reg } = op {
            let of_grid = matches!(reg, Special::NCtaIdX | Special::NCtaIdY | Special::NCtaIdZ);
            return of_grid.then(|| self.of_grid(reg));
        }
        let args = self.f.args(inst).to_vec();
        let x = self.anew(*args.first()?, depth - 1)?;
        let t = self.int(self.f.ty(value));
        match op {
            Op::Sext { .. } => Some(self.b.sext(x, t)),
            Op::Zext { .. } => Some(self.b.zext(x, t)),
            Op::Shl { .. } => {
                let by = self.f.as_const(args[1]).filter(|&c| c < 32)?;
                Some(self.b.shl(x, self.b.c(t, by)))
            }
            Op::Add { .. } | Op::Sub { .. } | Op::Mul { .. } | Op::MulWide { .. } => {
                let y = self.anew(args[1], depth - 1)?;
                match op {
                    Op::Add { .. } => Some(self.b.add(x, y)),
                    Op::Sub { .. } => Some(self.b.sub(x, y)),
                    Op::Mul { .. } => Some(self.b.mul(x, y)),
                    Op::MulWide {
                        sign: Sign::Signed, ..
                    } => {
                        let (x, y) = (self.b.sext(x, t), self.b.sext(y, t));
                        Some(self.b.mul(x, y))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
