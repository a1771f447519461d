//! Devices: choosing, asking, resetting.

use crate::driver::cu;
use crate::ffi::{In, Out};
use crate::layout::cudaDeviceProp;
use crate::{context, thread};
use cuda_abi::runtime::{CudaError, cudaMemPool_t};
use std::ffi::c_char;

/// `cudaDeviceMapHost`: always on in devices with unified addresses.
const MAP_HOST: u32 = 0x08;
/// `cudaDeviceMask`.
const FLAGS: u32 = 0xff;
/// `cudaDeviceScheduleMask`; the three ways of waiting exclude each other.
const SCHEDULE: u32 = 0x07;
/// `cudaInitDeviceFlagsAreValid`.
const FLAGS_ARE_VALID: u32 = 0x01;

/// `cudaGetDeviceCount`.
pub(crate) fn count(out: Out<i32>) -> Result<(), CudaError> {
    out.required()?;
    match context::count() {
        Ok(count) => out.set(count),
        Err(error) => {
            // Documented: with no device the count is 0 beside the error.
            if error == CudaError::NoDevice {
                out.set(0)?;
            }
            Err(error)
        }
    }
}

/// `cudaSetDevice`: since CUDA 12 it also makes the device's context.
pub(crate) fn set(device: i32) -> Result<(), CudaError> {
    context::make_current(device)?;
    thread::set_device(device);
    Ok(())
}

/// `cudaInitDevice`: makes the device's context, without choosing the device.
pub(crate) fn init(device: i32, device_flags: u32, flags: u32) -> Result<(), CudaError> {
    if flags & !FLAGS_ARE_VALID != 0 {
        return Err(CudaError::InvalidValue);
    }
    if flags & FLAGS_ARE_VALID != 0 {
        set_primary_flags(device, device_flags)?;
    }
    context::primary(device).map(|_| ())
}

fn set_primary_flags(device: i32, flags: u32) -> Result<(), CudaError> {
    if flags & !FLAGS != 0 || (flags & SCHEDULE).count_ones() > 1 {
        return Err(CudaError::InvalidValue);
    }
    cu!(cuDevicePrimaryCtxSetFlags_v2(
        context::handle(device)?,
        flags & !MAP_HOST
    ))
}

/// `cudaSetDeviceFlags`.
pub(crate) fn set_flags(flags: u32) -> Result<(), CudaError> {
    set_primary_flags(context::current_device()?, flags)
}

/// `cudaGetDeviceFlags`.
pub(crate) fn flags(out: Out<u32>) -> Result<(), CudaError> {
    let device = context::handle(context::current_device()?)?;
    let (mut flags, mut active) = (0, 0);
    cu!(cuDevicePrimaryCtxGetState(
        device,
        &raw mut flags,
        &raw mut active
    ))?;
    out.set(flags | MAP_HOST)
}

/// `cudaDeviceReset`.
pub(crate) fn reset() -> Result<(), CudaError> {
    context::reset(context::current_device()?)?;
    thread::forget_last_error();
    Ok(())
}

/// Highest attribute number of CUDA 13.0's `cudaDeviceAttr`. (libcuda answers 0 for higher ones: newer runtimes ask.)
const LAST_ATTRIBUTE: u32 = 147;

/// `cudaDeviceGetAttribute`.
pub(crate) fn attribute(out: Out<i32>, attribute: u32, device: i32) -> Result<(), CudaError> {
    out.required()?;
    if !(1..=LAST_ATTRIBUTE).contains(&attribute) {
        return Err(CudaError::InvalidValue);
    }
    out.set(context::attribute(attribute, device)?)
}

/// `cudaDeviceGetByPCIBusId`.
pub(crate) fn by_pci_bus_id(out: Out<i32>, bus_id: *const c_char) -> Result<(), CudaError> {
    out.required()?;
    if bus_id.is_null() {
        return Err(CudaError::InvalidValue);
    }
    let mut wanted = 0;
    cu!(cuDeviceGetByPCIBusId(&raw mut wanted, bus_id))?;
    for ordinal in 0..context::count()? {
        if context::handle(ordinal)? == wanted {
            return out.set(ordinal);
        }
    }
    Err(CudaError::InvalidDevice)
}

/// `cudaDeviceGetDefaultMemPool`.
pub(crate) fn default_pool(out: Out<cudaMemPool_t>, device: i32) -> Result<(), CudaError> {
    cu!(cuDeviceGetDefaultMemPool(
        out.required()?,
        context::handle(device)?
    ))
}

/// `cudaDeviceGetMemPool`.
pub(crate) fn pool(out: Out<cudaMemPool_t>, device: i32) -> Result<(), CudaError> {
    cu!(cuDeviceGetMemPool(
        out.required()?,
        context::handle(device)?
    ))
}

/// `cudaDeviceGetStreamPriorityRange`: each answer is optional.
pub(crate) fn priorities(least_out: Out<i32>, greatest_out: Out<i32>) -> Result<(), CudaError> {
    context::ensure()?;
    let (mut least, mut greatest) = (0, 0);
    cu!(cuCtxGetStreamPriorityRange(
        &raw mut least,
        &raw mut greatest
    ))?;
    least_out.set_if_wanted(least);
    greatest_out.set_if_wanted(greatest);
    Ok(())
}

/// `cudaGetDeviceProperties`.
pub(crate) fn properties(out: Out<cudaDeviceProp>, device: i32) -> Result<(), CudaError> {
    out.required()?;
    out.set(read_properties(device)?)
}

fn read_properties(ordinal: i32) -> Result<cudaDeviceProp, CudaError> {
    let device = context::handle(ordinal)?;
    let mut properties = cudaDeviceProp::default();
    let capacity = i32::try_from(properties.name.len()).map_err(|_| CudaError::Unknown)?;
    cu!(cuDeviceGetName(
        properties.name.as_mut_ptr().cast(),
        capacity,
        device
    ))?;
    cu!(cuDeviceGetUuid_v2(&raw mut properties.uuid, device))?;
    cu!(cuDeviceTotalMem_v2(
        &raw mut properties.totalGlobalMem,
        device
    ))?;
    // A LUID exists on Windows only; elsewhere the driver answers an error and zeros stay.
    let _ = read_luid(&mut properties, device);
    properties.fill(|attribute| {
        let mut value = 0;
        cu!(cuDeviceGetAttribute(&raw mut value, attribute, device))?;
        Ok(value)
    })?;
    Ok(properties)
}

fn read_luid(properties: &mut cudaDeviceProp, device: i32) -> Result<(), CudaError> {
    cu!(cuDeviceGetLuid(
        &raw mut properties.luid,
        &raw mut properties.luidDeviceNodeMask,
        device
    ))
}

/// `cudaChooseDevice`: the first device at least as capable as asked for, else the first.
pub(crate) fn choose(out: Out<i32>, wanted: In<cudaDeviceProp>) -> Result<(), CudaError> {
    out.required()?;
    let pointer = wanted.as_ptr();
    if pointer.is_null() {
        return Err(CudaError::InvalidValue);
    }
    // SAFETY: not null, and the C caller passes a properties struct.
    let (major, minor) = unsafe { ((*pointer).major, (*pointer).minor) };
    for ordinal in 0..context::count()? {
        let properties = read_properties(ordinal)?;
        if (properties.major, properties.minor) >= (major, minor) {
            return out.set(ordinal);
        }
    }
    out.set(0)
}

/// `cudaGetDeviceProperties` as programs of CUDA 11 call it: the structure of CUDA 12 begins with theirs.
#[cfg(not(feature = "major-13"))]
pub(crate) fn old_properties(out: *mut std::ffi::c_void, device: i32) -> Result<(), CudaError> {
    /// CUDA 11.8's `cudaDeviceProp` ends where 12 added members (driver_types.h).
    const OLD: usize = std::mem::offset_of!(cudaDeviceProp, hostRegisterSupported);
    if out.is_null() {
        return Err(CudaError::InvalidValue);
    }
    let properties = read_properties(device)?;
    const { assert!(OLD < size_of::<cudaDeviceProp>()) };
    // SAFETY: by the C contract the caller's structure is the old one; ours is longer.
    unsafe {
        out.cast::<u8>()
            .copy_from_nonoverlapping((&raw const properties).cast(), OLD);
    }
    Ok(())
}

/// `cudaSetValidDevices`: a thread that has chosen none gets the first of the list; an empty list changes nothing.
pub(crate) fn set_valid(list: Out<i32>, len: i32) -> Result<(), CudaError> {
    let len = usize::try_from(len).map_err(|_| CudaError::InvalidValue)?;
    if len == 0 {
        return Ok(());
    }
    let first = list.required()?;
    let mut devices = Vec::new();
    for index in 0..len {
        // SAFETY: by the C contract the list has `len` elements.
        let device = unsafe { first.add(index).read_unaligned() };
        context::handle(device)?;
        devices.push(device);
    }
    set(devices[0])
}

/// `cudaDeviceRegisterAsyncNotification`.
pub(crate) fn register_notification(
    device: i32,
    callback: cuda_abi::runtime::cudaAsyncCallback,
    data: *mut std::ffi::c_void,
    out: Out<cuda_abi::runtime::cudaAsyncCallbackHandle_t>,
) -> Result<(), CudaError> {
    let device = context::handle(device)?;
    cu!(cuDeviceRegisterAsyncNotification(
        device,
        callback,
        data,
        out.required()?
    ))
}

/// `cudaDeviceUnregisterAsyncNotification`.
pub(crate) fn unregister_notification(
    device: i32,
    callback: cuda_abi::runtime::cudaAsyncCallbackHandle_t,
) -> Result<(), CudaError> {
    let device = context::handle(device)?;
    cu!(cuDeviceUnregisterAsyncNotification(device, callback))
}
