//! The driver: `libcuda.so.1`, found when first needed.
//!
//! One declaration per function used: exported symbol (with its version suffix) and C signature.
//! A function that the installed driver lacks answers `cudaErrorCallRequiresNewerDriver` (36) when
//! it is called, as CUDA's runtime does.

pub(crate) mod types;

use crate::version;
use cuda_abi::runtime::{
    CudaError, cudaArray_t, cudaAsyncCallback, cudaAsyncCallbackHandle_t, cudaEvent_t,
    cudaExternalMemory_t, cudaExternalSemaphore_t, cudaFunction_t, cudaGraph_t, cudaGraphExec_t,
    cudaGraphNode_t, cudaGraphicsResource_t, cudaHostFn_t, cudaKernel_t, cudaLibrary_t,
    cudaMemPool_t, cudaMipmappedArray_t, cudaStream_t, cudaStreamCallback_t, cudaUserObject_t,
};
use std::ffi::{CStr, c_char, c_void};
use std::sync::OnceLock;
use types::{
    CUDA_ARRAY3D_DESCRIPTOR, CUDA_HOST_NODE_PARAMS, CUDA_KERNEL_NODE_PARAMS, CUDA_MEMCPY2D,
    CUDA_MEMCPY3D, CUDA_MEMCPY3D_PEER, CUDA_MEMSET_NODE_PARAMS, CUDA_RESOURCE_DESC,
    CUDA_RESOURCE_VIEW_DESC, CUDA_TEXTURE_DESC, CUcontext, CUdeviceptr, CUipcEventHandle,
    CUipcMemHandle, CUlaunchConfig, CUmemLocation,
};

type CUresult = i32;
type CUdevice = i32;

/// Calls a driver function by name: `cu!(cuMemAlloc_v2(&mut address, bytes))?`.
macro_rules! cu {
    ($function:ident($($argument:expr),* $(,)?)) => {{
        let driver = $crate::driver::driver()?;
        // SAFETY: the function's signature is that of the public header; pointers are locals of
        // ours or came from the C caller, who vouches for them by the contract of the runtime
        // function being served.
        unsafe { driver.$function($($argument),*) }
    }};
}

/// Calls one of two driver functions: the plain one, or the one of the per-thread default stream.
macro_rules! cu_by_stream {
    ($which:expr, $plain:ident | $per_thread:ident ($($argument:expr),* $(,)?)) => {
        match $which {
            $crate::table::DefaultStream::Legacy => cu!($plain($($argument),*)),
            $crate::table::DefaultStream::PerThread => cu!($per_thread($($argument),*)),
        }
    };
}

pub(crate) use {cu, cu_by_stream};

macro_rules! driver_functions {
    ($(fn $name:ident($($argument:ident: $type:ty),* $(,)?);)*) => {
        /// The loaded driver's functions.
        #[expect(non_snake_case, reason = "the names are those of the exported symbols")]
        pub(crate) struct Driver {
            library: *mut c_void,
            $($name: Option<unsafe extern "C" fn($($type),*) -> CUresult>,)*
        }

        #[expect(dead_code, reason = "each major uses functions that the other does not")]
        #[expect(non_snake_case, reason = "the names are those of the exported symbols")]
        impl Driver {
            /// Looks every function up.
            ///
            /// # Safety
            /// `library` is a handle of `dlopen` that is never closed, and what it exports under
            /// these names has the signatures of the public headers.
            unsafe fn bind(library: *mut c_void) -> Driver {
                Driver {
                    library,
                    $($name: {
                        let name = concat!(stringify!($name), "\0");
                        // SAFETY: a live handle and a C string.
                        let address = unsafe { libc::dlsym(library, name.as_ptr().cast()) };
                        // SAFETY: null is `None`; else the caller vouches for the signature.
                        unsafe {
                            std::mem::transmute::<
                                *mut c_void,
                                Option<unsafe extern "C" fn($($type),*) -> CUresult>,
                            >(address)
                        }
                    },)*
                }
            }

            $(
                /// The driver function of this name.
                ///
                /// # Safety
                /// The contract of the CUDA Driver API function.
                ///
                /// # Errors
                /// What the driver answers; `CallRequiresNewerDriver` if it lacks the function.
                #[allow(clippy::too_many_arguments, reason = "C API; most have few")]
                #[inline]
                pub(crate) unsafe fn $name(&self, $($argument: $type),*) -> Result<(), CudaError> {
                    let function = self.$name.ok_or(CudaError::CallRequiresNewerDriver)?;
                    // SAFETY: passed on to the caller.
                    check(unsafe { function($($argument),*) })
                }
            )*
        }
    };
}

driver_functions! {
    fn cuInit(flags: u32);
    fn cuDriverGetVersion(version: *mut i32);
    fn cuGetProcAddress_v2(symbol: *const c_char, function: *mut *mut c_void, version: i32, flags: u64, status: *mut u32);
    fn cuDeviceGet(device: *mut CUdevice, ordinal: i32);
    fn cuDeviceGetCount(count: *mut i32);
    fn cuDeviceGetName(name: *mut c_char, len: i32, device: CUdevice);
    fn cuDeviceGetUuid_v2(uuid: *mut [u8; 16], device: CUdevice);
    fn cuDeviceGetLuid(luid: *mut [u8; 8], node_mask: *mut u32, device: CUdevice);
    fn cuDeviceTotalMem_v2(bytes: *mut usize, device: CUdevice);
    fn cuDeviceGetAttribute(value: *mut i32, attribute: u32, device: CUdevice);
    fn cuDeviceGetByPCIBusId(device: *mut CUdevice, bus_id: *const c_char);
    fn cuDeviceGetPCIBusId(bus_id: *mut c_char, len: i32, device: CUdevice);
    fn cuDeviceGetP2PAttribute(value: *mut i32, attribute: u32, source: CUdevice, destination: CUdevice);
    fn cuDeviceCanAccessPeer(can: *mut i32, device: CUdevice, peer: CUdevice);
    fn cuDeviceGetDefaultMemPool(pool: *mut cudaMemPool_t, device: CUdevice);
    fn cuDeviceGetMemPool(pool: *mut cudaMemPool_t, device: CUdevice);
    fn cuDeviceSetMemPool(device: CUdevice, pool: cudaMemPool_t);
    fn cuDeviceGetGraphMemAttribute(device: CUdevice, attribute: u32, value: *mut c_void);
    fn cuDeviceSetGraphMemAttribute(device: CUdevice, attribute: u32, value: *mut c_void);
    fn cuDeviceGraphMemTrim(device: CUdevice);
    fn cuDeviceGetTexture1DLinearMaxWidth(width: *mut usize, format: u32, channels: u32, device: CUdevice);
    fn cuDevicePrimaryCtxRetain(context: *mut CUcontext, device: CUdevice);
    fn cuDevicePrimaryCtxRelease_v2(device: CUdevice);
    fn cuDevicePrimaryCtxReset_v2(device: CUdevice);
    fn cuDevicePrimaryCtxSetFlags_v2(device: CUdevice, flags: u32);
    fn cuDevicePrimaryCtxGetState(device: CUdevice, flags: *mut u32, active: *mut i32);
    fn cuCtxGetCurrent(context: *mut CUcontext);
    fn cuCtxSetCurrent(context: CUcontext);
    fn cuCtxGetDevice(device: *mut CUdevice);
    fn cuCtxSynchronize();
    fn cuCtxGetFlags(flags: *mut u32);
    fn cuCtxSetFlags(flags: u32);
    fn cuCtxGetLimit(value: *mut usize, limit: u32);
    fn cuCtxSetLimit(limit: u32, value: usize);
    fn cuCtxGetCacheConfig(config: *mut u32);
    fn cuCtxSetCacheConfig(config: u32);
    fn cuCtxGetSharedMemConfig(config: *mut u32);
    fn cuCtxSetSharedMemConfig(config: u32);
    fn cuCtxGetStreamPriorityRange(least: *mut i32, greatest: *mut i32);
    fn cuCtxResetPersistingL2Cache();
    fn cuCtxEnablePeerAccess(peer: CUcontext, flags: u32);
    fn cuCtxDisablePeerAccess(peer: CUcontext);
    fn cuFlushGPUDirectRDMAWrites(target: u32, scope: u32);
    fn cuLibraryLoadData(library: *mut cudaLibrary_t, code: *const c_void, jit_options: *const u32, jit_values: *const *mut c_void, jit_count: u32, options: *const u32, values: *const *mut c_void, count: u32);
    fn cuLibraryLoadFromFile(library: *mut cudaLibrary_t, name: *const c_char, jit_options: *const u32, jit_values: *const *mut c_void, jit_count: u32, options: *const u32, values: *const *mut c_void, count: u32);
    fn cuLibraryUnload(library: cudaLibrary_t);
    fn cuLibraryGetKernel(kernel: *mut cudaKernel_t, library: cudaLibrary_t, name: *const c_char);
    fn cuLibraryGetKernelCount(count: *mut u32, library: cudaLibrary_t);
    fn cuLibraryEnumerateKernels(kernels: *mut cudaKernel_t, count: u32, library: cudaLibrary_t);
    fn cuLibraryGetGlobal(address: *mut CUdeviceptr, bytes: *mut usize, library: cudaLibrary_t, name: *const c_char);
    fn cuLibraryGetManaged(address: *mut CUdeviceptr, bytes: *mut usize, library: cudaLibrary_t, name: *const c_char);
    fn cuLibraryGetUnifiedFunction(function: *mut *mut c_void, library: cudaLibrary_t, name: *const c_char);
    fn cuKernelGetFunction(function: *mut cudaFunction_t, kernel: cudaKernel_t);
    fn cuKernelGetAttribute(value: *mut i32, attribute: u32, kernel: cudaKernel_t, device: CUdevice);
    fn cuKernelSetAttribute(attribute: u32, value: i32, kernel: cudaKernel_t, device: CUdevice);
    fn cuKernelSetCacheConfig(kernel: cudaKernel_t, config: u32, device: CUdevice);
    fn cuKernelGetName(name: *mut *const c_char, kernel: cudaKernel_t);
    fn cuKernelGetParamInfo(kernel: cudaKernel_t, index: usize, offset: *mut usize, size: *mut usize);
    fn cuLaunchKernel(function: cudaKernel_t, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32, shared: u32, stream: cudaStream_t, parameters: *mut *mut c_void, extra: *mut *mut c_void);
    fn cuLaunchKernelEx(config: *const CUlaunchConfig, function: cudaKernel_t, parameters: *mut *mut c_void, extra: *mut *mut c_void);
    fn cuLaunchCooperativeKernel(function: cudaKernel_t, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32, shared: u32, stream: cudaStream_t, parameters: *mut *mut c_void);
    fn cuLaunchHostFunc(stream: cudaStream_t, function: cudaHostFn_t, data: *mut c_void);
    fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks: *mut i32, function: cudaKernel_t, block_size: i32, shared: usize, flags: u32);
    fn cuOccupancyAvailableDynamicSMemPerBlock(bytes: *mut usize, function: cudaKernel_t, blocks: i32, block_size: i32);
    fn cuOccupancyMaxPotentialClusterSize(size: *mut i32, function: cudaKernel_t, config: *const CUlaunchConfig);
    fn cuOccupancyMaxActiveClusters(clusters: *mut i32, function: cudaKernel_t, config: *const CUlaunchConfig);
    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
    fn cuMemAlloc_v2(address: *mut CUdeviceptr, bytes: usize);
    fn cuMemAllocPitch_v2(address: *mut CUdeviceptr, pitch: *mut usize, width: usize, height: usize, element: u32);
    fn cuMemAllocManaged(address: *mut CUdeviceptr, bytes: usize, flags: u32);
    fn cuMemFree_v2(address: CUdeviceptr);
    fn cuMemHostAlloc(address: *mut *mut c_void, bytes: usize, flags: u32);
    fn cuMemFreeHost(address: *mut c_void);
    fn cuMemHostRegister_v2(address: *mut c_void, bytes: usize, flags: u32);
    fn cuMemHostUnregister(address: *mut c_void);
    fn cuMemHostGetDevicePointer_v2(device: *mut CUdeviceptr, host: *mut c_void, flags: u32);
    fn cuMemHostGetFlags(flags: *mut u32, host: *mut c_void);
    fn cuMemcpy(destination: CUdeviceptr, source: CUdeviceptr, bytes: usize);
    fn cuMemcpy_ptds(destination: CUdeviceptr, source: CUdeviceptr, bytes: usize);
    fn cuMemcpyAsync(destination: CUdeviceptr, source: CUdeviceptr, bytes: usize, stream: cudaStream_t);
    fn cuMemcpyHtoD_v2(destination: CUdeviceptr, source: *const c_void, bytes: usize);
    fn cuMemcpyHtoD_v2_ptds(destination: CUdeviceptr, source: *const c_void, bytes: usize);
    fn cuMemcpyDtoH_v2(destination: *mut c_void, source: CUdeviceptr, bytes: usize);
    fn cuMemcpyDtoH_v2_ptds(destination: *mut c_void, source: CUdeviceptr, bytes: usize);
    fn cuMemcpyDtoD_v2(destination: CUdeviceptr, source: CUdeviceptr, bytes: usize);
    fn cuMemcpyDtoD_v2_ptds(destination: CUdeviceptr, source: CUdeviceptr, bytes: usize);
    fn cuMemcpyHtoDAsync_v2(destination: CUdeviceptr, source: *const c_void, bytes: usize, stream: cudaStream_t);
    fn cuMemcpyDtoHAsync_v2(destination: *mut c_void, source: CUdeviceptr, bytes: usize, stream: cudaStream_t);
    fn cuMemcpyDtoDAsync_v2(destination: CUdeviceptr, source: CUdeviceptr, bytes: usize, stream: cudaStream_t);
    fn cuMemcpyPeer(destination: CUdeviceptr, to: CUcontext, source: CUdeviceptr, from: CUcontext, bytes: usize);
    fn cuMemcpyPeerAsync(destination: CUdeviceptr, to: CUcontext, source: CUdeviceptr, from: CUcontext, bytes: usize, stream: cudaStream_t);
    fn cuMemcpy2DUnaligned_v2(copy: *const CUDA_MEMCPY2D);
    fn cuMemcpy2DUnaligned_v2_ptds(copy: *const CUDA_MEMCPY2D);
    fn cuMemcpy2DAsync_v2(copy: *const CUDA_MEMCPY2D, stream: cudaStream_t);
    fn cuMemcpy3D_v2(copy: *const CUDA_MEMCPY3D);
    fn cuMemcpy3D_v2_ptds(copy: *const CUDA_MEMCPY3D);
    fn cuMemcpy3DAsync_v2(copy: *const CUDA_MEMCPY3D, stream: cudaStream_t);
    fn cuMemcpy3DPeer(copy: *const CUDA_MEMCPY3D_PEER);
    fn cuMemcpy3DPeer_ptds(copy: *const CUDA_MEMCPY3D_PEER);
    fn cuMemcpy3DPeerAsync(copy: *const CUDA_MEMCPY3D_PEER, stream: cudaStream_t);
    fn cuMemsetD8_v2(address: CUdeviceptr, value: u8, count: usize);
    fn cuMemsetD8_v2_ptds(address: CUdeviceptr, value: u8, count: usize);
    fn cuMemsetD8Async(address: CUdeviceptr, value: u8, count: usize, stream: cudaStream_t);
    fn cuMemsetD2D8_v2(address: CUdeviceptr, pitch: usize, value: u8, width: usize, height: usize);
    fn cuMemsetD2D8_v2_ptds(address: CUdeviceptr, pitch: usize, value: u8, width: usize, height: usize);
    fn cuMemsetD2D8Async(address: CUdeviceptr, pitch: usize, value: u8, width: usize, height: usize, stream: cudaStream_t);
    fn cuMemAdvise_v2(address: CUdeviceptr, bytes: usize, advice: u32, location: CUmemLocation);
    fn cuMemPrefetchAsync_v2(address: CUdeviceptr, bytes: usize, location: CUmemLocation, flags: u32, stream: cudaStream_t);
    fn cuMemRangeGetAttribute(data: *mut c_void, size: usize, attribute: u32, address: CUdeviceptr, bytes: usize);
    fn cuMemRangeGetAttributes(data: *mut *mut c_void, sizes: *mut usize, attributes: *mut u32, count: usize, address: CUdeviceptr, bytes: usize);
    fn cuPointerGetAttributes(count: u32, attributes: *const u32, data: *mut *mut c_void, pointer: CUdeviceptr);
    fn cuMemAllocAsync(address: *mut CUdeviceptr, bytes: usize, stream: cudaStream_t);
    fn cuMemAllocFromPoolAsync(address: *mut CUdeviceptr, bytes: usize, pool: cudaMemPool_t, stream: cudaStream_t);
    fn cuMemFreeAsync(address: CUdeviceptr, stream: cudaStream_t);
    fn cuMemPoolCreate(pool: *mut cudaMemPool_t, properties: *const cuda_abi::runtime::cudaMemPoolProps);
    fn cuMemPoolDestroy(pool: cudaMemPool_t);
    fn cuMemPoolSetAttribute(pool: cudaMemPool_t, attribute: u32, value: *mut c_void);
    fn cuMemPoolGetAttribute(pool: cudaMemPool_t, attribute: u32, value: *mut c_void);
    fn cuMemPoolSetAccess(pool: cudaMemPool_t, descriptors: *const cuda_abi::runtime::cudaMemAccessDesc, count: usize);
    fn cuMemPoolGetAccess(flags: *mut u32, pool: cudaMemPool_t, location: *mut CUmemLocation);
    fn cuMemPoolTrimTo(pool: cudaMemPool_t, keep: usize);
    fn cuIpcGetMemHandle(handle: *mut CUipcMemHandle, address: CUdeviceptr);
    fn cuIpcOpenMemHandle_v2(address: *mut CUdeviceptr, handle: CUipcMemHandle, flags: u32);
    fn cuIpcCloseMemHandle(address: CUdeviceptr);
    fn cuIpcGetEventHandle(handle: *mut CUipcEventHandle, event: cudaEvent_t);
    fn cuIpcOpenEventHandle(event: *mut cudaEvent_t, handle: CUipcEventHandle);
    fn cuStreamCreate(stream: *mut cudaStream_t, flags: u32);
    fn cuStreamCreateWithPriority(stream: *mut cudaStream_t, flags: u32, priority: i32);
    fn cuStreamDestroy_v2(stream: cudaStream_t);
    fn cuStreamQuery(stream: cudaStream_t);
    fn cuStreamSynchronize(stream: cudaStream_t);
    fn cuStreamWaitEvent(stream: cudaStream_t, event: cudaEvent_t, flags: u32);
    fn cuStreamAddCallback(stream: cudaStream_t, callback: cudaStreamCallback_t, data: *mut c_void, flags: u32);
    fn cuStreamAttachMemAsync(stream: cudaStream_t, address: CUdeviceptr, bytes: usize, flags: u32);
    fn cuStreamGetPriority(stream: cudaStream_t, priority: *mut i32);
    fn cuStreamGetFlags(stream: cudaStream_t, flags: *mut u32);
    fn cuStreamGetId(stream: cudaStream_t, id: *mut u64);
    fn cuStreamGetDevice(stream: cudaStream_t, device: *mut CUdevice);
    fn cuStreamGetAttribute(stream: cudaStream_t, attribute: u32, value: *mut c_void);
    fn cuStreamSetAttribute(stream: cudaStream_t, attribute: u32, value: *const c_void);
    fn cuStreamCopyAttributes(destination: cudaStream_t, source: cudaStream_t);
    fn cuStreamBeginCapture_v2(stream: cudaStream_t, mode: u32);
    fn cuStreamBeginCaptureToGraph(stream: cudaStream_t, graph: cudaGraph_t, dependencies: *const cudaGraphNode_t, data: *const c_void, count: usize, mode: u32);
    fn cuStreamEndCapture(stream: cudaStream_t, graph: *mut cudaGraph_t);
    fn cuStreamIsCapturing(stream: cudaStream_t, status: *mut u32);
    fn cuStreamGetCaptureInfo_v2(stream: cudaStream_t, status: *mut u32, id: *mut u64, graph: *mut cudaGraph_t, dependencies: *mut *const cudaGraphNode_t, count: *mut usize);
    fn cuStreamGetCaptureInfo_v3(stream: cudaStream_t, status: *mut u32, id: *mut u64, graph: *mut cudaGraph_t, dependencies: *mut *const cudaGraphNode_t, data: *mut *const c_void, count: *mut usize);
    fn cuStreamUpdateCaptureDependencies(stream: cudaStream_t, dependencies: *mut cudaGraphNode_t, count: usize, flags: u32);
    fn cuStreamUpdateCaptureDependencies_v2(stream: cudaStream_t, dependencies: *mut cudaGraphNode_t, data: *const c_void, count: usize, flags: u32);
    fn cuThreadExchangeStreamCaptureMode(mode: *mut u32);
    fn cuEventCreate(event: *mut cudaEvent_t, flags: u32);
    fn cuEventRecordWithFlags(event: cudaEvent_t, stream: cudaStream_t, flags: u32);
    fn cuEventRecord(event: cudaEvent_t, stream: cudaStream_t);
    fn cuEventQuery(event: cudaEvent_t);
    fn cuEventSynchronize(event: cudaEvent_t);
    fn cuEventElapsedTime(milliseconds: *mut f32, start: cudaEvent_t, end: cudaEvent_t);
    fn cuEventElapsedTime_v2(milliseconds: *mut f32, start: cudaEvent_t, end: cudaEvent_t);
    fn cuEventDestroy_v2(event: cudaEvent_t);
    fn cuArray3DCreate_v2(array: *mut cudaArray_t, descriptor: *const CUDA_ARRAY3D_DESCRIPTOR);
    fn cuArray3DGetDescriptor_v2(descriptor: *mut CUDA_ARRAY3D_DESCRIPTOR, array: cudaArray_t);
    fn cuArrayDestroy(array: cudaArray_t);
    fn cuMipmappedArrayCreate(array: *mut cudaMipmappedArray_t, descriptor: *const CUDA_ARRAY3D_DESCRIPTOR, levels: u32);
    fn cuMipmappedArrayGetLevel(level_array: *mut cudaArray_t, array: cudaMipmappedArray_t, level: u32);
    fn cuMipmappedArrayDestroy(array: cudaMipmappedArray_t);
    fn cuTexObjectCreate(texture: *mut u64, resource: *const CUDA_RESOURCE_DESC, texture_description: *const CUDA_TEXTURE_DESC, view: *const CUDA_RESOURCE_VIEW_DESC);
    fn cuTexObjectDestroy(texture: u64);
    fn cuTexObjectGetResourceDesc(resource: *mut CUDA_RESOURCE_DESC, texture: u64);
    fn cuTexObjectGetTextureDesc(description: *mut CUDA_TEXTURE_DESC, texture: u64);
    fn cuTexObjectGetResourceViewDesc(view: *mut CUDA_RESOURCE_VIEW_DESC, texture: u64);
    fn cuSurfObjectCreate(surface: *mut u64, resource: *const CUDA_RESOURCE_DESC);
    fn cuSurfObjectDestroy(surface: u64);
    fn cuSurfObjectGetResourceDesc(resource: *mut CUDA_RESOURCE_DESC, surface: u64);
    fn cuProfilerStart();
    fn cuProfilerStop();
    fn cuGraphCreate(graph: *mut cudaGraph_t, flags: u32);
    fn cuGraphDestroy(graph: cudaGraph_t);
    fn cuGraphClone(clone: *mut cudaGraph_t, graph: cudaGraph_t);
    fn cuGraphNodeFindInClone(node: *mut cudaGraphNode_t, original: cudaGraphNode_t, clone: cudaGraph_t);
    fn cuGraphNodeGetType(node: cudaGraphNode_t, kind: *mut u32);
    fn cuGraphGetNodes(graph: cudaGraph_t, nodes: *mut cudaGraphNode_t, count: *mut usize);
    fn cuGraphGetRootNodes(graph: cudaGraph_t, nodes: *mut cudaGraphNode_t, count: *mut usize);
    fn cuGraphGetEdges(graph: cudaGraph_t, from: *mut cudaGraphNode_t, to: *mut cudaGraphNode_t, count: *mut usize);
    fn cuGraphGetEdges_v2(graph: cudaGraph_t, from: *mut cudaGraphNode_t, to: *mut cudaGraphNode_t, data: *mut c_void, count: *mut usize);
    fn cuGraphNodeGetDependencies(node: cudaGraphNode_t, dependencies: *mut cudaGraphNode_t, count: *mut usize);
    fn cuGraphNodeGetDependencies_v2(node: cudaGraphNode_t, dependencies: *mut cudaGraphNode_t, data: *mut c_void, count: *mut usize);
    fn cuGraphNodeGetDependentNodes(node: cudaGraphNode_t, dependents: *mut cudaGraphNode_t, count: *mut usize);
    fn cuGraphNodeGetDependentNodes_v2(node: cudaGraphNode_t, dependents: *mut cudaGraphNode_t, data: *mut c_void, count: *mut usize);
    fn cuGraphAddDependencies(graph: cudaGraph_t, from: *const cudaGraphNode_t, to: *const cudaGraphNode_t, count: usize);
    fn cuGraphAddDependencies_v2(graph: cudaGraph_t, from: *const cudaGraphNode_t, to: *const cudaGraphNode_t, data: *const c_void, count: usize);
    fn cuGraphRemoveDependencies(graph: cudaGraph_t, from: *const cudaGraphNode_t, to: *const cudaGraphNode_t, count: usize);
    fn cuGraphRemoveDependencies_v2(graph: cudaGraph_t, from: *const cudaGraphNode_t, to: *const cudaGraphNode_t, data: *const c_void, count: usize);
    fn cuGraphDestroyNode(node: cudaGraphNode_t);
    fn cuGraphAddKernelNode_v2(node: *mut cudaGraphNode_t, graph: cudaGraph_t, dependencies: *const cudaGraphNode_t, count: usize, parameters: *const CUDA_KERNEL_NODE_PARAMS);
    fn cuGraphKernelNodeGetParams_v2(node: cudaGraphNode_t, parameters: *mut CUDA_KERNEL_NODE_PARAMS);
    fn cuGraphKernelNodeSetParams_v2(node: cudaGraphNode_t, parameters: *const CUDA_KERNEL_NODE_PARAMS);
    fn cuGraphExecKernelNodeSetParams_v2(exec: cudaGraphExec_t, node: cudaGraphNode_t, parameters: *const CUDA_KERNEL_NODE_PARAMS);
    fn cuGraphKernelNodeSetAttribute(node: cudaGraphNode_t, attribute: u32, value: *const c_void);
    fn cuGraphKernelNodeGetAttribute(node: cudaGraphNode_t, attribute: u32, value: *mut c_void);
    fn cuGraphKernelNodeCopyAttributes(destination: cudaGraphNode_t, source: cudaGraphNode_t);
    fn cuGraphAddMemcpyNode(node: *mut cudaGraphNode_t, graph: cudaGraph_t, dependencies: *const cudaGraphNode_t, count: usize, copy: *const CUDA_MEMCPY3D, context: CUcontext);
    fn cuGraphMemcpyNodeSetParams(node: cudaGraphNode_t, copy: *const CUDA_MEMCPY3D);
    fn cuGraphExecMemcpyNodeSetParams(exec: cudaGraphExec_t, node: cudaGraphNode_t, copy: *const CUDA_MEMCPY3D, context: CUcontext);
    fn cuGraphAddMemsetNode(node: *mut cudaGraphNode_t, graph: cudaGraph_t, dependencies: *const cudaGraphNode_t, count: usize, parameters: *const CUDA_MEMSET_NODE_PARAMS, context: CUcontext);
    fn cuGraphMemsetNodeGetParams(node: cudaGraphNode_t, parameters: *mut CUDA_MEMSET_NODE_PARAMS);
    fn cuGraphMemsetNodeSetParams(node: cudaGraphNode_t, parameters: *const CUDA_MEMSET_NODE_PARAMS);
    fn cuGraphExecMemsetNodeSetParams(exec: cudaGraphExec_t, node: cudaGraphNode_t, parameters: *const CUDA_MEMSET_NODE_PARAMS, context: CUcontext);
    fn cuGraphAddHostNode(node: *mut cudaGraphNode_t, graph: cudaGraph_t, dependencies: *const cudaGraphNode_t, count: usize, parameters: *const CUDA_HOST_NODE_PARAMS);
    fn cuGraphHostNodeGetParams(node: cudaGraphNode_t, parameters: *mut CUDA_HOST_NODE_PARAMS);
    fn cuGraphHostNodeSetParams(node: cudaGraphNode_t, parameters: *const CUDA_HOST_NODE_PARAMS);
    fn cuGraphExecHostNodeSetParams(exec: cudaGraphExec_t, node: cudaGraphNode_t, parameters: *const CUDA_HOST_NODE_PARAMS);
    fn cuGraphAddChildGraphNode(node: *mut cudaGraphNode_t, graph: cudaGraph_t, dependencies: *const cudaGraphNode_t, count: usize, child: cudaGraph_t);
    fn cuGraphChildGraphNodeGetGraph(node: cudaGraphNode_t, graph: *mut cudaGraph_t);
    fn cuGraphExecChildGraphNodeSetParams(exec: cudaGraphExec_t, node: cudaGraphNode_t, child: cudaGraph_t);
    fn cuGraphAddEmptyNode(node: *mut cudaGraphNode_t, graph: cudaGraph_t, dependencies: *const cudaGraphNode_t, count: usize);
    fn cuGraphAddEventRecordNode(node: *mut cudaGraphNode_t, graph: cudaGraph_t, dependencies: *const cudaGraphNode_t, count: usize, event: cudaEvent_t);
    fn cuGraphAddEventWaitNode(node: *mut cudaGraphNode_t, graph: cudaGraph_t, dependencies: *const cudaGraphNode_t, count: usize, event: cudaEvent_t);
    fn cuGraphEventRecordNodeGetEvent(node: cudaGraphNode_t, event: *mut cudaEvent_t);
    fn cuGraphEventRecordNodeSetEvent(node: cudaGraphNode_t, event: cudaEvent_t);
    fn cuGraphEventWaitNodeGetEvent(node: cudaGraphNode_t, event: *mut cudaEvent_t);
    fn cuGraphEventWaitNodeSetEvent(node: cudaGraphNode_t, event: cudaEvent_t);
    fn cuGraphExecEventRecordNodeSetEvent(exec: cudaGraphExec_t, node: cudaGraphNode_t, event: cudaEvent_t);
    fn cuGraphExecEventWaitNodeSetEvent(exec: cudaGraphExec_t, node: cudaGraphNode_t, event: cudaEvent_t);
    fn cuGraphAddMemFreeNode(node: *mut cudaGraphNode_t, graph: cudaGraph_t, dependencies: *const cudaGraphNode_t, count: usize, address: CUdeviceptr);
    fn cuGraphMemFreeNodeGetParams(node: cudaGraphNode_t, address: *mut CUdeviceptr);
    fn cuGraphInstantiateWithFlags(exec: *mut cudaGraphExec_t, graph: cudaGraph_t, flags: u64);
    fn cuGraphInstantiateWithParams(exec: *mut cudaGraphExec_t, graph: cudaGraph_t, parameters: *mut c_void);
    fn cuGraphExecGetFlags(exec: cudaGraphExec_t, flags: *mut u64);
    fn cuGraphUpload(exec: cudaGraphExec_t, stream: cudaStream_t);
    fn cuGraphLaunch(exec: cudaGraphExec_t, stream: cudaStream_t);
    fn cuGraphExecDestroy(exec: cudaGraphExec_t);
    fn cuGraphExecUpdate_v2(exec: cudaGraphExec_t, graph: cudaGraph_t, result: *mut c_void);
    fn cuGraphNodeSetEnabled(exec: cudaGraphExec_t, node: cudaGraphNode_t, enabled: u32);
    fn cuGraphNodeGetEnabled(exec: cudaGraphExec_t, node: cudaGraphNode_t, enabled: *mut u32);
    fn cuGraphDebugDotPrint(graph: cudaGraph_t, path: *const c_char, flags: u32);
    fn cuUserObjectCreate(object: *mut cudaUserObject_t, data: *mut c_void, destroy: cudaHostFn_t, count: u32, flags: u32);
    fn cuUserObjectRetain(object: cudaUserObject_t, count: u32);
    fn cuUserObjectRelease(object: cudaUserObject_t, count: u32);
    fn cuGraphRetainUserObject(graph: cudaGraph_t, object: cudaUserObject_t, count: u32, flags: u32);
    fn cuMemPoolExportToShareableHandle(handle: *mut c_void, pool: cudaMemPool_t, kind: u32, flags: u64);
    fn cuMemPoolImportFromShareableHandle(pool: *mut cudaMemPool_t, handle: *mut c_void, kind: u32, flags: u64);
    fn cuMemPoolExportPointer(data: *mut cuda_abi::runtime::cudaMemPoolPtrExportData, address: CUdeviceptr);
    fn cuMemPoolImportPointer(address: *mut CUdeviceptr, pool: cudaMemPool_t, data: *mut cuda_abi::runtime::cudaMemPoolPtrExportData);
    fn cuMemGetDefaultMemPool(pool: *mut cudaMemPool_t, location: *mut CUmemLocation, kind: u32);
    fn cuMemGetMemPool(pool: *mut cudaMemPool_t, location: *mut CUmemLocation, kind: u32);
    fn cuMemSetMemPool(location: *mut CUmemLocation, kind: u32, pool: cudaMemPool_t);
    fn cuMemPrefetchBatchAsync(addresses: *mut CUdeviceptr, sizes: *mut usize, count: usize, locations: *mut CUmemLocation, indices: *mut usize, location_count: usize, flags: u64, stream: cudaStream_t);
    fn cuMemDiscardAndPrefetchBatchAsync(addresses: *mut CUdeviceptr, sizes: *mut usize, count: usize, locations: *mut CUmemLocation, indices: *mut usize, location_count: usize, flags: u64, stream: cudaStream_t);
    fn cuMemDiscardBatchAsync(addresses: *mut CUdeviceptr, sizes: *mut usize, count: usize, flags: u64, stream: cudaStream_t);
    fn cuMemcpyBatchAsync(to: *mut CUdeviceptr, from: *mut CUdeviceptr, sizes: *mut usize, count: usize, attributes: *mut c_void, indices: *mut usize, attribute_count: usize, failed: *mut usize, stream: cudaStream_t);
    fn cuMemcpyBatchAsync_v2(to: *const CUdeviceptr, from: *const CUdeviceptr, sizes: *const usize, count: usize, attributes: *mut c_void, indices: *mut usize, attribute_count: usize, stream: cudaStream_t);
    fn cuLogsCurrent(iterator: *mut u32, flags: u32);
    fn cuLogsDumpToFile(iterator: *mut u32, path: *const c_char, flags: u32);
    fn cuLogsDumpToMemory(iterator: *mut u32, buffer: *mut c_char, size: *mut usize, flags: u32);
    fn cuLogsRegisterCallback(callback: cuda_abi::runtime::cudaLogsCallback_t, data: *mut c_void, handle: *mut cuda_abi::runtime::cudaLogsCallbackHandle);
    fn cuLogsUnregisterCallback(handle: cuda_abi::runtime::cudaLogsCallbackHandle);
    fn cuDeviceGetHostAtomicCapabilities(capabilities: *mut u32, operations: *const u32, count: u32, device: CUdevice);
    fn cuDeviceGetP2PAtomicCapabilities(capabilities: *mut u32, operations: *const u32, count: u32, source: CUdevice, destination: CUdevice);
    fn cuArrayGetPlane(plane: *mut cudaArray_t, array: cudaArray_t, index: u32);
    fn cuArrayGetMemoryRequirements(requirements: *mut c_void, array: cudaArray_t, device: CUdevice);
    fn cuArrayGetSparseProperties(properties: *mut c_void, array: cudaArray_t);
    fn cuMipmappedArrayGetMemoryRequirements(requirements: *mut c_void, array: cudaMipmappedArray_t, device: CUdevice);
    fn cuMipmappedArrayGetSparseProperties(properties: *mut c_void, array: cudaMipmappedArray_t);
    fn cuImportExternalMemory(memory: *mut cudaExternalMemory_t, descriptor: *const c_void);
    fn cuDestroyExternalMemory(memory: cudaExternalMemory_t);
    fn cuExternalMemoryGetMappedBuffer(address: *mut CUdeviceptr, memory: cudaExternalMemory_t, descriptor: *const c_void);
    fn cuExternalMemoryGetMappedMipmappedArray(array: *mut cudaMipmappedArray_t, memory: cudaExternalMemory_t, descriptor: *const c_void);
    fn cuImportExternalSemaphore(semaphore: *mut cudaExternalSemaphore_t, descriptor: *const c_void);
    fn cuDestroyExternalSemaphore(semaphore: cudaExternalSemaphore_t);
    fn cuSignalExternalSemaphoresAsync(semaphores: *const cudaExternalSemaphore_t, parameters: *const c_void, count: u32, stream: cudaStream_t);
    fn cuWaitExternalSemaphoresAsync(semaphores: *const cudaExternalSemaphore_t, parameters: *const c_void, count: u32, stream: cudaStream_t);
    fn cuGraphAddExternalSemaphoresSignalNode(node: *mut cudaGraphNode_t, graph: cudaGraph_t, dependencies: *const cudaGraphNode_t, count: usize, parameters: *const c_void);
    fn cuGraphAddExternalSemaphoresWaitNode(node: *mut cudaGraphNode_t, graph: cudaGraph_t, dependencies: *const cudaGraphNode_t, count: usize, parameters: *const c_void);
    fn cuGraphExecExternalSemaphoresSignalNodeSetParams(exec: cudaGraphExec_t, node: cudaGraphNode_t, parameters: *const c_void);
    fn cuGraphExecExternalSemaphoresWaitNodeSetParams(exec: cudaGraphExec_t, node: cudaGraphNode_t, parameters: *const c_void);
    fn cuGraphExternalSemaphoresSignalNodeGetParams(node: cudaGraphNode_t, parameters: *mut c_void);
    fn cuGraphExternalSemaphoresSignalNodeSetParams(node: cudaGraphNode_t, parameters: *const c_void);
    fn cuGraphExternalSemaphoresWaitNodeGetParams(node: cudaGraphNode_t, parameters: *mut c_void);
    fn cuGraphExternalSemaphoresWaitNodeSetParams(node: cudaGraphNode_t, parameters: *const c_void);
    fn cuGraphAddMemAllocNode(node: *mut cudaGraphNode_t, graph: cudaGraph_t, dependencies: *const cudaGraphNode_t, count: usize, parameters: *mut c_void);
    fn cuGraphMemAllocNodeGetParams(node: cudaGraphNode_t, parameters: *mut c_void);
    fn cuGraphAddNode_v2(node: *mut cudaGraphNode_t, graph: cudaGraph_t, dependencies: *const cudaGraphNode_t, data: *const c_void, count: usize, parameters: *mut c_void);
    fn cuGraphNodeSetParams(node: cudaGraphNode_t, parameters: *mut c_void);
    fn cuGraphExecNodeSetParams(exec: cudaGraphExec_t, node: cudaGraphNode_t, parameters: *mut c_void);
    fn cuGraphMemcpyNodeGetParams(node: cudaGraphNode_t, copy: *mut CUDA_MEMCPY3D);
    fn cuGraphicsMapResources(count: u32, resources: *mut cudaGraphicsResource_t, stream: cudaStream_t);
    fn cuGraphicsUnmapResources(count: u32, resources: *mut cudaGraphicsResource_t, stream: cudaStream_t);
    fn cuGraphicsResourceGetMappedMipmappedArray(array: *mut cudaMipmappedArray_t, resource: cudaGraphicsResource_t);
    fn cuGraphicsResourceGetMappedPointer_v2(address: *mut CUdeviceptr, size: *mut usize, resource: cudaGraphicsResource_t);
    fn cuGraphicsResourceSetMapFlags_v2(resource: cudaGraphicsResource_t, flags: u32);
    fn cuGraphicsSubResourceGetMappedArray(array: *mut cudaArray_t, resource: cudaGraphicsResource_t, index: u32, level: u32);
    fn cuGraphicsUnregisterResource(resource: cudaGraphicsResource_t);
    fn cuMemcpy3DBatchAsync(count: usize, operations: *mut c_void, failed: *mut usize, flags: u64, stream: cudaStream_t);
    fn cuMemcpy3DBatchAsync_v2(count: usize, operations: *mut c_void, flags: u64, stream: cudaStream_t);
    fn cuDeviceRegisterAsyncNotification(device: CUdevice, callback: cudaAsyncCallback, data: *mut c_void, handle: *mut cudaAsyncCallbackHandle_t);
    fn cuDeviceUnregisterAsyncNotification(device: CUdevice, handle: cudaAsyncCallbackHandle_t);
    fn cuGraphConditionalHandleCreate(handle: *mut u64, graph: cudaGraph_t, context: CUcontext, default_value: u32, flags: u32);
    fn cuGraphReleaseUserObject(graph: cudaGraph_t, object: cudaUserObject_t, count: u32);
}

// SAFETY: function pointers of a library that is never closed, and its handle, used by no one else.
unsafe impl Send for Driver {}
// SAFETY: as above; the Driver API is thread safe.
unsafe impl Sync for Driver {}

/// The error behind a `CUresult`. Since CUDA 10.1 both APIs number their errors alike; the one
/// driver code that the runtime lacks a name for becomes `Unknown`.
fn check(result: CUresult) -> Result<(), CudaError> {
    if result == 0 {
        return Ok(());
    }
    Err(CudaError::from_code(result).unwrap_or(CudaError::Unknown))
}

/// What was found when the driver was first looked for.
#[expect(clippy::large_enum_variant, reason = "there is one, in a static")]
enum Loaded {
    /// No `libcuda.so.1`.
    Missing,
    /// A driver and its version.
    Found { driver: Driver, version: i32 },
}

fn loaded() -> &'static Loaded {
    static LOADED: OnceLock<Loaded> = OnceLock::new();
    LOADED.get_or_init(|| {
        // SAFETY: a C string; the library stays open for ever.
        let library =
            unsafe { libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if library.is_null() {
            return Loaded::Missing;
        }
        // SAFETY: a live handle; a library of that name is a CUDA driver.
        let driver = unsafe { Driver::bind(library) };
        let mut version = 0;
        // SAFETY: the pointer is to a local.
        if unsafe { driver.cuDriverGetVersion(&raw mut version) }.is_err() {
            version = 0;
        }
        Loaded::Found { driver, version }
    })
}

/// The driver, initialised.
///
/// # Errors
/// `InsufficientDriver` (35) without a driver or with one of an older major; else the error of
/// `cuInit`, for instance `NoDevice` (100).
pub(crate) fn driver() -> Result<&'static Driver, CudaError> {
    // Apart from loading it: who asks for versions only may fork afterwards.
    static INITIALISED: OnceLock<Result<&'static Driver, CudaError>> = OnceLock::new();
    *INITIALISED.get_or_init(|| match loaded() {
        // An older major is not initialised: it may not know this runtime's ways.
        Loaded::Found { driver, version } if version / 1000 >= version::MAJOR => {
            // SAFETY: no pointers.
            unsafe { driver.cuInit(0) }.map(|()| driver)
        }
        Loaded::Missing | Loaded::Found { .. } => Err(CudaError::InsufficientDriver),
    })
}

/// The driver's version as `cuDriverGetVersion` gives it; 0 without a driver.
pub(crate) fn version_installed() -> i32 {
    match loaded() {
        Loaded::Missing => 0,
        Loaded::Found { version, .. } => *version,
    }
}

/// A driver function for the program's own use, by its base name.
///
/// `flags` are those of `cuGetProcAddress`; the query result is written to `status`.
///
/// # Errors
/// Those of [`driver`] and of `cuGetProcAddress`.
pub(crate) fn entry_point(
    name: &CStr,
    version: i32,
    flags: u64,
) -> Result<(*mut c_void, u32), CudaError> {
    let mut function = std::ptr::null_mut();
    let mut status = 0;
    cu!(cuGetProcAddress_v2(
        name.as_ptr(),
        &raw mut function,
        version,
        flags,
        &raw mut status
    ))?;
    Ok((function, status))
}

impl std::fmt::Debug for Driver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Driver({:p})", self.library)
    }
}
