//! Textures and surfaces: what libcuda writes for the texture unit, and how compiled code asks it.
//!
//! A texture or surface object is the GPU address of a [`Descriptor`]: texture header and sampler. A `.texref` or
//! `.surfref` variable is 8 bytes of memory that hold such an address; code may pass either, the unit tells them apart by
//! [`MAGIC`].
//!
//! Texels lie line after line; level `l` of a mipmapped array begins at [`Level::offset`], has lines of
//! [`Level::pitch`] bytes, [`Level::rows`] of them in a slice or layer.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// First word of a descriptor in use.
pub const MAGIC: u64 = u64::from_le_bytes(*b"ANTLTEX1");
/// Levels of a mipmapped array at most: a line of 131072 elements down to one.
pub const LEVELS_MAX: usize = 18;
/// Unit of [`Level::offset`], and alignment of levels, bytes.
pub const LEVEL_ALIGN: u64 = 512;
/// Lines begin at multiples of this, bytes.
pub const LINE_ALIGN: u64 = 32;
/// Bytes between descriptors in a pool.
pub const DESCRIPTOR_STRIDE: u64 = 512;

/// What a header describes ([`Header::kind`]).
pub mod kind {
    /// An array, perhaps with several levels.
    pub const ARRAY: u32 = 0;
    /// Elements in linear memory: reads beyond the end give zeros.
    pub const LINEAR: u32 = 1;
    /// Lines in linear memory.
    pub const PITCH: u32 = 2;
}

/// Bits of [`Header::flags`].
pub mod flags {
    /// `depth` counts layers.
    pub const LAYERED: u32 = 1;
    /// Six layers are the faces of a cube.
    pub const CUBEMAP: u32 = 2;
    /// A surface: there is no sampler.
    pub const SURFACE: u32 = 4;
}

/// Bits of [`Sampler::flags`]: CUDA's `CU_TRSF_*`.
pub mod sampler {
    /// Integers are returned as they are.
    pub const READ_AS_INTEGER: u32 = 0x01;
    /// Coordinates go from 0 to 1.
    pub const NORMALIZED_COORDINATES: u32 = 0x02;
    /// Texels are in sRGB.
    pub const SRGB: u32 = 0x10;
    /// Filtering goes on from face to face of a cube.
    pub const SEAMLESS_CUBEMAP: u32 = 0x40;
}

/// `CUaddress_mode`, as in [`Sampler::address`].
pub mod address {
    /// The texture repeats.
    pub const WRAP: u32 = 0;
    /// The texels at the edge go on.
    pub const CLAMP: u32 = 1;
    /// The texture repeats, every second time reversed.
    pub const MIRROR: u32 = 2;
    /// The border colour.
    pub const BORDER: u32 = 3;
}

/// `CUarray_format` (cuda.h of CUDA 13.0): formats of a channel, and those that say the number of channels, too.
pub mod format {
    /// Unsigned, 8 bits.
    pub const UINT8: u32 = 0x01;
    /// Unsigned, 16 bits.
    pub const UINT16: u32 = 0x02;
    /// Unsigned, 32 bits.
    pub const UINT32: u32 = 0x03;
    /// Signed, 8 bits.
    pub const SINT8: u32 = 0x08;
    /// Signed, 16 bits.
    pub const SINT16: u32 = 0x09;
    /// Signed, 32 bits.
    pub const SINT32: u32 = 0x0a;
    /// binary16.
    pub const HALF: u32 = 0x10;
    /// binary32.
    pub const FLOAT: u32 = 0x20;
    /// Unsigned normalised, 8 bits: one, two, four channels from here on.
    pub const UNORM8: u32 = 0xc0;
    /// Unsigned normalised, 16 bits, likewise.
    pub const UNORM16: u32 = 0xc3;
    /// Signed normalised, 8 bits, likewise.
    pub const SNORM8: u32 = 0xc6;
    /// Signed normalised, 16 bits, likewise.
    pub const SNORM16: u32 = 0xc9;
}

/// One level.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
#[repr(C)]
pub struct Level {
    /// Where it begins, [`LEVEL_ALIGN`] bytes each.
    pub offset: u32,
    /// Bytes from a line to the next.
    pub pitch: u32,
    /// Lines of a slice or layer.
    pub rows: u32,
}

/// Texture header.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
#[repr(C)]
pub struct Header {
    /// [`MAGIC`].
    pub magic: u64,
    /// GPU address of the first level.
    pub address: u64,
    /// One of [`kind`].
    pub kind: u32,
    /// One of [`format`].
    pub format: u32,
    /// Channels of an element.
    pub channels: u32,
    /// Bits of [`flags`].
    pub flags: u32,
    /// Elements of a line of level 0.
    pub width: u32,
    /// Lines of level 0; 0 for one dimension.
    pub height: u32,
    /// Slices of level 0, or layers (six for each cube); 0 for neither.
    pub depth: u32,
    /// Levels.
    pub levels: u32,
    /// The levels.
    pub level: [Level; LEVELS_MAX],
}

/// Sampler.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Sampler {
    /// One of [`address`] per dimension.
    pub address: [u32; 3],
    /// 0 the nearest texel, 1 linear.
    pub filter: u32,
    /// The same between levels.
    pub level_filter: u32,
    /// Bits of [`sampler`].
    pub flags: u32,
    /// Added to the level of detail.
    pub bias: f32,
    /// Lowest level of detail.
    pub min_level: f32,
    /// Highest level of detail.
    pub max_level: f32,
    /// Samples along the line of anisotropy at most (kept; the unit takes one).
    pub max_anisotropy: u32,
    /// Border colour.
    pub border: [f32; 4],
}

/// What a texture or surface object points to.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Descriptor {
    /// What is sampled.
    pub header: Header,
    /// How.
    pub sampler: Sampler,
}

/// What an instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum What {
    /// `tex`: coordinates, then level or gradients → four channels.
    Sample = 0,
    /// `tld4`: coordinates → one channel of four texels.
    Gather = 1,
    /// `txq`, `suq`: perhaps a level → one number.
    Query = 2,
    /// `suld`: coordinates → elements.
    Load = 3,
    /// `sust`: coordinates, elements.
    Store = 4,
    /// `sured`: coordinates, an element.
    Reduce = 5,
    /// `istypep`: → 1 or 0.
    IsType = 6,
}

/// Shape that an instruction expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Geometry {
    /// `.1d`
    D1 = 0,
    /// `.2d`
    D2 = 1,
    /// `.3d`
    D3 = 2,
    /// `.a1d`: the layer comes first.
    A1 = 3,
    /// `.a2d`: the layer comes first.
    A2 = 4,
    /// `.cube`
    Cube = 5,
    /// `.acube`: the layer comes first.
    ACube = 6,
}

impl Geometry {
    /// Whether a layer comes first.
    #[must_use]
    pub const fn layered(self) -> bool {
        matches!(self, Self::A1 | Self::A2 | Self::ACube)
    }

    /// Coordinates without the layer.
    #[must_use]
    pub const fn coordinates(self) -> u32 {
        match self {
            Self::D1 | Self::A1 => 1,
            Self::D2 | Self::A2 => 2,
            Self::D3 | Self::Cube | Self::ACube => 3,
        }
    }
}

/// How `tex` chooses the level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Detail {
    /// The base level.
    Base = 0,
    /// One more argument says.
    Level = 1,
    /// By gradients: as many arguments as coordinates, twice.
    Gradient = 2,
}

/// What becomes of accesses beyond a surface's edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Edge {
    /// They stop the kernel.
    Trap = 0,
    /// They go to the edge.
    Clamp = 1,
    /// Loads give zeros, stores do nothing.
    Zero = 2,
}

/// What `txq` and `suq` ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Query {
    /// Elements of a line.
    Width = 0,
    /// Lines.
    Height = 1,
    /// Slices.
    Depth = 2,
    /// Type of a channel (OpenCL's numbers).
    ChannelType = 3,
    /// Channels that are there (OpenCL's numbers).
    ChannelOrder = 4,
    /// 1 for coordinates from 0 to 1.
    Normalized = 5,
    /// Layers.
    ArraySize = 6,
    /// Levels.
    Levels = 7,
    /// Samples of a pixel: 1.
    Samples = 8,
    /// 0: force-unnormalised coordinates are not asked for.
    ForceUnnormalized = 9,
    /// 1 for linear, 0 for nearest.
    Filter = 10,
    /// Address mode, first coordinate (then second, third).
    AddressMode0 = 11,
    /// Second.
    AddressMode1 = 12,
    /// Third.
    AddressMode2 = 13,
    /// 0: arrays are opaque.
    MemoryLayout = 14,
}

/// What `sured` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Reduction {
    /// Sum.
    Add = 0,
    /// Smaller, unsigned.
    UMin = 1,
    /// Larger, unsigned.
    UMax = 2,
    /// Smaller, signed.
    SMin = 3,
    /// Larger, signed.
    SMax = 4,
    /// And.
    And = 5,
    /// Or.
    Or = 6,
}

/// An instruction as code passes it to [`crate::sm::Helpers::texture`], 64 bits.
///
/// Arguments and results are 32-bit words: layer, coordinates, then what the instruction has beyond them; 64-bit elements
/// are two words, the low one first. Coordinates of surfaces are integers; the first counts bytes, except in formatted
/// stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// What it does.
    pub what: What,
    /// Shape.
    pub geometry: Geometry,
    /// Level of `tex`.
    pub detail: Detail,
    /// Coordinates are integers (`.s32`).
    pub integer: bool,
    /// Results are pairs of binary16 (`.f16x2`).
    pub half: bool,
    /// Element count of surface accesses: 1, 2, 4.
    pub lanes: u8,
    /// Bytes of an element: 1, 2, 4, 8.
    pub bytes: u8,
    /// Beyond the edge.
    pub edge: Edge,
    /// `sust.p`: elements are converted to the surface's format.
    pub formatted: bool,
    /// Component of `tld4`, [`Query`], [`Reduction`], or for `IsType` 0 texture, 1 sampler, 2 surface.
    pub detail_code: u8,
}

impl Instruction {
    /// An instruction with nothing special.
    #[must_use]
    pub const fn new(what: What, geometry: Geometry) -> Self {
        Self {
            what,
            geometry,
            detail: Detail::Base,
            integer: false,
            half: false,
            lanes: 1,
            bytes: 4,
            edge: Edge::Trap,
            formatted: false,
            detail_code: 0,
        }
    }

    /// As 64 bits.
    #[must_use]
    pub const fn encode(self) -> u64 {
        self.what as u64
            | (self.geometry as u64) << 8
            | (self.detail as u64) << 16
            | (self.integer as u64) << 20
            | (self.half as u64) << 21
            | (self.formatted as u64) << 22
            | (self.edge as u64) << 24
            | (self.lanes as u64) << 32
            | (self.bytes as u64) << 40
            | (self.detail_code as u64) << 48
    }

    /// From 64 bits; `None` for what is no instruction.
    #[must_use]
    pub fn decode(bits: u64) -> Option<Self> {
        let byte = |shift: u32| (bits >> shift & 0xff) as u8;
        let what = match byte(0) {
            0 => What::Sample,
            1 => What::Gather,
            2 => What::Query,
            3 => What::Load,
            4 => What::Store,
            5 => What::Reduce,
            6 => What::IsType,
            _ => return None,
        };
        let geometry = match byte(8) {
            0 => Geometry::D1,
            1 => Geometry::D2,
            2 => Geometry::D3,
            3 => Geometry::A1,
            4 => Geometry::A2,
            5 => Geometry::Cube,
            6 => Geometry::ACube,
            _ => return None,
        };
        let detail = match bits >> 16 & 15 {
            0 => Detail::Base,
            1 => Detail::Level,
            2 => Detail::Gradient,
            _ => return None,
        };
        let edge = match byte(24) {
            0 => Edge::Trap,
            1 => Edge::Clamp,
            2 => Edge::Zero,
            _ => return None,
        };
        let (lanes, bytes) = (byte(32), byte(40));
        if !matches!(lanes, 1 | 2 | 4) || !matches!(bytes, 1 | 2 | 4 | 8) {
            return None;
        }
        Some(Self {
            what,
            geometry,
            detail,
            integer: bits >> 20 & 1 != 0,
            half: bits >> 21 & 1 != 0,
            lanes,
            bytes,
            edge,
            formatted: bits >> 22 & 1 != 0,
            detail_code: byte(48),
        })
    }

    /// 32-bit words of the elements of a surface access.
    #[must_use]
    pub const fn element_words(self) -> u32 {
        let words = if self.bytes == 8 { 2 } else { 1 };
        words * self.lanes as u32
    }

    /// Words of layer and coordinates.
    #[must_use]
    pub const fn coordinate_words(self) -> u32 {
        match self.what {
            What::Query | What::IsType => 0,
            _ => self.geometry.coordinates() + self.geometry.layered() as u32,
        }
    }

    /// Argument words.
    #[must_use]
    pub const fn arguments(self) -> u32 {
        let more = match self.what {
            What::Sample | What::Query => match self.detail {
                Detail::Base => 0,
                Detail::Level => 1,
                Detail::Gradient => 2 * self.geometry.coordinates(),
            },
            What::Store | What::Reduce => self.element_words(),
            What::Gather | What::Load | What::IsType => 0,
        };
        self.coordinate_words() + more
    }

    /// Result words.
    #[must_use]
    pub const fn results(self) -> u32 {
        match self.what {
            What::Sample | What::Gather => {
                if self.half {
                    2
                } else {
                    4
                }
            }
            What::Query | What::IsType => 1,
            What::Load => self.element_words(),
            What::Store | What::Reduce => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_fit_their_pool() {
        assert_eq!(core::mem::offset_of!(Header, level), 48);
        assert!(size_of::<Descriptor>() as u64 <= DESCRIPTOR_STRIDE);
    }

    #[test]
    fn instructions_survive_their_encoding() {
        let load = Instruction {
            detail: Detail::Gradient,
            integer: true,
            half: true,
            lanes: 4,
            bytes: 8,
            edge: Edge::Zero,
            formatted: true,
            detail_code: 14,
            ..Instruction::new(What::Load, Geometry::ACube)
        };
        assert_eq!(Instruction::decode(load.encode()), Some(load));
        assert_eq!(load.results(), 8);
        let grad = Instruction {
            detail: Detail::Gradient,
            ..Instruction::new(What::Sample, Geometry::A2)
        };
        assert_eq!((grad.arguments(), grad.results()), (7, 4));
        assert_eq!(Instruction::decode(7), None);
        assert_eq!(Instruction::decode(0), None, "no lanes");
    }
}
