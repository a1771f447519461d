//! Video instructions, as 64-bit arithmetic on the elements: every intermediate result but one fits (see [`product`]).
//!
//! [`product`]: Lower::video_mad

use super::{Lower, Result};
use crate::ir::{Int, IntCmp, Op, Sign, Ty, Value};
use ptx::checked::Instruction;
use ptx::modifier::{ClampWrap, CmpOp};
use ptx::video::{Part, Secondary, Video, VideoOp};

const W: Int = Int::I64;
const SIGNED: Sign = Sign::Signed;

fn sign(signed: bool) -> Sign {
    if signed { Sign::Signed } else { Sign::Unsigned }
}

impl<'a> Lower<'_, 'a> {
    pub(super) fn video(&mut self, i: &'a Instruction, v: &Video) -> Result<()> {
        let [a, b] = self.two(i, Ty::B32)?;
        let c = if i.srcs.len() > 2 {
            self.src(i, 2, Ty::B32)?
        } else {
            self.constant(Ty::B32, 0)
        };
        let value = if v.lanes > 1 {
            self.video_simd(v, a, b, c)
        } else {
            let a = self.video_part(a, v.parts[0], v.sources_signed[0]);
            let b = self.video_part(b, v.parts[1], v.sources_signed[1]);
            if v.op == VideoOp::Mad {
                self.video_mad(v, a, b, c)
            } else {
                self.video_scalar(v, a, b, c)
            }
        };
        self.def(i, value)
    }

    fn wide(&mut self, value: u64) -> Value {
        self.constant(Ty::B64, value)
    }

    fn op64(&mut self, op: Op, a: Value, b: Value) -> Value {
        self.op(op, &[a, b])
    }

    /// A part of a word, extended to 64 bits.
    fn video_part(&mut self, word: Value, part: Part, signed: bool) -> Value {
        let word = if part == Part::WHOLE {
            word
        } else {
            let start = self.constant(Ty::B32, part.start.into());
            let bits = self.constant(Ty::B32, part.bits.into());
            let field = Op::Bfe {
                w: Int::I32,
                sign: sign(signed),
            };
            self.op(field, &[word, start, bits])
        };
        self.widen(word, Ty::B64, sign(signed))
    }

    /// Clamped to the range of `bits` bits.
    fn video_clamp(&mut self, value: Value, bits: u32, signed: bool) -> Value {
        let (least, most) = if signed {
            let most = (1u64 << (bits - 1)) - 1;
            (!most, most)
        } else {
            (0, (1 << bits) - 1)
        };
        let (least, most) = (self.wide(least), self.wide(most));
        let value = self.op64(Op::Max { w: W, sign: SIGNED }, value, least);
        self.op64(Op::Min { w: W, sign: SIGNED }, value, most)
    }

    /// The operation on two elements, exact.
    fn video_element(&mut self, v: &Video, a: Value, b: Value) -> Value {
        match v.op {
            VideoOp::Add | VideoOp::Mad => self.op64(Op::Add { w: W }, a, b),
            VideoOp::Sub => self.op64(Op::Sub { w: W }, a, b),
            VideoOp::AbsDiff => {
                let difference = self.op64(Op::Sub { w: W }, a, b);
                self.op(Op::Abs { w: W }, &[difference])
            }
            VideoOp::Min => self.op64(Op::Min { w: W, sign: SIGNED }, a, b),
            VideoOp::Max => self.op64(Op::Max { w: W, sign: SIGNED }, a, b),
            VideoOp::Average => {
                let sum = self.op64(Op::Add { w: W }, a, b);
                let zero = self.wide(0);
                let cmp = IntCmp::Sge;
                let up = self.op64(Op::ICmp { w: W, cmp }, sum, zero);
                let up = self.widen(up, Ty::B64, Sign::Unsigned);
                let sum = self.op64(Op::Add { w: W }, sum, up);
                let one = self.constant(Ty::B32, 1);
                self.op(Op::Shr { w: W, sign: SIGNED }, &[sum, one])
            }
            VideoOp::Shl(mode) => {
                let n = self.video_amount(mode, b);
                // 32 places push an unsigned word out of 64 bits: all that counts then is whether it was 0.
                let limit = self.wide(1 << 30);
                let small = self.op64(Op::Min { w: W, sign: SIGNED }, a, limit);
                let all = self.constant(Ty::B32, 32);
                let cmp = IntCmp::Eq;
                let far = self.op(Op::ICmp { w: Int::I32, cmp }, &[n, all]);
                let a = self.op(Op::Select { ty: Ty::B64 }, &[far, small, a]);
                self.op(Op::Shl { w: W }, &[a, n])
            }
            VideoOp::Shr(mode) => {
                let n = self.video_amount(mode, b);
                self.op(Op::Shr { w: W, sign: SIGNED }, &[a, n])
            }
            VideoOp::Set(cmp) => {
                let cmp = match cmp {
                    CmpOp::Eq => IntCmp::Eq,
                    CmpOp::Ne => IntCmp::Ne,
                    CmpOp::Lt => IntCmp::Slt,
                    CmpOp::Le => IntCmp::Sle,
                    CmpOp::Gt => IntCmp::Sgt,
                    // The parser lets no other comparison through.
                    _ => IntCmp::Sge,
                };
                let holds = self.op64(Op::ICmp { w: W, cmp }, a, b);
                self.widen(holds, Ty::B64, Sign::Unsigned)
            }
        }
    }

    /// A shift's amount, at most 32.
    fn video_amount(&mut self, mode: ClampWrap, b: Value) -> Value {
        let n = self.narrow(b, Ty::B32);
        match mode {
            ClampWrap::Clamp => {
                let most = self.constant(Ty::B32, 32);
                let least = Op::Min {
                    w: Int::I32,
                    sign: Sign::Unsigned,
                };
                self.op(least, &[n, most])
            }
            ClampWrap::Wrap => {
                let mask = self.constant(Ty::B32, 31);
                self.op(Op::And { ty: Ty::B32 }, &[n, mask])
            }
        }
    }

    fn video_scalar(&mut self, v: &Video, a: Value, b: Value, c: Value) -> Value {
        let mut value = self.video_element(v, a, b);
        let part = v.merge.unwrap_or(Part::WHOLE);
        if v.sat {
            value = self.video_clamp(value, part.bits.into(), v.signed);
        }
        if let Some(secondary) = v.secondary {
            let c = self.widen(c, Ty::B64, sign(v.signed));
            let op = match secondary {
                Secondary::Add => Op::Add { w: W },
                Secondary::Min => Op::Min { w: W, sign: SIGNED },
                Secondary::Max => Op::Max { w: W, sign: SIGNED },
            };
            value = self.op64(op, value, c);
        }
        let value = self.narrow(value, Ty::B32);
        match v.merge {
            Some(part) => self.insert(value, c, part.start.into(), part.bits.into()),
            None => value,
        }
    }

    /// `into` with the low bits of `value` at a place.
    fn insert(&mut self, value: Value, into: Value, start: u64, bits: u64) -> Value {
        let (start, bits) = (self.constant(Ty::B32, start), self.constant(Ty::B32, bits));
        self.op(Op::Bfi { w: Int::I32 }, &[value, into, start, bits])
    }

    fn video_mad(&mut self, v: &Video, a: Value, b: Value, c: Value) -> Value {
        let both_unsigned = v.sources_signed == [false; 2];
        let signed = !both_unsigned || v.negated != [false; 2];
        let mut product = self.op64(Op::Mul { w: W }, a, b);
        if both_unsigned && signed && v.sat {
            // The negated product of unsigned words may not fit 64 bits: beyond 2^62 it is clamped all the same.
            let limit = self.wide(1 << 62);
            let least = Op::Min {
                w: W,
                sign: Sign::Unsigned,
            };
            product = self.op64(least, product, limit);
        }
        let mut c = self.widen(c, Ty::B64, sign(signed));
        let zero = self.wide(0);
        if v.negated[0] {
            product = self.op64(Op::Sub { w: W }, zero, product);
        }
        if v.negated[1] {
            c = self.op64(Op::Sub { w: W }, zero, c);
        }
        let mut sum = self.op64(Op::Add { w: W }, product, c);
        if v.plus_one {
            let one = self.wide(1);
            sum = self.op64(Op::Add { w: W }, sum, one);
        }
        let scale = self.constant(Ty::B32, v.scale.into());
        let w = W;
        let shift = Op::Shr {
            w,
            sign: sign(signed),
        };
        let mut result = self.op(shift, &[sum, scale]);
        if v.sat && signed {
            result = self.video_clamp(result, 32, true);
        } else if v.sat {
            let most = self.wide(u64::from(u32::MAX));
            let sign = Sign::Unsigned;
            result = self.op64(Op::Min { w, sign }, result, most);
        }
        self.narrow(result, Ty::B32)
    }

    fn video_simd(&mut self, v: &Video, a: Value, b: Value, c: Value) -> Value {
        let bits = 32 / u32::from(v.lanes);
        let pick = |number: u8| -> (bool, Part) {
            let place = number % v.lanes;
            let start = place * (32 / v.lanes);
            let bits = 32 / v.lanes;
            (number >= v.lanes, Part { start, bits })
        };
        let mut out = c;
        for lane in 0..v.lanes {
            if v.mask >> lane & 1 == 0 {
                continue;
            }
            let mut sources = [a; 2];
            for (n, source) in sources.iter_mut().enumerate() {
                let (second, part) = pick(v.select[n][usize::from(lane)]);
                let word = if second { b } else { a };
                *source = self.video_part(word, part, v.sources_signed[n]);
            }
            let mut value = self.video_element(v, sources[0], sources[1]);
            if v.sat {
                value = self.video_clamp(value, bits, v.signed);
            }
            let value = self.narrow(value, Ty::B32);
            out = if v.secondary.is_some() {
                self.op(Op::Add { w: Int::I32 }, &[out, value])
            } else {
                let start = u64::from(u32::from(lane) * bits);
                self.insert(value, out, start, bits.into())
            };
        }
        out
    }
}
