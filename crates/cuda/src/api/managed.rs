//! Managed memory: prefetching, advice, and questions about it.

use std::ffi::c_void;

use cuda_abi::driver::{
    CUdevice, CUdeviceptr, CUmem_advise, CUmem_range_attribute, CUmemLocation, CUmemLocationType,
    CUresult, CUstream, Out,
};

use crate::core::managed::{self, Advice, Change, Location};
use crate::core::{platform, stream};
use crate::ffi::{Read, Write};

/// `CU_DEVICE_CPU` and `CU_DEVICE_INVALID`.
const DEVICE_CPU: CUdevice = -1;
const DEVICE_INVALID: CUdevice = -2;

fn of_device(dev: CUdevice) -> Result<Location, CUresult> {
    if dev == DEVICE_CPU {
        return Ok(Location::Host);
    }
    platform::get()?.device(dev)?;
    usize::try_from(dev)
        .map(Location::Device)
        .map_err(|_| CUresult::INVALID_DEVICE)
}

pub(super) fn of_location(location: CUmemLocation) -> Result<Location, CUresult> {
    use CUmemLocationType as T;
    match location.type_ {
        T::DEVICE => of_device(location.id),
        T::HOST | T::HOST_NUMA | T::HOST_NUMA_CURRENT => Ok(Location::Host),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// Moves in stream order.
pub(crate) fn prefetch_async(
    address: CUdeviceptr,
    count: usize,
    dev: CUdevice,
    s: CUstream,
) -> Result<(), CUresult> {
    let to = of_device(dev)?;
    prefetch(address, count, to, s)
}

pub(crate) fn prefetch_async_v2(
    address: CUdeviceptr,
    count: usize,
    location: CUmemLocation,
    flags: u32,
    s: CUstream,
) -> Result<(), CUresult> {
    if flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    prefetch(address, count, of_location(location)?, s)
}

fn prefetch(address: CUdeviceptr, count: usize, to: Location, s: CUstream) -> Result<(), CUresult> {
    managed::prefetch(&stream::resolve(s)?, address, count as u64, to)
}

pub(crate) fn advise(
    address: CUdeviceptr,
    count: usize,
    advice: CUmem_advise,
    dev: CUdevice,
) -> Result<(), CUresult> {
    advise_at(address, count, advice, || of_device(dev))
}

pub(crate) fn advise_v2(
    address: CUdeviceptr,
    count: usize,
    advice: CUmem_advise,
    location: CUmemLocation,
) -> Result<(), CUresult> {
    advise_at(address, count, advice, || of_location(location))
}

fn advise_at(
    address: CUdeviceptr,
    count: usize,
    advice: CUmem_advise,
    location: impl FnOnce() -> Result<Location, CUresult>,
) -> Result<(), CUresult> {
    use CUmem_advise as A;
    let change = match advice {
        A::SET_READ_MOSTLY => Change::ReadMostly(true),
        A::UNSET_READ_MOSTLY => Change::ReadMostly(false),
        A::SET_PREFERRED_LOCATION => Change::Preferred(Some(location()?)),
        A::UNSET_PREFERRED_LOCATION => Change::Preferred(None),
        A::SET_ACCESSED_BY => Change::AccessedBy(location()?),
        A::UNSET_ACCESSED_BY => Change::NotAccessedBy(location()?),
        _ => return Err(CUresult::INVALID_VALUE),
    };
    managed::advise(address, count as u64, change)
}

fn number(location: Option<Location>) -> i32 {
    match location {
        None => DEVICE_INVALID,
        Some(Location::Host) => DEVICE_CPU,
        Some(Location::Device(ordinal)) => i32::try_from(ordinal).unwrap_or(i32::MAX),
    }
}

fn kind(location: Option<Location>) -> CUmemLocationType {
    match location {
        None => CUmemLocationType::INVALID,
        Some(Location::Host) => CUmemLocationType::HOST,
        Some(Location::Device(_)) => CUmemLocationType::DEVICE,
    }
}

fn id(location: Option<Location>) -> i32 {
    match location {
        Some(Location::Device(ordinal)) => i32::try_from(ordinal).unwrap_or(i32::MAX),
        None | Some(Location::Host) => 0,
    }
}

fn store(
    data: Out<c_void>,
    bytes: usize,
    attribute: CUmem_range_attribute,
    advice: &Advice,
) -> Result<(), CUresult> {
    use CUmem_range_attribute as A;
    let word = Out::<i32>::new(data.required()?.addr());
    if attribute == A::ACCESSED_BY {
        if bytes == 0 || !bytes.is_multiple_of(4) {
            return Err(CUresult::INVALID_VALUE);
        }
        for index in 0..bytes / 4 {
            word.set_at(index, number(advice.accessed_by.get(index).copied()));
        }
        return Ok(());
    }
    if bytes != 4 {
        return Err(CUresult::INVALID_VALUE);
    }
    word.set(match attribute {
        A::READ_MOSTLY => i32::from(advice.read_mostly),
        A::PREFERRED_LOCATION => number(advice.preferred),
        A::LAST_PREFETCH_LOCATION => number(advice.last_prefetch),
        A::PREFERRED_LOCATION_TYPE => kind(advice.preferred).0,
        A::PREFERRED_LOCATION_ID => id(advice.preferred),
        A::LAST_PREFETCH_LOCATION_TYPE => kind(advice.last_prefetch).0,
        A::LAST_PREFETCH_LOCATION_ID => id(advice.last_prefetch),
        _ => return Err(CUresult::INVALID_VALUE),
    })
}

pub(crate) fn range_get_attribute(
    data: Out<c_void>,
    bytes: usize,
    attribute: CUmem_range_attribute,
    address: CUdeviceptr,
    count: usize,
) -> Result<(), CUresult> {
    store(
        data,
        bytes,
        attribute,
        &managed::advice(address, count as u64)?,
    )
}

pub(crate) fn range_get_attributes(
    data: Out<Out<c_void>>,
    sizes: Out<usize>,
    attributes: Out<CUmem_range_attribute>,
    attribute_count: usize,
    address: CUdeviceptr,
    count: usize,
) -> Result<(), CUresult> {
    let advice = managed::advice(address, count as u64)?;
    for index in 0..attribute_count {
        store(
            data.at(index)?,
            sizes.at(index)?,
            attributes.at(index)?,
            &advice,
        )?;
    }
    Ok(())
}

/// Managed memory of this GPU can be accessed by host and device at any time (`CONCURRENT_MANAGED_ACCESS`): attaching it
/// changes nothing. All of an allocation is attached, and to a single stream only by that stream's own handle.
pub(crate) fn attach_async(
    s: CUstream,
    address: CUdeviceptr,
    length: usize,
    flags: u32,
) -> Result<(), CUresult> {
    /// `CU_MEM_ATTACH_GLOBAL`, `_HOST`, `_SINGLE`.
    const GLOBAL: u32 = 1;
    const HOST: u32 = 2;
    const SINGLE: u32 = 4;
    let target = stream::resolve(s)?;
    if !matches!(flags, GLOBAL | HOST | SINGLE) {
        return Err(CUresult::INVALID_VALUE);
    }
    if flags == SINGLE && target.stream.is_legacy() {
        return Err(CUresult::INVALID_VALUE);
    }
    let whole = platform::get()?.memory.find(address).is_some_and(|a| {
        let all = length == 0 || address == a.va && length as u64 == a.bytes;
        a.kind == crate::core::memory::Kind::Managed && all
    });
    if whole {
        Ok(())
    } else {
        Err(CUresult::INVALID_VALUE)
    }
}
