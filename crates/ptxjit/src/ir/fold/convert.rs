//! Conversions between formats and to and from integers.
#![expect(
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "values are cut to the width of their type"
)]

use super::super::attr::{FloatMode, Round, Sign};
use super::super::op::Op;
use super::super::types::{Float, Int};
use super::float::{clamp_negative, saturate};
use super::int::sext;
use super::soft::{self, Number, Pack, format};

/// Folds a conversion.
pub fn fold(op: &Op, a: u128) -> Option<u128> {
    Some(match *op {
        Op::FCvt {
            from,
            to,
            mode,
            relu,
            satfinite,
        } => cvt(from, to, mode, relu, satfinite, a),
        Op::IToF { w, sign, to, mode } => {
            let value = match sign {
                Sign::Signed => sext(a, w.bits()) as i128,
                Sign::Unsigned => a as i128,
            };
            let number = match value {
                0 => Number::Zero(false),
                _ => Number::Finite(value < 0, 0, value.unsigned_abs()),
            };
            if mode.sat {
                saturate(format(to), mode, number)
            } else {
                soft::pack(
                    number,
                    Pack {
                        format: format(to),
                        round: mode.round,
                        ftz: mode.ftz,
                        satfinite: false,
                    },
                )
            }
        }
        Op::FToI {
            from,
            w,
            sign,
            round,
            ftz,
        } => ftoi(from, w, sign, round, ftz, a),
        _ => return None,
    })
}

fn cvt(from: Float, to: Float, mode: FloatMode, relu: bool, satfinite: bool, a: u128) -> u128 {
    if from == Float::Ue8m0 {
        return soft::pack(
            read_ue8m0(a),
            Pack {
                format: format(to),
                round: Round::Nearest,
                ftz: false,
                satfinite: false,
            },
        );
    }
    let number = Number::read(format(from), a, mode.ftz);
    if to == Float::Ue8m0 {
        return write_ue8m0(number, mode.round, satfinite);
    }
    if mode.sat {
        return saturate(format(to), mode, number);
    }
    if number == Number::Nan && to == Float::F64 {
        // Widened with sign and payload, made quiet; within binary64 the payload stays.
        return match from {
            Float::F64 => a | 1 << 51,
            Float::F32 => (a >> 31 & 1) << 63 | 0x7ff << 52 | (a & 0x7f_ffff) << 29 | 1 << 51,
            _ => 0x7ff8 << 48,
        };
    }
    let bits = soft::pack(
        number,
        Pack {
            format: format(to),
            round: mode.round,
            ftz: mode.ftz,
            satfinite,
        },
    );
    if relu {
        clamp_negative(format(to), bits)
    } else {
        bits
    }
}

/// 2^(bits - 127); 0xff is NaN.
fn read_ue8m0(bits: u128) -> Number {
    if bits & 0xff == 0xff {
        Number::Nan
    } else {
        Number::Finite(false, (bits & 0xff) as i32 - 127, 1)
    }
}

/// The exponent of the magnitude, rounded toward zero or up; PTX defines no other direction.
fn write_ue8m0(number: Number, round: Round, satfinite: bool) -> u128 {
    match number {
        Number::Nan => 0xff,
        Number::Infinity(_) => {
            if satfinite {
                0xfe
            } else {
                0xff
            }
        }
        Number::Zero(_) => 0,
        Number::Finite(_, exp, man) => {
            let top = 127 - man.leading_zeros() as i32;
            let exact = man.is_power_of_two();
            let up = i32::from(round == Round::Up && !exact);
            (exp + top + up + 127).clamp(0, 0xfe) as u128
        }
    }
}

fn ftoi(from: Float, w: Int, sign: Sign, round: Round, ftz: bool, a: u128) -> u128 {
    let bits = w.bits();
    let mask = u128::MAX >> (128 - bits);
    let (smallest, largest) = match sign {
        Sign::Signed => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        Sign::Unsigned => (0, (1i128 << bits) - 1),
    };
    let value = match soft::integral(Number::read(format(from), a, ftz), round) {
        // 0, but where 64 bits are involved (PTX ISA 9.0, cvt).
        Number::Nan if from == Float::F64 || w == Int::I64 => return 1 << (bits - 1),
        Number::Nan | Number::Zero(_) => 0,
        Number::Infinity(negative) => {
            if negative {
                smallest
            } else {
                largest
            }
        }
        Number::Finite(negative, exp, man) => {
            // Beyond 2^100 everything is clamped.
            let top = exp + 127 - man.leading_zeros() as i32;
            let magnitude = if top > 100 {
                i128::MAX
            } else {
                (man << exp.max(0)) as i128 >> (-exp).clamp(0, 127)
            };
            if negative { -magnitude } else { magnitude }
        }
    };
    value.clamp(smallest, largest) as u128 & mask
}
