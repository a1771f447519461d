//! Structures of the driver API with the layout that C compilers give them on x86-64.
//!
//! A union is an array of words here ([`In`] and [`Out`] are C pointers, which may be null); the code that reads one picks
//! the member by the tag beside it.
// Layouts: CUDA Driver API 13.0, cuda.h, cudaEGL.h. See PROVENANCE.md.
#![expect(
    missing_docs,
    non_snake_case,
    non_camel_case_types,
    reason = "NVIDIA's names"
)]

use core::ffi::c_void;

use super::callbacks::*;
use super::enums::*;
use super::handles::*;
use super::{
    CUdeviceptr, CUdeviceptr_v1, CUgraphConditionalHandle, In, Out, c_struct, cuuint32_t,
    cuuint64_t,
};

c_struct! { 16, 1;
pub struct CUuuid {
    pub bytes: [u8; 16],
} }

c_struct! { 64, 1;
pub struct CUmemFabricHandle_v1 {
    pub data: [u8; 64],
} }

c_struct! { 64, 1;
pub struct CUipcEventHandle_v1 {
    pub reserved: [u8; 64],
} }

c_struct! { 64, 1;
pub struct CUipcMemHandle_v1 {
    pub reserved: [u8; 64],
} }

c_struct! { 48, 8;
pub struct CUstreamBatchMemOpParams_v1 {
    pub words: [u64; 6],
} }

c_struct! { 32, 8;
pub struct CUDA_BATCH_MEM_OP_NODE_PARAMS_v1 {
    pub ctx: CUcontext,
    pub count: u32,
    pub paramArray: Out<CUstreamBatchMemOpParams>,
    pub flags: u32,
} }

c_struct! { 32, 8;
pub struct CUDA_BATCH_MEM_OP_NODE_PARAMS_v2 {
    pub ctx: CUcontext,
    pub count: u32,
    pub paramArray: Out<CUstreamBatchMemOpParams>,
    pub flags: u32,
} }

c_struct! { 16, 8;
pub struct CUasyncNotificationInfo {
    pub type_: CUasyncNotificationType,
    pub info: [u64; 1],
} }

c_struct! { 56, 4;
pub struct CUdevprop_v1 {
    pub maxThreadsPerBlock: i32,
    pub maxThreadsDim: [i32; 3],
    pub maxGridSize: [i32; 3],
    pub sharedMemPerBlock: i32,
    pub totalConstantMemory: i32,
    pub SIMDWidth: i32,
    pub memPitch: i32,
    pub regsPerBlock: i32,
    pub clockRate: i32,
    pub textureAlign: i32,
} }

c_struct! { 32, 8;
pub struct CUaccessPolicyWindow_v1 {
    pub base_ptr: Out<c_void>,
    pub num_bytes: usize,
    pub hitRatio: f32,
    pub hitProp: CUaccessProperty,
    pub missProp: CUaccessProperty,
} }

c_struct! { 56, 8;
pub struct CUDA_KERNEL_NODE_PARAMS_v1 {
    pub func: CUfunction,
    pub gridDimX: u32,
    pub gridDimY: u32,
    pub gridDimZ: u32,
    pub blockDimX: u32,
    pub blockDimY: u32,
    pub blockDimZ: u32,
    pub sharedMemBytes: u32,
    pub kernelParams: Out<Out<c_void>>,
    pub extra: Out<Out<c_void>>,
} }

c_struct! { 72, 8;
pub struct CUDA_KERNEL_NODE_PARAMS_v2 {
    pub func: CUfunction,
    pub gridDimX: u32,
    pub gridDimY: u32,
    pub gridDimZ: u32,
    pub blockDimX: u32,
    pub blockDimY: u32,
    pub blockDimZ: u32,
    pub sharedMemBytes: u32,
    pub kernelParams: Out<Out<c_void>>,
    pub extra: Out<Out<c_void>>,
    pub kern: CUkernel,
    pub ctx: CUcontext,
} }

c_struct! { 72, 8;
pub struct CUDA_KERNEL_NODE_PARAMS_v3 {
    pub func: CUfunction,
    pub gridDimX: u32,
    pub gridDimY: u32,
    pub gridDimZ: u32,
    pub blockDimX: u32,
    pub blockDimY: u32,
    pub blockDimZ: u32,
    pub sharedMemBytes: u32,
    pub kernelParams: Out<Out<c_void>>,
    pub extra: Out<Out<c_void>>,
    pub kern: CUkernel,
    pub ctx: CUcontext,
} }

c_struct! { 40, 8;
pub struct CUDA_MEMSET_NODE_PARAMS_v1 {
    pub dst: CUdeviceptr,
    pub pitch: usize,
    pub value: u32,
    pub elementSize: u32,
    pub width: usize,
    pub height: usize,
} }

c_struct! { 48, 8;
pub struct CUDA_MEMSET_NODE_PARAMS_v2 {
    pub dst: CUdeviceptr,
    pub pitch: usize,
    pub value: u32,
    pub elementSize: u32,
    pub width: usize,
    pub height: usize,
    pub ctx: CUcontext,
} }

c_struct! { 16, 8;
pub struct CUDA_HOST_NODE_PARAMS_v1 {
    pub fn_: CUhostFn,
    pub userData: Out<c_void>,
} }

c_struct! { 16, 8;
pub struct CUDA_HOST_NODE_PARAMS_v2 {
    pub fn_: CUhostFn,
    pub userData: Out<c_void>,
} }

c_struct! { 32, 8;
pub struct CUDA_CONDITIONAL_NODE_PARAMS {
    pub handle: CUgraphConditionalHandle,
    pub type_: CUgraphConditionalNodeType,
    pub size: u32,
    pub phGraph_out: Out<CUgraph>,
    pub ctx: CUcontext,
} }

c_struct! { 8, 1;
pub struct CUgraphEdgeData {
    pub from_port: u8,
    pub to_port: u8,
    pub type_: u8,
    pub reserved: [u8; 5],
} }

c_struct! { 32, 8;
pub struct CUDA_GRAPH_INSTANTIATE_PARAMS {
    pub flags: cuuint64_t,
    pub hUploadStream: CUstream,
    pub hErrNode_out: CUgraphNode,
    pub result_out: CUgraphInstantiateResult,
} }

c_struct! { 2, 1;
pub struct CUlaunchMemSyncDomainMap {
    pub default_: u8,
    pub remote: u8,
} }

c_struct! { 64, 8;
pub struct CUlaunchAttributeValue {
    pub words: [u64; 8],
} }

c_struct! { 72, 8;
pub struct CUlaunchAttribute {
    pub id: CUlaunchAttributeID,
    pub pad: [u8; 4],
    pub value: CUlaunchAttributeValue,
} }

c_struct! { 56, 8;
pub struct CUlaunchConfig {
    pub gridDimX: u32,
    pub gridDimY: u32,
    pub gridDimZ: u32,
    pub blockDimX: u32,
    pub blockDimY: u32,
    pub blockDimZ: u32,
    pub sharedMemBytes: u32,
    pub hStream: CUstream,
    pub attrs: Out<CUlaunchAttribute>,
    pub numAttrs: u32,
} }

c_struct! { 4, 4;
pub struct CUexecAffinitySmCount_v1 {
    pub val: u32,
} }

c_struct! { 8, 4;
pub struct CUexecAffinityParam_v1 {
    pub type_: CUexecAffinityType,
    pub param: [u32; 1],
} }

c_struct! { 16, 8;
pub struct CUctxCigParam {
    pub sharedDataType: CUcigDataType,
    pub sharedData: Out<c_void>,
} }

c_struct! { 24, 8;
pub struct CUctxCreateParams {
    pub execAffinityParams: Out<CUexecAffinityParam>,
    pub numExecAffinityParams: i32,
    pub cigParams: Out<CUctxCigParam>,
} }

c_struct! { 32, 8;
pub struct CUlibraryHostUniversalFunctionAndDataTable {
    pub functionTable: Out<c_void>,
    pub functionWindowSize: usize,
    pub dataTable: Out<c_void>,
    pub dataWindowSize: usize,
} }

c_struct! { 128, 8;
pub struct CUDA_MEMCPY2D_v2 {
    pub srcXInBytes: usize,
    pub srcY: usize,
    pub srcMemoryType: CUmemorytype,
    pub srcHost: In<c_void>,
    pub srcDevice: CUdeviceptr,
    pub srcArray: CUarray,
    pub srcPitch: usize,
    pub dstXInBytes: usize,
    pub dstY: usize,
    pub dstMemoryType: CUmemorytype,
    pub dstHost: Out<c_void>,
    pub dstDevice: CUdeviceptr,
    pub dstArray: CUarray,
    pub dstPitch: usize,
    pub WidthInBytes: usize,
    pub Height: usize,
} }

c_struct! { 200, 8;
pub struct CUDA_MEMCPY3D_v2 {
    pub srcXInBytes: usize,
    pub srcY: usize,
    pub srcZ: usize,
    pub srcLOD: usize,
    pub srcMemoryType: CUmemorytype,
    pub srcHost: In<c_void>,
    pub srcDevice: CUdeviceptr,
    pub srcArray: CUarray,
    pub reserved0: Out<c_void>,
    pub srcPitch: usize,
    pub srcHeight: usize,
    pub dstXInBytes: usize,
    pub dstY: usize,
    pub dstZ: usize,
    pub dstLOD: usize,
    pub dstMemoryType: CUmemorytype,
    pub dstHost: Out<c_void>,
    pub dstDevice: CUdeviceptr,
    pub dstArray: CUarray,
    pub reserved1: Out<c_void>,
    pub dstPitch: usize,
    pub dstHeight: usize,
    pub WidthInBytes: usize,
    pub Height: usize,
    pub Depth: usize,
} }

c_struct! { 200, 8;
pub struct CUDA_MEMCPY3D_PEER_v1 {
    pub srcXInBytes: usize,
    pub srcY: usize,
    pub srcZ: usize,
    pub srcLOD: usize,
    pub srcMemoryType: CUmemorytype,
    pub srcHost: In<c_void>,
    pub srcDevice: CUdeviceptr,
    pub srcArray: CUarray,
    pub srcContext: CUcontext,
    pub srcPitch: usize,
    pub srcHeight: usize,
    pub dstXInBytes: usize,
    pub dstY: usize,
    pub dstZ: usize,
    pub dstLOD: usize,
    pub dstMemoryType: CUmemorytype,
    pub dstHost: Out<c_void>,
    pub dstDevice: CUdeviceptr,
    pub dstArray: CUarray,
    pub dstContext: CUcontext,
    pub dstPitch: usize,
    pub dstHeight: usize,
    pub WidthInBytes: usize,
    pub Height: usize,
    pub Depth: usize,
} }

c_struct! { 216, 8;
pub struct CUDA_MEMCPY_NODE_PARAMS {
    pub flags: i32,
    pub reserved: i32,
    pub copyCtx: CUcontext,
    pub copyParams: CUDA_MEMCPY3D,
} }

c_struct! { 24, 8;
pub struct CUDA_ARRAY_DESCRIPTOR_v2 {
    pub Width: usize,
    pub Height: usize,
    pub Format: CUarray_format,
    pub NumChannels: u32,
} }

c_struct! { 40, 8;
pub struct CUDA_ARRAY3D_DESCRIPTOR_v2 {
    pub Width: usize,
    pub Height: usize,
    pub Depth: usize,
    pub Format: CUarray_format,
    pub NumChannels: u32,
    pub Flags: u32,
} }

c_struct! { 48, 8;
pub struct CUDA_ARRAY_SPARSE_PROPERTIES_v1 {
    pub tileExtent: [u32; 3],
    pub miptailFirstLevel: u32,
    pub miptailSize: u64,
    pub flags: u32,
    pub reserved: [u32; 4],
} }

c_struct! { 32, 8;
pub struct CUDA_ARRAY_MEMORY_REQUIREMENTS_v1 {
    pub size: usize,
    pub alignment: usize,
    pub reserved: [u32; 4],
} }

c_struct! { 144, 8;
pub struct CUDA_RESOURCE_DESC_v1 {
    pub resType: CUresourcetype,
    pub res: [u64; 16],
    pub flags: u32,
} }

c_struct! { 104, 4;
pub struct CUDA_TEXTURE_DESC_v1 {
    pub addressMode: [CUaddress_mode; 3],
    pub filterMode: CUfilter_mode,
    pub flags: u32,
    pub maxAnisotropy: u32,
    pub mipmapFilterMode: CUfilter_mode,
    pub mipmapLevelBias: f32,
    pub minMipmapLevelClamp: f32,
    pub maxMipmapLevelClamp: f32,
    pub borderColor: [f32; 4],
    pub reserved: [i32; 12],
} }

c_struct! { 112, 8;
pub struct CUDA_RESOURCE_VIEW_DESC_v1 {
    pub format: CUresourceViewFormat,
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub firstMipmapLevel: u32,
    pub lastMipmapLevel: u32,
    pub firstLayer: u32,
    pub lastLayer: u32,
    pub reserved: [u32; 16],
} }

c_struct! { 128, 128;
pub struct CUtensorMap {
    pub opaque: [cuuint64_t; 16],
} }

c_struct! { 16, 8;
pub struct CUDA_POINTER_ATTRIBUTE_P2P_TOKENS_v1 {
    pub p2pToken: u64,
    pub vaSpaceToken: u32,
} }

c_struct! { 56, 8;
pub struct CUDA_LAUNCH_PARAMS_v1 {
    pub function: CUfunction,
    pub gridDimX: u32,
    pub gridDimY: u32,
    pub gridDimZ: u32,
    pub blockDimX: u32,
    pub blockDimY: u32,
    pub blockDimZ: u32,
    pub sharedMemBytes: u32,
    pub hStream: CUstream,
    pub kernelParams: Out<Out<c_void>>,
} }

c_struct! { 104, 8;
pub struct CUDA_EXTERNAL_MEMORY_HANDLE_DESC_v1 {
    pub type_: CUexternalMemoryHandleType,
    pub handle: [u64; 2],
    pub size: u64,
    pub flags: u32,
    pub reserved: [u32; 16],
} }

c_struct! { 88, 8;
pub struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC_v1 {
    pub offset: u64,
    pub size: u64,
    pub flags: u32,
    pub reserved: [u32; 16],
} }

c_struct! { 120, 8;
pub struct CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_v1 {
    pub offset: u64,
    pub arrayDesc: CUDA_ARRAY3D_DESCRIPTOR,
    pub numLevels: u32,
    pub reserved: [u32; 16],
} }

c_struct! { 96, 8;
pub struct CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_v1 {
    pub type_: CUexternalSemaphoreHandleType,
    pub handle: [u64; 2],
    pub flags: u32,
    pub reserved: [u32; 16],
} }

c_struct! { 144, 8;
pub struct CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1 {
    pub params: [u64; 9],
    pub flags: u32,
    pub reserved: [u32; 16],
} }

c_struct! { 144, 8;
pub struct CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_v1 {
    pub params: [u64; 9],
    pub flags: u32,
    pub reserved: [u32; 16],
} }

c_struct! { 24, 8;
pub struct CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v1 {
    pub extSemArray: Out<CUexternalSemaphore>,
    pub paramsArray: In<CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS>,
    pub numExtSems: u32,
} }

c_struct! { 24, 8;
pub struct CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2 {
    pub extSemArray: Out<CUexternalSemaphore>,
    pub paramsArray: In<CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS>,
    pub numExtSems: u32,
} }

c_struct! { 24, 8;
pub struct CUDA_EXT_SEM_WAIT_NODE_PARAMS_v1 {
    pub extSemArray: Out<CUexternalSemaphore>,
    pub paramsArray: In<CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS>,
    pub numExtSems: u32,
} }

c_struct! { 24, 8;
pub struct CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2 {
    pub extSemArray: Out<CUexternalSemaphore>,
    pub paramsArray: In<CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS>,
    pub numExtSems: u32,
} }

c_struct! { 96, 8;
pub struct CUarrayMapInfo_v1 {
    pub resourceType: CUresourcetype,
    pub resource: [u64; 1],
    pub subresourceType: CUarraySparseSubresourceType,
    pub subresource: [u64; 4],
    pub memOperationType: CUmemOperationType,
    pub memHandleType: CUmemHandleType,
    pub memHandle: [u64; 1],
    pub offset: u64,
    pub deviceBitMask: u32,
    pub flags: u32,
    pub reserved: [u32; 2],
} }

c_struct! { 8, 4;
pub struct CUmemLocation_v1 {
    pub type_: CUmemLocationType,
    pub id: i32,
} }

c_struct! { 32, 8;
pub struct CUmemAllocationProp_v1 {
    pub type_: CUmemAllocationType,
    pub requestedHandleTypes: CUmemAllocationHandleType,
    pub location: CUmemLocation,
    pub win32HandleMetaData: Out<c_void>,
    pub allocFlags: [u64; 1],
} }

c_struct! { 32, 8;
pub struct CUmulticastObjectProp_v1 {
    pub numDevices: u32,
    pub size: usize,
    pub handleTypes: u64,
    pub flags: u64,
} }

c_struct! { 12, 4;
pub struct CUmemAccessDesc_v1 {
    pub location: CUmemLocation,
    pub flags: CUmemAccess_flags,
} }

c_struct! { 24, 8;
pub struct CUgraphExecUpdateResultInfo_v1 {
    pub result: CUgraphExecUpdateResult,
    pub errorNode: CUgraphNode,
    pub errorFromNode: CUgraphNode,
} }

c_struct! { 88, 8;
pub struct CUmemPoolProps_v1 {
    pub allocType: CUmemAllocationType,
    pub handleTypes: CUmemAllocationHandleType,
    pub location: CUmemLocation,
    pub win32SecurityAttributes: Out<c_void>,
    pub maxSize: usize,
    pub usage: u16,
    pub reserved: [u8; 54],
} }

c_struct! { 64, 1;
pub struct CUmemPoolPtrExportData_v1 {
    pub reserved: [u8; 64],
} }

c_struct! { 24, 4;
pub struct CUmemcpyAttributes_v1 {
    pub srcAccessOrder: CUmemcpySrcAccessOrder,
    pub srcLocHint: CUmemLocation,
    pub dstLocHint: CUmemLocation,
    pub flags: u32,
} }

c_struct! { 24, 8;
pub struct CUoffset3D_v1 {
    pub x: usize,
    pub y: usize,
    pub z: usize,
} }

c_struct! { 24, 8;
pub struct CUextent3D_v1 {
    pub width: usize,
    pub height: usize,
    pub depth: usize,
} }

c_struct! { 40, 8;
pub struct CUmemcpy3DOperand_v1 {
    pub type_: CUmemcpy3DOperandType,
    pub op: [u64; 4],
} }

c_struct! { 112, 8;
pub struct CUDA_MEMCPY3D_BATCH_OP_v1 {
    pub src: CUmemcpy3DOperand,
    pub dst: CUmemcpy3DOperand,
    pub extent: CUextent3D,
    pub srcAccessOrder: CUmemcpySrcAccessOrder,
    pub flags: u32,
} }

c_struct! { 120, 8;
pub struct CUDA_MEM_ALLOC_NODE_PARAMS_v1 {
    pub poolProps: CUmemPoolProps,
    pub accessDescs: In<CUmemAccessDesc>,
    pub accessDescCount: usize,
    pub bytesize: usize,
    pub dptr: CUdeviceptr,
} }

c_struct! { 120, 8;
pub struct CUDA_MEM_ALLOC_NODE_PARAMS_v2 {
    pub poolProps: CUmemPoolProps,
    pub accessDescs: In<CUmemAccessDesc>,
    pub accessDescCount: usize,
    pub bytesize: usize,
    pub dptr: CUdeviceptr,
} }

c_struct! { 8, 8;
pub struct CUDA_MEM_FREE_NODE_PARAMS {
    pub dptr: CUdeviceptr,
} }

c_struct! { 16, 8;
pub struct CUDA_CHILD_GRAPH_NODE_PARAMS {
    pub graph: CUgraph,
    pub ownership: CUgraphChildGraphNodeOwnership,
} }

c_struct! { 8, 8;
pub struct CUDA_EVENT_RECORD_NODE_PARAMS {
    pub event: CUevent,
} }

c_struct! { 8, 8;
pub struct CUDA_EVENT_WAIT_NODE_PARAMS {
    pub event: CUevent,
} }

c_struct! { 256, 8;
pub struct CUgraphNodeParams {
    pub type_: CUgraphNodeType,
    pub reserved0: [i32; 3],
    pub params: [u64; 29],
    pub reserved2: i64,
} }

c_struct! { 64, 8;
pub struct CUcheckpointLockArgs {
    pub timeoutMs: u32,
    pub reserved0: u32,
    pub reserved1: [cuuint64_t; 7],
} }

c_struct! { 64, 8;
pub struct CUcheckpointCheckpointArgs {
    pub reserved: [cuuint64_t; 8],
} }

c_struct! { 32, 1;
pub struct CUcheckpointGpuPair {
    pub oldUuid: CUuuid,
    pub newUuid: CUuuid,
} }

c_struct! { 64, 8;
pub struct CUcheckpointRestoreArgs {
    pub gpuPairs: Out<CUcheckpointGpuPair>,
    pub gpuPairsCount: u32,
    pub reserved: [u8; 44],
    pub reserved1: cuuint64_t,
} }

c_struct! { 64, 8;
pub struct CUcheckpointUnlockArgs {
    pub reserved: [cuuint64_t; 8],
} }

c_struct! { 64, 8;
pub struct CUmemDecompressParams {
    pub srcNumBytes: usize,
    pub dstNumBytes: usize,
    pub dstActBytes: Out<cuuint32_t>,
    pub src: In<c_void>,
    pub dst: Out<c_void>,
    pub algo: CUmemDecompressAlgorithm,
    pub padding: [u8; 20],
} }

c_struct! { 12, 4;
pub struct CUdevSmResource {
    pub smCount: u32,
    pub minSmPartitionSize: u32,
    pub smCoscheduledAlignment: u32,
} }

c_struct! { 144, 4;
pub struct CUdevResource_v1 {
    pub type_: CUdevResourceType,
    pub _internal_padding: [u8; 92],
    pub resource: [u32; 12],
} }

c_struct! { 96, 8;
pub struct CUDA_MEMCPY2D_v1 {
    pub srcXInBytes: u32,
    pub srcY: u32,
    pub srcMemoryType: CUmemorytype,
    pub srcHost: In<c_void>,
    pub srcDevice: CUdeviceptr_v1,
    pub srcArray: CUarray,
    pub srcPitch: u32,
    pub dstXInBytes: u32,
    pub dstY: u32,
    pub dstMemoryType: CUmemorytype,
    pub dstHost: Out<c_void>,
    pub dstDevice: CUdeviceptr_v1,
    pub dstArray: CUarray,
    pub dstPitch: u32,
    pub WidthInBytes: u32,
    pub Height: u32,
} }

c_struct! { 144, 8;
pub struct CUDA_MEMCPY3D_v1 {
    pub srcXInBytes: u32,
    pub srcY: u32,
    pub srcZ: u32,
    pub srcLOD: u32,
    pub srcMemoryType: CUmemorytype,
    pub srcHost: In<c_void>,
    pub srcDevice: CUdeviceptr_v1,
    pub srcArray: CUarray,
    pub reserved0: Out<c_void>,
    pub srcPitch: u32,
    pub srcHeight: u32,
    pub dstXInBytes: u32,
    pub dstY: u32,
    pub dstZ: u32,
    pub dstLOD: u32,
    pub dstMemoryType: CUmemorytype,
    pub dstHost: Out<c_void>,
    pub dstDevice: CUdeviceptr_v1,
    pub dstArray: CUarray,
    pub reserved1: Out<c_void>,
    pub dstPitch: u32,
    pub dstHeight: u32,
    pub WidthInBytes: u32,
    pub Height: u32,
    pub Depth: u32,
} }

c_struct! { 16, 4;
pub struct CUDA_ARRAY_DESCRIPTOR_v1 {
    pub Width: u32,
    pub Height: u32,
    pub Format: CUarray_format,
    pub NumChannels: u32,
} }

c_struct! { 24, 4;
pub struct CUDA_ARRAY3D_DESCRIPTOR_v1 {
    pub Width: u32,
    pub Height: u32,
    pub Depth: u32,
    pub Format: CUarray_format,
    pub NumChannels: u32,
    pub Flags: u32,
} }

c_struct! { 64, 8;
pub struct CUeglFrame_v1 {
    pub frame: [u64; 3],
    pub width: u32,
    pub height: u32,
    pub depth: u32,
    pub pitch: u32,
    pub planeCount: u32,
    pub numChannels: u32,
    pub frameType: CUeglFrameType,
    pub eglColorFormat: CUeglColorFormat,
    pub cuFormat: CUarray_format,
} }

pub type CUmemFabricHandle = CUmemFabricHandle_v1;
pub type CUipcEventHandle = CUipcEventHandle_v1;
pub type CUipcMemHandle = CUipcMemHandle_v1;
pub type CUstreamBatchMemOpParams = CUstreamBatchMemOpParams_v1;
pub type CUDA_BATCH_MEM_OP_NODE_PARAMS = CUDA_BATCH_MEM_OP_NODE_PARAMS_v1;
pub type CUdevprop = CUdevprop_v1;
pub type CUaccessPolicyWindow = CUaccessPolicyWindow_v1;
pub type CUDA_KERNEL_NODE_PARAMS = CUDA_KERNEL_NODE_PARAMS_v2;
pub type CUDA_MEMSET_NODE_PARAMS = CUDA_MEMSET_NODE_PARAMS_v1;
pub type CUDA_HOST_NODE_PARAMS = CUDA_HOST_NODE_PARAMS_v1;
pub type CUkernelNodeAttrValue_v1 = CUlaunchAttributeValue;
pub type CUkernelNodeAttrValue = CUkernelNodeAttrValue_v1;
pub type CUstreamAttrValue_v1 = CUlaunchAttributeValue;
pub type CUstreamAttrValue = CUstreamAttrValue_v1;
pub type CUexecAffinitySmCount = CUexecAffinitySmCount_v1;
pub type CUexecAffinityParam = CUexecAffinityParam_v1;
pub type CUDA_MEMCPY2D = CUDA_MEMCPY2D_v2;
pub type CUDA_MEMCPY3D = CUDA_MEMCPY3D_v2;
pub type CUDA_MEMCPY3D_PEER = CUDA_MEMCPY3D_PEER_v1;
pub type CUDA_ARRAY_DESCRIPTOR = CUDA_ARRAY_DESCRIPTOR_v2;
pub type CUDA_ARRAY3D_DESCRIPTOR = CUDA_ARRAY3D_DESCRIPTOR_v2;
pub type CUDA_ARRAY_SPARSE_PROPERTIES = CUDA_ARRAY_SPARSE_PROPERTIES_v1;
pub type CUDA_ARRAY_MEMORY_REQUIREMENTS = CUDA_ARRAY_MEMORY_REQUIREMENTS_v1;
pub type CUDA_RESOURCE_DESC = CUDA_RESOURCE_DESC_v1;
pub type CUDA_TEXTURE_DESC = CUDA_TEXTURE_DESC_v1;
pub type CUDA_RESOURCE_VIEW_DESC = CUDA_RESOURCE_VIEW_DESC_v1;
pub type CUDA_POINTER_ATTRIBUTE_P2P_TOKENS = CUDA_POINTER_ATTRIBUTE_P2P_TOKENS_v1;
pub type CUDA_LAUNCH_PARAMS = CUDA_LAUNCH_PARAMS_v1;
pub type CUDA_EXTERNAL_MEMORY_HANDLE_DESC = CUDA_EXTERNAL_MEMORY_HANDLE_DESC_v1;
pub type CUDA_EXTERNAL_MEMORY_BUFFER_DESC = CUDA_EXTERNAL_MEMORY_BUFFER_DESC_v1;
pub type CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC = CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_v1;
pub type CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_v1;
pub type CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1;
pub type CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_v1;
pub type CUDA_EXT_SEM_SIGNAL_NODE_PARAMS = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v1;
pub type CUDA_EXT_SEM_WAIT_NODE_PARAMS = CUDA_EXT_SEM_WAIT_NODE_PARAMS_v1;
pub type CUarrayMapInfo = CUarrayMapInfo_v1;
pub type CUmemLocation = CUmemLocation_v1;
pub type CUmemAllocationProp = CUmemAllocationProp_v1;
pub type CUmulticastObjectProp = CUmulticastObjectProp_v1;
pub type CUmemAccessDesc = CUmemAccessDesc_v1;
pub type CUgraphExecUpdateResultInfo = CUgraphExecUpdateResultInfo_v1;
pub type CUmemPoolProps = CUmemPoolProps_v1;
pub type CUmemPoolPtrExportData = CUmemPoolPtrExportData_v1;
pub type CUmemcpyAttributes = CUmemcpyAttributes_v1;
pub type CUoffset3D = CUoffset3D_v1;
pub type CUextent3D = CUextent3D_v1;
pub type CUmemcpy3DOperand = CUmemcpy3DOperand_v1;
pub type CUDA_MEMCPY3D_BATCH_OP = CUDA_MEMCPY3D_BATCH_OP_v1;
pub type CUDA_MEM_ALLOC_NODE_PARAMS = CUDA_MEM_ALLOC_NODE_PARAMS_v1;
pub type CUdevResource = CUdevResource_v1;
pub type CUeglFrame = CUeglFrame_v1;
