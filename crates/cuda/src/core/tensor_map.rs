//! Encoding of tensor maps (CUDA Driver API 13.0, "Tensor Map Object Management"): all of it checks and packing.

use abi::tensor::{self, RANK_MAX, TensorMap};
use cuda_abi::driver::{
    CUresult, CUtensorMapDataType, CUtensorMapFloatOOBfill, CUtensorMapIm2ColWideMode,
    CUtensorMapInterleave, CUtensorMapL2promotion, CUtensorMapSwizzle,
};

/// What all forms say.
#[derive(Clone, Debug)]
pub(crate) struct Tensor {
    /// Type of elements.
    pub data_type: CUtensorMapDataType,
    /// Address.
    pub address: u64,
    /// Elements along each dimension, as many as there are.
    pub size: Vec<u64>,
    /// Bytes along dimension 1 and on.
    pub strides: Vec<u64>,
    /// Steps along each dimension.
    pub element_strides: Vec<u32>,
    /// Interleaving.
    pub interleave: CUtensorMapInterleave,
    /// Swizzling in shared memory.
    pub swizzle: CUtensorMapSwizzle,
    /// Promotion.
    pub l2_promotion: CUtensorMapL2promotion,
    /// Fill.
    pub fill: CUtensorMapFloatOOBfill,
}

const BAD: CUresult = CUresult::INVALID_VALUE;

fn byte(value: i32, most: i32) -> Result<u8, CUresult> {
    u8::try_from(value)
        .ok()
        .filter(|v| i32::from(*v) <= most)
        .ok_or(BAD)
}

impl Tensor {
    /// The checks and the packing that all forms share.
    fn encode(&self, kind: u8) -> Result<TensorMap, CUresult> {
        use CUtensorMapDataType as T;
        let rank = self.size.len();
        let data_type = byte(self.data_type.0, T::_16U6_ALIGN16B.0)?;
        let interleave = byte(self.interleave.0, 2)?;
        let swizzle = byte(self.swizzle.0, 6)?;
        let l2_promotion = byte(self.l2_promotion.0, 3)?;
        let fill = byte(self.fill.0, 1)?;
        let is_float = matches!(data_type, 6..=12);
        let aligned = if interleave == 2 || data_type >= 14 {
            32
        } else {
            16
        };
        if !(1..=RANK_MAX).contains(&rank)
            || interleave != 0 && rank < 3
            || self.address == 0
            || !self.address.is_multiple_of(aligned)
            || fill == 1 && !is_float
            || interleave == 2 && swizzle != 1
        {
            return Err(BAD);
        }
        let mut map = TensorMap {
            magic: tensor::MAGIC,
            kind,
            data_type,
            rank: u8::try_from(rank).map_err(|_| BAD)?,
            interleave,
            address: self.address,
            swizzle,
            fill,
            l2_promotion,
            ..TensorMap::default()
        };
        for (to, n) in map.size.iter_mut().zip(&self.size) {
            // The largest is 2^32, which is kept as 2^32 - 1 elements and never reached.
            if *n == 0 || *n > 1 << 32 {
                return Err(BAD);
            }
            *to = u32::try_from(*n).unwrap_or(u32::MAX);
        }
        for (to, stride) in map.strides.iter_mut().zip(&self.strides) {
            if *stride == 0 || *stride >= 1 << 40 || !stride.is_multiple_of(aligned) {
                return Err(BAD);
            }
            *to = *stride;
        }
        for (to, step) in map.element_strides.iter_mut().zip(&self.element_strides) {
            if !(1..=8).contains(step) {
                return Err(BAD);
            }
            *to = u8::try_from(*step).map_err(|_| BAD)?;
        }
        Ok(map)
    }

    /// Bytes that a line of a box may have in shared memory by swizzling.
    fn line_limit(&self) -> u64 {
        match self.swizzle.0 {
            1 => 32,
            2 => 64,
            3..=6 => 128,
            _ => u64::MAX,
        }
    }

    fn element(&self) -> Result<u64, CUresult> {
        let number = u8::try_from(self.data_type.0).map_err(|_| BAD)?;
        tensor::element_bytes(number).map(u64::from).ok_or(BAD)
    }

    /// A tiled map.
    ///
    /// # Errors
    /// 1 for what the documentation excludes.
    pub(crate) fn tiled(&self, boxes: &[u32]) -> Result<TensorMap, CUresult> {
        let mut map = self.encode(tensor::kind::TILED)?;
        for (to, n) in map.box_size.iter_mut().zip(boxes) {
            if !(1..=256).contains(n) {
                return Err(BAD);
            }
            *to = u16::try_from(*n).map_err(|_| BAD)?;
        }
        let line = u64::from(boxes.first().copied().unwrap_or_default()) * self.element()?;
        if self.interleave == CUtensorMapInterleave::NONE
            && (!line.is_multiple_of(16) || line > self.line_limit())
        {
            return Err(BAD);
        }
        Ok(map)
    }

    fn columns(&self, kind: u8, channels: u32, pixels: u32) -> Result<TensorMap, CUresult> {
        if self.size.len() < 3 || channels == 0 || channels > 256 || pixels == 0 || pixels > 1024 {
            return Err(BAD);
        }
        let line = u64::from(channels) * self.element()?;
        if self.interleave == CUtensorMapInterleave::NONE && line > self.line_limit() {
            return Err(BAD);
        }
        let mut map = self.encode(kind)?;
        map.channels = u16::try_from(channels).map_err(|_| BAD)?;
        map.pixels = u16::try_from(pixels).map_err(|_| BAD)?;
        Ok(map)
    }

    /// An im2col map; corners have two dimensions less than the tensor.
    pub(crate) fn im2col(
        &self,
        lower: &[i32],
        upper: &[i32],
        channels: u32,
        pixels: u32,
    ) -> Result<TensorMap, CUresult> {
        let mut map = self.columns(tensor::kind::IM2COL, channels, pixels)?;
        // 16 bits for one dimension, 8 for two, 5 for three.
        let bits = match self.size.len() {
            3 => 15,
            4 => 7,
            _ => 4,
        };
        let fits = |v: &i32| (-(1 << bits)..1 << bits).contains(v);
        if !lower.iter().chain(upper).all(fits) {
            return Err(BAD);
        }
        let short = |v: i32| i16::try_from(v).map_err(|_| BAD);
        for ((low, high), (l, u)) in
            (map.lower.iter_mut().zip(&mut map.upper)).zip(lower.iter().zip(upper))
        {
            (*low, *high) = (short(*l)?, short(*u)?);
        }
        Ok(map)
    }

    /// An im2col map along the width.
    pub(crate) fn im2col_wide(
        &self,
        corners: (i32, i32),
        channels: u32,
        pixels: u32,
        mode: CUtensorMapIm2ColWideMode,
    ) -> Result<TensorMap, CUresult> {
        let mut map = self.columns(tensor::kind::IM2COL_WIDE, channels, pixels)?;
        map.wide_mode = u32::from(byte(mode.0, 1)?);
        map.lower[0] = i16::try_from(corners.0).map_err(|_| BAD)?;
        map.upper[0] = i16::try_from(corners.1).map_err(|_| BAD)?;
        Ok(map)
    }
}

/// The same map of a tensor at another address.
///
/// # Errors
/// 1 for what is no map, or an address that is not aligned as the map needs.
pub(crate) fn moved(map: &TensorMap, address: u64) -> Result<TensorMap, CUresult> {
    let aligned = if map.interleave == 2 || map.data_type >= 14 {
        32
    } else {
        16
    };
    if map.magic != tensor::MAGIC || address == 0 || !address.is_multiple_of(aligned) {
        return Err(BAD);
    }
    Ok(TensorMap { address, ..*map })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix() -> Tensor {
        Tensor {
            data_type: CUtensorMapDataType::FLOAT32,
            address: 0x1000,
            size: vec![64, 32],
            strides: vec![256],
            element_strides: vec![1, 1],
            interleave: CUtensorMapInterleave::NONE,
            swizzle: CUtensorMapSwizzle::NONE,
            l2_promotion: CUtensorMapL2promotion::NONE,
            fill: CUtensorMapFloatOOBfill::NONE,
        }
    }

    #[test]
    fn tiled_maps_keep_what_was_said() {
        let map = matrix().tiled(&[8, 4]).expect("good");
        assert_eq!((map.rank, map.size[..2].to_vec()), (2, vec![64, 32]));
        assert_eq!(
            (map.strides[0], map.box_size[..2].to_vec()),
            (256, vec![8, 4])
        );
        let elsewhere = moved(&map, 0x2000).expect("aligned");
        assert_eq!(elsewhere.address, 0x2000);
        assert!(moved(&map, 0x2008).is_err());
        assert!(moved(&TensorMap::default(), 0x2000).is_err());
    }

    #[test]
    fn the_documented_limits_hold() {
        assert!(matrix().tiled(&[257, 1]).is_err(), "box");
        assert!(matrix().tiled(&[3, 4]).is_err(), "line of 12 bytes");
        let of = |change: fn(&mut Tensor)| {
            let mut t = matrix();
            change(&mut t);
            t.tiled(&[8, 4])
        };
        assert!(of(|t| t.address = 0x1008).is_err());
        assert!(of(|t| t.strides[0] = 24).is_err());
        assert!(of(|t| t.strides[0] = 1 << 40).is_err());
        assert!(of(|t| t.element_strides[1] = 9).is_err());
        assert!(of(|t| t.size[0] = 0).is_err());
        assert!(of(|t| t.data_type = CUtensorMapDataType(99)).is_err());
        assert!(of(|t| t.swizzle = CUtensorMapSwizzle::_32B).is_ok());
        assert!(
            of(|t| {
                t.swizzle = CUtensorMapSwizzle::_32B;
                t.data_type = CUtensorMapDataType::FLOAT64;
            })
            .is_err(),
            "64 bytes do not fit 32"
        );
        assert!(matrix().im2col(&[0], &[0], 8, 8).is_err(), "rank");
    }

    #[test]
    fn columns_have_corners() {
        let image = Tensor {
            size: vec![16, 8, 8, 2],
            strides: vec![64, 512, 4096],
            element_strides: vec![1; 4],
            ..matrix()
        };
        let map = image.im2col(&[-1, -2], &[1, 2], 16, 32).expect("good");
        assert_eq!((map.lower[..2].to_vec(), map.upper[1]), (vec![-1, -2], 2));
        assert!(image.im2col(&[-129, 0], &[0, 0], 16, 32).is_err());
    }
}
