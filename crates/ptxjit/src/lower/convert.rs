//! `cvt` and `cvt.pack`.

use super::arith::sign;
use super::frame::width;
use super::{Lower, Result};
use crate::ir::{Float, FloatMode, Int, Op, Round, Sign, Ty, Value};
use ptx::checked::Instruction;
use ptx::kind;
use ptx::modifier::CvtRounding;
use ptx::types::ScalarType;

/// Element format and number of elements of a floating-point type.
fn elements(ty: ScalarType) -> Option<(Float, u32)> {
    use ScalarType as T;
    Some(match ty {
        T::F16 => (Float::F16, 1),
        T::Bf16 => (Float::Bf16, 1),
        T::F32 => (Float::F32, 1),
        T::F64 => (Float::F64, 1),
        T::Tf32 => (Float::Tf32, 1),
        T::F16x2 => (Float::F16, 2),
        T::Bf16x2 => (Float::Bf16, 2),
        T::F32x2 => (Float::F32, 2),
        T::E4m3x2 => (Float::E4m3, 2),
        T::E5m2x2 => (Float::E5m2, 2),
        T::E2m3x2 => (Float::E2m3, 2),
        T::E3m2x2 => (Float::E3m2, 2),
        T::E2m1x2 => (Float::E2m1, 2),
        T::Ue8m0x2 => (Float::Ue8m0, 2),
        T::E4m3x4 => (Float::E4m3, 4),
        T::E5m2x4 => (Float::E5m2, 4),
        T::E2m3x4 => (Float::E2m3, 4),
        T::E3m2x4 => (Float::E3m2, 4),
        T::E2m1x4 => (Float::E2m1, 4),
        _ => return None,
    })
}

/// Direction, and whether it is to an integral value.
fn rounding(rnd: Option<CvtRounding>) -> Option<(Round, bool)> {
    Some(match rnd {
        None => (Round::Nearest, false),
        Some(CvtRounding::Rn) => (Round::Nearest, false),
        Some(CvtRounding::Rna) => (Round::NearestAway, false),
        Some(CvtRounding::Rz) => (Round::Zero, false),
        Some(CvtRounding::Rm) => (Round::Down, false),
        Some(CvtRounding::Rp) => (Round::Up, false),
        Some(CvtRounding::Rni) => (Round::Nearest, true),
        Some(CvtRounding::Rzi) => (Round::Zero, true),
        Some(CvtRounding::Rmi) => (Round::Down, true),
        Some(CvtRounding::Rpi) => (Round::Up, true),
        Some(CvtRounding::Rs) => return None,
    })
}

/// How a conversion rounds and clamps.
#[derive(Clone, Copy)]
struct How {
    mode: FloatMode,
    integral: bool,
    relu: bool,
    satfinite: bool,
}

impl<'a> Lower<'_, 'a> {
    pub(super) fn cvt(&mut self, i: &'a Instruction, k: &kind::Cvt) -> Result<()> {
        if k.scaled {
            return self.form("scaled conversion");
        }
        let Some((round, integral)) = rounding(k.rnd) else {
            return self.stochastic(i, k);
        };
        let how = How {
            mode: FloatMode {
                round,
                ftz: k.ftz,
                sat: k.sat,
            },
            integral,
            relu: k.relu,
            satfinite: k.satfinite,
        };
        let value = match (k.dty.is_float(), k.sty.is_float()) {
            (false, false) => self.int_to_int(i, k)?,
            (true, false) => self.int_to_float(i, k, how)?,
            (false, true) => self.float_to_int(i, k, how)?,
            (true, true) => self.float_to_float(i, k, how)?,
        };
        self.dst(i.dsts.first(), value, sign(k.dty))
    }

    fn int_to_int(&mut self, i: &'a Instruction, k: &kind::Cvt) -> Result<Value> {
        let value = self.src(i, 0, width(k.sty))?;
        if k.sat {
            return Ok(self.clamp(value, sign(k.sty), width(k.dty), sign(k.dty)));
        }
        Ok(self.fit(value, width(k.dty), sign(k.sty)))
    }

    /// An integer clamped to the range of another type.
    fn clamp(&mut self, value: Value, from_sign: Sign, to: Ty, to_sign: Sign) -> Value {
        let from = self.b.function.ty(value);
        let (w, sign) = (Int::I64, from_sign);
        let mut value = self.widen(value, Ty::B64, from_sign);
        let value_bits = to.bits() - u32::from(to_sign == Sign::Signed);
        let largest = u64::MAX >> (64 - value_bits.clamp(1, 64));
        let smallest = if to_sign == Sign::Signed { !largest } else { 0 };
        // Only bounds that the source can pass.
        let source_bits = from.bits() - u32::from(from_sign == Sign::Signed);
        if source_bits > value_bits {
            let bound = self.constant(Ty::B64, largest);
            value = self.op(Op::Min { w, sign }, &[value, bound]);
        }
        if from_sign == Sign::Signed && (to_sign == Sign::Unsigned || source_bits > value_bits) {
            let bound = self.constant(Ty::B64, smallest);
            value = self.op(Op::Max { w, sign }, &[value, bound]);
        }
        self.narrow(value, to)
    }

    fn int_to_float(&mut self, i: &'a Instruction, k: &kind::Cvt, how: How) -> Result<Value> {
        let Some((to, 1)) = elements(k.dty) else {
            return self.form("this pair of types");
        };
        let value = self.src(i, 0, width(k.sty))?;
        let sign = sign(k.sty);
        let value = if k.sty.bits() < 16 {
            self.widen(value, Ty::B32, sign)
        } else {
            value
        };
        let Some(w) = Int::of_bits(self.b.function.ty(value).bits()) else {
            return self.form("this pair of types");
        };
        Ok(self.op(
            Op::IToF {
                w,
                sign,
                to,
                mode: how.mode,
            },
            &[value],
        ))
    }

    fn float_to_int(&mut self, i: &'a Instruction, k: &kind::Cvt, how: How) -> Result<Value> {
        let Some((from, 1)) = elements(k.sty) else {
            return self.form("this pair of types");
        };
        let value = self.src(i, 0, from.ty())?;
        let (round, ftz) = (how.mode.round, how.mode.ftz);
        if k.dty.bits() < 16 {
            let value = self.op(
                Op::FToI {
                    from,
                    w: Int::I32,
                    sign: Sign::Signed,
                    round,
                    ftz,
                },
                &[value],
            );
            return Ok(self.clamp(value, Sign::Signed, width(k.dty), sign(k.dty)));
        }
        let w = self.int(k.dty)?;
        Ok(self.op(
            Op::FToI {
                from,
                w,
                sign: sign(k.dty),
                round,
                ftz,
            },
            &[value],
        ))
    }

    fn float_to_float(&mut self, i: &'a Instruction, k: &kind::Cvt, how: How) -> Result<Value> {
        let (Some((to, to_count)), Some((from, from_count))) = (elements(k.dty), elements(k.sty))
        else {
            return self.form("this pair of types");
        };
        match (to_count, from_count) {
            (1, 1) => {
                let value = self.src(i, 0, from.ty())?;
                Ok(self.float_cvt(value, from, to, how))
            }
            // d, a, b: a becomes the high element.
            (2, 1) => {
                let [high, low] = self.two(i, from.ty())?;
                let low = self.float_cvt(low, from, to, how);
                let high = self.float_cvt(high, from, to, how);
                Ok(self.join(to, low, high))
            }
            (2, 2) => {
                let packed = self.src(i, 0, width(k.sty))?;
                let (low, high) = self.split(from, packed);
                let low = self.float_cvt(low, from, to, how);
                let high = self.float_cvt(high, from, to, how);
                Ok(self.join(to, low, high))
            }
            _ => self.form("this pair of types"),
        }
    }

    fn float_cvt(&mut self, value: Value, from: Float, to: Float, how: How) -> Value {
        if how.integral && from == to {
            return self.op(
                Op::FRound {
                    fmt: to,
                    mode: how.mode,
                },
                &[value],
            );
        }
        let op = Op::FCvt {
            from,
            to,
            mode: how.mode,
            relu: how.relu,
            satfinite: how.satfinite,
        };
        self.op(op, &[value])
    }

    /// `cvt.rs`: random bits are added below the last place that is kept, then the rest is cut off.
    fn stochastic(&mut self, i: &'a Instruction, k: &kind::Cvt) -> Result<()> {
        let Some((to, count)) = elements(k.dty) else {
            return self.form("this pair of types");
        };
        let how = How {
            mode: FloatMode {
                round: Round::Zero,
                ftz: false,
                sat: false,
            },
            integral: false,
            relu: k.relu,
            satfinite: k.satfinite,
        };
        // From the highest element down, as operands stand.
        let sources = if count == 2 {
            let [a, b] = self.two(i, Ty::B32)?;
            vec![a, b]
        } else {
            let Some(ptx::checked::Operand::Vector(parts)) = i.srcs.first() else {
                return self.form("these operands");
            };
            let mut values = Vec::new();
            for part in parts {
                values.push(self.read(part, Ty::B32)?);
            }
            values
        };
        let random = self.src(i, i.srcs.len() - 1, Ty::B32)?;
        let mut results = Vec::new();
        for (n, source) in (0u32..).zip(sources) {
            // Which of the random bits an element takes (PTX ISA 9.0, cvt).
            let (start, bits) = match to {
                Float::F16 => (if n == 0 { 16 } else { 0 }, 13),
                Float::Bf16 => (if n == 0 { 16 } else { 0 }, 16),
                Float::E2m1 => ([24, 8, 16, 0][(n & 3) as usize], 8),
                _ => (if n < 2 { 16 } else { 0 }, 16),
            };
            let value = self.add_random(source, to, random, start, bits)?;
            results.push(self.float_cvt(value, Float::F32, to, how));
        }
        results.reverse();
        let value = match results.as_slice() {
            &[low, high] => self.join(to, low, high),
            &[a, b, c, d] if to == Float::E2m1 => {
                let (low, high) = (self.join(to, a, b), self.join(to, c, d));
                let (elem, to) = (Ty::B8, Ty::B16);
                self.op(Op::Pack { elem, to }, &[low, high])
            }
            all => {
                let (elem, to) = (Ty::B8, Ty::B32);
                self.op(Op::Pack { elem, to }, all)
            }
        };
        self.def(i, value)
    }

    /// |x| + r · 2^-bits units of the last place that `to` keeps of x, toward zero, with the sign of x.
    fn add_random(
        &mut self,
        x: Value,
        to: Float,
        random: Value,
        start: u64,
        bits: u64,
    ) -> Result<Value> {
        // Mantissa bits, and the exponent of the smallest normal number.
        let (kept, least) = match to {
            Float::F16 => (10, -14),
            Float::Bf16 => (7, -126),
            Float::E4m3 => (3, -6),
            Float::E5m2 => (2, -14),
            Float::E2m3 => (3, 0),
            Float::E3m2 => (2, -2),
            Float::E2m1 => (1, 0),
            _ => return self.form("stochastic rounding to this type"),
        };
        let ty = Ty::B32;
        let fmt = Float::F32;
        let mode = FloatMode::NEAREST;
        let number = |this: &mut Self, x: f32| this.constant(ty, x.to_bits().into());
        let word = |this: &mut Self, x: u64| this.constant(ty, x);
        let magnitude = {
            let mask = word(self, 0x7fff_ffff);
            self.op(Op::And { ty }, &[x, mask])
        };
        let sign = {
            let mask = word(self, 0x8000_0000);
            self.op(Op::And { ty }, &[x, mask])
        };
        let infinity = word(self, 0x7f80_0000);
        let power = self.op(Op::And { ty }, &[magnitude, infinity]);
        let smallest = number(self, 2f32.powi(least));
        let (ftz, nan, xorsign) = (false, false, false);
        let power = self.op(
            Op::FMax {
                fmt,
                ftz,
                nan,
                xorsign,
            },
            &[power, smallest],
        );
        let (start, count) = (word(self, start), word(self, bits));
        let (w, unsigned) = (Int::I32, Sign::Unsigned);
        let random = self.op(Op::Bfe { w, sign: unsigned }, &[random, start, count]);
        let random = self.op(
            Op::IToF {
                w,
                sign: unsigned,
                to: fmt,
                mode,
            },
            &[random],
        );
        // 2^-bits of a unit: the power is a power of two, so that both products are exact.
        let scale = number(self, 2f32.powi(-kept - i32::try_from(bits).unwrap_or(0)));
        let unit = self.op(Op::FMul { fmt, mode }, &[power, scale]);
        let addend = self.op(Op::FMul { fmt, mode }, &[random, unit]);
        let cut = FloatMode {
            round: Round::Zero,
            ..mode
        };
        let sum = self.op(Op::FAdd { fmt, mode: cut }, &[magnitude, addend]);
        let cmp = crate::ir::IntCmp::Ult;
        let finite = self.op(Op::ICmp { w, cmp }, &[magnitude, infinity]);
        let sum = self.op(Op::Select { ty }, &[finite, sum, magnitude]);
        Ok(self.op(Op::Or { ty }, &[sum, sign]))
    }

    /// Two elements in one value; E2m1 takes four bits each.
    fn join(&mut self, fmt: Float, low: Value, high: Value) -> Value {
        let elem = fmt.ty();
        if fmt == Float::E2m1 {
            let (low, high) = (
                self.widen(low, Ty::B16, Sign::Unsigned),
                self.widen(high, Ty::B16, Sign::Unsigned),
            );
            let four = self.constant(Ty::B32, 4);
            let high = self.op(Op::Shl { w: Int::I16 }, &[high, four]);
            let both = self.op(Op::Or { ty: Ty::B16 }, &[low, high]);
            return self.narrow(both, Ty::B8);
        }
        let to = elem.twice().unwrap_or(Ty::B64);
        self.op(Op::Pack { elem, to }, &[low, high])
    }

    fn split(&mut self, fmt: Float, packed: Value) -> (Value, Value) {
        if fmt == Float::E2m1 {
            let wide = self.widen(packed, Ty::B16, Sign::Unsigned);
            let (four, mask) = (self.constant(Ty::B32, 4), self.constant(Ty::B16, 15));
            let low = self.op(Op::And { ty: Ty::B16 }, &[wide, mask]);
            let high = self.op(
                Op::Shr {
                    w: Int::I16,
                    sign: Sign::Unsigned,
                },
                &[wide, four],
            );
            return (self.narrow(low, Ty::B8), self.narrow(high, Ty::B8));
        }
        let (from, to) = (self.b.function.ty(packed), fmt.ty());
        let low = self.op(Op::Extract { from, to, index: 0 }, &[packed]);
        let high = self.op(Op::Extract { from, to, index: 1 }, &[packed]);
        (low, high)
    }

    /// d = {c,} clamp(a), clamp(b)
    pub(super) fn cvt_pack(&mut self, i: &'a Instruction, k: &kind::CvtPack) -> Result<()> {
        let to = width(k.dty);
        let [a, b] = self.two(i, Ty::B32)?;
        let high = self.clamp(a, sign(k.sty), to, sign(k.dty));
        let low = self.clamp(b, sign(k.sty), to, sign(k.dty));
        let value = match to {
            Ty::B16 => self.op(
                Op::Pack {
                    elem: Ty::B16,
                    to: Ty::B32,
                },
                &[low, high],
            ),
            Ty::B8 => {
                let pair = self.op(
                    Op::Pack {
                        elem: Ty::B8,
                        to: Ty::B16,
                    },
                    &[low, high],
                );
                let c = if k.cty.is_some() {
                    self.src(i, 2, Ty::B32)?
                } else {
                    self.constant(Ty::B32, 0)
                };
                let c = self.narrow(c, Ty::B16);
                self.op(
                    Op::Pack {
                        elem: Ty::B16,
                        to: Ty::B32,
                    },
                    &[pair, c],
                )
            }
            _ => return self.form("this type"),
        };
        self.def(i, value)
    }
}
