// The rest of the Driver API: each line is an area.
// expect: stream attributes ok
// expect: context events ok
// expect: copies in a batch ok
// expect: copies in 3D ok
// expect: managed batches ok
// expect: green context: 16 SMs, all in range, stream in range
// expect: old launches 7 3.5 11
// expect: tensor map ok
// expect: log ok
// expect: core dumps ok
// expect: checkpoints ok
// expect: external memory ok
// expect: notifications ok
// expect: documented refusals ok
#include "check.cuh"
#include "driver.cuh"
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

__global__ void wait_put(int *p, int v, volatile int *flag) {
    while (!*flag) {}
    *p = v;
}
__global__ void which(unsigned *ids) {
    unsigned id;
    asm("mov.u32 %0, %%smid;" : "=r"(id));
    ids[blockIdx.x] = id;
}
static const char old[] = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry old(.param .u64 out, .param .u32 a, .param .f32 b, .param .u32 c) {
 .reg .b64 %rd; .reg .b32 %r<3>; .reg .f32 %f;
 ld.param.u64 %rd, [out]; ld.param.u32 %r1, [a]; ld.param.f32 %f, [b]; ld.param.u32 %r2, [c];
 st.global.u32 [%rd], %r1; st.global.f32 [%rd+4], %f; st.global.u32 [%rd+8], %r2; ret;
})";

static bool all_ok;
#define OK(f, ...) (all_ok = all_ok && DRV(f)(__VA_ARGS__) == CUDA_SUCCESS)
#define IS(code, f, ...)                                                        \
    do {                                                                        \
        CUresult r = DRV(f)(__VA_ARGS__);                                       \
        if (r != (code)) all_ok = false, printf("%d: " #f " %d\n", __LINE__, r); \
    } while (0)
static void area(const char *name) { printf("%s %s\n", name, all_ok ? "ok" : "wrong"), all_ok = true; }
static int logged;
static void heard(void *data, CUlogLevel, char *text, size_t) { logged += data && strstr(text, "cuMemAlloc_v2"); }

int main() {
    CHECK(cudaFree(0));
    all_ok = true;
    CUstream a, b;
    CUcontext ctx;
    DCHECK(cuCtxGetCurrent, &ctx);
    DCHECK(cuStreamCreate, &a, CU_STREAM_NON_BLOCKING);
    DCHECK(cuStreamCreate, &b, CU_STREAM_NON_BLOCKING);
    {
        CUstreamAttrValue v = {}, w = {};
        v.syncPolicy = CU_SYNC_POLICY_SPIN;
        OK(cuStreamSetAttribute, a, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &v);
        v = {};
        v.accessPolicyWindow.num_bytes = 4096;
        v.accessPolicyWindow.hitRatio = .5f;
        OK(cuStreamSetAttribute, a, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &v);
        v = {};
        v.priority = -3;
        OK(cuStreamSetAttribute, a, CU_STREAM_ATTRIBUTE_PRIORITY, &v);
        OK(cuStreamCopyAttributes, b, a);
        OK(cuStreamGetAttribute, b, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &w);
        all_ok &= w.syncPolicy == CU_SYNC_POLICY_SPIN;
        OK(cuStreamGetAttribute, b, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &w);
        all_ok &= w.accessPolicyWindow.num_bytes == 4096 && w.accessPolicyWindow.hitRatio == .5f;
        int priority;
        OK(cuStreamGetPriority, b, &priority);
        all_ok &= priority == -3;
        IS(CUDA_ERROR_INVALID_VALUE, cuStreamGetAttribute, b, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &w);
        area("stream attributes");
    }
    int *d, h[64] = {};
    CHECK(cudaMalloc(&d, 4096));
    {
        CHECK(cudaMemset(d, 0, 4096));
        CUevent e;
        DCHECK(cuEventCreate, &e, CU_EVENT_DISABLE_TIMING);
        int *flag;
        CHECK(cudaMallocHost(&flag, 4));
        *flag = 0;
        wait_put<<<1, 1, 0, a>>>(d, 5, flag);
        OK(cuCtxRecordEvent, ctx, e);
        IS(CUDA_ERROR_NOT_READY, cuEventQuery, e);
        OK(cuCtxWaitEvent, ctx, e);
        CHECK(cudaMemcpyAsync(d + 1, d, 4, cudaMemcpyDeviceToDevice, b));
        IS(CUDA_ERROR_NOT_READY, cuStreamQuery, b);
        *(volatile int *)flag = 1;
        OK(cuStreamSynchronize, b);
        OK(cuEventQuery, e);
        CHECK(cudaMemcpy(h, d, 8, cudaMemcpyDeviceToHost));
        all_ok &= h[0] == 5 && h[1] == 5;
        area("context events");
    }
    {
        int from[4] = {1, 2, 3, 4};
        CUdeviceptr dsts[2] = {(CUdeviceptr)(d + 8), (CUdeviceptr)(d + 20)}, srcs[2] = {(CUdeviceptr)from, (CUdeviceptr)(from + 2)};
        size_t sizes[2] = {8, 8}, first = 0, fail = 7;
        CUmemcpyAttributes how = {};
        how.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
#if CUDA_VERSION >= 13000
        OK(cuMemcpyBatchAsync, dsts, srcs, sizes, 2, &how, &first, 1, a);
        IS(CUDA_ERROR_INVALID_VALUE, cuMemcpyBatchAsync, dsts, srcs, sizes, 2, &how, &first, 1, 0);
        auto older = (CUresult(*)(CUdeviceptr *, CUdeviceptr *, size_t *, size_t, CUmemcpyAttributes *, size_t *, size_t, size_t *, CUstream))driver_symbol("cuMemcpyBatchAsync");
        dsts[1] = (CUdeviceptr)d + (1ull << 34);
        all_ok &= older(dsts, srcs, sizes, 2, &how, &first, 1, &fail, a) == CUDA_ERROR_INVALID_VALUE && fail == 1;
#endif
        OK(cuStreamSynchronize, a);
        CHECK(cudaMemcpy(h, d, 256, cudaMemcpyDeviceToHost));
        all_ok &= h[8] == 1 && h[9] == 2 && h[20] == 3 && h[21] == 4;
        area("copies in a batch");
        CUDA_ARRAY3D_DESCRIPTOR ad = {4, 2, 0, CU_AD_FORMAT_SIGNED_INT32, 1, 0};
        CUarray array;
        DCHECK(cuArray3DCreate, &array, &ad);
        CUDA_MEMCPY3D_BATCH_OP ops[2] = {};
        ops[0].src.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
        ops[0].src.op.ptr.ptr = (CUdeviceptr)(d + 8);
        ops[0].dst.type = CU_MEMCPY_OPERAND_TYPE_ARRAY;
        ops[0].dst.op.array.array = array;
        ops[0].dst.op.array.offset = {1, 1, 0};
        ops[0].extent = {2, 1, 1};
        ops[0].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
        ops[1] = ops[0];
        ops[1].src = ops[0].dst, ops[1].dst = ops[0].src;
        ops[1].dst.op.ptr.ptr = (CUdeviceptr)(d + 30);
#if CUDA_VERSION >= 13000
        OK(cuMemcpy3DBatchAsync, 2, ops, 0, a);
#endif
        OK(cuStreamSynchronize, a);
        CHECK(cudaMemcpy(h, d, 256, cudaMemcpyDeviceToHost));
        all_ok &= h[30] == 1 && h[31] == 2;
        area("copies in 3D");
        DCHECK(cuArrayDestroy, array);
    }
    {
        int *m;
        CHECK(cudaMallocManaged(&m, 1 << 20));
        m[0] = 3;
#if CUDA_VERSION >= 13000
        CUdeviceptr p = (CUdeviceptr)m;
        size_t n = 1 << 20, first = 0;
        CUmemLocation there = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
        OK(cuMemPrefetchBatchAsync, &p, &n, 1, &there, &first, 1, 0, a);
        OK(cuStreamSynchronize, a);
        all_ok &= m[0] == 3;
        OK(cuMemDiscardBatchAsync, &p, &n, 1, 0, a);
        OK(cuMemDiscardAndPrefetchBatchAsync, &p, &n, 1, &there, &first, 1, 0, a);
        p = (CUdeviceptr)d;
        IS(CUDA_ERROR_INVALID_VALUE, cuMemDiscardBatchAsync, &p, &n, 1, 0, a);
#endif
        OK(cuStreamSynchronize, a);
        area("managed batches");
    }
    {
        CUdevResource all, part[2], rest, got;
        CUdevResourceDesc desc;
        CUgreenCtx green, of;
        CUcontext gctx;
        CUstream s;
        unsigned n = 1, *ids, seen[264];
        unsigned long long id;
        DCHECK(cuDeviceGetDevResource, 0, &all, CU_DEV_RESOURCE_TYPE_SM);
        DCHECK(cuCtxGetDevResource, ctx, &got, CU_DEV_RESOURCE_TYPE_SM);
        DCHECK(cuDevSmResourceSplitByCount, part, &n, &all, &rest, 0, 10);
        DCHECK(cuDevResourceGenerateDesc, &desc, part, 1);
        DCHECK(cuGreenCtxCreate, &green, desc, 0, CU_GREEN_CTX_DEFAULT_STREAM);
        DCHECK(cuGreenCtxGetDevResource, green, &got, CU_DEV_RESOURCE_TYPE_SM);
        DCHECK(cuGreenCtxGetId, green, &id);
        DCHECK(cuGreenCtxStreamCreate, &s, green, CU_STREAM_NON_BLOCKING, 0);
        DCHECK(cuStreamGetGreenCtx, s, &of);
        DCHECK(cuCtxFromGreenCtx, &gctx, green);
        CHECK(cudaMalloc(&ids, sizeof seen));
        bool in_range = of == green && rest.sm.smCount == all.sm.smCount - got.sm.smCount, in_stream = id != 0;
        which<<<264, 32, 0, s>>>(ids);
        CHECK(cudaMemcpyAsync(seen, ids, sizeof seen, cudaMemcpyDeviceToHost, s));
        DCHECK(cuStreamSynchronize, s);
        for (unsigned v : seen) in_stream &= v < got.sm.smCount;
        // The context itself: its default stream, too.
        DCHECK(cuCtxPushCurrent, gctx);
        which<<<264, 32>>>(ids);
        CHECK(cudaMemcpy(seen, ids, sizeof seen, cudaMemcpyDeviceToHost));
        for (unsigned v : seen) in_range &= v < got.sm.smCount;
        DCHECK(cuCtxPopCurrent, &gctx);
        CUevent e;
        DCHECK(cuEventCreate, &e, 0);
        DCHECK(cuGreenCtxRecordEvent, green, e);
        DCHECK(cuGreenCtxWaitEvent, green, e);
        DCHECK(cuEventSynchronize, e);
        which<<<264, 32>>>(ids);
        CHECK(cudaMemcpy(seen, ids, sizeof seen, cudaMemcpyDeviceToHost));
        bool beyond = false;
        for (unsigned v : seen) beyond |= v >= got.sm.smCount;
        printf("green context: %u SMs, %s, %s\n", got.sm.smCount, in_range && beyond ? "all in range" : "not in range",
               in_stream ? "stream in range" : "stream not in range");
        DCHECK(cuStreamDestroy, s);
        DCHECK(cuGreenCtxDestroy, green);
        IS(CUDA_ERROR_INVALID_CONTEXT, cuGreenCtxDestroy, green);
    }
    {
        CUmodule m;
        CUfunction f;
        DCHECK(cuModuleLoadData, &m, old);
        DCHECK(cuModuleGetFunction, &f, m, "old");
        int c = 11;
        struct { int a; float b; int c; } got;
        DCHECK(cuFuncSetBlockShape, f, 1, 1, 1);
        DCHECK(cuFuncSetSharedSize, f, 0);
        DCHECK(cuParamSetv, f, 0, &d, 8);
        DCHECK(cuParamSeti, f, 8, 7);
        DCHECK(cuParamSetf, f, 12, 3.5f);
        DCHECK(cuParamSetv, f, 16, &c, 4);
        DCHECK(cuParamSetSize, f, 20);
        DCHECK(cuLaunchGrid, f, 1, 1);
        DCHECK(cuLaunch, f);
        DCHECK(cuLaunchGridAsync, f, 2, 1, a);
        DCHECK(cuCtxSynchronize);
        CHECK(cudaMemcpy(&got, d, sizeof got, cudaMemcpyDeviceToHost));
        printf("old launches %d %g %d\n", got.a, got.b, got.c);
        void *args[] = {&d, &got.a, &got.b, &got.c};
        CUDA_LAUNCH_PARAMS p = {f, 1, 1, 1, 1, 1, 1, 0, a, args};
        DCHECK(cuLaunchCooperativeKernelMultiDevice, &p, 1, 0);
        DCHECK(cuStreamSynchronize, a);
    }
    {
        CUtensorMap map, moved;
        cuuint64_t size[4] = {64, 32, 8, 2}, strides[3] = {256, 8192, 65536};
        cuuint32_t box[2] = {8, 4}, steps[4] = {1, 1, 1, 1};
        int low[2] = {-1, -1}, high[2] = {1, 1};
        OK(cuTensorMapEncodeTiled, &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, d, size, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
           CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
        moved = map;
        OK(cuTensorMapReplaceAddress, &moved, d + 64);
        all_ok &= memcmp(&map, &moved, sizeof map) != 0;
        OK(cuTensorMapReplaceAddress, &moved, d);
        all_ok &= memcmp(&map, &moved, sizeof map) == 0;
        box[0] = 500;
        IS(CUDA_ERROR_INVALID_VALUE, cuTensorMapEncodeTiled, &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, d, size, strides, box, steps,
           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
        OK(cuTensorMapEncodeIm2col, &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 4, d, size, strides, low, high, 16, 32, steps,
           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
        OK(cuTensorMapEncodeIm2colWide, &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 4, d, size, strides, -1, 1, 16, 32, steps,
           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_IM2COL_WIDE_MODE_W, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
        area("tensor map");
    }
    {
        CUlogsCallbackHandle handle;
        CUlogIterator start;
        CUdeviceptr p;
        char text[4000], name[] = "/tmp/antlerite-log-XXXXXX";
        size_t n = sizeof text;
        OK(cuLogsRegisterCallback, heard, &logged, &handle);
        OK(cuLogsCurrent, &start, 0);
        CUlogIterator again = start;
        DRV(cuMemAlloc)(&p, 0);
        OK(cuLogsUnregisterCallback, handle);
        DRV(cuMemAlloc)(&p, 0);
        OK(cuLogsDumpToMemory, &start, text, &n, 0);
        all_ok &= logged == 1 && n == strlen(text) && strstr(strstr(text, "cuMemAlloc_v2") + 1, "cuMemAlloc_v2");
        close(mkstemp(name));
        OK(cuLogsDumpToFile, &again, name, 0);
        FILE *file = fopen(name, "r");
        all_ok &= fgets(text, sizeof text, file) && strstr(text, "CUDA_ERROR_INVALID_VALUE");
        fclose(file);
        unlink(name);
        IS(CUDA_ERROR_INVALID_VALUE, cuLogsUnregisterCallback, handle);
        area("log");
    }
    {
        bool on = true, got = false;
        char path[64];
        size_t n = sizeof on;
        OK(cuCoredumpSetAttribute, CU_COREDUMP_LIGHTWEIGHT, &on, &n);
        OK(cuCoredumpGetAttribute, CU_COREDUMP_LIGHTWEIGHT, &got, &n);
        all_ok &= got;
        n = 6;
        OK(cuCoredumpSetAttributeGlobal, CU_COREDUMP_FILE, (void *)"dump1", &n);
        n = sizeof path;
        OK(cuCoredumpGetAttributeGlobal, CU_COREDUMP_FILE, path, &n);
        all_ok &= n == 6 && !strcmp(path, "dump1");
        IS(CUDA_ERROR_INVALID_VALUE, cuCoredumpGetAttributeGlobal, CU_COREDUMP_MAX, path, &n);
        area("core dumps");
        CUprocessState state;
        int thread;
        OK(cuCheckpointProcessGetState, getpid(), &state);
        OK(cuCheckpointProcessGetRestoreThreadId, getpid(), &thread);
        all_ok &= state == CU_PROCESS_STATE_RUNNING && thread == getpid();
        IS(CUDA_ERROR_INVALID_VALUE, cuCheckpointProcessGetState, -1, &state);
        IS(CUDA_ERROR_INVALID_VALUE, cuCheckpointProcessLock, -1, nullptr);
        IS(CUDA_ERROR_ILLEGAL_STATE, cuCheckpointProcessUnlock, getpid(), nullptr);
        IS(CUDA_ERROR_ILLEGAL_STATE, cuCheckpointProcessCheckpoint, getpid(), nullptr);
        IS(CUDA_ERROR_ILLEGAL_STATE, cuCheckpointProcessRestore, getpid(), nullptr);
        area("checkpoints");
    }
    {
        CUmemAllocationProp prop = {};
        prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
        prop.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
        prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
        CUmemGenericAllocationHandle memory;
        CUdeviceptr va, buffer;
        int fd;
        DCHECK(cuMemCreate, &memory, 2 << 20, &prop, 0);
        DCHECK(cuMemAddressReserve, &va, 2 << 20, 0, 0, 0);
        DCHECK(cuMemMap, va, 2 << 20, 0, memory, 0);
        CUmemAccessDesc rw = {prop.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
        DCHECK(cuMemSetAccess, va, 2 << 20, &rw, 1);
        DCHECK(cuMemExportToShareableHandle, &fd, memory, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
        CUDA_EXTERNAL_MEMORY_HANDLE_DESC hd = {};
        hd.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
        hd.handle.fd = fd;
        hd.size = 2 << 20;
        CUexternalMemory ext;
        OK(cuImportExternalMemory, &ext, &hd);
        CUDA_EXTERNAL_MEMORY_BUFFER_DESC bd = {};
        bd.offset = 4096, bd.size = 4096;
        OK(cuExternalMemoryGetMappedBuffer, &buffer, ext, &bd);
        CHECK(cudaMemset((void *)(va + 4096), 0x77, 4096));
        int word = 0;
        CHECK(cudaMemcpy(&word, (void *)buffer, 4, cudaMemcpyDeviceToHost));
        all_ok &= word == 0x77777777;
        CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC md = {};
        md.offset = 1 << 20;
        md.arrayDesc = {16, 16, 0, CU_AD_FORMAT_FLOAT, 1, 0};
        md.numLevels = 1;
        CUmipmappedArray mip;
        OK(cuExternalMemoryGetMappedMipmappedArray, &mip, ext, &md);
        OK(cuMipmappedArrayDestroy, mip);
        OK(cuMemFree, buffer);
        OK(cuDestroyExternalMemory, ext);
        IS(CUDA_ERROR_INVALID_HANDLE, cuDestroyExternalMemory, ext);
        CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC sd = {};
        sd.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;
        CUexternalSemaphore sem = nullptr;
        IS(CUDA_ERROR_INVALID_HANDLE, cuImportExternalSemaphore, &sem, &sd);
        CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS sp = {};
        CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wp = {};
        IS(CUDA_ERROR_INVALID_HANDLE, cuSignalExternalSemaphoresAsync, &sem, &sp, 1, a);
        IS(CUDA_ERROR_INVALID_HANDLE, cuWaitExternalSemaphoresAsync, &sem, &wp, 1, a);
        IS(CUDA_ERROR_INVALID_HANDLE, cuDestroyExternalSemaphore, sem);
        CUgraph g;
        CUgraphNode node, empty;
        CUgraphExec exec;
        DCHECK(cuGraphCreate, &g, 0);
        DCHECK(cuGraphAddEmptyNode, &empty, g, nullptr, 0);
        DCHECK(cuGraphInstantiate, &exec, g, 0);
        CUDA_EXT_SEM_SIGNAL_NODE_PARAMS sn = {&sem, &sp, 1};
        CUDA_EXT_SEM_WAIT_NODE_PARAMS wn = {&sem, &wp, 1};
        IS(CUDA_ERROR_INVALID_HANDLE, cuGraphAddExternalSemaphoresSignalNode, &node, g, nullptr, 0, &sn);
        IS(CUDA_ERROR_INVALID_HANDLE, cuGraphAddExternalSemaphoresWaitNode, &node, g, nullptr, 0, &wn);
        IS(CUDA_ERROR_INVALID_VALUE, cuGraphExternalSemaphoresSignalNodeGetParams, empty, &sn);
        IS(CUDA_ERROR_INVALID_VALUE, cuGraphExternalSemaphoresSignalNodeSetParams, empty, &sn);
        IS(CUDA_ERROR_INVALID_VALUE, cuGraphExternalSemaphoresWaitNodeGetParams, empty, &wn);
        IS(CUDA_ERROR_INVALID_VALUE, cuGraphExternalSemaphoresWaitNodeSetParams, empty, &wn);
        IS(CUDA_ERROR_INVALID_VALUE, cuGraphExecExternalSemaphoresSignalNodeSetParams, exec, empty, &sn);
        IS(CUDA_ERROR_INVALID_VALUE, cuGraphExecExternalSemaphoresWaitNodeSetParams, exec, empty, &wn);
        area("external memory");
    }
    {
        CUasyncCallbackHandle handle;
        auto never = [](CUasyncNotificationInfo *, void *, CUasyncCallbackHandle) {};
        OK(cuDeviceRegisterAsyncNotification, 0, never, nullptr, &handle);
        OK(cuDeviceUnregisterAsyncNotification, 0, handle);
        IS(CUDA_ERROR_INVALID_VALUE, cuDeviceUnregisterAsyncNotification, 0, handle);
        area("notifications");
        CUgraphicsResource none = nullptr;
        CUdeviceptr p;
        CUmipmappedArray mip;
        CUarray array;
        size_t n;
        IS(CUDA_ERROR_INVALID_HANDLE, cuGraphicsMapResources, 1, &none, a);
        IS(CUDA_ERROR_INVALID_HANDLE, cuGraphicsUnmapResources, 1, &none, a);
        IS(CUDA_ERROR_INVALID_HANDLE, cuGraphicsResourceGetMappedPointer, &p, &n, none);
        IS(CUDA_ERROR_INVALID_HANDLE, cuGraphicsResourceGetMappedMipmappedArray, &mip, none);
        IS(CUDA_ERROR_INVALID_HANDLE, cuGraphicsSubResourceGetMappedArray, &array, none, 0, 0);
        IS(CUDA_ERROR_INVALID_HANDLE, cuGraphicsResourceSetMapFlags, none, 0);
        IS(CUDA_ERROR_INVALID_HANDLE, cuGraphicsUnregisterResource, none);
        IS(CUDA_ERROR_INVALID_VALUE, cuMulticastAddDevice, 1, 0);
        IS(CUDA_ERROR_INVALID_VALUE, cuMulticastUnbind, 1, 0, 0, 0);
        IS(CUDA_ERROR_INVALID_VALUE, cuMulticastBindAddr, 1, 0, p, 0, 0);
        IS(CUDA_ERROR_INVALID_VALUE, cuMulticastCreate, nullptr, nullptr);
        IS(CUDA_ERROR_INVALID_VALUE, cuMulticastGetGranularity, &n, nullptr, CU_MULTICAST_GRANULARITY_MINIMUM);
        IS(CUDA_ERROR_INVALID_VALUE, cuMemGetHandleForAddressRange, nullptr, 0, 0, CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0);
        IS(CUDA_ERROR_INVALID_VALUE, cuMemBatchDecompressAsync, nullptr, 0, 0, nullptr, a);
        auto profile = (CUresult(*)(const char *, const char *, int))driver_symbol("cuProfilerInitialize");
        all_ok &= profile("a", "b", 0) == CUDA_ERROR_PROFILER_DISABLED;
        CUlibrary library;
        void *address;
        DCHECK(cuLibraryLoadData, &library, old, nullptr, nullptr, 0, nullptr, nullptr, 0);
        IS(CUDA_ERROR_NOT_FOUND, cuLibraryGetUnifiedFunction, &address, library, "f");
        area("documented refusals");
    }
}
