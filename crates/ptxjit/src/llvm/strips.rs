//! Values that live across barriers: while the other strips of a block run, each strip's are kept in storage by strip.

use super::build::V;
use super::emit::Gen;
use super::homes::Input;
use crate::ir::{Id, Ty, Value, ValueDef};

impl Gen<'_, '_> {
    /// Starts over with new slots: what earlier regions made is in per-strip storage.
    pub fn forget_values(&mut self) {
        self.cache.clear();
        self.natural.clear();
        self.fragments.forget();
        let shared: Vec<(Value, V)> = self
            .block_shared
            .iter()
            .filter_map(|v| Some((*v, *self.value_slots.get(v)?)))
            .collect();
        self.value_slots.clear();
        self.value_slots.extend(shared);
        self.param_slots.clear();
        self.out_slots.clear();
        self.mask_slots.clear();
        self.active_slots.clear();
    }

    /// Storage of a value per strip, for `count` strips.
    pub fn spill_place(&mut self, value: Value, count: u64) -> V {
        if let Some(&slot) = self.spills.get(&value) {
            return slot;
        }
        let t = self.b.array(self.storage_type(value), count);
        let slot = self.in_prologue(|g| g.b.alloca(t, 64));
        self.spills.insert(value, slot);
        slot
    }

    fn strip_place(&self, value: Value, storage: V) -> V {
        let strip = self.b.zext(self.strip, self.b.i64);
        self.b.gep(self.storage_type(value), storage, &[strip])
    }

    /// Keeps a value for the strip.
    pub fn save(&mut self, value: Value, storage: V) {
        self.save_as(value, value, storage);
    }

    /// Keeps sources as the block parameters that are registers of fragments: these lie where they are kept, so that all
    /// are read before any is written.
    pub(super) fn save_registers(&mut self, passed: &[(Value, Value)]) {
        let passed: Vec<_> = passed.iter().filter(|(to, from)| to != from).collect();
        let values: Vec<V> = passed
            .iter()
            .map(|&&(to, from)| self.argument(to, from))
            .collect();
        for (&&(to, _), v) in passed.iter().zip(values) {
            let place = self.slot(to);
            self.b.store(v, place, 64);
        }
    }

    /// Keeps `source` as the block parameter `value` for the strip.
    pub fn save_as(&mut self, value: Value, source: Value, storage: V) {
        if self.has_home(value)
            && self.f.ty(value) != Ty::Pred
            && let Input::Lane(home, _) = self.taken(source)
        {
            let p = self.strip_place(value, storage);
            self.copy_home(self.storage_type(value), home, p);
            return;
        }
        let v = self.argument(value, source);
        let p = self.strip_place(value, storage);
        self.b.store(v, p, self.align_of(value));
    }

    /// Brings a kept value back: into its slot, or into the slot of the block parameter that it is.
    pub fn restore(&mut self, value: Value, storage: V) {
        let t = self.storage_type(value);
        let p = self.strip_place(value, storage);
        if self.has_home(value) && self.f.ty(value) != Ty::Pred {
            let home = self.slot(value);
            self.copy_home(t, p, home);
            return;
        }
        let align = self.align_of(value);
        let v = self.b.load(t, p, align);
        let is_param = self.plan.defs[value.index()] == Some(self.block)
            && matches!(self.f.values[value].def, ValueDef::Param(..));
        let slot = if is_param {
            self.param_slot(value)
        } else {
            self.slot(value)
        };
        self.b.store(v, slot, align);
    }

    fn align_of(&self, value: Value) -> u32 {
        let t = self.storage_type(value);
        if self.b.lanes_of(t) > 1 {
            (self.b.lanes_of(t) * self.b.bits_of(t) / 8).clamp(1, 64)
        } else {
            4.min(self.b.bits_of(t).div_ceil(8))
        }
    }
}
