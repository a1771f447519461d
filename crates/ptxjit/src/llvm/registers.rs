//! Sequences of instructions on single registers, where LLVM takes long over an operation on a whole vector, or makes
//! more of it than there need be.

use super::build::{Fcmp, Opcode, T, V};
use super::emit::Gen;
use super::target::Level;
use crate::ir::Sign;

/// Elements of a register of 256 bits.
const LANES: u32 = 8;
/// Within each half of a register: the first elements of two registers in turn, and the last ones.
const LOW: [i32; 8] = [0, 8, 1, 9, 4, 12, 5, 13];
const HIGH: [i32; 8] = [2, 10, 3, 11, 6, 14, 7, 15];
/// The same of pairs of elements.
const LOW_PAIRS: [i32; 8] = [0, 1, 8, 9, 4, 5, 12, 13];
const HIGH_PAIRS: [i32; 8] = [2, 3, 10, 11, 6, 7, 14, 15];
/// The lower halves of two registers, and the upper ones.
const LOWER: [i32; 8] = [0, 1, 2, 3, 8, 9, 10, 11];
const UPPER: [i32; 8] = [4, 5, 6, 7, 12, 13, 14, 15];

impl Gen<'_, '_> {
    /// Whether accesses of `n` elements of `size` bytes are taken apart register by register.
    pub(super) fn by_registers(&self, n: u32, size: u32) -> bool {
        self.level == Level::Avx2 && n == 4 && size == 4 && self.w.is_multiple_of(LANES)
    }

    /// Transposes 4 by 4 elements in each half of four registers.
    pub(super) fn transposed(&self, [a, b, c, d]: [V; 4]) -> [V; 4] {
        let s = |x: V, y: V, pick: &[i32; 8]| self.b.shuffle(x, y, pick);
        let (ab, cd) = (s(a, b, &LOW), s(c, d, &LOW));
        let (ab_high, cd_high) = (s(a, b, &HIGH), s(c, d, &HIGH));
        [
            s(ab, cd, &LOW_PAIRS),
            s(ab, cd, &HIGH_PAIRS),
            s(ab_high, cd_high, &LOW_PAIRS),
            s(ab_high, cd_high, &HIGH_PAIRS),
        ]
    }

    /// Loads four elements of 4 bytes a lane, lane behind lane.
    pub(super) fn load_fours(&mut self, p: V, types: &[T]) -> Vec<V> {
        let t = self.b.vec(self.b.f32, LANES);
        let mut pieces: [Vec<V>; 4] = Default::default();
        for group in 0..self.w / LANES {
            let [a, b, c, d] = [0, 1, 2, 3].map(|k| {
                let at = self.b.offset(p, i64::from((group * 4 + k) * LANES * 4));
                self.b.load(t, at, 16)
            });
            let s = |x: V, y: V, pick: &[i32; 8]| self.b.shuffle(x, y, pick);
            let lanes = [
                s(a, c, &LOWER),
                s(a, c, &UPPER),
                s(b, d, &LOWER),
                s(b, d, &UPPER),
            ];
            for (piece, v) in pieces.iter_mut().zip(self.transposed(lanes)) {
                piece.push(v);
            }
        }
        let whole = pieces.iter().zip(types);
        whole
            .map(|(piece, &t)| {
                let v = self.b.concat(piece);
                self.b.bitcast(v, self.vt(t))
            })
            .collect()
    }

    /// Four vectors of elements of 4 bytes as memory has them: lane behind lane.
    pub(super) fn interleave_fours(&self, values: [V; 4]) -> V {
        let ty = self.b.type_of(values[0]);
        let t = self.b.like(ty, self.b.f32);
        let values = values.map(|v| self.b.bitcast(v, t));
        let mut rows = Vec::new();
        for group in 0..self.w / LANES {
            let of = values.map(|v| self.b.part(v, group * LANES, LANES));
            let [a, b, c, d] = self.transposed(of);
            let s = |x: V, y: V, pick: &[i32; 8]| self.b.shuffle(x, y, pick);
            rows.extend([
                s(a, b, &LOWER),
                s(c, d, &LOWER),
                s(a, b, &UPPER),
                s(c, d, &UPPER),
            ]);
        }
        let all = self.b.concat(&rows);
        self.b
            .bitcast(all, self.b.vec(self.b.elem_of(ty), self.w * 4))
    }

    /// Zeros before the highest bit.
    pub(super) fn leading_zeros(&self, x: V) -> V {
        let b = &self.b;
        let t = b.type_of(x);
        if self.level == Level::Avx512 || b.lanes_of(t) == 1 || b.bits_of(t) != 32 {
            return b.intrinsic("llvm.ctlz", &[t], &[x, b.c(b.i1, 0)]);
        }
        // The exponent of the number says where its highest bit is; without the next one, it is not rounded up.
        let next = b.lshr(x, b.c(t, 1));
        let highest = b.and(x, b.not(next));
        let float = b.cast(Opcode::LLVMSIToFP, highest, b.like(t, b.f32));
        let exponent = b.lshr(b.bitcast(float, t), b.c(t, 23));
        let zeros = b.sub(b.c(t, 127 + 31), exponent);
        let zeros = b.intr("llvm.umin", &[zeros, b.c(t, 32)]);
        let negative = b.ashr(x, b.c(t, 31));
        b.and(zeros, b.not(negative))
    }

    /// Integral binary32 as integers of 32 bits, clamped to their range; NaN is 0.
    pub(super) fn saturated(&self, x: V, sign: Sign) -> V {
        let b = &self.b;
        let t = b.type_of(x);
        let it = b.like(t, b.i32);
        let (lanes, convert, most) = match self.level {
            Level::Sse4 => (4, "llvm.x86.sse2.cvttps2dq", "llvm.x86.sse.max.ps"),
            Level::Avx2 => (8, "llvm.x86.avx.cvtt.ps2dq.256", "llvm.x86.avx.max.ps.256"),
            // It has conversions of unsigned integers.
            Level::Avx512 => (u32::MAX, "", ""),
        };
        if !b.lanes_of(t).is_multiple_of(lanes) {
            let name = match sign {
                Sign::Signed => "llvm.fptosi.sat",
                Sign::Unsigned => "llvm.fptoui.sat",
            };
            return b.intrinsic(name, &[it, t], &[x]);
        }
        let (ft, rt) = (b.vec(b.f32, lanes), b.vec(b.i32, lanes));
        let half = b.fc(ft, 2f64.powi(31));
        let parts: Vec<V> = (0..b.lanes_of(t) / lanes)
            .map(|i| {
                let x = b.part(x, i * lanes, lanes);
                // The instruction gives 0x80000000 for what it cannot convert.
                match sign {
                    Sign::Signed => {
                        let r = b.intrinsic(convert, &[], &[x]);
                        let above = b.sext(b.fcmp(Fcmp::LLVMRealOGE, x, half), rt);
                        let number = b.sext(b.fcmp(Fcmp::LLVMRealORD, x, x), rt);
                        b.and(b.xor(r, above), number)
                    }
                    Sign::Unsigned => {
                        // The second operand where one is NaN.
                        let x = b.intrinsic(most, &[], &[x, b.zero(ft)]);
                        let high = b.sext(b.fcmp(Fcmp::LLVMRealOGE, x, half), rt);
                        let less = b.bitcast(b.and(high, b.bitcast(half, rt)), ft);
                        let r = b.intrinsic(convert, &[], &[b.fsub(x, less)]);
                        let r = b.xor(r, b.and(high, b.c(rt, 1 << 31)));
                        let above = b.fcmp(Fcmp::LLVMRealOGE, x, b.fc(ft, 2f64.powi(32)));
                        b.or(r, b.sext(above, rt))
                    }
                }
            })
            .collect();
        b.concat(&parts)
    }

    /// Sums of the products of four bytes each, where a vector fills registers: bytes are widened to 16 bits, the even
    /// ones and the odd ones, whose products one instruction adds by pairs. No sum passes 32 bits.
    pub(super) fn dot_of_bytes(&self, x: V, y: V, sx: Sign, sy: Sign) -> Option<V> {
        let b = &self.b;
        let t = b.type_of(x);
        let (lanes, dot) = match self.level {
            Level::Sse4 => (4, "llvm.x86.sse2.pmadd.wd"),
            Level::Avx2 => (8, "llvm.x86.avx2.pmadd.wd"),
            Level::Avx512 => (16, "llvm.x86.avx512.pmaddw.d.512"),
        };
        if !b.lanes_of(t).is_multiple_of(lanes) {
            return None;
        }
        let rt = b.vec(b.i16, 2 * lanes);
        let eight = b.c(rt, 8);
        let widened = |v: V, sign: Sign| {
            let v = b.bitcast(v, rt);
            match sign {
                Sign::Signed => [b.ashr(b.shl(v, eight), eight), b.ashr(v, eight)],
                Sign::Unsigned => [b.and(v, b.c(rt, 255)), b.lshr(v, eight)],
            }
        };
        let parts: Vec<V> = (0..b.lanes_of(t) / lanes)
            .map(|i| {
                let of = |v: V, sign| widened(b.part(v, i * lanes, lanes), sign);
                let ([even_x, odd_x], [even_y, odd_y]) = (of(x, sx), of(y, sy));
                let even = b.intrinsic(dot, &[], &[even_x, even_y]);
                let odd = b.intrinsic(dot, &[], &[odd_x, odd_y]);
                b.add(even, odd)
            })
            .collect();
        Some(b.concat(&parts))
    }
}
