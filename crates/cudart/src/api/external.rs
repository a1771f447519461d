//! Memory and semaphores of other APIs.

use super::array::driver_format;
use crate::context;
use crate::driver::cu;
use crate::driver::types::CUDA_ARRAY3D_DESCRIPTOR;
use crate::ffi::{In, Out};
use cuda_abi::runtime::{
    CudaError, cudaChannelFormatDesc, cudaExtent, cudaExternalMemory_t,
    cudaExternalMemoryBufferDesc, cudaExternalMemoryHandleDesc,
    cudaExternalMemoryMipmappedArrayDesc, cudaExternalSemaphore_t, cudaExternalSemaphoreHandleDesc,
    cudaMipmappedArray_t,
};
use std::ffi::c_void;

/// What both majors' handle descriptions begin with; the driver's has reserved words behind it.
#[derive(Clone, Copy)]
#[repr(C)]
struct Handle {
    kind: u32,
    handle: [u64; 2],
    size: u64,
    flags: u32,
}

/// `CUDA_EXTERNAL_MEMORY_HANDLE_DESC`.
#[repr(C)]
struct DriverHandle {
    handle: Handle,
    reserved: [u64; 8],
}

const _: () = assert!(size_of::<Handle>() == 40 && size_of::<DriverHandle>() == 104);

/// What both majors' buffer descriptions begin with.
#[derive(Clone, Copy)]
#[repr(C)]
struct Buffer {
    offset: u64,
    size: u64,
    flags: u32,
}

/// `CUDA_EXTERNAL_MEMORY_BUFFER_DESC`.
#[repr(C)]
struct DriverBuffer {
    buffer: Buffer,
    reserved: [u64; 8],
}

const _: () = assert!(size_of::<DriverBuffer>() == 88);

/// What both majors' array descriptions begin with.
#[derive(Clone, Copy)]
#[repr(C)]
struct Mipmap {
    offset: u64,
    format: cudaChannelFormatDesc,
    extent: cudaExtent,
    flags: u32,
    levels: u32,
}

/// `CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC`.
#[repr(C)]
struct DriverMipmap {
    offset: u64,
    array: CUDA_ARRAY3D_DESCRIPTOR,
    levels: u32,
    reserved: [u32; 17],
}

const _: () = assert!(size_of::<Mipmap>() == 64 && size_of::<DriverMipmap>() == 120);

/// What both majors' semaphore descriptions begin with.
#[derive(Clone, Copy)]
#[repr(C)]
struct Semaphore {
    kind: u32,
    handle: [u64; 2],
    flags: u32,
}

/// `CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC`.
#[repr(C)]
struct DriverSemaphore {
    semaphore: Semaphore,
    reserved: [u64; 8],
}

const _: () = assert!(size_of::<Semaphore>() == 32 && size_of::<DriverSemaphore>() == 96);

/// `cudaImportExternalMemory`.
pub(crate) fn import(
    out: Out<cudaExternalMemory_t>,
    descriptor: In<cudaExternalMemoryHandleDesc>,
) -> Result<(), CudaError> {
    out.required()?;
    let handle = descriptor.cast::<Handle>().get()?;
    context::ensure()?;
    let descriptor = DriverHandle {
        handle,
        reserved: [0; 8],
    };
    let mut memory = cudaExternalMemory_t::default();
    cu!(cuImportExternalMemory(
        &raw mut memory,
        (&raw const descriptor).cast()
    ))?;
    out.set(memory)
}

/// `cudaExternalMemoryGetMappedBuffer`.
pub(crate) fn mapped_buffer(
    out: Out<*mut c_void>,
    memory: cudaExternalMemory_t,
    descriptor: In<cudaExternalMemoryBufferDesc>,
) -> Result<(), CudaError> {
    out.required()?;
    let buffer = descriptor.cast::<Buffer>().get()?;
    context::ensure()?;
    let descriptor = DriverBuffer {
        buffer,
        reserved: [0; 8],
    };
    let mut address = 0;
    cu!(cuExternalMemoryGetMappedBuffer(
        &raw mut address,
        memory,
        (&raw const descriptor).cast()
    ))?;
    out.set(std::ptr::without_provenance_mut(crate::ffi::word(address)))
}

/// `cudaExternalMemoryGetMappedMipmappedArray`.
pub(crate) fn mapped_mipmapped_array(
    out: Out<cudaMipmappedArray_t>,
    memory: cudaExternalMemory_t,
    descriptor: In<cudaExternalMemoryMipmappedArrayDesc>,
) -> Result<(), CudaError> {
    out.required()?;
    let mipmap = descriptor.cast::<Mipmap>().get()?;
    context::ensure()?;
    let (format, channels) = driver_format(&mipmap.format)?;
    let descriptor = DriverMipmap {
        offset: mipmap.offset,
        array: CUDA_ARRAY3D_DESCRIPTOR {
            Width: mipmap.extent.width,
            Height: mipmap.extent.height,
            Depth: mipmap.extent.depth,
            Format: format,
            NumChannels: channels,
            Flags: mipmap.flags,
        },
        levels: mipmap.levels,
        reserved: [0; 17],
    };
    let mut array = cudaMipmappedArray_t::default();
    cu!(cuExternalMemoryGetMappedMipmappedArray(
        &raw mut array,
        memory,
        (&raw const descriptor).cast()
    ))?;
    out.set(array)
}

/// `cudaImportExternalSemaphore`.
pub(crate) fn import_semaphore(
    out: Out<cudaExternalSemaphore_t>,
    descriptor: In<cudaExternalSemaphoreHandleDesc>,
) -> Result<(), CudaError> {
    out.required()?;
    let semaphore = descriptor.cast::<Semaphore>().get()?;
    context::ensure()?;
    let descriptor = DriverSemaphore {
        semaphore,
        reserved: [0; 8],
    };
    let mut imported = cudaExternalSemaphore_t::default();
    cu!(cuImportExternalSemaphore(
        &raw mut imported,
        (&raw const descriptor).cast()
    ))?;
    out.set(imported)
}
