//! Formats of 4, 6 and 8 bits: conversion to and from binary32 by integer arithmetic.

use super::build::{Builder, Fcmp, Icmp, Opcode, V};
use super::emit::Gen;
use crate::ir::{Float, Round};

/// Exponent bits, mantissa bits and the largest finite magnitude of a format.
fn layout(fmt: Float) -> (u64, u64, u64) {
    match fmt {
        Float::E5m2 => (5, 2, 0x7b),
        Float::E2m3 => (2, 3, 0x1f),
        Float::E3m2 => (3, 2, 0x1f),
        Float::E2m1 => (2, 1, 0x7),
        _ => (4, 3, 0x7e),
    }
}

/// Bytes of a small format as binary32.
pub(super) fn to_float(b: &Builder<'_>, x: V, fmt: Float) -> V {
    let t = b.type_of(x);
    let (it, ft) = (b.like(t, b.i32), b.like(t, b.f32));
    let w = b.zext(x, it);
    let nan = b.c(it, 0x7fff_ffff);
    if fmt == Float::Ue8m0 {
        // 2^(x - 127): the exponent of binary32, whose least is subnormal; 255 is NaN.
        let r = b.shl(w, b.c(it, 23));
        let least = b.icmp(Icmp::LLVMIntEQ, w, b.zero(it));
        let r = b.select(least, b.c(it, 0x0040_0000), r);
        let bad = b.icmp(Icmp::LLVMIntEQ, w, b.c(it, 255));
        return b.bitcast(b.select(bad, nan, r), ft);
    }
    let (exponent, mantissa, _) = layout(fmt);
    let bits = exponent + mantissa;
    let sign = b.and(w, b.c(it, 1 << bits));
    let sign = b.shl(sign, b.c(it, 31 - bits));
    let magnitude = b.and(w, b.c(it, (1 << bits) - 1));
    // Exponent and mantissa in place, and the difference of the biases made up by a product.
    let shifted = b.shl(magnitude, b.c(it, 23 - mantissa));
    let bias = (1i32 << (exponent - 1)) - 1;
    let scaled = b.fmul(b.bitcast(shifted, ft), b.fc(ft, 2f64.powi(127 - bias)));
    let mut r = b.bitcast(scaled, it);
    match fmt {
        Float::E5m2 => {
            let infinite = b.icmp(Icmp::LLVMIntEQ, magnitude, b.c(it, 0x7c));
            r = b.select(infinite, b.c(it, 0x7f80_0000), r);
            let bad = b.icmp(Icmp::LLVMIntUGT, magnitude, b.c(it, 0x7c));
            r = b.select(bad, nan, r);
        }
        Float::E4m3 => {
            let bad = b.icmp(Icmp::LLVMIntEQ, magnitude, b.c(it, 0x7f));
            r = b.select(bad, nan, r);
        }
        _ => {}
    }
    b.bitcast(b.or(r, sign), ft)
}

impl Gen<'_, '_> {
    /// Bytes of a small format as binary32.
    pub(super) fn small_to_float(&self, x: V, fmt: Float) -> V {
        to_float(&self.b, x, fmt)
    }

    /// Binary32 to a small format, to nearest even or toward zero; beyond the range comes the largest number. NaN is
    /// 0x7f, and the largest number where the format has no NaN.
    pub(super) fn float_to_small(&self, x: V, fmt: Float, round: Round) -> V {
        let b = &self.b;
        let t = b.type_of(x);
        let it = b.like(t, b.i32);
        let (exponent, mantissa, largest) = layout(fmt);
        let bias = (1u64 << (exponent - 1)) - 1;
        let bits = b.bitcast(x, it);
        let sign = b.and(bits, b.c(it, 1 << 31));
        let a = b.xor(bits, sign);
        let drop = 23 - mantissa;
        // Normal results: rounded in place, then the exponent's bias changed.
        let rounded = match round {
            Round::Nearest => {
                let odd = b.and(b.lshr(a, b.c(it, drop)), b.c(it, 1));
                b.add(b.add(a, odd), b.c(it, (1 << (drop - 1)) - 1))
            }
            _ => a,
        };
        let normal = b.sub(
            b.lshr(rounded, b.c(it, drop)),
            b.c(it, (127 - bias) << mantissa),
        );
        // Subnormal ones: a multiple of the least number, by a sum with a number whose last place that is.
        let least = i32::try_from(1 - i64::try_from(bias + mantissa).unwrap_or(0)).unwrap_or(0);
        let f = b.bitcast(a, t);
        let small = match round {
            Round::Nearest => {
                let magic = b.fc(t, 2f64.powi(23 + least));
                let sum = b.fadd(f, magic);
                b.sub(b.bitcast(sum, it), b.bitcast(magic, it))
            }
            _ => {
                let scaled = b.fmul(f, b.fc(t, 2f64.powi(-least)));
                b.intrinsic("llvm.fptoui.sat", &[it, t], &[scaled])
            }
        };
        let is_small = b.icmp(Icmp::LLVMIntULT, a, b.c(it, (128 - bias) << 23));
        let r = b.select(is_small, small, normal);
        // Large numbers (their rounded bits may pass the sign).
        let limit = b.c(it, largest);
        let beyond = b.icmp(Icmp::LLVMIntUGE, a, b.c(it, (127 + bias + 2) << 23));
        let r = b.select(beyond, limit, r);
        let r = b.intr("llvm.umin", &[r, limit]);
        let sign = b.lshr(sign, b.c(it, 31 - exponent - mantissa));
        let r = b.or(r, sign);
        let nan = b.fcmp(Fcmp::LLVMRealUNO, x, x);
        let canonical = if matches!(fmt, Float::E4m3 | Float::E5m2) {
            0x7f
        } else {
            largest
        };
        let r = b.select(nan, b.c(it, canonical), r);
        b.cast(Opcode::LLVMTrunc, r, b.like(t, b.int(8)))
    }

    /// The exponent of a binary32 magnitude, toward zero or up; NaN is 255.
    pub(super) fn float_to_exponent(&self, x: V, round: Round, satfinite: bool) -> V {
        let b = &self.b;
        let t = b.type_of(x);
        let it = b.like(t, b.i32);
        let a = b.and(b.bitcast(x, it), b.c(it, 0x7fff_ffff));
        let exponent = b.lshr(a, b.c(it, 23));
        let r = if round == Round::Up {
            let fraction = b.and(a, b.c(it, 0x007f_ffff));
            // Below 2^-126 the exponent 0 stands for 2^-127.
            let subnormal = b.icmp(Icmp::LLVMIntEQ, exponent, b.zero(it));
            let threshold = b.select(subnormal, b.c(it, 0x0040_0000), b.zero(it));
            let up = b.icmp(Icmp::LLVMIntUGT, fraction, threshold);
            b.add(exponent, b.zext(up, it))
        } else {
            exponent
        };
        let r = b.intr("llvm.umin", &[r, b.c(it, 254)]);
        let infinite = b.icmp(Icmp::LLVMIntEQ, a, b.c(it, 0x7f80_0000));
        let r = b.select(infinite, b.c(it, if satfinite { 254 } else { 255 }), r);
        let nan = b.icmp(Icmp::LLVMIntUGT, a, b.c(it, 0x7f80_0000));
        let r = b.select(nan, b.c(it, 255), r);
        b.cast(Opcode::LLVMTrunc, r, b.like(t, b.int(8)))
    }
}
