//! Rows that some lanes change after all have read them, as sorting networks and relaxations do: what the other lanes read
//! goes back with what is new, as a whole register. Stores of single lanes are slow on AVX2.
//!
//! Nobody may tell the difference. Each thread rewrites only what it has read itself, with no barrier in between; a store
//! of another thread to that place would be unordered. And so that programs which do such things anyway keep their
//! results, this is for kernels all of whose stores to global memory are rows that lie elsewhere for each block: no thread
//! writes to what is another's.

use super::build::{Icmp, V};
use super::emit::{Gen, Mask};
use super::memory::contiguous;
use super::shape::{Shape, UNIFORM};
use super::target::Level;
use crate::ir::special::Special;
use crate::ir::{Access, Block, Id, Inst, Op, Order, Props, Space, Value, ValueDef};
use std::collections::BTreeSet;

/// What lanes have read of a row that they now store to.
pub(super) struct Known {
    /// What they read.
    old: V,
    /// Which lanes, bit by bit.
    lanes: V,
}

/// How the registers of a row are stored.
pub(super) struct Registers<'f, 'g> {
    /// Where one goes.
    pub(super) place: &'f dyn Fn(&mut Gen<'_, 'g>, u32) -> V,
    /// What comes to lie there.
    pub(super) turned: &'f dyn Fn(&mut Gen<'_, 'g>, V) -> V,
    /// Stores those lanes of one that the mask names.
    pub(super) some: &'f dyn Fn(&mut Gen<'_, 'g>, u32),
}

fn is_global(access: &Access) -> bool {
    matches!(access.space, Space::Global | Space::Generic)
}

impl<'g> Gen<'_, 'g> {
    /// What the lanes of a store to the row at `p` have read of it, if that is known.
    pub(super) fn known_row(&mut self, store: Inst, access: &Access, p: V) -> Option<Known> {
        let fits = self.level == Level::Avx2
            && access.lanes == 1
            && matches!(access.bytes(), 4 | 8)
            && access.order == Order::Weak
            && is_global(access)
            && self.w * access.bytes() >= 32
            && !self.straight
            && self.lane.is_none()
            && !self.plan.dispatch;
        if !fits || !self.stores_rows_only() {
            return None;
        }
        let (load, between) = self.read_before(store, access)?;
        let (_, from) = load;
        let value = self.f.result(load.0)?;
        if !self.readable(value) {
            return None;
        }
        // Rows written meanwhile must be others.
        let row = i64::from(self.w * access.bytes());
        let i64 = self.b.i64;
        let mut apart: Option<V> = None;
        for other in between {
            let q = *self.rows_at.get(&other)?;
            let (p, q) = (self.b.bitcast(p, i64), self.b.bitcast(q, i64));
            let by = self.b.sub(p, q);
            // 8 bytes an element at most.
            let most = row.cast_unsigned().max(u64::from(self.w) * 8);
            let shifted = self.b.add(by, self.b.c(i64, most - 1));
            let limit = self.b.c(i64, 2 * most - 1);
            let is = self.b.icmp(Icmp::LLVMIntUGE, shifted, limit);
            apart = Some(match apart {
                Some(all) => self.b.and(all, is),
                None => is,
            });
        }
        let mask = if from == self.block {
            self.mask
        } else {
            self.mask_of_block(from)
        };
        let mut lanes = self.mask_bits(mask);
        if let Some(apart) = apart {
            let none = self.b.c(self.b.type_of(lanes), 0);
            lanes = self.b.select(apart, lanes, none);
        }
        let t = self.home_type(value);
        let old = self.vector_as(value, t);
        Some(Known { old, lanes })
    }

    /// Notes where a store's row lies.
    pub(super) fn note_row(&mut self, store: Inst, p: V) {
        self.rows_at.insert(store, p);
    }

    /// Whether nothing in the kernel writes to global memory but rows of elements.
    fn stores_rows_only(&mut self) -> bool {
        if let Some(known) = self.rows_only {
            return known;
        }
        let blocks = self.flow.order.iter();
        let mut insts = blocks.flat_map(|&b| &self.f.blocks[Block::from_index(b)].insts);
        let only = insts.all(|&i| match self.f.insts[i].op {
            Op::Store { access } => {
                let at = self.f.args(i)[0];
                access.order == Order::Weak
                    && (!is_global(&access)
                        || self.is_of_this_block(at)
                            && match self.plan.shapes.shape(at) {
                                UNIFORM => false,
                                Shape::Affine(pattern) => {
                                    contiguous(&self.plan.shapes.patterns[pattern], access.bytes())
                                }
                                Shape::Varying | Shape::Bottom => self.is_exchanged(at, &access),
                            })
            }
            Op::Load { access } => access.order == Order::Weak,
            Op::Barrier { .. } => true,
            op => !op.props().intersects(Props::EFFECT.union(Props::SUSPENDS)),
        });
        self.rows_only = Some(only);
        only
    }

    /// Whether an address is a sum in which a multiple of the block's number stands, as that of a thread's own element is.
    fn is_of_this_block(&self, at: Value) -> bool {
        let (mut work, mut seen) = (vec![at], BTreeSet::new());
        while let Some(value) = work.pop() {
            if !seen.insert(value) {
                continue;
            }
            let inst = match self.f.values[value].def {
                ValueDef::Param(block, place) => {
                    work.extend(self.flow.given(self.f, block, place));
                    continue;
                }
                ValueDef::Inst(inst, _) => inst,
                ValueDef::Const(_) | ValueDef::Undef => continue,
            };
            match self.f.insts[inst].op {
                Op::Special {
                    reg: Special::CtaIdX | Special::CtaIdY | Special::CtaIdZ,
                } => return true,
                Op::Add { .. }
                | Op::Sub { .. }
                | Op::Mul { .. }
                | Op::MulWide { .. }
                | Op::Or { .. }
                | Op::Xor { .. }
                | Op::Zext { .. }
                | Op::Sext { .. } => work.extend(self.f.args(inst)),
                Op::Shl { .. } => work.push(self.f.args(inst)[0]),
                _ => {}
            }
        }
        false
    }

    /// The load of what a store overwrites, with its block, and the stores in between.
    fn read_before(&self, store: Inst, access: &Access) -> Option<((Inst, usize), Vec<Inst>)> {
        let f = self.f;
        let at = f.args(store)[0];
        let is_load = |i: Inst| {
            let same = |a: &Access| {
                (a.space, a.offset, a.elem, a.lanes)
                    == (access.space, access.offset, access.elem, access.lanes)
            };
            matches!(&f.insts[i].op, Op::Load { access } if same(access))
                && f.args(i)[0] == at
                && f.insts[i].guard.is_none()
        };
        let writes = |i: Inst| match f.insts[i].op {
            Op::Store { access } => is_global(&access),
            op => op.props().intersects(Props::EFFECT.union(Props::SUSPENDS)),
        };
        let insts = |b: usize| &f.blocks[Block::from_index(b)].insts;
        // In this block: other rows may be written.
        let here = insts(self.block).iter().position(|&i| i == store)?;
        let mut between = Vec::new();
        for &i in insts(self.block)[..here].iter().rev() {
            if is_load(i) {
                return Some(((i, self.block), between));
            }
            if writes(i) {
                if !matches!(f.insts[i].op, Op::Store { .. }) {
                    return None;
                }
                between.push(i);
            }
        }
        // In a block that dominates it, on the same round of the same loop.
        let mut from = self.block;
        let (load, from) = loop {
            if from == f.entry.index() {
                return None;
            }
            from = self.flow.idom[from];
            if let Some(&load) = insts(from).iter().rev().find(|&&i| is_load(i)) {
                break (load, from);
            }
        };
        if self.flow.loop_of[from] != self.flow.loop_of[self.block] {
            return None;
        }
        let after = insts(from).iter().rev().take_while(|&&i| i != load);
        if after.copied().any(writes) {
            return None;
        }
        let mut seen = BTreeSet::from([from, self.block]);
        let mut work: Vec<usize> = self.flow.preds[self.block].clone();
        while let Some(b) = work.pop() {
            if seen.insert(b) {
                if insts(b).iter().copied().any(writes) {
                    return None;
                }
                work.extend(&self.flow.preds[b]);
            }
        }
        Some(((load, from), between))
    }

    /// Stores some lanes of a row: registers all of whose lanes are known go as a whole.
    pub(super) fn store_known(
        &mut self,
        known: &Known,
        value: V,
        size: u32,
        m: V,
        registers: &Registers<'_, 'g>,
    ) {
        let lanes = 32 / size;
        let t = self.b.type_of(known.lanes);
        let old = self.b.bitcast(known.old, self.b.type_of(value));
        let row = self.blend(Mask::Some(m), value, old);
        for k in 0..self.w / lanes {
            let whole = self.b.c(t, ((1 << lanes) - 1) << (k * lanes));
            let mine = self.b.and(known.lanes, whole);
            let all = self.b.icmp(Icmp::LLVMIntEQ, mine, whole);
            self.either_way(
                all,
                |g| {
                    let part = g.b.part(row, k * lanes, lanes);
                    let part = (registers.turned)(g, part);
                    let p = (registers.place)(g, k);
                    g.b.store(part, p, size);
                },
                |g| (registers.some)(g, k),
            );
        }
    }

    /// A contiguous store of the lanes of a mask to a row of which something is known.
    pub(super) fn store_known_row(&mut self, known: &Known, p: V, value: V, size: u32, m: V) {
        let lanes = 32 / size;
        let (name, elem) = if size == 4 {
            ("llvm.x86.avx2.maskstore.d.256", self.b.i32)
        } else {
            ("llvm.x86.avx2.maskstore.q.256", self.b.i64)
        };
        let value = self.b.bitcast(value, self.vt(elem));
        let registers = Registers {
            place: &|g, k| g.b.offset(p, i64::from(k * 32)),
            turned: &|_, part| part,
            some: &|g, k| {
                let m = g.mask_part(m, k * lanes, lanes, elem);
                let q = g.b.offset(p, i64::from(k * 32));
                let part = g.b.part(value, k * lanes, lanes);
                g.b.intrinsic(name, &[], &[q, m, part]);
            },
        };
        self.store_known(known, value, size, m, &registers);
    }

    /// The lanes that ran a block of the same round.
    fn mask_of_block(&mut self, b: usize) -> Mask {
        self.mask_under(self.plan.leader[b])
    }

    /// Whether an address is exchanged lanes' ([`super::butterfly`]).
    fn is_exchanged(&self, at: Value, access: &Access) -> bool {
        access.lanes == 1 && self.exchanged(at, false).is_some()
    }
}
