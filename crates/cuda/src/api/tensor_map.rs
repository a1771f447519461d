//! Tensor maps.

use std::ffi::c_void;

use abi::tensor::TensorMap;
use cuda_abi::driver::{
    CUresult, CUtensorMap, CUtensorMapDataType, CUtensorMapFloatOOBfill, CUtensorMapIm2ColWideMode,
    CUtensorMapInterleave, CUtensorMapL2promotion, CUtensorMapSwizzle, In, Out,
};
use zerocopy::{FromBytes, IntoBytes};

use crate::core::tensor_map::{Tensor, moved};
use crate::ffi::{Read, Write};

/// Maps are opaque, and aligned to 64 bytes.
fn place(map: Out<CUtensorMap>) -> Result<Out<CUtensorMap>, CUresult> {
    let map = map.required()?;
    if map.addr().is_multiple_of(64) {
        Ok(map)
    } else {
        Err(CUresult::INVALID_VALUE)
    }
}

fn store(out: Out<CUtensorMap>, map: &TensorMap) -> Result<(), CUresult> {
    let mut opaque = [0; 16];
    opaque.as_mut_bytes().copy_from_slice(map.as_bytes());
    out.set(CUtensorMap { opaque })
}

/// A rank that there can be, for reading arrays of it.
fn checked(rank: u32) -> Result<usize, CUresult> {
    if (1..=5).contains(&rank) {
        Ok(rank as usize)
    } else {
        Err(CUresult::INVALID_VALUE)
    }
}

#[expect(clippy::too_many_arguments, reason = "the C function's")]
fn tensor(
    data_type: CUtensorMapDataType,
    rank: u32,
    address: Out<c_void>,
    size: In<u64>,
    strides: In<u64>,
    element_strides: In<u32>,
    interleave: CUtensorMapInterleave,
    swizzle: CUtensorMapSwizzle,
    l2_promotion: CUtensorMapL2promotion,
    fill: CUtensorMapFloatOOBfill,
) -> Result<Tensor, CUresult> {
    let rank = checked(rank)?;
    Ok(Tensor {
        data_type,
        address: address.addr() as u64,
        size: size.get_all(rank)?,
        strides: strides.get_all(rank - 1)?,
        element_strides: element_strides.get_all(rank)?,
        interleave,
        swizzle,
        l2_promotion,
        fill,
    })
}

#[expect(clippy::too_many_arguments, reason = "the C function's")]
pub(crate) fn tiled(
    out: Out<CUtensorMap>,
    data_type: CUtensorMapDataType,
    rank: u32,
    address: Out<c_void>,
    size: In<u64>,
    strides: In<u64>,
    boxes: In<u32>,
    element_strides: In<u32>,
    interleave: CUtensorMapInterleave,
    swizzle: CUtensorMapSwizzle,
    l2_promotion: CUtensorMapL2promotion,
    fill: CUtensorMapFloatOOBfill,
) -> Result<(), CUresult> {
    let out = place(out)?;
    let tensor = tensor(
        data_type,
        rank,
        address,
        size,
        strides,
        element_strides,
        interleave,
        swizzle,
        l2_promotion,
        fill,
    )?;
    let boxes = boxes.get_all(checked(rank)?)?;
    store(out, &tensor.tiled(&boxes)?)
}

#[expect(clippy::too_many_arguments, reason = "the C function's")]
pub(crate) fn im2col(
    out: Out<CUtensorMap>,
    data_type: CUtensorMapDataType,
    rank: u32,
    address: Out<c_void>,
    size: In<u64>,
    strides: In<u64>,
    lower: In<i32>,
    upper: In<i32>,
    channels: u32,
    pixels: u32,
    element_strides: In<u32>,
    interleave: CUtensorMapInterleave,
    swizzle: CUtensorMapSwizzle,
    l2_promotion: CUtensorMapL2promotion,
    fill: CUtensorMapFloatOOBfill,
) -> Result<(), CUresult> {
    let out = place(out)?;
    let tensor = tensor(
        data_type,
        rank,
        address,
        size,
        strides,
        element_strides,
        interleave,
        swizzle,
        l2_promotion,
        fill,
    )?;
    let corners = checked(rank)?.saturating_sub(2);
    let (lower, upper) = (lower.get_all(corners)?, upper.get_all(corners)?);
    store(out, &tensor.im2col(&lower, &upper, channels, pixels)?)
}

#[expect(clippy::too_many_arguments, reason = "the C function's")]
pub(crate) fn im2col_wide(
    out: Out<CUtensorMap>,
    data_type: CUtensorMapDataType,
    rank: u32,
    address: Out<c_void>,
    size: In<u64>,
    strides: In<u64>,
    lower: i32,
    upper: i32,
    channels: u32,
    pixels: u32,
    element_strides: In<u32>,
    interleave: CUtensorMapInterleave,
    mode: CUtensorMapIm2ColWideMode,
    swizzle: CUtensorMapSwizzle,
    l2_promotion: CUtensorMapL2promotion,
    fill: CUtensorMapFloatOOBfill,
) -> Result<(), CUresult> {
    let out = place(out)?;
    let tensor = tensor(
        data_type,
        rank,
        address,
        size,
        strides,
        element_strides,
        interleave,
        swizzle,
        l2_promotion,
        fill,
    )?;
    store(
        out,
        &tensor.im2col_wide((lower, upper), channels, pixels, mode)?,
    )
}

pub(crate) fn replace_address(map: Out<CUtensorMap>, address: Out<c_void>) -> Result<(), CUresult> {
    let map = place(map)?;
    let opaque = map.get()?.opaque;
    let old = TensorMap::read_from_bytes(opaque.as_bytes()).map_err(|_| CUresult::INVALID_VALUE)?;
    store(map, &moved(&old, address.addr() as u64)?)
}
