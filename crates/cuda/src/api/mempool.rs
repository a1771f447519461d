//! Memory pools and stream-ordered allocation.

use std::ffi::c_void;
use std::sync::Arc;

use cuda_abi::driver::{
    CUdevice, CUdeviceptr, CUmemAccess_flags, CUmemAccessDesc, CUmemAllocationHandleType,
    CUmemAllocationType, CUmemLocation, CUmemLocationType, CUmemPool_attribute, CUmemPoolProps,
    CUmemPoolPtrExportData, CUmemoryPool, CUresult, CUstream, In, Out,
};

use crate::core::graph::op::Op;
use crate::core::graph::{self, capture};
use crate::core::pool::{self, POOLS, Pool};
use crate::core::vmm::{Export, export};
use crate::core::{ipc, platform, stream};
use crate::ffi::{Read, Write};

pub(crate) fn ordinal(dev: CUdevice) -> Result<usize, CUresult> {
    platform::get()?.device(dev)?;
    usize::try_from(dev).map_err(|_| CUresult::INVALID_DEVICE)
}

pub(crate) fn device_default(out: Out<CUmemoryPool>, dev: CUdevice) -> Result<(), CUresult> {
    out.required()?
        .set(CUmemoryPool(pool::default_of(ordinal(dev)?)?))
}

pub(crate) fn device_get(out: Out<CUmemoryPool>, dev: CUdevice) -> Result<(), CUresult> {
    out.required()?
        .set(CUmemoryPool(pool::current_of(ordinal(dev)?)?))
}

pub(crate) fn device_set(dev: CUdevice, pool: CUmemoryPool) -> Result<(), CUresult> {
    pool::set_current(ordinal(dev)?, pool.0)
}

/// The device of a location; pools on the host there are none.
fn located(location: Out<CUmemLocation>, kind: CUmemAllocationType) -> Result<usize, CUresult> {
    let location = location.get()?;
    if kind != CUmemAllocationType::PINNED {
        return Err(CUresult::NOT_SUPPORTED);
    }
    match location.type_ {
        CUmemLocationType::DEVICE => ordinal(location.id),
        _ => Err(CUresult::NOT_SUPPORTED),
    }
}

pub(crate) fn get_default(
    out: Out<CUmemoryPool>,
    location: Out<CUmemLocation>,
    kind: CUmemAllocationType,
) -> Result<(), CUresult> {
    out.required()?
        .set(CUmemoryPool(pool::default_of(located(location, kind)?)?))
}

pub(crate) fn get(
    out: Out<CUmemoryPool>,
    location: Out<CUmemLocation>,
    kind: CUmemAllocationType,
) -> Result<(), CUresult> {
    out.required()?
        .set(CUmemoryPool(pool::current_of(located(location, kind)?)?))
}

pub(crate) fn set(
    location: Out<CUmemLocation>,
    kind: CUmemAllocationType,
    pool: CUmemoryPool,
) -> Result<(), CUresult> {
    pool::set_current(located(location, kind)?, pool.0)
}

/// Pools of device memory; files are the only kind of handle.
pub(crate) fn create(out: Out<CUmemoryPool>, props: In<CUmemPoolProps>) -> Result<(), CUresult> {
    let out = out.required()?;
    let props = props.get()?;
    if props.allocType != CUmemAllocationType::PINNED {
        return Err(CUresult::INVALID_VALUE);
    }
    let types = props.handleTypes.0;
    if types & !CUmemAllocationHandleType::POSIX_FILE_DESCRIPTOR.0 != 0
        || props.location.type_ != CUmemLocationType::DEVICE
    {
        return Err(CUresult::NOT_SUPPORTED);
    }
    let pool = pool::create_with(
        ordinal(props.location.id)?,
        false,
        types,
        false,
        props.maxSize as u64,
    )?;
    out.set(CUmemoryPool(pool.handle))
}

pub(crate) fn export_file(
    out: Out<c_void>,
    pool: CUmemoryPool,
    kind: CUmemAllocationHandleType,
    flags: u64,
) -> Result<(), CUresult> {
    let out = Out::<i32>::new(out.required()?.addr());
    let pool = POOLS.get(pool.0)?;
    super::vmm::posix(kind, flags)?;
    if pool.handle_types & kind.0 == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let platform = platform::get()?;
    let export = Export {
        client: platform.client.root().0,
        object: 0,
        bytes: 0,
        uuid: platform.devices[pool.ordinal].uuid,
        what: export::POOL,
    };
    out.set(export.to_file()?)
}

/// The file's number is in the pointer's own bits.
pub(crate) fn import(
    out: Out<CUmemoryPool>,
    file: Out<c_void>,
    kind: CUmemAllocationHandleType,
    flags: u64,
) -> Result<(), CUresult> {
    let out = out.required()?;
    super::vmm::posix(kind, flags)?;
    let fd = i32::try_from(file.addr()).map_err(|_| CUresult::INVALID_VALUE)?;
    let export = Export::of_file(fd)?;
    if export.what != export::POOL {
        return Err(CUresult::INVALID_VALUE);
    }
    let ordinal = export.ordinal(platform::get()?)?;
    out.set(CUmemoryPool(
        pool::create_with(ordinal, false, 0, true, 0)?.handle,
    ))
}

pub(crate) fn export_pointer(
    out: Out<CUmemPoolPtrExportData>,
    address: CUdeviceptr,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let known = platform::get()?.memory.find(address);
    let pool = POOLS.get(known.ok_or(CUresult::INVALID_VALUE)?.pool)?;
    if pool.handle_types == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    out.set(CUmemPoolPtrExportData {
        reserved: ipc::pool_pointer(address)?,
    })
}

pub(crate) fn import_pointer(
    out: Out<CUdeviceptr>,
    pool: CUmemoryPool,
    data: Out<CUmemPoolPtrExportData>,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let pool = POOLS.get(pool.0)?;
    if !pool.imported {
        return Err(CUresult::INVALID_VALUE);
    }
    let data = data.get()?;
    out.set(ipc::open_pool_pointer(
        pool.handle,
        pool.ordinal,
        &data.reserved,
    )?)
}

pub(crate) fn destroy(pool: CUmemoryPool) -> Result<(), CUresult> {
    pool::destroy(pool.0)
}

pub(crate) fn trim_to(pool: CUmemoryPool, keep: usize) -> Result<(), CUresult> {
    POOLS.get(pool.0)?.trim(keep as u64);
    Ok(())
}

/// The first three attributes are `int`, the others `cuuint64_t`.
fn is_int(attribute: CUmemPool_attribute) -> bool {
    (1..=3).contains(&attribute.0)
}

pub(crate) fn get_attribute(
    pool: CUmemoryPool,
    attribute: CUmemPool_attribute,
    value: Out<c_void>,
) -> Result<(), CUresult> {
    let value = value.required()?;
    let found = POOLS
        .get(pool.0)?
        .attribute(attribute)
        .ok_or(CUresult::INVALID_VALUE)?;
    if is_int(attribute) {
        Out::<u32>::new(value.addr()).set(u32::try_from(found).unwrap_or(u32::MAX))
    } else {
        Out::<u64>::new(value.addr()).set(found)
    }
}

pub(crate) fn set_attribute(
    pool: CUmemoryPool,
    attribute: CUmemPool_attribute,
    value: Out<c_void>,
) -> Result<(), CUresult> {
    let pool: Arc<Pool> = POOLS.get(pool.0)?;
    let number = if is_int(attribute) {
        u64::from(Out::<u32>::new(value.addr()).get()?)
    } else {
        Out::<u64>::new(value.addr()).get()?
    };
    pool.set_attribute(attribute, number)
}

/// A device always reaches its own pool; others when asked for.
pub(crate) fn set_access(
    pool: CUmemoryPool,
    map: In<CUmemAccessDesc>,
    count: usize,
) -> Result<(), CUresult> {
    let pool = POOLS.get(pool.0)?;
    for wanted in map.get_all(count)? {
        if wanted.location.type_ != CUmemLocationType::DEVICE {
            return Err(CUresult::NOT_SUPPORTED);
        }
        let device = ordinal(wanted.location.id)?;
        match wanted.flags {
            CUmemAccess_flags::READWRITE if device == pool.ordinal => {}
            CUmemAccess_flags::READWRITE => pool.set_access(device, true)?,
            CUmemAccess_flags::NONE if device != pool.ordinal => pool.set_access(device, false)?,
            _ => return Err(CUresult::INVALID_VALUE),
        }
    }
    Ok(())
}

pub(crate) fn get_access(
    flags: Out<CUmemAccess_flags>,
    pool: CUmemoryPool,
    location: Out<CUmemLocation>,
) -> Result<(), CUresult> {
    let flags = flags.required()?;
    let pool = POOLS.get(pool.0)?;
    let location = location.get()?;
    let allowed =
        location.type_ == CUmemLocationType::DEVICE && pool.reaches(ordinal(location.id)?);
    flags.set(if allowed {
        CUmemAccess_flags::READWRITE
    } else {
        CUmemAccess_flags::NONE
    })
}

pub(crate) fn alloc_async(
    out: Out<CUdeviceptr>,
    bytes: usize,
    s: CUstream,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let target = stream::resolve(s)?;
    if let Some(address) = captured(&target, bytes)? {
        return out.set(address);
    }
    let pool = POOLS.get(pool::current_of(target.live.space.ordinal)?)?;
    out.set(pool::allocate(&target, &pool, bytes as u64)?)
}

pub(crate) fn alloc_from_pool_async(
    out: Out<CUdeviceptr>,
    bytes: usize,
    pool: CUmemoryPool,
    s: CUstream,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let target = stream::resolve(s)?;
    if let Some(address) = captured(&target, bytes)? {
        return out.set(address);
    }
    out.set(pool::allocate(&target, &POOLS.get(pool.0)?, bytes as u64)?)
}

/// In a capturing stream an allocation is a node; its address.
fn captured(target: &stream::Target, bytes: usize) -> Result<Option<CUdeviceptr>, CUresult> {
    let mut address = None;
    capture::add(target, || {
        let block = graph::memory::Block::create(&target.live, bytes as u64)?;
        address = Some(block.allocation.va);
        Ok(Op::Alloc(block))
    })?;
    Ok(address)
}

/// Null is nothing.
pub(crate) fn free_async(dptr: CUdeviceptr, s: CUstream) -> Result<(), CUresult> {
    let target = stream::resolve(s)?;
    if dptr == 0 || capture::add(&target, || Ok(Op::Free(dptr)))? {
        Ok(())
    } else if graph::memory::is_ours(dptr) {
        graph::memory::end(dptr, target.stream.point())
    } else {
        pool::free(&target, dptr)
    }
}
