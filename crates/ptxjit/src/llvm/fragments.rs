//! Calls of routines ([`super::routine`]): where the fragments of matrices lie between them.
//!
//! What a routine makes lies in memory, and stays there for the routines of the same block that read it: a fragment has a
//! room, which is taken again when its last reader has run; a sum that is read for the last time makes room for the new
//! one, which takes its place. What other code reads is loaded where it was made.

use super::build::{Icmp, T, V};
use super::emit::{Done, Gen, Mask};
use super::memory::Address;
use super::routine::{self, Layout};
use crate::ir::matrix::{Routine, Transfer};
use crate::ir::{Block, Func, Id, Inst, Op, Space, Value};
use std::collections::{HashMap, HashSet};

/// Registers of a room, and their bits.
type Size = (usize, u32);

/// A place for a fragment.
struct Room {
    at: V,
    size: Size,
    /// What lies there; nothing if nobody can read it again.
    values: Vec<Value>,
    /// It can be taken.
    free: bool,
}

/// The fragments of a block.
#[derive(Default)]
pub(super) struct Fragments {
    /// The block, once a routine is called there.
    block: Option<usize>,
    /// The number of each call.
    order: HashMap<Inst, usize>,
    /// The last call that reads a value.
    last: HashMap<Value, usize>,
    /// Values that other code reads.
    read: HashSet<Value>,
    /// Room and register of a value.
    places: HashMap<Value, (usize, usize)>,
    rooms: Vec<Room>,
}

impl Fragments {
    /// Nothing that was made before can be read from now on.
    pub(super) fn forget(&mut self) {
        self.block = None;
        self.places.clear();
        for room in &mut self.rooms {
            room.values.clear();
            room.free = true;
        }
    }

    /// The room in which a group of values lies.
    fn room_of(&self, group: &[Value]) -> Option<usize> {
        let &(room, 0) = self.places.get(group.first()?)? else {
            return None;
        };
        let here = |(n, v): (usize, &Value)| self.places.get(v) == Some(&(room, n));
        (group.iter().enumerate().all(here) && self.rooms[room].values == group).then_some(room)
    }

    /// Whether nobody reads what lies in a room after a call.
    fn ends(&self, room: usize, call: usize) -> bool {
        let done = |v: &Value| self.last.get(v).is_none_or(|&last| last <= call);
        self.rooms[room].values.iter().all(done)
    }

    fn empty(&mut self, room: usize) {
        for v in std::mem::take(&mut self.rooms[room].values) {
            self.places.remove(&v);
        }
    }
}

impl Gen<'_, '_> {
    /// The routine that a call means.
    fn routine_of(&self, inst: Inst) -> Option<Routine> {
        match self.f.insts[inst].op {
            Op::Call { func, .. } => self.module.functions[func].routine,
            _ => None,
        }
    }

    /// Finds who reads what in the block at hand.
    fn look_ahead(&mut self) {
        if self.fragments.block == Some(self.block) {
            return;
        }
        self.fragments.forget();
        let mut found = std::mem::take(&mut self.fragments);
        found.block = Some(self.block);
        found.order.clear();
        found.last.clear();
        found.read.clear();
        let data = &self.f.blocks[Block::from_index(self.block)];
        for &inst in &data.insts {
            if self.routine_of(inst).is_some() {
                let number = found.order.len();
                found.order.insert(inst, number);
                found
                    .last
                    .extend(self.f.args(inst).iter().map(|&v| (v, number)));
            } else {
                found.read.extend(self.f.uses(inst));
            }
        }
        found.read.extend(data.term.operands());
        found.read.extend(data.term.edges().flat_map(|e| &e.args));
        self.fragments = found;
    }

    fn take_room(&mut self, size: Size) -> usize {
        let free = |room: &Room| room.free && room.size == size;
        let found = self.fragments.rooms.iter().position(free);
        let room = found.unwrap_or_else(|| {
            let (registers, bits) = size;
            let elem = self.b.int(bits);
            let t = self.b.array(self.b.vec(elem, 32), registers as u64);
            let at = self.in_prologue(|g| g.b.alloca(t, 64));
            let (values, free) = (Vec::new(), true);
            self.fragments.rooms.push(Room {
                at,
                size,
                values,
                free,
            });
            self.fragments.rooms.len() - 1
        });
        self.fragments.rooms[room].free = false;
        room
    }

    /// Where a group of operands lies, copied there if it does not.
    fn room_with(&mut self, group: &[Value]) -> usize {
        if let Some(room) = self.fragments.room_of(group) {
            return room;
        }
        let bits = self.f.ty(group[0]).bits();
        let room = self.take_room((group.len(), bits));
        let at = self.fragments.rooms[room].at;
        for (n, &value) in (0i64..).zip(group) {
            let place = self.b.offset(at, n * i64::from(bits) * 4);
            if let Some(&(other, register)) = self.fragments.places.get(&value) {
                let from = self.fragments.rooms[other].at;
                let offset = i64::try_from(register).unwrap_or(0) * i64::from(bits) * 4;
                let t = self.vt(self.b.int(bits));
                self.copy_home(t, self.b.offset(from, offset), place);
            } else {
                let v = self.vector(value);
                self.b.store(v, place, 64);
            }
        }
        let mut seen = HashSet::new();
        let distinct = group
            .iter()
            .all(|&v| self.f.as_const(v).is_none() && seen.insert(v));
        if distinct && group.iter().all(|v| !self.fragments.places.contains_key(v)) {
            self.hold(room, group);
        }
        room
    }

    fn hold(&mut self, room: usize, values: &[Value]) {
        self.fragments.rooms[room].values = values.to_vec();
        let places = values.iter().enumerate().map(|(n, &v)| (v, (room, n)));
        self.fragments.places.extend(places);
    }

    /// Calls a routine.
    pub(super) fn routine(
        &mut self,
        func: Func,
        routine: Routine,
        results: &[Value],
        args: &[Value],
        inst: Inst,
    ) -> Done {
        self.look_ahead();
        let call = self
            .fragments
            .order
            .get(&inst)
            .copied()
            .unwrap_or(usize::MAX);
        let groups: Vec<&[Value]> = match routine {
            Routine::Product(product) => {
                let [a, b, ..] = product.registers();
                vec![&args[..a], &args[a..a + b], &args[a + b..]]
            }
            Routine::Transfer(Transfer { stores: true, .. }) => vec![&args[2..]],
            Routine::Transfer(_) => Vec::new(),
        };
        let matrix = match routine {
            Routine::Product(_) => None,
            Routine::Transfer(transfer) => Some(self.matrix(&transfer, args)),
        };
        let rooms: Vec<usize> = groups.iter().map(|group| self.room_with(group)).collect();
        let mut made = None;
        if let Some(&first) = results.first() {
            let size = (results.len(), self.f.ty(first).bits());
            // The sums of before, if this is the last that is heard of them.
            let old = rooms.get(2).copied().filter(|&room| {
                self.fragments.rooms[room].size == size
                    && self.fragments.ends(room, call)
                    && !rooms[..2].contains(&room)
            });
            let room = old.unwrap_or_else(|| self.take_room(size));
            made = Some(room);
        }
        let (function, ty) = self.routine_function(func, &routine);
        let at = |room: usize| self.fragments.rooms[room].at;
        let mut values = Vec::new();
        match matrix {
            None => values.extend(made.map(at)),
            Some(matrix) => values.extend(matrix),
        }
        values.extend(rooms.iter().map(|&room| at(room)));
        if matrix.is_some() {
            values.extend(made.map(at));
        }
        self.b.call(ty, function, &values);
        for &room in &rooms {
            if Some(room) == made {
                self.fragments.empty(room);
            } else if self.fragments.ends(room, call) {
                self.fragments.empty(room);
                self.fragments.rooms[room].free = true;
            }
        }
        let Some(room) = made else {
            return Ok(());
        };
        self.hold(room, results);
        let at = self.fragments.rooms[room].at;
        for (n, &r) in (0i64..).zip(results) {
            if self.fragments.read.contains(&r) || self.is_read_elsewhere(r) {
                let bits = self.f.ty(r).bits();
                let t = self.vt(self.b.int(bits));
                let v = self
                    .b
                    .load(t, self.b.offset(at, n * i64::from(bits) * 4), 64);
                self.set(r, v);
            }
        }
        if self.fragments.ends(room, call) {
            self.fragments.empty(room);
            self.fragments.rooms[room].free = true;
        }
        Ok(())
    }

    fn routine_function(&mut self, func: Func, routine: &Routine) -> (V, T) {
        if let Some(&known) = self.callees.get(&func) {
            return known;
        }
        let ty = routine::signature(&self.b, routine);
        let function = self.b.function(&routine::name(routine), ty);
        self.b.hidden(function);
        self.b.attribute(function, None, "nounwind");
        self.callees.insert(func, (function, ty));
        (function, ty)
    }

    /// Where a matrix lies, and its stride.
    fn matrix(&mut self, transfer: &Transfer, args: &[Value]) -> [V; 2] {
        let i64 = self.b.i64;
        let layout = Layout::of(transfer);
        let (bytes, elements) = layout.alignment();
        let (mask, loc) = (self.mask, self.at);
        let base = self.of_warp(args[0], mask);
        let stride = self.of_warp(args[1], mask);
        let p = match transfer.space {
            Space::Shared => {
                let window = self.shared_base();
                let base = self.b.sext(base, i64);
                self.b.gep8(window, base)
            }
            _ => self.b.bitcast(base, self.b.ptr),
        };
        self.at = loc;
        self.check_alignment(&Address::Uniform(p), bytes, mask);
        let stride = self.b.zext(stride, i64);
        if elements > 1 {
            // Of an odd one, the second line is not where a register can be read.
            let rest = self.b.and(stride, self.b.c(i64, u64::from(elements - 1)));
            if self.b.as_int(rest) != Some(0) {
                let odd = self.b.icmp(Icmp::LLVMIntNE, rest, self.b.c(i64, 0));
                let second = self.b.gep8(p, self.b.zext(odd, i64));
                self.check_alignment(&Address::Uniform(second), bytes, mask);
            }
        }
        let stride = match layout.bytes() {
            Some(bytes) => self.b.mul(stride, self.b.c(i64, bytes.into())),
            None => stride,
        };
        [p, stride]
    }

    /// A value that all lanes of the warp have.
    fn of_warp(&mut self, value: Value, mask: Mask) -> V {
        if self.uniform(value) {
            return self.scalar(value);
        }
        let v = self.vector(value);
        let lane = self.last_lane(mask);
        self.b.extract_at(v, lane)
    }
}
