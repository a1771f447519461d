//! Scalar types, state spaces and vector widths (PTX ISA 9.0, chapter 5).

use crate::spelling::spelled;

spelled! {
    /// A type suffix.
    pub enum ScalarType {
        Pred = "pred",
        B8 = "b8",
        B16 = "b16",
        B32 = "b32",
        B64 = "b64",
        B128 = "b128",
        U8 = "u8",
        U16 = "u16",
        U32 = "u32",
        U64 = "u64",
        S8 = "s8",
        S16 = "s16",
        S32 = "s32",
        S64 = "s64",
        U16x2 = "u16x2",
        S16x2 = "s16x2",
        F16 = "f16",
        F16x2 = "f16x2",
        Bf16 = "bf16",
        Bf16x2 = "bf16x2",
        Tf32 = "tf32",
        F32 = "f32",
        F32x2 = "f32x2",
        F64 = "f64",
        E4m3x2 = "e4m3x2",
        E5m2x2 = "e5m2x2",
        E2m3x2 = "e2m3x2",
        E3m2x2 = "e3m2x2",
        E2m1x2 = "e2m1x2",
        Ue8m0x2 = "ue8m0x2",
        E4m3x4 = "e4m3x4",
        E5m2x4 = "e5m2x4",
        E2m3x4 = "e2m3x4",
        E3m2x4 = "e3m2x4",
        E2m1x4 = "e2m1x4",
        TexRef = "texref",
        SamplerRef = "samplerref",
        SurfRef = "surfref",
    }
}

/// What a type's bits mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypeClass {
    /// `.pred`
    Predicate,
    /// `.b8` … `.b128`: bits without meaning.
    Bits,
    /// `.u8` … `.u64`, `.u16x2`
    Unsigned,
    /// `.s8` … `.s64`, `.s16x2`
    Signed,
    /// All floating-point types, also packed and alternate ones.
    Float,
    /// `.texref`, `.samplerref`, `.surfref`
    Opaque,
}

impl ScalarType {
    /// Size in bits; a predicate has 1, an opaque reference is a 64-bit handle.
    #[must_use]
    pub fn bits(self) -> u32 {
        use ScalarType as T;
        match self {
            T::Pred => 1,
            T::B8 | T::U8 | T::S8 | T::E2m1x2 => 8,
            T::B16 | T::U16 | T::S16 | T::F16 | T::Bf16 => 16,
            T::E4m3x2 | T::E5m2x2 | T::E2m3x2 | T::E3m2x2 | T::Ue8m0x2 | T::E2m1x4 => 16,
            T::B32 | T::U32 | T::S32 | T::U16x2 | T::S16x2 => 32,
            T::F16x2 | T::Bf16x2 | T::Tf32 | T::F32 => 32,
            T::E4m3x4 | T::E5m2x4 | T::E2m3x4 | T::E3m2x4 => 32,
            T::B64 | T::U64 | T::S64 | T::F64 | T::F32x2 => 64,
            T::TexRef | T::SamplerRef | T::SurfRef => 64,
            T::B128 => 128,
        }
    }

    /// Size in memory, bytes.
    #[must_use]
    pub fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    /// What the bits mean.
    #[must_use]
    pub fn class(self) -> TypeClass {
        use ScalarType as T;
        match self {
            T::Pred => TypeClass::Predicate,
            T::B8 | T::B16 | T::B32 | T::B64 | T::B128 => TypeClass::Bits,
            T::U8 | T::U16 | T::U32 | T::U64 | T::U16x2 => TypeClass::Unsigned,
            T::S8 | T::S16 | T::S32 | T::S64 | T::S16x2 => TypeClass::Signed,
            T::F16 | T::F16x2 | T::Bf16 | T::Bf16x2 | T::Tf32 | T::F32 | T::F32x2 | T::F64 => {
                TypeClass::Float
            }
            T::E4m3x2 | T::E5m2x2 | T::E2m3x2 | T::E3m2x2 | T::E2m1x2 | T::Ue8m0x2 => {
                TypeClass::Float
            }
            T::E4m3x4 | T::E5m2x4 | T::E2m3x4 | T::E3m2x4 | T::E2m1x4 => TypeClass::Float,
            T::TexRef | T::SamplerRef | T::SurfRef => TypeClass::Opaque,
        }
    }

    /// A signed integer.
    #[must_use]
    pub fn is_signed(self) -> bool {
        self.class() == TypeClass::Signed
    }

    /// A signed or unsigned integer.
    #[must_use]
    pub fn is_integer(self) -> bool {
        matches!(self.class(), TypeClass::Signed | TypeClass::Unsigned)
    }

    /// A floating-point type.
    #[must_use]
    pub fn is_float(self) -> bool {
        self.class() == TypeClass::Float
    }

    /// `.f16` or `.f16x2`
    #[must_use]
    pub fn is_half(self) -> bool {
        matches!(self, Self::F16 | Self::F16x2)
    }

    /// `.bf16` or `.bf16x2`
    #[must_use]
    pub fn is_bf16(self) -> bool {
        matches!(self, Self::Bf16 | Self::Bf16x2)
    }

    /// Bits without meaning.
    #[must_use]
    pub fn is_bits(self) -> bool {
        self.class() == TypeClass::Bits
    }
}

spelled! {
    /// Where a variable lives, or an access goes.
    pub enum StateSpace {
        /// Registers.
        Reg = "reg",
        /// Special registers.
        Sreg = "sreg",
        /// Constant memory.
        Const = "const",
        /// Global memory.
        Global = "global",
        /// Thread-private memory.
        Local = "local",
        /// Parameters: of the kernel, or of a call.
        Param = "param",
        /// Shared memory of the block.
        Shared = "shared",
        /// Shared memory of the block, said in full.
        SharedCta = "shared::cta",
        /// Shared memory of any block in the cluster.
        SharedCluster = "shared::cluster",
        /// Kernel parameters, said in full.
        ParamEntry = "param::entry",
        /// Function parameters, said in full.
        ParamFunc = "param::func",
        /// Texture memory (deprecated).
        Tex = "tex",
    }
}

spelled! {
    /// How many elements a vector has.
    pub enum VectorWidth {
        V2 = "v2",
        V4 = "v4",
        V8 = "v8",
    }
}

impl VectorWidth {
    /// 2, 4 or 8.
    #[must_use]
    pub fn lanes(self) -> u32 {
        match self {
            Self::V2 => 2,
            Self::V4 => 4,
            Self::V8 => 8,
        }
    }
}
