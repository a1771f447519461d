//! Widths of values, and the readings that operations give to them.

use std::fmt;

/// Width of a value. Values have no other type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ty {
    /// One bit.
    Pred,
    /// 8 bits: only loads, stores, packing and conversions handle these.
    B8,
    /// 16 bits.
    B16,
    /// 32 bits.
    B32,
    /// 64 bits.
    B64,
    /// 128 bits: only memory operations and packing handle these.
    B128,
}

impl Ty {
    /// Width in bits.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::Pred => 1,
            Self::B8 => 8,
            Self::B16 => 16,
            Self::B32 => 32,
            Self::B64 => 64,
            Self::B128 => 128,
        }
    }

    /// Bytes in memory.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    /// The type of this many bits (1, 8, 16, 32, 64, 128).
    #[must_use]
    pub const fn of_bits(bits: u32) -> Option<Self> {
        Some(match bits {
            1 => Self::Pred,
            8 => Self::B8,
            16 => Self::B16,
            32 => Self::B32,
            64 => Self::B64,
            128 => Self::B128,
            _ => return None,
        })
    }

    /// All ones in this width.
    #[must_use]
    pub const fn mask(self) -> u128 {
        match self {
            Self::B128 => u128::MAX,
            other => (1 << other.bits()) - 1,
        }
    }

    /// The type twice as wide, for the integer widths 8 to 64.
    #[must_use]
    pub const fn twice(self) -> Option<Self> {
        Some(match self {
            Self::B8 => Self::B16,
            Self::B16 => Self::B32,
            Self::B32 => Self::B64,
            Self::B64 => Self::B128,
            Self::Pred | Self::B128 => return None,
        })
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pred => "pred",
            Self::B8 => "b8",
            Self::B16 => "b16",
            Self::B32 => "b32",
            Self::B64 => "b64",
            Self::B128 => "b128",
        })
    }
}

/// A value read as an integer, or as a packed pair of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Int {
    /// 16 bits.
    I16,
    /// 32 bits.
    I32,
    /// 64 bits.
    I64,
    /// Two of 16 bits, the first in the low half.
    I16x2,
}

impl Int {
    /// The width of the value.
    #[must_use]
    pub const fn ty(self) -> Ty {
        match self {
            Self::I16 => Ty::B16,
            Self::I32 | Self::I16x2 => Ty::B32,
            Self::I64 => Ty::B64,
        }
    }

    /// Bits of one element.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::I16 | Self::I16x2 => 16,
            Self::I32 => 32,
            Self::I64 => 64,
        }
    }

    /// The scalar reading of this many bits.
    #[must_use]
    pub const fn of_bits(bits: u32) -> Option<Self> {
        Some(match bits {
            16 => Self::I16,
            32 => Self::I32,
            64 => Self::I64,
            _ => return None,
        })
    }

    /// The width of a full product: `I16` → 32 bits, …, `I64` → 128.
    #[must_use]
    pub const fn wide(self) -> Ty {
        match self {
            Self::I16 => Ty::B32,
            Self::I32 | Self::I16x2 => Ty::B64,
            Self::I64 => Ty::B128,
        }
    }
}

impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::I16x2 => "i16x2",
        })
    }
}

/// A value read as floating point. Arithmetic takes `F16` to `F32x2`; only conversions take the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Float {
    /// IEEE binary16.
    F16,
    /// bfloat16.
    Bf16,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
    /// Two binary16, the first in the low half.
    F16x2,
    /// Two bfloat16.
    Bf16x2,
    /// Two binary32.
    F32x2,
    /// binary32 of which the low 13 mantissa bits are not used.
    Tf32,
    /// 8 bits, 4 exponent, 3 mantissa; no infinity, NaN = 0x7f.
    E4m3,
    /// 8 bits, 5 exponent, 2 mantissa, with infinity.
    E5m2,
    /// 6 bits in a byte, 2 exponent, 3 mantissa; no infinity, no NaN.
    E2m3,
    /// 6 bits in a byte, 3 exponent, 2 mantissa; no infinity, no NaN.
    E3m2,
    /// 4 bits in a byte, 2 exponent, 1 mantissa; no infinity, no NaN.
    E2m1,
    /// 8 bits of exponent: a power of two; NaN = 0xff.
    Ue8m0,
}

impl Float {
    /// The width of the value.
    #[must_use]
    pub const fn ty(self) -> Ty {
        match self {
            Self::F16 | Self::Bf16 => Ty::B16,
            Self::F32 | Self::Tf32 | Self::F16x2 | Self::Bf16x2 => Ty::B32,
            Self::F64 | Self::F32x2 => Ty::B64,
            Self::E4m3 | Self::E5m2 | Self::E2m3 | Self::E3m2 | Self::E2m1 | Self::Ue8m0 => Ty::B8,
        }
    }

    /// The element of a packed pair; itself where it is not packed.
    #[must_use]
    pub const fn element(self) -> Self {
        match self {
            Self::F16x2 => Self::F16,
            Self::Bf16x2 => Self::Bf16,
            Self::F32x2 => Self::F32,
            other => other,
        }
    }

    /// Elements in a value: 1 or 2.
    #[must_use]
    pub const fn lanes(self) -> u32 {
        match self {
            Self::F16x2 | Self::Bf16x2 | Self::F32x2 => 2,
            _ => 1,
        }
    }

    /// Whether arithmetic (and not only conversion) exists for it.
    #[must_use]
    pub const fn is_arithmetic(self) -> bool {
        matches!(
            self,
            Self::F16
                | Self::Bf16
                | Self::F32
                | Self::F64
                | Self::F16x2
                | Self::Bf16x2
                | Self::F32x2
        )
    }
}

impl fmt::Display for Float {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::F16x2 => "f16x2",
            Self::Bf16x2 => "bf16x2",
            Self::F32x2 => "f32x2",
            Self::Tf32 => "tf32",
            Self::E4m3 => "e4m3",
            Self::E5m2 => "e5m2",
            Self::E2m3 => "e2m3",
            Self::E3m2 => "e3m2",
            Self::E2m1 => "e2m1",
            Self::Ue8m0 => "ue8m0",
        })
    }
}
