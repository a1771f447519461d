//! Integer operations.
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    reason = "bit-level arithmetic in a wider type, masked at the end"
)]

use super::super::attr::{IntCmp, PrmtMode, Sign};
use super::super::op::Op;
use super::super::types::Int;

/// The low `bits` of a value, sign-extended to 128 bits.
pub fn sext(value: u128, bits: u32) -> u128 {
    let up = 128 - bits;
    (((value << up) as i128) >> up) as u128
}

fn mask(bits: u32) -> u128 {
    u128::MAX >> (128 - bits)
}

/// The number that `bits` bits mean.
fn number(value: u128, bits: u32, sign: Sign) -> i128 {
    match sign {
        Sign::Signed => sext(value, bits) as i128,
        Sign::Unsigned => (value & mask(bits)) as i128,
    }
}

/// Applies a function to each element of a packed value, or to the one.
fn elements(w: Int, a: u128, b: u128, f: impl Fn(u128, u128) -> u128) -> u128 {
    let m = mask(w.bits());
    if w == Int::I16x2 {
        let low = f(a & m, b & m) & m;
        let high = f(a >> 16 & m, b >> 16 & m) & m;
        return high << 16 | low;
    }
    f(a & m, b & m) & m
}

pub fn add_carry(w: Int, a: u128, b: u128, carry: u128) -> [u128; 2] {
    let sum = a + b + carry;
    [sum & mask(w.bits()), sum >> w.bits() & 1]
}

pub fn sub_borrow(w: Int, a: u128, b: u128, borrow: u128) -> [u128; 2] {
    let difference = a.wrapping_sub(b).wrapping_sub(borrow);
    [difference & mask(w.bits()), u128::from(a < b + borrow)]
}

/// Folds an integer operation with one result.
pub fn fold(op: &Op, a: u128, b: u128, c: u128, d: u128) -> Option<u128> {
    Some(match *op {
        Op::Add { w } => elements(w, a, b, u128::wrapping_add),
        Op::Sub { w } => elements(w, a, b, u128::wrapping_sub),
        Op::Mul { w } => elements(w, a, b, u128::wrapping_mul),
        Op::MulHi { w, sign } => {
            let bits = w.bits();
            elements(w, a, b, |a, b| (product(a, b, bits, sign) as u128) >> bits)
        }
        Op::MulWide { w, sign } => {
            let wide = product(a, b, w.bits(), sign) as u128;
            if w == Int::I64 {
                wide
            } else {
                wide & mask(2 * w.bits())
            }
        }
        Op::AddSat { w } => elements(w, a, b, |a, b| saturate(w, |a, b| a + b, a, b)),
        Op::SubSat { w } => elements(w, a, b, |a, b| saturate(w, |a, b| a - b, a, b)),
        Op::Div { w, sign } => elements(w, a, b, |a, b| divide(w, sign, a, b)),
        Op::Rem { w, sign } => elements(w, a, b, |a, b| {
            let (x, y) = (number(a, w.bits(), sign), number(b, w.bits(), sign));
            if y == 0 { a } else { (x % y) as u128 }
        }),
        Op::Abs { w } => elements(w, a, 0, |a, _| (sext(a, w.bits()) as i128).unsigned_abs()),
        Op::Min { w, sign } => elements(w, a, b, |a, b| {
            if number(a, w.bits(), sign) <= number(b, w.bits(), sign) {
                a
            } else {
                b
            }
        }),
        Op::Max { w, sign } => elements(w, a, b, |a, b| {
            if number(a, w.bits(), sign) >= number(b, w.bits(), sign) {
                a
            } else {
                b
            }
        }),
        Op::Lop3 { lut } => lop3(a, b, c, lut),
        Op::Shl { w } => elements_by(
            w,
            a,
            b as u32,
            |a, n| if n >= w.bits() { 0 } else { a << n },
        ),
        Op::Shr { w, sign } => elements_by(w, a, b as u32, |a, n| {
            (number(a, w.bits(), sign) >> n.min(w.bits())) as u128
        }),
        Op::ShfL { wrap } => ((b << 32 | a) << funnel(c, wrap)) >> 32 & mask(32),
        Op::ShfR { wrap } => (b << 32 | a) >> funnel(c, wrap) & mask(32),
        Op::Clz { w } => u128::from((a & mask(w.bits())).leading_zeros() - (128 - w.bits())),
        Op::Popc { w } => u128::from((a & mask(w.bits())).count_ones()),
        Op::Brev { w } => a.reverse_bits() >> (128 - w.bits()),
        Op::Bfe { w, sign } => bfe(w, sign, a, b as u32, c as u32),
        Op::Bfi { w } => bfi(w, a, b, c as u32, d as u32),
        Op::Bfind { w, sign, shiftamt } => bfind(w, sign, shiftamt, a),
        Op::Fns => fns(a as u32, b as u32, c as u32 as i32),
        Op::Prmt { mode } => prmt(mode, a, b, c),
        Op::Bmsk { wrap } => bmsk(wrap, a as u32, b as u32),
        Op::Szext { sign, wrap } => szext(sign, wrap, a, b as u32),
        Op::Dp4a { sa, sb } => {
            let sum: i128 = (0..4)
                .map(|i| number(a >> (8 * i), 8, sa) * number(b >> (8 * i), 8, sb))
                .sum();
            c.wrapping_add(sum as u128) & mask(32)
        }
        Op::Dp2a { sa, sb, hi } => {
            let b = if hi { b >> 16 } else { b };
            let sum: i128 = (0..2)
                .map(|i| number(a >> (16 * i), 16, sa) * number(b >> (8 * i), 8, sb))
                .sum();
            c.wrapping_add(sum as u128) & mask(32)
        }
        Op::ICmp { w, cmp } => u128::from(compare(w, cmp, a, b)),
        _ => return None,
    })
}

fn elements_by(w: Int, a: u128, n: u32, f: impl Fn(u128, u32) -> u128) -> u128 {
    elements(w, a, 0, |a, _| f(a, n))
}

/// The full product. Unsigned 64-bit products do not fit an `i128` as numbers, but their bits do.
fn product(a: u128, b: u128, bits: u32, sign: Sign) -> i128 {
    number(a, bits, sign).wrapping_mul(number(b, bits, sign))
}

fn saturate(w: Int, f: impl Fn(i128, i128) -> i128, a: u128, b: u128) -> u128 {
    let largest = mask(w.bits() - 1) as i128;
    let (a, b) = (sext(a, w.bits()) as i128, sext(b, w.bits()) as i128);
    f(a, b).clamp(-largest - 1, largest) as u128
}

fn divide(w: Int, sign: Sign, a: u128, b: u128) -> u128 {
    let (x, y) = (number(a, w.bits(), sign), number(b, w.bits(), sign));
    if y == 0 { u128::MAX } else { (x / y) as u128 }
}

fn lop3(a: u128, b: u128, c: u128, lut: u8) -> u128 {
    let mut result = 0;
    for row in 0..8u32 {
        if lut >> row & 1 == 1 {
            let pick = |value: u128, bit: u32| if row >> bit & 1 == 1 { value } else { !value };
            result |= pick(a, 2) & pick(b, 1) & pick(c, 0);
        }
    }
    result & mask(32)
}

fn funnel(n: u128, wrap: bool) -> u32 {
    let n = n as u32;
    if wrap { n & 31 } else { n.min(32) }
}

fn bfe(w: Int, sign: Sign, a: u128, pos: u32, len: u32) -> u128 {
    let bits = w.bits();
    let (pos, len) = (pos & 0xff, len & 0xff);
    if len == 0 {
        return 0;
    }
    let value = sext(a, bits);
    let top = (pos + len - 1).min(bits - 1);
    let sign_bit = sign == Sign::Signed && value >> top & 1 == 1;
    let mut result = 0;
    for i in 0..bits {
        let bit = if i < len && pos + i < bits {
            value >> (pos + i) & 1 == 1
        } else {
            sign_bit
        };
        result |= u128::from(bit) << i;
    }
    result
}

fn bfi(w: Int, a: u128, b: u128, pos: u32, len: u32) -> u128 {
    let (pos, len) = (pos & 0xff, len & 0xff);
    let mut result = b;
    for i in 0..len {
        if pos + i >= w.bits() {
            break;
        }
        result = result & !(1 << (pos + i)) | (a >> i.min(127) & 1) << (pos + i);
    }
    result
}

fn bfind(w: Int, sign: Sign, shiftamt: bool, a: u128) -> u128 {
    let bits = w.bits();
    let negative = sign == Sign::Signed && a >> (bits - 1) & 1 == 1;
    let value = if negative { !a & mask(bits) } else { a };
    if value == 0 {
        return mask(32);
    }
    let position = 127 - value.leading_zeros();
    u128::from(if shiftamt {
        bits - 1 - position
    } else {
        position
    })
}

fn fns(mask_bits: u32, base: u32, offset: i32) -> u128 {
    let none = mask(32);
    if base > 31 {
        return none;
    }
    let set = |bit: u32| mask_bits >> bit & 1 == 1;
    if offset == 0 {
        return if set(base) { u128::from(base) } else { none };
    }
    let mut left = offset.unsigned_abs();
    let mut bit = i64::from(base);
    while (0..32).contains(&bit) {
        if set(bit as u32) {
            left -= 1;
            if left == 0 {
                return bit as u128;
            }
        }
        bit += if offset > 0 { 1 } else { -1 };
    }
    none
}

fn prmt(mode: PrmtMode, a: u128, b: u128, c: u128) -> u128 {
    let bytes = b << 32 | a;
    let byte = |n: u32| bytes >> (8 * (n & 7)) & 0xff;
    let s = c as u32 & 3;
    let pick = |sources: [u32; 4]| (0..4).fold(0, |sum, i| sum | byte(sources[i]) << (8 * i));
    match mode {
        PrmtMode::Index => (0..4).fold(0, |sum, i| {
            let selector = c as u32 >> (4 * i) & 15;
            let value = byte(selector);
            let value = if selector & 8 == 0 {
                value
            } else if value & 0x80 != 0 {
                0xff
            } else {
                0
            };
            sum | value << (8 * i)
        }),
        PrmtMode::F4e => pick([s, s + 1, s + 2, s + 3]),
        PrmtMode::B4e => pick([s, s + 7, s + 6, s + 5]),
        PrmtMode::Rc8 => pick([s; 4]),
        PrmtMode::Ecl => pick([s, s.max(1), s.max(2), 3]),
        PrmtMode::Ecr => pick([0, s.min(1), s.min(2), s]),
        PrmtMode::Rc16 => {
            let low = s & 1;
            pick([2 * low, 2 * low + 1, 2 * low, 2 * low + 1])
        }
    }
}

fn bmsk(wrap: bool, pos: u32, len: u32) -> u128 {
    let (pos, len) = if wrap {
        (pos & 31, len & 31)
    } else {
        (pos, len)
    };
    if pos >= 32 || len == 0 {
        return 0;
    }
    let ones = if len >= 32 { mask(32) } else { mask(len) };
    ones << pos & mask(32)
}

fn szext(sign: Sign, wrap: bool, a: u128, n: u32) -> u128 {
    let n = if wrap { n & 31 } else { n };
    if n == 0 {
        return 0;
    }
    if n >= 32 {
        return a;
    }
    match sign {
        Sign::Signed => sext(a, n) & mask(32),
        Sign::Unsigned => a & mask(n),
    }
}

fn compare(w: Int, cmp: IntCmp, a: u128, b: u128) -> bool {
    let signed = |v| sext(v, w.bits()) as i128;
    match cmp {
        IntCmp::Eq => a == b,
        IntCmp::Ne => a != b,
        IntCmp::Slt => signed(a) < signed(b),
        IntCmp::Sle => signed(a) <= signed(b),
        IntCmp::Sgt => signed(a) > signed(b),
        IntCmp::Sge => signed(a) >= signed(b),
        IntCmp::Ult => a < b,
        IntCmp::Ule => a <= b,
        IntCmp::Ugt => a > b,
        IntCmp::Uge => a >= b,
    }
}
