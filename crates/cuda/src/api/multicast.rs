//! Multicast objects: there are none (`MULTICAST_SUPPORTED` is 0), so making one is 801 and every handle is invalid.

use cuda_abi::driver::{
    CUdevice, CUdeviceptr, CUmemGenericAllocationHandle, CUmulticastGranularity_flags,
    CUmulticastObjectProp, CUresult, In, Out,
};

use crate::core::platform;
use crate::ffi::{Read, Write};

fn checked(prop: In<CUmulticastObjectProp>) -> Result<(), CUresult> {
    let prop = prop.get()?;
    if prop.numDevices == 0 || prop.size == 0 || prop.flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    Err(CUresult::NOT_SUPPORTED)
}

pub(crate) fn create(
    out: Out<CUmemGenericAllocationHandle>,
    prop: In<CUmulticastObjectProp>,
) -> Result<(), CUresult> {
    out.required()?;
    checked(prop)
}

pub(crate) fn granularity(
    out: Out<usize>,
    prop: In<CUmulticastObjectProp>,
    option: CUmulticastGranularity_flags,
) -> Result<(), CUresult> {
    out.required()?;
    if !(0..=1).contains(&option.0) {
        return Err(CUresult::INVALID_VALUE);
    }
    checked(prop)
}

pub(crate) fn add_device(
    _object: CUmemGenericAllocationHandle,
    dev: CUdevice,
) -> Result<(), CUresult> {
    platform::get()?.device(dev)?;
    Err(CUresult::INVALID_VALUE)
}

pub(crate) fn bind_memory(
    _object: CUmemGenericAllocationHandle,
    _offset: usize,
    _memory: CUmemGenericAllocationHandle,
    _memory_offset: usize,
    _bytes: usize,
    _flags: u64,
) -> Result<(), CUresult> {
    Err(CUresult::INVALID_VALUE)
}

pub(crate) fn bind_address(
    _object: CUmemGenericAllocationHandle,
    _offset: usize,
    _address: CUdeviceptr,
    _bytes: usize,
    _flags: u64,
) -> Result<(), CUresult> {
    Err(CUresult::INVALID_VALUE)
}

pub(crate) fn unbind(
    _object: CUmemGenericAllocationHandle,
    dev: CUdevice,
    _offset: usize,
    _bytes: usize,
) -> Result<(), CUresult> {
    platform::get()?.device(dev)?;
    Err(CUresult::INVALID_VALUE)
}
