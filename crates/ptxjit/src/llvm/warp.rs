//! Operations across lanes, barriers, and the functions that the driver supplies.

use super::build::{ACQ_REL, Fcmp, Icmp, V};
use super::emit::{Done, Gen, Mask};
use super::shape::UNIFORM;
use crate::ir::{BarrierRed, Builtin, Inst, Op, ReduxOp, ShflMode, Value, VoteMode};
use abi::sm::{CLUSTER_ARRIVE, CLUSTER_WAIT, Helpers};
use std::mem::offset_of;

impl Gen<'_, '_> {
    /// Generates an operation of the warp or block.
    ///
    /// # Errors
    /// What cannot be generated.
    pub fn warp_operation(&mut self, inst: Inst) -> Done {
        let data = self.f.insts[inst];
        let args: Vec<Value> = self.f.args(inst).to_vec();
        let results: Vec<Value> = self.f.results(inst).collect();
        let mask = self.guarded(data.guard);
        let i32 = self.b.i32;
        if self.w != 32
            && !matches!(
                data.op,
                Op::WarpSync | Op::CallBuiltin { .. } | Op::Barrier { .. }
            )
        {
            return self.refuse(format!("{} in 16-lane code", data.op));
        }
        match data.op {
            Op::Shfl { mode } => self.shfl(&results, &args, mode),
            Op::Vote { mode } => {
                let p = self.lane_pred(args[0]);
                let yes = self.mask_and(mask, p);
                let (ballot, active) = (self.mask_bits32(yes), self.mask_bits32(mask));
                let scalar = self.plan.shapes.shape(results[0]) == UNIFORM;
                let members = self.operand(args[1], i32, scalar);
                let (ballot, active) = if scalar {
                    (ballot, active)
                } else {
                    (self.b.splat(ballot, 32), self.b.splat(active, 32))
                };
                let b = &self.b;
                let (yes, all) = (b.and(ballot, members), b.and(active, members));
                let zero = b.zero(b.type_of(yes));
                let any_set = b.icmp(Icmp::LLVMIntNE, yes, zero);
                let all_set = b.icmp(Icmp::LLVMIntEQ, yes, all);
                let v = match mode {
                    VoteMode::All => all_set,
                    VoteMode::Any => any_set,
                    VoteMode::Uni => {
                        let none = b.not(any_set);
                        b.or(none, all_set)
                    }
                };
                self.set(results[0], v);
                Ok(())
            }
            Op::Ballot => {
                let p = self.lane_pred(args[0]);
                let yes = self.mask_and(mask, p);
                let bits = self.mask_bits32(yes);
                let scalar = self.plan.shapes.shape(results[0]) == UNIFORM;
                let members = self.operand(args[1], i32, scalar);
                let bits = if scalar { bits } else { self.b.splat(bits, 32) };
                let v = self.b.and(bits, members);
                self.set(results[0], v);
                Ok(())
            }
            Op::ActiveMask => {
                let bits = self.mask_bits32(mask);
                self.set(results[0], bits);
                Ok(())
            }
            Op::MatchAny { .. } => {
                let v = self.match_lanes(args[0], mask);
                let members = self.vector(args[1]);
                let v = self.b.and(v, members);
                self.set(results[0], v);
                Ok(())
            }
            Op::MatchAll { .. } => {
                let same = self.match_lanes(args[0], mask);
                let members = self.vector(args[1]);
                let active = self.mask_bits32(mask);
                let active = self.b.splat(active, 32);
                let (same, active) = (self.b.and(same, members), self.b.and(active, members));
                let all = self.b.icmp(Icmp::LLVMIntEQ, same, active);
                let v = self
                    .b
                    .select(all, active, self.b.zero(self.b.type_of(active)));
                let lane = self.last_lane(mask);
                for (r, v) in results.into_iter().zip([v, all]) {
                    let v = if self.plan.shapes.shape(r) == UNIFORM {
                        self.b.extract_at(v, lane)
                    } else {
                        v
                    };
                    self.set(r, v);
                }
                Ok(())
            }
            Op::Redux { op } => {
                let v = if self.uniform(args[1]) {
                    self.redux(op, args[0], mask)?
                } else {
                    self.redux_by_members(op, args[0], args[1], mask)?
                };
                self.set(results[0], v);
                Ok(())
            }
            Op::Elect => {
                let active = self.mask_bits32(mask);
                let active = self.b.splat(active, 32);
                let members = self.vector(args[0]);
                let m = self.b.and(active, members);
                let t = self.b.type_of(m);
                let leader = self
                    .b
                    .intrinsic("llvm.cttz", &[t], &[m, self.b.c(self.b.i1, 0)]);
                let lanes = self.lane_ids();
                let is = self.b.icmp(Icmp::LLVMIntEQ, leader, lanes);
                self.set(results[0], leader);
                self.set(results[1], is);
                Ok(())
            }
            Op::WarpSync => {
                self.b.compiler_fence(ACQ_REL);
                Ok(())
            }
            Op::Barrier { .. } | Op::BarrierArrive { .. } => {
                let (id, count) = (self.one(args[0], mask), self.one(args[1], mask));
                self.b.compiler_fence(ACQ_REL);
                if !self.single_warp() {
                    if !self.is_warp_kind() {
                        return self.refuse("a barrier here");
                    }
                    let offset = if matches!(data.op, Op::Barrier { .. }) {
                        offset_of!(Helpers, barrier)
                    } else {
                        offset_of!(Helpers, barrier_arrive)
                    };
                    let target = self.helper(offset);
                    let ty = self
                        .b
                        .function_type(self.b.void, &[self.b.ptr, i32, i32, i32]);
                    self.b.call(ty, target, &[self.ctx, self.warp(), id, count]);
                }
                Ok(())
            }
            Op::ClusterBarrier { wait } => {
                if !self.is_warp_kind() {
                    return self.refuse("a cluster's barrier here");
                }
                self.b.compiler_fence(ACQ_REL);
                let id = if wait { CLUSTER_WAIT } else { CLUSTER_ARRIVE };
                let target = self.helper(offset_of!(Helpers, barrier_arrive));
                let ty = self
                    .b
                    .function_type(self.b.void, &[self.b.ptr, i32, i32, i32]);
                let (id, all) = (self.b.c(i32, u64::from(id)), self.b.c(i32, 0));
                self.b.call(ty, target, &[self.ctx, self.warp(), id, all]);
                self.b.compiler_fence(ACQ_REL);
                Ok(())
            }
            Op::BarrierRed { op, .. } => {
                let (id, count) = (self.one(args[0], mask), self.one(args[1], mask));
                let p = self.lane_pred(args[2]);
                let yes = self.mask_and(mask, p);
                let (active, yes) = (self.mask_bits32(mask), self.mask_bits32(yes));
                let number = match op {
                    BarrierRed::Popc => 0,
                    BarrierRed::And => 1,
                    BarrierRed::Or => 2,
                };
                let v = if self.single_warp() {
                    let b = &self.b;
                    match op {
                        BarrierRed::Popc => b.intr("llvm.ctpop", &[yes]),
                        BarrierRed::And => {
                            let all = b.icmp(Icmp::LLVMIntEQ, yes, active);
                            b.zext(all, i32)
                        }
                        BarrierRed::Or => {
                            let any = b.icmp(Icmp::LLVMIntNE, yes, b.zero(i32));
                            b.zext(any, i32)
                        }
                    }
                } else if self.is_warp_kind() {
                    let target = self.helper(offset_of!(Helpers, barrier_reduce));
                    let ty = self
                        .b
                        .function_type(i32, &[self.b.ptr, i32, i32, i32, i32, i32, i32]);
                    let number = self.b.c(i32, number);
                    self.b.call(
                        ty,
                        target,
                        &[self.ctx, self.warp(), id, count, number, active, yes],
                    )
                } else {
                    return self.refuse("a barrier here");
                };
                self.set(results[0], v);
                Ok(())
            }
            Op::Nanosleep => {
                let ns = self.one(args[0], mask);
                if self.is_warp_kind() {
                    let target = self.helper(offset_of!(Helpers, nanosleep));
                    let ty = self.b.function_type(self.b.void, &[self.b.ptr, i32, i32]);
                    self.b.call(ty, target, &[self.ctx, self.warp(), ns]);
                }
                Ok(())
            }
            Op::CallBuiltin { builtin } => self.builtin(builtin, &results, &args, mask),
            _ => self.refuse(data.op.to_string()),
        }
    }

    /// Adds what the warp at hand brings to a barrier that counts or asks; `gathered` starts at 0.
    pub(super) fn gather_votes(&mut self, inst: Inst, gathered: V) {
        let Op::BarrierRed { op, .. } = self.f.insts[inst].op else {
            return;
        };
        let i32 = self.b.i32;
        let p = self.lane_pred(self.f.args(inst)[2]);
        let yes = self.mask_and(self.mask, p);
        let (active, yes) = (self.mask_bits32(self.mask), self.mask_bits32(yes));
        let b = &self.b;
        let old = b.load(i32, gathered, 4);
        let new = match op {
            BarrierRed::Popc => b.add(old, b.intr("llvm.ctpop", &[yes])),
            // Those that say no.
            BarrierRed::And => b.or(old, b.xor(active, yes)),
            BarrierRed::Or => b.or(old, yes),
        };
        b.store(new, gathered, 4);
    }

    /// Gives all warps what such a barrier has gathered.
    pub(super) fn give_votes(&mut self, inst: Inst, gathered: V) {
        let (Op::BarrierRed { op, .. }, Some(r)) = (self.f.insts[inst].op, self.f.result(inst))
        else {
            return;
        };
        let i32 = self.b.i32;
        let slot = self.slot_for_block(r);
        let b = &self.b;
        let all = b.load(i32, gathered, 4);
        let v = match op {
            BarrierRed::Popc => all,
            BarrierRed::And => b.zext(b.icmp(Icmp::LLVMIntEQ, all, b.zero(i32)), i32),
            BarrierRed::Or => b.zext(b.icmp(Icmp::LLVMIntNE, all, b.zero(i32)), i32),
        };
        b.store(v, slot, 16);
    }

    /// Whether a block surely has one warp.
    fn single_warp(&self) -> bool {
        self.lanes.threads().is_some_and(|t| t <= 32)
    }

    /// A value that all active lanes share.
    fn one(&mut self, value: Value, mask: Mask) -> V {
        if self.uniform(value) {
            return self.scalar(value);
        }
        let v = self.vector(value);
        let lane = self.last_lane(mask);
        self.b.extract_at(v, lane)
    }

    fn shfl(&mut self, results: &[Value], args: &[Value], mode: ShflMode) -> Done {
        let i32 = self.b.i32;
        let float = self.keeps_float(args[0]) || self.keeps_float(results[0]);
        let elem = if float { self.b.f32 } else { i32 };
        let constant = |g: &Self, i: usize| {
            g.f.as_const(args[i])
                .map(|c| u32::try_from(c & 0xffff_ffff).unwrap_or(0))
        };
        // One lane to all.
        if self.plan.shapes.shape(results[0]) == UNIFORM {
            let v = self.vector_as(args[0], elem);
            let lane = self.scalar(args[1]);
            let lane = self.b.and(lane, self.b.c(i32, 31));
            let v = self.b.extract_at(v, lane);
            self.set(results[0], v);
            self.set(results[1], self.b.ones(self.vt(self.b.i1)));
            return Ok(());
        }
        let v = self.vector_as(args[0], elem);
        if let (Some(b), Some(c)) = (constant(self, 1), constant(self, 2)) {
            let sources: Vec<(u32, bool)> = (0..32).map(|lane| source(mode, lane, b, c)).collect();
            let pick: Vec<i32> = sources.iter().map(|s| s.0.cast_signed()).collect();
            let r = self.b.shuffle(v, self.b.poison(self.b.type_of(v)), &pick);
            let inside = self
                .b
                .ints(self.b.i1, sources.iter().map(|s| u64::from(s.1)));
            self.set(results[0], r);
            self.set(results[1], inside);
            return Ok(());
        }
        let (b, c) = (self.vector(args[1]), self.vector(args[2]));
        let lanes = self.lane_ids();
        let g = &self.b;
        let t = g.type_of(b);
        let low = g.c(t, 31);
        let b = g.and(b, low);
        let clamp = g.and(c, low);
        let segment = g.lshr(c, g.c(t, 8));
        let segment = g.and(segment, low);
        let outside = g.not(segment);
        let least = g.and(lanes, segment);
        let most = g.and(clamp, outside);
        let most = g.or(least, most);
        let (j, inside) = match mode {
            ShflMode::Up => {
                let j = g.sub(lanes, b);
                (j, g.icmp(Icmp::LLVMIntSGE, j, most))
            }
            ShflMode::Down => {
                let j = g.add(lanes, b);
                (j, g.icmp(Icmp::LLVMIntSLE, j, most))
            }
            ShflMode::Bfly => {
                let j = g.xor(lanes, b);
                (j, g.icmp(Icmp::LLVMIntSLE, j, most))
            }
            ShflMode::Idx => {
                let j = g.and(b, outside);
                let j = g.or(j, least);
                (j, g.icmp(Icmp::LLVMIntSLE, j, most))
            }
        };
        let j = g.select(inside, j, lanes);
        let j = g.and(j, low);
        let slot = self.spilled(v);
        let at = super::memory::Address::Indexed(slot, j, 4);
        let r = self.gather_any(&at, elem, 4);
        self.set(results[0], r);
        self.set(results[1], inside);
        Ok(())
    }

    /// For each active lane, the active lanes with an equal value.
    fn match_lanes(&mut self, value: Value, mask: Mask) -> V {
        let v = self.vector(value);
        let vt = self.vt(self.b.i32);
        let (values, out) = (self.spilled(v), self.alloca(vt));
        self.b.store(self.b.zero(vt), out, 64);
        let elem = self.b.elem_of(self.b.type_of(v));
        self.each_lane(mask, |g, lane| {
            let x = g.spilled_lane(values, elem, lane);
            let x = g.b.splat(x, g.w);
            let same = g.b.icmp(Icmp::LLVMIntEQ, v, x);
            let same = g.mask_and(mask, same);
            let bits = g.mask_bits32(same);
            let p = g.b.gep(g.b.i32, out, &[lane]);
            g.b.store(bits, p, 4);
        });
        self.b.load(vt, out, 64)
    }

    /// A reduction of lanes that name different members: each lane's own.
    fn redux_by_members(
        &mut self,
        op: ReduxOp,
        value: Value,
        members: Value,
        mask: Mask,
    ) -> Result<V, super::emit::Unsupported> {
        let i32 = self.b.i32;
        let vt = self.vt(i32);
        let members = self.vector_as(members, i32);
        let (members, out) = (self.spilled(members), self.alloca(vt));
        self.b.store(self.b.zero(vt), out, 64);
        let lanes = self.lane_ids();
        let mut done = Ok(());
        self.each_lane(mask, |g, lane| {
            let own = g.spilled_lane(members, i32, lane);
            let own = g.b.splat(own, g.w);
            let bit = g.b.lshr(own, lanes);
            let bit = g.b.and(bit, g.b.c(vt, 1));
            let inside = g.b.icmp(Icmp::LLVMIntNE, bit, g.b.zero(vt));
            let group = g.mask_and(mask, inside);
            match g.redux(op, value, group) {
                Ok(v) => {
                    let p = g.b.gep(i32, out, &[lane]);
                    g.b.store(v, p, 4);
                }
                Err(e) => done = Err(e),
            }
        });
        done?;
        Ok(self.b.load(vt, out, 64))
    }

    fn redux(
        &mut self,
        op: ReduxOp,
        value: Value,
        mask: Mask,
    ) -> Result<V, super::emit::Unsupported> {
        let v = self.vector(value);
        let t = self.b.type_of(v);
        let (name, identity): (&'static str, u64) = match op {
            ReduxOp::Add => ("llvm.vector.reduce.add", 0),
            ReduxOp::And => ("llvm.vector.reduce.and", 0xffff_ffff),
            ReduxOp::Or => ("llvm.vector.reduce.or", 0),
            ReduxOp::Xor => ("llvm.vector.reduce.xor", 0),
            ReduxOp::Smin => ("llvm.vector.reduce.smin", 0x7fff_ffff),
            ReduxOp::Smax => ("llvm.vector.reduce.smax", 0x8000_0000),
            ReduxOp::Umin => ("llvm.vector.reduce.umin", 0xffff_ffff),
            ReduxOp::Umax => ("llvm.vector.reduce.umax", 0),
            ReduxOp::Fmin | ReduxOp::Fmax | ReduxOp::FminAbs | ReduxOp::FmaxAbs => {
                return self.float_redux(op, value, mask, false);
            }
            ReduxOp::FminNan | ReduxOp::FmaxNan | ReduxOp::FminAbsNan | ReduxOp::FmaxAbsNan => {
                return self.float_redux(op, value, mask, true);
            }
        };
        let v = self.blend(mask, v, self.b.c(t, identity));
        Ok(self.b.intr(name, &[v]))
    }

    fn float_redux(
        &mut self,
        op: ReduxOp,
        value: Value,
        mask: Mask,
        nan: bool,
    ) -> Result<V, super::emit::Unsupported> {
        let absolute = matches!(
            op,
            ReduxOp::FminAbs | ReduxOp::FmaxAbs | ReduxOp::FminAbsNan | ReduxOp::FmaxAbsNan
        );
        let least = matches!(
            op,
            ReduxOp::Fmin | ReduxOp::FminAbs | ReduxOp::FminNan | ReduxOp::FminAbsNan
        );
        let mut v = self.vector_as(value, self.b.f32);
        if absolute {
            v = self.b.intr("llvm.fabs", &[v]);
        }
        let t = self.b.type_of(v);
        let is_nan = self.b.fcmp(Fcmp::LLVMRealUNO, v, v);
        let identity = self.b.fc(
            t,
            if least {
                f64::INFINITY
            } else {
                f64::NEG_INFINITY
            },
        );
        // Where NaN loses, it takes no part; all NaN gives NaN.
        let usable = self.b.select(is_nan, identity, v);
        let usable = self.blend(mask, usable, identity);
        let nans = self.mask_and(mask, is_nan);
        let (nans, active) = (self.mask_bits32(nans), self.mask_bits32(mask));
        // Zeros in order: as integers of sign and magnitude.
        let it = self.vt(self.b.i32);
        let bits = self.b.bitcast(usable, it);
        let sign = self.b.ashr(bits, self.b.c(it, 31));
        let flip = self.b.and(sign, self.b.c(it, 0x7fff_ffff));
        let key = self.b.xor(bits, flip);
        let name = if least {
            "llvm.vector.reduce.smin"
        } else {
            "llvm.vector.reduce.smax"
        };
        let key = self.b.intr(name, &[key]);
        let i32 = self.b.i32;
        let sign = self.b.ashr(key, self.b.c(i32, 31));
        let flip = self.b.and(sign, self.b.c(i32, 0x7fff_ffff));
        let r = self.b.xor(key, flip);
        let bad = if nan {
            self.b.icmp(Icmp::LLVMIntNE, nans, self.b.c(i32, 0))
        } else {
            self.b.icmp(Icmp::LLVMIntEQ, nans, active)
        };
        Ok(self.b.select(bad, self.b.c(i32, 0x7fff_ffff), r))
    }

    fn builtin(&mut self, builtin: Builtin, results: &[Value], args: &[Value], mask: Mask) -> Done {
        let (ptr, i32, i64) = (self.b.ptr, self.b.i32, self.b.i64);
        let mut slots = Vec::new();
        for &a in args {
            let v = self.vector(a);
            slots.push(self.spilled(v));
        }
        let bits = self.mask_bits32(mask);
        let warp = self.warp();
        let ctx = self.ctx;
        let (offset, pass, out): (usize, Vec<V>, Option<super::build::T>) = match builtin {
            Builtin::Vprintf => (
                offset_of!(Helpers, vprintf),
                vec![slots[0], slots[1]],
                Some(i32),
            ),
            // Message, file, line, function; the size of a character is always 1.
            Builtin::Assertfail => (offset_of!(Helpers, assertfail), slots[..4].to_vec(), None),
            Builtin::Malloc => (offset_of!(Helpers, malloc), vec![slots[0]], Some(i64)),
            Builtin::Free => (offset_of!(Helpers, free), vec![slots[0]], None),
        };
        // A strip of 16 lanes is half a warp; helpers take arrays of 32.
        let target = self.helper(offset);
        let out_slot = out.map(|t| {
            let slot = self.alloca(self.b.vec(t, 32));
            self.b.store(self.b.zero(self.b.vec(t, 32)), slot, 64);
            slot
        });
        let mut types = vec![ptr, i32, i32];
        let mut values = vec![ctx, warp, bits];
        for p in pass.into_iter().chain(out_slot) {
            types.push(ptr);
            values.push(p);
        }
        let ty = self.b.function_type(self.b.void, &types);
        self.b.call(ty, target, &values);
        if let (Some(slot), Some(t), Some(&r)) = (out_slot, out, results.first()) {
            let v = self.b.load(self.vt(t), slot, 64);
            self.set(r, v);
        }
        Ok(())
    }
}

/// Source lane of an exchange and whether it was in range (PTX ISA 9.0, `shfl.sync`).
pub(super) fn source(mode: ShflMode, lane: u32, b: u32, c: u32) -> (u32, bool) {
    let (b, clamp, segment) = (b & 31, c & 31, c >> 8 & 31);
    let least = lane & segment;
    let most = (least | clamp & !segment).cast_signed();
    let (lane_s, b_s) = (lane.cast_signed(), b.cast_signed());
    let (j, inside) = match mode {
        ShflMode::Up => (lane_s - b_s, lane_s - b_s >= most),
        ShflMode::Down => (lane_s + b_s, lane_s + b_s <= most),
        ShflMode::Bfly => (lane_s ^ b_s, lane_s ^ b_s <= most),
        ShflMode::Idx => {
            let j = (least | b & !segment).cast_signed();
            (j, j <= most)
        }
    };
    (
        if inside {
            (j & 31).cast_unsigned()
        } else {
            lane
        },
        inside,
    )
}
