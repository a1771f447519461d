//! Arrays.

use cuda_abi::driver::{
    CUDA_ARRAY_DESCRIPTOR, CUDA_ARRAY_MEMORY_REQUIREMENTS, CUDA_ARRAY3D_DESCRIPTOR, CUarray,
    CUdevice, CUresult, In, Out,
};

use crate::core::array::{self, ARRAYS, Shape};
use crate::core::platform;
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

pub(crate) fn create_3d(
    out: Out<CUarray>,
    descriptor: In<CUDA_ARRAY3D_DESCRIPTOR>,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let d = descriptor.get()?;
    let shape = Shape {
        width: d.Width as u64,
        height: d.Height as u64,
        depth: d.Depth as u64,
        format: d.Format,
        channels: d.NumChannels,
        flags: d.Flags,
    };
    out.set(CUarray(array::create(shape)?))
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

pub(crate) fn get_memory_requirements(
    out: Out<CUDA_ARRAY_MEMORY_REQUIREMENTS>,
    array: CUarray,
    dev: CUdevice,
) -> Result<(), CUresult> {
    let out = out.required()?;
    platform::get()?.device(dev)?;
    let s = ARRAYS.get(array.0)?.shape;
    let bytes = s.pitch()?.slice * s.depth.max(1);
    out.set(CUDA_ARRAY_MEMORY_REQUIREMENTS {
        size: usize::try_from(bytes).unwrap_or(usize::MAX),
        alignment: 512,
        reserved: [0; 4],
    })
}
