//! Values in test files: types, how they are written, how far a result may be off.
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "values are cut to the width of their type"
)]

/// Type of a value in a test file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A predicate (stored as a 32-bit 0 or 1).
    Pred,
    /// Bits or an unsigned integer of this many bytes.
    Unsigned(usize),
    /// A signed integer of this many bytes.
    Signed(usize),
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
}

impl Kind {
    /// The kind of a PTX type.
    pub fn of(text: &str) -> Result<Self, String> {
        Ok(match text {
            "pred" => Self::Pred,
            "f32" => Self::F32,
            "f64" => Self::F64,
            "f16" | "bf16" => Self::Unsigned(2),
            "f16x2" | "bf16x2" | "u16x2" | "s16x2" => Self::Unsigned(4),
            "f32x2" => Self::Unsigned(8),
            _ => {
                let (letter, bits) = text.split_at(1);
                let bits: usize = bits.parse().map_err(|_| format!("unknown type '{text}'"))?;
                match letter {
                    "u" | "b" => Self::Unsigned(bits / 8),
                    "s" => Self::Signed(bits / 8),
                    _ => return Err(format!("unknown type '{text}'")),
                }
            }
        })
    }

    /// Bytes in memory.
    pub fn bytes(self) -> usize {
        match self {
            Self::Pred | Self::F32 => 4,
            Self::F64 => 8,
            Self::Unsigned(bytes) | Self::Signed(bytes) => bytes,
        }
    }

    /// Bits of a value as written: a number, hexadecimal bits, `inf`, `nan`.
    pub fn parse(self, text: &str) -> Result<u128, String> {
        let bad = || format!("'{text}' is no value of type {self:?}");
        let text_only = text.replace('_', "");
        let (negative, digits) = match text_only.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text_only.as_str()),
        };
        let mask = u128::MAX >> (128 - 8 * self.bytes());
        if let Some(hex) = digits.strip_prefix("0x") {
            let bits = u128::from_str_radix(hex, 16).map_err(|_| bad())?;
            return Ok(if negative { bits.wrapping_neg() } else { bits } & mask);
        }
        Ok(match self {
            Self::F32 => u128::from(text_only.parse::<f32>().map_err(|_| bad())?.to_bits()),
            Self::F64 => u128::from(text_only.parse::<f64>().map_err(|_| bad())?.to_bits()),
            Self::Pred | Self::Unsigned(_) | Self::Signed(_) => {
                let number: u128 = digits.parse().map_err(|_| bad())?;
                if negative {
                    number.wrapping_neg() & mask
                } else {
                    number & mask
                }
            }
        })
    }

    /// A value as messages write it.
    pub fn show(self, bits: u128) -> String {
        match self {
            Self::F32 => format!("{:#010x} ({:e})", bits, f32::from_bits(bits as u32)),
            Self::F64 => format!("{:#018x} ({:e})", bits, f64::from_bits(bits as u64)),
            _ => format!("{bits:#x}"),
        }
    }

    /// Whether `have` is what is wanted: the same bits; both NaN where `any_nan`; or within `ulp` units in the last
    /// place of the wanted value.
    pub fn matches(self, want: u128, have: u128, tolerance: Tolerance) -> bool {
        if want == have {
            return true;
        }
        let distance = |sign: u32, want: u128, have: u128| {
            let order = |bits: u128| {
                let magnitude = (bits & ((1 << sign) - 1)) as i128;
                if bits >> sign & 1 == 1 {
                    -magnitude
                } else {
                    magnitude
                }
            };
            (order(want) - order(have)).unsigned_abs()
        };
        match self {
            Self::F32 => {
                let (x, y) = (f32::from_bits(want as u32), f32::from_bits(have as u32));
                if x.is_nan() || y.is_nan() {
                    return tolerance.any_nan && x.is_nan() && y.is_nan();
                }
                distance(31, want, have) <= tolerance.ulp
                    || f64::from((x - y).abs()) <= tolerance.absolute
            }
            Self::F64 => {
                let (x, y) = (f64::from_bits(want as u64), f64::from_bits(have as u64));
                if x.is_nan() || y.is_nan() {
                    return tolerance.any_nan && x.is_nan() && y.is_nan();
                }
                distance(63, want, have) <= tolerance.ulp || (x - y).abs() <= tolerance.absolute
            }
            _ => false,
        }
    }
}

/// How far a floating-point result may be off.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tolerance {
    /// Units in the last place.
    pub ulp: u128,
    /// Absolute distance.
    pub absolute: f64,
    /// NaNs need not have the same bits.
    pub any_nan: bool,
}

/// Little-endian bytes of values.
pub fn to_bytes(kind: Kind, values: &[u128]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes()[..kind.bytes()].to_vec())
        .collect()
}

/// Values from little-endian bytes.
pub fn from_bytes(kind: Kind, bytes: &[u8]) -> Vec<u128> {
    bytes
        .chunks(kind.bytes())
        .map(|chunk| {
            let mut wide = [0; 16];
            wide[..chunk.len()].copy_from_slice(chunk);
            u128::from_le_bytes(wide)
        })
        .collect()
}

/// Values of a line: separated by spaces, `value*count`, or `iota*count` for 0, 1, 2, ….
pub fn list(kind: Kind, text: &str) -> Result<Vec<u128>, String> {
    let mut values = Vec::new();
    for word in text.split_whitespace() {
        let (value, count) = match word.split_once('*') {
            Some((value, count)) => (
                value,
                count.parse().map_err(|_| format!("'{word}': no count"))?,
            ),
            None => (word, 1usize),
        };
        for n in 0..count {
            values.push(if value == "iota" {
                kind.parse(&n.to_string())?
            } else {
                kind.parse(value)?
            });
        }
    }
    Ok(values)
}
