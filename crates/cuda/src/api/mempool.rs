//! Memory pools and stream-ordered allocation.

use std::ffi::c_void;
use std::sync::Arc;

use cuda_abi::driver::{
    CUdevice, CUdeviceptr, CUmemAccess_flags, CUmemAccessDesc, CUmemAllocationHandleType,
    CUmemAllocationType, CUmemLocation, CUmemLocationType, CUmemPool_attribute, CUmemPoolProps,
    CUmemoryPool, CUresult, CUstream, In, Out,
};

use crate::core::graph::op::Op;
use crate::core::graph::{self, capture};
use crate::core::pool::{self, POOLS, Pool};
use crate::core::{platform, stream};
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

/// Pools to share with other processes there are none.
pub(crate) fn create(out: Out<CUmemoryPool>, props: In<CUmemPoolProps>) -> Result<(), CUresult> {
    let out = out.required()?;
    let props = props.get()?;
    if props.allocType != CUmemAllocationType::PINNED {
        return Err(CUresult::INVALID_VALUE);
    }
    if props.handleTypes != CUmemAllocationHandleType::NONE
        || props.location.type_ != CUmemLocationType::DEVICE
    {
        return Err(CUresult::NOT_SUPPORTED);
    }
    out.set(CUmemoryPool(
        pool::create(ordinal(props.location.id)?, false)?.handle,
    ))
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

/// A device reaches its own pool; other devices are reached by copies.
pub(crate) fn set_access(
    pool: CUmemoryPool,
    map: In<CUmemAccessDesc>,
    count: usize,
) -> Result<(), CUresult> {
    let pool = POOLS.get(pool.0)?;
    for wanted in map.get_all(count)? {
        let own = wanted.location.type_ == CUmemLocationType::DEVICE
            && ordinal(wanted.location.id)? == pool.ordinal;
        match wanted.flags {
            CUmemAccess_flags::READWRITE if own => {}
            CUmemAccess_flags::NONE if !own => {}
            CUmemAccess_flags::NONE | CUmemAccess_flags::READ => {
                return Err(CUresult::INVALID_VALUE);
            }
            _ => return Err(CUresult::PEER_ACCESS_UNSUPPORTED),
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
    let own = location.type_ == CUmemLocationType::DEVICE && ordinal(location.id)? == pool.ordinal;
    flags.set(if own {
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
        graph::memory::end(dptr)
    } else {
        pool::free(&target, dptr)
    }
}
