//! Handles and structs of the Runtime API, in C layout and C spelling.
#![expect(
    non_camel_case_types,
    non_snake_case,
    reason = "the names are those of the C headers"
)]
#![expect(
    missing_docs,
    reason = "fields carry the names and meanings of the C headers"
)]

use core::ffi::{c_char, c_void};

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
            #[repr(transparent)]
            pub struct $name(pub usize);

            impl core::fmt::Debug for $name {
                fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                    write!(f, "{:#x}", self.0)
                }
            }
        )*
    };
}

handles! {
    /// A stream; 0 is the default stream, 1 the legacy one, 2 the calling thread's.
    cudaStream_t;
    cudaEvent_t;
    cudaArray_t;
    cudaMipmappedArray_t;
    cudaGraph_t;
    cudaGraphNode_t;
    cudaGraphExec_t;
    cudaKernel_t;
    cudaFunction_t;
    cudaLibrary_t;
    cudaMemPool_t;
    cudaUserObject_t;
    cudaExternalMemory_t;
    cudaExternalSemaphore_t;
    cudaGraphicsResource_t;
    cudaAsyncCallbackHandle_t;
    cudaLogsCallbackHandle;
}

pub type cudaArray_const_t = cudaArray_t;
pub type cudaMipmappedArray_const_t = cudaMipmappedArray_t;
pub type cudaTextureObject_t = u64;
pub type cudaSurfaceObject_t = u64;
pub type cudaGraphConditionalHandle = u64;
pub type cudaLaunchAttributeID = u32;
pub type cudaLogIterator = u32;
/// `cudaError_t`: 0 or a [`super::CudaError`] code.
pub type cudaError_t = i32;

pub type cudaHostFn_t = Option<unsafe extern "C" fn(userData: *mut c_void)>;
pub type cudaStreamCallback_t =
    Option<unsafe extern "C" fn(stream: cudaStream_t, status: cudaError_t, userData: *mut c_void)>;
pub type cudaAsyncCallback = Option<
    unsafe extern "C" fn(
        info: *mut c_void,
        userData: *mut c_void,
        callback: cudaAsyncCallbackHandle_t,
    ),
>;
pub type cudaLogsCallback_t = Option<
    unsafe extern "C" fn(data: *mut c_void, level: u32, message: *mut c_char, length: usize),
>;

/// The default stream.
pub const STREAM_DEFAULT: cudaStream_t = cudaStream_t(0);
/// `cudaStreamLegacy`.
pub const STREAM_LEGACY: cudaStream_t = cudaStream_t(1);
/// `cudaStreamPerThread`.
pub const STREAM_PER_THREAD: cudaStream_t = cudaStream_t(2);

/// `cudaMemcpyKind`.
pub const MEMCPY_HOST_TO_HOST: u32 = 0;
/// `cudaMemcpyKind`.
pub const MEMCPY_HOST_TO_DEVICE: u32 = 1;
/// `cudaMemcpyKind`.
pub const MEMCPY_DEVICE_TO_HOST: u32 = 2;
/// `cudaMemcpyKind`.
pub const MEMCPY_DEVICE_TO_DEVICE: u32 = 3;
/// `cudaMemcpyKind`: the direction is taken from the pointers.
pub const MEMCPY_DEFAULT: u32 = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(C)]
pub struct dim3 {
    pub x: u32,
    pub y: u32,
    pub z: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(C)]
pub struct cudaExtent {
    pub width: usize,
    pub height: usize,
    pub depth: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(C)]
pub struct cudaPos {
    pub x: usize,
    pub y: usize,
    pub z: usize,
}

#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct cudaPitchedPtr {
    pub ptr: *mut c_void,
    pub pitch: usize,
    pub xsize: usize,
    pub ysize: usize,
}

#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct cudaMemcpy3DParms {
    pub srcArray: cudaArray_t,
    pub srcPos: cudaPos,
    pub srcPtr: cudaPitchedPtr,
    pub dstArray: cudaArray_t,
    pub dstPos: cudaPos,
    pub dstPtr: cudaPitchedPtr,
    pub extent: cudaExtent,
    pub kind: u32,
}

#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct cudaMemcpy3DPeerParms {
    pub srcArray: cudaArray_t,
    pub srcPos: cudaPos,
    pub srcPtr: cudaPitchedPtr,
    pub srcDevice: i32,
    pub dstArray: cudaArray_t,
    pub dstPos: cudaPos,
    pub dstPtr: cudaPitchedPtr,
    pub dstDevice: i32,
    pub extent: cudaExtent,
}

/// Bits per channel and the kind (`cudaChannelFormatKind`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(C)]
pub struct cudaChannelFormatDesc {
    pub x: i32,
    pub y: i32,
    pub z: i32,
    pub w: i32,
    pub f: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(C)]
pub struct cudaUUID_t {
    pub bytes: [u8; 16],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(C)]
pub struct cudaMemLocation {
    /// `cudaMemLocationType`: 0 invalid or none, 1 device, 2 host, 3 host NUMA node, 4 the calling
    /// thread's host NUMA node.
    pub kind: u32,
    pub id: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(C)]
pub struct cudaFuncAttributes {
    pub sharedSizeBytes: usize,
    pub constSizeBytes: usize,
    pub localSizeBytes: usize,
    pub maxThreadsPerBlock: i32,
    pub numRegs: i32,
    pub ptxVersion: i32,
    pub binaryVersion: i32,
    pub cacheModeCA: i32,
    pub maxDynamicSharedSizeBytes: i32,
    pub preferredShmemCarveout: i32,
    pub clusterDimMustBeSet: i32,
    pub requiredClusterWidth: i32,
    pub requiredClusterHeight: i32,
    pub requiredClusterDepth: i32,
    pub clusterSchedulingPolicyPreference: i32,
    pub nonPortableClusterSizeAllowed: i32,
    pub reserved: [i32; 16],
}

#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct cudaPointerAttributes12 {
    /// `cudaMemoryType`: 0 unregistered, 1 host, 2 device, 3 managed.
    pub kind: u32,
    pub device: i32,
    pub devicePointer: *mut c_void,
    pub hostPointer: *mut c_void,
}

#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct cudaPointerAttributes13 {
    /// `cudaMemoryType`: 0 unregistered, 1 host, 2 device, 3 managed.
    pub kind: u32,
    pub device: i32,
    pub devicePointer: *mut c_void,
    pub hostPointer: *mut c_void,
    pub reserved: [i64; 8],
}

#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct cudaLaunchAttribute {
    pub id: cudaLaunchAttributeID,
    pub pad: [u8; 4],
    pub val: cudaLaunchAttributeValue,
}

/// The 64-byte union of launch attribute values.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct cudaLaunchAttributeValue {
    pub words: [u64; 8],
}

#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct cudaLaunchConfig_t {
    pub gridDim: dim3,
    pub blockDim: dim3,
    pub dynamicSmemBytes: usize,
    pub stream: cudaStream_t,
    pub attrs: *mut cudaLaunchAttribute,
    pub numAttrs: u32,
}

#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct cudaLaunchParams {
    pub func: *mut c_void,
    pub gridDim: dim3,
    pub blockDim: dim3,
    pub args: *mut *mut c_void,
    pub sharedMem: usize,
    pub stream: cudaStream_t,
}

#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct cudaMemPoolProps {
    pub allocType: u32,
    pub handleTypes: u32,
    pub location: cudaMemLocation,
    pub win32SecurityAttributes: *mut c_void,
    pub maxSize: usize,
    pub usage: u16,
    pub reserved: [u8; 54],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(C)]
pub struct cudaMemAccessDesc {
    pub location: cudaMemLocation,
    pub flags: u32,
}

#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct cudaMemPoolPtrExportData {
    pub reserved: [u8; 64],
}

#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct cudaIpcMemHandle_t {
    pub reserved: [c_char; 64],
}

#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct cudaIpcEventHandle_t {
    pub reserved: [c_char; 64],
}

#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct cudaKernelNodeParams {
    pub func: *mut c_void,
    pub gridDim: dim3,
    pub blockDim: dim3,
    pub sharedMemBytes: u32,
    pub kernelParams: *mut *mut c_void,
    pub extra: *mut *mut c_void,
}

#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct cudaMemsetParams {
    pub dst: *mut c_void,
    pub pitch: usize,
    pub value: u32,
    pub elementSize: u32,
    pub width: usize,
    pub height: usize,
}

#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct cudaHostNodeParams {
    pub func: cudaHostFn_t,
    pub userData: *mut c_void,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(C)]
pub struct cudaGraphEdgeData {
    pub from_port: u8,
    pub to_port: u8,
    pub kind: u8,
    pub reserved: [u8; 5],
}

#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct cudaGraphInstantiateParams {
    pub flags: u64,
    pub uploadStream: cudaStream_t,
    pub errNode_out: cudaGraphNode_t,
    pub result_out: u32,
}

#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct cudaGraphExecUpdateResultInfo {
    pub result: u32,
    pub errorNode: cudaGraphNode_t,
    pub errorFromNode: cudaGraphNode_t,
}

/// What a texture or surface object reads; the union is kept as words.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct cudaResourceDesc12 {
    /// `cudaResourceType`: 0 array, 1 mipmapped array, 2 linear, 3 pitched 2-D.
    pub resType: u32,
    pub res: cudaResource,
}

/// What a texture or surface object reads; CUDA 13 has room to grow and flags.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct cudaResourceDesc13 {
    /// `cudaResourceType`: 0 array, 1 mipmapped array, 2 linear, 3 pitched 2-D.
    pub resType: u32,
    pub res: cudaResource,
    pub reserved: [u64; 9],
    pub flags: u32,
}

/// The members of `cudaResourceDesc::res` laid over each other: the widest is the pitched 2-D one.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct cudaResource {
    /// Array or mipmapped array handle, or device pointer.
    pub address: usize,
    pub desc: cudaChannelFormatDesc,
    /// Bytes of a linear resource, or width of a pitched one.
    pub widthOrBytes: usize,
    pub height: usize,
    pub pitchInBytes: usize,
}

#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct cudaResourceViewDesc12 {
    pub format: u32,
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub firstMipmapLevel: u32,
    pub lastMipmapLevel: u32,
    pub firstLayer: u32,
    pub lastLayer: u32,
}

#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct cudaResourceViewDesc13 {
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
pub struct cudaTextureDesc {
    pub addressMode: [u32; 3],
    pub filterMode: u32,
    pub readMode: u32,
    pub sRGB: i32,
    pub borderColor: [f32; 4],
    pub normalizedCoords: i32,
    pub maxAnisotropy: u32,
    pub mipmapFilterMode: u32,
    pub mipmapLevelBias: f32,
    pub minMipmapLevelClamp: f32,
    pub maxMipmapLevelClamp: f32,
    pub disableTrilinearOptimization: i32,
    pub seamlessCubemap: i32,
}

macro_rules! opaque {
    ($($name:ident;)*) => {
        $(
            /// Passed through by address only.
            #[derive(Debug)]
            #[repr(C)]
            pub struct $name {
                opaque: [u8; 0],
            }
        )*
    };
}

opaque! {
    cudaArrayMemoryRequirements;
    cudaArraySparseProperties;
    cudaExternalMemoryBufferDesc;
    cudaExternalMemoryHandleDesc;
    cudaExternalMemoryMipmappedArrayDesc;
    cudaExternalSemaphoreHandleDesc;
    cudaExternalSemaphoreSignalNodeParams;
    cudaExternalSemaphoreSignalParams;
    cudaExternalSemaphoreWaitNodeParams;
    cudaExternalSemaphoreWaitParams;
    cudaGraphNodeParams;
    cudaMemAllocNodeParams;
    cudaMemcpy3DBatchOp;
    cudaMemcpyAttributes;
}

const _: () = {
    assert!(size_of::<dim3>() == 12);
    assert!(size_of::<cudaMemcpy3DParms>() == 160);
    assert!(size_of::<cudaMemcpy3DPeerParms>() == 168);
    assert!(size_of::<cudaFuncAttributes>() == 144);
    assert!(size_of::<cudaPointerAttributes12>() == 24);
    assert!(size_of::<cudaPointerAttributes13>() == 88);
    assert!(size_of::<cudaLaunchAttribute>() == 72);
    assert!(size_of::<cudaLaunchConfig_t>() == 56);
    assert!(size_of::<cudaMemPoolProps>() == 88);
    assert!(size_of::<cudaMemAccessDesc>() == 12);
    assert!(size_of::<cudaKernelNodeParams>() == 56);
    assert!(size_of::<cudaMemsetParams>() == 40);
    assert!(size_of::<cudaGraphEdgeData>() == 8);
    assert!(size_of::<cudaResourceDesc12>() == 64);
    assert!(size_of::<cudaResourceDesc13>() == 144);
    assert!(size_of::<cudaResourceViewDesc12>() == 48);
    assert!(size_of::<cudaResourceViewDesc13>() == 112);
    assert!(size_of::<cudaTextureDesc>() == 72);
};
