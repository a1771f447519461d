//! Allocation.

use crate::context;
use crate::driver::cu;
use crate::ffi::{Out, word};
use cuda_abi::runtime::{CudaError, cudaExtent, cudaPitchedPtr, cudaStream_t};
use std::ffi::c_void;

/// A device address as the pointer a C caller gets.
fn pointer(address: u64) -> *mut c_void {
    std::ptr::without_provenance_mut(word(address))
}

/// `cudaMalloc`; no bytes give a null pointer.
pub(crate) fn alloc(out: Out<*mut c_void>, bytes: usize) -> Result<(), CudaError> {
    out.required()?;
    context::ensure()?;
    let mut address = 0;
    if bytes > 0 {
        cu!(cuMemAlloc_v2(&raw mut address, bytes))?;
    }
    out.set(pointer(address))
}

/// `cudaMallocAsync`.
pub(crate) fn alloc_async(
    out: Out<*mut c_void>,
    bytes: usize,
    stream: cudaStream_t,
) -> Result<(), CudaError> {
    out.required()?;
    context::ensure()?;
    let mut address = 0;
    if bytes > 0 {
        cu!(cuMemAllocAsync(&raw mut address, bytes, stream))?;
    }
    out.set(pointer(address))
}

/// `cudaMallocManaged`.
pub(crate) fn alloc_managed(
    out: Out<*mut c_void>,
    bytes: usize,
    flags: u32,
) -> Result<(), CudaError> {
    out.required()?;
    context::ensure()?;
    let mut address = 0;
    cu!(cuMemAllocManaged(&raw mut address, bytes, flags))?;
    out.set(pointer(address))
}

/// The element size that lets the driver choose a pitch good for every access.
const PITCH_ELEMENT: u32 = 4;

/// `cudaMallocPitch`.
pub(crate) fn alloc_pitch(
    out: Out<*mut c_void>,
    pitch_out: Out<usize>,
    width: usize,
    height: usize,
) -> Result<(), CudaError> {
    out.required()?;
    pitch_out.required()?;
    let (address, pitch) = pitched(width, height)?;
    out.set(pointer(address))?;
    pitch_out.set(pitch)
}

fn pitched(width: usize, height: usize) -> Result<(u64, usize), CudaError> {
    context::ensure()?;
    let (mut address, mut pitch) = (0, 0);
    if width > 0 && height > 0 {
        cu!(cuMemAllocPitch_v2(
            &raw mut address,
            &raw mut pitch,
            width,
            height,
            PITCH_ELEMENT
        ))?;
    }
    Ok((address, pitch))
}

/// `cudaMalloc3D`: the slices of a volume lie one after the other.
pub(crate) fn alloc_3d(out: Out<cudaPitchedPtr>, extent: cudaExtent) -> Result<(), CudaError> {
    out.required()?;
    let rows = extent
        .height
        .checked_mul(extent.depth)
        .ok_or(CudaError::MemoryAllocation)?;
    let (address, pitch) = pitched(extent.width, rows)?;
    out.set(cudaPitchedPtr {
        ptr: pointer(address),
        pitch,
        xsize: extent.width,
        ysize: extent.height,
    })
}

/// `cudaFree`; a null pointer is no error, and makes the context.
pub(crate) fn free(address: *mut c_void) -> Result<(), CudaError> {
    context::ensure()?;
    if address.is_null() {
        return Ok(());
    }
    cu!(cuMemFree_v2(address.addr() as u64))
}

/// `cudaMallocHost` and `cudaHostAlloc`.
pub(crate) fn host_alloc(out: Out<*mut c_void>, bytes: usize, flags: u32) -> Result<(), CudaError> {
    out.required()?;
    context::ensure()?;
    let mut address = std::ptr::null_mut();
    if bytes > 0 {
        cu!(cuMemHostAlloc(&raw mut address, bytes, flags))?;
    }
    out.set(address)
}

/// `cudaFreeHost`; a null pointer is no error.
pub(crate) fn free_host(address: *mut c_void) -> Result<(), CudaError> {
    context::ensure()?;
    if address.is_null() {
        return Ok(());
    }
    cu!(cuMemFreeHost(address))
}

/// `cudaHostGetDevicePointer`.
pub(crate) fn host_device_pointer(
    out: Out<*mut c_void>,
    host: *mut c_void,
    flags: u32,
) -> Result<(), CudaError> {
    out.required()?;
    context::ensure()?;
    let mut address = 0;
    cu!(cuMemHostGetDevicePointer_v2(&raw mut address, host, flags))?;
    out.set(pointer(address))
}

/// `cudaCpuDeviceId`.
#[cfg(not(feature = "major-13"))]
const CPU: i32 = -1;

/// The location behind a device number of CUDA 12's calls, which may mean the host.
#[cfg(not(feature = "major-13"))]
pub(crate) fn location_of(device: i32) -> cuda_abi::runtime::cudaMemLocation {
    if device == CPU {
        cuda_abi::runtime::cudaMemLocation { kind: 2, id: 0 }
    } else {
        cuda_abi::runtime::cudaMemLocation {
            kind: 1,
            id: device,
        }
    }
}
