//! The general form of control flow: each block keeps the lanes that wait to enter it, and a sweep over the blocks runs
//! each with the lanes that it has, until none is left.
//!
//! It serves control flow with several entries to a cycle, and loops in which lanes of one warp wait for each other: a
//! lane that has left such a loop goes on while others go round. Blocks with operations of the whole warp wait until
//! no other block has lanes, so that lanes come together there.

use super::build::{Bb, V};
use super::emit::{Done, Gen, Mask};
use crate::ir::{Block, Id, Props, Terminator};

impl Gen<'_, '_> {
    /// Generates the whole function; control leaves to `end` when no lane is left.
    pub(super) fn dispatch_region(&mut self, end: Bb) -> Done {
        let order = self.flow.order.clone();
        let entry = self.f.entry.index();
        let first = self.mask_value(self.entry_mask);
        self.add_lanes(entry, first);
        let (now, later): (Vec<usize>, Vec<usize>) =
            order.into_iter().partition(|&b| !self.meets(b));
        let (plain, meeting) = (self.b.block(self.function), self.b.block(self.function));
        self.b.br(plain);
        let after_plain = self.sweep(plain, &now)?;
        self.b.at(after_plain);
        let again = self.waiting(&now);
        let yielding = self.b.block(self.function);
        self.b.cond(again, yielding, meeting);
        self.b.at(yielding);
        if !self.spin_headers.is_empty() {
            self.yield_now();
        }
        self.b.br(plain);
        let after_meeting = self.sweep(meeting, &later)?;
        self.b.at(after_meeting);
        let mut all = now;
        all.extend(later);
        let again = self.waiting(&all);
        self.b.cond(again, plain, end);
        Ok(())
    }

    /// Whether a block has operations for which lanes must meet.
    fn meets(&self, block: usize) -> bool {
        self.f.blocks[Block::from_index(block)]
            .insts
            .iter()
            .any(|&i| self.f.insts[i].op.props().intersects(Props::CONVERGENT))
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

    /// Runs each block that has lanes, in order. Returns where control goes then.
    fn sweep(&mut self, start: Bb, blocks: &[usize]) -> Result<Bb, super::emit::Unsupported> {
        let mut at = start;
        for &b in blocks {
            let (body, next) = (self.b.block(self.function), self.b.block(self.function));
            self.b.at(at);
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
            self.leave(b, next)?;
            at = next;
        }
        Ok(at)
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
                let p = self.pred(*cond);
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
