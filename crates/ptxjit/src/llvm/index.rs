//! Indices of 32 bits that become addresses of 64: consecutive in all lanes, unless one of them wraps.
//!
//! Sign extension keeps the offsets between lanes only where no lane's index passes the end of the 32-bit range. Where
//! the range of the base does not prove it, code checks the base once, and stops by name if a running lane wraps.
//! Indices that only mostly stay consecutive are tested where they are used.

use super::build::{Icmp, V};
use super::emit::{Gen, Mask};
use super::memory::Address;
use super::shape::{Shape, UNIFORM};
use crate::ir::{Op, Sign, Special, Value, ValueDef};
use abi::sm::trap;

const LEAST: i64 = i32::MIN as i64;
const MOST: i64 = i32::MAX as i64;

impl Gen<'_, '_> {
    /// Checks that an affine 32-bit value, which is about to be sign-extended, wraps in no lane.
    pub(super) fn check_index(&mut self, value: Value) {
        let Shape::Affine(p) = self.shape(value) else {
            return;
        };
        if self.shape(value) == UNIFORM {
            return;
        }
        let offsets = self.plan.shapes.patterns[p].clone();
        let low = offsets.iter().copied().min().unwrap_or(0).min(0);
        let high = offsets.iter().copied().max().unwrap_or(0).max(0);
        if let Some((a, b)) = self.range(value, 8)
            && a + low >= LEAST
            && b + high <= MOST
        {
            return;
        }
        let i32 = self.b.i32;
        let mut base = self.scalar(value);
        // Code that runs without lanes may meet poison here.
        if self.may_be_idle() {
            base = self.b.freeze(base);
        }
        // Bases from `LEAST - low` to `MOST - high` are fine.
        let first = self.b.c(i32, (LEAST - low).cast_unsigned() & 0xffff_ffff);
        let span = (MOST - high) - (LEAST - low);
        let at = self.b.sub(base, first);
        let bad = self
            .b
            .icmp(Icmp::LLVMIntUGT, at, self.b.c(i32, span.cast_unsigned()));
        self.when(bad, |g| g.lanes_that_wrap(value, &offsets));
    }

    /// Stops if a running lane's value is not the base's plus its offset.
    fn lanes_that_wrap(&mut self, value: Value, offsets: &[i64]) {
        let i64 = self.b.i64;
        let wide = self.vt(i64);
        let base = self.scalar(value);
        let narrow: V = self.vector(value);
        let narrow = self.b.sext(narrow, wide);
        let base = self.b.sext(base, i64);
        let base = self.b.splat(base, self.w);
        let offsets = self.b.ints(i64, offsets.iter().map(|o| o.cast_unsigned()));
        let exact = self.b.add(base, offsets);
        let wraps = self.b.icmp(Icmp::LLVMIntNE, narrow, exact);
        let wraps: Mask = self.mask_and(self.mask, wraps);
        let any = self.any(wraps);
        self.when(any, |g| {
            let lanes = g.mask_bits32(wraps);
            let zero = g.b.c(i64, 0);
            g.trap(trap::ILLEGAL_INSTRUCTION, lanes, zero);
        });
    }

    /// For an address that is computed from consecutive indices by operations that mostly keep them so (clamping to the
    /// edge of a field, exclusive or with a high bit, remainders): whether it is consecutive this time, and then where.
    pub(super) fn guess(
        &mut self,
        value: Value,
        address: &Address,
        bytes: u32,
    ) -> Option<(V, Address)> {
        let Address::Indexed(base, index, scale) = *address else {
            return None;
        };
        if self.w == 1 || !self.is_index_like(value, 10) {
            return None;
        }
        let step = u64::from(bytes) / scale;
        if step * scale != u64::from(bytes) || step == 0 {
            return None;
        }
        let t = self.b.type_of(index);
        let elem = self.b.elem_of(t);
        let index = self.b.freeze(index);
        let first = self.b.extract(index, 0);
        let steps = self.b.ints(elem, (0..u64::from(self.w)).map(|l| l * step));
        let want = self.b.splat(first, self.w);
        let want = self.b.add(want, steps);
        let same = self.b.icmp(Icmp::LLVMIntEQ, index, want);
        let same = self.mask_of(same);
        let mut is = self.all(Mask::Some(same));
        let i64 = self.b.i64;
        if self.b.bits_of(elem) == 32 {
            // None of them wraps, either.
            let room = MOST - i64::from(self.w) * i64::try_from(step).unwrap_or(MOST);
            let fits = self.b.icmp(
                Icmp::LLVMIntSLT,
                first,
                self.b.c(elem, room.cast_unsigned() & 0xffff_ffff),
            );
            is = self.b.and(is, fits);
        }
        let at = self.b.sext(first, i64);
        let at = self.b.mul(at, self.b.c(i64, scale));
        // Nothing is known of what lies behind a null pointer, not even that it is memory.
        let p = if self.b.is_const(base) {
            let base = self.b.bitcast(base, i64);
            let at = self.b.add(base, at);
            self.b.bitcast(at, self.b.ptr)
        } else {
            self.b.gep8(base, at)
        };
        let offsets = (0..i64::from(self.w))
            .map(|l| l * i64::from(bytes))
            .collect();
        Some((is, Address::Affine(p, offsets)))
    }

    /// Whether a value by lane is computed from indices without memory, operations across lanes, or loops.
    fn is_index_like(&self, value: Value, depth: u32) -> bool {
        match self.shape(value) {
            Shape::Affine(_) => return true,
            Shape::Varying | Shape::Bottom => {}
        }
        let Some(inst) = self.f.def_inst(value).filter(|_| depth > 0) else {
            return false;
        };
        let args = self.f.args(inst);
        let all = |from: usize| {
            args[from..]
                .iter()
                .all(|&a| self.is_index_like(a, depth - 1))
        };
        match self.f.insts[inst].op {
            // Rows of a field, and the like: far apart.
            Op::Mul { .. } => args.iter().any(|&a| self.f.as_const(a).is_some()) && all(0),
            Op::Add { .. }
            | Op::Sub { .. }
            | Op::MulWide { .. }
            | Op::And { .. }
            | Op::Or { .. }
            | Op::Xor { .. }
            | Op::Lop3 { .. }
            | Op::Shl { .. }
            | Op::Shr { .. }
            | Op::Min { .. }
            | Op::Max { .. }
            | Op::Rem { .. }
            | Op::Div { .. }
            | Op::Sext { .. }
            | Op::Zext { .. }
            | Op::Trunc { .. }
            | Op::ToGeneric { .. }
            | Op::FromGeneric { .. } => all(0),
            Op::Select { .. } => all(1),
            _ => false,
        }
    }

    /// Least and greatest signed value that a 32-bit value's base may have, if known.
    fn range(&self, value: Value, depth: u32) -> Option<(i64, i64)> {
        if depth == 0 {
            return None;
        }
        let inst = match self.f.values[value].def {
            ValueDef::Const(bits) => {
                let c = i64::from(u32::try_from(bits & 0xffff_ffff).ok()?.cast_signed());
                return Some((c, c));
            }
            ValueDef::Inst(inst, _) => inst,
            ValueDef::Param(..) | ValueDef::Undef => return None,
        };
        let args = self.f.args(inst);
        let of = |i: usize| self.range(args[i], depth - 1);
        let found = match self.f.insts[inst].op {
            Op::Special { reg } => match reg {
                Special::TidX | Special::TidY | Special::TidZ => (0, 1023),
                Special::NTidX | Special::NTidY | Special::NTidZ => (1, 1024),
                Special::LaneId => (0, 31),
                Special::CtaIdY | Special::CtaIdZ => (0, 65534),
                _ => return None,
            },
            Op::Add { .. } => {
                let ((a, b), (c, d)) = (of(0)?, of(1)?);
                (a + c, b + d)
            }
            Op::Sub { .. } => {
                let ((a, b), (c, d)) = (of(0)?, of(1)?);
                (a - d, b - c)
            }
            Op::Mul { .. } => {
                let ((a, b), (c, d)) = (of(0)?, of(1)?);
                let all = [a * c, a * d, b * c, b * d];
                (*all.iter().min()?, *all.iter().max()?)
            }
            Op::Shl { .. } => {
                let by = self.f.as_const(args[1]).filter(|&n| n < 31)?;
                let (a, b) = of(0)?;
                (a << by, b << by)
            }
            Op::Shr { sign, .. } => {
                let by = self.f.as_const(args[1]).filter(|&n| n < 32)?;
                let (a, b) = of(0).filter(|&(a, _)| sign == Sign::Signed || a >= 0)?;
                (a >> by, b >> by)
            }
            Op::And { .. } => {
                let mask = [0, 1]
                    .into_iter()
                    .filter_map(|i| self.f.as_const(args[i]))
                    .min()?;
                (0, i64::try_from(mask).ok().filter(|&m| m <= MOST)?)
            }
            _ => return None,
        };
        (found.0 >= LEAST && found.1 <= MOST).then_some(found)
    }
}
