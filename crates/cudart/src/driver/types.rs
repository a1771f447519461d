//! Structs of the Driver API that the runtime fills.
//!
//! Source: `cuda.h` of CUDA 13.0.
#![expect(
    non_camel_case_types,
    non_snake_case,
    reason = "the names are those of the C headers"
)]

use cuda_abi::runtime::{
    cudaArray_t, cudaFunction_t, cudaHostFn_t, cudaIpcEventHandle_t, cudaIpcMemHandle_t,
    cudaKernel_t, cudaLaunchAttribute, cudaMemLocation, cudaMemsetParams, cudaStream_t,
};
use std::ffi::c_void;

/// A context handle; 0 is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(transparent)]
pub(crate) struct CUcontext(pub usize);

/// An address in the unified address space.
pub(crate) type CUdeviceptr = u64;
pub(crate) type CUmemLocation = cudaMemLocation;
pub(crate) type CUipcMemHandle = cudaIpcMemHandle_t;
pub(crate) type CUipcEventHandle = cudaIpcEventHandle_t;
pub(crate) type CUDA_MEMSET_NODE_PARAMS = cudaMemsetParams;

/// `CUmemorytype`.
pub(crate) const MEMORY_HOST: u32 = 1;
/// `CUmemorytype`.
pub(crate) const MEMORY_DEVICE: u32 = 2;
/// `CUmemorytype`.
pub(crate) const MEMORY_ARRAY: u32 = 3;
/// `CUmemorytype`: the driver looks at the address.
pub(crate) const MEMORY_UNIFIED: u32 = 4;

#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct CUlaunchConfig {
    pub gridDimX: u32,
    pub gridDimY: u32,
    pub gridDimZ: u32,
    pub blockDimX: u32,
    pub blockDimY: u32,
    pub blockDimZ: u32,
    pub sharedMemBytes: u32,
    pub hStream: cudaStream_t,
    pub attrs: *mut cudaLaunchAttribute,
    pub numAttrs: u32,
}

/// One side of a 2-D copy.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Side2D {
    pub xInBytes: usize,
    pub y: usize,
    pub memoryType: u32,
    pub host: usize,
    pub device: CUdeviceptr,
    pub array: cudaArray_t,
    pub pitch: usize,
}

#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct CUDA_MEMCPY2D {
    pub src: Side2D,
    pub dst: Side2D,
    pub WidthInBytes: usize,
    pub Height: usize,
}

/// One side of a 3-D copy. `context` is reserved in copies within one context.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Side3D {
    pub xInBytes: usize,
    pub y: usize,
    pub z: usize,
    pub lod: usize,
    pub memoryType: u32,
    pub host: usize,
    pub device: CUdeviceptr,
    pub array: cudaArray_t,
    pub context: CUcontext,
    pub pitch: usize,
    pub height: usize,
}

#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct CUDA_MEMCPY3D {
    pub src: Side3D,
    pub dst: Side3D,
    pub WidthInBytes: usize,
    pub Height: usize,
    pub Depth: usize,
}

/// The same layout; the reserved words are the contexts.
pub(crate) type CUDA_MEMCPY3D_PEER = CUDA_MEMCPY3D;

#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct CUDA_ARRAY3D_DESCRIPTOR {
    pub Width: usize,
    pub Height: usize,
    pub Depth: usize,
    pub Format: u32,
    pub NumChannels: u32,
    pub Flags: u32,
}

/// The union is laid out as its widest named member, the pitched 2-D resource.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct CUDA_RESOURCE_DESC {
    pub resType: u32,
    pub address: u64,
    pub format: u32,
    pub numChannels: u32,
    pub widthOrBytes: usize,
    pub height: usize,
    pub pitchInBytes: usize,
    pub reserved: [u64; 11],
    pub flags: u32,
}

#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct CUDA_TEXTURE_DESC {
    pub addressMode: [u32; 3],
    pub filterMode: u32,
    pub flags: u32,
    pub maxAnisotropy: u32,
    pub mipmapFilterMode: u32,
    pub mipmapLevelBias: f32,
    pub minMipmapLevelClamp: f32,
    pub maxMipmapLevelClamp: f32,
    pub borderColor: [f32; 4],
    pub reserved: [i32; 12],
}

#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct CUDA_RESOURCE_VIEW_DESC {
    pub format: u32,
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub firstMipmapLevel: u32,
    pub lastMipmapLevel: u32,
    pub firstLayer: u32,
    pub lastLayer: u32,
    pub reserved: [u32; 16],
}

#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct CUDA_KERNEL_NODE_PARAMS {
    pub func: cudaFunction_t,
    pub gridDimX: u32,
    pub gridDimY: u32,
    pub gridDimZ: u32,
    pub blockDimX: u32,
    pub blockDimY: u32,
    pub blockDimZ: u32,
    pub sharedMemBytes: u32,
    pub kernelParams: *mut *mut c_void,
    pub extra: *mut *mut c_void,
    pub kern: cudaKernel_t,
    pub ctx: CUcontext,
}

#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct CUDA_HOST_NODE_PARAMS {
    pub function: cudaHostFn_t,
    pub userData: *mut c_void,
}

const _: () = {
    assert!(size_of::<CUlaunchConfig>() == 56);
    assert!(size_of::<CUDA_MEMCPY2D>() == 128);
    assert!(size_of::<CUDA_MEMCPY3D>() == 200);
    assert!(size_of::<CUDA_ARRAY3D_DESCRIPTOR>() == 40);
    assert!(size_of::<CUDA_RESOURCE_DESC>() == 144);
    assert!(size_of::<CUDA_TEXTURE_DESC>() == 104);
    assert!(size_of::<CUDA_RESOURCE_VIEW_DESC>() == 112);
    assert!(size_of::<CUDA_KERNEL_NODE_PARAMS>() == 72);
};
