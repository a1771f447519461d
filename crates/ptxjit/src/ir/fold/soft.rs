//! Software floating point: exact intermediate results, rounded once in any direction to any binary format.
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "bit-level arithmetic; exponents stay within a few thousand"
)]

use super::super::attr::Round;
use super::super::types::Float;

/// A binary format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Bits of the exponent field.
    exp_bits: u32,
    /// Bits of the fraction field.
    man_bits: u32,
    /// What is at the top of the exponent range.
    top: Top,
    /// Low bits of the container below the fraction (Tf32).
    pad: u32,
}

/// What the largest exponent means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Top {
    /// Infinities and NaNs.
    Ieee,
    /// Numbers, but for all ones, which is NaN (E4m3).
    OneNan,
    /// Numbers.
    Numbers,
}

/// The layout of a scalar format. `Ue8m0` is handled apart.
pub fn format(fmt: Float) -> Format {
    let (exp_bits, man_bits, top, pad) = match fmt {
        Float::F16 | Float::F16x2 => (5, 10, Top::Ieee, 0),
        Float::Bf16 | Float::Bf16x2 => (8, 7, Top::Ieee, 0),
        Float::F32 | Float::F32x2 => (8, 23, Top::Ieee, 0),
        Float::F64 => (11, 52, Top::Ieee, 0),
        Float::Tf32 => (8, 10, Top::Ieee, 13),
        Float::E4m3 => (4, 3, Top::OneNan, 0),
        Float::E5m2 => (5, 2, Top::Ieee, 0),
        Float::E2m3 => (2, 3, Top::Numbers, 0),
        Float::E3m2 => (3, 2, Top::Numbers, 0),
        Float::E2m1 => (2, 1, Top::Numbers, 0),
        Float::Ue8m0 => (8, 0, Top::Ieee, 0),
    };
    Format {
        exp_bits,
        man_bits,
        top,
        pad,
    }
}

impl Format {
    fn bias(self) -> i32 {
        (1 << (self.exp_bits - 1)) - 1
    }

    fn top_exp(self) -> i32 {
        (1 << self.exp_bits) - 1
    }

    fn sign_bit(self) -> u32 {
        self.exp_bits + self.man_bits
    }

    /// The NaN that operations produce: 0x7fff…; binary64 has the negative quiet NaN that hardware makes.
    pub fn nan(self) -> u128 {
        match self.top {
            Top::OneNan => self.place((1 << self.sign_bit()) - 1),
            _ if self.exp_bits == 11 => 0xfff8_0000_0000_0000,
            _ => self.place((1 << self.sign_bit()) - 1) | ((1 << self.pad) - 1),
        }
    }

    /// Infinity with this sign.
    pub fn infinity(self, sign: bool) -> u128 {
        self.place(u128::from(sign) << self.sign_bit() | (self.top_exp() as u128) << self.man_bits)
    }

    /// The largest finite number with this sign.
    pub fn largest(self, sign: bool) -> u128 {
        let magnitude = match self.top {
            Top::Ieee => ((self.top_exp() as u128) << self.man_bits) - 1,
            Top::OneNan => (1 << self.sign_bit()) - 2,
            Top::Numbers => (1 << self.sign_bit()) - 1,
        };
        self.place(u128::from(sign) << self.sign_bit() | magnitude)
    }

    /// Zero with this sign.
    pub fn zero(self, sign: bool) -> u128 {
        self.place(u128::from(sign) << self.sign_bit())
    }

    fn place(self, bits: u128) -> u128 {
        bits << self.pad
    }
}

/// What bits in a format mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// Not a number.
    Nan,
    /// Infinity, negative if true.
    Infinity(bool),
    /// Zero, negative if true.
    Zero(bool),
    /// (-1)^sign · man · 2^exp, man not 0.
    Finite(bool, i32, u128),
}

impl Number {
    /// Reads bits; `ftz`: subnormals are zeros.
    pub fn read(format: Format, bits: u128, ftz: bool) -> Self {
        let bits = bits >> format.pad;
        let sign = bits >> format.sign_bit() & 1 == 1;
        let exp = (bits >> format.man_bits) as i32 & format.top_exp();
        let man = bits & ((1 << format.man_bits) - 1);
        if exp == format.top_exp() {
            match format.top {
                Top::Ieee if man == 0 => return Self::Infinity(sign),
                Top::Ieee => return Self::Nan,
                Top::OneNan if man == (1 << format.man_bits) - 1 => return Self::Nan,
                Top::OneNan | Top::Numbers => {}
            }
        }
        if exp == 0 {
            if man == 0 || ftz {
                return Self::Zero(sign);
            }
            return Self::Finite(sign, 1 - format.bias() - format.man_bits as i32, man);
        }
        Self::Finite(
            sign,
            exp - format.bias() - format.man_bits as i32,
            man | 1 << format.man_bits,
        )
    }

    /// Whether it is negative (zeros and infinities, too).
    pub fn sign(self) -> bool {
        match self {
            Self::Nan => false,
            Self::Infinity(sign) | Self::Zero(sign) | Self::Finite(sign, ..) => sign,
        }
    }

    /// With the sign flipped.
    pub fn neg(self) -> Self {
        match self {
            Self::Nan => Self::Nan,
            Self::Infinity(sign) => Self::Infinity(!sign),
            Self::Zero(sign) => Self::Zero(!sign),
            Self::Finite(sign, exp, man) => Self::Finite(!sign, exp, man),
        }
    }
}

/// Shifts right; bits that fall out are gathered in the lowest one.
fn jam(man: u128, by: u32) -> u128 {
    match by {
        0 => man,
        1..=127 => man >> by | u128::from(man & ((1 << by) - 1) != 0),
        _ => u128::from(man != 0),
    }
}

/// a · b, exact. Mantissas of at most 64 bits.
pub fn mul(a: Number, b: Number) -> Number {
    use Number as N;
    let sign = a.sign() ^ b.sign();
    match (a, b) {
        (N::Nan, _) | (_, N::Nan) | (N::Infinity(_), N::Zero(_)) | (N::Zero(_), N::Infinity(_)) => {
            N::Nan
        }
        (N::Infinity(_), _) | (_, N::Infinity(_)) => N::Infinity(sign),
        (N::Zero(_), _) | (_, N::Zero(_)) => N::Zero(sign),
        (N::Finite(_, ea, ma), N::Finite(_, eb, mb)) => N::Finite(sign, ea + eb, ma * mb),
    }
}

/// a + b, exact but for a last bit that gathers what lies far below (enough for one rounding to 64 bits or fewer).
/// An exact zero sum of opposite signs is -0 only when rounding down.
pub fn add(a: Number, b: Number, round: Round) -> Number {
    use Number as N;
    match (a, b) {
        (N::Nan, _) | (_, N::Nan) => N::Nan,
        (N::Infinity(x), N::Infinity(y)) if x != y => N::Nan,
        (N::Infinity(_), _) => a,
        (_, N::Infinity(_)) => b,
        (N::Zero(x), N::Zero(y)) => N::Zero(if x == y { x } else { round == Round::Down }),
        (N::Zero(_), _) => b,
        (_, N::Zero(_)) => a,
        (N::Finite(sa, ea, ma), N::Finite(sb, eb, mb)) => {
            // Leading bits at 126, so that a carry has room and 20 bits or more lie below 106-bit products.
            let (up_a, up_b) = (ma.leading_zeros() as i32 - 1, mb.leading_zeros() as i32 - 1);
            let (mut ea, mut ma, mut eb, mut mb) = (ea - up_a, ma << up_a, eb - up_b, mb << up_b);
            let (mut sa, mut sb) = (sa, sb);
            if (ea, ma) < (eb, mb) {
                std::mem::swap(&mut ea, &mut eb);
                std::mem::swap(&mut ma, &mut mb);
                std::mem::swap(&mut sa, &mut sb);
            }
            mb = jam(mb, (ea - eb) as u32);
            let man = if sa == sb { ma + mb } else { ma - mb };
            if man == 0 {
                N::Zero(round == Round::Down)
            } else {
                N::Finite(sa, ea, man)
            }
        }
    }
}

/// a / b to 70 bits or more, the last of which gathers the rest. Mantissas of at most 53 bits.
pub fn div(a: Number, b: Number) -> Number {
    use Number as N;
    let sign = a.sign() ^ b.sign();
    match (a, b) {
        (N::Nan, _) | (_, N::Nan) | (N::Infinity(_), N::Infinity(_)) | (N::Zero(_), N::Zero(_)) => {
            N::Nan
        }
        (N::Infinity(_), _) | (_, N::Zero(_)) => N::Infinity(sign),
        (_, N::Infinity(_)) | (N::Zero(_), _) => N::Zero(sign),
        (N::Finite(_, ea, ma), N::Finite(_, eb, mb)) => {
            let up = ma.leading_zeros() as i32;
            let numerator = ma << up;
            let rest = u128::from(!numerator.is_multiple_of(mb));
            let quotient = (numerator / mb) | rest;
            N::Finite(sign, ea - up - eb, quotient)
        }
    }
}

/// √a to 60 bits or more, the last of which gathers the rest.
pub fn sqrt(a: Number) -> Number {
    use Number as N;
    match a {
        N::Zero(_) | N::Infinity(false) => a,
        N::Nan | N::Infinity(true) | N::Finite(true, ..) => N::Nan,
        N::Finite(false, exp, man) => {
            let mut up = man.leading_zeros() as i32;
            if (exp - up) & 1 != 0 {
                up -= 1;
            }
            let man = man << up;
            let root = man.isqrt();
            // The root has 64 bits: one more below for what is left.
            let rest = u128::from(root * root != man);
            N::Finite(false, (exp - up) / 2 - 1, root << 1 | rest)
        }
    }
}

/// How a result is packed.
#[derive(Clone, Copy, Debug)]
pub struct Pack {
    /// Where to.
    pub format: Format,
    /// Direction.
    pub round: Round,
    /// Subnormal results become zeros.
    pub ftz: bool,
    /// Beyond the range comes the largest finite number rather than infinity; infinity becomes it, too.
    pub satfinite: bool,
}

/// Rounds to a format.
pub fn pack(number: Number, how: Pack) -> u128 {
    let format = how.format;
    match number {
        Number::Nan if format.top == Top::Numbers => format.largest(false),
        Number::Nan => format.nan(),
        Number::Infinity(sign) => overflow(how, sign, true),
        Number::Zero(sign) => format.zero(sign),
        Number::Finite(sign, exp, man) => {
            let top = 127 - man.leading_zeros() as i32;
            // The exponent of the lowest bit kept: by precision, but not below the subnormals'.
            let lowest = 1 - format.bias() - format.man_bits as i32;
            let last = (exp + top - format.man_bits as i32).max(lowest);
            let kept = round_at(man, exp, last, sign, how.round);
            // The leading bit of a normal number adds 1 to the exponent field, and so does a carry.
            let magnitude = ((last - lowest) as u128) << format.man_bits;
            let magnitude = magnitude + kept;
            let limit = format.largest(false) >> format.pad;
            if magnitude > limit {
                return overflow(how, sign, false);
            }
            let subnormal = magnitude >> format.man_bits == 0;
            if how.ftz && subnormal {
                return format.zero(sign);
            }
            format.place(u128::from(sign) << format.sign_bit() | magnitude)
        }
    }
}

/// man · 2^exp as a multiple of 2^last, rounded.
fn round_at(man: u128, exp: i32, last: i32, sign: bool, round: Round) -> u128 {
    let down = last - exp;
    if down <= 0 {
        return man << -down;
    }
    // One more bit and a sticky bit below the last.
    let (whole, half, rest) = match down as u32 {
        by @ 1..=127 => (
            man >> by,
            man >> (by - 1) & 1 == 1,
            man & ((1 << (by - 1)) - 1) != 0,
        ),
        128 => (0, man >> 127 == 1, man << 1 != 0),
        _ => (0, false, man != 0),
    };
    let up = match round {
        Round::Nearest => half && (rest || whole & 1 == 1),
        Round::NearestAway => half,
        Round::Zero => false,
        Round::Down => sign && (half || rest),
        Round::Up => !sign && (half || rest),
    };
    whole + u128::from(up)
}

fn overflow(how: Pack, sign: bool, infinite: bool) -> u128 {
    let format = how.format;
    if how.satfinite || format.top == Top::Numbers {
        return format.largest(sign);
    }
    if format.top == Top::OneNan {
        return format.nan() | u128::from(sign) << format.sign_bit();
    }
    let away = match how.round {
        Round::Nearest | Round::NearestAway => true,
        Round::Zero => false,
        Round::Down => sign,
        Round::Up => !sign,
    };
    if infinite || away {
        format.infinity(sign)
    } else {
        format.largest(sign)
    }
}

/// To an integral value; the sign of zero stays.
pub fn integral(number: Number, round: Round) -> Number {
    let Number::Finite(sign, exp, man) = number else {
        return number;
    };
    if exp >= 0 {
        return number;
    }
    match round_at(man, exp, 0, sign, round) {
        0 => Number::Zero(sign),
        whole => Number::Finite(sign, 0, whole),
    }
}

/// The order of two numbers; `None` where one is NaN. Zeros are equal.
pub fn compare(a: Number, b: Number) -> Option<std::cmp::Ordering> {
    use std::cmp::Ordering;
    let key = |n: Number| -> Option<(i32, i64, u128)> {
        Some(match n {
            Number::Nan => return None,
            Number::Zero(_) => (0, 0, 0),
            Number::Infinity(sign) => (if sign { -1 } else { 1 }, i64::MAX, 0),
            Number::Finite(sign, exp, man) => {
                let up = man.leading_zeros();
                (
                    if sign { -1 } else { 1 },
                    i64::from(exp) - i64::from(up),
                    man << up,
                )
            }
        })
    };
    let ((sa, ea, ma), (sb, eb, mb)) = (key(a)?, key(b)?);
    Some(match sa.cmp(&sb) {
        Ordering::Equal if sa < 0 => (eb, mb).cmp(&(ea, ma)),
        Ordering::Equal => (ea, ma).cmp(&(eb, mb)),
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f32_of(number: Number, round: Round) -> f32 {
        let how = Pack {
            format: format(Float::F32),
            round,
            ftz: false,
            satfinite: false,
        };
        f32::from_bits(pack(number, how) as u32)
    }

    fn read(x: f32) -> Number {
        Number::read(format(Float::F32), u128::from(x.to_bits()), false)
    }

    fn read64(x: f64) -> Number {
        Number::read(format(Float::F64), u128::from(x.to_bits()), false)
    }

    fn f64_of(number: Number) -> f64 {
        let how = Pack {
            format: format(Float::F64),
            round: Round::Nearest,
            ftz: false,
            satfinite: false,
        };
        f64::from_bits(pack(number, how) as u64)
    }

    /// A small generator, so that the cases are the same each time.
    fn random(state: &mut u64) -> u64 {
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (*state ^ *state >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    }

    fn same(a: f64, b: f64) -> bool {
        a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
    }

    #[test]
    fn nearest_agrees_with_the_host() {
        let mut state = 1;
        for _ in 0..200_000 {
            let (x, y, z) = (random(&mut state), random(&mut state), random(&mut state));
            // Exponents close together now and then, so that sums cancel.
            let near = |v: u64| {
                if state & 1 == 0 {
                    v & 0x800f_ffff_ffff_ffff | (0x3f0 + (v >> 52 & 31)) << 52
                } else {
                    v
                }
            };
            let (x, y, z) = (
                f64::from_bits(near(x)),
                f64::from_bits(near(y)),
                f64::from_bits(near(z)),
            );
            let (a, b, c) = (read64(x), read64(y), read64(z));
            assert!(
                same(f64_of(add(a, b, Round::Nearest)), x + y),
                "{x:e} + {y:e}"
            );
            assert!(same(f64_of(mul(a, b)), x * y), "{x:e} * {y:e}");
            assert!(same(f64_of(div(a, b)), x / y), "{x:e} / {y:e}");
            assert!(same(f64_of(sqrt(a)), x.sqrt()), "sqrt {x:e}");
            assert!(
                same(f64_of(add(mul(a, b), c, Round::Nearest)), x.mul_add(y, z)),
                "{x:e} * {y:e} + {z:e}"
            );
            let (x, y) = (
                f32::from_bits(x.to_bits() as u32),
                f32::from_bits(y.to_bits() as u32),
            );
            let (a, b) = (read(x), read(y));
            assert!(same(
                f32_of(add(a, b, Round::Nearest), Round::Nearest).into(),
                (x + y).into()
            ));
            assert!(
                same(f32_of(div(a, b), Round::Nearest).into(), (x / y).into()),
                "{x:e} / {y:e}"
            );
            assert_eq!(compare(a, b), x.partial_cmp(&y), "{x:e} {y:e}");
        }
    }

    #[test]
    fn directions_enclose_the_exact_result() {
        let third = div(read(1.0), read(3.0));
        assert_eq!(f32_of(third, Round::Down).to_bits(), 0x3eaa_aaaa);
        assert_eq!(f32_of(third, Round::Up).to_bits(), 0x3eaa_aaab);
        assert_eq!(f32_of(third.neg(), Round::Down).to_bits(), 0xbeaa_aaab);
        assert_eq!(f32_of(third.neg(), Round::Zero).to_bits(), 0xbeaa_aaaa);
        let huge = mul(read(f32::MAX), read(2.0));
        assert_eq!(f32_of(huge, Round::Zero), f32::MAX);
        assert_eq!(f32_of(huge, Round::Up), f32::INFINITY);
        assert_eq!(f32_of(huge.neg(), Round::Up), -f32::MAX);
        let tiny = mul(read(f32::from_bits(1)), read(0.25));
        assert_eq!(f32_of(tiny, Round::Up).to_bits(), 1);
        assert_eq!(f32_of(tiny, Round::Nearest).to_bits(), 0);
        assert_eq!(f32_of(tiny.neg(), Round::Down).to_bits(), 0x8000_0001);
    }

    #[test]
    fn small_formats() {
        let to = |x: f32, fmt: Float| {
            pack(
                read(x),
                Pack {
                    format: format(fmt),
                    round: Round::Nearest,
                    ftz: false,
                    satfinite: true,
                },
            )
        };
        assert_eq!(to(448.0, Float::E4m3), 0x7e);
        assert_eq!(to(1e9, Float::E4m3), 0x7e);
        assert_eq!(to(-1.0, Float::E4m3), 0xb8);
        assert_eq!(to(57344.0, Float::E5m2), 0x7b);
        assert_eq!(to(6.0, Float::E2m1), 0x7);
        assert_eq!(to(0.25, Float::E2m1), 0x0);
        assert_eq!(to(7.5, Float::E2m3), 0x1f);
        assert_eq!(to(28.0, Float::E3m2), 0x1f);
        assert_eq!(to(1.0, Float::Tf32), 0x3f80_0000);
        assert_eq!(to(f32::NAN, Float::E4m3), 0x7f);
    }
}
