//! The general form of control flow: each block keeps the lanes that wait to enter it, and a sweep over the blocks runs
//! each with the lanes that it has, until none is left.
//!
//! It serves control flow with several entries to a cycle, and loops in which lanes of one warp wait for each other: a
//! lane that has left such a loop goes on while others go round. Blocks with operations of the whole warp wait until
//! no other block has lanes, and then only the first of them in layout order runs: the lanes that it sends elsewhere
//! come to the next meeting place before that place runs. Barriers of the block come last of all: they count whole warps.

use super::build::{Bb, Icmp, V};
use super::emit::{Done, Gen, Mask, Unsupported};
use crate::ir::{Block, Edge, Function, Id, Op, Props, Terminator};

/// Sweeps with lanes that still go round after which lanes at meeting places may go on without them: those may be what
/// the others wait for.
const PATIENCE: u64 = 64;

/// Whether lanes must come together for an operation. The driver's functions (printf, malloc) serve any lanes.
fn joins(op: &Op) -> bool {
    op.props().contains(Props::CONVERGENT)
        && !matches!(op, Op::CallBuiltin { .. } | Op::CallRuntime { .. })
}

/// Parts blocks before the operations for which lanes meet, where something comes before that others may wait for.
pub(super) fn part_at_meetings(f: &mut Function) {
    let mut next = 0u32;
    while let Some(data) = f.blocks.get(Block(next)) {
        let mut effect = false;
        let at = data.insts.iter().position(|&i| {
            let op = &f.insts[i].op;
            let here = effect && joins(op);
            effect |= op.props().contains(Props::EFFECT);
            here
        });
        if let Some(at) = at {
            let tail = f.add_block();
            let head = &mut f.blocks[Block(next)];
            let rest = head.insts.split_off(at);
            let term = std::mem::replace(&mut head.term, Terminator::Jump(Edge::to(tail)));
            let loc = head.term_loc;
            let tail = &mut f.blocks[tail];
            tail.insts = rest;
            tail.term = term;
            tail.term_loc = loc;
        }
        next += 1;
    }
}

impl Gen<'_, '_> {
    /// Generates the whole function; control leaves to `end` when no lane is left.
    pub(super) fn dispatch_region(&mut self, end: Bb) -> Done {
        let mut order = self.flow.order.clone();
        let entry = self.f.entry.index();
        let first = self.mask_value(self.entry_mask);
        self.add_lanes(entry, first);
        if self.plan.first == Some(entry) && !self.meets(entry) {
            order.retain(|&b| b != entry);
            self.take_mask(entry);
            self.begin_block(entry);
            self.instructions(entry, false)?;
            let next = self.b.block(self.function);
            self.leave(entry, next)?;
            self.b.at(next);
        }
        let i32 = self.b.i32;
        let zero = self.b.c(i32, 0);
        let turns = self.alloca(i32);
        self.b.store(zero, turns, 4);
        let (now, later): (Vec<usize>, Vec<usize>) =
            order.into_iter().partition(|&b| !self.meets(b));
        let (barriers, later): (Vec<usize>, Vec<usize>) =
            later.into_iter().partition(|&b| self.meets_block(b));
        let (plain, meeting) = (self.b.block(self.function), self.b.block(self.function));
        self.b.br(plain);
        self.b.at(plain);
        let after_plain = self.sweep(&now, None)?;
        self.b.at(after_plain);
        let again = self.waiting(&now);
        let yielding = self.b.block(self.function);
        self.b.cond(again, yielding, meeting);
        self.b.at(yielding);
        if !self.spin_headers.is_empty() {
            self.yield_now();
        }
        let partial: Vec<usize> = later
            .iter()
            .copied()
            .filter(|&b| self.meets_in_part(b))
            .collect();
        if partial.is_empty() {
            self.b.br(plain);
        } else {
            let turn = self.b.load(i32, turns, 4);
            let turn = self.b.add(turn, self.b.c(i32, 1));
            self.b.store(turn, turns, 4);
            let low = self.b.and(turn, self.b.c(i32, PATIENCE - 1));
            let go = self.b.icmp(Icmp::LLVMIntEQ, low, zero);
            let impatient = self.b.block(self.function);
            self.b.cond(go, impatient, plain);
            self.b.at(impatient);
            let after = self.sweep(&partial, Some(plain))?;
            self.b.at(after);
            self.b.br(plain);
        }
        self.b.at(meeting);
        let after_meeting = self.sweep(&later, Some(plain))?;
        self.b.at(after_meeting);
        let done = self.sweep(&barriers, Some(plain))?;
        self.b.at(done);
        self.b.br(end);
        Ok(())
    }

    /// Whether a block has operations for which lanes must meet.
    fn meets(&self, block: usize) -> bool {
        self.f.blocks[Block::from_index(block)]
            .insts
            .iter()
            .any(|&i| joins(&self.f.insts[i].op))
    }

    /// Whether a block has a barrier.
    fn meets_block(&self, block: usize) -> bool {
        self.f.blocks[Block::from_index(block)]
            .insts
            .iter()
            .any(|&i| {
                matches!(
                    self.f.insts[i].op,
                    Op::Barrier { .. } | Op::BarrierArrive { .. } | Op::BarrierRed { .. }
                )
            })
    }

    /// Whether the first operation at which lanes meet is not, by a constant, one of the whole warp.
    fn meets_in_part(&self, block: usize) -> bool {
        let insts = &self.f.blocks[Block::from_index(block)].insts;
        let first = insts.iter().find(|&&i| joins(&self.f.insts[i].op));
        first.is_some_and(|&i| {
            matches!(self.f.insts[i].op, Op::ActiveMask | Op::Call { .. })
                || self
                    .f
                    .args(i)
                    .last()
                    .is_some_and(|&members| self.f.as_const(members).is_none())
        })
    }

    /// Whether one of the blocks has lanes.
    fn waiting(&mut self, blocks: &[usize]) -> V {
        let t = self.mask_type();
        let mut all = self.b.zero(t);
        for &b in blocks {
            let slot = self.mask_slot(b);
            let m = self.b.load(t, slot, 64);
            all = self.b.or(all, m);
        }
        self.any(Mask::Some(all))
    }

    /// Runs each block that has lanes, in order; with `then`, only the first that has some, and control goes there.
    /// Returns where control goes when no block (more) has lanes.
    fn sweep(&mut self, blocks: &[usize], then: Option<Bb>) -> Result<Bb, Unsupported> {
        for &b in blocks {
            let (body, next) = (self.b.block(self.function), self.b.block(self.function));
            self.block = b;
            let t = self.mask_type();
            let slot = self.mask_slot(b);
            let m = self.b.load(t, slot, 64);
            let any = self.any(Mask::Some(m));
            self.b.cond(any, body, next);
            self.b.at(body);
            self.take_mask(b);
            self.begin_block(b);
            self.instructions(b, false)?;
            self.leave(b, then.unwrap_or(next))?;
            self.b.at(next);
        }
        let end = self.b.block(self.function);
        self.b.br(end);
        Ok(end)
    }

    fn leave(&mut self, b: usize, next: Bb) -> Done {
        let f = self.f;
        let data = &f.blocks[Block::from_index(b)];
        self.place(data.term_loc, 0, 0, 0);
        let mask = self.mask;
        match &data.term {
            Terminator::Trap(what) => {
                self.stop(*what);
                return Ok(());
            }
            Terminator::Unreachable => {}
            Terminator::Exit => self.no_exit()?,
            Terminator::Return(values) => self.give_back(values),
            Terminator::Jump(edge) => self.edge(b, edge, mask),
            Terminator::Branch {
                cond, then, other, ..
            } => {
                let p = self.lane_pred(*cond);
                let (yes, no) = (self.mask_and(mask, p), self.mask_and_not(mask, p));
                self.edge(b, then, yes);
                self.edge(b, other, no);
            }
            Terminator::Switch { index, table, .. } => {
                let v = self.vector(*index);
                let mut rest = mask;
                for (i, edge) in table.iter().enumerate() {
                    if i + 1 == table.len() {
                        self.edge(b, edge, rest);
                        break;
                    }
                    let p = self.b.icmp(
                        super::build::Icmp::LLVMIntEQ,
                        v,
                        self.b.c(self.vt(self.b.i32), i as u64),
                    );
                    let m = self.mask_and(rest, p);
                    self.edge(b, edge, m);
                    rest = self.mask_and_not(rest, p);
                }
            }
        }
        self.b.br(next);
        Ok(())
    }
}
