//! Where a block that owns a mask is surely entered by all lanes.
//!
//! Where lanes are consecutive, a test of bounds holds for all of them if it holds for the outermost: one scalar
//! comparison instead of vectors that are folded to a bit. What it says is only ever "surely all"; where it does not,
//! the lanes are looked at one by one.

use super::build::V;
use super::emit::{Gen, Mask};
use crate::ir::{Edge, Id, Value};

impl Gen<'_, '_> {
    /// Notes where a block that owns a mask is entered by all lanes, if scalars can tell: they come by this edge alone.
    pub(super) fn note_all(&mut self, block: usize, edge: &Edge, cond: Value, wanted: bool) {
        let to = edge.block.index();
        let key = (to, self.full.len());
        self.known_all.remove(&key);
        if self.keeps_lanes()
            || !matches!(self.mask, Mask::Full)
            || !self.plan.own[to]
            || self.flow.preds[to] != [block]
        {
            return;
        }
        if let Some(all) = self.surely_all(cond, wanted) {
            let slot = self.alloca(self.b.i1);
            self.b.store(all, slot, 1);
            self.known_all.insert(key, slot);
        }
    }

    /// Whether the mask that a block has taken is full.
    pub(super) fn entered_by_all(&mut self, block: usize, mask: V) -> V {
        match self.known_all.remove(&(block, self.full.len())) {
            Some(slot) => self.b.load(self.b.i1, slot, 1),
            None => self.all(Mask::Some(mask)),
        }
    }
}
