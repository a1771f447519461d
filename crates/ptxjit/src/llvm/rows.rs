//! Four elements side by side for each lane, lanes anywhere: rows of 16 bytes, transposed, in place of four gathers.
//!
//! Threads that own neighbouring columns, or structures of four words, load these one after the other.

use super::build::V;
use super::emit::{Gen, Mask};
use super::memory::Address;
use super::target::Level;
use crate::ir::{Access, Block, Id, Inst, Op, Order, Props, Value};

/// Elements of a register of 256 bits.
const LANES: usize = 8;
/// Bytes of an element.
const SIZE: i32 = 4;
/// Places among the lanes of a register from which on gathers are worse.
const PLACES: usize = 4;

impl Gen<'_, '_> {
    /// A load of one element a lane, if the three next to it are loaded by the block, too, before anything is stored:
    /// these are kept for the instructions that ask for them.
    pub(super) fn load_by_rows(
        &mut self,
        inst: Inst,
        access: &Access,
        address: &Address,
        mask: Mask,
    ) -> Option<V> {
        let Address::Affine(p, offsets) = address else {
            return None;
        };
        let plain = self.level == Level::Avx2
            && self.conditional == 0
            && matches!(mask, Mask::Full)
            && offsets.len().is_multiple_of(LANES)
            && is_element(access)
            && self.f.insts[inst].guard.is_none();
        if !plain || !offsets.chunks(LANES).all(apart) {
            return None;
        }
        let row = self.row_of(inst, access)?;
        let first = self.b.offset(*p, i64::from(row[0].1 - access.offset));
        let values = self.load_four_rows(first, offsets, 4);
        let mut mine = None;
        for ((other, _), v) in row.into_iter().zip(values) {
            if other == inst {
                mine = Some(v);
            } else {
                self.from_rows.insert(other, v);
            }
        }
        mine
    }

    /// The loads of a row that a load belongs to, with their offsets.
    fn row_of(&self, inst: Inst, access: &Access) -> Option<Vec<(Inst, i32)>> {
        let f = self.f;
        let address = f.args(inst)[0];
        let insts = &f.blocks[Block::from_index(self.block)].insts;
        let from = insts.iter().position(|&i| i == inst)?;
        let mut loads: Vec<(Inst, i32)> = Vec::new();
        for &i in &insts[from..] {
            let data = &f.insts[i];
            match data.op {
                Op::Load { access: other } if other.order == Order::Weak => {
                    let same = f.args(i)[0] == address
                        && is_element(&other)
                        && other.space == access.space
                        && data.guard.is_none()
                        && !self.from_rows.contains_key(&i);
                    if same {
                        loads.push((i, other.offset));
                    }
                }
                op if op.props().difference(Props::COMMUTES).is_empty() => {}
                _ => break,
            }
        }
        let at = |offset: i32| loads.iter().find(|l| l.1 == offset).copied();
        let row = |first: i32| -> Option<Vec<(Inst, i32)>> {
            let row: Option<Vec<_>> = (0..4).map(|k| at(first + k * SIZE)).collect();
            row.filter(|row| row.iter().any(|l| l.0 == inst))
        };
        let within = access.offset.rem_euclid(4 * SIZE) / SIZE * SIZE;
        row(access.offset - within).or_else(|| row(access.offset))
    }

    /// The element that an earlier load of the block brought along.
    pub(super) fn brought_along(&mut self, inst: Inst, result: Value) -> bool {
        let Some(v) = self.from_rows.remove(&inst) else {
            return false;
        };
        let elem = if self.keeps_float(result) {
            self.b.f32
        } else {
            self.b.i32
        };
        let v = self.b.bitcast(v, self.vt(elem));
        self.set(result, v);
        true
    }

    /// Loads four elements of 4 bytes for each lane, at `p` and the lane's offset.
    pub(super) fn load_four_rows(&mut self, p: V, offsets: &[i64], align: u32) -> [V; 4] {
        let t = self.b.vec(self.b.f32, 4);
        let both: Vec<i32> = (0..8).collect();
        let mut pieces: [Vec<V>; 4] = Default::default();
        for lanes in offsets.chunks(LANES) {
            let rows = [0, 1, 2, 3].map(|k| {
                let [low, high] = [lanes[k], lanes[k + 4]].map(|o| {
                    let at = self.b.offset(p, o);
                    self.b.load(t, at, align)
                });
                self.b.shuffle(low, high, &both)
            });
            for (piece, v) in pieces.iter_mut().zip(self.transposed(rows)) {
                piece.push(v);
            }
        }
        pieces.map(|piece| self.b.concat(&piece))
    }

    /// Stores four elements of 4 bytes for each lane, at `p` and the lane's offset, lane by lane.
    pub(super) fn store_four_rows(&mut self, p: V, offsets: &[i64], values: &[V; 4], align: u32) {
        let lanes = u32::try_from(LANES).unwrap_or(0);
        for (group, to) in (0u32..).zip(offsets.chunks(LANES)) {
            let of = values.map(|v| {
                let v = self.b.bitcast(v, self.vt(self.b.f32));
                self.b.part(v, group * lanes, lanes)
            });
            let rows = self.transposed(of);
            for (lane, &o) in (0u32..).zip(to) {
                let row = self.b.part(rows[lane as usize % 4], lane / 4 * 4, 4);
                let at = self.b.offset(p, o);
                self.b.store(row, at, align);
            }
        }
    }
}

/// Whether an access is of one element of 4 bytes, in no special order.
fn is_element(access: &Access) -> bool {
    access.lanes == 1 && access.elem.bytes() == 4 && access.order == Order::Weak
}

/// Whether the lanes of a register reach several places that are not side by side.
fn apart(offsets: &[i64]) -> bool {
    let mut places = offsets.to_vec();
    places.sort_unstable();
    places.dedup();
    let side_by_side = places.windows(2).all(|o| o[1] - o[0] == i64::from(SIZE));
    places.len() >= PLACES && !side_by_side
}
