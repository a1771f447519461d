//! `.param` variables of calls as SSA values.
//!
//! A variable whose address is not taken is a row of **cells**, cut where the body's accesses begin and end, so that
//! nearly every `ld.param` and `st.param` is one variable of the builder. Others live in the frame.

use super::Lower;
use super::ssa::{Builder, Var};
use crate::ir::{Access, Int, LocalSlot, Op, Sign, Signature, Space, Ty, Value};

/// Larger `.param` variables stay in memory, so that one declaration cannot make a million values.
pub const MAX_CELL_BYTES: u32 = 4096;

/// Where a `.param` variable is.
#[derive(Clone, Debug)]
pub enum Place {
    /// In variables.
    Cells(Cells),
    /// In the frame.
    Slot(LocalSlot),
    /// In the kernel's parameter block, at this offset.
    Kernel(u32),
}

/// A `.param` variable in pieces, in order, without gaps.
#[derive(Clone, Debug)]
pub struct Cells {
    cells: Vec<Cell>,
}

#[derive(Clone, Copy, Debug)]
struct Cell {
    offset: u32,
    ty: Ty,
    var: Var,
}

impl Cell {
    fn end(&self) -> u32 {
        self.offset + self.ty.bytes()
    }
}

impl Cells {
    /// One cell that is a register.
    pub fn single(var: Var, ty: Ty) -> Self {
        Self {
            cells: vec![Cell { offset: 0, ty, var }],
        }
    }

    /// Cells for a variable of `size` bytes of which `pieces` (offset, bytes) are accessed.
    pub fn new(b: &mut Builder, size: u32, pieces: &[(u32, u32)]) -> Self {
        let mut cuts: Vec<u32> = pieces
            .iter()
            .flat_map(|&(start, bytes)| [start, start + bytes])
            .collect();
        cuts.extend([0, size]);
        cuts.sort_unstable();
        cuts.dedup();
        let mut cells = Vec::new();
        for pair in cuts.windows(2) {
            let &[start, end] = pair else { continue };
            for (offset, ty) in chunks(start, end, 8) {
                let var = b.var(ty);
                let zero = b.function.constant(ty, 0);
                b.set(var, zero);
                cells.push(Cell { offset, ty, var });
            }
        }
        Self { cells }
    }
}

/// Cuts a range into naturally aligned powers of two of at most 8 bytes and at most `align`.
fn chunks(start: u32, end: u32, align: u32) -> impl Iterator<Item = (u32, Ty)> {
    let mut at = start;
    std::iter::from_fn(move || {
        if at >= end {
            return None;
        }
        let natural = if at == 0 {
            8
        } else {
            1 << at.trailing_zeros().min(3)
        };
        let room = 1 << (end - at).ilog2().min(3);
        let bytes: u32 = natural.min(room).min(align);
        let offset = at;
        at += bytes;
        Ty::of_bits(bytes * 8).map(|ty| (offset, ty))
    })
}

/// Pieces in which a parameter of this size and alignment is passed in a call: (offset, type).
fn flat(size: u64, align: u32) -> Vec<(u32, Ty)> {
    let step = if align.is_power_of_two() {
        align.min(8)
    } else {
        1
    };
    chunks(0, u32::try_from(size).unwrap_or(u32::MAX), step).collect()
}

/// The IR signature of a PTX signature.
pub fn flat_signature(signature: &ptx::checked::Signature) -> Signature {
    let types = |params: &[ptx::checked::Param]| -> Vec<Ty> {
        params
            .iter()
            .flat_map(|p| flat(p.size, p.align))
            .map(|(_, ty)| ty)
            .collect()
    };
    Signature {
        params: types(&signature.params),
        results: types(&signature.returns),
    }
}

impl Lower<'_, '_> {
    /// Reads `ty` at `offset` of a `.param` variable.
    pub(super) fn read_place(&mut self, place: &Place, offset: u32, ty: Ty) -> Value {
        match place {
            Place::Cells(cells) => self.read_cells(&cells.cells, offset, ty),
            Place::Slot(slot) => {
                let (address, access) = self.slot_access(*slot, offset, ty);
                let inst = self.inst(Op::Load { access }, &[address]);
                self.result(inst, 0)
            }
            Place::Kernel(start) => {
                let address = self.constant(Ty::B32, u64::from(start + offset));
                let access = Access {
                    invariant: true,
                    ..Access::weak(Space::Param, ty)
                };
                let inst = self.inst(Op::Load { access }, &[address]);
                self.result(inst, 0)
            }
        }
    }

    /// Writes a value at `offset` of a `.param` variable.
    pub(super) fn write_place(&mut self, place: &Place, offset: u32, value: Value) {
        match place {
            Place::Cells(cells) => self.write_cells(&cells.cells, offset, value),
            Place::Slot(slot) => {
                let ty = self.b.function.ty(value);
                let (address, access) = self.slot_access(*slot, offset, ty);
                self.guarded_inst(Op::Store { access }, &[address, value]);
            }
            // The checker lets no instruction write a kernel's parameters.
            Place::Kernel(_) => {}
        }
    }

    #[expect(
        clippy::cast_possible_wrap,
        reason = "offsets lie inside a variable of at most 2^31 bytes"
    )]
    fn slot_access(&mut self, slot: LocalSlot, offset: u32, ty: Ty) -> (Value, Access) {
        let address = self.op(Op::LocalAddr { slot }, &[]);
        (
            address,
            Access {
                offset: offset as i32,
                ..Access::weak(Space::Local, ty)
            },
        )
    }

    fn read_cells(&mut self, cells: &[Cell], offset: u32, ty: Ty) -> Value {
        let end = offset + ty.bytes();
        if let Some(cell) = cells
            .iter()
            .find(|cell| cell.offset == offset && cell.ty == ty)
        {
            return self.b.get(cell.var);
        }
        if ty == Ty::B128 {
            let low = self.read_cells(cells, offset, Ty::B64);
            let high = self.read_cells(cells, offset + 8, Ty::B64);
            return self.op(
                Op::Pack {
                    elem: Ty::B64,
                    to: Ty::B128,
                },
                &[low, high],
            );
        }
        // Every overlapping cell, moved to its place in 64 bits.
        let mut sum: Option<Value> = None;
        for cell in cells
            .iter()
            .filter(|cell| cell.offset < end && offset < cell.end())
        {
            let value = self.b.get(cell.var);
            let wide = self.widen(value, Ty::B64, Sign::Unsigned);
            let moved = self.shift(wide, (i64::from(cell.offset) - i64::from(offset)) * 8);
            sum = Some(match sum {
                Some(sum) => self.op(Op::Or { ty: Ty::B64 }, &[sum, moved]),
                None => moved,
            });
        }
        match sum {
            Some(sum) => self.narrow(sum, ty),
            None => self.b.function.undef(ty),
        }
    }

    fn write_cells(&mut self, cells: &[Cell], offset: u32, value: Value) {
        let ty = self.b.function.ty(value);
        let end = offset + ty.bytes();
        if let Some(cell) = cells
            .iter()
            .find(|cell| cell.offset == offset && cell.ty == ty)
        {
            self.set_var(cell.var, value);
            return;
        }
        if ty == Ty::B128 {
            for (index, at) in [(0, offset), (1, offset + 8)] {
                let half = self.op(
                    Op::Extract {
                        from: Ty::B128,
                        to: Ty::B64,
                        index,
                    },
                    &[value],
                );
                self.write_cells(cells, at, half);
            }
            return;
        }
        let wide = self.widen(value, Ty::B64, Sign::Unsigned);
        for cell in cells
            .iter()
            .filter(|cell| cell.offset < end && offset < cell.end())
        {
            let bits = (i64::from(offset) - i64::from(cell.offset)) * 8;
            let moved = self.shift(wide, bits);
            let mut part = self.narrow(moved, cell.ty);
            if offset > cell.offset || end < cell.end() {
                // Keep what the value does not cover.
                let ones = u64::MAX >> (64 - ty.bits().min(64));
                let covered = if bits >= 0 {
                    ones << bits
                } else {
                    ones >> -bits
                };
                let old = self.b.get(cell.var);
                let keep = self.constant(cell.ty, !covered);
                let take = self.constant(cell.ty, covered);
                let old = self.op(Op::And { ty: cell.ty }, &[old, keep]);
                let new = self.op(Op::And { ty: cell.ty }, &[part, take]);
                part = self.op(Op::Or { ty: cell.ty }, &[old, new]);
            }
            self.set_var(cell.var, part);
        }
    }

    /// A 64-bit value moved up (or down, where negative) by less than 64 bits.
    fn shift(&mut self, value: Value, bits: i64) -> Value {
        let amount = self.constant(Ty::B32, bits.unsigned_abs());
        match bits {
            0 => value,
            1.. => self.op(Op::Shl { w: Int::I64 }, &[value, amount]),
            _ => self.op(
                Op::Shr {
                    w: Int::I64,
                    sign: Sign::Unsigned,
                },
                &[value, amount],
            ),
        }
    }

    /// Gives the current frame's parameters the values of a call, in pieces.
    pub(super) fn write_flat_params(&mut self, args: &[Value]) {
        let params = &self.unit.checked.functions[self.frame.id.index()]
            .signature
            .params;
        let mut args = args.iter();
        for (index, param) in params.iter().enumerate() {
            let place = self.frame.params[index].clone();
            for ((offset, _), &value) in
                flat(param.size, param.align).into_iter().zip(args.by_ref())
            {
                self.write_place(&place, offset, value);
            }
        }
    }

    /// The current frame's results, in pieces.
    pub(super) fn read_flat_returns(&mut self) -> Vec<Value> {
        let returns = &self.unit.checked.functions[self.frame.id.index()]
            .signature
            .returns;
        let mut values = Vec::new();
        for (index, param) in returns.iter().enumerate() {
            let place = self.frame.returns[index].clone();
            for (offset, ty) in flat(param.size, param.align) {
                values.push(self.read_place(&place, offset, ty));
            }
        }
        values
    }

    /// Pieces of a value in a `.param` variable of this size and alignment.
    pub(super) fn read_flat(&mut self, place: &Place, size: u64, align: u32) -> Vec<Value> {
        flat(size, align)
            .into_iter()
            .map(|(offset, ty)| self.read_place(place, offset, ty))
            .collect()
    }

    /// Puts pieces together in a `.param` variable of this size and alignment.
    pub(super) fn write_flat(
        &mut self,
        place: &Place,
        size: u64,
        align: u32,
        values: &mut impl Iterator<Item = Value>,
    ) {
        for ((offset, _), value) in flat(size, align).into_iter().zip(values) {
            self.write_place(place, offset, value);
        }
    }
}
