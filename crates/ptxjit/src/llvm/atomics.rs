//! Atomic operations: lane by lane, or once per warp where all lanes meet at one address and nobody looks at the result.
//!
//! A block runs on one host thread, so atomics on shared memory are plain reads and writes. The others are host atomics
//! (sequentially consistent on x86, whatever order was asked for).

use super::build::{ACQ_REL, Icmp, Rmw as HostRmw, SEQ_CST, T, V};
use super::emit::{Done, Gen, Mask};
use super::memory::Address;
use crate::ir::{Access, Inst, Rmw, Round, Space, Ty, Value};

impl Gen<'_, '_> {
    pub(super) fn atomic(&mut self, inst: Inst, rmw: Rmw, access: Access) -> Done {
        let f = self.f;
        let args: Vec<Value> = f.args(inst).to_vec();
        let result = f.result(inst);
        let result = result.filter(|&r| self.is_used(r));
        let (address, mask) = self.atomic_address(inst, &access);
        let elem = self.int(access.elem);
        if self.lane.is_some()
            && let Address::Uniform(p) = address
        {
            self.check_access(args[0], &access, &address, mask);
            let v = self.scalar(args[1]);
            let w = rmw.is_cas().then(|| self.scalar(args[2]));
            let shared = access.space == Space::Shared;
            let old = self.one_atomic(rmw, access, p, v, w, shared);
            if let Some(result) = result {
                self.set(result, old);
            }
            return Ok(());
        }
        let b = self.vector(args[1]);
        let c = if rmw.is_cas() {
            Some(self.vector(args[2]))
        } else {
            None
        };
        let guarded = f.insts[inst].guard.is_some();
        let shared = access.space == Space::Shared;
        self.b.compiler_fence(ACQ_REL);
        let out = result.map(|_| self.alloca(self.vt(elem)));
        let run = |g: &mut Self| {
            g.check_access(args[0], &access, &address, mask);
            if let (Address::Uniform(p), None) = (&address, out)
                && let Some(v) = g.reduced(rmw, b, mask)
            {
                g.one_atomic(rmw, access, *p, v, None, shared);
                return;
            }
            // A whole warp without results on shared memory: no loop.
            if out.is_none()
                && c.is_none()
                && shared
                && !g.partial
                && !matches!(address, Address::Affine(..))
            {
                let all = g.all(mask);
                let (whole, some, after) = (
                    g.b.block(g.function),
                    g.b.block(g.function),
                    g.b.block(g.function),
                );
                g.b.cond(all, whole, some);
                g.b.at(whole);
                g.conditional += 1;
                let one = g.b.is_const(b).then(|| g.b.extract(b, 0));
                let one = one.filter(|&v| (1..g.w).all(|l| g.b.extract(b, l) == v));
                let places = g.lane_places(&address);
                let bs = one.is_none().then(|| g.spilled(b));
                g.lanes_in_groups(|g, lane| {
                    let q = g.lane_place(&places, lane);
                    let v = one.or_else(|| Some(g.spilled_lane(bs?, elem, lane)));
                    g.one_atomic(rmw, access, q, v.unwrap_or(b), None, shared);
                });
                g.vacate(places.ty, places.slot);
                if let Some(bs) = bs {
                    g.vacate(g.b.type_of(b), bs);
                }
                g.b.br(after);
                g.b.at(some);
                let p = g.pointers(&address);
                g.each_lane(mask, |g, lane| {
                    let q = g.b.extract_at(p, lane);
                    let v = g.b.extract_at(b, lane);
                    g.one_atomic(rmw, access, q, v, None, shared);
                });
                g.b.br(after);
                g.conditional -= 1;
                g.b.at(after);
                return;
            }
            let (places, bs) = (g.lane_places(&address), g.spilled(b));
            let cs = c.map(|c| g.spilled(c));
            g.each_lane(mask, |g, lane| {
                let q = g.lane_place(&places, lane);
                let v = g.spilled_lane(bs, elem, lane);
                let w = cs.map(|cs| g.spilled_lane(cs, elem, lane));
                let old = g.one_atomic(rmw, access, q, v, w, shared);
                if let Some(out) = out {
                    let o = g.b.gep(elem, out, &[lane]);
                    g.b.store(old, o, 1);
                }
            });
            g.vacate(places.ty, places.slot);
            g.vacate(g.b.type_of(b), bs);
        };
        if guarded {
            self.when_any(mask, run);
        } else {
            run(self);
        }
        self.b.compiler_fence(ACQ_REL);
        if let (Some(r), Some(out)) = (result, out) {
            let v = self.b.load(self.vt(elem), out, 64);
            self.set(r, v);
        }
        Ok(())
    }

    /// What all active lanes contribute to one address together, for operations where that is the same.
    fn reduced(&mut self, rmw: Rmw, v: V, mask: Mask) -> Option<V> {
        let t = self.b.type_of(v);
        let bits = self.b.bits_of(t);
        let (name, identity): (&'static str, u64) = match rmw {
            Rmw::Add => ("llvm.vector.reduce.add", 0),
            Rmw::And => ("llvm.vector.reduce.and", u64::MAX),
            Rmw::Or => ("llvm.vector.reduce.or", 0),
            Rmw::Xor => ("llvm.vector.reduce.xor", 0),
            Rmw::Smin => ("llvm.vector.reduce.smin", u64::MAX >> (65 - bits)),
            Rmw::Smax => ("llvm.vector.reduce.smax", 1 << (bits - 1)),
            Rmw::Umin => ("llvm.vector.reduce.umin", u64::MAX),
            Rmw::Umax => ("llvm.vector.reduce.umax", 0),
            _ => return None,
        };
        let v = self.blend(mask, v, self.b.c(t, identity));
        Some(self.b.intr(name, &[v]))
    }

    /// One lane's operation on scalars; returns what was there.
    fn one_atomic(
        &mut self,
        rmw: Rmw,
        access: Access,
        p: V,
        v: V,
        w: Option<V>,
        shared: bool,
    ) -> V {
        let t = self.b.type_of(v);
        let align = access.elem.bytes();
        if shared {
            let old = self.b.load(t, p, align);
            let new = self.updated(rmw, access, old, v, w);
            self.b.store(new, p, align);
            return old;
        }
        let host = match rmw {
            Rmw::And => Some(HostRmw::LLVMAtomicRMWBinOpAnd),
            Rmw::Or => Some(HostRmw::LLVMAtomicRMWBinOpOr),
            Rmw::Xor => Some(HostRmw::LLVMAtomicRMWBinOpXor),
            Rmw::Exch => Some(HostRmw::LLVMAtomicRMWBinOpXchg),
            Rmw::Add => Some(HostRmw::LLVMAtomicRMWBinOpAdd),
            _ => None,
        };
        if let (Some(op), true) = (host, access.elem != Ty::B128) {
            return self.b.atomicrmw(op, p, v, SEQ_CST);
        }
        if let (Rmw::Cas, Some(w)) = (rmw, w) {
            return self.b.cmpxchg(p, v, w, SEQ_CST);
        }
        // Compare and swap until nobody came between.
        let first = self.b.load(t, p, align);
        let (head, after) = (self.b.block(self.function), self.b.block(self.function));
        let from = self.b.here();
        self.b.br(head);
        self.b.at(head);
        let old = self.b.phi(t);
        self.b.incoming(old, first, from);
        let new = self.updated(rmw, access, old, v, w);
        let seen = self.b.cmpxchg(p, old, new, SEQ_CST);
        let done = self.b.icmp(Icmp::LLVMIntEQ, seen, old);
        let last = self.b.here();
        self.b.incoming(old, seen, last);
        self.b.cond(done, after, head);
        self.b.at(after);
        old
    }

    /// The new value of memory.
    fn updated(&mut self, rmw: Rmw, access: Access, old: V, v: V, w: Option<V>) -> V {
        let b = &self.b;
        let t = b.type_of(old);
        let pick = |p: Icmp, b: &super::build::Builder<'_>| {
            let first = b.icmp(p, old, v);
            b.select(first, old, v)
        };
        match rmw {
            Rmw::And => b.and(old, v),
            Rmw::Or => b.or(old, v),
            Rmw::Xor => b.xor(old, v),
            Rmw::Exch => v,
            Rmw::Cas => {
                let same = b.icmp(Icmp::LLVMIntEQ, old, v);
                b.select(same, w.unwrap_or(old), old)
            }
            Rmw::Add => b.add(old, v),
            Rmw::Inc => {
                let over = b.icmp(Icmp::LLVMIntUGE, old, v);
                let next = b.add(old, b.c(t, 1));
                b.select(over, b.c(t, 0), next)
            }
            Rmw::Dec => {
                let zero = b.icmp(Icmp::LLVMIntEQ, old, b.c(t, 0));
                let over = b.icmp(Icmp::LLVMIntUGT, old, v);
                let wrap = b.or(zero, over);
                let next = b.sub(old, b.c(t, 1));
                b.select(wrap, v, next)
            }
            Rmw::Smin => pick(Icmp::LLVMIntSLT, b),
            Rmw::Smax => pick(Icmp::LLVMIntSGT, b),
            Rmw::Umin => pick(Icmp::LLVMIntULT, b),
            Rmw::Umax => pick(Icmp::LLVMIntUGT, b),
            Rmw::AddF32 => {
                let flushes = access.space != Space::Shared;
                let (x, y) = (b.bitcast(old, b.f32), b.bitcast(v, b.f32));
                let (x, y) = if flushes {
                    (self.flush(x), self.flush(y))
                } else {
                    (x, y)
                };
                let r = self.b.fadd(x, y);
                let r = if flushes { self.flush(r) } else { r };
                self.b.bitcast(r, t)
            }
            Rmw::AddF64 => {
                let (x, y) = (b.bitcast(old, b.f64), b.bitcast(v, b.f64));
                let r = b.fadd(x, y);
                b.bitcast(r, t)
            }
            Rmw::AddF16
            | Rmw::MinF16
            | Rmw::MaxF16
            | Rmw::AddF16x2
            | Rmw::MinF16x2
            | Rmw::MaxF16x2 => self.update16(rmw, old, v, true),
            Rmw::AddBf16
            | Rmw::MinBf16
            | Rmw::MaxBf16
            | Rmw::AddBf16x2
            | Rmw::MinBf16x2
            | Rmw::MaxBf16x2 => self.update16(rmw, old, v, false),
            Rmw::Mbarrier => {
                let arrivals = b.c(t, (1 << 20) - 1);
                let field = |x: V, at: u64, mask: V| {
                    let x = b.lshr(x, b.c(t, at));
                    b.and(x, mask)
                };
                let minus = |at: u64| {
                    let d = b.sub(field(old, at, arrivals), field(v, at, arrivals));
                    b.and(d, arrivals)
                };
                let (pending, expected) = (minus(0), minus(20));
                let bytes_mask = b.c(t, (1 << 21) - 1);
                let bytes = b.add(b.lshr(old, b.c(t, 40)), b.lshr(v, b.c(t, 40)));
                let bytes = b.and(bytes, bytes_mask);
                let missing = b.or(pending, bytes);
                let complete = b.icmp(Icmp::LLVMIntEQ, missing, b.c(t, 0));
                let phase = b.and(old, b.c(t, 7 << 61));
                let next = b.add(phase, b.c(t, 1 << 61));
                let high = b.shl(expected, b.c(t, 20));
                let bytes = b.shl(bytes, b.c(t, 40));
                let same = b.or(b.or(pending, bytes), b.or(high, phase));
                let fresh = b.or(b.or(expected, high), next);
                b.select(complete, fresh, same)
            }
        }
    }

    fn update16(&mut self, rmw: Rmw, old: V, v: V, half: bool) -> V {
        let t: T = self.b.type_of(old);
        let lanes = self.b.bits_of(t) / 16;
        let st = self.b.vec(self.b.i16, lanes);
        let widen = |g: &Self, x: V| {
            let x = g.b.bitcast(x, st);
            if half {
                g.half_to_float(x)
            } else {
                g.bf16_to_float(x)
            }
        };
        let (x, y) = (widen(self, old), widen(self, v));
        let r = match rmw {
            Rmw::AddF16 | Rmw::AddF16x2 | Rmw::AddBf16 | Rmw::AddBf16x2 => self.b.fadd(x, y),
            Rmw::MinF16 | Rmw::MinF16x2 | Rmw::MinBf16 | Rmw::MinBf16x2 => {
                self.min_max(true, false, false, x, y, None)
            }
            _ => self.min_max(false, false, false, x, y, None),
        };
        let r = if half {
            self.float_to_half(r, Round::Nearest)
        } else {
            self.float_to_bf16(r, Round::Nearest)
        };
        self.b.bitcast(r, t)
    }
}
