//! Warp and block operations.

use super::{Lower, Result};
use crate::ir::{BarrierRed, Int, IntCmp, Op, ReduxOp, ShflMode, Sign, Ty, Value, VoteMode};
use ptx::checked::Instruction;
use ptx::kind;
use ptx::modifier::{self, BarrierOp, BarrierReduction, MatchMode};
use ptx::types::ScalarType;

impl<'a> Lower<'_, 'a> {
    /// Source `n` as member mask; forms without `.sync` take the lanes that are there.
    fn members(&mut self, i: &'a Instruction, n: usize, sync: bool) -> Result<Value> {
        if sync {
            return self.src(i, n, Ty::B32);
        }
        let inst = self.guarded_inst(Op::ActiveMask, &[]);
        Ok(self.result(inst, 0))
    }

    pub(super) fn shfl(&mut self, i: &'a Instruction, k: &kind::Shfl) -> Result<()> {
        let mode = match k.mode {
            modifier::ShflMode::Up => ShflMode::Up,
            modifier::ShflMode::Down => ShflMode::Down,
            modifier::ShflMode::Bfly => ShflMode::Bfly,
            modifier::ShflMode::Idx => ShflMode::Idx,
        };
        let [a, b, c] = self.three(i, Ty::B32)?;
        let members = self.members(i, 3, k.sync)?;
        let inst = self.guarded_inst(Op::Shfl { mode }, &[a, b, c, members]);
        let (value, valid) = (self.result(inst, 0), self.result(inst, 1));
        self.def_two(i, value, valid)
    }

    pub(super) fn vote(&mut self, i: &'a Instruction, k: &kind::Vote) -> Result<()> {
        let p = self.src(i, 0, Ty::Pred)?;
        let members = self.members(i, 1, k.sync)?;
        let op = match k.mode {
            modifier::VoteMode::All => Op::Vote {
                mode: VoteMode::All,
            },
            modifier::VoteMode::Any => Op::Vote {
                mode: VoteMode::Any,
            },
            modifier::VoteMode::Uni => Op::Vote {
                mode: VoteMode::Uni,
            },
            modifier::VoteMode::Ballot => Op::Ballot,
        };
        let inst = self.guarded_inst(op, &[p, members]);
        let value = self.result(inst, 0);
        self.def(i, value)
    }

    pub(super) fn match_lanes(&mut self, i: &'a Instruction, k: &kind::Match) -> Result<()> {
        let ty = super::frame::width(k.ty);
        let a = self.src(i, 0, ty)?;
        let members = self.members(i, 1, true)?;
        match k.mode {
            MatchMode::Any => {
                let inst = self.guarded_inst(Op::MatchAny { ty }, &[a, members]);
                let value = self.result(inst, 0);
                self.def(i, value)
            }
            MatchMode::All => {
                let inst = self.guarded_inst(Op::MatchAll { ty }, &[a, members]);
                let (value, equal) = (self.result(inst, 0), self.result(inst, 1));
                self.def_two(i, value, equal)
            }
        }
    }

    pub(super) fn active_mask(&mut self, i: &'a Instruction) -> Result<()> {
        let inst = self.guarded_inst(Op::ActiveMask, &[]);
        let value = self.result(inst, 0);
        self.def(i, value)
    }

    pub(super) fn redux(&mut self, i: &'a Instruction, k: &kind::Redux) -> Result<()> {
        use modifier::ReduxOp as R;
        let signed = k.ty.is_signed();
        let op = match (k.op, k.ty == ScalarType::F32) {
            (R::Add, false) => ReduxOp::Add,
            (R::And, false) => ReduxOp::And,
            (R::Or, false) => ReduxOp::Or,
            (R::Xor, false) => ReduxOp::Xor,
            (R::Min, false) if signed => ReduxOp::Smin,
            (R::Max, false) if signed => ReduxOp::Smax,
            (R::Min, false) => ReduxOp::Umin,
            (R::Max, false) => ReduxOp::Umax,
            (R::Min, true) => match (k.abs, k.nan) {
                (false, false) => ReduxOp::Fmin,
                (true, false) => ReduxOp::FminAbs,
                (false, true) => ReduxOp::FminNan,
                (true, true) => ReduxOp::FminAbsNan,
            },
            (R::Max, true) => match (k.abs, k.nan) {
                (false, false) => ReduxOp::Fmax,
                (true, false) => ReduxOp::FmaxAbs,
                (false, true) => ReduxOp::FmaxNan,
                (true, true) => ReduxOp::FmaxAbsNan,
            },
            (R::Add | R::And | R::Or | R::Xor, true) => return self.form("this operation on .f32"),
        };
        let [a, members] = self.two(i, Ty::B32)?;
        let inst = self.guarded_inst(Op::Redux { op }, &[a, members]);
        let value = self.result(inst, 0);
        self.def(i, value)
    }

    pub(super) fn elect(&mut self, i: &'a Instruction) -> Result<()> {
        let members = self.src(i, 0, Ty::B32)?;
        let inst = self.guarded_inst(Op::Elect, &[members]);
        let (lane, is_elected) = (self.result(inst, 0), self.result(inst, 1));
        self.def_two(i, lane, is_elected)
    }

    pub(super) fn bar_warp(&mut self, i: &'a Instruction) -> Result<()> {
        let members = self.src(i, 0, Ty::B32)?;
        self.guarded_inst(Op::WarpSync, &[members]);
        Ok(())
    }

    /// `barrier` and `bar`: `{d,} a{, b}{, {!}c}`.
    pub(super) fn barrier(&mut self, i: &'a Instruction, k: &kind::Barrier) -> Result<()> {
        let aligned = k.aligned;
        let id = self.src(i, 0, Ty::B32)?;
        let is_red = k.op == BarrierOp::Red;
        let has_count = i.srcs.len() > if is_red { 2 } else { 1 };
        let count = if has_count {
            self.src(i, 1, Ty::B32)?
        } else {
            self.constant(Ty::B32, 0)
        };
        let op = match (k.op, k.reduction) {
            (BarrierOp::Sync, _) => {
                self.inst(Op::Barrier { aligned }, &[id, count]);
                return Ok(());
            }
            (BarrierOp::Arrive, _) => {
                self.inst(Op::BarrierArrive { aligned }, &[id, count]);
                return Ok(());
            }
            (BarrierOp::Red, Some(BarrierReduction::Popc)) => BarrierRed::Popc,
            (BarrierOp::Red, Some(BarrierReduction::And)) => BarrierRed::And,
            (BarrierOp::Red, Some(BarrierReduction::Or)) => BarrierRed::Or,
            (BarrierOp::Red, None) => return self.form("a reduction is missing"),
        };
        let p = self.src(i, i.srcs.len() - 1, Ty::Pred)?;
        let value = self.op(Op::BarrierRed { op, aligned }, &[id, count, p]);
        if op == BarrierRed::Popc {
            return self.def(i, value);
        }
        let zero = self.constant(Ty::B32, 0);
        let value = self.op(
            Op::ICmp {
                w: Int::I32,
                cmp: IntCmp::Ne,
            },
            &[value, zero],
        );
        self.dst(i.dsts.first(), value, Sign::Unsigned)
    }
}
