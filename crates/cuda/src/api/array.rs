//! Arrays and mipmapped arrays.

use cuda_abi::driver::{
    CUDA_ARRAY_DESCRIPTOR, CUDA_ARRAY_MEMORY_REQUIREMENTS, CUDA_ARRAY_SPARSE_PROPERTIES,
    CUDA_ARRAY3D_DESCRIPTOR, CUarray, CUarrayMapInfo, CUdevice, CUmipmappedArray, CUresult,
    CUstream, In, Out,
};

use crate::core::array::{self, ARRAYS, MIPMAPS, Shape};
use crate::core::{platform, stream};
use crate::ffi::{Read, Write};

pub(crate) fn create(
    out: Out<CUarray>,
    descriptor: In<CUDA_ARRAY_DESCRIPTOR>,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let d = descriptor.get()?;
    let shape = Shape {
        width: d.Width as u64,
        height: d.Height as u64,
        depth: 0,
        format: d.Format,
        channels: d.NumChannels,
        flags: 0,
    };
    out.set(CUarray(array::create(shape)?))
}

pub(super) fn shape_of(d: &CUDA_ARRAY3D_DESCRIPTOR) -> Shape {
    Shape {
        width: d.Width as u64,
        height: d.Height as u64,
        depth: d.Depth as u64,
        format: d.Format,
        channels: d.NumChannels,
        flags: d.Flags,
    }
}

pub(crate) fn create_3d(
    out: Out<CUarray>,
    descriptor: In<CUDA_ARRAY3D_DESCRIPTOR>,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let d = descriptor.get()?;
    out.set(CUarray(array::create(shape_of(&d))?))
}

pub(crate) fn destroy(array: CUarray) -> Result<(), CUresult> {
    array::destroy(array.0)
}

pub(crate) fn get_descriptor(
    out: Out<CUDA_ARRAY_DESCRIPTOR>,
    array: CUarray,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let s = ARRAYS.get(array.0)?.shape;
    out.set(CUDA_ARRAY_DESCRIPTOR {
        Width: usize::try_from(s.width).unwrap_or(usize::MAX),
        Height: usize::try_from(s.height).unwrap_or(usize::MAX),
        Format: s.format,
        NumChannels: s.channels,
    })
}

pub(crate) fn get_descriptor_3d(
    out: Out<CUDA_ARRAY3D_DESCRIPTOR>,
    array: CUarray,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let s = ARRAYS.get(array.0)?.shape;
    out.set(CUDA_ARRAY3D_DESCRIPTOR {
        Width: usize::try_from(s.width).unwrap_or(usize::MAX),
        Height: usize::try_from(s.height).unwrap_or(usize::MAX),
        Depth: usize::try_from(s.depth).unwrap_or(usize::MAX),
        Format: s.format,
        NumChannels: s.channels,
        Flags: s.flags,
    })
}

fn requirements(bytes: u64) -> CUDA_ARRAY_MEMORY_REQUIREMENTS {
    CUDA_ARRAY_MEMORY_REQUIREMENTS {
        size: usize::try_from(bytes).unwrap_or(usize::MAX),
        alignment: 512,
        reserved: [0; 4],
    }
}

pub(crate) fn get_memory_requirements(
    out: Out<CUDA_ARRAY_MEMORY_REQUIREMENTS>,
    array: CUarray,
    dev: CUdevice,
) -> Result<(), CUresult> {
    let out = out.required()?;
    platform::get()?.device(dev)?;
    let s = ARRAYS.get(array.0)?.shape;
    out.set(requirements(s.bytes()?))
}

/// Only planar formats have planes, and there are none here.
pub(crate) fn get_plane(out: Out<CUarray>, array: CUarray, _plane: u32) -> Result<(), CUresult> {
    out.required()?;
    ARRAYS.get(array.0)?;
    Err(CUresult::INVALID_VALUE)
}

/// 1 for an array that is not sparse, as all are here.
pub(crate) fn get_sparse_properties(
    out: Out<CUDA_ARRAY_SPARSE_PROPERTIES>,
    array: CUarray,
) -> Result<(), CUresult> {
    out.required()?;
    ARRAYS.get(array.0)?;
    Err(CUresult::INVALID_VALUE)
}

pub(crate) fn create_mipmapped(
    out: Out<CUmipmappedArray>,
    descriptor: In<CUDA_ARRAY3D_DESCRIPTOR>,
    levels: u32,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let d = descriptor.get()?;
    out.set(CUmipmappedArray(array::create_mipmapped(
        shape_of(&d),
        levels,
    )?))
}

pub(crate) fn destroy_mipmapped(mipmap: CUmipmappedArray) -> Result<(), CUresult> {
    array::destroy_mipmapped(mipmap.0)
}

pub(crate) fn get_level(
    out: Out<CUarray>,
    mipmap: CUmipmappedArray,
    level: u32,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let mipmap = MIPMAPS.get(mipmap.0)?;
    let level = mipmap.levels.get(level as usize);
    out.set(CUarray(*level.ok_or(CUresult::INVALID_VALUE)?))
}

pub(crate) fn get_mipmapped_memory_requirements(
    out: Out<CUDA_ARRAY_MEMORY_REQUIREMENTS>,
    mipmap: CUmipmappedArray,
    dev: CUdevice,
) -> Result<(), CUresult> {
    let out = out.required()?;
    platform::get()?.device(dev)?;
    let mipmap = MIPMAPS.get(mipmap.0)?;
    let mut bytes = 0;
    for level in &mipmap.levels {
        bytes += ARRAYS.get(*level)?.shape.bytes()?.next_multiple_of(512);
    }
    out.set(requirements(bytes))
}

/// As [`get_sparse_properties`].
pub(crate) fn get_mipmapped_sparse_properties(
    out: Out<CUDA_ARRAY_SPARSE_PROPERTIES>,
    mipmap: CUmipmappedArray,
) -> Result<(), CUresult> {
    out.required()?;
    MIPMAPS.get(mipmap.0)?;
    Err(CUresult::INVALID_VALUE)
}

/// Memory is mapped to sparse arrays only, of which there are none: nothing to do for an empty list, 1 otherwise.
pub(crate) fn map_async(
    list: Out<CUarrayMapInfo>,
    count: u32,
    s: CUstream,
) -> Result<(), CUresult> {
    stream::resolve(s)?;
    if count == 0 {
        return Ok(());
    }
    list.required()?;
    Err(CUresult::INVALID_VALUE)
}
