//! Virtual memory management.

use std::ffi::c_void;

use cuda_abi::driver::{
    CUdeviceptr, CUmemAccess_flags, CUmemAccessDesc, CUmemAllocationGranularity_flags,
    CUmemAllocationHandleType, CUmemAllocationProp, CUmemGenericAllocationHandle, CUmemLocation,
    CUmemLocationType, CUmemRangeHandleType, CUresult, In, Out,
};

use super::mempool::ordinal;
use crate::core::{platform, vmm};
use crate::ffi::{Read, Write};

fn handle_of(handle: CUmemGenericAllocationHandle) -> Result<usize, CUresult> {
    usize::try_from(handle).map_err(|_| CUresult::INVALID_VALUE)
}

pub(crate) fn granularity(
    out: Out<usize>,
    prop: In<CUmemAllocationProp>,
    option: CUmemAllocationGranularity_flags,
) -> Result<(), CUresult> {
    use CUmemAllocationGranularity_flags as G;
    let out = out.required()?;
    vmm::checked(&prop.get()?)?;
    if ![G::MINIMUM, G::RECOMMENDED].contains(&option) {
        return Err(CUresult::INVALID_VALUE);
    }
    out.set(usize::try_from(vmm::GRANULARITY).unwrap_or(usize::MAX))
}

pub(crate) fn reserve(
    out: Out<CUdeviceptr>,
    bytes: usize,
    align: usize,
    _wish: CUdeviceptr,
    flags: u64,
) -> Result<(), CUresult> {
    let out = out.required()?;
    if flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    out.set(vmm::reserve(bytes as u64, align as u64)?)
}

pub(crate) fn free(va: CUdeviceptr, bytes: usize) -> Result<(), CUresult> {
    vmm::free(va, bytes as u64)
}

pub(crate) fn create(
    out: Out<CUmemGenericAllocationHandle>,
    bytes: usize,
    prop: In<CUmemAllocationProp>,
    flags: u64,
) -> Result<(), CUresult> {
    let out = out.required()?;
    if flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    out.set(vmm::create(bytes as u64, &prop.get()?)? as u64)
}

pub(crate) fn release(handle: CUmemGenericAllocationHandle) -> Result<(), CUresult> {
    vmm::release(handle_of(handle)?)
}

pub(crate) fn retain(
    out: Out<CUmemGenericAllocationHandle>,
    address: Out<c_void>,
) -> Result<(), CUresult> {
    let out = out.required()?;
    out.set(vmm::retain_at(address.addr() as u64)? as u64)
}

pub(crate) fn get_properties(
    out: Out<CUmemAllocationProp>,
    handle: CUmemGenericAllocationHandle,
) -> Result<(), CUresult> {
    out.required()?.set(vmm::properties(handle_of(handle)?)?)
}

pub(crate) fn map(
    va: CUdeviceptr,
    bytes: usize,
    offset: usize,
    handle: CUmemGenericAllocationHandle,
    flags: u64,
) -> Result<(), CUresult> {
    if flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    vmm::map(va, bytes as u64, offset as u64, handle_of(handle)?)
}

pub(crate) fn unmap(va: CUdeviceptr, bytes: usize) -> Result<(), CUresult> {
    vmm::unmap(va, bytes as u64)
}

pub(crate) fn set_access(
    va: CUdeviceptr,
    bytes: usize,
    descriptors: In<CUmemAccessDesc>,
    count: usize,
) -> Result<(), CUresult> {
    use CUmemAccess_flags as F;
    if count == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let mut wanted = Vec::new();
    for d in descriptors.get_all(count)? {
        if d.location.type_ != CUmemLocationType::DEVICE {
            return Err(CUresult::NOT_SUPPORTED);
        }
        if ![F::NONE, F::READ, F::READWRITE].contains(&d.flags) {
            return Err(CUresult::INVALID_VALUE);
        }
        wanted.push((ordinal(d.location.id)?, d.flags));
    }
    vmm::set_access(va, bytes as u64, &wanted)
}

pub(crate) fn get_access(
    out: Out<u64>,
    location: In<CUmemLocation>,
    va: CUdeviceptr,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let location = location.get()?;
    if location.type_ != CUmemLocationType::DEVICE {
        return Err(CUresult::INVALID_VALUE);
    }
    let flags = vmm::access(ordinal(location.id)?, va)?;
    out.set(u64::from(flags.0.unsigned_abs()))
}

/// Files are the only kind of handle here.
pub(super) fn posix(kind: CUmemAllocationHandleType, flags: u64) -> Result<(), CUresult> {
    use CUmemAllocationHandleType as K;
    match kind {
        K::POSIX_FILE_DESCRIPTOR if flags == 0 => Ok(()),
        K::WIN32 | K::WIN32_KMT | K::FABRIC => Err(CUresult::NOT_SUPPORTED),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

pub(crate) fn export(
    out: Out<c_void>,
    handle: CUmemGenericAllocationHandle,
    kind: CUmemAllocationHandleType,
    flags: u64,
) -> Result<(), CUresult> {
    let out = Out::<i32>::new(out.required()?.addr());
    posix(kind, flags)?;
    out.set(vmm::export_file(handle_of(handle)?)?)
}

/// The file's number is in the pointer's own bits.
pub(crate) fn import(
    out: Out<CUmemGenericAllocationHandle>,
    file: Out<c_void>,
    kind: CUmemAllocationHandleType,
) -> Result<(), CUresult> {
    let out = out.required()?;
    posix(kind, 0)?;
    let fd = i32::try_from(file.addr()).map_err(|_| CUresult::INVALID_VALUE)?;
    out.set(vmm::import_file(fd)? as u64)
}

/// DMA buffers there are none (`DMA_BUF_SUPPORTED` is 0).
pub(crate) fn range_handle(
    out: Out<c_void>,
    va: CUdeviceptr,
    bytes: usize,
    kind: CUmemRangeHandleType,
    _flags: u64,
) -> Result<(), CUresult> {
    out.required()?;
    let known = platform::get()?.memory.find(va);
    if kind != CUmemRangeHandleType::DMA_BUF_FD || known.is_none() || bytes == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    Err(CUresult::NOT_SUPPORTED)
}
