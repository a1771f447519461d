//! Floating-point operations: IEEE semantics of the PTX form, never LLVM's idea of fast.
//!
//! Nearest rounding is the hardware's. Directed rounding never switches MXCSR: binary32 results come from an exact or
//! round-to-odd binary64 intermediate, binary64 results from the sign of the exact error. binary16 and bfloat16
//! compute in binary32 (whose 24 bits make the double rounding innocuous; `fma` rounds to odd first).

use super::build::{Fcmp, Icmp, Opcode, T, V};
use super::emit::{Gen, Unsupported};
use super::target::Level;
use crate::ir::{Float, FloatCmp, FloatMode, Op, Round, Sign, Ty, Value};

/// LLVM's predicate.
#[must_use]
pub fn fcmp(cmp: FloatCmp) -> Fcmp {
    match cmp {
        FloatCmp::Eq => Fcmp::LLVMRealOEQ,
        FloatCmp::Ne => Fcmp::LLVMRealONE,
        FloatCmp::Lt => Fcmp::LLVMRealOLT,
        FloatCmp::Le => Fcmp::LLVMRealOLE,
        FloatCmp::Gt => Fcmp::LLVMRealOGT,
        FloatCmp::Ge => Fcmp::LLVMRealOGE,
        FloatCmp::Equ => Fcmp::LLVMRealUEQ,
        FloatCmp::Neu => Fcmp::LLVMRealUNE,
        FloatCmp::Ltu => Fcmp::LLVMRealULT,
        FloatCmp::Leu => Fcmp::LLVMRealULE,
        FloatCmp::Gtu => Fcmp::LLVMRealUGT,
        FloatCmp::Geu => Fcmp::LLVMRealUGE,
        FloatCmp::Num => Fcmp::LLVMRealORD,
        FloatCmp::Nan => Fcmp::LLVMRealUNO,
    }
}

impl Gen<'_, '_> {
    /// Generates a floating-point operation; `None` if it is none.
    ///
    /// # Errors
    /// Formats that are not supported.
    pub fn float(
        &mut self,
        op: &Op,
        args: &[Value],
        scalar: bool,
    ) -> Result<Option<V>, Unsupported> {
        let out = match *op {
            Op::FAdd { fmt, mode }
            | Op::FSub { fmt, mode }
            | Op::FMul { fmt, mode }
            | Op::FDiv { fmt, mode } => {
                let (x, y) = (
                    self.float_arg(args[0], fmt, scalar)?,
                    self.float_arg(args[1], fmt, scalar)?,
                );
                let r = self.arithmetic(op, fmt, mode, &[x, y]);
                self.float_result(r, fmt, mode, args[0])
            }
            Op::Fma { fmt, mode, relu } => {
                let x = self.float_arg(args[0], fmt, scalar)?;
                let y = self.float_arg(args[1], fmt, scalar)?;
                let z = self.float_arg(args[2], fmt, scalar)?;
                let r = self.arithmetic(op, fmt, mode, &[x, y, z]);
                let r = if relu { self.relu(r) } else { r };
                self.float_result(r, fmt, mode, args[0])
            }
            Op::FSqrt { fmt, mode } => {
                let x = self.float_arg(args[0], fmt, scalar)?;
                let r = self.arithmetic(op, fmt, mode, &[x]);
                self.float_result(r, fmt, mode, args[0])
            }
            Op::FDivApprox { ftz, kind } => {
                let (x, y) = (
                    self.float_arg(args[0], Float::F32, scalar)?,
                    self.float_arg(args[1], Float::F32, scalar)?,
                );
                let (x, y) = if ftz {
                    (self.flush(x), self.flush(y))
                } else {
                    (x, y)
                };
                let r = self.b.fdiv(x, y);
                let r = if kind == crate::ir::DivKind::Approx {
                    // Beyond 2^126 the reciprocal is 0: so is the quotient (infinity: NaN).
                    let t = self.b.type_of(y);
                    let a = self.b.intr("llvm.fabs", &[y]);
                    let far = self
                        .b
                        .fcmp(Fcmp::LLVMRealOGT, a, self.b.fc(t, 2f64.powi(126)));
                    let zero = self.b.fc(t, 0.0);
                    let zero = self.b.intr("llvm.copysign", &[zero, y]);
                    let small = self.b.fmul(x, zero);
                    self.b.select(far, small, r)
                } else {
                    r
                };
                if ftz { self.flush(r) } else { r }
            }
            Op::FApprox { func, fmt, ftz } => {
                let x = self.float_arg(args[0], fmt, scalar)?;
                let positive = fmt == Float::F32 && super::sign::is_positive(self.f, args[0]);
                let r = self.approx(func, fmt, ftz, x, positive);
                self.float_result(r, fmt, FloatMode::NEAREST, args[0])
            }
            Op::FNeg { fmt, ftz } | Op::FAbs { fmt, ftz } => {
                let bits = fmt.element().ty().bits();
                let (elem, pair) = (self.b.int(bits), fmt.lanes() == 2);
                let x = self.operand(args[0], self.int(fmt.ty()), scalar);
                let t = self.b.type_of(x);
                let x = if pair {
                    self.b.bitcast(x, self.b.vec(elem, 2 * self.b.lanes_of(t)))
                } else {
                    x
                };
                let x = if ftz {
                    self.flush_bits(x, fmt.element())
                } else {
                    x
                };
                let sign = self.same(x, 1 << (bits - 1));
                let r = if matches!(op, Op::FNeg { .. }) {
                    self.b.xor(x, sign)
                } else {
                    let keep = self.b.not(sign);
                    self.b.and(x, keep)
                };
                let r = self.b.bitcast(r, t);
                match (fmt, self.keeps_float(args[0])) {
                    (Float::F32, true) => self.b.bitcast(r, self.b.like(t, self.b.f32)),
                    (Float::F64, true) => self.b.bitcast(r, self.b.like(t, self.b.f64)),
                    _ => r,
                }
            }
            Op::FMin {
                fmt,
                ftz,
                nan,
                xorsign,
            }
            | Op::FMax {
                fmt,
                ftz,
                nan,
                xorsign,
            } => {
                let (x, y) = (
                    self.float_arg(args[0], fmt, scalar)?,
                    self.float_arg(args[1], fmt, scalar)?,
                );
                let (x, y) = if ftz {
                    (self.flush_for(x, fmt), self.flush_for(y, fmt))
                } else {
                    (x, y)
                };
                let least = matches!(op, Op::FMin { .. });
                let known = self.f.as_const(args[1]).map(|bits| (fmt, bits));
                let r = self.min_max(least, nan, xorsign, x, y, known);
                self.float_result(r, fmt, FloatMode::NEAREST, args[0])
            }
            Op::FCmp { fmt, cmp, ftz } => {
                let (x, y) = (
                    self.float_arg(args[0], fmt, scalar)?,
                    self.float_arg(args[1], fmt, scalar)?,
                );
                let (x, y) = if ftz {
                    (self.flush_for(x, fmt), self.flush_for(y, fmt))
                } else {
                    (x, y)
                };
                self.b.fcmp(fcmp(cmp), x, y)
            }
            Op::FRound { fmt, mode } => {
                let x = self.float_arg(args[0], fmt, scalar)?;
                let x = if mode.ftz { self.flush_for(x, fmt) } else { x };
                let name = match mode.round {
                    Round::Nearest => "llvm.roundeven",
                    Round::Zero => "llvm.trunc",
                    Round::Down => "llvm.floor",
                    Round::Up => "llvm.ceil",
                    Round::NearestAway => return self.refuse(op.to_string()),
                };
                let r = self.b.intr(name, &[x]);
                let r = if mode.sat { self.saturate(r) } else { r };
                self.float_result(r, fmt, FloatMode::NEAREST, args[0])
            }
            Op::FCvt {
                from,
                to,
                mode,
                relu,
                satfinite,
            } => self.convert(op, from, to, mode, relu, satfinite, args[0], scalar)?,
            Op::IToF { w, sign, to, mode } => {
                let x = self.operand(args[0], self.int(w.ty()), scalar);
                self.int_to_float(x, sign, to, mode, op)?
            }
            Op::FToI {
                from,
                w,
                sign,
                round,
                ftz,
            } => {
                let x = self.float_arg(args[0], from, scalar)?;
                let x = if ftz { self.flush_for(x, from) } else { x };
                let name = match round {
                    Round::Nearest => Some("llvm.roundeven"),
                    Round::Zero => None,
                    Round::Down => Some("llvm.floor"),
                    Round::Up => Some("llvm.ceil"),
                    Round::NearestAway => return self.refuse(op.to_string()),
                };
                let x = name.map_or(x, |name| self.b.intr(name, &[x]));
                self.to_int(x, w.bits(), sign, w.bits() == 64 || from == Float::F64)
            }
            _ => return Ok(None),
        };
        Ok(Some(out))
    }

    /// An operand as something to compute with: `float` for the 16-bit formats too, double for F64; packed pairs are
    /// vectors of twice as many elements.
    pub fn float_arg(&mut self, value: Value, fmt: Float, scalar: bool) -> Result<V, Unsupported> {
        Ok(match fmt {
            Float::F32 | Float::Tf32 => self.operand(value, self.b.f32, scalar),
            Float::F64 => self.operand(value, self.b.f64, scalar),
            Float::F16 | Float::Bf16 | Float::F16x2 | Float::Bf16x2 => {
                let x = self.operand(value, self.int(fmt.ty()), scalar);
                let x = self.unpack(x, 16, fmt.lanes());
                if fmt.element() == Float::F16 {
                    self.half_to_float(x)
                } else {
                    self.bf16_to_float(x)
                }
            }
            Float::F32x2 => {
                let x = self.operand(value, self.b.i64, scalar);
                let t = self
                    .b
                    .vec(self.b.f32, 2 * self.b.lanes_of(self.b.type_of(x)));
                self.b.bitcast(x, t)
            }
            Float::E4m3 | Float::E5m2 | Float::E2m3 | Float::E3m2 | Float::E2m1 | Float::Ue8m0 => {
                let x = self.operand(value, self.int(fmt.ty()), scalar);
                self.small_to_float(x, fmt)
            }
        })
    }

    fn unpack(&self, x: V, bits: u32, lanes: u32) -> V {
        if lanes == 1 {
            return x;
        }
        let t = self
            .b
            .vec(self.b.int(bits), lanes * self.b.lanes_of(self.b.type_of(x)));
        self.b.bitcast(x, t)
    }

    /// A result in its register's width. 16-bit results are rounded here.
    fn float_result(&mut self, r: V, fmt: Float, mode: FloatMode, like: Value) -> V {
        let bits = match fmt {
            Float::F32 | Float::F64 => return r,
            Float::F16 | Float::F16x2 => self.float_to_half(r, mode.round),
            Float::Bf16 | Float::Bf16x2 => self.float_to_bf16(r, mode.round),
            _ => r,
        };
        if fmt.lanes() == 1 {
            return bits;
        }
        let lanes = self.b.lanes_of(self.b.type_of(bits)) / 2;
        let elem = self.int(self.f.ty(like));
        self.b.bitcast(bits, self.b.vec(elem, lanes))
    }

    // Flushing and saturation.

    /// Subnormal floats (`float` or `double`) become zeros of their sign.
    pub fn flush(&self, x: V) -> V {
        let b = &self.b;
        let t = b.type_of(x);
        let double = b.elem_of(t) == b.f64;
        let least = if double {
            f64::MIN_POSITIVE
        } else {
            f64::from(f32::MIN_POSITIVE)
        };
        let a = b.intr("llvm.fabs", &[x]);
        let small = b.fcmp(Fcmp::LLVMRealOLT, a, b.fc(t, least));
        let it = b.like(t, b.int(b.bits_of(t)));
        let bits = b.bitcast(x, it);
        let sign = b.and(bits, b.c(it, 1 << (b.bits_of(t) - 1)));
        let zero = b.bitcast(sign, t);
        b.select(small, zero, x)
    }

    /// As [`Gen::flush`] for values of a format held in `float` or `double`.
    fn flush_for(&self, x: V, fmt: Float) -> V {
        match fmt.element() {
            Float::F16 => {
                let b = &self.b;
                let t = b.type_of(x);
                let a = b.intr("llvm.fabs", &[x]);
                let small = b.fcmp(Fcmp::LLVMRealOLT, a, b.fc(t, 6.103_515_625e-5));
                let it = b.like(t, b.i32);
                let sign = b.and(b.bitcast(x, it), b.c(it, 1 << 31));
                let zero = b.bitcast(sign, t);
                b.select(small, zero, x)
            }
            _ => self.flush(x),
        }
    }

    fn flush_bits(&self, x: V, fmt: Float) -> V {
        let (exponent, sign) = match fmt {
            Float::F16 => (0x7c00, 0x8000),
            Float::Bf16 => (0x7f80, 0x8000),
            Float::F64 => (0x7ff0_0000_0000_0000, 1 << 63),
            _ => (0x7f80_0000, 1 << 31),
        };
        let e = self.b.and(x, self.same(x, exponent));
        let small = self.b.icmp(Icmp::LLVMIntEQ, e, self.same(x, 0));
        let zero = self.b.and(x, self.same(x, sign));
        self.b.select(small, zero, x)
    }

    /// Clamped to [0, 1]; NaN becomes +0.
    fn saturate(&self, x: V) -> V {
        let b = &self.b;
        let t = b.type_of(x);
        let (zero, one) = (b.fc(t, 0.0), b.fc(t, 1.0));
        let positive = b.fcmp(Fcmp::LLVMRealOGT, x, zero);
        let x = b.select(positive, x, zero);
        let below = b.fcmp(Fcmp::LLVMRealOLT, x, one);
        b.select(below, x, one)
    }

    /// Negative results become +0; NaN stays.
    fn relu(&self, x: V) -> V {
        let b = &self.b;
        let t = b.type_of(x);
        let zero = b.fc(t, 0.0);
        let keep = b.fcmp(Fcmp::LLVMRealUGT, x, zero);
        b.select(keep, x, zero)
    }

    // Arithmetic with rounding.

    fn nearest(&self, op: &Op, a: &[V]) -> V {
        match op {
            Op::FAdd { .. } => self.b.fadd(a[0], a[1]),
            Op::FSub { .. } => self.b.fsub(a[0], a[1]),
            Op::FMul { .. } => self.b.fmul(a[0], a[1]),
            Op::FDiv { .. } => self.b.fdiv(a[0], a[1]),
            Op::FSqrt { .. } => self.b.intr("llvm.sqrt", &[a[0]]),
            _ => self.fused(a[0], a[1], a[2]),
        }
    }

    /// a·b + c rounded once, also where the machine has no such instruction.
    fn fused(&self, x: V, y: V, z: V) -> V {
        if self.level != Level::Sse4 {
            return self.b.fma(x, y, z);
        }
        let t = self.b.type_of(x);
        if self.b.elem_of(t) == self.b.f32 {
            return self.fused_single(x, y, z);
        }
        self.fused_double(x, y, z).0
    }

    /// Product and its exact error.
    pub(super) fn two_product(&self, x: V, y: V) -> (V, V) {
        let b = &self.b;
        let p = b.fmul(x, y);
        if self.level != Level::Sse4 {
            let n = b.fneg(p);
            return (p, b.fma(x, y, n));
        }
        let t = b.type_of(x);
        let factor = b.fc(
            t,
            if b.elem_of(t) == b.f64 {
                134_217_729.0
            } else {
                4097.0
            },
        );
        let split = |v: V| {
            let c = b.fmul(v, factor);
            let d = b.fsub(c, v);
            let hi = b.fsub(c, d);
            (hi, b.fsub(v, hi))
        };
        let ((xh, xl), (yh, yl)) = (split(x), split(y));
        let e = b.fmul(xh, yh);
        let e = b.fsub(e, p);
        let e = b.fadd(e, b.fmul(xh, yl));
        let e = b.fadd(e, b.fmul(xl, yh));
        (p, b.fadd(e, b.fmul(xl, yl)))
    }

    /// Sum and its exact error (Knuth).
    pub(super) fn two_sum(&self, x: V, y: V) -> (V, V) {
        let b = &self.b;
        let s = b.fadd(x, y);
        let yy = b.fsub(s, x);
        let xx = b.fsub(s, yy);
        let ye = b.fsub(y, yy);
        let xe = b.fsub(x, xx);
        (s, b.fadd(xe, ye))
    }

    /// `s` with exact value `s + e` (|e| below half a unit), rounded to odd instead.
    pub(super) fn to_odd(&self, s: V, e: V) -> V {
        let b = &self.b;
        let t = b.type_of(s);
        let it = b.like(t, b.int(b.bits_of(t)));
        let zero = b.fc(t, 0.0);
        let bits = b.bitcast(s, it);
        let inexact = b.fcmp(Fcmp::LLVMRealONE, e, zero);
        let odd = b.and(bits, b.c(it, 1));
        let even = b.icmp(Icmp::LLVMIntEQ, odd, b.c(it, 0));
        // Toward the error: up in magnitude if it has the value's sign.
        let same = b.xor(bits, b.bitcast(e, it));
        let away = b.icmp(Icmp::LLVMIntSGE, same, b.zero(it));
        let step = b.select(away, b.c(it, 1), b.ones(it));
        let moved = b.add(bits, step);
        let change = b.and(inexact, even);
        let bits = b.select(change, moved, bits);
        b.bitcast(bits, t)
    }

    /// The neighbour of `r` in the direction of rounding, if the exact value is `r + e` with this sign of `e`.
    pub(super) fn direct(&self, round: Round, r: V, e: V) -> V {
        let b = &self.b;
        let t = b.type_of(r);
        let it = b.like(t, b.int(b.bits_of(t)));
        let zero = b.fc(t, 0.0);
        let bits = b.bitcast(r, it);
        let negative = b.icmp(Icmp::LLVMIntSLT, bits, b.zero(it));
        let (below, above) = (
            b.fcmp(Fcmp::LLVMRealOLT, e, zero),
            b.fcmp(Fcmp::LLVMRealOGT, e, zero),
        );
        let is_zero = b.fcmp(Fcmp::LLVMRealOEQ, r, zero);
        let sign = b.c(it, 1 << (b.bits_of(t) - 1));
        let tiny = b.c(it, 1);
        let tiny_negative = b.or(sign, tiny);
        let up = {
            let step = b.select(negative, b.ones(it), b.c(it, 1));
            let moved = b.add(bits, step);
            b.select(is_zero, tiny, moved)
        };
        let down = {
            let step = b.select(negative, b.c(it, 1), b.ones(it));
            let moved = b.add(bits, step);
            b.select(is_zero, tiny_negative, moved)
        };
        let out = match round {
            Round::Down => b.select(below, down, bits),
            Round::Up => b.select(above, up, bits),
            Round::Zero => {
                // Toward zero: down where positive and the exact value is below, up where negative and above.
                let not_negative = b.not(negative);
                let p = b.and(not_negative, below);
                let n = b.and(negative, above);
                let x = b.select(p, down, bits);
                b.select(n, up, x)
            }
            Round::Nearest | Round::NearestAway => bits,
        };
        b.bitcast(out, t)
    }

    /// Double to float in a direction.
    fn narrow(&self, round: Round, x: V) -> V {
        let b = &self.b;
        let t = b.type_of(x);
        let f = b.like(t, b.f32);
        let r = b.cast(Opcode::LLVMFPTrunc, x, f);
        if round == Round::Nearest {
            return r;
        }
        let back = b.cast(Opcode::LLVMFPExt, r, t);
        let e = b.fsub(x, back);
        // Beyond the range: r is infinite, x is not; the error's sign is what matters.
        let e = b.cast(Opcode::LLVMFPTrunc, self.sign_of(e), f);
        self.direct(round, r, e)
    }

    /// -1, 0 or 1.
    fn sign_of(&self, e: V) -> V {
        let b = &self.b;
        let t = b.type_of(e);
        let zero = b.fc(t, 0.0);
        let (below, above) = (
            b.fcmp(Fcmp::LLVMRealOLT, e, zero),
            b.fcmp(Fcmp::LLVMRealOGT, e, zero),
        );
        let s = b.select(above, b.fc(t, 1.0), zero);
        b.select(below, b.fc(t, -1.0), s)
    }

    fn arithmetic(&mut self, op: &Op, fmt: Float, mode: FloatMode, args: &[V]) -> V {
        let args: Vec<V> = args
            .iter()
            .map(|&a| if mode.ftz { self.flush_for(a, fmt) } else { a })
            .collect();
        let narrow = matches!(fmt.element(), Float::F16 | Float::Bf16);
        let r = if mode.round == Round::Nearest && !(narrow && matches!(op, Op::Fma { .. })) {
            self.nearest(op, &args)
        } else if let Some(r) = self.by_hardware(op, fmt, mode.round, &args) {
            r
        } else if fmt == Float::F64 && self.level == Level::Sse4 && matches!(op, Op::Fma { .. }) {
            self.fused_directed(mode.round, args[0], args[1], args[2])
        } else if fmt.element() == Float::F64 {
            let (r, e) = self.with_error(op, &args);
            self.direct(mode.round, r, e)
        } else {
            let d = self.b.like(self.b.type_of(args[0]), self.b.f64);
            let wide: Vec<V> = args
                .iter()
                .map(|&a| self.b.cast(Opcode::LLVMFPExt, a, d))
                .collect();
            // Products of widened operands are exact.
            let (r, e) = match op {
                Op::Fma { .. } => {
                    let p = self.b.fmul(wide[0], wide[1]);
                    self.two_sum(p, wide[2])
                }
                _ => self.with_error(op, &wide),
            };
            let odd = self.to_odd(r, e);
            if narrow {
                // 16 bits are rounded from binary32: to odd there, too.
                let f = self.b.like(d, self.b.f32);
                let s = self.b.cast(Opcode::LLVMFPTrunc, odd, f);
                let back = self.b.cast(Opcode::LLVMFPExt, s, d);
                let e = self.b.fsub(odd, back);
                let e = self.sign_of(e);
                let e = self.b.cast(Opcode::LLVMFPTrunc, e, f);
                self.to_odd(s, e)
            } else {
                self.narrow(mode.round, odd)
            }
        };
        let r = if mode.ftz { self.flush_for(r, fmt) } else { r };
        if mode.sat { self.saturate(r) } else { r }
    }

    /// Vectors in a direction by the hardware: MXCSR is switched inside one piece of assembly, so that no other
    /// operation can come between.
    fn by_hardware(&mut self, op: &Op, fmt: Float, round: Round, a: &[V]) -> Option<V> {
        let t = self.b.type_of(a[0]);
        let bits = self.b.bits_of(t);
        let avx = self.level != Level::Sse4;
        let lanes = if avx { 256 } else { 128 } / bits;
        let n = self.b.lanes_of(t);
        let name = match op {
            Op::FAdd { .. } => "add",
            Op::FSub { .. } => "sub",
            Op::FMul { .. } => "mul",
            Op::FDiv { .. } => "div",
            Op::FSqrt { .. } => "sqrt",
            Op::Fma { .. } if avx => "fmadd213",
            _ => return None,
        };
        if !matches!(fmt, Float::F32 | Float::F64) {
            return None;
        }
        if n < lanes {
            // Short values in a whole register.
            let pick: Vec<i32> = (0..lanes).map(|i| i.min(n - 1).cast_signed()).collect();
            let wide: Vec<V> = a
                .iter()
                .map(|&v| {
                    if n == 1 {
                        self.b.splat(v, lanes)
                    } else {
                        self.b.shuffle(v, v, &pick)
                    }
                })
                .collect();
            let r = self.by_hardware(op, fmt, round, &wide)?;
            return Some(self.b.part(r, 0, n));
        }
        // All exceptions masked, and the direction.
        let word = match round {
            Round::Down => 0x3f80,
            Round::Up => 0x5f80,
            Round::Zero => 0x7f80,
            Round::Nearest | Round::NearestAway => return None,
        };
        let (there, back) = self.mxcsr_words(word);
        let name = format!(
            "{}{name}{}",
            if avx { "v" } else { "" },
            if bits == 32 { "ps" } else { "pd" }
        );
        let part = self.b.vec(self.b.elem_of(t), lanes);
        let count = (n / lanes).min(4);
        let mut out = Vec::new();
        for first in (0..n / lanes).step_by(count as usize) {
            let piece = |g: &Self, v: V, i: u32| g.b.part(v, (first + i) * lanes, lanes);
            // Results are tied to the first operands; the others follow, then the two words.
            let mut args: Vec<V> = Vec::new();
            for &operand in a {
                args.extend((0..count).map(|i| piece(self, operand, i)));
            }
            args.extend([there, back]);
            let operands = u32::try_from(a.len()).unwrap_or(1);
            let words = count * (1 + operands);
            let mut text = format!("ldmxcsr (${words})\n");
            for r in 0..count {
                let (y, z) = (2 * count + r, 3 * count + r);
                let line = match (operands, avx) {
                    (1, _) => format!("{name} ${r}, ${r}\n"),
                    (2, true) => format!("{name} ${y}, ${r}, ${r}\n"),
                    (2, false) => format!("{name} ${y}, ${r}\n"),
                    _ => format!("{name} ${z}, ${y}, ${r}\n"),
                };
                text.push_str(&line);
            }
            text.push_str(&format!("ldmxcsr (${})", words + 1));
            let mut constraints: Vec<String> = vec!["=&x".to_owned(); count as usize];
            constraints.extend((0..count).map(|i| i.to_string()));
            constraints.extend(vec!["x".to_owned(); (count * (operands - 1)) as usize]);
            constraints.extend(["r".to_owned(), "r".to_owned()]);
            let ret = if count == 1 {
                part
            } else {
                self.b.structure(&vec![part; count as usize])
            };
            let r = self.b.assembly(ret, &text, &constraints.join(","), &args);
            out.extend((0..count).map(|i| {
                if count == 1 {
                    r
                } else {
                    self.b.extract_value(r, i)
                }
            }));
        }
        Some(self.b.concat(&out))
    }

    /// Places of the MXCSR word for a direction and of the usual one.
    fn mxcsr_words(&mut self, word: u64) -> (V, V) {
        if let Some(&slots) = self.mxcsr.get(&word) {
            return slots;
        }
        let i32 = self.b.i32;
        let (there, back) = (self.alloca(i32), self.alloca(i32));
        self.in_prologue(|g| {
            g.b.store(g.b.c(i32, word), there, 4);
            g.b.store(g.b.c(i32, 0x1f80), back, 4);
        });
        self.mxcsr.insert(word, (there, back));
        (there, back)
    }

    /// The nearest result in binary64 and the (sign of the) error that it makes.
    fn with_error(&self, op: &Op, a: &[V]) -> (V, V) {
        let b = &self.b;
        match op {
            Op::FAdd { .. } => self.two_sum(a[0], a[1]),
            Op::FSub { .. } => {
                let n = b.fneg(a[1]);
                self.two_sum(a[0], n)
            }
            Op::FMul { .. } => self.two_product(a[0], a[1]),
            Op::FDiv { .. } => {
                let q = b.fdiv(a[0], a[1]);
                let n = b.fneg(q);
                let rest = self.fused(n, a[1], a[0]);
                // The quotient's error has the sign of rest / divisor.
                let t = b.type_of(q);
                let it = b.like(t, b.i64);
                let sign = b.and(b.bitcast(a[1], it), b.c(it, 1 << 63));
                let e = b.xor(b.bitcast(rest, it), sign);
                (q, b.bitcast(e, t))
            }
            Op::FSqrt { .. } => {
                let s = b.intr("llvm.sqrt", &[a[0]]);
                let n = b.fneg(s);
                (s, self.fused(n, s, a[0]))
            }
            _ => {
                // Boldo and Muller, ErrFmaNearest; the sum's sign is enough.
                let r = self.fused(a[0], a[1], a[2]);
                let (u1, u2) = self.two_product(a[0], a[1]);
                let (a1, a2) = self.two_sum(a[2], u2);
                let (b1, b2) = self.two_sum(u1, a1);
                let g = b.fsub(b1, r);
                let g = b.fadd(g, b2);
                (r, b.fadd(g, a2))
            }
        }
    }

    pub(super) fn min_max(
        &mut self,
        least: bool,
        nan: bool,
        xorsign: bool,
        x: V,
        y: V,
        known: Option<(Float, u64)>,
    ) -> V {
        let b = &self.b;
        let t = b.type_of(x);
        let it = b.like(t, b.int(b.bits_of(t)));
        let order = if least {
            Fcmp::LLVMRealOLT
        } else {
            Fcmp::LLVMRealOGT
        };
        if xorsign {
            let (xb, yb) = (b.bitcast(x, it), b.bitcast(y, it));
            let sign = b.xor(xb, yb);
            let sign = b.and(sign, b.c(it, 1 << (b.bits_of(t) - 1)));
            let (ax, ay) = (b.intr("llvm.fabs", &[x]), b.intr("llvm.fabs", &[y]));
            let r = self.min_max(least, nan, false, ax, ay, None);
            let b = &self.b;
            let r = b.bitcast(r, it);
            let r = b.or(r, sign);
            return b.bitcast(r, t);
        }
        if let Some((Float::F32 | Float::F64, bits)) = known {
            let double = b.bits_of(t) == 64;
            let c = if double {
                f64::from_bits(bits)
            } else {
                f64::from(f32::from_bits(u32::try_from(bits).unwrap_or(0)))
            };
            let plain = !c.is_nan() && (c != 0.0 || c.is_sign_negative() == least);
            if plain && !nan {
                let first = b.fcmp(order, x, y);
                return b.select(first, x, y);
            }
        }
        let first = b.fcmp(order, x, y);
        let r = b.select(first, x, y);
        let y_nan = b.fcmp(Fcmp::LLVMRealUNO, y, y);
        let r = if nan { r } else { b.select(y_nan, x, r) };
        let equal = b.fcmp(Fcmp::LLVMRealOEQ, x, y);
        let (xb, yb) = (b.bitcast(x, it), b.bitcast(y, it));
        let merged = if least { b.or(xb, yb) } else { b.and(xb, yb) };
        let merged = b.bitcast(merged, t);
        let r = b.select(equal, merged, r);
        if nan {
            let any = b.fcmp(Fcmp::LLVMRealUNO, x, y);
            let canonical = b.bitcast(
                b.c(
                    it,
                    if b.bits_of(t) == 64 {
                        0x7fff_ffff_ffff_ffff
                    } else {
                        0x7fff_ffff
                    },
                ),
                t,
            );
            b.select(any, canonical, r)
        } else {
            r
        }
    }

    // Conversions.

    /// Applies `f` to pieces of `lanes` lanes; scalars are widened to one piece.
    pub fn by_pieces(&self, x: V, lanes: u32, f: impl Fn(&Self, V) -> V) -> V {
        let n = self.b.lanes_of(self.b.type_of(x));
        if n < lanes {
            let one = n == 1;
            let wide = if one {
                let t = self.b.vec(self.b.type_of(x), lanes);
                self.b.insert(self.b.zero(t), x, 0)
            } else {
                let mask: Vec<i32> = (0..lanes).map(|i| i.min(n - 1).cast_signed()).collect();
                self.b.shuffle(x, self.b.poison(self.b.type_of(x)), &mask)
            };
            let r = f(self, wide);
            return self.b.part(r, 0, n);
        }
        let parts: Vec<V> = (0..n / lanes)
            .map(|i| f(self, self.b.part(x, i * lanes, lanes)))
            .collect();
        self.b.concat(&parts)
    }

    /// binary16 bits to float.
    pub fn half_to_float(&self, x: V) -> V {
        let b = &self.b;
        let t = b.type_of(x);
        if self.level != Level::Sse4 {
            return self.by_pieces(x, 8, |g, p| {
                let h = g.b.bitcast(p, g.b.vec(g.b.half(), 8));
                g.b.cast(Opcode::LLVMFPExt, h, g.b.vec(g.b.f32, 8))
            });
        }
        // Exponent and mantissa moved into place, rescaled by 2^112; infinity and NaN apart.
        let (it, ft) = (b.like(t, b.i32), b.like(t, b.f32));
        let w = b.zext(x, it);
        let sign = b.shl(b.and(w, b.c(it, 0x8000)), b.c(it, 16));
        let rest = b.and(w, b.c(it, 0x7fff));
        let shifted = b.shl(rest, b.c(it, 13));
        let scaled = b.fmul(b.bitcast(shifted, ft), b.fc(ft, f64::from(2f32.powi(112))));
        let special = b.icmp(Icmp::LLVMIntUGE, rest, b.c(it, 0x7c00));
        let high = b.or(shifted, b.c(it, 0x7f80_0000));
        let r = b.select(special, high, b.bitcast(scaled, it));
        b.bitcast(b.or(r, sign), ft)
    }

    /// Float to binary16 bits.
    pub fn float_to_half(&self, x: V, round: Round) -> V {
        let b = &self.b;
        let t = b.type_of(x);
        if self.level != Level::Sse4 {
            let mode = match round {
                Round::Nearest | Round::NearestAway => 0,
                Round::Down => 1,
                Round::Up => 2,
                Round::Zero => 3,
            };
            let r = self.by_pieces(x, 8, |g, p| {
                g.b.intrinsic("llvm.x86.vcvtps2ph.256", &[], &[p, g.b.c(g.b.i32, mode)])
            });
            let nan = self.b.fcmp(Fcmp::LLVMRealUNO, x, x);
            return self.b.select(nan, self.same(r, 0x7fff), r);
        }
        let it = b.like(t, b.i32);
        let bits = b.bitcast(x, it);
        let sign = b.and(bits, b.c(it, 1 << 31));
        let a = b.xor(bits, sign);
        // Subnormal results: adding 0.5 aligns the mantissa; normal ones: rounding by hand.
        let magic = b.fc(t, 0.5);
        let (nearest_small, nearest_normal) = {
            let small = b.fadd(b.bitcast(a, t), magic);
            let small = b.sub(b.bitcast(small, it), b.c(it, 0x3f00_0000));
            let odd = b.and(b.lshr(a, b.c(it, 13)), b.c(it, 1));
            let normal = b.add(a, b.c(it, u64::from(0xc800_0fffu32)));
            let normal = b.lshr(b.add(normal, odd), b.c(it, 13));
            (small, normal)
        };
        let (small, normal) = if round == Round::Nearest {
            (nearest_small, nearest_normal)
        } else {
            // Truncation, then one up where the direction says so.
            let truncated = b.lshr(b.add(a, b.c(it, u64::from(0xc800_0000u32))), b.c(it, 13));
            let lost = b.icmp(Icmp::LLVMIntNE, b.and(a, b.c(it, 0x1fff)), b.zero(it));
            let scaled = b.fmul(b.bitcast(a, t), b.fc(t, f64::from(2f32.powi(24))));
            let whole = b.intr("llvm.floor", &[scaled]);
            let lost_small = b.fcmp(Fcmp::LLVMRealONE, scaled, whole);
            let whole = b.intrinsic("llvm.fptosi.sat", &[it, t], &[whole]);
            let negative = b.icmp(Icmp::LLVMIntNE, sign, b.zero(it));
            let up = match round {
                Round::Up => b.not(negative),
                Round::Down => negative,
                Round::Zero | Round::Nearest | Round::NearestAway => b.zero(b.like(t, b.i1)),
            };
            let bump = |v: V, lost: V| {
                let up = b.and(up, lost);
                b.add(v, b.zext(up, it))
            };
            (bump(whole, lost_small), bump(truncated, lost))
        };
        let is_small = b.icmp(Icmp::LLVMIntULT, a, b.c(it, 0x3880_0000));
        let r = b.select(is_small, small, normal);
        let inf = b.icmp(Icmp::LLVMIntUGE, a, b.c(it, 0x4780_0000));
        let overflow = match round {
            Round::Nearest | Round::NearestAway => b.c(it, 0x7c00),
            Round::Zero => b.c(it, 0x7bff),
            Round::Up | Round::Down => {
                let negative = b.icmp(Icmp::LLVMIntNE, sign, b.zero(it));
                let (yes, no) = if round == Round::Up {
                    (0x7bff, 0x7c00)
                } else {
                    (0x7c00, 0x7bff)
                };
                b.select(negative, b.c(it, yes), b.c(it, no))
            }
        };
        let true_inf = b.icmp(Icmp::LLVMIntEQ, a, b.c(it, 0x7f80_0000));
        let overflow = b.select(true_inf, b.c(it, 0x7c00), overflow);
        let r = b.select(inf, overflow, r);
        let nan = b.icmp(Icmp::LLVMIntUGT, a, b.c(it, 0x7f80_0000));
        let r = b.or(r, b.lshr(sign, b.c(it, 16)));
        let r = b.select(nan, b.c(it, 0x7fff), r);
        b.cast(Opcode::LLVMTrunc, r, b.like(t, b.i16))
    }

    pub(super) fn bf16_to_float(&self, x: V) -> V {
        let b = &self.b;
        let t = b.type_of(x);
        let it = b.like(t, b.i32);
        let w = b.shl(b.zext(x, it), b.c(it, 16));
        b.bitcast(w, b.like(t, b.f32))
    }

    pub(super) fn float_to_bf16(&self, x: V, round: Round) -> V {
        let b = &self.b;
        let t = b.type_of(x);
        let it = b.like(t, b.i32);
        let bits = b.bitcast(x, it);
        let negative = b.icmp(Icmp::LLVMIntSLT, bits, b.zero(it));
        let add = match round {
            Round::Nearest => {
                let odd = b.and(b.lshr(bits, b.c(it, 16)), b.c(it, 1));
                b.add(odd, b.c(it, 0x7fff))
            }
            Round::NearestAway => b.c(it, 0x8000),
            Round::Zero => b.zero(it),
            Round::Up => b.select(negative, b.zero(it), b.c(it, 0xffff)),
            Round::Down => b.select(negative, b.c(it, 0xffff), b.zero(it)),
        };
        let r = b.lshr(b.add(bits, add), b.c(it, 16));
        let nan = b.fcmp(Fcmp::LLVMRealUNO, x, x);
        let r = b.select(nan, b.c(it, 0x7fff), r);
        b.cast(Opcode::LLVMTrunc, r, b.like(t, b.i16))
    }

    #[expect(clippy::too_many_arguments, reason = "the operation's fields")]
    fn convert(
        &mut self,
        op: &Op,
        from: Float,
        to: Float,
        mode: FloatMode,
        relu: bool,
        satfinite: bool,
        arg: Value,
        scalar: bool,
    ) -> Result<V, Unsupported> {
        let x = self.float_arg(arg, from, scalar)?;
        let x = if mode.ftz && from == Float::F32 {
            self.flush(x)
        } else {
            x
        };
        let d = self.b.like(self.b.type_of(x), self.b.f64);
        let f = self.b.like(self.b.type_of(x), self.b.f32);
        let prepare = |g: &Self, v: V| {
            let v = if relu { g.relu(v) } else { v };
            if mode.sat { g.saturate(v) } else { v }
        };
        let out = match (from, to) {
            (Float::F64, Float::F64) => prepare(self, x),
            (Float::F64, Float::F32) => {
                let r = self.narrow(mode.round, x);
                let r = if mode.ftz { self.flush(r) } else { r };
                prepare(self, r)
            }
            (Float::F64, Float::F16 | Float::Bf16) => {
                let r = self.b.cast(Opcode::LLVMFPTrunc, x, f);
                let back = self.b.cast(Opcode::LLVMFPExt, r, d);
                let e = self.sign_of(self.b.fsub(x, back));
                let e = self.b.cast(Opcode::LLVMFPTrunc, e, f);
                let r = self.to_odd(r, e);
                let r = prepare(self, r);
                if to == Float::F16 {
                    self.float_to_half(r, mode.round)
                } else {
                    self.float_to_bf16(r, mode.round)
                }
            }
            (Float::F32 | Float::F16 | Float::Bf16 | Float::Tf32, Float::F64) => {
                let r = self.b.cast(Opcode::LLVMFPExt, x, d);
                prepare(self, r)
            }
            (Float::F32 | Float::F16 | Float::Bf16 | Float::E4m3 | Float::E5m2, Float::F32) => {
                prepare(self, x)
            }
            (
                Float::F32 | Float::F16 | Float::Bf16,
                Float::E4m3 | Float::E5m2 | Float::E2m3 | Float::E3m2 | Float::E2m1,
            ) if satfinite && matches!(mode.round, Round::Nearest | Round::Zero) => {
                let r = prepare(self, x);
                self.float_to_small(r, to, mode.round)
            }
            (Float::F32 | Float::F16 | Float::Bf16, Float::Ue8m0) => {
                self.float_to_exponent(x, mode.round, satfinite)
            }
            (
                Float::F32
                | Float::F16
                | Float::Bf16
                | Float::E4m3
                | Float::E5m2
                | Float::E2m3
                | Float::E3m2
                | Float::E2m1
                | Float::Ue8m0,
                Float::F16 | Float::Bf16,
            ) => {
                let r = prepare(self, x);
                let r = if satfinite {
                    let limit = if to == Float::F16 {
                        65504.0
                    } else {
                        3.389_531_389_251_535_5e38
                    };
                    self.clamp_finite(r, limit)
                } else {
                    r
                };
                if to == Float::F16 {
                    self.float_to_half(r, mode.round)
                } else {
                    self.float_to_bf16(r, mode.round)
                }
            }
            (Float::F32, Float::Tf32) => {
                let r = prepare(self, x);
                let it = self.b.like(f, self.b.i32);
                let bits = self.b.bitcast(r, it);
                let add = match mode.round {
                    Round::NearestAway => self.b.c(it, 0x1000),
                    Round::Nearest => {
                        let odd = self
                            .b
                            .and(self.b.lshr(bits, self.b.c(it, 13)), self.b.c(it, 1));
                        self.b.add(odd, self.b.c(it, 0x0fff))
                    }
                    Round::Zero => self.b.zero(it),
                    Round::Up | Round::Down => return self.refuse(op.to_string()),
                };
                let rounded = self.b.and(self.b.add(bits, add), self.b.c(it, 0xffff_e000));
                let nan = self.b.fcmp(Fcmp::LLVMRealUNO, r, r);
                self.b.select(nan, self.b.c(it, 0x7fff_ffff), rounded)
            }
            _ => return self.refuse(op.to_string()),
        };
        Ok(out)
    }

    fn clamp_finite(&self, x: V, limit: f64) -> V {
        let b = &self.b;
        let t = b.type_of(x);
        let over = b.fcmp(Fcmp::LLVMRealOGT, x, b.fc(t, limit));
        let x = b.select(over, b.fc(t, limit), x);
        let under = b.fcmp(Fcmp::LLVMRealOLT, x, b.fc(t, -limit));
        b.select(under, b.fc(t, -limit), x)
    }

    fn int_to_float(
        &mut self,
        x: V,
        sign: Sign,
        to: Float,
        mode: FloatMode,
        op: &Op,
    ) -> Result<V, Unsupported> {
        let t = self.b.type_of(x);
        let bits = self.b.bits_of(t);
        let (f, d) = (self.b.like(t, self.b.f32), self.b.like(t, self.b.f64));
        let cast = if sign == Sign::Signed {
            Opcode::LLVMSIToFP
        } else {
            Opcode::LLVMUIToFP
        };
        let r = match to {
            Float::F32 if mode.round == Round::Nearest => self.b.cast(cast, x, f),
            Float::F64 if mode.round == Round::Nearest || bits <= 32 => self.b.cast(cast, x, d),
            Float::F32 | Float::F64 | Float::F16 | Float::Bf16 => {
                // Exact halves in binary64 and the error of their sum.
                let (s, e) = if bits <= 32 {
                    let v = self.b.cast(cast, x, d);
                    (v, self.b.fc(d, 0.0))
                } else {
                    let n = self.same(x, 32);
                    let hi = if sign == Sign::Signed {
                        self.b.ashr(x, n)
                    } else {
                        self.b.lshr(x, n)
                    };
                    let lo = self.b.and(x, self.same(x, 0xffff_ffff));
                    let hi = self.b.cast(cast, hi, d);
                    let hi = self.b.fmul(hi, self.b.fc(d, 4_294_967_296.0));
                    let lo = self.b.cast(Opcode::LLVMUIToFP, lo, d);
                    self.two_sum(hi, lo)
                };
                if to == Float::F64 {
                    self.direct(mode.round, s, e)
                } else {
                    let odd = self.to_odd(s, e);
                    if to == Float::F32 {
                        self.narrow(mode.round, odd)
                    } else {
                        let r = self.b.cast(Opcode::LLVMFPTrunc, odd, f);
                        let back = self.b.cast(Opcode::LLVMFPExt, r, d);
                        let e = self.sign_of(self.b.fsub(odd, back));
                        let e = self.b.cast(Opcode::LLVMFPTrunc, e, f);
                        self.to_odd(r, e)
                    }
                }
            }
            _ => return self.refuse(op.to_string()),
        };
        let r = if mode.sat { self.saturate(r) } else { r };
        Ok(match to {
            Float::F16 => self.float_to_half(r, mode.round),
            Float::Bf16 => self.float_to_bf16(r, mode.round),
            _ => r,
        })
    }

    /// An integral float to an integer, clamped; NaN as the rule says.
    fn to_int(&self, x: V, bits: u32, sign: Sign, wide: bool) -> V {
        let b = &self.b;
        let t = b.type_of(x);
        let it = b.like(t, b.int(bits));
        let r = if bits == 32 && b.elem_of(t) == b.f32 {
            self.saturated(x, sign)
        } else {
            let name = if sign == Sign::Signed {
                "llvm.fptosi.sat"
            } else {
                "llvm.fptoui.sat"
            };
            b.intrinsic(name, &[it, t], &[x])
        };
        if !wide {
            return r;
        }
        let nan = b.fcmp(Fcmp::LLVMRealUNO, x, x);
        b.select(nan, b.c(it, 1 << (bits - 1)), r)
    }

    /// Type of `ty` read as floating point where there is one.
    #[must_use]
    pub fn float_type(&self, ty: Ty) -> Option<T> {
        match ty {
            Ty::B32 => Some(self.b.f32),
            Ty::B64 => Some(self.b.f64),
            _ => None,
        }
    }
}
