//! Checks of alignment: a load or store at an address that is no multiple of its size stops the context.

use super::build::{Icmp, V};
use super::emit::{Gen, Mask};
use super::memory::Address;
use crate::ir::{Access, Function, Int, Op, Space, Value, ValueDef};
use abi::sm::trap;

/// Operations that an address in shared memory is followed through.
const DEPTH: u32 = 12;

impl Gen<'_, '_> {
    /// [`Self::check_alignment`], unless an access to the same place found it right before in this block.
    pub(super) fn check_once(
        &mut self,
        value: Value,
        access: &Access,
        address: &Address,
        mask: Mask,
    ) {
        let size = access.bytes();
        let steady = matches!(address, Address::Uniform(_) | Address::Affine(..))
            && access.offset.unsigned_abs().is_multiple_of(size.max(1));
        if steady && self.aligned.get(&value).is_some_and(|&known| known >= size) {
            return;
        }
        self.check_access(value, access, address, mask);
        let even = match address {
            Address::Affine(_, offsets) => offsets
                .iter()
                .all(|o| o.unsigned_abs().is_multiple_of(u64::from(size.max(1)))),
            Address::Uniform(_) | Address::Indexed(..) => true,
        };
        if steady && even && self.conditional == 0 {
            self.aligned.insert(value, size);
        }
    }

    /// Traps if an address of the access is not a multiple of its size.
    pub(super) fn check_alignment(&mut self, address: &Address, size: u32, mask: Mask) {
        if size <= 1 {
            return;
        }
        let low = u64::from(size - 1);
        let i64 = self.b.i64;
        let scalar = |g: &Self, p: V| {
            let a = g.b.bitcast(p, i64);
            let a = g.b.and(a, g.b.c(i64, low));
            g.b.icmp(Icmp::LLVMIntNE, a, g.b.c(i64, 0))
        };
        let (bad, at) = match address {
            Address::Uniform(p) => (scalar(self, *p), *p),
            Address::Affine(p, offsets)
                if offsets.iter().all(|&o| o.cast_unsigned() & low == 0) =>
            {
                (scalar(self, *p), *p)
            }
            Address::Affine(p, offsets) => {
                let a = self.b.bitcast(*p, i64);
                let a = self.b.splat(a, self.w);
                let o = self.b.ints(i64, offsets.iter().map(|o| o.cast_unsigned()));
                let a = self.b.add(a, o);
                (self.any_low_bits(a, low, mask), *p)
            }
            Address::Indexed(p, _, scale) if scale & low == 0 => (scalar(self, *p), *p),
            Address::Indexed(p, index, scale) => {
                let t = self.b.elem_of(self.b.type_of(*index));
                let i = self.b.mul(*index, self.same(*index, *scale));
                let a = self.b.bitcast(*p, i64);
                let a = self.b.zext(a, t);
                let a = self.b.splat(a, self.w);
                let a = self.b.add(i, a);
                (self.any_low_bits(a, low, mask), *p)
            }
        };
        if self.b.is_const(bad) && self.b.as_int(bad) == Some(0) {
            return;
        }
        let (cold, after) = (self.b.block(self.function), self.b.block(self.function));
        self.b.cond(bad, cold, after);
        self.b.at(cold);
        let lanes = self.mask_bits32(mask);
        let at = match address {
            Address::Indexed(p, index, scale) => {
                let lane = self.last_lane(mask);
                let i = self.b.extract_at(*index, lane);
                let i = self.b.sext(i, i64);
                let i = self.b.mul(i, self.b.c(i64, *scale));
                let p = self.b.bitcast(*p, i64);
                self.b.add(p, i)
            }
            Address::Uniform(_) | Address::Affine(..) => self.b.bitcast(at, i64),
        };
        self.trap(trap::MISALIGNED, lanes, at);
        self.b.at(after);
    }

    fn any_low_bits(&mut self, a: V, low: u64, mask: Mask) -> V {
        let a = self.b.and(a, self.same(a, low));
        let bad = self
            .b
            .icmp(Icmp::LLVMIntNE, a, self.b.zero(self.b.type_of(a)));
        let bad = self.mask_and(mask, bad);
        self.any(bad)
    }

    /// [`Self::check_alignment`], unless the code shows that there is nothing to find.
    pub(super) fn check_access(
        &mut self,
        value: Value,
        access: &Access,
        address: &Address,
        mask: Mask,
    ) {
        let size = access.bytes();
        // The window of shared memory begins with a page.
        let sure = access.space == Space::Shared
            && access.offset.trailing_zeros() >= size.trailing_zeros()
            && zeros(self.f, value, DEPTH) >= size.trailing_zeros();
        if !sure {
            self.check_alignment(address, size, mask);
        }
    }
}

/// Low bits of a 32-bit value that are surely zero, in every lane.
fn zeros(f: &Function, value: Value, depth: u32) -> u32 {
    let inst = match f.values[value].def {
        ValueDef::Const(bits) => return bits.trailing_zeros().min(32),
        ValueDef::Inst(inst, 0) if depth > 0 => inst,
        ValueDef::Inst(..) | ValueDef::Param(..) | ValueDef::Undef => return 0,
    };
    if f.insts[inst].guard.is_some() {
        return 0;
    }
    let args = f.args(inst);
    let of = |i: usize| zeros(f, args[i], depth - 1);
    let whole = |w: Int| w != Int::I16x2;
    match f.insts[inst].op {
        Op::Add { w } | Op::Sub { w } if whole(w) => of(0).min(of(1)),
        Op::Or { .. } | Op::Xor { .. } | Op::Select { .. } => {
            let last = args.len() - 1;
            of(last - 1).min(of(last))
        }
        Op::And { .. } => of(0).max(of(1)),
        Op::Mul { w } | Op::MulWide { w, .. } if whole(w) => (of(0) + of(1)).min(32),
        Op::Shl { w } if whole(w) => match f.as_const(args[1]).map(u32::try_from) {
            Some(Ok(by)) if by < 32 => (of(0) + by).min(32),
            Some(_) | None => of(0),
        },
        Op::Zext { .. } | Op::Sext { .. } | Op::Trunc { .. } => of(0),
        _ => 0,
    }
}
