//! Contiguous stores of some lanes on AVX2.

use super::build::{Icmp, V};
use super::emit::{Gen, Mask};

/// Masked stores of a function that look at each register's mask.
const MASKED_STORES: u32 = 12;

impl Gen<'_, '_> {
    /// A contiguous store of the lanes of a mask, 4 or 8 bytes each.
    pub(super) fn mask_store(&mut self, p: V, v: V, size: u32, m: V) {
        let lanes = 32 / size;
        let (name, elem) = if size == 4 {
            ("llvm.x86.avx2.maskstore.d.256", self.b.i32)
        } else {
            ("llvm.x86.avx2.maskstore.q.256", self.b.i64)
        };
        let v = self.b.bitcast(v, self.vt(elem));
        let by_register = self.w > lanes && self.lane_sites[3] < MASKED_STORES;
        self.lane_sites[3] += 1;
        if by_register {
            self.store_by_register(p, v, size, m);
            return;
        }
        for i in 0..self.w / lanes {
            let m = self.mask_part(m, i * lanes, lanes, elem);
            let q = self.b.offset(p, i64::from(i * 32));
            let part = self.b.part(v, i * lanes, lanes);
            self.b.intrinsic(name, &[], &[q, m, part]);
        }
    }

    /// A contiguous store of some lanes: registers that have all of theirs as a whole, the other lanes one by one.
    /// `vmaskmov` stores take tens of cycles on some hosts.
    fn store_by_register(&mut self, p: V, v: V, size: u32, m: V) {
        let lanes = 32 / size;
        let t = self.b.int(self.w);
        let mut rest = self.mask_bits(Mask::Some(m));
        for i in 0..self.w / lanes {
            let whole = self.b.c(t, ((1 << lanes) - 1) << (i * lanes));
            let none = self.b.c(t, 0);
            let mine = self.b.and(rest, whole);
            let full = self.b.icmp(Icmp::LLVMIntEQ, mine, whole);
            self.when(full, |g| {
                let part = g.b.part(v, i * lanes, lanes);
                let q = g.b.offset(p, i64::from(i * 32));
                g.b.store(part, q, size);
            });
            let done = self.b.select(full, whole, none);
            rest = self.b.xor(rest, done);
        }
        let some = self.b.icmp(Icmp::LLVMIntNE, rest, self.b.c(t, 0));
        self.when(some, |g| g.store_runs(rest, p, v, size));
    }

    /// Stores the lanes whose bits are set: 16 bytes at once where as many lie side by side, 8, or a lane.
    fn store_runs(&mut self, bits: V, p: V, v: V, size: u32) {
        let ty = self.b.type_of(v);
        let elem = self.b.elem_of(ty);
        let slot = self.spilled(v);
        let b = &self.b;
        let t = b.type_of(bits);
        let new = || b.block(self.function);
        let (head, body, next, after) = (new(), new(), new(), new());
        let from = b.here();
        b.br(head);
        b.at(next);
        let less = b.phi(t);
        b.br(head);
        b.at(head);
        let rest = b.phi(t);
        b.incoming(rest, bits, from);
        b.incoming(rest, less, next);
        let more = b.icmp(Icmp::LLVMIntNE, rest, b.c(t, 0));
        b.cond(more, body, after);
        b.at(body);
        let lane = b.intrinsic("llvm.cttz", &[t], &[rest, b.c(b.i1, 1)]);
        let run = b.lshr(rest, lane);
        let index = b.zext(lane, b.i64);
        let (source, to) = (b.gep(elem, slot, &[index]), b.gep(elem, p, &[index]));
        let mut lanes = 16 / size;
        while lanes > 0 {
            let whole = b.c(t, (1 << lanes) - 1);
            let other = (lanes > 1).then(|| {
                let (yes, no) = (new(), new());
                let is = b.icmp(Icmp::LLVMIntEQ, b.and(run, whole), whole);
                b.cond(is, yes, no);
                b.at(yes);
                no
            });
            let lanes_of = b.vec(elem, lanes);
            let these = b.load(lanes_of, source, size);
            b.store(these, to, size);
            let gone = b.xor(rest, b.shl(whole, lane));
            b.incoming(less, gone, b.here());
            b.br(next);
            if let Some(no) = other {
                b.at(no);
            }
            lanes /= 2;
        }
        b.at(after);
        self.vacate(ty, slot);
    }
}
