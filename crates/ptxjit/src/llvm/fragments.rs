//! Calls of routines ([`super::routine`]): where the fragments of matrices lie between them.
//!
//! What a routine makes lies in memory, and stays there for the routines of the same block that read it: a fragment has a
//! room, which is taken again when its last reader has run; a sum that is read for the last time makes room for the new
//! one, which takes its place. What other code reads is loaded where it was made.

use super::build::{Icmp, T, V};
use super::emit::{Done, Gen, Mask};
use super::flow::Flow;
use super::memory::{Address, space_number};
use super::plan::Plan;
use super::routine::{self, Layout};
use super::shape::Shape;
use crate::ir::matrix::{Routine, Transfer};
use crate::ir::{Access, Block, Func, Function, Id, Inst, Module, Op, Space, Ty, Value, ValueDef};
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
    /// Fragments with places of their own.
    lasting: Vec<Lasting>,
    /// Which of them a value belongs to, and its register.
    member: HashMap<Value, (usize, usize)>,
}

/// A fragment with a place of its own.
struct Lasting {
    values: Vec<Value>,
    bits: u32,
    /// Where it lies, by strip where the kernel falls apart at barriers.
    storage: Option<V>,
    /// Where it lies for the strip at hand.
    at: Option<V>,
}

impl Fragments {
    /// Finds the fragments that need places of their own.
    pub(super) fn find(
        &mut self,
        f: &Function,
        module: &Module,
        flow: &Flow,
        plan: &Plan,
        cross: &[bool],
    ) {
        if plan.dispatch {
            return;
        }
        let routine = |inst: Inst| match f.insts[inst].op {
            Op::Call { func, .. } => module.functions[func].routine,
            _ => None,
        };
        let fits = |v: Value| {
            let varies = matches!(plan.shapes.shape(v), Shape::Varying | Shape::Bottom);
            varies && !plan.outs.contains(&v) && matches!(f.ty(v), Ty::B32 | Ty::B64)
        };
        let mut add = |group: &[Value]| {
            let mut seen = HashSet::new();
            let free = |v: &Value| fits(*v) && !self.member.contains_key(v) && seen.insert(*v);
            if group.is_empty() || !group.iter().all(free) {
                return;
            }
            let number = self.lasting.len();
            let members = group.iter().enumerate().map(|(n, &v)| (v, (number, n)));
            self.member.extend(members);
            self.lasting.push(Lasting {
                values: group.to_vec(),
                bits: f.ty(group[0]).bits(),
                storage: None,
                at: None,
            });
        };
        for &b in &flow.order {
            for &inst in &f.blocks[Block::from_index(b)].insts {
                let Some(routine) = routine(inst) else {
                    continue;
                };
                let results: Vec<Value> = f.results(inst).collect();
                if results.iter().any(|v| cross[v.index()]) {
                    add(&results);
                }
                for group in groups(&routine, f.args(inst)) {
                    let of = |v: &Value| match f.values[*v].def {
                        ValueDef::Param(block, _) if block != f.entry => Some(block),
                        _ => None,
                    };
                    let block = group.first().and_then(of);
                    if block.is_some() && group.iter().all(|v| of(v) == block) {
                        add(group);
                    }
                }
            }
        }
    }

    /// Whether a value has a place of its own, of a fragment's.
    pub(super) fn lasts(&self, value: Value) -> bool {
        self.member.contains_key(&value)
    }

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

/// The groups of a routine's operands that are fragments.
fn groups<'v>(routine: &Routine, args: &'v [Value]) -> Vec<&'v [Value]> {
    match routine {
        Routine::Product(product) => {
            let [a, b, ..] = product.registers();
            vec![&args[..a], &args[a..a + b], &args[a + b..]]
        }
        Routine::Transfer(Transfer { stores: true, .. }) => vec![&args[2..]],
        Routine::Transfer(_) => Vec::new(),
    }
}

impl Gen<'_, '_> {
    /// Gives the fragments that a region starts with or makes places for the strip at hand, of `count` strips.
    pub(super) fn fragments_of_strip(
        &mut self,
        live: &[Value],
        blocks: &HashSet<usize>,
        count: u64,
    ) {
        for n in 0..self.fragments.lasting.len() {
            let this = &self.fragments.lasting[n];
            let here = |v: &Value| {
                live.binary_search(v).is_ok()
                    || self.plan.defs[v.index()].is_some_and(|d| blocks.contains(&d))
            };
            if !this.values.iter().any(here) {
                self.fragments.lasting[n].at = None;
                continue;
            }
            let (registers, bits) = (this.values.len() as u64, this.bits);
            let one = self.b.array(self.b.vec(self.b.int(bits), 32), registers);
            let storage = match this.storage {
                Some(known) => known,
                None => {
                    let t = self.b.array(one, count);
                    self.in_prologue(|g| g.b.alloca(t, 64))
                }
            };
            let strip = self.b.zext(self.strip, self.b.i64);
            let at = self.b.gep(one, storage, &[strip]);
            let this = &mut self.fragments.lasting[n];
            (this.storage, this.at) = (Some(storage), Some(at));
        }
    }

    /// Where a fragment lies that has a place of its own.
    fn lasting_place(&mut self, number: usize) -> V {
        let this = &self.fragments.lasting[number];
        if let Some(at) = this.at {
            return at;
        }
        let (registers, bits) = (this.values.len() as u64, this.bits);
        let t = self.b.array(self.b.vec(self.b.int(bits), 32), registers);
        let at = self.in_prologue(|g| g.b.alloca(t, 64));
        self.fragments.lasting[number].at = Some(at);
        at
    }

    /// Where a value lies that is a register of such a fragment.
    pub(super) fn register_place(&mut self, value: Value) -> Option<V> {
        if self.w == 1 {
            return None;
        }
        let &(number, register) = self.fragments.member.get(&value)?;
        let bytes = i64::from(self.fragments.lasting[number].bits) * 4;
        let at = self.lasting_place(number);
        Some(
            self.b
                .offset(at, i64::try_from(register).unwrap_or(0) * bytes),
        )
    }

    /// The place of a group of values that are such a fragment.
    fn lasting_group(&mut self, group: &[Value]) -> Option<V> {
        let &(number, 0) = self.fragments.member.get(group.first()?)? else {
            return None;
        };
        (self.fragments.lasting[number].values == group).then(|| self.lasting_place(number))
    }

    /// The routine that a call means.
    fn routine_of(&self, inst: Inst) -> Option<Routine> {
        match self.f.insts[inst].op {
            Op::Call { func, .. } => self.module.functions[func].routine,
            _ => None,
        }
    }

    /// Sets the place of the code of an instruction. Products have none: they do not stop, and lines take room in images.
    pub(super) fn place_of(&mut self, inst: Inst) {
        if !matches!(self.routine_of(inst), Some(Routine::Product(_))) {
            self.place(self.f.insts[inst].loc, 0, 0, 0);
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
        let matrix = match routine {
            Routine::Product(_) => None,
            Routine::Transfer(transfer) => Some(self.matrix(&transfer, args)),
        };
        // Operands that have places of their own, or rooms.
        let mut operands = Vec::new();
        let mut rooms = Vec::new();
        for group in groups(&routine, args) {
            let lasting = self.lasting_group(group);
            let room = match lasting {
                Some(_) => None,
                None => Some(self.room_with(group)),
            };
            operands.push(lasting);
            rooms.push(room);
        }
        let lasting = self.lasting_group(results);
        let mut made = None;
        if let (None, Some(&first)) = (lasting, results.first()) {
            let size = (results.len(), self.f.ty(first).bits());
            // The sums of before, if this is the last that is heard of them.
            let old = rooms.get(2).copied().flatten().filter(|&room| {
                self.fragments.rooms[room].size == size
                    && self.fragments.ends(room, call)
                    && !rooms[..2].contains(&Some(room))
            });
            made = Some(old.unwrap_or_else(|| self.take_room(size)));
        }
        let (function, ty) = self.routine_function(func, &routine);
        let at = |room: usize| self.fragments.rooms[room].at;
        let given = operands
            .iter()
            .zip(&rooms)
            .filter_map(|(&p, room)| p.or(room.map(at)));
        let new = lasting.or(made.map(at));
        let values: Vec<V> = match matrix {
            None => new.into_iter().chain(given).collect(),
            Some(matrix) => matrix.into_iter().chain(given).chain(new).collect(),
        };
        if let Routine::Transfer(transfer) = routine {
            let (bytes, _) = Layout::of(&transfer).alignment();
            let access = if transfer.stores { 2 } else { 1 };
            let space = space_number(transfer.space);
            self.place(self.f.insts[inst].loc, bytes, space, access);
        }
        self.b.call(ty, function, &values);
        for room in rooms.into_iter().flatten() {
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
        let elem = Ty::of_bits(8 * bytes).unwrap_or(Ty::B32);
        let access = Access::weak(transfer.space, elem);
        let root = self.root(args[0], bytes);
        self.check_once(root, &access, &Address::Uniform(p), mask);
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

    /// What an address is a multiple of some bytes away from.
    fn root(&self, address: Value, bytes: u32) -> Value {
        let f = self.f;
        let mut root = address;
        for _ in 0..8 {
            let Some(inst) = f
                .def_inst(root)
                .filter(|&i| matches!(f.insts[i].op, Op::Add { .. }))
            else {
                break;
            };
            let args = f.args(inst);
            let even = |v: Value| {
                f.as_const(v)
                    .is_some_and(|c| c.is_multiple_of(bytes.into()))
            };
            root = match (even(args[0]), even(args[1])) {
                (_, true) => args[0],
                (true, _) => args[1],
                _ => break,
            };
        }
        root
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
