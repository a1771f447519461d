//! Every function that `libcudart.so.12` and `libcudart.so.13` export, once.
//!
//! A row gives the exported symbol, its signature and what serves it. `/ name [ds]` is the variant
//! for programs built with `--default-stream per-thread`: the same function, in which `ds` tells
//! which stream 0 means. `unsupported!("why")` answers `cudaErrorNotSupported` (801) and
//! says so by name.
//! Names and signatures are those of CUDA 12.9 and 13.0 (`cuda_runtime_api.h`,
//! `crt/host_runtime.h`, and the dynamic symbols of the libraries); a `cfg` marks what only one
//! major has.
#![expect(non_snake_case, reason = "the names are those of the C headers")]

use crate::api::{
    array, copy, device, entry_point, error, event, external, fill, function, graph, launch,
    library, memory, module, node, peer, pointer, symbol, texture,
};
use crate::boundary::{Entry, boundary, boundary_plain};
use crate::driver::cu;
use crate::ffi::{In, Out, address};
use crate::layout::{
    cudaDeviceProp, cudaPointerAttributes, cudaResourceDesc, cudaResourceViewDesc,
};
use crate::{context, driver, registry, version};
use cuda_abi::runtime::*;
use std::ffi::{c_char, c_void};

/// Which stream 0 stands for in a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DefaultStream {
    /// The legacy default stream, which waits for all others.
    Legacy,
    /// The calling thread's own stream (`_ptsz` and `_ptds` symbols).
    PerThread,
}

impl DefaultStream {
    /// The stream that a handle of the caller's means.
    pub(crate) fn of(self, stream: cudaStream_t) -> cudaStream_t {
        match self {
            DefaultStream::PerThread if stream == STREAM_DEFAULT => STREAM_PER_THREAD,
            DefaultStream::PerThread | DefaultStream::Legacy => stream,
        }
    }
}

/// A driver call in the thread's context, which is made first if there is none.
macro_rules! through {
    ($function:ident($($argument:expr),* $(,)?)) => {{
        context::ensure()?;
        cu!($function($($argument),*))
    }};
}

/// The body of a row that never will be implemented, with the reason.
macro_rules! unsupported {
    ($why:literal) => {
        Err(CudaError::NotSupported)
    };
}

/// Why a row's body is no more than `unsupported!("...")`, if so.
const fn why_not(body: &'static str) -> Option<&'static str> {
    let start = b"unsupported!(\"";
    let bytes = body.as_bytes();
    if bytes.len() < start.len() + 2 {
        return None;
    }
    let mut at = 0;
    while at < start.len() {
        if bytes[at] != start[at] {
            return None;
        }
        at += 1;
    }
    let (_, rest) = body.split_at(start.len());
    // The closing quote and parenthesis.
    let (why, _) = rest.split_at(rest.len() - 2);
    Some(why)
}

/// One exported symbol.
macro_rules! export {
    ([$($meta:meta)*] $name:ident $entry:ident [$($ds:ident $which:ident)?]
     ($($argument:ident: $type:ty),*) () $body:expr) => {
        #[doc = concat!("`", stringify!($name), "` of the CUDA Runtime API.")]
        ///
        /// # Safety
        /// The contract of the C function: pointers are null where that is allowed, else valid.
        $(#[$meta])*
        #[unsafe(no_mangle)]
        #[allow(clippy::too_many_arguments, reason = "C API; most have few")]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> cudaError_t {
            $(
                let $ds = DefaultStream::$which;
                let _ = $ds;
            )?
            boundary(
                &entries::$entry,
                format_args!(concat!("" $(, stringify!($argument), "={:?} ")*) $(, $argument)*),
                || $body,
            )
        }
    };
    ([$($meta:meta)*] $name:ident $entry:ident []
     ($($argument:ident: $type:ty),*) ($result:ty) $body:expr) => {
        #[doc = concat!("`", stringify!($name), "` of the CUDA Runtime API.")]
        ///
        /// # Safety
        /// The contract of the C function: pointers are null where that is allowed, else valid.
        $(#[$meta])*
        #[unsafe(no_mangle)]
        #[allow(clippy::too_many_arguments, clippy::unused_unit, reason = "C API; most have few")]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> $result {
            boundary_plain(
                &entries::$entry,
                format_args!(concat!("" $(, stringify!($argument), "={:?} ")*) $(, $argument)*),
                || $body,
            )
        }
    };
}

/// One row: one symbol, or two where per-thread default streams make a difference.
macro_rules! export_row {
    ([$($meta:meta)*] $name:ident [] $arguments:tt $result:tt $body:expr) => {
        export! { [$($meta)*] $name $name [] $arguments $result $body }
    };
    ([$($meta:meta)*] $name:ident [$per_thread:ident $ds:ident] $arguments:tt () $body:expr) => {
        export! { [$($meta)*] $name $name [$ds Legacy] $arguments () $body }
        export! { [$($meta)*] $per_thread $name [$ds PerThread] $arguments () $body }
    };
}

macro_rules! runtime_functions {
    ($(
        $(#[$meta:meta])*
        fn $name:ident $(/ $per_thread:ident [$ds:ident])?
        ($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)? = $body:expr;
    )*) => {
        /// What is kept about each function.
        mod entries {
            use super::{Entry, why_not};
            $(
                $(#[$meta])*
                #[expect(non_upper_case_globals, reason = "named like the function")]
                pub(super) static $name: Entry =
                    Entry::new(stringify!($name), why_not(stringify!($body)));
            )*
        }

        /// Every function of this major, in the order of the table.
        pub static FUNCTIONS: &[&Entry] = &[$($(#[$meta])* &entries::$name),*];

        /// Every exported symbol of this major: each function's own, and its variant for
        /// per-thread default streams where there is one.
        pub static SYMBOLS: &[&[&str]] = &[$(
            $(#[$meta])* &[stringify!($name) $(, stringify!($per_thread))?]
        ),*];

        $(
            export_row! { [$($meta)*] $name [$($per_thread $ds)?]
                ($($argument: $type),*) ($($result)?) $body }
        )*
    };
}

// One row per line, however long: the table is read by column and searched by name.
#[rustfmt::skip]
runtime_functions! {
    fn __cudaGetKernel(kernel: Out<cudaKernel_t>, hostFun: *const c_void) = launch::get_kernel(kernel, hostFun);
    #[cfg(feature = "major-13")]
    fn __cudaGetProcAddress() = unsupported!("undocumented");
    fn __cudaInitModule(fatCubinHandle: *mut *mut c_void) -> u8 = module::init(fatCubinHandle);
    fn __cudaLaunchKernel / __cudaLaunchKernel_ptsz [ds](kernel: cudaKernel_t, gridDim: dim3, blockDim: dim3, args: *mut *mut c_void, sharedMem: usize, stream: cudaStream_t) = launch::launch(registry::from_handle(kernel)?, gridDim, blockDim, args, sharedMem, ds.of(stream));
    fn __cudaPopCallConfiguration(gridDim: Out<dim3>, blockDim: Out<dim3>, sharedMem: Out<usize>, stream: Out<cudaStream_t>) = launch::pop(gridDim, blockDim, sharedMem, stream);
    fn __cudaPushCallConfiguration(gridDim: dim3, blockDim: dim3, sharedMem: usize, stream: cudaStream_t) -> u32 = launch::push(gridDim, blockDim, sharedMem, stream);
    fn __cudaRegisterFatBinary(fatCubin: *mut c_void) -> *mut *mut c_void = module::register(fatCubin);
    fn __cudaRegisterFatBinaryEnd(fatCubinHandle: *mut *mut c_void) -> () = module::register_end(fatCubinHandle);
    fn __cudaRegisterFunction(fatCubinHandle: *mut *mut c_void, hostFun: *const c_char, deviceFun: *mut c_char, deviceName: *const c_char, threadLimit: i32, tid: *mut c_void, bid: *mut c_void, bDim: *mut c_void, gDim: *mut c_void, wSize: *mut i32) -> () = module::register_function(fatCubinHandle, hostFun, deviceName);
    fn __cudaRegisterHostVar() = unsupported!("undocumented");
    fn __cudaRegisterManagedVar(fatCubinHandle: *mut *mut c_void, hostVarPtrAddress: *mut *mut c_void, deviceAddress: *mut c_char, deviceName: *const c_char, ext: i32, size: usize, constant: i32, global: i32) -> () = module::register_managed(fatCubinHandle, hostVarPtrAddress, deviceName, size);
    fn __cudaRegisterUnifiedTable() = unsupported!("undocumented");
    fn __cudaRegisterVar(fatCubinHandle: *mut *mut c_void, hostVar: *mut c_char, deviceAddress: *mut c_char, deviceName: *const c_char, ext: i32, size: usize, constant: i32, global: i32) -> () = module::register_variable(fatCubinHandle, hostVar, deviceName, size);
    fn __cudaUnregisterFatBinary(fatCubinHandle: *mut *mut c_void) -> () = module::unregister(fatCubinHandle);
    fn cudaArrayGetInfo(desc: Out<cudaChannelFormatDesc>, extent: Out<cudaExtent>, flags: Out<u32>, array: cudaArray_t) = array::info(desc, extent, flags, array);
    fn cudaArrayGetMemoryRequirements(memoryRequirements: Out<cudaArrayMemoryRequirements>, array: cudaArray_t, device: i32) = through!(cuArrayGetMemoryRequirements(memoryRequirements.required()?.cast(), array, context::handle(device)?));
    fn cudaArrayGetPlane(pPlaneArray: Out<cudaArray_t>, hArray: cudaArray_t, planeIdx: u32) = through!(cuArrayGetPlane(pPlaneArray.required()?, hArray, planeIdx));
    fn cudaArrayGetSparseProperties(sparseProperties: Out<cudaArraySparseProperties>, array: cudaArray_t) = through!(cuArrayGetSparseProperties(sparseProperties.required()?.cast(), array));
    fn cudaChooseDevice(device: Out<i32>, prop: In<cudaDeviceProp>) = device::choose(device, prop);
    fn cudaCreateChannelDesc(x: i32, y: i32, z: i32, w: i32, f: u32) -> cudaChannelFormatDesc = array::channel_desc(x, y, z, w, f);
    fn cudaCreateSurfaceObject(pSurfObject: Out<cudaSurfaceObject_t>, pResDesc: In<cudaResourceDesc>) = texture::create_surface(pSurfObject, pResDesc);
    fn cudaCreateTextureObject(pTexObject: Out<cudaTextureObject_t>, pResDesc: In<cudaResourceDesc>, pTexDesc: In<cudaTextureDesc>, pResViewDesc: In<cudaResourceViewDesc>) = texture::create(pTexObject, pResDesc, pTexDesc, pResViewDesc);
    fn cudaCtxResetPersistingL2Cache() = through!(cuCtxResetPersistingL2Cache());
    fn cudaDestroyExternalMemory(extMem: cudaExternalMemory_t) = through!(cuDestroyExternalMemory(extMem));
    fn cudaDestroyExternalSemaphore(extSem: cudaExternalSemaphore_t) = through!(cuDestroyExternalSemaphore(extSem));
    fn cudaDestroySurfaceObject(surfObject: cudaSurfaceObject_t) = through!(cuSurfObjectDestroy(surfObject));
    fn cudaDestroyTextureObject(texObject: cudaTextureObject_t) = through!(cuTexObjectDestroy(texObject));
    fn cudaDeviceCanAccessPeer(canAccessPeer: Out<i32>, device: i32, peerDevice: i32) = peer::can_access(canAccessPeer, device, peerDevice);
    fn cudaDeviceDisablePeerAccess(peerDevice: i32) = peer::disable(peerDevice);
    fn cudaDeviceEnablePeerAccess(peerDevice: i32, flags: u32) = peer::enable(peerDevice, flags);
    fn cudaDeviceFlushGPUDirectRDMAWrites(target: u32, scope: u32) = through!(cuFlushGPUDirectRDMAWrites(target, scope));
    fn cudaDeviceGetAttribute(value: Out<i32>, attr: u32, device: i32) = device::attribute(value, attr, device);
    fn cudaDeviceGetByPCIBusId(device: Out<i32>, pciBusId: *const c_char) = device::by_pci_bus_id(device, pciBusId);
    fn cudaDeviceGetCacheConfig(pCacheConfig: Out<u32>) = through!(cuCtxGetCacheConfig(pCacheConfig.required()?));
    fn cudaDeviceGetDefaultMemPool(memPool: Out<cudaMemPool_t>, device: i32) = device::default_pool(memPool, device);
    fn cudaDeviceGetGraphMemAttribute(device: i32, attr: u32, value: *mut c_void) = cu!(cuDeviceGetGraphMemAttribute(context::handle(device)?, attr, value));
    #[cfg(feature = "major-13")]
    fn cudaDeviceGetHostAtomicCapabilities(capabilities: Out<u32>, operations: In<u32>, count: u32, device: i32) = cu!(cuDeviceGetHostAtomicCapabilities(capabilities.required()?, operations.as_ptr(), count, context::handle(device)?));
    fn cudaDeviceGetLimit(pValue: Out<usize>, limit: u32) = through!(cuCtxGetLimit(pValue.required()?, limit));
    fn cudaDeviceGetMemPool(memPool: Out<cudaMemPool_t>, device: i32) = device::pool(memPool, device);
    fn cudaDeviceGetNvSciSyncAttributes(nvSciSyncAttrList: *mut c_void, device: i32, flags: i32) = unsupported!("needs hardware");
    #[cfg(feature = "major-13")]
    fn cudaDeviceGetP2PAtomicCapabilities(capabilities: Out<u32>, operations: In<u32>, count: u32, srcDevice: i32, dstDevice: i32) = cu!(cuDeviceGetP2PAtomicCapabilities(capabilities.required()?, operations.as_ptr(), count, context::handle(srcDevice)?, context::handle(dstDevice)?));
    fn cudaDeviceGetP2PAttribute(value: Out<i32>, attr: u32, srcDevice: i32, dstDevice: i32) = cu!(cuDeviceGetP2PAttribute(value.required()?, attr, context::handle(srcDevice)?, context::handle(dstDevice)?));
    fn cudaDeviceGetPCIBusId(pciBusId: *mut c_char, len: i32, device: i32) = cu!(cuDeviceGetPCIBusId(pciBusId, len, context::handle(device)?));
    fn cudaDeviceGetSharedMemConfig(pConfig: Out<u32>) = through!(cuCtxGetSharedMemConfig(pConfig.required()?));
    fn cudaDeviceGetStreamPriorityRange(leastPriority: Out<i32>, greatestPriority: Out<i32>) = device::priorities(leastPriority, greatestPriority);
    fn cudaDeviceGetTexture1DLinearMaxWidth(maxWidthInElements: Out<usize>, fmtDesc: In<cudaChannelFormatDesc>, device: i32) = texture::max_linear_width(maxWidthInElements, fmtDesc, device);
    fn cudaDeviceGraphMemTrim(device: i32) = cu!(cuDeviceGraphMemTrim(context::handle(device)?));
    fn cudaDeviceRegisterAsyncNotification(device: i32, callbackFunc: cudaAsyncCallback, userData: *mut c_void, callback: Out<cudaAsyncCallbackHandle_t>) = device::register_notification(device, callbackFunc, userData, callback);
    fn cudaDeviceReset() = device::reset();
    fn cudaDeviceSetCacheConfig(cacheConfig: u32) = through!(cuCtxSetCacheConfig(cacheConfig));
    fn cudaDeviceSetGraphMemAttribute(device: i32, attr: u32, value: *mut c_void) = cu!(cuDeviceSetGraphMemAttribute(context::handle(device)?, attr, value));
    fn cudaDeviceSetLimit(limit: u32, value: usize) = through!(cuCtxSetLimit(limit, value));
    fn cudaDeviceSetMemPool(device: i32, memPool: cudaMemPool_t) = cu!(cuDeviceSetMemPool(context::handle(device)?, memPool));
    fn cudaDeviceSetSharedMemConfig(config: u32) = through!(cuCtxSetSharedMemConfig(config));
    fn cudaDeviceSynchronize() = through!(cuCtxSynchronize());
    fn cudaDeviceUnregisterAsyncNotification(device: i32, callback: cudaAsyncCallbackHandle_t) = device::unregister_notification(device, callback);
    fn cudaDriverGetVersion(driverVersion: Out<i32>) = driverVersion.set(driver::version_installed());
    fn cudaEGLStreamConsumerAcquireFrame() = unsupported!("other graphics API");
    fn cudaEGLStreamConsumerConnect() = unsupported!("other graphics API");
    fn cudaEGLStreamConsumerConnectWithFlags() = unsupported!("other graphics API");
    fn cudaEGLStreamConsumerDisconnect() = unsupported!("other graphics API");
    fn cudaEGLStreamConsumerReleaseFrame() = unsupported!("other graphics API");
    fn cudaEGLStreamProducerConnect() = unsupported!("other graphics API");
    fn cudaEGLStreamProducerDisconnect() = unsupported!("other graphics API");
    fn cudaEGLStreamProducerPresentFrame() = unsupported!("other graphics API");
    fn cudaEGLStreamProducerReturnFrame() = unsupported!("other graphics API");
    fn cudaEventCreate(event: Out<cudaEvent_t>) = through!(cuEventCreate(event.required()?, 0));
    fn cudaEventCreateFromEGLSync() = unsupported!("other graphics API");
    fn cudaEventCreateWithFlags(event: Out<cudaEvent_t>, flags: u32) = through!(cuEventCreate(event.required()?, flags));
    fn cudaEventDestroy(event: cudaEvent_t) = through!(cuEventDestroy_v2(event));
    fn cudaEventElapsedTime(ms: Out<f32>, start: cudaEvent_t, end: cudaEvent_t) = event::elapsed(ms, start, end);
    #[cfg(not(feature = "major-13"))]
    fn cudaEventElapsedTime_v2(ms: Out<f32>, start: cudaEvent_t, end: cudaEvent_t) = through!(cuEventElapsedTime_v2(ms.required()?, start, end));
    fn cudaEventQuery(event: cudaEvent_t) = through!(cuEventQuery(event));
    fn cudaEventRecord / cudaEventRecord_ptsz [ds](event: cudaEvent_t, stream: cudaStream_t) = through!(cuEventRecord(event, ds.of(stream)));
    fn cudaEventRecordWithFlags / cudaEventRecordWithFlags_ptsz [ds](event: cudaEvent_t, stream: cudaStream_t, flags: u32) = through!(cuEventRecordWithFlags(event, ds.of(stream), flags));
    fn cudaEventSynchronize(event: cudaEvent_t) = through!(cuEventSynchronize(event));
    fn cudaExternalMemoryGetMappedBuffer(devPtr: Out<*mut c_void>, extMem: cudaExternalMemory_t, bufferDesc: In<cudaExternalMemoryBufferDesc>) = external::mapped_buffer(devPtr, extMem, bufferDesc);
    fn cudaExternalMemoryGetMappedMipmappedArray(mipmap: Out<cudaMipmappedArray_t>, extMem: cudaExternalMemory_t, mipmapDesc: In<cudaExternalMemoryMipmappedArrayDesc>) = external::mapped_mipmapped_array(mipmap, extMem, mipmapDesc);
    fn cudaFree(devPtr: *mut c_void) = memory::free(devPtr);
    fn cudaFreeArray(array: cudaArray_t) = array::free(array);
    fn cudaFreeAsync / cudaFreeAsync_ptsz [ds](devPtr: *mut c_void, hStream: cudaStream_t) = through!(cuMemFreeAsync(address(devPtr), ds.of(hStream)));
    fn cudaFreeHost(ptr: *mut c_void) = memory::free_host(ptr);
    fn cudaFreeMipmappedArray(mipmappedArray: cudaMipmappedArray_t) = array::free_mipmapped(mipmappedArray);
    fn cudaFuncGetAttributes(attr: Out<cudaFuncAttributes>, func: *const c_void) = function::attributes(attr, func);
    fn cudaFuncGetName(name: Out<*const c_char>, func: *const c_void) = cu!(cuKernelGetName(name.required()?, registry::kernel(func)?));
    fn cudaFuncGetParamInfo(func: *const c_void, paramIndex: usize, paramOffset: Out<usize>, paramSize: Out<usize>) = cu!(cuKernelGetParamInfo(registry::kernel(func)?, paramIndex, paramOffset.required()?, paramSize.as_ptr()));
    fn cudaFuncSetAttribute(func: *const c_void, attr: u32, value: i32) = function::set_attribute(func, attr, value);
    fn cudaFuncSetCacheConfig(func: *const c_void, cacheConfig: u32) = function::set_cache_config(func, cacheConfig);
    fn cudaFuncSetSharedMemConfig(func: *const c_void, config: u32) = registry::kernel(func).map(|_| ());
    fn cudaGLGetDevices() = unsupported!("other graphics API");
    fn cudaGLMapBufferObject() = unsupported!("other graphics API");
    fn cudaGLMapBufferObjectAsync() = unsupported!("other graphics API");
    fn cudaGLRegisterBufferObject() = unsupported!("other graphics API");
    fn cudaGLSetBufferObjectMapFlags() = unsupported!("other graphics API");
    fn cudaGLSetGLDevice() = unsupported!("other graphics API");
    fn cudaGLUnmapBufferObject() = unsupported!("other graphics API");
    fn cudaGLUnmapBufferObjectAsync() = unsupported!("other graphics API");
    fn cudaGLUnregisterBufferObject() = unsupported!("other graphics API");
    fn cudaGetChannelDesc(desc: Out<cudaChannelFormatDesc>, array: cudaArray_const_t) = array::get_channel_desc(desc, array);
    fn cudaGetDevice(device: Out<i32>) = device.set(context::current_device()?);
    fn cudaGetDeviceCount(count: Out<i32>) = device::count(count);
    fn cudaGetDeviceFlags(flags: Out<u32>) = device::flags(flags);
    // The unversioned name of CUDA 12 has the layout of CUDA 11, which headers since 12.0 avoid.
    #[cfg(not(feature = "major-13"))]
    fn cudaGetDeviceProperties(prop: *mut c_void, device: i32) = device::old_properties(prop, device);
    #[cfg(feature = "major-13")]
    fn cudaGetDeviceProperties(prop: Out<cudaDeviceProp>, device: i32) = device::properties(prop, device);
    #[cfg(not(feature = "major-13"))]
    fn cudaGetDeviceProperties_v2(prop: Out<cudaDeviceProp>, device: i32) = device::properties(prop, device);
    fn cudaGetDriverEntryPoint / cudaGetDriverEntryPoint_ptsz [ds](symbol: *const c_char, funcPtr: Out<*mut c_void>, flags: u64, driverStatus: Out<u32>) = entry_point::get(ds, symbol, funcPtr, version::runtime(), flags, driverStatus);
    fn cudaGetDriverEntryPointByVersion / cudaGetDriverEntryPointByVersion_ptsz [ds](symbol: *const c_char, funcPtr: Out<*mut c_void>, cudaVersion: u32, flags: u64, driverStatus: Out<u32>) = entry_point::by_version(ds, symbol, funcPtr, cudaVersion, flags, driverStatus);
    fn cudaGetErrorName(error: i32) -> *const c_char = error::name(error);
    fn cudaGetErrorString(error: i32) -> *const c_char = error::text(error);
    fn cudaGetExportTable(ppExportTable: Out<*const c_void>, pExportTableId: In<cudaUUID_t>) = unsupported!("undocumented");
    fn cudaGetFuncBySymbol(functionPtr: Out<cudaFunction_t>, symbolPtr: *const c_void) = function::by_symbol(functionPtr, symbolPtr);
    fn cudaGetKernel(kernelPtr: Out<cudaKernel_t>, entryFuncAddr: *const c_void) = function::kernel_of(kernelPtr, entryFuncAddr);
    fn cudaGetLastError() -> cudaError_t = error::take_last();
    fn cudaGetMipmappedArrayLevel(levelArray: Out<cudaArray_t>, mipmappedArray: cudaMipmappedArray_const_t, level: u32) = through!(cuMipmappedArrayGetLevel(levelArray.required()?, mipmappedArray, level));
    fn cudaGetSurfaceObjectResourceDesc(pResDesc: Out<cudaResourceDesc>, surfObject: cudaSurfaceObject_t) = texture::surface_resource_of(pResDesc, surfObject);
    fn cudaGetSymbolAddress(devPtr: Out<*mut c_void>, symbol: *const c_void) = symbol::address_of(devPtr, symbol);
    fn cudaGetSymbolSize(size: Out<usize>, symbol: *const c_void) = symbol::size_of(size, symbol);
    fn cudaGetTextureObjectResourceDesc(pResDesc: Out<cudaResourceDesc>, texObject: cudaTextureObject_t) = texture::resource_of(pResDesc, texObject);
    fn cudaGetTextureObjectResourceViewDesc(pResViewDesc: Out<cudaResourceViewDesc>, texObject: cudaTextureObject_t) = texture::view_of(pResViewDesc, texObject);
    fn cudaGetTextureObjectTextureDesc(pTexDesc: Out<cudaTextureDesc>, texObject: cudaTextureObject_t) = texture::description_of(pTexDesc, texObject);
    fn cudaGraphAddChildGraphNode(pGraphNode: Out<cudaGraphNode_t>, graph: cudaGraph_t, pDependencies: In<cudaGraphNode_t>, numDependencies: usize, childGraph: cudaGraph_t) = cu!(cuGraphAddChildGraphNode(pGraphNode.required()?, graph, pDependencies.as_ptr(), numDependencies, childGraph));
    #[cfg(not(feature = "major-13"))]
    fn cudaGraphAddDependencies(graph: cudaGraph_t, from: In<cudaGraphNode_t>, to: In<cudaGraphNode_t>, numDependencies: usize) = cu!(cuGraphAddDependencies(graph, from.as_ptr(), to.as_ptr(), numDependencies));
    #[cfg(feature = "major-13")]
    fn cudaGraphAddDependencies(graph: cudaGraph_t, from: In<cudaGraphNode_t>, to: In<cudaGraphNode_t>, edgeData: In<cudaGraphEdgeData>, numDependencies: usize) = cu!(cuGraphAddDependencies_v2(graph, from.as_ptr(), to.as_ptr(), edgeData.as_ptr().cast(), numDependencies));
    #[cfg(not(feature = "major-13"))]
    fn cudaGraphAddDependencies_v2(graph: cudaGraph_t, from: In<cudaGraphNode_t>, to: In<cudaGraphNode_t>, edgeData: In<cudaGraphEdgeData>, numDependencies: usize) = cu!(cuGraphAddDependencies_v2(graph, from.as_ptr(), to.as_ptr(), edgeData.as_ptr().cast(), numDependencies));
    fn cudaGraphAddEmptyNode(pGraphNode: Out<cudaGraphNode_t>, graph: cudaGraph_t, pDependencies: In<cudaGraphNode_t>, numDependencies: usize) = cu!(cuGraphAddEmptyNode(pGraphNode.required()?, graph, pDependencies.as_ptr(), numDependencies));
    fn cudaGraphAddEventRecordNode(pGraphNode: Out<cudaGraphNode_t>, graph: cudaGraph_t, pDependencies: In<cudaGraphNode_t>, numDependencies: usize, event: cudaEvent_t) = cu!(cuGraphAddEventRecordNode(pGraphNode.required()?, graph, pDependencies.as_ptr(), numDependencies, event));
    fn cudaGraphAddEventWaitNode(pGraphNode: Out<cudaGraphNode_t>, graph: cudaGraph_t, pDependencies: In<cudaGraphNode_t>, numDependencies: usize, event: cudaEvent_t) = cu!(cuGraphAddEventWaitNode(pGraphNode.required()?, graph, pDependencies.as_ptr(), numDependencies, event));
    fn cudaGraphAddExternalSemaphoresSignalNode(pGraphNode: Out<cudaGraphNode_t>, graph: cudaGraph_t, pDependencies: In<cudaGraphNode_t>, numDependencies: usize, nodeParams: In<cudaExternalSemaphoreSignalNodeParams>) = through!(cuGraphAddExternalSemaphoresSignalNode(pGraphNode.required()?, graph, pDependencies.as_ptr(), numDependencies, nodeParams.as_ptr().cast()));
    fn cudaGraphAddExternalSemaphoresWaitNode(pGraphNode: Out<cudaGraphNode_t>, graph: cudaGraph_t, pDependencies: In<cudaGraphNode_t>, numDependencies: usize, nodeParams: In<cudaExternalSemaphoreWaitNodeParams>) = through!(cuGraphAddExternalSemaphoresWaitNode(pGraphNode.required()?, graph, pDependencies.as_ptr(), numDependencies, nodeParams.as_ptr().cast()));
    fn cudaGraphAddHostNode(pGraphNode: Out<cudaGraphNode_t>, graph: cudaGraph_t, pDependencies: In<cudaGraphNode_t>, numDependencies: usize, pNodeParams: In<cudaHostNodeParams>) = cu!(cuGraphAddHostNode(pGraphNode.required()?, graph, pDependencies.as_ptr(), numDependencies, &graph::host_node(pNodeParams)?));
    fn cudaGraphAddKernelNode(pGraphNode: Out<cudaGraphNode_t>, graph: cudaGraph_t, pDependencies: In<cudaGraphNode_t>, numDependencies: usize, pNodeParams: In<cudaKernelNodeParams>) = through!(cuGraphAddKernelNode_v2(pGraphNode.required()?, graph, pDependencies.as_ptr(), numDependencies, &graph::kernel_node(pNodeParams)?));
    fn cudaGraphAddMemAllocNode(pGraphNode: Out<cudaGraphNode_t>, graph: cudaGraph_t, pDependencies: In<cudaGraphNode_t>, numDependencies: usize, nodeParams: Out<cudaMemAllocNodeParams>) = through!(cuGraphAddMemAllocNode(pGraphNode.required()?, graph, pDependencies.as_ptr(), numDependencies, nodeParams.as_ptr().cast()));
    fn cudaGraphAddMemFreeNode(pGraphNode: Out<cudaGraphNode_t>, graph: cudaGraph_t, pDependencies: In<cudaGraphNode_t>, numDependencies: usize, dptr: *mut c_void) = cu!(cuGraphAddMemFreeNode(pGraphNode.required()?, graph, pDependencies.as_ptr(), numDependencies, address(dptr)));
    fn cudaGraphAddMemcpyNode(pGraphNode: Out<cudaGraphNode_t>, graph: cudaGraph_t, pDependencies: In<cudaGraphNode_t>, numDependencies: usize, pCopyParams: In<cudaMemcpy3DParms>) = graph::add_memcpy(pGraphNode, graph, pDependencies, numDependencies, &copy::copy_3d(&pCopyParams.get()?)?);
    fn cudaGraphAddMemcpyNode1D(pGraphNode: Out<cudaGraphNode_t>, graph: cudaGraph_t, pDependencies: In<cudaGraphNode_t>, numDependencies: usize, dst: *mut c_void, src: *const c_void, count: usize, kind: u32) = graph::add_memcpy(pGraphNode, graph, pDependencies, numDependencies, &copy::copy_1d(address(dst), address(src), count, kind)?);
    fn cudaGraphAddMemcpyNodeFromSymbol(pGraphNode: Out<cudaGraphNode_t>, graph: cudaGraph_t, pDependencies: In<cudaGraphNode_t>, numDependencies: usize, dst: *mut c_void, symbol: *const c_void, count: usize, offset: usize, kind: u32) = graph::add_memcpy(pGraphNode, graph, pDependencies, numDependencies, &copy::copy_1d(address(dst), symbol::inside(symbol, offset, count)?, count, symbol::from_kind(kind)?)?);
    fn cudaGraphAddMemcpyNodeToSymbol(pGraphNode: Out<cudaGraphNode_t>, graph: cudaGraph_t, pDependencies: In<cudaGraphNode_t>, numDependencies: usize, symbol: *const c_void, src: *const c_void, count: usize, offset: usize, kind: u32) = graph::add_memcpy(pGraphNode, graph, pDependencies, numDependencies, &copy::copy_1d(symbol::inside(symbol, offset, count)?, address(src), count, symbol::to_kind(kind)?)?);
    fn cudaGraphAddMemsetNode(pGraphNode: Out<cudaGraphNode_t>, graph: cudaGraph_t, pDependencies: In<cudaGraphNode_t>, numDependencies: usize, pMemsetParams: In<cudaMemsetParams>) = cu!(cuGraphAddMemsetNode(pGraphNode.required()?, graph, pDependencies.as_ptr(), numDependencies, pMemsetParams.as_ptr(), context::ensure()?));
    #[cfg(not(feature = "major-13"))]
    fn cudaGraphAddNode(pGraphNode: Out<cudaGraphNode_t>, graph: cudaGraph_t, pDependencies: In<cudaGraphNode_t>, numDependencies: usize, nodeParams: Out<cudaGraphNodeParams>) = node::add(pGraphNode, graph, pDependencies, std::ptr::null(), numDependencies, nodeParams);
    #[cfg(feature = "major-13")]
    fn cudaGraphAddNode(pGraphNode: Out<cudaGraphNode_t>, graph: cudaGraph_t, pDependencies: In<cudaGraphNode_t>, dependencyData: In<cudaGraphEdgeData>, numDependencies: usize, nodeParams: Out<cudaGraphNodeParams>) = node::add(pGraphNode, graph, pDependencies, dependencyData.as_ptr().cast(), numDependencies, nodeParams);
    #[cfg(not(feature = "major-13"))]
    fn cudaGraphAddNode_v2(pGraphNode: Out<cudaGraphNode_t>, graph: cudaGraph_t, pDependencies: In<cudaGraphNode_t>, dependencyData: In<cudaGraphEdgeData>, numDependencies: usize, nodeParams: Out<cudaGraphNodeParams>) = node::add(pGraphNode, graph, pDependencies, dependencyData.as_ptr().cast(), numDependencies, nodeParams);
    fn cudaGraphChildGraphNodeGetGraph(node: cudaGraphNode_t, pGraph: Out<cudaGraph_t>) = cu!(cuGraphChildGraphNodeGetGraph(node, pGraph.required()?));
    fn cudaGraphClone(pGraphClone: Out<cudaGraph_t>, originalGraph: cudaGraph_t) = cu!(cuGraphClone(pGraphClone.required()?, originalGraph));
    fn cudaGraphConditionalHandleCreate(pHandle_out: Out<cudaGraphConditionalHandle>, graph: cudaGraph_t, defaultLaunchValue: u32, flags: u32) = cu!(cuGraphConditionalHandleCreate(pHandle_out.required()?, graph, context::ensure()?, defaultLaunchValue, flags));
    fn cudaGraphCreate(pGraph: Out<cudaGraph_t>, flags: u32) = cu!(cuGraphCreate(pGraph.required()?, flags));
    fn cudaGraphDebugDotPrint(graph: cudaGraph_t, path: *const c_char, flags: u32) = cu!(cuGraphDebugDotPrint(graph, path, flags));
    fn cudaGraphDestroy(graph: cudaGraph_t) = cu!(cuGraphDestroy(graph));
    fn cudaGraphDestroyNode(node: cudaGraphNode_t) = cu!(cuGraphDestroyNode(node));
    fn cudaGraphEventRecordNodeGetEvent(node: cudaGraphNode_t, event_out: Out<cudaEvent_t>) = cu!(cuGraphEventRecordNodeGetEvent(node, event_out.required()?));
    fn cudaGraphEventRecordNodeSetEvent(node: cudaGraphNode_t, event: cudaEvent_t) = cu!(cuGraphEventRecordNodeSetEvent(node, event));
    fn cudaGraphEventWaitNodeGetEvent(node: cudaGraphNode_t, event_out: Out<cudaEvent_t>) = cu!(cuGraphEventWaitNodeGetEvent(node, event_out.required()?));
    fn cudaGraphEventWaitNodeSetEvent(node: cudaGraphNode_t, event: cudaEvent_t) = cu!(cuGraphEventWaitNodeSetEvent(node, event));
    fn cudaGraphExecChildGraphNodeSetParams(hGraphExec: cudaGraphExec_t, node: cudaGraphNode_t, childGraph: cudaGraph_t) = cu!(cuGraphExecChildGraphNodeSetParams(hGraphExec, node, childGraph));
    fn cudaGraphExecDestroy(graphExec: cudaGraphExec_t) = cu!(cuGraphExecDestroy(graphExec));
    fn cudaGraphExecEventRecordNodeSetEvent(hGraphExec: cudaGraphExec_t, hNode: cudaGraphNode_t, event: cudaEvent_t) = cu!(cuGraphExecEventRecordNodeSetEvent(hGraphExec, hNode, event));
    fn cudaGraphExecEventWaitNodeSetEvent(hGraphExec: cudaGraphExec_t, hNode: cudaGraphNode_t, event: cudaEvent_t) = cu!(cuGraphExecEventWaitNodeSetEvent(hGraphExec, hNode, event));
    fn cudaGraphExecExternalSemaphoresSignalNodeSetParams(hGraphExec: cudaGraphExec_t, hNode: cudaGraphNode_t, nodeParams: In<cudaExternalSemaphoreSignalNodeParams>) = through!(cuGraphExecExternalSemaphoresSignalNodeSetParams(hGraphExec, hNode, nodeParams.as_ptr().cast()));
    fn cudaGraphExecExternalSemaphoresWaitNodeSetParams(hGraphExec: cudaGraphExec_t, hNode: cudaGraphNode_t, nodeParams: In<cudaExternalSemaphoreWaitNodeParams>) = through!(cuGraphExecExternalSemaphoresWaitNodeSetParams(hGraphExec, hNode, nodeParams.as_ptr().cast()));
    fn cudaGraphExecGetFlags(graphExec: cudaGraphExec_t, flags: Out<u64>) = cu!(cuGraphExecGetFlags(graphExec, flags.required()?));
    fn cudaGraphExecHostNodeSetParams(hGraphExec: cudaGraphExec_t, node: cudaGraphNode_t, pNodeParams: In<cudaHostNodeParams>) = cu!(cuGraphExecHostNodeSetParams(hGraphExec, node, &graph::host_node(pNodeParams)?));
    fn cudaGraphExecKernelNodeSetParams(hGraphExec: cudaGraphExec_t, node: cudaGraphNode_t, pNodeParams: In<cudaKernelNodeParams>) = through!(cuGraphExecKernelNodeSetParams_v2(hGraphExec, node, &graph::kernel_node(pNodeParams)?));
    fn cudaGraphExecMemcpyNodeSetParams(hGraphExec: cudaGraphExec_t, node: cudaGraphNode_t, pNodeParams: In<cudaMemcpy3DParms>) = cu!(cuGraphExecMemcpyNodeSetParams(hGraphExec, node, &copy::copy_3d(&pNodeParams.get()?)?, context::ensure()?));
    fn cudaGraphExecMemcpyNodeSetParams1D(hGraphExec: cudaGraphExec_t, node: cudaGraphNode_t, dst: *mut c_void, src: *const c_void, count: usize, kind: u32) = cu!(cuGraphExecMemcpyNodeSetParams(hGraphExec, node, &copy::copy_1d(address(dst), address(src), count, kind)?, context::ensure()?));
    fn cudaGraphExecMemcpyNodeSetParamsFromSymbol(hGraphExec: cudaGraphExec_t, node: cudaGraphNode_t, dst: *mut c_void, symbol: *const c_void, count: usize, offset: usize, kind: u32) = cu!(cuGraphExecMemcpyNodeSetParams(hGraphExec, node, &copy::copy_1d(address(dst), symbol::inside(symbol, offset, count)?, count, symbol::from_kind(kind)?)?, context::ensure()?));
    fn cudaGraphExecMemcpyNodeSetParamsToSymbol(hGraphExec: cudaGraphExec_t, node: cudaGraphNode_t, symbol: *const c_void, src: *const c_void, count: usize, offset: usize, kind: u32) = cu!(cuGraphExecMemcpyNodeSetParams(hGraphExec, node, &copy::copy_1d(symbol::inside(symbol, offset, count)?, address(src), count, symbol::to_kind(kind)?)?, context::ensure()?));
    fn cudaGraphExecMemsetNodeSetParams(hGraphExec: cudaGraphExec_t, node: cudaGraphNode_t, pNodeParams: In<cudaMemsetParams>) = cu!(cuGraphExecMemsetNodeSetParams(hGraphExec, node, pNodeParams.as_ptr(), context::ensure()?));
    fn cudaGraphExecNodeSetParams(graphExec: cudaGraphExec_t, node: cudaGraphNode_t, nodeParams: Out<cudaGraphNodeParams>) = node::set_in_exec(graphExec, node, nodeParams);
    fn cudaGraphExecUpdate(hGraphExec: cudaGraphExec_t, hGraph: cudaGraph_t, resultInfo: Out<cudaGraphExecUpdateResultInfo>) = cu!(cuGraphExecUpdate_v2(hGraphExec, hGraph, resultInfo.required()?.cast()));
    fn cudaGraphExternalSemaphoresSignalNodeGetParams(hNode: cudaGraphNode_t, params_out: Out<cudaExternalSemaphoreSignalNodeParams>) = through!(cuGraphExternalSemaphoresSignalNodeGetParams(hNode, params_out.as_ptr().cast()));
    fn cudaGraphExternalSemaphoresSignalNodeSetParams(hNode: cudaGraphNode_t, nodeParams: In<cudaExternalSemaphoreSignalNodeParams>) = through!(cuGraphExternalSemaphoresSignalNodeSetParams(hNode, nodeParams.as_ptr().cast()));
    fn cudaGraphExternalSemaphoresWaitNodeGetParams(hNode: cudaGraphNode_t, params_out: Out<cudaExternalSemaphoreWaitNodeParams>) = through!(cuGraphExternalSemaphoresWaitNodeGetParams(hNode, params_out.as_ptr().cast()));
    fn cudaGraphExternalSemaphoresWaitNodeSetParams(hNode: cudaGraphNode_t, nodeParams: In<cudaExternalSemaphoreWaitNodeParams>) = through!(cuGraphExternalSemaphoresWaitNodeSetParams(hNode, nodeParams.as_ptr().cast()));
    #[cfg(not(feature = "major-13"))]
    fn cudaGraphGetEdges(graph: cudaGraph_t, from: Out<cudaGraphNode_t>, to: Out<cudaGraphNode_t>, numEdges: Out<usize>) = cu!(cuGraphGetEdges(graph, from.as_ptr(), to.as_ptr(), numEdges.required()?));
    #[cfg(feature = "major-13")]
    fn cudaGraphGetEdges(graph: cudaGraph_t, from: Out<cudaGraphNode_t>, to: Out<cudaGraphNode_t>, edgeData: Out<cudaGraphEdgeData>, numEdges: Out<usize>) = cu!(cuGraphGetEdges_v2(graph, from.as_ptr(), to.as_ptr(), edgeData.as_ptr().cast(), numEdges.required()?));
    #[cfg(not(feature = "major-13"))]
    fn cudaGraphGetEdges_v2(graph: cudaGraph_t, from: Out<cudaGraphNode_t>, to: Out<cudaGraphNode_t>, edgeData: Out<cudaGraphEdgeData>, numEdges: Out<usize>) = cu!(cuGraphGetEdges_v2(graph, from.as_ptr(), to.as_ptr(), edgeData.as_ptr().cast(), numEdges.required()?));
    fn cudaGraphGetNodes(graph: cudaGraph_t, nodes: Out<cudaGraphNode_t>, numNodes: Out<usize>) = cu!(cuGraphGetNodes(graph, nodes.as_ptr(), numNodes.required()?));
    fn cudaGraphGetRootNodes(graph: cudaGraph_t, pRootNodes: Out<cudaGraphNode_t>, pNumRootNodes: Out<usize>) = cu!(cuGraphGetRootNodes(graph, pRootNodes.as_ptr(), pNumRootNodes.required()?));
    fn cudaGraphHostNodeGetParams(node: cudaGraphNode_t, pNodeParams: Out<cudaHostNodeParams>) = graph::host_params(node, pNodeParams);
    fn cudaGraphHostNodeSetParams(node: cudaGraphNode_t, pNodeParams: In<cudaHostNodeParams>) = cu!(cuGraphHostNodeSetParams(node, &graph::host_node(pNodeParams)?));
    fn cudaGraphInstantiate(pGraphExec: Out<cudaGraphExec_t>, graph: cudaGraph_t, flags: u64) = through!(cuGraphInstantiateWithFlags(pGraphExec.required()?, graph, flags));
    fn cudaGraphInstantiateWithFlags(pGraphExec: Out<cudaGraphExec_t>, graph: cudaGraph_t, flags: u64) = through!(cuGraphInstantiateWithFlags(pGraphExec.required()?, graph, flags));
    fn cudaGraphInstantiateWithParams / cudaGraphInstantiateWithParams_ptsz [ds](pGraphExec: Out<cudaGraphExec_t>, graph: cudaGraph_t, instantiateParams: Out<cudaGraphInstantiateParams>) = graph::instantiate_with(ds, pGraphExec, graph, instantiateParams);
    fn cudaGraphKernelNodeCopyAttributes(hDst: cudaGraphNode_t, hSrc: cudaGraphNode_t) = cu!(cuGraphKernelNodeCopyAttributes(hDst, hSrc));
    fn cudaGraphKernelNodeGetAttribute(hNode: cudaGraphNode_t, attr: cudaLaunchAttributeID, value_out: Out<cudaLaunchAttributeValue>) = cu!(cuGraphKernelNodeGetAttribute(hNode, attr, value_out.required()?.cast()));
    fn cudaGraphKernelNodeGetParams(node: cudaGraphNode_t, pNodeParams: Out<cudaKernelNodeParams>) = graph::kernel_params(node, pNodeParams);
    fn cudaGraphKernelNodeSetAttribute(hNode: cudaGraphNode_t, attr: cudaLaunchAttributeID, value: In<cudaLaunchAttributeValue>) = cu!(cuGraphKernelNodeSetAttribute(hNode, attr, value.as_ptr().cast()));
    fn cudaGraphKernelNodeSetParams(node: cudaGraphNode_t, pNodeParams: In<cudaKernelNodeParams>) = through!(cuGraphKernelNodeSetParams_v2(node, &graph::kernel_node(pNodeParams)?));
    fn cudaGraphLaunch / cudaGraphLaunch_ptsz [ds](graphExec: cudaGraphExec_t, stream: cudaStream_t) = through!(cuGraphLaunch(graphExec, ds.of(stream)));
    fn cudaGraphMemAllocNodeGetParams(node: cudaGraphNode_t, params_out: Out<cudaMemAllocNodeParams>) = through!(cuGraphMemAllocNodeGetParams(node, params_out.as_ptr().cast()));
    fn cudaGraphMemFreeNodeGetParams(node: cudaGraphNode_t, dptr_out: *mut c_void) = cu!(cuGraphMemFreeNodeGetParams(node, dptr_out.cast()));
    fn cudaGraphMemcpyNodeGetParams(node: cudaGraphNode_t, pNodeParams: Out<cudaMemcpy3DParms>) = node::memcpy_params(node, pNodeParams);
    fn cudaGraphMemcpyNodeSetParams(node: cudaGraphNode_t, pNodeParams: In<cudaMemcpy3DParms>) = through!(cuGraphMemcpyNodeSetParams(node, &copy::copy_3d(&pNodeParams.get()?)?));
    fn cudaGraphMemcpyNodeSetParams1D(node: cudaGraphNode_t, dst: *mut c_void, src: *const c_void, count: usize, kind: u32) = through!(cuGraphMemcpyNodeSetParams(node, &copy::copy_1d(address(dst), address(src), count, kind)?));
    fn cudaGraphMemcpyNodeSetParamsFromSymbol(node: cudaGraphNode_t, dst: *mut c_void, symbol: *const c_void, count: usize, offset: usize, kind: u32) = through!(cuGraphMemcpyNodeSetParams(node, &copy::copy_1d(address(dst), symbol::inside(symbol, offset, count)?, count, symbol::from_kind(kind)?)?));
    fn cudaGraphMemcpyNodeSetParamsToSymbol(node: cudaGraphNode_t, symbol: *const c_void, src: *const c_void, count: usize, offset: usize, kind: u32) = through!(cuGraphMemcpyNodeSetParams(node, &copy::copy_1d(symbol::inside(symbol, offset, count)?, address(src), count, symbol::to_kind(kind)?)?));
    fn cudaGraphMemsetNodeGetParams(node: cudaGraphNode_t, pNodeParams: Out<cudaMemsetParams>) = cu!(cuGraphMemsetNodeGetParams(node, pNodeParams.required()?));
    fn cudaGraphMemsetNodeSetParams(node: cudaGraphNode_t, pNodeParams: In<cudaMemsetParams>) = cu!(cuGraphMemsetNodeSetParams(node, pNodeParams.as_ptr()));
    fn cudaGraphNodeFindInClone(pNode: Out<cudaGraphNode_t>, originalNode: cudaGraphNode_t, clonedGraph: cudaGraph_t) = cu!(cuGraphNodeFindInClone(pNode.required()?, originalNode, clonedGraph));
    #[cfg(not(feature = "major-13"))]
    fn cudaGraphNodeGetDependencies(node: cudaGraphNode_t, pDependencies: Out<cudaGraphNode_t>, pNumDependencies: Out<usize>) = cu!(cuGraphNodeGetDependencies(node, pDependencies.as_ptr(), pNumDependencies.required()?));
    #[cfg(feature = "major-13")]
    fn cudaGraphNodeGetDependencies(node: cudaGraphNode_t, pDependencies: Out<cudaGraphNode_t>, edgeData: Out<cudaGraphEdgeData>, pNumDependencies: Out<usize>) = cu!(cuGraphNodeGetDependencies_v2(node, pDependencies.as_ptr(), edgeData.as_ptr().cast(), pNumDependencies.required()?));
    #[cfg(not(feature = "major-13"))]
    fn cudaGraphNodeGetDependencies_v2(node: cudaGraphNode_t, pDependencies: Out<cudaGraphNode_t>, edgeData: Out<cudaGraphEdgeData>, pNumDependencies: Out<usize>) = cu!(cuGraphNodeGetDependencies_v2(node, pDependencies.as_ptr(), edgeData.as_ptr().cast(), pNumDependencies.required()?));
    #[cfg(not(feature = "major-13"))]
    fn cudaGraphNodeGetDependentNodes(node: cudaGraphNode_t, pDependentNodes: Out<cudaGraphNode_t>, pNumDependentNodes: Out<usize>) = cu!(cuGraphNodeGetDependentNodes(node, pDependentNodes.as_ptr(), pNumDependentNodes.required()?));
    #[cfg(feature = "major-13")]
    fn cudaGraphNodeGetDependentNodes(node: cudaGraphNode_t, pDependentNodes: Out<cudaGraphNode_t>, edgeData: Out<cudaGraphEdgeData>, pNumDependentNodes: Out<usize>) = cu!(cuGraphNodeGetDependentNodes_v2(node, pDependentNodes.as_ptr(), edgeData.as_ptr().cast(), pNumDependentNodes.required()?));
    #[cfg(not(feature = "major-13"))]
    fn cudaGraphNodeGetDependentNodes_v2(node: cudaGraphNode_t, pDependentNodes: Out<cudaGraphNode_t>, edgeData: Out<cudaGraphEdgeData>, pNumDependentNodes: Out<usize>) = cu!(cuGraphNodeGetDependentNodes_v2(node, pDependentNodes.as_ptr(), edgeData.as_ptr().cast(), pNumDependentNodes.required()?));
    fn cudaGraphNodeGetEnabled(hGraphExec: cudaGraphExec_t, hNode: cudaGraphNode_t, isEnabled: Out<u32>) = cu!(cuGraphNodeGetEnabled(hGraphExec, hNode, isEnabled.required()?));
    fn cudaGraphNodeGetType(node: cudaGraphNode_t, pType: Out<u32>) = cu!(cuGraphNodeGetType(node, pType.required()?));
    fn cudaGraphNodeSetEnabled(hGraphExec: cudaGraphExec_t, hNode: cudaGraphNode_t, isEnabled: u32) = cu!(cuGraphNodeSetEnabled(hGraphExec, hNode, isEnabled));
    fn cudaGraphNodeSetParams(node: cudaGraphNode_t, nodeParams: Out<cudaGraphNodeParams>) = node::set(node, nodeParams);
    fn cudaGraphReleaseUserObject(graph: cudaGraph_t, object: cudaUserObject_t, count: u32) = cu!(cuGraphReleaseUserObject(graph, object, count));
    #[cfg(not(feature = "major-13"))]
    fn cudaGraphRemoveDependencies(graph: cudaGraph_t, from: In<cudaGraphNode_t>, to: In<cudaGraphNode_t>, numDependencies: usize) = cu!(cuGraphRemoveDependencies(graph, from.as_ptr(), to.as_ptr(), numDependencies));
    #[cfg(feature = "major-13")]
    fn cudaGraphRemoveDependencies(graph: cudaGraph_t, from: In<cudaGraphNode_t>, to: In<cudaGraphNode_t>, edgeData: In<cudaGraphEdgeData>, numDependencies: usize) = cu!(cuGraphRemoveDependencies_v2(graph, from.as_ptr(), to.as_ptr(), edgeData.as_ptr().cast(), numDependencies));
    #[cfg(not(feature = "major-13"))]
    fn cudaGraphRemoveDependencies_v2(graph: cudaGraph_t, from: In<cudaGraphNode_t>, to: In<cudaGraphNode_t>, edgeData: In<cudaGraphEdgeData>, numDependencies: usize) = cu!(cuGraphRemoveDependencies_v2(graph, from.as_ptr(), to.as_ptr(), edgeData.as_ptr().cast(), numDependencies));
    fn cudaGraphRetainUserObject(graph: cudaGraph_t, object: cudaUserObject_t, count: u32, flags: u32) = cu!(cuGraphRetainUserObject(graph, object, count, flags));
    fn cudaGraphUpload / cudaGraphUpload_ptsz [ds](graphExec: cudaGraphExec_t, stream: cudaStream_t) = through!(cuGraphUpload(graphExec, ds.of(stream)));
    fn cudaGraphicsEGLRegisterImage() = unsupported!("other graphics API");
    fn cudaGraphicsGLRegisterBuffer() = unsupported!("other graphics API");
    fn cudaGraphicsGLRegisterImage() = unsupported!("other graphics API");
    fn cudaGraphicsMapResources(count: i32, resources: Out<cudaGraphicsResource_t>, stream: cudaStream_t) = through!(cuGraphicsMapResources(u32::try_from(count).map_err(|_| CudaError::InvalidValue)?, resources.as_ptr(), stream));
    fn cudaGraphicsResourceGetMappedEglFrame() = unsupported!("other graphics API");
    fn cudaGraphicsResourceGetMappedMipmappedArray(mipmappedArray: Out<cudaMipmappedArray_t>, resource: cudaGraphicsResource_t) = through!(cuGraphicsResourceGetMappedMipmappedArray(mipmappedArray.required()?, resource));
    fn cudaGraphicsResourceGetMappedPointer(devPtr: Out<*mut c_void>, size: Out<usize>, resource: cudaGraphicsResource_t) = through!(cuGraphicsResourceGetMappedPointer_v2(devPtr.required()?.cast(), size.as_ptr(), resource));
    fn cudaGraphicsResourceSetMapFlags(resource: cudaGraphicsResource_t, flags: u32) = through!(cuGraphicsResourceSetMapFlags_v2(resource, flags));
    fn cudaGraphicsSubResourceGetMappedArray(array: Out<cudaArray_t>, resource: cudaGraphicsResource_t, arrayIndex: u32, mipLevel: u32) = through!(cuGraphicsSubResourceGetMappedArray(array.required()?, resource, arrayIndex, mipLevel));
    fn cudaGraphicsUnmapResources(count: i32, resources: Out<cudaGraphicsResource_t>, stream: cudaStream_t) = through!(cuGraphicsUnmapResources(u32::try_from(count).map_err(|_| CudaError::InvalidValue)?, resources.as_ptr(), stream));
    fn cudaGraphicsUnregisterResource(resource: cudaGraphicsResource_t) = through!(cuGraphicsUnregisterResource(resource));
    fn cudaGraphicsVDPAURegisterOutputSurface() = unsupported!("other graphics API");
    fn cudaGraphicsVDPAURegisterVideoSurface() = unsupported!("other graphics API");
    fn cudaHostAlloc(pHost: Out<*mut c_void>, size: usize, flags: u32) = memory::host_alloc(pHost, size, flags);
    fn cudaHostGetDevicePointer(pDevice: Out<*mut c_void>, pHost: *mut c_void, flags: u32) = memory::host_device_pointer(pDevice, pHost, flags);
    fn cudaHostGetFlags(pFlags: Out<u32>, pHost: *mut c_void) = through!(cuMemHostGetFlags(pFlags.required()?, pHost));
    fn cudaHostRegister(ptr: *mut c_void, size: usize, flags: u32) = through!(cuMemHostRegister_v2(ptr, size, flags));
    fn cudaHostUnregister(ptr: *mut c_void) = through!(cuMemHostUnregister(ptr));
    fn cudaImportExternalMemory(extMem_out: Out<cudaExternalMemory_t>, memHandleDesc: In<cudaExternalMemoryHandleDesc>) = external::import(extMem_out, memHandleDesc);
    fn cudaImportExternalSemaphore(extSem_out: Out<cudaExternalSemaphore_t>, semHandleDesc: In<cudaExternalSemaphoreHandleDesc>) = external::import_semaphore(extSem_out, semHandleDesc);
    fn cudaInitDevice(device: i32, deviceFlags: u32, flags: u32) = device::init(device, deviceFlags, flags);
    fn cudaIpcCloseMemHandle(devPtr: *mut c_void) = through!(cuIpcCloseMemHandle(address(devPtr)));
    fn cudaIpcGetEventHandle(handle: Out<cudaIpcEventHandle_t>, event: cudaEvent_t) = through!(cuIpcGetEventHandle(handle.required()?, event));
    fn cudaIpcGetMemHandle(handle: Out<cudaIpcMemHandle_t>, devPtr: *mut c_void) = through!(cuIpcGetMemHandle(handle.required()?, address(devPtr)));
    fn cudaIpcOpenEventHandle(event: Out<cudaEvent_t>, handle: cudaIpcEventHandle_t) = through!(cuIpcOpenEventHandle(event.required()?, handle));
    fn cudaIpcOpenMemHandle(devPtr: Out<*mut c_void>, handle: cudaIpcMemHandle_t, flags: u32) = through!(cuIpcOpenMemHandle_v2(devPtr.required()?.cast(), handle, flags));
    fn cudaKernelSetAttributeForDevice(kernel: cudaKernel_t, attr: u32, value: i32, device: i32) = cu!(cuKernelSetAttribute(attr, value, registry::from_handle(kernel)?, context::handle(device)?));
    fn cudaLaunchCooperativeKernel / cudaLaunchCooperativeKernel_ptsz [ds](func: *const c_void, gridDim: dim3, blockDim: dim3, args: *mut *mut c_void, sharedMem: usize, stream: cudaStream_t) = launch::cooperative(func, gridDim, blockDim, args, sharedMem, ds.of(stream));
    #[cfg(not(feature = "major-13"))]
    fn cudaLaunchCooperativeKernelMultiDevice(launchParamsList: Out<cudaLaunchParams>, numDevices: u32, flags: u32) = launch::multi_device(launchParamsList, numDevices, flags);
    fn cudaLaunchHostFunc / cudaLaunchHostFunc_ptsz [ds](stream: cudaStream_t, function: cudaHostFn_t, userData: *mut c_void) = through!(cuLaunchHostFunc(ds.of(stream), function, userData));
    fn cudaLaunchKernel / cudaLaunchKernel_ptsz [ds](func: *const c_void, gridDim: dim3, blockDim: dim3, args: *mut *mut c_void, sharedMem: usize, stream: cudaStream_t) = launch::launch(registry::kernel(func)?, gridDim, blockDim, args, sharedMem, ds.of(stream));
    fn cudaLaunchKernelExC / cudaLaunchKernelExC_ptsz [ds](config: In<cudaLaunchConfig_t>, func: *const c_void, args: *mut *mut c_void) = launch::with_attributes(ds, config, func, args);
    fn cudaLibraryEnumerateKernels(kernels: Out<cudaKernel_t>, numKernels: u32, library: cudaLibrary_t) = library::enumerate(kernels, numKernels, library);
    fn cudaLibraryGetGlobal(dptr: Out<*mut c_void>, bytes: Out<usize>, library: cudaLibrary_t, name: *const c_char) = through!(cuLibraryGetGlobal(dptr.as_ptr().cast(), bytes.as_ptr(), library, name));
    fn cudaLibraryGetKernel(pKernel: Out<cudaKernel_t>, library: cudaLibrary_t, name: *const c_char) = library::kernel(pKernel, library, name);
    fn cudaLibraryGetKernelCount(count: Out<u32>, library: cudaLibrary_t) = cu!(cuLibraryGetKernelCount(count.required()?, library));
    fn cudaLibraryGetManaged(dptr: Out<*mut c_void>, bytes: Out<usize>, library: cudaLibrary_t, name: *const c_char) = through!(cuLibraryGetManaged(dptr.as_ptr().cast(), bytes.as_ptr(), library, name));
    fn cudaLibraryGetUnifiedFunction(fptr: Out<*mut c_void>, library: cudaLibrary_t, symbol: *const c_char) = through!(cuLibraryGetUnifiedFunction(fptr.required()?, library, symbol));
    fn cudaLibraryLoadData(library: Out<cudaLibrary_t>, code: *const c_void, jitOptions: Out<u32>, jitOptionsValues: Out<*mut c_void>, numJitOptions: u32, libraryOptions: Out<u32>, libraryOptionValues: Out<*mut c_void>, numLibraryOptions: u32) = cu!(cuLibraryLoadData(library.required()?, code, jitOptions.as_ptr().cast_const(), jitOptionsValues.as_ptr().cast_const(), numJitOptions, libraryOptions.as_ptr().cast_const(), libraryOptionValues.as_ptr().cast_const(), numLibraryOptions));
    fn cudaLibraryLoadFromFile(library: Out<cudaLibrary_t>, fileName: *const c_char, jitOptions: Out<u32>, jitOptionsValues: Out<*mut c_void>, numJitOptions: u32, libraryOptions: Out<u32>, libraryOptionValues: Out<*mut c_void>, numLibraryOptions: u32) = cu!(cuLibraryLoadFromFile(library.required()?, fileName, jitOptions.as_ptr().cast_const(), jitOptionsValues.as_ptr().cast_const(), numJitOptions, libraryOptions.as_ptr().cast_const(), libraryOptionValues.as_ptr().cast_const(), numLibraryOptions));
    fn cudaLibraryUnload(library: cudaLibrary_t) = cu!(cuLibraryUnload(library));
    #[cfg(feature = "major-13")]
    fn cudaLogsCurrent(iterator_out: Out<cudaLogIterator>, flags: u32) = cu!(cuLogsCurrent(iterator_out.required()?, flags));
    #[cfg(feature = "major-13")]
    fn cudaLogsDumpToFile(iterator: Out<cudaLogIterator>, pathToFile: *const c_char, flags: u32) = cu!(cuLogsDumpToFile(iterator.as_ptr(), pathToFile, flags));
    #[cfg(feature = "major-13")]
    fn cudaLogsDumpToMemory(iterator: Out<cudaLogIterator>, buffer: *mut c_char, size: Out<usize>, flags: u32) = cu!(cuLogsDumpToMemory(iterator.as_ptr(), buffer, size.required()?, flags));
    #[cfg(feature = "major-13")]
    fn cudaLogsRegisterCallback(callbackFunc: cudaLogsCallback_t, userData: *mut c_void, callback_out: Out<cudaLogsCallbackHandle>) = cu!(cuLogsRegisterCallback(callbackFunc, userData, callback_out.required()?));
    #[cfg(feature = "major-13")]
    fn cudaLogsUnregisterCallback(callback: cudaLogsCallbackHandle) = cu!(cuLogsUnregisterCallback(callback));
    fn cudaMalloc(devPtr: Out<*mut c_void>, size: usize) = memory::alloc(devPtr, size);
    fn cudaMalloc3D(pitchedDevPtr: Out<cudaPitchedPtr>, extent: cudaExtent) = memory::alloc_3d(pitchedDevPtr, extent);
    fn cudaMalloc3DArray(array: Out<cudaArray_t>, desc: In<cudaChannelFormatDesc>, extent: cudaExtent, flags: u32) = array::alloc_3d(array, desc, extent, flags);
    fn cudaMallocArray(array: Out<cudaArray_t>, desc: In<cudaChannelFormatDesc>, width: usize, height: usize, flags: u32) = array::alloc(array, desc, width, height, flags);
    fn cudaMallocAsync / cudaMallocAsync_ptsz [ds](devPtr: Out<*mut c_void>, size: usize, hStream: cudaStream_t) = memory::alloc_async(devPtr, size, ds.of(hStream));
    fn cudaMallocFromPoolAsync / cudaMallocFromPoolAsync_ptsz [ds](ptr: Out<*mut c_void>, size: usize, memPool: cudaMemPool_t, stream: cudaStream_t) = through!(cuMemAllocFromPoolAsync(ptr.required()?.cast(), size, memPool, ds.of(stream)));
    fn cudaMallocHost(ptr: Out<*mut c_void>, size: usize) = memory::host_alloc(ptr, size, 0);
    fn cudaMallocManaged(devPtr: Out<*mut c_void>, size: usize, flags: u32) = memory::alloc_managed(devPtr, size, flags);
    fn cudaMallocMipmappedArray(mipmappedArray: Out<cudaMipmappedArray_t>, desc: In<cudaChannelFormatDesc>, extent: cudaExtent, numLevels: u32, flags: u32) = array::alloc_mipmapped(mipmappedArray, desc, extent, numLevels, flags);
    fn cudaMallocPitch(devPtr: Out<*mut c_void>, pitch: Out<usize>, width: usize, height: usize) = memory::alloc_pitch(devPtr, pitch, width, height);
    #[cfg(not(feature = "major-13"))]
    fn cudaMemAdvise(devPtr: *const c_void, count: usize, advice: u32, device: i32) = through!(cuMemAdvise_v2(address(devPtr), count, advice, memory::location_of(device)));
    #[cfg(feature = "major-13")]
    fn cudaMemAdvise(devPtr: *const c_void, count: usize, advice: u32, location: cudaMemLocation) = through!(cuMemAdvise_v2(address(devPtr), count, advice, location));
    #[cfg(not(feature = "major-13"))]
    fn cudaMemAdvise_v2(devPtr: *const c_void, count: usize, advice: u32, location: cudaMemLocation) = through!(cuMemAdvise_v2(address(devPtr), count, advice, location));
    #[cfg(feature = "major-13")]
    fn cudaMemDiscardAndPrefetchBatchAsync / cudaMemDiscardAndPrefetchBatchAsync_ptsz [ds](dptrs: Out<*mut c_void>, sizes: Out<usize>, count: usize, prefetchLocs: Out<cudaMemLocation>, prefetchLocIdxs: Out<usize>, numPrefetchLocs: usize, flags: u64, stream: cudaStream_t) = through!(cuMemDiscardAndPrefetchBatchAsync(dptrs.as_ptr().cast(), sizes.as_ptr(), count, prefetchLocs.as_ptr(), prefetchLocIdxs.as_ptr(), numPrefetchLocs, flags, ds.of(stream)));
    #[cfg(feature = "major-13")]
    fn cudaMemDiscardBatchAsync / cudaMemDiscardBatchAsync_ptsz [ds](dptrs: Out<*mut c_void>, sizes: Out<usize>, count: usize, flags: u64, stream: cudaStream_t) = through!(cuMemDiscardBatchAsync(dptrs.as_ptr().cast(), sizes.as_ptr(), count, flags, ds.of(stream)));
    #[cfg(feature = "major-13")]
    fn cudaMemGetDefaultMemPool(memPool: Out<cudaMemPool_t>, location: Out<cudaMemLocation>, kind: u32) = cu!(cuMemGetDefaultMemPool(memPool.required()?, location.required()?, kind));
    fn cudaMemGetInfo(free: Out<usize>, total: Out<usize>) = through!(cuMemGetInfo_v2(free.required()?, total.required()?));
    #[cfg(feature = "major-13")]
    fn cudaMemGetMemPool(memPool: Out<cudaMemPool_t>, location: Out<cudaMemLocation>, kind: u32) = cu!(cuMemGetMemPool(memPool.required()?, location.required()?, kind));
    fn cudaMemPoolCreate(memPool: Out<cudaMemPool_t>, poolProps: In<cudaMemPoolProps>) = cu!(cuMemPoolCreate(memPool.required()?, poolProps.as_ptr()));
    fn cudaMemPoolDestroy(memPool: cudaMemPool_t) = cu!(cuMemPoolDestroy(memPool));
    fn cudaMemPoolExportPointer(exportData: Out<cudaMemPoolPtrExportData>, ptr: *mut c_void) = cu!(cuMemPoolExportPointer(exportData.required()?, address(ptr)));
    fn cudaMemPoolExportToShareableHandle(shareableHandle: *mut c_void, memPool: cudaMemPool_t, handleType: u32, flags: u32) = cu!(cuMemPoolExportToShareableHandle(shareableHandle, memPool, handleType, u64::from(flags)));
    fn cudaMemPoolGetAccess(flags: Out<u32>, memPool: cudaMemPool_t, location: Out<cudaMemLocation>) = cu!(cuMemPoolGetAccess(flags.required()?, memPool, location.required()?));
    fn cudaMemPoolGetAttribute(memPool: cudaMemPool_t, attr: u32, value: *mut c_void) = cu!(cuMemPoolGetAttribute(memPool, attr, value));
    fn cudaMemPoolImportFromShareableHandle(memPool: Out<cudaMemPool_t>, shareableHandle: *mut c_void, handleType: u32, flags: u32) = cu!(cuMemPoolImportFromShareableHandle(memPool.required()?, shareableHandle, handleType, u64::from(flags)));
    fn cudaMemPoolImportPointer(ptr: Out<*mut c_void>, memPool: cudaMemPool_t, exportData: Out<cudaMemPoolPtrExportData>) = cu!(cuMemPoolImportPointer(ptr.required()?.cast(), memPool, exportData.required()?));
    fn cudaMemPoolSetAccess(memPool: cudaMemPool_t, descList: In<cudaMemAccessDesc>, count: usize) = cu!(cuMemPoolSetAccess(memPool, descList.as_ptr(), count));
    fn cudaMemPoolSetAttribute(memPool: cudaMemPool_t, attr: u32, value: *mut c_void) = cu!(cuMemPoolSetAttribute(memPool, attr, value));
    fn cudaMemPoolTrimTo(memPool: cudaMemPool_t, minBytesToKeep: usize) = cu!(cuMemPoolTrimTo(memPool, minBytesToKeep));
    #[cfg(not(feature = "major-13"))]
    fn cudaMemPrefetchAsync / cudaMemPrefetchAsync_ptsz [ds](devPtr: *const c_void, count: usize, dstDevice: i32, stream: cudaStream_t) = through!(cuMemPrefetchAsync_v2(address(devPtr), count, memory::location_of(dstDevice), 0, ds.of(stream)));
    #[cfg(feature = "major-13")]
    fn cudaMemPrefetchAsync / cudaMemPrefetchAsync_ptsz [ds](devPtr: *const c_void, count: usize, location: cudaMemLocation, flags: u32, stream: cudaStream_t) = through!(cuMemPrefetchAsync_v2(address(devPtr), count, location, flags, ds.of(stream)));
    #[cfg(not(feature = "major-13"))]
    fn cudaMemPrefetchAsync_v2 / cudaMemPrefetchAsync_v2_ptsz [ds](devPtr: *const c_void, count: usize, location: cudaMemLocation, flags: u32, stream: cudaStream_t) = through!(cuMemPrefetchAsync_v2(address(devPtr), count, location, flags, ds.of(stream)));
    #[cfg(feature = "major-13")]
    fn cudaMemPrefetchBatchAsync / cudaMemPrefetchBatchAsync_ptsz [ds](dptrs: Out<*mut c_void>, sizes: Out<usize>, count: usize, prefetchLocs: Out<cudaMemLocation>, prefetchLocIdxs: Out<usize>, numPrefetchLocs: usize, flags: u64, stream: cudaStream_t) = through!(cuMemPrefetchBatchAsync(dptrs.as_ptr().cast(), sizes.as_ptr(), count, prefetchLocs.as_ptr(), prefetchLocIdxs.as_ptr(), numPrefetchLocs, flags, ds.of(stream)));
    fn cudaMemRangeGetAttribute(data: *mut c_void, dataSize: usize, attribute: u32, devPtr: *const c_void, count: usize) = through!(cuMemRangeGetAttribute(data, dataSize, attribute, address(devPtr), count));
    fn cudaMemRangeGetAttributes(data: Out<*mut c_void>, dataSizes: Out<usize>, attributes: Out<u32>, numAttributes: usize, devPtr: *const c_void, count: usize) = through!(cuMemRangeGetAttributes(data.as_ptr(), dataSizes.as_ptr(), attributes.as_ptr(), numAttributes, address(devPtr), count));
    #[cfg(feature = "major-13")]
    fn cudaMemSetMemPool(location: Out<cudaMemLocation>, kind: u32, memPool: cudaMemPool_t) = cu!(cuMemSetMemPool(location.required()?, kind, memPool));
    fn cudaMemcpy / cudaMemcpy_ptds [ds](dst: *mut c_void, src: *const c_void, count: usize, kind: u32) = copy::linear(ds, address(dst), address(src), count, kind);
    fn cudaMemcpy2D / cudaMemcpy2D_ptds [ds](dst: *mut c_void, dpitch: usize, src: *const c_void, spitch: usize, width: usize, height: usize, kind: u32) = copy::run_2d(ds, &copy::plane(copy::linear_side(address(dst), dpitch), copy::linear_side(address(src), spitch), width, height, kind)?);
    fn cudaMemcpy2DArrayToArray / cudaMemcpy2DArrayToArray_ptds [ds](dst: cudaArray_t, wOffsetDst: usize, hOffsetDst: usize, src: cudaArray_const_t, wOffsetSrc: usize, hOffsetSrc: usize, width: usize, height: usize, kind: u32) = copy::run_2d(ds, &copy::plane(copy::array_side(dst, wOffsetDst, hOffsetDst), copy::array_side(src, wOffsetSrc, hOffsetSrc), width, height, kind)?);
    fn cudaMemcpy2DAsync / cudaMemcpy2DAsync_ptsz [ds](dst: *mut c_void, dpitch: usize, src: *const c_void, spitch: usize, width: usize, height: usize, kind: u32, stream: cudaStream_t) = copy::run_2d_async(&copy::plane(copy::linear_side(address(dst), dpitch), copy::linear_side(address(src), spitch), width, height, kind)?, ds.of(stream));
    fn cudaMemcpy2DFromArray / cudaMemcpy2DFromArray_ptds [ds](dst: *mut c_void, dpitch: usize, src: cudaArray_const_t, wOffset: usize, hOffset: usize, width: usize, height: usize, kind: u32) = copy::run_2d(ds, &copy::plane(copy::linear_side(address(dst), dpitch), copy::array_side(src, wOffset, hOffset), width, height, kind)?);
    fn cudaMemcpy2DFromArrayAsync / cudaMemcpy2DFromArrayAsync_ptsz [ds](dst: *mut c_void, dpitch: usize, src: cudaArray_const_t, wOffset: usize, hOffset: usize, width: usize, height: usize, kind: u32, stream: cudaStream_t) = copy::run_2d_async(&copy::plane(copy::linear_side(address(dst), dpitch), copy::array_side(src, wOffset, hOffset), width, height, kind)?, ds.of(stream));
    fn cudaMemcpy2DToArray / cudaMemcpy2DToArray_ptds [ds](dst: cudaArray_t, wOffset: usize, hOffset: usize, src: *const c_void, spitch: usize, width: usize, height: usize, kind: u32) = copy::run_2d(ds, &copy::plane(copy::array_side(dst, wOffset, hOffset), copy::linear_side(address(src), spitch), width, height, kind)?);
    fn cudaMemcpy2DToArrayAsync / cudaMemcpy2DToArrayAsync_ptsz [ds](dst: cudaArray_t, wOffset: usize, hOffset: usize, src: *const c_void, spitch: usize, width: usize, height: usize, kind: u32, stream: cudaStream_t) = copy::run_2d_async(&copy::plane(copy::array_side(dst, wOffset, hOffset), copy::linear_side(address(src), spitch), width, height, kind)?, ds.of(stream));
    fn cudaMemcpy3D / cudaMemcpy3D_ptds [ds](p: In<cudaMemcpy3DParms>) = copy::run_3d(ds, &copy::copy_3d(&p.get()?)?);
    fn cudaMemcpy3DAsync / cudaMemcpy3DAsync_ptsz [ds](p: In<cudaMemcpy3DParms>, stream: cudaStream_t) = copy::run_3d_async(&copy::copy_3d(&p.get()?)?, ds.of(stream));
    #[cfg(not(feature = "major-13"))]
    fn cudaMemcpy3DBatchAsync / cudaMemcpy3DBatchAsync_ptsz [ds](numOps: usize, opList: Out<cudaMemcpy3DBatchOp>, failIdx: Out<usize>, flags: u64, stream: cudaStream_t) = through!(cuMemcpy3DBatchAsync(numOps, opList.as_ptr().cast(), failIdx.as_ptr(), flags, ds.of(stream)));
    #[cfg(feature = "major-13")]
    fn cudaMemcpy3DBatchAsync / cudaMemcpy3DBatchAsync_ptsz [ds](numOps: usize, opList: Out<cudaMemcpy3DBatchOp>, flags: u64, stream: cudaStream_t) = through!(cuMemcpy3DBatchAsync_v2(numOps, opList.as_ptr().cast(), flags, ds.of(stream)));
    fn cudaMemcpy3DPeer / cudaMemcpy3DPeer_ptds [ds](p: In<cudaMemcpy3DPeerParms>) = copy::run_3d_peer(ds, &copy::copy_3d_peer(&p.get()?)?);
    fn cudaMemcpy3DPeerAsync / cudaMemcpy3DPeerAsync_ptsz [ds](p: In<cudaMemcpy3DPeerParms>, stream: cudaStream_t) = through!(cuMemcpy3DPeerAsync(&copy::copy_3d_peer(&p.get()?)?, ds.of(stream)));
    fn cudaMemcpyArrayToArray / cudaMemcpyArrayToArray_ptds [ds](dst: cudaArray_t, wOffsetDst: usize, hOffsetDst: usize, src: cudaArray_const_t, wOffsetSrc: usize, hOffsetSrc: usize, count: usize, kind: u32) = copy::run_2d(ds, &copy::row(copy::array_side(dst, wOffsetDst, hOffsetDst), copy::array_side(src, wOffsetSrc, hOffsetSrc), count, kind)?);
    fn cudaMemcpyAsync / cudaMemcpyAsync_ptsz [ds](dst: *mut c_void, src: *const c_void, count: usize, kind: u32, stream: cudaStream_t) = copy::linear_async(address(dst), address(src), count, kind, ds.of(stream));
    #[cfg(not(feature = "major-13"))]
    fn cudaMemcpyBatchAsync / cudaMemcpyBatchAsync_ptsz [ds](dsts: Out<*mut c_void>, srcs: Out<*mut c_void>, sizes: Out<usize>, count: usize, attrs: Out<cudaMemcpyAttributes>, attrsIdxs: Out<usize>, numAttrs: usize, failIdx: Out<usize>, stream: cudaStream_t) = through!(cuMemcpyBatchAsync(dsts.as_ptr().cast(), srcs.as_ptr().cast(), sizes.as_ptr(), count, attrs.as_ptr().cast(), attrsIdxs.as_ptr(), numAttrs, failIdx.as_ptr(), ds.of(stream)));
    #[cfg(feature = "major-13")]
    fn cudaMemcpyBatchAsync / cudaMemcpyBatchAsync_ptsz [ds](dsts: In<*mut c_void>, srcs: In<*const c_void>, sizes: In<usize>, count: usize, attrs: Out<cudaMemcpyAttributes>, attrsIdxs: Out<usize>, numAttrs: usize, stream: cudaStream_t) = through!(cuMemcpyBatchAsync_v2(dsts.as_ptr().cast(), srcs.as_ptr().cast(), sizes.as_ptr(), count, attrs.as_ptr().cast(), attrsIdxs.as_ptr(), numAttrs, ds.of(stream)));
    fn cudaMemcpyFromArray / cudaMemcpyFromArray_ptds [ds](dst: *mut c_void, src: cudaArray_const_t, wOffset: usize, hOffset: usize, count: usize, kind: u32) = copy::run_all(ds, &copy::rows(src, (wOffset, hOffset), address(dst), count, kind, copy::Way::Out)?);
    fn cudaMemcpyFromArrayAsync / cudaMemcpyFromArrayAsync_ptsz [ds](dst: *mut c_void, src: cudaArray_const_t, wOffset: usize, hOffset: usize, count: usize, kind: u32, stream: cudaStream_t) = copy::run_all_async(&copy::rows(src, (wOffset, hOffset), address(dst), count, kind, copy::Way::Out)?, ds.of(stream));
    fn cudaMemcpyFromSymbol / cudaMemcpyFromSymbol_ptds [ds](dst: *mut c_void, symbol: *const c_void, count: usize, offset: usize, kind: u32) = copy::linear(ds, address(dst), symbol::inside(symbol, offset, count)?, count, symbol::from_kind(kind)?);
    fn cudaMemcpyFromSymbolAsync / cudaMemcpyFromSymbolAsync_ptsz [ds](dst: *mut c_void, symbol: *const c_void, count: usize, offset: usize, kind: u32, stream: cudaStream_t) = copy::linear_async(address(dst), symbol::inside(symbol, offset, count)?, count, symbol::from_kind(kind)?, ds.of(stream));
    fn cudaMemcpyPeer(dst: *mut c_void, dstDevice: i32, src: *const c_void, srcDevice: i32, count: usize) = peer::copy(address(dst), dstDevice, address(src), srcDevice, count);
    fn cudaMemcpyPeerAsync(dst: *mut c_void, dstDevice: i32, src: *const c_void, srcDevice: i32, count: usize, stream: cudaStream_t) = peer::copy_async(address(dst), dstDevice, address(src), srcDevice, count, stream);
    fn cudaMemcpyToArray / cudaMemcpyToArray_ptds [ds](dst: cudaArray_t, wOffset: usize, hOffset: usize, src: *const c_void, count: usize, kind: u32) = copy::run_all(ds, &copy::rows(dst, (wOffset, hOffset), address(src), count, kind, copy::Way::In)?);
    fn cudaMemcpyToArrayAsync / cudaMemcpyToArrayAsync_ptsz [ds](dst: cudaArray_t, wOffset: usize, hOffset: usize, src: *const c_void, count: usize, kind: u32, stream: cudaStream_t) = copy::run_all_async(&copy::rows(dst, (wOffset, hOffset), address(src), count, kind, copy::Way::In)?, ds.of(stream));
    fn cudaMemcpyToSymbol / cudaMemcpyToSymbol_ptds [ds](symbol: *const c_void, src: *const c_void, count: usize, offset: usize, kind: u32) = copy::linear(ds, symbol::inside(symbol, offset, count)?, address(src), count, symbol::to_kind(kind)?);
    fn cudaMemcpyToSymbolAsync / cudaMemcpyToSymbolAsync_ptsz [ds](symbol: *const c_void, src: *const c_void, count: usize, offset: usize, kind: u32, stream: cudaStream_t) = copy::linear_async(symbol::inside(symbol, offset, count)?, address(src), count, symbol::to_kind(kind)?, ds.of(stream));
    fn cudaMemset / cudaMemset_ptds [ds](devPtr: *mut c_void, value: i32, count: usize) = fill::linear(ds, address(devPtr), value, count);
    fn cudaMemset2D / cudaMemset2D_ptds [ds](devPtr: *mut c_void, pitch: usize, value: i32, width: usize, height: usize) = fill::plane(ds, address(devPtr), pitch, value, width, height);
    fn cudaMemset2DAsync / cudaMemset2DAsync_ptsz [ds](devPtr: *mut c_void, pitch: usize, value: i32, width: usize, height: usize, stream: cudaStream_t) = fill::plane_async(address(devPtr), pitch, value, width, height, ds.of(stream));
    fn cudaMemset3D / cudaMemset3D_ptds [ds](pitchedDevPtr: cudaPitchedPtr, value: i32, extent: cudaExtent) = fill::volume(ds, pitchedDevPtr, value, extent);
    fn cudaMemset3DAsync / cudaMemset3DAsync_ptsz [ds](pitchedDevPtr: cudaPitchedPtr, value: i32, extent: cudaExtent, stream: cudaStream_t) = fill::volume_async(pitchedDevPtr, value, extent, ds.of(stream));
    fn cudaMemsetAsync / cudaMemsetAsync_ptsz [ds](devPtr: *mut c_void, value: i32, count: usize, stream: cudaStream_t) = fill::linear_async(address(devPtr), value, count, ds.of(stream));
    fn cudaMipmappedArrayGetMemoryRequirements(memoryRequirements: Out<cudaArrayMemoryRequirements>, mipmap: cudaMipmappedArray_t, device: i32) = through!(cuMipmappedArrayGetMemoryRequirements(memoryRequirements.required()?.cast(), mipmap, context::handle(device)?));
    fn cudaMipmappedArrayGetSparseProperties(sparseProperties: Out<cudaArraySparseProperties>, mipmap: cudaMipmappedArray_t) = through!(cuMipmappedArrayGetSparseProperties(sparseProperties.required()?.cast(), mipmap));
    fn cudaOccupancyAvailableDynamicSMemPerBlock(dynamicSmemSize: Out<usize>, func: *const c_void, numBlocks: i32, blockSize: i32) = through!(cuOccupancyAvailableDynamicSMemPerBlock(dynamicSmemSize.required()?, registry::kernel(func)?, numBlocks, blockSize));
    fn cudaOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks: Out<i32>, func: *const c_void, blockSize: i32, dynamicSMemSize: usize) = through!(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks.required()?, registry::kernel(func)?, blockSize, dynamicSMemSize, 0));
    fn cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks: Out<i32>, func: *const c_void, blockSize: i32, dynamicSMemSize: usize, flags: u32) = through!(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks.required()?, registry::kernel(func)?, blockSize, dynamicSMemSize, flags));
    fn cudaOccupancyMaxActiveClusters(numClusters: Out<i32>, func: *const c_void, launchConfig: In<cudaLaunchConfig_t>) = through!(cuOccupancyMaxActiveClusters(numClusters.required()?, registry::kernel(func)?, &launch::config(DefaultStream::Legacy, &launchConfig.get()?)?));
    fn cudaOccupancyMaxPotentialClusterSize(clusterSize: Out<i32>, func: *const c_void, launchConfig: In<cudaLaunchConfig_t>) = through!(cuOccupancyMaxPotentialClusterSize(clusterSize.required()?, registry::kernel(func)?, &launch::config(DefaultStream::Legacy, &launchConfig.get()?)?));
    fn cudaPeekAtLastError() -> cudaError_t = error::peek_last();
    fn cudaPointerGetAttributes(attributes: Out<cudaPointerAttributes>, ptr: *const c_void) = pointer::attributes(attributes, ptr);
    fn cudaProfilerStart() = through!(cuProfilerStart());
    fn cudaProfilerStop() = through!(cuProfilerStop());
    fn cudaRuntimeGetVersion(runtimeVersion: Out<i32>) = runtimeVersion.set(version::runtime());
    fn cudaSetDevice(device: i32) = device::set(device);
    fn cudaSetDeviceFlags(flags: u32) = device::set_flags(flags);
    #[cfg(not(feature = "major-13"))]
    fn cudaSetDoubleForDevice(d: Out<f64>) = d.required().map(|_| ());
    #[cfg(not(feature = "major-13"))]
    fn cudaSetDoubleForHost(d: Out<f64>) = d.required().map(|_| ());
    fn cudaSetValidDevices(device_arr: Out<i32>, len: i32) = device::set_valid(device_arr, len);
    fn cudaSignalExternalSemaphoresAsync / cudaSignalExternalSemaphoresAsync_ptsz [ds](extSemArray: In<cudaExternalSemaphore_t>, paramsArray: In<cudaExternalSemaphoreSignalParams>, numExtSems: u32, stream: cudaStream_t) = through!(cuSignalExternalSemaphoresAsync(extSemArray.as_ptr(), paramsArray.as_ptr().cast(), numExtSems, ds.of(stream)));
    #[cfg(not(feature = "major-13"))]
    fn cudaSignalExternalSemaphoresAsync_v2 / cudaSignalExternalSemaphoresAsync_v2_ptsz [ds](extSemArray: In<cudaExternalSemaphore_t>, paramsArray: In<cudaExternalSemaphoreSignalParams>, numExtSems: u32, stream: cudaStream_t) = through!(cuSignalExternalSemaphoresAsync(extSemArray.as_ptr(), paramsArray.as_ptr().cast(), numExtSems, ds.of(stream)));
    fn cudaStreamAddCallback / cudaStreamAddCallback_ptsz [ds](stream: cudaStream_t, callback: cudaStreamCallback_t, userData: *mut c_void, flags: u32) = through!(cuStreamAddCallback(ds.of(stream), callback, userData, flags));
    fn cudaStreamAttachMemAsync / cudaStreamAttachMemAsync_ptsz [ds](stream: cudaStream_t, devPtr: *mut c_void, length: usize, flags: u32) = through!(cuStreamAttachMemAsync(ds.of(stream), address(devPtr), length, flags));
    fn cudaStreamBeginCapture / cudaStreamBeginCapture_ptsz [ds](stream: cudaStream_t, mode: u32) = through!(cuStreamBeginCapture_v2(ds.of(stream), mode));
    fn cudaStreamBeginCaptureToGraph / cudaStreamBeginCaptureToGraph_ptsz [ds](stream: cudaStream_t, graph: cudaGraph_t, dependencies: In<cudaGraphNode_t>, dependencyData: In<cudaGraphEdgeData>, numDependencies: usize, mode: u32) = through!(cuStreamBeginCaptureToGraph(ds.of(stream), graph, dependencies.as_ptr(), dependencyData.as_ptr().cast(), numDependencies, mode));
    fn cudaStreamCopyAttributes / cudaStreamCopyAttributes_ptsz [ds](dst: cudaStream_t, src: cudaStream_t) = through!(cuStreamCopyAttributes(ds.of(dst), ds.of(src)));
    fn cudaStreamCreate(pStream: Out<cudaStream_t>) = through!(cuStreamCreate(pStream.required()?, 0));
    fn cudaStreamCreateWithFlags(pStream: Out<cudaStream_t>, flags: u32) = through!(cuStreamCreate(pStream.required()?, flags));
    fn cudaStreamCreateWithPriority(pStream: Out<cudaStream_t>, flags: u32, priority: i32) = through!(cuStreamCreateWithPriority(pStream.required()?, flags, priority));
    fn cudaStreamDestroy(stream: cudaStream_t) = through!(cuStreamDestroy_v2(stream));
    fn cudaStreamEndCapture / cudaStreamEndCapture_ptsz [ds](stream: cudaStream_t, pGraph: Out<cudaGraph_t>) = through!(cuStreamEndCapture(ds.of(stream), pGraph.as_ptr()));
    fn cudaStreamGetAttribute / cudaStreamGetAttribute_ptsz [ds](hStream: cudaStream_t, attr: cudaLaunchAttributeID, value_out: Out<cudaLaunchAttributeValue>) = through!(cuStreamGetAttribute(ds.of(hStream), attr, value_out.required()?.cast()));
    #[cfg(not(feature = "major-13"))]
    fn cudaStreamGetCaptureInfo / cudaStreamGetCaptureInfo_ptsz [ds](stream: cudaStream_t, captureStatus_out: Out<u32>, id_out: Out<u64>) = through!(cuStreamGetCaptureInfo_v2(ds.of(stream), captureStatus_out.required()?, id_out.as_ptr(), std::ptr::null_mut(), std::ptr::null_mut(), std::ptr::null_mut()));
    #[cfg(feature = "major-13")]
    fn cudaStreamGetCaptureInfo / cudaStreamGetCaptureInfo_ptsz [ds](stream: cudaStream_t, captureStatus_out: Out<u32>, id_out: Out<u64>, graph_out: Out<cudaGraph_t>, dependencies_out: Out<*const cudaGraphNode_t>, edgeData_out: Out<*const cudaGraphEdgeData>, numDependencies_out: Out<usize>) = through!(cuStreamGetCaptureInfo_v3(ds.of(stream), captureStatus_out.required()?, id_out.as_ptr(), graph_out.as_ptr(), dependencies_out.as_ptr(), edgeData_out.as_ptr().cast(), numDependencies_out.as_ptr()));
    #[cfg(not(feature = "major-13"))]
    fn cudaStreamGetCaptureInfo_v2 / cudaStreamGetCaptureInfo_v2_ptsz [ds](stream: cudaStream_t, captureStatus_out: Out<u32>, id_out: Out<u64>, graph_out: Out<cudaGraph_t>, dependencies_out: Out<*const cudaGraphNode_t>, numDependencies_out: Out<usize>) = through!(cuStreamGetCaptureInfo_v2(ds.of(stream), captureStatus_out.required()?, id_out.as_ptr(), graph_out.as_ptr(), dependencies_out.as_ptr(), numDependencies_out.as_ptr()));
    #[cfg(not(feature = "major-13"))]
    fn cudaStreamGetCaptureInfo_v3 / cudaStreamGetCaptureInfo_v3_ptsz [ds](stream: cudaStream_t, captureStatus_out: Out<u32>, id_out: Out<u64>, graph_out: Out<cudaGraph_t>, dependencies_out: Out<*const cudaGraphNode_t>, edgeData_out: Out<*const cudaGraphEdgeData>, numDependencies_out: Out<usize>) = through!(cuStreamGetCaptureInfo_v3(ds.of(stream), captureStatus_out.required()?, id_out.as_ptr(), graph_out.as_ptr(), dependencies_out.as_ptr(), edgeData_out.as_ptr().cast(), numDependencies_out.as_ptr()));
    fn cudaStreamGetDevice / cudaStreamGetDevice_ptsz [ds](hStream: cudaStream_t, device: Out<i32>) = through!(cuStreamGetDevice(ds.of(hStream), device.required()?));
    fn cudaStreamGetFlags / cudaStreamGetFlags_ptsz [ds](hStream: cudaStream_t, flags: Out<u32>) = through!(cuStreamGetFlags(ds.of(hStream), flags.required()?));
    fn cudaStreamGetId / cudaStreamGetId_ptsz [ds](hStream: cudaStream_t, streamId: Out<u64>) = through!(cuStreamGetId(ds.of(hStream), streamId.required()?));
    fn cudaStreamGetPriority / cudaStreamGetPriority_ptsz [ds](hStream: cudaStream_t, priority: Out<i32>) = through!(cuStreamGetPriority(ds.of(hStream), priority.required()?));
    fn cudaStreamIsCapturing / cudaStreamIsCapturing_ptsz [ds](stream: cudaStream_t, pCaptureStatus: Out<u32>) = through!(cuStreamIsCapturing(ds.of(stream), pCaptureStatus.required()?));
    fn cudaStreamQuery / cudaStreamQuery_ptsz [ds](stream: cudaStream_t) = through!(cuStreamQuery(ds.of(stream)));
    fn cudaStreamSetAttribute / cudaStreamSetAttribute_ptsz [ds](hStream: cudaStream_t, attr: cudaLaunchAttributeID, value: In<cudaLaunchAttributeValue>) = through!(cuStreamSetAttribute(ds.of(hStream), attr, value.as_ptr().cast()));
    fn cudaStreamSynchronize / cudaStreamSynchronize_ptsz [ds](stream: cudaStream_t) = through!(cuStreamSynchronize(ds.of(stream)));
    #[cfg(not(feature = "major-13"))]
    fn cudaStreamUpdateCaptureDependencies / cudaStreamUpdateCaptureDependencies_ptsz [ds](stream: cudaStream_t, dependencies: Out<cudaGraphNode_t>, numDependencies: usize, flags: u32) = through!(cuStreamUpdateCaptureDependencies(ds.of(stream), dependencies.as_ptr(), numDependencies, flags));
    #[cfg(feature = "major-13")]
    fn cudaStreamUpdateCaptureDependencies / cudaStreamUpdateCaptureDependencies_ptsz [ds](stream: cudaStream_t, dependencies: Out<cudaGraphNode_t>, dependencyData: In<cudaGraphEdgeData>, numDependencies: usize, flags: u32) = through!(cuStreamUpdateCaptureDependencies_v2(ds.of(stream), dependencies.as_ptr(), dependencyData.as_ptr().cast(), numDependencies, flags));
    #[cfg(not(feature = "major-13"))]
    fn cudaStreamUpdateCaptureDependencies_v2 / cudaStreamUpdateCaptureDependencies_v2_ptsz [ds](stream: cudaStream_t, dependencies: Out<cudaGraphNode_t>, dependencyData: In<cudaGraphEdgeData>, numDependencies: usize, flags: u32) = through!(cuStreamUpdateCaptureDependencies_v2(ds.of(stream), dependencies.as_ptr(), dependencyData.as_ptr().cast(), numDependencies, flags));
    fn cudaStreamWaitEvent / cudaStreamWaitEvent_ptsz [ds](stream: cudaStream_t, event: cudaEvent_t, flags: u32) = through!(cuStreamWaitEvent(ds.of(stream), event, flags));
    fn cudaThreadExchangeStreamCaptureMode(mode: Out<u32>) = cu!(cuThreadExchangeStreamCaptureMode(mode.required()?));
    #[cfg(not(feature = "major-13"))]
    fn cudaThreadExit() = device::reset();
    #[cfg(not(feature = "major-13"))]
    fn cudaThreadGetCacheConfig(pCacheConfig: Out<u32>) = through!(cuCtxGetCacheConfig(pCacheConfig.required()?));
    #[cfg(not(feature = "major-13"))]
    fn cudaThreadGetLimit(pValue: Out<usize>, limit: u32) = through!(cuCtxGetLimit(pValue.required()?, limit));
    #[cfg(not(feature = "major-13"))]
    fn cudaThreadSetCacheConfig(cacheConfig: u32) = through!(cuCtxSetCacheConfig(cacheConfig));
    #[cfg(not(feature = "major-13"))]
    fn cudaThreadSetLimit(limit: u32, value: usize) = through!(cuCtxSetLimit(limit, value));
    #[cfg(not(feature = "major-13"))]
    fn cudaThreadSynchronize() = through!(cuCtxSynchronize());
    fn cudaUserObjectCreate(object_out: Out<cudaUserObject_t>, ptr: *mut c_void, destroy: cudaHostFn_t, initialRefcount: u32, flags: u32) = cu!(cuUserObjectCreate(object_out.required()?, ptr, destroy, initialRefcount, flags));
    fn cudaUserObjectRelease(object: cudaUserObject_t, count: u32) = cu!(cuUserObjectRelease(object, count));
    fn cudaUserObjectRetain(object: cudaUserObject_t, count: u32) = cu!(cuUserObjectRetain(object, count));
    fn cudaVDPAUGetDevice() = unsupported!("other graphics API");
    fn cudaVDPAUSetVDPAUDevice() = unsupported!("other graphics API");
    fn cudaWaitExternalSemaphoresAsync / cudaWaitExternalSemaphoresAsync_ptsz [ds](extSemArray: In<cudaExternalSemaphore_t>, paramsArray: In<cudaExternalSemaphoreWaitParams>, numExtSems: u32, stream: cudaStream_t) = through!(cuWaitExternalSemaphoresAsync(extSemArray.as_ptr(), paramsArray.as_ptr().cast(), numExtSems, ds.of(stream)));
    #[cfg(not(feature = "major-13"))]
    fn cudaWaitExternalSemaphoresAsync_v2 / cudaWaitExternalSemaphoresAsync_v2_ptsz [ds](extSemArray: In<cudaExternalSemaphore_t>, paramsArray: In<cudaExternalSemaphoreWaitParams>, numExtSems: u32, stream: cudaStream_t) = through!(cuWaitExternalSemaphoresAsync(extSemArray.as_ptr(), paramsArray.as_ptr().cast(), numExtSems, ds.of(stream)));
}
