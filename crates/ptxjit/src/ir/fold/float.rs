//! Floating-point operations, on packed values element by element.
#![expect(
    clippy::cast_possible_truncation,
    reason = "values are cut to the width of their format"
)]

use super::super::attr::{Approx, DivKind, FloatCmp, FloatMode, Round};
use super::super::op::Op;
use super::super::types::Float;
use super::soft::{self, Format, Number, Pack, format};
use std::cmp::Ordering;

/// Applies a function to each element of packed operands, or to the one.
fn elements(fmt: Float, args: [u128; 3], f: impl Fn([u128; 3]) -> u128) -> u128 {
    let bits = fmt.element().ty().bits();
    let mask = (1 << bits) - 1;
    (0..fmt.lanes()).fold(0, |sum, lane| {
        let part = args.map(|arg| arg >> (lane * bits) & mask);
        sum | (f(part) & mask) << (lane * bits)
    })
}

/// Folds a floating-point operation.
pub fn fold(op: &Op, a: u128, b: u128, c: u128) -> Option<u128> {
    let args = [a, b, c];
    Some(match *op {
        Op::FAdd { fmt, mode } => arith(fmt, mode, args, |a, b, _| soft::add(a, b, mode.round)),
        Op::FSub { fmt, mode } => {
            arith(fmt, mode, args, |a, b, _| soft::add(a, b.neg(), mode.round))
        }
        Op::FMul { fmt, mode } => arith(fmt, mode, args, |a, b, _| soft::mul(a, b)),
        Op::Fma { fmt, mode, relu } => {
            let sum = arith3(fmt, mode, args, |a, b, c| {
                soft::add(soft::mul(a, b), c, mode.round)
            });
            if relu {
                elements(fmt, [sum, 0, 0], |[x, ..]| clamp_negative(format(fmt), x))
            } else {
                sum
            }
        }
        Op::FDiv { fmt, mode } => arith(fmt, mode, args, |a, b, _| soft::div(a, b)),
        Op::FSqrt { fmt, mode } => elements(fmt, args, |[a, ..]| {
            finish(
                fmt,
                mode,
                soft::sqrt(Number::read(format(fmt), a, mode.ftz)),
                [a, 0, 0],
            )
        }),
        Op::FDivApprox { kind, ftz } => div_approx(kind, ftz, a, b),
        Op::FApprox { func, fmt, ftz } => {
            elements(fmt, args, |[a, ..]| approx(func, fmt.element(), ftz, a))
        }
        Op::FNeg { fmt, ftz } => elements(fmt, args, |[a, ..]| {
            let sign = 1 << (fmt.element().ty().bits() - 1);
            flush(format(fmt), a, ftz) ^ sign
        }),
        Op::FAbs { fmt, ftz } => elements(fmt, args, |[a, ..]| {
            let sign = 1 << (fmt.element().ty().bits() - 1);
            flush(format(fmt), a, ftz) & (sign - 1)
        }),
        Op::FMin {
            fmt,
            ftz,
            nan,
            xorsign,
        } => elements(fmt, args, |[a, b, _]| {
            extreme(fmt, ftz, nan, xorsign, a, b, Ordering::Less)
        }),
        Op::FMax {
            fmt,
            ftz,
            nan,
            xorsign,
        } => elements(fmt, args, |[a, b, _]| {
            extreme(fmt, ftz, nan, xorsign, a, b, Ordering::Greater)
        }),
        Op::FRound { fmt, mode } => elements(fmt, args, |[a, ..]| {
            let number = soft::integral(Number::read(format(fmt), a, mode.ftz), mode.round);
            finish(fmt, mode, number, [a, 0, 0])
        }),
        Op::FCmp { fmt, cmp, ftz } => {
            let read = |bits| Number::read(format(fmt), bits, ftz);
            u128::from(compare(cmp, soft::compare(read(a), read(b))))
        }
        _ => return None,
    })
}

fn arith(
    fmt: Float,
    mode: FloatMode,
    args: [u128; 3],
    f: impl Fn(Number, Number, Number) -> Number,
) -> u128 {
    arith3(fmt, mode, [args[0], args[1], 0], f)
}

fn arith3(
    fmt: Float,
    mode: FloatMode,
    args: [u128; 3],
    f: impl Fn(Number, Number, Number) -> Number,
) -> u128 {
    elements(fmt, args, |part| {
        let [a, b, c] = part.map(|bits| Number::read(format(fmt), bits, mode.ftz));
        finish(fmt, mode, f(a, b, c), part)
    })
}

/// Rounds and saturates; `operands` for the NaN that binary64 hands on.
fn finish(fmt: Float, mode: FloatMode, number: Number, operands: [u128; 3]) -> u128 {
    let format = format(fmt);
    if mode.sat {
        return saturate(format, mode, number);
    }
    if number == Number::Nan && fmt == Float::F64 {
        return propagate(operands);
    }
    soft::pack(
        number,
        Pack {
            format,
            round: mode.round,
            ftz: mode.ftz,
            satfinite: false,
        },
    )
}

/// Clamped to [+0, 1], NaN to +0.
pub fn saturate(format: Format, mode: FloatMode, number: Number) -> u128 {
    let one = Number::Finite(false, 0, 1);
    let clamped = match soft::compare(number, one) {
        _ if number == Number::Nan || number.sign() => Number::Zero(false),
        Some(Ordering::Greater) => one,
        _ => number,
    };
    soft::pack(
        clamped,
        Pack {
            format,
            round: mode.round,
            ftz: mode.ftz,
            satfinite: false,
        },
    )
}

/// The first NaN among binary64 operands, made quiet; else the NaN that operations produce.
fn propagate(operands: [u128; 3]) -> u128 {
    let format = format(Float::F64);
    operands
        .into_iter()
        .find(|&bits| Number::read(format, bits, false) == Number::Nan)
        .map_or(format.nan(), |bits| bits | 1 << 51)
}

/// A subnormal becomes a zero of its sign.
fn flush(format: Format, bits: u128, ftz: bool) -> u128 {
    match Number::read(format, bits, ftz) {
        Number::Zero(sign) => format.zero(sign),
        _ => bits,
    }
}

/// `.relu`: negative numbers become +0, NaN the format's NaN.
pub fn clamp_negative(format: Format, bits: u128) -> u128 {
    match Number::read(format, bits, false) {
        Number::Nan => format.nan(),
        number if number.sign() => format.zero(false),
        _ => bits,
    }
}

fn compare(cmp: FloatCmp, order: Option<Ordering>) -> bool {
    use Ordering::{Equal, Greater, Less};
    match cmp {
        FloatCmp::Eq => order == Some(Equal),
        FloatCmp::Ne => matches!(order, Some(Less | Greater)),
        FloatCmp::Lt => order == Some(Less),
        FloatCmp::Le => matches!(order, Some(Less | Equal)),
        FloatCmp::Gt => order == Some(Greater),
        FloatCmp::Ge => matches!(order, Some(Greater | Equal)),
        FloatCmp::Equ => matches!(order, None | Some(Equal)),
        FloatCmp::Neu => order != Some(Equal),
        FloatCmp::Ltu => matches!(order, None | Some(Less)),
        FloatCmp::Leu => order != Some(Greater),
        FloatCmp::Gtu => matches!(order, None | Some(Greater)),
        FloatCmp::Geu => order != Some(Less),
        FloatCmp::Num => order.is_some(),
        FloatCmp::Nan => order.is_none(),
    }
}

/// The smaller (`Less`) or larger of two; -0 < +0.
fn extreme(
    fmt: Float,
    ftz: bool,
    nan: bool,
    xorsign: bool,
    a: u128,
    b: u128,
    want: Ordering,
) -> u128 {
    let format = format(fmt);
    let sign = 1u128 << (fmt.element().ty().bits() - 1);
    let (mut x, mut y) = (flush(format, a, ftz), flush(format, b, ftz));
    let product_sign = (x ^ y) & sign;
    if xorsign {
        (x, y) = (x & !sign, y & !sign);
    }
    let read = |bits| Number::read(format, bits, false);
    let result = match (read(x), read(y)) {
        (Number::Nan, Number::Nan) => return format.nan(),
        (Number::Nan, _) | (_, Number::Nan) if nan => return format.nan(),
        (Number::Nan, _) => y,
        (_, Number::Nan) => x,
        (Number::Zero(first), Number::Zero(_)) => {
            // The negative one is smaller.
            if first == (want == Ordering::Less) {
                x
            } else {
                y
            }
        }
        (first, second) => {
            if soft::compare(first, second) == Some(want) {
                x
            } else {
                y
            }
        }
    };
    if xorsign {
        result & !sign | product_sign
    } else {
        result
    }
}

/// `div.approx` and `div.full`: correctly rounded but where `div.approx` says otherwise.
fn div_approx(kind: DivKind, ftz: bool, a: u128, b: u128) -> u128 {
    let f32 = format(Float::F32);
    let (x, y) = (Number::read(f32, a, ftz), Number::read(f32, b, ftz));
    let mode = FloatMode {
        round: Round::Nearest,
        ftz,
        sat: false,
    };
    let magnitude = b & 0x7fff_ffff;
    // 2^126 < |b| < infinity: a / b is 0, and NaN for infinite a.
    if kind == DivKind::Approx && magnitude > 0x7e80_0000 && magnitude < 0x7f80_0000 {
        return match x {
            Number::Nan | Number::Infinity(_) => f32.nan(),
            _ => f32.zero(x.sign() ^ y.sign()),
        };
    }
    finish(Float::F32, mode, soft::div(x, y), [a, b, 0])
}

/// The correctly rounded value (through binary64) of a function that PTX gives an error bound for.
fn approx(func: Approx, fmt: Float, ftz: bool, bits: u128) -> u128 {
    if fmt == Float::F64 {
        return approx64(func, ftz, bits as u64);
    }
    let format = format(fmt);
    let number = Number::read(format, bits, ftz);
    let wide = Pack {
        format: soft::format(Float::F64),
        round: Round::Nearest,
        ftz: false,
        satfinite: false,
    };
    let x = f64::from_bits(soft::pack(number, wide) as u64);
    let y = match func {
        Approx::Rcp => 1.0 / x,
        Approx::Sqrt => x.sqrt(),
        Approx::Rsqrt => 1.0 / x.sqrt(),
        Approx::Ex2 => x.exp2(),
        Approx::Lg2 => x.log2(),
        Approx::Sin => x.sin(),
        Approx::Cos => x.cos(),
        Approx::Tanh => x.tanh(),
    };
    let y = Number::read(soft::format(Float::F64), u128::from(y.to_bits()), false);
    soft::pack(
        y,
        Pack {
            format,
            round: Round::Nearest,
            ftz,
            satfinite: false,
        },
    )
}

/// `rcp.approx.ftz.f64` and `rsqrt.approx{.ftz}.f64`: with ftz only the upper words count.
fn approx64(func: Approx, ftz: bool, bits: u64) -> u128 {
    let high = !0xffff_ffff;
    let format = format(Float::F64);
    let input = if ftz {
        flush(format, u128::from(bits & high), true) as u64
    } else {
        bits
    };
    let x = f64::from_bits(input);
    let y = match func {
        Approx::Rcp => 1.0 / x,
        Approx::Sqrt => x.sqrt(),
        Approx::Rsqrt => 1.0 / x.sqrt(),
        Approx::Ex2 => x.exp2(),
        Approx::Lg2 => x.log2(),
        Approx::Sin => x.sin(),
        Approx::Cos => x.cos(),
        Approx::Tanh => x.tanh(),
    };
    if y.is_nan() {
        return u128::from(0x7fff_ffff_0000_0000u64);
    }
    let y = y.to_bits();
    if ftz {
        flush(format, u128::from(y & high), true)
    } else {
        u128::from(y)
    }
}
