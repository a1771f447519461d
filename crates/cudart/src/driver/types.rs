//! Structs of the Driver API that the runtime fills, held against [`cuda_abi::driver`].
//!
//! Source: `cuda.h` of CUDA 13.0.
#![expect(
    non_camel_case_types,
    non_snake_case,
    reason = "the names are those of the C headers"
)]

pub(crate) use cuda_abi::driver::CUcontext;

use cuda_abi::runtime::{
    cudaArray_t, cudaFunction_t, cudaHostFn_t, cudaIpcEventHandle_t, cudaIpcMemHandle_t,
    cudaKernel_t, cudaLaunchAttribute, cudaMemLocation, cudaMemsetParams, cudaStream_t,
};
use std::ffi::c_void;

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

/// The driver's own declaration of each struct has the same size, and the fields lie where they do there. (The structs here
/// take the runtime's handles and numbers, and fold what a struct has twice into a struct of one side.)
const _: () = {
    use cuda_abi::driver as abi;
    use std::mem::offset_of;
    macro_rules! same {
        ($ours:ty, $theirs:ty $(, $field:ident $(. $inner:ident)? = $name:ident)*) => {
            assert!(size_of::<$ours>() == size_of::<$theirs>());
            $(assert!(offset_of!($ours, $field $(. $inner)?) == offset_of!($theirs, $name));)*
        };
    }
    same!(
        CUlaunchConfig,
        abi::CUlaunchConfig,
        hStream = hStream,
        attrs = attrs,
        numAttrs = numAttrs
    );
    same!(
        CUDA_MEMCPY2D,
        abi::CUDA_MEMCPY2D_v2,
        src.y = srcY,
        src.memoryType = srcMemoryType,
        src.host = srcHost,
        src.device = srcDevice,
        src.array = srcArray,
        src.pitch = srcPitch,
        dst.xInBytes = dstXInBytes,
        dst.memoryType = dstMemoryType,
        dst.host = dstHost,
        dst.pitch = dstPitch,
        WidthInBytes = WidthInBytes,
        Height = Height
    );
    same!(
        CUDA_MEMCPY3D,
        abi::CUDA_MEMCPY3D_PEER_v1,
        src.z = srcZ,
        src.lod = srcLOD,
        src.memoryType = srcMemoryType,
        src.host = srcHost,
        src.array = srcArray,
        src.context = srcContext,
        src.pitch = srcPitch,
        src.height = srcHeight,
        dst.xInBytes = dstXInBytes,
        dst.context = dstContext,
        dst.height = dstHeight,
        WidthInBytes = WidthInBytes,
        Depth = Depth
    );
    same!(
        CUDA_MEMCPY3D,
        abi::CUDA_MEMCPY3D_v2,
        src.context = reserved0,
        dst.context = reserved1
    );
    same!(
        CUDA_ARRAY3D_DESCRIPTOR,
        abi::CUDA_ARRAY3D_DESCRIPTOR_v2,
        Depth = Depth,
        Format = Format,
        NumChannels = NumChannels,
        Flags = Flags
    );
    same!(
        CUDA_RESOURCE_DESC,
        abi::CUDA_RESOURCE_DESC_v1,
        address = res,
        flags = flags
    );
    same!(
        CUDA_TEXTURE_DESC,
        abi::CUDA_TEXTURE_DESC_v1,
        filterMode = filterMode,
        flags = flags,
        maxAnisotropy = maxAnisotropy,
        mipmapFilterMode = mipmapFilterMode,
        mipmapLevelBias = mipmapLevelBias,
        borderColor = borderColor,
        reserved = reserved
    );
    same!(
        CUDA_RESOURCE_VIEW_DESC,
        abi::CUDA_RESOURCE_VIEW_DESC_v1,
        width = width,
        depth = depth,
        firstMipmapLevel = firstMipmapLevel,
        lastLayer = lastLayer,
        reserved = reserved
    );
    same!(
        CUDA_KERNEL_NODE_PARAMS,
        abi::CUDA_KERNEL_NODE_PARAMS_v2,
        func = func,
        gridDimX = gridDimX,
        sharedMemBytes = sharedMemBytes,
        kernelParams = kernelParams,
        extra = extra,
        kern = kern,
        ctx = ctx
    );
    same!(
        CUDA_HOST_NODE_PARAMS,
        abi::CUDA_HOST_NODE_PARAMS_v1,
        userData = userData
    );
};
