//! Products of matrices that the lanes of a warp hold together, and moves of such matrices: what [`Function::routine`] says
//! of a function, so that the code generator may make it as a whole.
//!
//! [`Function::routine`]: super::Function::routine

use super::attr::{Sign, Space};
use super::types::{Float, Ty};

/// Type of an element of A or B.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Elem {
    /// binary16
    F16,
    /// bfloat16
    Bf16,
    /// The upper 19 bits of a binary32.
    Tf32,
    /// binary64
    F64,
    /// 8 bits.
    Small(Float),
    /// An integer of 8 bits.
    Int8(Sign),
    /// An integer of 4 bits.
    Int4(Sign),
    /// Bits, combined by and or by exclusive or.
    Bit {
        /// By and.
        and: bool,
    },
}

impl Elem {
    /// By its name in PTX.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        Some(match text {
            "f16" => Self::F16,
            "bf16" => Self::Bf16,
            "tf32" => Self::Tf32,
            "f64" => Self::F64,
            "e4m3" => Self::Small(Float::E4m3),
            "e5m2" => Self::Small(Float::E5m2),
            "u8" => Self::Int8(Sign::Unsigned),
            "s8" => Self::Int8(Sign::Signed),
            "u4" => Self::Int4(Sign::Unsigned),
            "s4" => Self::Int4(Sign::Signed),
            "b1" => Self::Bit { and: false },
            _ => return None,
        })
    }

    /// Elements in a register.
    #[must_use]
    pub fn per_register(self) -> u32 {
        match self {
            Self::F16 | Self::Bf16 => 2,
            Self::Tf32 | Self::F64 => 1,
            Self::Small(_) | Self::Int8(_) => 4,
            Self::Int4(_) => 8,
            Self::Bit { .. } => 32,
        }
    }

    /// Type of a register.
    #[must_use]
    pub fn register(self) -> Ty {
        if self == Self::F64 { Ty::B64 } else { Ty::B32 }
    }

    /// Width of an element in memory, where it has whole bytes.
    #[must_use]
    pub fn memory(self) -> Option<Ty> {
        Some(match self {
            Self::F16 | Self::Bf16 => Ty::B16,
            Self::Tf32 => Ty::B32,
            Self::F64 => Ty::B64,
            Self::Small(_) | Self::Int8(_) => Ty::B8,
            Self::Int4(_) | Self::Bit { .. } => return None,
        })
    }
}

/// Type of an element of C or D.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sum {
    /// binary16
    F16,
    /// binary32
    F32,
    /// binary64
    F64,
    /// An integer of 32 bits.
    S32,
}

impl Sum {
    /// By its name in PTX.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        Some(match text {
            "f16" => Self::F16,
            "f32" => Self::F32,
            "f64" => Self::F64,
            "s32" => Self::S32,
            _ => return None,
        })
    }

    /// Type of a register.
    #[must_use]
    pub fn register(self) -> Ty {
        if self == Self::F64 { Ty::B64 } else { Ty::B32 }
    }

    /// Width of an element in memory.
    #[must_use]
    pub fn memory(self) -> Ty {
        match self {
            Self::F16 => Ty::B16,
            Self::F32 | Self::S32 => Ty::B32,
            Self::F64 => Ty::B64,
        }
    }
}

/// Sizes of a matrix product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Rows of A, C and D.
    pub m: u32,
    /// Columns of B, C and D.
    pub n: u32,
    /// Columns of A, rows of B.
    pub k: u32,
}

impl Shape {
    /// `m16n8k16`
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let (m, rest) = text.strip_prefix('m')?.split_once('n')?;
        let (n, k) = rest.split_once('k')?;
        let number = |text: &str| text.parse().ok();
        Some(Self {
            m: number(m)?,
            n: number(n)?,
            k: number(k)?,
        })
    }

    /// Rows of a tile: 8, or 16 in two registers.
    #[must_use]
    pub fn rows(self) -> u32 {
        self.m.min(16)
    }

    /// Tiles, one below the other.
    #[must_use]
    pub fn row_tiles(self) -> u32 {
        self.m / self.rows()
    }

    /// Tiles of 8 columns, side by side.
    #[must_use]
    pub fn column_tiles(self) -> u32 {
        self.n / 8
    }

    /// Blocks of k that a register per row covers.
    #[must_use]
    pub fn blocks(self, elem: Elem) -> u32 {
        self.k / (4 * elem.per_register())
    }
}

/// A kind of product: D = A·B + C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Product {
    /// Sizes.
    pub shape: Shape,
    /// Of A and of B.
    pub elems: [Elem; 2],
    /// Of D and of C.
    pub sums: [Sum; 2],
    /// Sums are clamped with C.
    pub satfinite: bool,
}

impl Product {
    /// Registers of A, B, C and D.
    #[must_use]
    pub fn registers(self) -> [usize; 4] {
        let shape = self.shape;
        let blocks = shape.blocks(self.elems[0]);
        let a = shape.row_tiles() * blocks * shape.rows() / 8;
        let b = shape.column_tiles() * blocks;
        let sums = shape.row_tiles() * shape.column_tiles() * shape.rows() / 8 * 2;
        let of = |sum: Sum| if sum == Sum::F16 { sums / 2 } else { sums };
        [a, b, of(self.sums[1]), of(self.sums[0])].map(|n| n as usize)
    }
}

/// Which matrix a fragment is of, with the type of its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fragment {
    /// A.
    A(Elem),
    /// B.
    B(Elem),
    /// C or D.
    C(Sum),
}

/// A move of a whole fragment between registers and memory: of (address, stride in elements, registers where it stores).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Transfer {
    /// What is moved.
    pub fragment: Fragment,
    /// Sizes of the product that it belongs to.
    pub shape: Shape,
    /// Rows follow one another in memory, not columns.
    pub row_major: bool,
    /// Where the matrix lies.
    pub space: Space,
    /// Registers to memory.
    pub stores: bool,
}

/// What a function does that takes part in no control flow: its body says the same lane by lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Routine {
    /// A product.
    Product(Product),
    /// A move.
    Transfer(Transfer),
}

impl Transfer {
    /// Registers that hold the fragment.
    #[must_use]
    pub fn registers(self) -> usize {
        let (elem, sum) = match self.fragment {
            Fragment::A(elem) | Fragment::B(elem) => (elem, Sum::F32),
            Fragment::C(sum) => (Elem::F64, sum),
        };
        let product = Product {
            shape: self.shape,
            elems: [elem; 2],
            sums: [sum; 2],
            satfinite: false,
        };
        let [a, b, c, _] = product.registers();
        match self.fragment {
            Fragment::A(_) => a,
            Fragment::B(_) => b,
            Fragment::C(_) => c,
        }
    }

    /// Type of a register.
    #[must_use]
    pub fn register(self) -> Ty {
        match self.fragment {
            Fragment::A(elem) | Fragment::B(elem) => elem.register(),
            Fragment::C(sum) => sum.register(),
        }
    }
}
