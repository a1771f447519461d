//! Integer operations, comparison, selection, widths and special registers.

use super::build::{Icmp, Opcode, V};
use super::emit::{Done, Gen};
use super::shape::Shape;
use crate::ir::{Inst, Int, IntCmp, Op, PrmtMode, Sign, Special, Ty, Value};
use abi::sm::{self, CtaContext, Helpers};
use std::mem::offset_of;

/// LLVM's predicate.
#[must_use]
pub fn icmp(cmp: IntCmp) -> Icmp {
    match cmp {
        IntCmp::Eq => Icmp::LLVMIntEQ,
        IntCmp::Ne => Icmp::LLVMIntNE,
        IntCmp::Slt => Icmp::LLVMIntSLT,
        IntCmp::Sle => Icmp::LLVMIntSLE,
        IntCmp::Sgt => Icmp::LLVMIntSGT,
        IntCmp::Sge => Icmp::LLVMIntSGE,
        IntCmp::Ult => Icmp::LLVMIntULT,
        IntCmp::Ule => Icmp::LLVMIntULE,
        IntCmp::Ugt => Icmp::LLVMIntUGT,
        IntCmp::Uge => Icmp::LLVMIntUGE,
    }
}

impl Gen<'_, '_> {
    /// Generates one instruction.
    ///
    /// # Errors
    /// What cannot be generated.
    pub fn instruction(&mut self, inst: Inst) -> Done {
        let f = self.f;
        let data = f.insts[inst];
        let args: Vec<Value> = f.args(inst).to_vec();
        let results: Vec<Value> = f.results(inst).collect();
        if let Some(&v) = results.first().and_then(|r| self.agreed.get(r)) {
            self.set(results[0], v);
            return Ok(());
        }
        match data.op {
            Op::Load { .. }
            | Op::Store { .. }
            | Op::Atom { .. }
            | Op::Red { .. }
            | Op::Fence { .. } => {
                return self.memory(inst);
            }
            Op::Shfl { .. }
            | Op::Vote { .. }
            | Op::Ballot
            | Op::MatchAny { .. }
            | Op::MatchAll { .. }
            | Op::ActiveMask
            | Op::Redux { .. }
            | Op::Elect
            | Op::WarpSync
            | Op::Barrier { .. }
            | Op::BarrierArrive { .. }
            | Op::BarrierRed { .. }
            | Op::Nanosleep
            | Op::ClusterBarrier { .. }
            | Op::CallBuiltin { .. } => return self.warp_operation(inst),
            Op::CallRuntime { function } => return self.device_runtime(inst, function),
            Op::Texture { access } => return self.texture(inst, access),
            Op::Special { reg } => return self.special(results[0], reg),
            Op::GlobalAddr { symbol } => {
                let v = self.symbol_address(symbol);
                self.set(results[0], v);
                return Ok(());
            }
            Op::LocalAddr { slot } => {
                let v = self.b.c(self.b.i32, u64::from(f.locals[slot].offset));
                let v = match self.frame_base {
                    Some(base) if !self.is_piece => self.b.add(base, v),
                    Some(_) | None => v,
                };
                self.set(results[0], v);
                return Ok(());
            }
            Op::ToGeneric { space } => return self.make_generic(results[0], args[0], space),
            Op::FromGeneric { space } => return self.strip_generic(results[0], args[0], space),
            Op::IsSpace { space } => return self.is_space(results[0], args[0], space),
            Op::Call { func, .. } => {
                return match self.module.functions[func].routine {
                    Some(routine) => self.routine(func, routine, &results, &args, inst),
                    None => self.call(func, &results, &args),
                };
            }
            Op::Alloca { .. } | Op::StackSave | Op::StackRestore => {
                self.stack_operation(data.op, &results, &args);
                return Ok(());
            }
            _ => {}
        }
        if results.is_empty() {
            return self.refuse(data.op.to_string());
        }
        // Affine values: the operation on the bases gives the base.
        let shape = self.plan.shapes.shape(results[0]);
        let scalar = match shape {
            Shape::Affine(_) => true,
            Shape::Varying | Shape::Bottom => false,
        };
        if scalar {
            self.note_wraps(results[0]);
        }
        let values = self.pure(&data.op, &args, scalar)?;
        for (r, v) in results.into_iter().zip(values) {
            self.set(r, v);
        }
        Ok(())
    }

    /// A pure operation on scalars or on vectors.
    #[expect(clippy::too_many_lines, reason = "one row per operation")]
    fn pure(
        &mut self,
        op: &Op,
        args: &[Value],
        scalar: bool,
    ) -> Result<Vec<V>, super::emit::Unsupported> {
        if let Some(v) = self.float(op, args, scalar)? {
            return Ok(vec![v]);
        }
        let a = |g: &mut Self, i: usize| {
            let t = g.int(g.f.ty(args[i]));
            g.operand(args[i], t, scalar)
        };
        let pair = |w: Int| w == Int::I16x2;
        let one = match *op {
            Op::Add { w } | Op::Sub { w } | Op::Mul { w } => {
                let (x, y) = (a(self, 0), a(self, 1));
                self.lanes16(pair(w), x, y, |g, x, y| match op {
                    Op::Add { .. } => g.b.add(x, y),
                    Op::Sub { .. } => g.b.sub(x, y),
                    _ => g.b.mul(x, y),
                })
            }
            Op::MulHi { w, sign } => {
                let (x, y) = (a(self, 0), a(self, 1));
                let wide = self.b.int(2 * w.bits());
                let (x, y) = (self.extend(x, wide, sign), self.extend(y, wide, sign));
                let p = self.b.mul(x, y);
                let h = self.b.lshr(p, self.same(p, u64::from(w.bits())));
                self.trunc_like(h, self.b.int(w.bits()))
            }
            Op::MulWide { w, sign } => {
                let (x, y) = (a(self, 0), a(self, 1));
                let wide = self.b.int(2 * w.bits());
                let (x, y) = (self.extend(x, wide, sign), self.extend(y, wide, sign));
                self.b.mul(x, y)
            }
            Op::AddSat { w } | Op::SubSat { w } => {
                let (x, y) = (a(self, 0), a(self, 1));
                let name = if matches!(op, Op::AddSat { .. }) {
                    "llvm.sadd.sat"
                } else {
                    "llvm.ssub.sat"
                };
                self.lanes16(pair(w), x, y, |g, x, y| g.b.intr(name, &[x, y]))
            }
            Op::AddCarry { .. } | Op::SubBorrow { .. } => {
                let (x, y) = (a(self, 0), a(self, 1));
                let c = self.operand(args[2], self.b.i1, scalar);
                let c = self.zext_like(c, self.b.elem_of(self.b.type_of(x)));
                let b = &self.b;
                let (r, out) = if matches!(op, Op::AddCarry { .. }) {
                    let s = b.add(x, y);
                    let c1 = b.icmp(Icmp::LLVMIntULT, s, x);
                    let r = b.add(s, c);
                    let c2 = b.icmp(Icmp::LLVMIntULT, r, s);
                    (r, b.or(c1, c2))
                } else {
                    let s = b.sub(x, y);
                    let c1 = b.icmp(Icmp::LLVMIntULT, x, y);
                    let r = b.sub(s, c);
                    let c2 = b.icmp(Icmp::LLVMIntULT, s, c);
                    (r, b.or(c1, c2))
                };
                return Ok(vec![r, out]);
            }
            Op::Div { w, sign } | Op::Rem { w, sign } => {
                let (x, y) = (a(self, 0), a(self, 1));
                self.divide(w, sign, matches!(op, Op::Rem { .. }), x, y)
            }
            Op::Abs { w } => {
                let x = a(self, 0);
                self.lanes16(pair(w), x, x, |g, x, _| {
                    g.b.intrinsic("llvm.abs", &[g.b.type_of(x)], &[x, g.b.c(g.b.i1, 0)])
                })
            }
            Op::Min { w, sign } | Op::Max { w, sign } => {
                let (x, y) = (a(self, 0), a(self, 1));
                let name = match (matches!(op, Op::Min { .. }), sign) {
                    (true, Sign::Signed) => "llvm.smin",
                    (true, Sign::Unsigned) => "llvm.umin",
                    (false, Sign::Signed) => "llvm.smax",
                    (false, Sign::Unsigned) => "llvm.umax",
                };
                self.lanes16(pair(w), x, y, |g, x, y| g.b.intr(name, &[x, y]))
            }
            Op::And { .. } => {
                let (x, y) = (a(self, 0), a(self, 1));
                self.b.and(x, y)
            }
            Op::Or { .. } => {
                let (x, y) = (a(self, 0), a(self, 1));
                self.b.or(x, y)
            }
            Op::Xor { .. } => {
                let (x, y) = (a(self, 0), a(self, 1));
                self.b.xor(x, y)
            }
            Op::Not { .. } => {
                let x = a(self, 0);
                self.b.not(x)
            }
            Op::Lop3 { lut } => {
                let (x, y, z) = (a(self, 0), a(self, 1), a(self, 2));
                self.lop3(lut, x, y, z)
            }
            Op::Shl { w } => {
                let (x, n) = (a(self, 0), a(self, 1));
                self.shift(w, Opcode::LLVMShl, x, n)
            }
            Op::Shr { w, sign } => {
                let (x, n) = (a(self, 0), a(self, 1));
                self.shift(
                    w,
                    if sign == Sign::Signed {
                        Opcode::LLVMAShr
                    } else {
                        Opcode::LLVMLShr
                    },
                    x,
                    n,
                )
            }
            Op::ShfL { wrap } | Op::ShfR { wrap } => {
                let (lo, hi, n) = (a(self, 0), a(self, 1), a(self, 2));
                let left = matches!(op, Op::ShfL { .. });
                // Funnel shifts of LLVM take the amount modulo the width: the wrapping form.
                let name = if left { "llvm.fshl" } else { "llvm.fshr" };
                let r = self.b.intr(name, &[hi, lo, n]);
                if wrap {
                    r
                } else {
                    let over = self.b.icmp(Icmp::LLVMIntUGE, n, self.same(n, 32));
                    self.b.select(over, if left { lo } else { hi }, r)
                }
            }
            Op::Clz { .. } => {
                let x = a(self, 0);
                let r = self.leading_zeros(x);
                self.zext_like(r, self.b.i32)
            }
            Op::Popc { .. } => {
                let x = a(self, 0);
                let r = self.b.intr("llvm.ctpop", &[x]);
                self.zext_like(r, self.b.i32)
            }
            Op::Brev { .. } => {
                let x = a(self, 0);
                self.b.intr("llvm.bitreverse", &[x])
            }
            Op::Bfe { w, sign } => {
                let (x, p, l) = (a(self, 0), a(self, 1), a(self, 2));
                self.bfe(w, sign, x, p, l)
            }
            Op::Bfi { w } => {
                let (x, y, p, l) = (a(self, 0), a(self, 1), a(self, 2), a(self, 3));
                let elem = self.b.int(w.bits());
                let byte = self.same(p, 255);
                let (p, l) = (self.b.and(p, byte), self.b.and(l, byte));
                let (p, l) = (self.zext_like(p, elem), self.zext_like(l, elem));
                let ones = self.b.ones(self.b.type_of(x));
                let m = self.shift_wide(Opcode::LLVMShl, ones, l);
                let m = self.b.not(m);
                let m = self.shift_wide(Opcode::LLVMShl, m, p);
                let x = self.shift_wide(Opcode::LLVMShl, x, p);
                let n = self.b.not(m);
                let (x, y) = (self.b.and(x, m), self.b.and(y, n));
                self.b.or(x, y)
            }
            Op::Bfind { w, sign, shiftamt } => {
                let x = a(self, 0);
                let x = if sign == Sign::Signed {
                    let s = self.b.ashr(x, self.same(x, u64::from(w.bits() - 1)));
                    self.b.xor(x, s)
                } else {
                    x
                };
                let z = self.leading_zeros(x);
                let none = self.b.icmp(Icmp::LLVMIntEQ, x, self.same(x, 0));
                let z = self.zext_like(z, self.b.i32);
                let r = if shiftamt {
                    z
                } else {
                    self.b.sub(self.same(z, u64::from(w.bits() - 1)), z)
                };
                self.b.select(none, self.b.ones(self.b.type_of(r)), r)
            }
            Op::Fns => {
                let (m, base, n) = (a(self, 0), a(self, 1), a(self, 2));
                self.fns(m, base, n)
            }
            Op::Prmt { mode } => {
                let (x, y, s) = (a(self, 0), a(self, 1), a(self, 2));
                self.prmt(mode, x, y, s, self.f.as_const(args[2]))
            }
            Op::Bmsk { wrap } => {
                let (p, l) = (a(self, 0), a(self, 1));
                let (p, l) = if wrap {
                    let m = self.same(p, 31);
                    (self.b.and(p, m), self.b.and(l, m))
                } else {
                    (p, l)
                };
                let ones = self.b.ones(self.b.type_of(p));
                let m = self.shift_wide(Opcode::LLVMShl, ones, l);
                let m = self.b.not(m);
                self.shift_wide(Opcode::LLVMShl, m, p)
            }
            Op::Szext { sign, wrap } => {
                let (x, n) = (a(self, 0), a(self, 1));
                let n = if wrap {
                    self.b.and(n, self.same(n, 31))
                } else {
                    n
                };
                let zero = self.same(n, 0);
                self.bfe(Int::I32, sign, x, zero, n)
            }
            Op::Dp4a { sa, sb } => {
                let (x, y, z) = (a(self, 0), a(self, 1), a(self, 2));
                match self.dot_of_bytes(x, y, sa, sb) {
                    Some(products) => self.b.add(products, z),
                    None => (0..4).fold(z, |sum, i| {
                        let p = self.field_of(x, 8 * i, 8, sa);
                        let q = self.field_of(y, 8 * i, 8, sb);
                        self.b.add(sum, self.b.mul(p, q))
                    }),
                }
            }
            Op::Dp2a { sa, sb, hi } => {
                let (x, y, z) = (a(self, 0), a(self, 1), a(self, 2));
                let mut sum = z;
                for i in 0..2 {
                    let (p, q) = (
                        self.field_of(x, 16 * i, 16, sa),
                        self.field_of(y, 8 * i + if hi { 16 } else { 0 }, 8, sb),
                    );
                    let p = self.b.mul(p, q);
                    sum = self.b.add(sum, p);
                }
                sum
            }
            Op::ICmp { cmp, .. } => {
                let (x, y) = (a(self, 0), a(self, 1));
                self.b.icmp(icmp(cmp), x, y)
            }
            Op::Select { .. } => {
                let uniform = self.uniform(args[0]);
                let c = self.operand(args[0], self.b.i1, uniform || scalar);
                let float = self.keeps_float(args[1]) || self.keeps_float(args[2]);
                let elem = match self.f.ty(args[1]) {
                    Ty::B32 if float && !scalar => self.b.f32,
                    Ty::B64 if float && !scalar => self.b.f64,
                    other => self.int(other),
                };
                let (x, y) = (
                    self.operand(args[1], elem, scalar),
                    self.operand(args[2], elem, scalar),
                );
                if self.f.ty(args[1]) == Ty::Pred && !scalar {
                    // Bits, not a select of bits: legalises better.
                    let c = if uniform { self.b.splat(c, self.w) } else { c };
                    let (x, n) = (self.b.and(c, x), self.b.not(c));
                    let y = self.b.and(n, y);
                    self.b.or(x, y)
                } else {
                    self.b.select(c, x, y)
                }
            }
            Op::Zext { to, .. } => {
                let x = a(self, 0);
                self.zext_like(x, self.int(to))
            }
            Op::Sext { to, .. } => {
                let x = a(self, 0);
                self.sext_like(x, self.int(to))
            }
            Op::Trunc { to, .. } => {
                let x = a(self, 0);
                self.trunc_like(x, self.int(to))
            }
            Op::Pack { elem, to } => {
                let t = self.int(to);
                let mut out = None;
                for (i, _) in args.iter().enumerate() {
                    let x = a(self, i);
                    let x = self.zext_like(x, t);
                    let x = if i == 0 {
                        x
                    } else {
                        self.b
                            .shl(x, self.same(x, u64::from(elem.bits()) * i as u64))
                    };
                    out = Some(match out {
                        None => x,
                        Some(sum) => self.b.or(sum, x),
                    });
                }
                match out {
                    Some(v) => v,
                    None => return self.refuse("an empty pack"),
                }
            }
            Op::Extract { to, index, .. } => {
                let x = a(self, 0);
                let n = u64::from(to.bits()) * u64::from(index);
                let x = if n == 0 {
                    x
                } else {
                    self.b.lshr(x, self.same(x, n))
                };
                self.trunc_like(x, self.int(to))
            }
            _ => return self.refuse(op.to_string()),
        };
        Ok(vec![one])
    }

    fn extend(&self, v: V, elem: super::build::T, sign: Sign) -> V {
        match sign {
            Sign::Signed => self.sext_like(v, elem),
            Sign::Unsigned => self.zext_like(v, elem),
        }
    }

    /// Applies `f` to 32-bit values as pairs of 16-bit elements where `pair`.
    fn lanes16(&mut self, pair: bool, x: V, y: V, f: impl FnOnce(&mut Self, V, V) -> V) -> V {
        if !pair {
            return f(self, x, y);
        }
        let t = self.b.type_of(x);
        let half = self.b.vec(self.b.i16, 2 * self.b.lanes_of(t));
        let (x, y) = (self.b.bitcast(x, half), self.b.bitcast(y, half));
        let r = f(self, x, y);
        self.b.bitcast(r, t)
    }

    /// The shared address `offset` bytes into the reserved shared memory.
    fn reserved_shared(&mut self, offset: u32) -> V {
        let i32 = self.b.i32;
        let total = self.field(offset_of!(CtaContext, total_shared), i32);
        let last = sm::RESERVED_SHARED_ALIGN - 1;
        let up = self.b.add(total, self.b.c(i32, u64::from(last)));
        let begin = self.b.and(up, self.b.c(i32, u64::from(!last)));
        self.b.add(begin, self.b.c(i32, u64::from(offset)))
    }

    /// Bits `at .. at + bits` extended to 32.
    fn field_of(&self, x: V, at: u64, bits: u64, sign: Sign) -> V {
        let up = self.b.shl(x, self.same(x, 32 - at - bits));
        match sign {
            Sign::Signed => self.b.ashr(up, self.same(x, 32 - bits)),
            Sign::Unsigned => self.b.lshr(up, self.same(x, 32 - bits)),
        }
    }

    /// A shift whose amount has the operand's type and may be at or beyond the width (then zeros).
    fn shift_wide(&self, op: Opcode, x: V, n: V) -> V {
        let bits = u64::from(self.b.bits_of(self.b.type_of(x)));
        let over = self.b.icmp(Icmp::LLVMIntUGE, n, self.same(n, bits));
        let safe = self.b.select(over, self.same(n, 0), n);
        let r = self.b.bin(op, x, safe);
        self.b.select(over, self.same(x, 0), r)
    }

    /// PTX shift: amounts (`i32`) at or beyond the width act as the width.
    fn shift(&mut self, w: Int, op: Opcode, x: V, n: V) -> V {
        let bits = u64::from(w.bits());
        if w == Int::I16x2 {
            let t = self.b.type_of(x);
            let half = self.b.vec(self.b.i16, 2 * self.b.lanes_of(t));
            let n = self.trunc_amount(n, bits);
            let low = self.b.and(n, self.same(n, 0xffff));
            let high = self.b.shl(low, self.same(n, 16));
            let n = self.b.or(low, high);
            let (x, n) = (self.b.bitcast(x, half), self.b.bitcast(n, half));
            let r = self.shift_amount(op, x, n, bits);
            return self.b.bitcast(r, t);
        }
        let elem = self.b.int(w.bits());
        if let Some(c) = self.splat_constant(n) {
            if c < bits {
                return self.b.bin(op, x, self.same(x, c));
            }
            return if op == Opcode::LLVMAShr {
                self.b.ashr(x, self.same(x, bits - 1))
            } else {
                self.same(x, 0)
            };
        }
        let n = if w.bits() < 32 {
            self.trunc_amount(n, bits)
        } else {
            n
        };
        let n = self.zext_like(n, elem);
        self.shift_amount(op, x, n, bits)
    }

    fn trunc_amount(&self, n: V, bits: u64) -> V {
        self.b.intr("llvm.umin", &[n, self.same(n, bits)])
    }

    fn shift_amount(&self, op: Opcode, x: V, n: V, bits: u64) -> V {
        if op == Opcode::LLVMAShr {
            let n = self.b.intr("llvm.umin", &[n, self.same(n, bits - 1)]);
            self.b.ashr(x, n)
        } else {
            self.shift_wide(op, x, n)
        }
    }

    /// The value of a constant, or of the elements of a constant splat.
    fn splat_constant(&self, v: V) -> Option<u64> {
        if !self.b.is_const(v) {
            return None;
        }
        if self.b.lanes_of(self.b.type_of(v)) == 1 {
            return self.b.as_int(v);
        }
        let first = self.b.extract(v, 0);
        let value = self.b.as_int(first)?;
        (v == self.same(v, value)).then_some(value)
    }

    fn bfe(&mut self, w: Int, sign: Sign, x: V, p: V, l: V) -> V {
        let bits = u64::from(w.bits());
        let elem = self.b.int(w.bits());
        if let (Some(p), Some(l)) = (self.splat_constant(p), self.splat_constant(l)) {
            let (p, l) = (p & 255, l & 255);
            if l > 0 && p + l <= bits {
                let up = self.b.shl(x, self.same(x, bits - p - l));
                let op = if sign == Sign::Signed {
                    Opcode::LLVMAShr
                } else {
                    Opcode::LLVMLShr
                };
                return self.b.bin(op, up, self.same(x, bits - l));
            }
        }
        let byte = self.same(p, 255);
        let (p, l) = (self.b.and(p, byte), self.b.and(l, byte));
        let (p, l) = (self.zext_like(p, elem), self.zext_like(l, elem));
        let shifted = if sign == Sign::Signed {
            // Past the end there are copies of the sign.
            let n = self.b.intr("llvm.umin", &[p, self.same(p, bits - 1)]);
            self.b.ashr(x, n)
        } else {
            self.shift_wide(Opcode::LLVMLShr, x, p)
        };
        let ones = self.b.ones(self.b.type_of(x));
        let keep = self.shift_wide(Opcode::LLVMShl, ones, l);
        let mask = self.b.not(keep);
        let low = self.b.and(shifted, mask);
        if sign == Sign::Unsigned {
            return low;
        }
        // The sign bit is the field's top bit, or the value's where the field passes the end; none for length 0.
        let top = self.b.add(p, l);
        let top = self.b.sub(top, self.same(top, 1));
        let top = self.b.intr("llvm.umin", &[top, self.same(top, bits - 1)]);
        let sign = self.b.lshr(x, top);
        let sign = self.b.and(sign, self.same(sign, 1));
        let negative = self.b.icmp(Icmp::LLVMIntNE, sign, self.same(sign, 0));
        let some = self.b.icmp(Icmp::LLVMIntNE, l, self.same(l, 0));
        let negative = self.b.and(negative, some);
        let filled = self.b.or(low, keep);
        self.b.select(negative, filled, low)
    }

    fn lop3(&mut self, lut: u8, x: V, y: V, z: V) -> V {
        let b = &self.b;
        match lut {
            0xc0 => return b.and(x, y),
            0xfc => return b.or(x, y),
            0x3c => return b.xor(x, y),
            0x80 => {
                let r = b.and(x, y);
                return b.and(r, z);
            }
            0xfe => {
                let r = b.or(x, y);
                return b.or(r, z);
            }
            0x96 => {
                let r = b.xor(x, y);
                return b.xor(r, z);
            }
            _ => {}
        }
        // By cases of z: f1 where z, f0 elsewhere, each a function of x and y.
        let case = |bits: u8| -> V {
            // bit (x<<1|y)
            let zero = b.zero(b.type_of(x));
            let (nx, ny) = (b.not(x), b.not(y));
            let mut r = zero;
            for (i, (p, q)) in [(nx, ny), (nx, y), (x, ny), (x, y)].into_iter().enumerate() {
                if bits >> i & 1 != 0 {
                    let t = b.and(p, q);
                    r = b.or(r, t);
                }
            }
            r
        };
        let pick = |bit: u8| (0..4).fold(0u8, |acc, i| acc | (lut >> (2 * i + bit) & 1) << i);
        let (f0, f1) = (case(pick(0)), case(pick(1)));
        let nz = b.not(z);
        let (p, q) = (b.and(f1, z), b.and(f0, nz));
        b.or(p, q)
    }

    fn divide(&mut self, w: Int, sign: Sign, rem: bool, x: V, y: V) -> V {
        if w == Int::I16x2 {
            return self.b.poison(self.b.type_of(x));
        }
        let b = &self.b;
        let zero = b.icmp(Icmp::LLVMIntEQ, y, self.same(y, 0));
        let signed = sign == Sign::Signed;
        let bits = w.bits();
        let by_constant = self
            .splat_constant(y)
            .is_some_and(|c| c != 0 && c != self.all_ones(bits));
        if by_constant {
            let op = match (rem, signed) {
                (false, true) => Opcode::LLVMSDiv,
                (false, false) => Opcode::LLVMUDiv,
                (true, true) => Opcode::LLVMSRem,
                (true, false) => Opcode::LLVMURem,
            };
            return b.bin(op, x, y);
        }
        // x / 0 is all ones; the smallest / -1 is itself: dividing by 1 gives that, and remainder 0.
        let bad = if signed {
            let least = b.icmp(Icmp::LLVMIntEQ, x, self.same(x, 1 << (bits - 1)));
            let minus = b.icmp(Icmp::LLVMIntEQ, y, b.ones(b.type_of(y)));
            let over = b.and(least, minus);
            b.or(zero, over)
        } else {
            zero
        };
        let y1 = b.select(bad, self.same(y, 1), y);
        let q = self.quotient(bits, signed, x, y1);
        let b = &self.b;
        if rem {
            let p = b.mul(q, y1);
            let r = b.sub(x, p);
            b.select(zero, x, r)
        } else {
            b.select(zero, b.ones(b.type_of(q)), q)
        }
    }

    fn all_ones(&self, bits: u32) -> u64 {
        u64::MAX >> (64 - bits)
    }

    /// x / y for y ≠ 0 without overflow. Vectors of up to 32 bits divide as doubles, which is exact.
    fn quotient(&mut self, bits: u32, signed: bool, x: V, y: V) -> V {
        let b = &self.b;
        let t = b.type_of(x);
        if b.lanes_of(t) == 1 || bits > 32 {
            return b.bin(
                if signed {
                    Opcode::LLVMSDiv
                } else {
                    Opcode::LLVMUDiv
                },
                x,
                y,
            );
        }
        let d = b.like(t, b.f64);
        if signed {
            let (p, q) = (
                b.cast(Opcode::LLVMSIToFP, x, d),
                b.cast(Opcode::LLVMSIToFP, y, d),
            );
            let q = b.fdiv(p, q);
            let r = b.cast(Opcode::LLVMFPToSI, q, b.like(t, b.i32));
            return self.trunc_like(r, b.elem_of(t));
        }
        // Unsigned through a 2^52 bias: exact for 32 bits and free of 64-bit conversions.
        let wide = b.like(t, b.i64);
        let bias = b.c(wide, 0x4330_0000_0000_0000);
        let two52 = b.fc(d, 4_503_599_627_370_496.0);
        let to = |v: V| {
            let v = b.zext(v, wide);
            let v = b.or(v, bias);
            let v = b.bitcast(v, d);
            b.fsub(v, two52)
        };
        let (p, q) = (to(x), to(y));
        let q = b.fdiv(p, q);
        let q = b.intr("llvm.floor", &[q]);
        let q = b.fadd(q, two52);
        let q = b.bitcast(q, wide);
        b.cast(Opcode::LLVMTrunc, q, t)
    }

    fn fns(&mut self, mask: V, base: V, n: V) -> V {
        // Rare: a loop over the 32 bits, in SSA form by lane. Direction by the sign of n.
        let b = &self.b;
        let t = b.type_of(mask);
        let none = b.ones(t);
        let zero = b.zero(t);
        let one = b.c(t, 1);
        let forward = b.icmp(Icmp::LLVMIntSGT, n, zero);
        let still = b.icmp(Icmp::LLVMIntEQ, n, zero);
        let size = b.intrinsic("llvm.abs", &[t], &[n, b.c(b.i1, 0)]);
        let mut result = none;
        let mut count = zero;
        for step in 0..32u64 {
            let up = b.add(base, b.c(t, step));
            let down = b.sub(base, b.c(t, step));
            let at = b.select(forward, up, down);
            let inside = b.icmp(Icmp::LLVMIntULT, at, b.c(t, 32));
            let safe = b.and(at, b.c(t, 31));
            let bit = b.lshr(mask, safe);
            let bit = b.and(bit, one);
            let set = b.icmp(Icmp::LLVMIntNE, bit, zero);
            let set = b.and(set, inside);
            let more = b.add(count, one);
            count = b.select(set, more, count);
            let hit = b.icmp(Icmp::LLVMIntEQ, count, size);
            let hit = b.and(hit, set);
            result = b.select(hit, at, result);
        }
        // n = 0: base itself if its bit is set.
        let inside = b.icmp(Icmp::LLVMIntULT, base, b.c(t, 32));
        let safe = b.and(base, b.c(t, 31));
        let bit = b.lshr(mask, safe);
        let bit = b.and(bit, one);
        let set = b.icmp(Icmp::LLVMIntNE, bit, zero);
        let set = b.and(set, inside);
        let at_base = b.select(set, base, none);
        b.select(still, at_base, result)
    }

    fn prmt(&mut self, mode: PrmtMode, x: V, y: V, s: V, constant: Option<u64>) -> V {
        let b = &self.b;
        let t = b.type_of(x);
        let wide = b.like(t, b.i64);
        let (lo, hi) = (b.zext(x, wide), b.zext(y, wide));
        let hi = b.shl(hi, b.c(wide, 32));
        let both = b.or(lo, hi);
        if let (PrmtMode::Index, Some(s)) = (mode, constant) {
            let mut out = b.zero(t);
            for i in 0..4u64 {
                let sel = s >> (4 * i) & 15;
                let v = b.lshr(both, b.c(wide, 8 * (sel & 7)));
                let v = b.cast(Opcode::LLVMTrunc, v, t);
                let v = if sel & 8 != 0 {
                    let v = b.shl(v, b.c(t, 24));
                    let v = b.ashr(v, b.c(t, 31));
                    b.and(v, b.c(t, 255))
                } else {
                    b.and(v, b.c(t, 255))
                };
                let v = b.shl(v, b.c(t, 8 * i));
                out = b.or(out, v);
            }
            return out;
        }
        let low2 = b.and(s, b.c(t, 3));
        let mut out = b.zero(t);
        for i in 0..4u64 {
            let (index, replicate) = match mode {
                PrmtMode::Index => {
                    let n = b.lshr(s, b.c(t, 4 * i));
                    let sign = b.and(n, b.c(t, 8));
                    (
                        b.and(n, b.c(t, 7)),
                        Some(b.icmp(Icmp::LLVMIntNE, sign, b.zero(t))),
                    )
                }
                PrmtMode::F4e => (b.add(low2, b.c(t, i)), None),
                PrmtMode::B4e => {
                    let n = b.sub(low2, b.c(t, i));
                    (b.and(n, b.c(t, 7)), None)
                }
                PrmtMode::Rc8 => (low2, None),
                PrmtMode::Ecl => (b.intr("llvm.umax", &[low2, b.c(t, i)]), None),
                PrmtMode::Ecr => (b.intr("llvm.umin", &[low2, b.c(t, i)]), None),
                PrmtMode::Rc16 => {
                    let one = b.and(s, b.c(t, 1));
                    let two = b.shl(one, b.c(t, 1));
                    (b.add(two, b.c(t, i & 1)), None)
                }
            };
            let n = b.zext(index, wide);
            let n = b.shl(n, b.c(wide, 3));
            let v = b.lshr(both, n);
            let v = b.cast(Opcode::LLVMTrunc, v, t);
            let byte = b.and(v, b.c(t, 255));
            let byte = match replicate {
                None => byte,
                Some(sign) => {
                    let up = b.shl(v, b.c(t, 24));
                    let all = b.ashr(up, b.c(t, 31));
                    let all = b.and(all, b.c(t, 255));
                    b.select(sign, all, byte)
                }
            };
            let byte = b.shl(byte, b.c(t, 8 * i));
            out = b.or(out, byte);
        }
        out
    }

    // Special registers.

    /// Lane numbers.
    pub fn lane_ids(&self) -> V {
        self.b.ints(self.b.i32, (0..self.w).map(u64::from))
    }

    /// Linear thread number of the strip's first lane.
    fn first_thread(&self) -> V {
        self.b
            .mul(self.strip, self.b.c(self.b.i32, u64::from(self.w)))
    }

    fn tid(&mut self, dimension: usize) -> V {
        let b = &self.b;
        let first = self.first_thread();
        if let Some(c) = self.lanes.tid_base(dimension)
            && self.lanes.tid(dimension).is_some()
        {
            return b.c(b.i32, u64::from(c));
        }
        let [bx, by, _] = self.lanes.block;
        let known = self.lanes.threads().is_some();
        if self.lanes.tid(dimension).is_some() {
            // Scalar base of an affine value.
            let (x, y) = (b.c(b.i32, u64::from(bx)), b.c(b.i32, u64::from(by)));
            return match dimension {
                0 if self.lanes.block[1] == 1 && self.lanes.block[2] == 1 => first,
                0 => b.bin(Opcode::LLVMURem, first, x),
                1 => {
                    let q = b.bin(Opcode::LLVMUDiv, first, x);
                    if self.lanes.block[2] == 1 {
                        q
                    } else {
                        b.bin(Opcode::LLVMURem, q, y)
                    }
                }
                _ => {
                    let q = b.bin(Opcode::LLVMUDiv, first, x);
                    b.bin(Opcode::LLVMUDiv, q, y)
                }
            };
        }
        // By lane: thread numbers are below 2^11, so binary32 division is exact enough for the quotient.
        let lanes = self.lane_ids();
        let linear = b.splat(first, self.w);
        let linear = b.add(linear, lanes);
        let ntid = offset_of!(CtaContext, ntid);
        let (nx, ny) = if known {
            (b.c(b.i32, u64::from(bx)), b.c(b.i32, u64::from(by)))
        } else {
            (
                self.field(ntid, self.b.i32),
                self.field(ntid + 4, self.b.i32),
            )
        };
        let (q, r) = self.small_divide(linear, nx);
        if dimension == 0 {
            return r;
        }
        let (z, y) = self.small_divide(q, ny);
        if dimension == 1 { y } else { z }
    }

    fn small_divide(&mut self, x: V, n: V) -> (V, V) {
        let b = &self.b;
        let t = b.type_of(x);
        let ft = b.like(t, b.f32);
        let n = b.splat(n, self.w);
        let (p, d) = (
            b.cast(Opcode::LLVMSIToFP, x, ft),
            b.cast(Opcode::LLVMSIToFP, n, ft),
        );
        let q = b.fdiv(p, d);
        let q = b.cast(Opcode::LLVMFPToSI, q, t);
        let back = b.mul(q, n);
        let r = b.sub(x, back);
        (q, r)
    }

    /// The block's place in the grid, or the grid's dimensions, `i32`.
    pub(super) fn of_grid(&mut self, reg: Special) -> V {
        let (ctaid, nctaid) = (
            offset_of!(CtaContext, ctaid),
            offset_of!(CtaContext, nctaid),
        );
        let field = match reg {
            Special::CtaIdX => ctaid,
            Special::CtaIdY => ctaid + 4,
            Special::CtaIdZ => ctaid + 8,
            Special::NCtaIdX => nctaid,
            Special::NCtaIdY => nctaid + 4,
            _ => nctaid + 8,
        };
        self.field(field, self.b.i32)
    }

    fn special(&mut self, result: Value, reg: Special) -> Done {
        let i32 = self.b.i32;
        let i64 = self.b.i64;
        let ntid = offset_of!(CtaContext, ntid);
        let cluster_n = offset_of!(CtaContext, cluster_nctaid);
        let cluster_id = offset_of!(CtaContext, cluster_ctaid);
        let known = |g: &Self, d: usize| {
            (g.lanes.block[d] > 0).then(|| g.b.c(i32, u64::from(g.lanes.block[d])))
        };
        let cluster_quotient = |g: &mut Self, d: usize, of: Special| {
            let (n, c) = (g.of_grid(of), g.field(cluster_n + 4 * d, i32));
            let one = g.b.c(i32, 1);
            let c = g.b.intr("llvm.umax", &[c, one]);
            g.b.bin(Opcode::LLVMUDiv, n, c)
        };
        let v = match reg {
            Special::TidX => self.tid(0),
            Special::TidY => self.tid(1),
            Special::TidZ => self.tid(2),
            Special::NTidX | Special::NTidY | Special::NTidZ => {
                let d = match reg {
                    Special::NTidX => 0,
                    Special::NTidY => 1,
                    _ => 2,
                };
                match known(self, d) {
                    Some(v) => v,
                    None => self.field(ntid + 4 * d, i32),
                }
            }
            Special::NCtaIdX
            | Special::NCtaIdY
            | Special::NCtaIdZ
            | Special::CtaIdX
            | Special::CtaIdY
            | Special::CtaIdZ => self.of_grid(reg),
            Special::LaneId => {
                if self.w == 32 {
                    self.b.c(i32, 0)
                } else {
                    let odd = self.b.and(self.strip, self.b.c(i32, 1));
                    self.b.mul(odd, self.b.c(i32, u64::from(self.w)))
                }
            }
            Special::WarpId => {
                let base = self.field(offset_of!(CtaContext, warpid_base), i32);
                let warp = self.warp();
                self.b.add(base, warp)
            }
            Special::NWarpId => self.b.c(i32, 64),
            Special::SmId => self.field(offset_of!(CtaContext, smid), i32),
            Special::NSmId => self.field(offset_of!(CtaContext, nsmid), i32),
            Special::GridId => self.field(offset_of!(CtaContext, gridid), i64),
            Special::LaneMaskEq
            | Special::LaneMaskLe
            | Special::LaneMaskLt
            | Special::LaneMaskGe
            | Special::LaneMaskGt => {
                let f = |l: u64| -> u64 {
                    match reg {
                        Special::LaneMaskEq => 1 << l,
                        Special::LaneMaskLt => (1 << l) - 1,
                        Special::LaneMaskLe => (2 << l) - 1,
                        Special::LaneMaskGe => 0xffff_ffff & !((1 << l) - 1),
                        _ => 0xffff_ffff & !((2 << l) - 1),
                    }
                };
                if self.w == 32 {
                    self.b.ints(i32, (0..32).map(f))
                } else {
                    return self.refuse(reg.to_string());
                }
            }
            Special::Clock | Special::ClockHi | Special::Clock64 => {
                let t = self.b.intrinsic("llvm.readcyclecounter", &[], &[]);
                match reg {
                    Special::Clock => self.b.cast(Opcode::LLVMTrunc, t, i32),
                    Special::ClockHi => {
                        let h = self.b.lshr(t, self.b.c(i64, 32));
                        self.b.cast(Opcode::LLVMTrunc, h, i32)
                    }
                    _ => t,
                }
            }
            Special::GlobalTimer | Special::GlobalTimerLo | Special::GlobalTimerHi => {
                let target = self.helper(offset_of!(Helpers, globaltimer));
                let ty = self.b.function_type(i64, &[]);
                let t = self.b.call(ty, target, &[]);
                match reg {
                    Special::GlobalTimer => t,
                    Special::GlobalTimerLo => self.b.cast(Opcode::LLVMTrunc, t, i32),
                    _ => {
                        let h = self.b.lshr(t, self.b.c(i64, 32));
                        self.b.cast(Opcode::LLVMTrunc, h, i32)
                    }
                }
            }
            Special::DynamicSmemSize => self.field(offset_of!(CtaContext, dynamic_shared), i32),
            Special::TotalSmemSize | Special::AggrSmemSize => {
                self.field(offset_of!(CtaContext, total_shared), i32)
            }
            Special::ReservedSmemBegin => self.reserved_shared(0),
            Special::ReservedSmemSecond => self.reserved_shared(sm::RESERVED_SHARED_SECOND),
            Special::ReservedSmemEnd => self.reserved_shared(sm::RESERVED_SHARED_BYTES),
            Special::ReservedSmemCap => self.b.c(i32, u64::from(sm::RESERVED_SHARED_BYTES)),
            Special::ClusterCtaIdX => self.field(cluster_id, i32),
            Special::ClusterCtaIdY => self.field(cluster_id + 4, i32),
            Special::ClusterCtaIdZ => self.field(cluster_id + 8, i32),
            Special::ClusterNCtaIdX => self.field(cluster_n, i32),
            Special::ClusterNCtaIdY => self.field(cluster_n + 4, i32),
            Special::ClusterNCtaIdZ => self.field(cluster_n + 8, i32),
            Special::ClusterCtaRank => self.field(offset_of!(CtaContext, cluster_ctarank), i32),
            Special::ClusterNCtaRank => {
                let (x, y, z) = (
                    self.field(cluster_n, i32),
                    self.field(cluster_n + 4, i32),
                    self.field(cluster_n + 8, i32),
                );
                let p = self.b.mul(x, y);
                self.b.mul(p, z)
            }
            Special::ClusterIdX => cluster_quotient(self, 0, Special::CtaIdX),
            Special::ClusterIdY => cluster_quotient(self, 1, Special::CtaIdY),
            Special::ClusterIdZ => cluster_quotient(self, 2, Special::CtaIdZ),
            Special::NClusterIdX => cluster_quotient(self, 0, Special::NCtaIdX),
            Special::NClusterIdY => cluster_quotient(self, 1, Special::NCtaIdY),
            Special::NClusterIdZ => cluster_quotient(self, 2, Special::NCtaIdZ),
            Special::IsExplicitCluster => {
                let x = self.field(cluster_n, i32);
                let y = self.field(cluster_n + 4, i32);
                let z = self.field(cluster_n + 8, i32);
                let p = self.b.mul(x, y);
                let p = self.b.mul(p, z);
                self.b.icmp(Icmp::LLVMIntUGT, p, self.b.c(i32, 1))
            }
            Special::EnvReg(n) => {
                let w = self.field(offset_of!(CtaContext, grid_workspace), i64);
                match n {
                    1 => {
                        let h = self.b.lshr(w, self.b.c(i64, 32));
                        self.b.cast(Opcode::LLVMTrunc, h, i32)
                    }
                    2 => self.b.cast(Opcode::LLVMTrunc, w, i32),
                    _ => self.b.c(i32, 0),
                }
            }
            Special::CurrentGraphExec => self.b.c(i64, 0),
            Special::Pm0
            | Special::Pm1
            | Special::Pm2
            | Special::Pm3
            | Special::Pm4
            | Special::Pm5
            | Special::Pm6
            | Special::Pm7 => self.b.c(i32, 0),
        };
        self.set(result, v);
        Ok(())
    }
}
