// The Driver API's documented codes, with their names: synchronous ones first, then one that ends the context.
// expect: no context: 201 CUDA_ERROR_INVALID_CONTEXT
// expect: empty stack: 201 CUDA_ERROR_INVALID_CONTEXT
// expect: bad device: 101 CUDA_ERROR_INVALID_DEVICE
// expect: bad attribute: 1 CUDA_ERROR_INVALID_VALUE
// expect: no bytes: 1 CUDA_ERROR_INVALID_VALUE
// expect: too many bytes: 2 CUDA_ERROR_OUT_OF_MEMORY
// expect: free of a stranger: 1 CUDA_ERROR_INVALID_VALUE
// expect: copy too long: 1 CUDA_ERROR_INVALID_VALUE
// expect: null: 1 CUDA_ERROR_INVALID_VALUE
// expect: bad PTX: 218 CUDA_ERROR_INVALID_PTX
// expect: no image: 200 CUDA_ERROR_INVALID_IMAGE
// expect: no file: 301 CUDA_ERROR_FILE_NOT_FOUND
// expect: no kernel: 500 CUDA_ERROR_NOT_FOUND
// expect: no variable: 500 CUDA_ERROR_NOT_FOUND
// expect: no grid: 1 CUDA_ERROR_INVALID_VALUE
// expect: block too large: 1 CUDA_ERROR_INVALID_VALUE
// expect: too much shared memory: 1 CUDA_ERROR_INVALID_VALUE
// expect: cooperative grid: 720 CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE
// expect: bad cluster: 912 CUDA_ERROR_INVALID_CLUSTER_SIZE
// expect: function attribute: 1 CUDA_ERROR_INVALID_VALUE
// expect: stale stream: 400 CUDA_ERROR_INVALID_HANDLE
// expect: event without time: 400 CUDA_ERROR_INVALID_HANDLE
// expect: registered twice: 712 CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED
// expect: not registered: 713 CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED
// expect: attribute of the heap: 1 CUDA_ERROR_INVALID_VALUE
// expect: texture of nothing: 1 CUDA_ERROR_INVALID_VALUE
// expect: array of nothing: 1 CUDA_ERROR_INVALID_VALUE
// expect: stale graph: 1 CUDA_ERROR_INVALID_VALUE
// expect: synchronize in a capture: 900 CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
// expect: capture is over: 901 CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
// expect: peer of itself: 101 CUDA_ERROR_INVALID_DEVICE
// expect: no such limit: 1 CUDA_ERROR_INVALID_VALUE
// expect: stale context: 201 CUDA_ERROR_INVALID_CONTEXT
// expect: not ready: 600 CUDA_ERROR_NOT_READY
// expect: trap: 719 CUDA_ERROR_LAUNCH_FAILED
// expect: afterwards: 719 CUDA_ERROR_LAUNCH_FAILED
#include "driver.cuh"

static const char ptx[] = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry stop() { trap; ret; }
.visible .entry wait(.param .u64 p) {
 .reg .pred %q; .reg .b64 %rd; .reg .b32 %r;
 ld.param.u64 %rd, [p];
L: ld.volatile.global.u32 %r, [%rd];
 setp.eq.u32 %q, %r, 0;
 @%q bra L;
 ret;
})";

static void say(const char *what, CUresult r) {
    const char *name = "?";
    DRV(cuGetErrorName)(r, &name);
    printf("%s: %d %s\n", what, r, name);
}
#define SAY(what, f, ...) say(what, DRV(f)(__VA_ARGS__))

int main() {
    CUdeviceptr p, q;
    CUcontext ctx, other, top;
    CUmodule m, none;
    CUfunction f, wait;
    CUstream s;
    CUevent e;
    CUgraph g;
    CUgraphNode node;
    int v;
    size_t n;
    DCHECK(cuInit, 0);
    SAY("no context", cuMemAlloc, &p, 16);
    SAY("empty stack", cuCtxPopCurrent, &top);
    SAY("bad device", cuDeviceGet, &v, 99);
    SAY("bad attribute", cuDeviceGetAttribute, &v, (CUdevice_attribute)-5, 0);
#if CUDA_VERSION >= 13000
    DCHECK(cuCtxCreate, &ctx, nullptr, 0, 0);
#else
    DCHECK(cuCtxCreate, &ctx, 0, 0);
#endif
    DCHECK(cuMemAlloc, &p, 4096);
    char host[8192];
    SAY("no bytes", cuMemAlloc, &q, 0);
    SAY("too many bytes", cuMemAlloc, &q, 1ull << 50);
    SAY("free of a stranger", cuMemFree, p + 8);
    SAY("copy too long", cuMemcpyDtoH, host, p, sizeof host);
    SAY("null", cuMemAlloc, nullptr, 16);
    setenv("ANTLERITE_QUIET", "1", 1);
    SAY("bad PTX", cuModuleLoadData, &none, ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { frob; }");
    SAY("no image", cuModuleLoadData, &none, "nonsense");
    SAY("no file", cuModuleLoad, &none, "/nonexistent.ptx");
    DCHECK(cuModuleLoadData, &m, ptx);
    DCHECK(cuModuleGetFunction, &f, m, "stop");
    DCHECK(cuModuleGetFunction, &wait, m, "wait");
    SAY("no kernel", cuModuleGetFunction, &f, m, "go");
    SAY("no variable", cuModuleGetGlobal, &q, &n, m, "x");
    SAY("no grid", cuLaunchKernel, f, 0, 1, 1, 1, 1, 1, 0, 0, nullptr, nullptr);
    SAY("block too large", cuLaunchKernel, f, 1, 1, 1, 1025, 1, 1, 0, 0, nullptr, nullptr);
    SAY("too much shared memory", cuLaunchKernel, f, 1, 1, 1, 32, 1, 1, 60000, 0, nullptr, nullptr);
    SAY("cooperative grid", cuLaunchCooperativeKernel, f, 100000, 1, 1, 1024, 1, 1, 0, 0, nullptr);
    CUlaunchAttribute a = {};
    a.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    a.value.clusterDim = {3, 1, 1};
    CUlaunchConfig c = {4, 1, 1, 32, 1, 1, 0, 0, &a, 1};
    SAY("bad cluster", cuLaunchKernelEx, &c, f, nullptr, nullptr);
    SAY("function attribute", cuFuncSetAttribute, f, CU_FUNC_ATTRIBUTE_NUM_REGS, 3);
    DCHECK(cuStreamCreate, &s, 0);
    DCHECK(cuStreamDestroy, s);
    SAY("stale stream", cuStreamSynchronize, s);
    DCHECK(cuEventCreate, &e, CU_EVENT_DISABLE_TIMING);
    float ms;
    SAY("event without time", cuEventElapsedTime, &ms, e, e);
    void *heap = aligned_alloc(4096, 4096);
    DCHECK(cuMemHostRegister, heap, 4096, 0);
    SAY("registered twice", cuMemHostRegister, heap, 4096, 0);
    DCHECK(cuMemHostUnregister, heap);
    SAY("not registered", cuMemHostUnregister, heap);
    SAY("attribute of the heap", cuPointerGetAttribute, &v, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)heap);
    CUDA_RESOURCE_DESC r = {};
    CUDA_TEXTURE_DESC t = {};
    CUtexObject object;
    SAY("texture of nothing", cuTexObjectCreate, &object, &r, &t, nullptr);
    CUDA_ARRAY3D_DESCRIPTOR d = {0, 4, 0, CU_AD_FORMAT_FLOAT, 1, 0};
    CUarray array;
    SAY("array of nothing", cuArray3DCreate, &array, &d);
    DCHECK(cuGraphCreate, &g, 0);
    DCHECK(cuGraphDestroy, g);
    SAY("stale graph", cuGraphAddEmptyNode, &node, g, nullptr, 0);
    DCHECK(cuStreamCreate, &s, CU_STREAM_NON_BLOCKING);
    DCHECK(cuStreamBeginCapture, s, CU_STREAM_CAPTURE_MODE_RELAXED);
    SAY("synchronize in a capture", cuStreamSynchronize, s);
    SAY("capture is over", cuStreamEndCapture, s, &g);
    SAY("peer of itself", cuCtxEnablePeerAccess, ctx, 0);
    SAY("no such limit", cuCtxGetLimit, &n, (CUlimit)77);
#if CUDA_VERSION >= 13000
    DCHECK(cuCtxCreate, &other, nullptr, 0, 0);
#else
    DCHECK(cuCtxCreate, &other, 0, 0);
#endif
    DCHECK(cuCtxDestroy, other);
    SAY("stale context", cuCtxSetCurrent, other);
    DCHECK(cuCtxSetCurrent, ctx);
    void *flag;
    DCHECK(cuMemAllocHost, &flag, 4);
    *(volatile int *)flag = 0;
    void *args[] = {&flag};
    DCHECK(cuLaunchKernel, wait, 1, 1, 1, 1, 1, 1, 0, s, args, nullptr);
    SAY("not ready", cuStreamQuery, s);
    *(volatile int *)flag = 1;
    DCHECK(cuStreamSynchronize, s);
    DCHECK(cuLaunchKernel, f, 1, 1, 1, 1, 1, 1, 0, s, nullptr, nullptr);
    SAY("trap", cuStreamSynchronize, s);
    SAY("afterwards", cuMemAlloc, &q, 16);
}
