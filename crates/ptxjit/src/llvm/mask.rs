//! Masks, and code that runs for some lanes only.

use super::build::{Builder, Icmp, V};
use super::emit::{Gen, Mask};
use super::target::Level;
use crate::ir::Value;

/// Loops over lanes of a function that do several lanes in a round.
const LARGE_LOOPS: u32 = 8;

impl<'c> Gen<'_, 'c> {
    /// Whether a mask (or predicate by lane) is a scalar, one bit for each lane ([`super::homes`]).
    pub(super) fn is_bits(&self, mask: V) -> bool {
        self.w > 1 && self.b.lanes_of(self.b.type_of(mask)) == 1
    }

    /// A mask as instructions on vectors want it, whichever form it has.
    pub(super) fn vector_mask(&self, mask: V) -> V {
        if !self.is_bits(mask) {
            return mask;
        }
        let p = self.pred_of(mask);
        match self.level {
            Level::Avx512 => p,
            Level::Avx2 | Level::Sse4 => self.b.sext(p, self.vt(self.b.i32)),
        }
    }

    /// A mask of lane predicates.
    pub fn mask_of(&self, pred: V) -> V {
        if self.keeps_lanes() {
            self.b.bitcast(pred, self.mask_type())
        } else if self.level == Level::Avx512 {
            pred
        } else {
            self.b.sext(pred, self.mask_type())
        }
    }

    /// Lane predicates of a mask.
    pub fn pred_of(&self, mask: V) -> V {
        if self.is_bits(mask) {
            self.b.bitcast(mask, self.vt(self.b.i1))
        } else if self.level == Level::Avx512 {
            mask
        } else {
            self.b
                .icmp(Icmp::LLVMIntSLT, mask, self.b.zero(self.mask_type()))
        }
    }

    /// The current mask as a value.
    pub fn mask_value(&self, mask: Mask) -> V {
        match mask {
            Mask::Full => self.b.ones(self.mask_type()),
            Mask::Some(v) => v,
        }
    }

    /// Whether the code at hand may run while its mask is empty.
    pub(super) fn may_be_idle(&self) -> bool {
        let leader = self.plan.leader[self.block];
        self.plan.own[leader] && !self.plan.dispatch && !self.needs_check(leader)
    }

    /// A predicate without poison. Only code that may run with no lane at all can meet poison: there, values of blocks
    /// that were skipped. A frozen vector of bits is dear on AVX2.
    pub(super) fn settled(&self, pred: V) -> V {
        if self.may_be_idle() {
            self.b.freeze(pred)
        } else {
            pred
        }
    }

    /// Lanes of `mask` where a predicate (lane predicates) holds.
    pub fn mask_and(&self, mask: Mask, pred: V) -> Mask {
        let p = self.mask_of(self.settled(pred));
        match mask {
            Mask::Full => Mask::Some(p),
            Mask::Some(m) => Mask::Some(self.b.and(m, p)),
        }
    }

    /// Lanes of `mask` where a predicate does not hold.
    pub fn mask_and_not(&self, mask: Mask, pred: V) -> Mask {
        let p = self.mask_of(self.settled(pred));
        let n = self.b.not(p);
        match mask {
            Mask::Full => Mask::Some(n),
            Mask::Some(m) => Mask::Some(self.b.and(m, n)),
        }
    }

    /// The current mask restricted by an instruction's guard.
    pub fn guarded(&mut self, guard: Option<Value>) -> Mask {
        match guard {
            None => self.mask,
            Some(g) => {
                let p = self.lane_pred(g);
                self.mask_and(self.mask, p)
            }
        }
    }

    /// Bits of a mask, as an integer of W bits.
    pub fn mask_bits(&self, mask: Mask) -> V {
        let t = self.b.int(self.w);
        match mask {
            Mask::Full => self.b.ones(t),
            Mask::Some(m) if self.is_bits(m) => m,
            Mask::Some(m) => {
                let p = self.pred_of(m);
                self.b.bitcast(p, t)
            }
        }
    }

    /// Bits of a mask, as `i32`.
    pub fn mask_bits32(&self, mask: Mask) -> V {
        if let Some(lane) = self.lane {
            return self.b.shl(self.b.c(self.b.i32, 1), lane);
        }
        let bits = self.mask_bits(mask);
        self.b.zext(bits, self.b.i32)
    }

    /// Whether a lane is set.
    pub fn any(&self, mask: Mask) -> V {
        let Mask::Some(m) = mask else {
            return self.b.c(self.b.i1, 1);
        };
        if self.b.is_const(m) || self.level == Level::Avx512 || self.is_bits(m) {
            let bits = self.mask_bits(mask);
            return self
                .b
                .icmp(Icmp::LLVMIntNE, bits, self.b.c(self.b.type_of(bits), 0));
        }
        let (folded, lanes) = self.fold_registers(m, |b, x, y| b.or(x, y));
        if self.level == Level::Avx2 && lanes == 8 {
            let signs = self.b.bitcast(folded, self.b.vec(self.b.f32, 8));
            let none = self
                .b
                .intrinsic("llvm.x86.avx.vtestz.ps.256", &[], &[signs, signs]);
            return self.b.icmp(Icmp::LLVMIntEQ, none, self.b.c(self.b.i32, 0));
        }
        let p = self.b.icmp(
            Icmp::LLVMIntSLT,
            folded,
            self.b.zero(self.b.type_of(folded)),
        );
        let bits = self.b.bitcast(p, self.b.int(lanes));
        self.b
            .icmp(Icmp::LLVMIntNE, bits, self.b.c(self.b.int(lanes), 0))
    }

    /// Whether all lanes are set.
    pub fn all(&self, mask: Mask) -> V {
        let Mask::Some(m) = mask else {
            return self.b.c(self.b.i1, 1);
        };
        if self.b.is_const(m) || self.level == Level::Avx512 || self.is_bits(m) {
            let bits = self.mask_bits(mask);
            return self
                .b
                .icmp(Icmp::LLVMIntEQ, bits, self.b.ones(self.b.type_of(bits)));
        }
        let (folded, lanes) = self.fold_registers(m, |b, x, y| b.and(x, y));
        if self.level == Level::Avx2 && lanes == 8 {
            let t = self.b.vec(self.b.f32, 8);
            let signs = self.b.bitcast(folded, t);
            let ones = self.b.bitcast(self.b.ones(self.b.type_of(folded)), t);
            let all = self
                .b
                .intrinsic("llvm.x86.avx.vtestc.ps.256", &[], &[signs, ones]);
            return self.b.icmp(Icmp::LLVMIntNE, all, self.b.c(self.b.i32, 0));
        }
        let p = self.b.icmp(
            Icmp::LLVMIntSLT,
            folded,
            self.b.zero(self.b.type_of(folded)),
        );
        let bits = self.b.bitcast(p, self.b.int(lanes));
        self.b
            .icmp(Icmp::LLVMIntEQ, bits, self.b.ones(self.b.int(lanes)))
    }

    /// Folds a vector of 32-bit elements down to one register.
    fn fold_registers(&self, m: V, f: impl Fn(&Builder<'c>, V, V) -> V) -> (V, u32) {
        let lanes = (self.level.vector_bits() / 32).min(self.w);
        let mut parts: Vec<V> = (0..self.w / lanes)
            .map(|i| self.b.part(m, i * lanes, lanes))
            .collect();
        while parts.len() > 1 {
            parts = parts.chunks(2).map(|p| f(&self.b, p[0], p[1])).collect();
        }
        (parts[0], lanes)
    }

    /// `mask ? a : b` by lane, for any element type.
    pub fn blend(&self, mask: Mask, a: V, other: V) -> V {
        match mask {
            Mask::Full => a,
            Mask::Some(m) if self.is_bits(m) && self.is_bits(a) => {
                let (new, old) = (self.b.and(a, m), self.b.and(other, self.b.not(m)));
                self.b.or(new, old)
            }
            Mask::Some(m) => {
                let p = self.pred_of(m);
                self.b.select(p, a, other)
            }
        }
    }

    /// Runs `f` only if a lane of `mask` is set. Returns the block before and the one after.
    pub fn when_any(&mut self, mask: Mask, f: impl FnOnce(&mut Self)) {
        let Mask::Some(_) = mask else {
            f(self);
            return;
        };
        let any = self.any(mask);
        self.when(any, f);
    }

    /// Runs `f` only if a scalar condition holds.
    pub fn when(&mut self, cond: V, f: impl FnOnce(&mut Self)) {
        let (yes, after) = (self.b.block(self.function), self.b.block(self.function));
        self.b.cond(cond, yes, after);
        self.b.at(yes);
        self.conditional += 1;
        f(self);
        self.conditional -= 1;
        if !self.b.closed() {
            self.b.br(after);
        }
        self.b.at(after);
    }

    /// Two ways to a value.
    pub fn either(
        &mut self,
        cond: V,
        yes: impl FnOnce(&mut Self) -> V,
        no: impl FnOnce(&mut Self) -> V,
    ) -> V {
        let (a, b, after) = (
            self.b.block(self.function),
            self.b.block(self.function),
            self.b.block(self.function),
        );
        self.b.cond(cond, a, b);
        self.conditional += 1;
        self.b.at(a);
        let x = yes(self);
        let from_x = self.b.here();
        self.b.br(after);
        self.b.at(b);
        let y = no(self);
        let from_y = self.b.here();
        self.b.br(after);
        self.conditional -= 1;
        self.b.at(after);
        let phi = self.b.phi(self.b.type_of(x));
        self.b.incoming(phi, x, from_x);
        self.b.incoming(phi, y, from_y);
        phi
    }

    /// Runs `f(lane)` for each set lane of a mask, lowest first; `lane` is an `i32`.
    pub fn each_lane(&mut self, mask: Mask, f: impl FnOnce(&mut Self, V)) {
        let t = self.b.int(self.w);
        let bits = self.mask_bits(mask);
        let (head, body, after) = (
            self.b.block(self.function),
            self.b.block(self.function),
            self.b.block(self.function),
        );
        let from = self.b.here();
        self.b.br(head);
        self.b.at(head);
        let rest = self.b.phi(t);
        self.b.incoming(rest, bits, from);
        let more = self.b.icmp(Icmp::LLVMIntNE, rest, self.b.c(t, 0));
        self.b.cond(more, body, after);
        self.b.at(body);
        self.conditional += 1;
        let lane = self
            .b
            .intrinsic("llvm.cttz", &[t], &[rest, self.b.c(self.b.i1, 1)]);
        let lane = self.b.zext(lane, self.b.i32);
        f(self, lane);
        self.conditional -= 1;
        let less = self.b.sub(rest, self.b.c(t, 1));
        let less = self.b.and(rest, less);
        let last = self.b.here();
        self.b.incoming(rest, less, last);
        self.b.br(head);
        self.b.at(after);
    }

    /// Runs `f(lane)` for all lanes in order, a few of them in each round of a loop.
    pub(super) fn lanes_in_groups(&mut self, mut f: impl FnMut(&mut Self, V)) {
        let i64 = self.b.i64;
        // A kernel with many such loops gets small ones.
        self.lane_sites[0] += 1;
        let group = self.w.min(if self.lane_sites[0] <= LARGE_LOOPS {
            8
        } else {
            2
        });
        let (body, after, from) = (
            self.b.block(self.function),
            self.b.block(self.function),
            self.b.here(),
        );
        self.b.br(body);
        self.b.at(body);
        self.conditional += 1;
        let first = self.b.phi(i64);
        self.b.incoming(first, self.b.c(i64, 0), from);
        for l in 0..group {
            let lane = self.b.add(first, self.b.c(i64, u64::from(l)));
            f(self, lane);
        }
        self.conditional -= 1;
        let next = self.b.add(first, self.b.c(i64, u64::from(group)));
        let more = self
            .b
            .icmp(Icmp::LLVMIntULT, next, self.b.c(i64, u64::from(self.w)));
        let last = self.b.here();
        self.b.incoming(first, next, last);
        self.b.cond(more, body, after);
        self.b.at(after);
    }
}
