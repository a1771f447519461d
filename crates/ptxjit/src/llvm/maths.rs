//! The functions that PTX defines by an error bound: own polynomials on vectors.
//!
//! Coefficients are minimax fits (Remez) to the function on the reduced range; `tests/maths.rs` checks the bounds of
//! the PTX ISA by sampling.

use super::build::{Fcmp, Icmp, Opcode, T, V};
use super::emit::Gen;
use super::target::Level;
use crate::ir::{Approx, Float};

/// 2^f on [-0.5, 0.5], relative error 2^-29.
const EX2: [f64; 7] = [
    1.000_000_000_554_166_5,
    0.693_147_205_737_253_3,
    0.240_226_468_906_397_62,
    0.055_503_287_769_971_24,
    0.009_618_488_956_502_537,
    0.001_339_993_120_959_887_3,
    0.000_153_458_121_642_695_3,
];
/// log2(1 + f) / f on [√½ - 1, √2 - 1].
const LG2: [f64; 9] = [
    1.442_694_895_368_731_3,
    -0.721_347_138_449_672_8,
    0.480_920_675_452_190_8,
    -0.360_720_061_239_061_25,
    0.287_693_177_518_535_57,
    -0.238_552_348_840_775_86,
    0.217_141_576_129_845_55,
    -0.210_051_093_539_098_1,
    0.125_661_546_799_994_03,
];
/// sin(x) / x in powers of x² on [0, π/4].
const SIN: [f64; 4] = [
    0.999_999_996_907_517_2,
    -0.166_666_506_259_605_6,
    0.008_332_032_918_621_677,
    -0.000_195_035_091_178_634,
];
/// cos(x) in powers of x² on [0, π/4].
const COS: [f64; 5] = [
    0.999_999_999_952_237,
    -0.499_999_996_130_772_4,
    0.041_666_616_510_120_61,
    -0.001_388_661_228_155_462_6,
    2.437_928_791_247_763_3e-5,
];
/// π/2 in three parts; the first two have few enough bits for exact products with small integers.
const HALF_PI: [f64; 3] = [
    1.570_312_5,
    4.837_512_969_970_703e-4,
    7.549_789_954_891_91e-8,
];

/// `_MM_FROUND_CUR_DIRECTION`: no rounding of its own.
const CURRENT_ROUNDING: u64 = 4;

impl Gen<'_, '_> {
    /// A function on `float` (also for 16-bit formats, which round afterwards) or `double`.
    /// `positive`: `x` is a positive normal number, infinity or NaN.
    pub fn approx(&mut self, func: Approx, fmt: Float, ftz: bool, x: V, positive: bool) -> V {
        if fmt == Float::F64 {
            return self.approx_double(func, ftz, x);
        }
        let x = if ftz { self.flush(x) } else { x };
        let one = self.b.fc(self.b.type_of(x), 1.0);
        let r = match func {
            Approx::Rcp => self.b.fdiv(one, x),
            Approx::Sqrt => self.b.intr("llvm.sqrt", &[x]),
            Approx::Rsqrt => self.rsqrt(x, positive),
            Approx::Ex2 => self.ex2(x),
            Approx::Lg2 => self.lg2(x, ftz),
            Approx::Sin => self.sin_cos(x, false),
            Approx::Cos => self.sin_cos(x, true),
            Approx::Tanh => self.tanh(x),
        };
        if ftz { self.flush(r) } else { r }
    }

    fn polynomial(&self, coefficients: &[f64], f: V) -> V {
        let b = &self.b;
        let t = b.type_of(f);
        let mut p = b.fc(t, coefficients[coefficients.len() - 1]);
        for &c in coefficients.iter().rev().skip(1) {
            p = self.multiply_add(p, f, b.fc(t, c));
        }
        p
    }

    /// a·b + c; rounded once where that is one instruction.
    fn multiply_add(&self, x: V, y: V, z: V) -> V {
        if self.level == Level::Sse4 {
            let p = self.b.fmul(x, y);
            self.b.fadd(p, z)
        } else {
            self.b.fma(x, y, z)
        }
    }

    /// 1/√x. Relative error below 2^-22.9.
    fn rsqrt(&mut self, x: V, positive: bool) -> V {
        let t = self.b.type_of(x);
        if self.b.lanes_of(t) == 1 || self.level == Level::Sse4 {
            let s = self.b.intr("llvm.sqrt", &[x]);
            return self.b.fdiv(self.b.fc(t, 1.0), s);
        }
        if positive {
            // What infinity is multiplied with is 0 then. Of a number and NaN, the instruction gives the second.
            let finite = match self.has_estimates(t) {
                true => self.by_pieces(x, 16, |g, p| {
                    let most = g.b.fc(g.b.type_of(p), f64::from(f32::MAX));
                    let rounding = g.b.c(g.b.i32, CURRENT_ROUNDING);
                    g.b.intrinsic("llvm.x86.avx512.min.ps.512", &[], &[most, p, rounding])
                }),
                false => self.by_pieces(x, 8, |g, p| {
                    let most = g.b.fc(g.b.type_of(p), f64::from(f32::MAX));
                    g.b.intrinsic("llvm.x86.avx.min.ps.256", &[], &[most, p])
                }),
            };
            return self.refined_rsqrt(x, finite);
        }
        // Zero, subnormal, negative, infinite, NaN: the exact way.
        let it = self.b.like(t, self.b.i32);
        let bits = self.b.bitcast(x, it);
        let from_least = self.b.sub(bits, self.b.c(it, 0x0080_0000));
        let normal = self
            .b
            .icmp(Icmp::LLVMIntULT, from_least, self.b.c(it, 0x7f00_0000));
        let lanes = self.b.lanes_of(t);
        let odd = self.b.not(normal);
        let wide = self.b.sext(odd, it);
        let any = if lanes == self.w && self.level != Level::Avx512 {
            self.any(super::emit::Mask::Some(wide))
        } else {
            let bits = self.b.bitcast(odd, self.b.int(lanes));
            self.b
                .icmp(Icmp::LLVMIntNE, bits, self.b.c(self.b.int(lanes), 0))
        };
        self.either(
            any,
            |g| {
                let s = g.b.intr("llvm.sqrt", &[x]);
                g.b.fdiv(g.b.fc(t, 1.0), s)
            },
            |g| g.refined_rsqrt(x, x),
        )
    }

    /// Whether the hardware estimates 1/√x to 2^-14 for vectors of this type.
    fn has_estimates(&self, t: T) -> bool {
        self.level == Level::Avx512 && self.b.lanes_of(t) >= 16
    }

    /// The hardware's estimate of 1/√x and one step, of second order from 2^-14, of third from 2^-11; `finite` is x, or any
    /// finite number for infinity.
    fn refined_rsqrt(&mut self, x: V, finite: V) -> V {
        let t = self.b.type_of(x);
        let close = self.has_estimates(t);
        let y = if close {
            self.by_pieces(x, 16, |g, p| {
                let zero = g.b.zero(g.b.type_of(p));
                g.b.intrinsic(
                    "llvm.x86.avx512.rsqrt14.ps.512",
                    &[],
                    &[p, zero, g.b.ones(g.b.i16)],
                )
            })
        } else {
            self.by_pieces(x, 8, |g, p| {
                g.b.intrinsic("llvm.x86.avx.rsqrt.ps.256", &[], &[p])
            })
        };
        // e = 1 - x y²; y + y e (1/2 + 3/8 e), both factors at a time.
        let b = &self.b;
        let xy = b.fmul(finite, y);
        let n = b.fneg(xy);
        let e = b.fma(n, y, b.fc(t, 1.0));
        if close {
            let half = b.fmul(y, b.fc(t, 0.5));
            return b.fma(half, e, y);
        }
        let p = b.fma(e, b.fc(t, 0.375), b.fc(t, 0.5));
        let ye = b.fmul(y, e);
        b.fma(ye, p, y)
    }

    /// 2^x, 2 ulp over the full range.
    fn ex2(&mut self, x: V) -> V {
        let b = &self.b;
        let t = b.type_of(x);
        let it = b.like(t, b.i32);
        // Beyond these the result is 0 or infinity anyway; NaN passes.
        let low = b.fcmp(Fcmp::LLVMRealOLT, x, b.fc(t, -160.0));
        let x = b.select(low, b.fc(t, -160.0), x);
        let high = b.fcmp(Fcmp::LLVMRealOGT, x, b.fc(t, 160.0));
        let x = b.select(high, b.fc(t, 160.0), x);
        let n = b.intr("llvm.rint", &[x]);
        let f = b.fsub(x, n);
        let p = self.polynomial(&EX2, f);
        let b = &self.b;
        let i = b.cast(Opcode::LLVMFPToSI, n, it);
        let i = b.freeze(i);
        // In two steps, so that subnormal results and overflow come out right.
        let half = b.ashr(i, b.c(it, 1));
        let rest = b.sub(i, half);
        let scale = |n: V| {
            let e = b.add(n, b.c(it, 127));
            let e = b.shl(e, b.c(it, 23));
            b.bitcast(e, t)
        };
        let p = b.fmul(p, scale(half));
        b.fmul(p, scale(rest))
    }

    /// log2 x.
    fn lg2(&mut self, x: V, ftz: bool) -> V {
        let b = &self.b;
        let t = b.type_of(x);
        let it = b.like(t, b.i32);
        let (x, shift) = if ftz {
            (x, None)
        } else {
            let small = b.fcmp(Fcmp::LLVMRealOLT, x, b.fc(t, f64::from(f32::MIN_POSITIVE)));
            let scaled = b.fmul(x, b.fc(t, 16_777_216.0));
            let shift = b.select(small, b.fc(t, -24.0), b.fc(t, 0.0));
            (b.select(small, scaled, x), Some(shift))
        };
        let bits = b.bitcast(x, it);
        // √½ as bits: the mantissa range becomes [√½, √2).
        let d = b.sub(bits, b.c(it, 0x3f35_04f3));
        let k = b.ashr(d, b.c(it, 23));
        let m = b.sub(bits, b.shl(k, b.c(it, 23)));
        let m = b.bitcast(m, t);
        let f = b.fsub(m, b.fc(t, 1.0));
        let kf = b.cast(Opcode::LLVMSIToFP, k, t);
        let kf = match shift {
            Some(s) => b.fadd(kf, s),
            None => kf,
        };
        let p = self.polynomial(&LG2, f);
        let r = self.multiply_add(p, f, kf);
        let b = &self.b;
        let zero = b.fc(t, 0.0);
        let is_zero = b.fcmp(Fcmp::LLVMRealOEQ, x, zero);
        let r = b.select(is_zero, b.fc(t, f64::NEG_INFINITY), r);
        let plain = b.fcmp(Fcmp::LLVMRealOLT, x, b.fc(t, f64::INFINITY));
        let r = b.select(plain, r, x);
        let negative = b.fcmp(Fcmp::LLVMRealOLT, x, zero);
        b.select(negative, b.fc(t, f64::NAN), r)
    }

    fn sin_cos(&mut self, x: V, cosine: bool) -> V {
        let b = &self.b;
        let t = b.type_of(x);
        let it = b.like(t, b.i32);
        let n = b.fmul(x, b.fc(t, std::f64::consts::FRAC_2_PI));
        let n = b.intr("llvm.rint", &[n]);
        let mut r = x;
        for part in HALF_PI {
            r = self.multiply_add(n, b.fc(t, -part), r);
        }
        let q = self.saturated(n, crate::ir::Sign::Signed);
        let q = if cosine { b.add(q, b.c(it, 1)) } else { q };
        let z = b.fmul(r, r);
        let s = self.polynomial(&SIN, z);
        let b = &self.b;
        let s = b.fmul(s, r);
        let c = self.polynomial(&COS, z);
        let b = &self.b;
        let odd = b.and(q, b.c(it, 1));
        let odd = b.icmp(Icmp::LLVMIntNE, odd, b.zero(it));
        let v = b.select(odd, c, s);
        let sign = b.shl(b.and(q, b.c(it, 2)), b.c(it, 30));
        let v = b.xor(b.bitcast(v, it), sign);
        let v = b.bitcast(v, t);
        // Infinity and NaN.
        let a = b.intr("llvm.fabs", &[x]);
        let finite = b.fcmp(Fcmp::LLVMRealOLT, a, b.fc(t, f64::INFINITY));
        b.select(finite, v, b.fc(t, f64::NAN))
    }

    /// (e - 1) / (e + 1) with e = 2^(2x/ln 2).
    fn tanh(&mut self, x: V) -> V {
        let b = &self.b;
        let t = b.type_of(x);
        let a = b.intr("llvm.fabs", &[x]);
        let big = b.fcmp(Fcmp::LLVMRealOGT, a, b.fc(t, 12.0));
        let c = b.select(big, b.fc(t, 12.0), a);
        let y = b.fmul(c, b.fc(t, 2.0 * std::f64::consts::LOG2_E));
        let e = self.ex2(y);
        let b = &self.b;
        let one = b.fc(t, 1.0);
        let r = b.fdiv(b.fsub(e, one), b.fadd(e, one));
        let small = b.fcmp(Fcmp::LLVMRealOLT, a, b.fc(t, 0.003_906_25));
        let r = b.select(small, a, r);
        b.intr("llvm.copysign", &[r, x])
    }

    /// `rcp` and `rsqrt` of doubles: low 32 bits of the result are zero.
    fn approx_double(&mut self, func: Approx, ftz: bool, x: V) -> V {
        let x = if ftz { self.flush(x) } else { x };
        let b = &self.b;
        let t = b.type_of(x);
        let d = if func == Approx::Rsqrt {
            b.intr("llvm.sqrt", &[x])
        } else {
            x
        };
        let r = b.fdiv(b.fc(t, 1.0), d);
        let r = if ftz { self.flush(r) } else { r };
        let b = &self.b;
        let it = b.like(t, b.i64);
        let bits = b.and(b.bitcast(r, it), b.c(it, 0xffff_ffff_0000_0000));
        b.bitcast(bits, t)
    }
}
