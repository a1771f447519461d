//! Resources of graphics APIs: none can be registered here, so every handle is invalid (CUDA's 400).

use cuda_abi::driver::{
    CUarray, CUdeviceptr, CUgraphicsResource, CUmipmappedArray, CUresult, CUstream, Out,
};

use crate::core::{context, stream};
use crate::ffi::Write;

pub(crate) fn map(
    count: u32,
    resources: Out<CUgraphicsResource>,
    s: CUstream,
) -> Result<(), CUresult> {
    stream::resolve(s)?;
    if count == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    resources.required()?;
    Err(CUresult::INVALID_HANDLE)
}

fn none() -> Result<(), CUresult> {
    context::current()?;
    Err(CUresult::INVALID_HANDLE)
}

pub(crate) fn mapped_mipmapped_array(
    out: Out<CUmipmappedArray>,
    _resource: CUgraphicsResource,
) -> Result<(), CUresult> {
    out.required()?;
    none()
}

pub(crate) fn mapped_pointer(
    out: Out<CUdeviceptr>,
    _size: Out<usize>,
    _resource: CUgraphicsResource,
) -> Result<(), CUresult> {
    out.required()?;
    none()
}

pub(crate) fn mapped_array(
    out: Out<CUarray>,
    _resource: CUgraphicsResource,
    _index: u32,
    _level: u32,
) -> Result<(), CUresult> {
    out.required()?;
    none()
}

pub(crate) fn set_map_flags(_resource: CUgraphicsResource, flags: u32) -> Result<(), CUresult> {
    if flags > 2 {
        return Err(CUresult::INVALID_VALUE);
    }
    none()
}

pub(crate) fn unregister(_resource: CUgraphicsResource) -> Result<(), CUresult> {
    none()
}
