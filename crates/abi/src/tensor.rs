//! Tensor maps: what `cuTensorMapEncode*` writes into the 128 opaque bytes, and the unit that copies tensors reads.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// First word of a tensor map.
pub const MAGIC: u32 = u32::from_le_bytes(*b"TMA1");
/// Dimensions at most.
pub const RANK_MAX: usize = 5;

/// How boxes are taken ([`TensorMap::kind`]).
pub mod kind {
    /// A box of elements.
    pub const TILED: u8 = 0;
    /// Columns of an image.
    pub const IM2COL: u8 = 1;
    /// The same along the width only.
    pub const IM2COL_WIDE: u8 = 2;
}

/// A tensor in global memory, and the boxes that are copied of it. Dimension 0 is the innermost.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
#[repr(C)]
pub struct TensorMap {
    /// [`MAGIC`].
    pub magic: u32,
    /// One of [`kind`].
    pub kind: u8,
    /// `CUtensorMapDataType`.
    pub data_type: u8,
    /// Dimensions.
    pub rank: u8,
    /// `CUtensorMapInterleave`.
    pub interleave: u8,
    /// GPU address of the first element.
    pub address: u64,
    /// Bytes from one element to the next along dimension 1 and on.
    pub strides: [u64; 4],
    /// Elements along each dimension.
    pub size: [u32; RANK_MAX],
    /// Elements of a box along each dimension (tiled).
    pub box_size: [u16; RANK_MAX],
    /// Elements from one that is taken to the next one that is.
    pub element_strides: [u8; RANK_MAX],
    /// `CUtensorMapSwizzle`.
    pub swizzle: u8,
    /// `CUtensorMapFloatOOBfill`.
    pub fill: u8,
    /// `CUtensorMapL2promotion`.
    pub l2_promotion: u8,
    /// Lower corner of the box of pixels (im2col).
    pub lower: [i16; 3],
    /// Upper corner of the box of pixels (im2col).
    pub upper: [i16; 3],
    /// Channels of a pixel (im2col).
    pub channels: u16,
    /// Pixels of a column (im2col).
    pub pixels: u16,
    /// Zero.
    pub reserved0: u16,
    /// `CUtensorMapIm2ColWideMode`.
    pub wide_mode: u32,
    /// Zero.
    pub reserved: [u32; 4],
    /// Zero.
    pub reserved2: u32,
}

/// Bytes of an element of a `CUtensorMapDataType`; packed types count in bytes of 8.
#[must_use]
pub const fn element_bytes(data_type: u8) -> Option<u32> {
    Some(match data_type {
        0 => 1,
        1 | 6 | 9 => 2,
        2 | 3 | 7 | 10 | 11 | 12 => 4,
        4 | 5 | 8 => 8,
        // 16 elements of 4 bits in 8 bytes, in 16, and of 6 bits in 16: the unit is a byte of the packed form.
        13..=15 => 1,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_fills_its_opaque_bytes() {
        assert_eq!(size_of::<TensorMap>(), 128);
        assert_eq!(core::mem::offset_of!(TensorMap, address), 8);
    }
}
