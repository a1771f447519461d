// Functions and forms that only CUDA 12's runtime has.
// build: twelve
// expect: properties and events ok
// expect: edges ok
// expect: captures ok
// expect: managed memory ok
// expect: batches ok
// expect: threads ok
// expect: semaphores ok
#include "areas.cuh"
#include "check.cuh"
#include <cstring>

// Exported for programs of CUDA 11 and for those that were built for per-thread default streams.
extern "C" cudaError_t cudaSignalExternalSemaphoresAsync_v2_ptsz(const cudaExternalSemaphore_t *,
                                                                 const cudaExternalSemaphoreSignalParams *, unsigned, cudaStream_t);
extern "C" cudaError_t cudaWaitExternalSemaphoresAsync_v2_ptsz(const cudaExternalSemaphore_t *,
                                                               const cudaExternalSemaphoreWaitParams *, unsigned, cudaStream_t);
#define PER_THREAD(f) extern "C" decltype(f) f##_ptsz
PER_THREAD(cudaStreamGetCaptureInfo_v2);
PER_THREAD(cudaStreamGetCaptureInfo_v3);
PER_THREAD(cudaStreamUpdateCaptureDependencies);
PER_THREAD(cudaStreamUpdateCaptureDependencies_v2);
extern "C" cudaError_t cudaStreamGetCaptureInfo_ptsz(cudaStream_t, cudaStreamCaptureStatus *, unsigned long long *);
extern "C" cudaError_t cudaMemPrefetchAsync_ptsz(const void *, size_t, int, cudaStream_t);
extern "C" cudaError_t cudaMemPrefetchAsync_v2_ptsz(const void *, size_t, cudaMemLocation, unsigned, cudaStream_t);
extern "C" cudaError_t cudaEventElapsedTime_v2(float *, cudaEvent_t, cudaEvent_t);
// Headers since 12.0 give another meaning to the name.
#undef cudaGetDeviceProperties
extern "C" cudaError_t cudaGetDeviceProperties(void *, int);

__global__ void put(int *p, int v) { *p = v; }

int main() {
    int *d, h[8] = {};
    CHECK(cudaMalloc(&d, 64));
    CHECK(cudaMemset(d, 0, 64));
    cudaStream_t s;
    CHECK(cudaStreamCreate(&s));
    {
        cudaDeviceProp now = {};
        OK(cudaGetDeviceProperties_v2(&now, 0));
        RIGHT(now.major == 9 && now.clockRate > 0 && now.totalGlobalMem > 0 && !strncmp(now.name, "NVIDIA", 6));
        // CUDA 11's: shorter, and the same to begin with.
        char old[sizeof now + 64];
        memset(old, 0x5a, sizeof old);
        OK(cudaGetDeviceProperties(old, 0));
        RIGHT(!strcmp(old, now.name) && old[sizeof now] == 0x5a);
        cudaEvent_t a, b;
        CHECK(cudaEventCreate(&a));
        CHECK(cudaEventCreate(&b));
        CHECK(cudaEventRecord(a));
        put<<<1, 1>>>(d, 1);
        CHECK(cudaEventRecord(b));
        CHECK(cudaEventSynchronize(b));
        float one = -1, two = -2;
        OK(cudaEventElapsedTime(&one, a, b));
        OK(cudaEventElapsedTime_v2(&two, a, b));
        RIGHT(one > 0 && one == two);
        area_end("properties and events");
    }
    {
        cudaGraph_t g;
        cudaGraphNode_t a, b, c, from[4], to[4];
        cudaGraphEdgeData data[4];
        CHECK(cudaGraphCreate(&g, 0));
        cudaGraphNodeParams p = {};
        p.type = cudaGraphNodeTypeMemset;
        p.memset.dst = d + 4, p.memset.value = 7, p.memset.elementSize = 4, p.memset.width = 1, p.memset.height = 1;
        OK(cudaGraphAddNode(&a, g, nullptr, 0, &p));
        p.memset.dst = d + 5;
        OK(cudaGraphAddNode_v2(&b, g, &a, nullptr, 1, &p));
        OK(cudaGraphAddEmptyNode(&c, g, nullptr, 0));
        OK(cudaGraphAddDependencies(g, &a, &c, 1));
        OK(cudaGraphAddDependencies_v2(g, &b, &c, nullptr, 1));
        size_t n = 4;
        OK(cudaGraphGetEdges(g, from, to, &n));
        RIGHT(n == 3);
        n = 4;
        OK(cudaGraphGetEdges_v2(g, from, to, data, &n));
        RIGHT(n == 3 && data[2].type == cudaGraphDependencyTypeDefault);
        n = 4;
        OK(cudaGraphNodeGetDependencies(c, from, &n));
        RIGHT(n == 2);
        n = 4;
        OK(cudaGraphNodeGetDependencies_v2(c, from, data, &n));
        RIGHT(n == 2);
        n = 4;
        OK(cudaGraphNodeGetDependentNodes(a, to, &n));
        RIGHT(n == 2);
        n = 4;
        OK(cudaGraphNodeGetDependentNodes_v2(b, to, data, &n));
        RIGHT(n == 1 && to[0] == c);
        OK(cudaGraphRemoveDependencies(g, &a, &c, 1));
        OK(cudaGraphRemoveDependencies_v2(g, &b, &c, nullptr, 1));
        OK(cudaGraphGetEdges(g, nullptr, nullptr, &n));
        RIGHT(n == 1);
        cudaGraphExec_t e;
        OK(cudaGraphInstantiate(&e, g, 0));
        OK(cudaGraphLaunch(e, s));
        OK(cudaStreamSynchronize(s));
        OK(cudaMemcpy(h, d, 32, cudaMemcpyDeviceToHost));
        RIGHT(h[0] == 1 && h[4] == 7 && h[5] == 7);
        CHECK(cudaGraphExecDestroy(e));
        CHECK(cudaGraphDestroy(g));
        area_end("edges");
    }
    {
        cudaStreamCaptureStatus status;
        unsigned long long id = 0, same = 0;
        cudaGraph_t g, got;
        const cudaGraphNode_t *nodes;
        const cudaGraphEdgeData *edges;
        size_t n = 9;
        for (cudaStream_t of : {s, cudaStreamPerThread}) {
            bool own = of == cudaStreamPerThread;
            OK(cudaStreamBeginCapture(of, cudaStreamCaptureModeRelaxed));
            put<<<1, 1, 0, of>>>(d + 6, 9);
            OK(own ? cudaStreamGetCaptureInfo_ptsz(0, &status, &id) : cudaStreamGetCaptureInfo(of, &status, &id));
            RIGHT(status == cudaStreamCaptureStatusActive && id);
            OK(own ? cudaStreamGetCaptureInfo_v2_ptsz(0, &status, &same, &got, &nodes, &n)
                   : cudaStreamGetCaptureInfo_v2(of, &status, &same, &got, &nodes, &n));
            RIGHT(same == id && n == 1);
            cudaGraphNode_t first = nodes[0];
            OK(own ? cudaStreamUpdateCaptureDependencies_ptsz(0, nullptr, 0, cudaStreamSetCaptureDependencies)
                   : cudaStreamUpdateCaptureDependencies(of, nullptr, 0, cudaStreamSetCaptureDependencies));
            OK(own ? cudaStreamGetCaptureInfo_v3_ptsz(0, &status, &same, &got, &nodes, &edges, &n)
                   : cudaStreamGetCaptureInfo_v3(of, &status, &same, &got, &nodes, &edges, &n));
            RIGHT(n == 0);
            OK(own ? cudaStreamUpdateCaptureDependencies_v2_ptsz(0, &first, nullptr, 1, cudaStreamAddCaptureDependencies)
                   : cudaStreamUpdateCaptureDependencies_v2(of, &first, nullptr, 1, cudaStreamAddCaptureDependencies));
            OK(cudaStreamGetCaptureInfo_v2(of, &status, nullptr, nullptr, &nodes, &n));
            RIGHT(n == 1 && nodes[0] == first);
            OK(cudaStreamEndCapture(of, &g));
            RIGHT(g == got);
            CHECK(cudaGraphDestroy(g));
        }
        area_end("captures");
    }
    {
        int *m, last = 9;
        size_t bytes = 1 << 20;
        CHECK(cudaMallocManaged(&m, bytes));
        auto where = [&] {
            OK(cudaMemRangeGetAttribute(&last, 4, cudaMemRangeAttributeLastPrefetchLocation, m, bytes));
            return last;
        };
        cudaMemLocation gpu = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
        OK(cudaMemPrefetchAsync(m, bytes, 0, s));
        RIGHT(where() == 0);
        OK(cudaMemPrefetchAsync_v2(m, bytes, host, 0, s));
        RIGHT(where() == cudaCpuDeviceId);
        OK(cudaMemPrefetchAsync_v2_ptsz(m, bytes, gpu, 0, 0));
        RIGHT(where() == 0);
        OK(cudaMemPrefetchAsync_ptsz(m, bytes, cudaCpuDeviceId, 0));
        RIGHT(where() == cudaCpuDeviceId);
        OK(cudaMemAdvise(m, bytes, cudaMemAdviseSetPreferredLocation, 0));
        int preferred = 9;
        OK(cudaMemRangeGetAttribute(&preferred, 4, cudaMemRangeAttributePreferredLocation, m, bytes));
        RIGHT(preferred == 0);
        OK(cudaMemAdvise_v2(m, bytes, cudaMemAdviseSetPreferredLocation, host));
        OK(cudaMemRangeGetAttribute(&preferred, 4, cudaMemRangeAttributePreferredLocation, m, bytes));
        RIGHT(preferred == cudaCpuDeviceId);
        IS(cudaErrorInvalidDevice, cudaMemPrefetchAsync(m, bytes, 77, s));
        CHECK(cudaFree(m));
        area_end("managed memory");
    }
    {
        int in[4] = {31, 32, 33, 34};
        void *to[2] = {d, d + 3};
        void *from[2] = {in, in + 2};
        size_t sizes[2] = {8, 4}, first = 0, failed = 9;
        cudaMemcpyAttributes how = {};
        how.srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall;
        OK(cudaMemcpyBatchAsync(to, from, sizes, 2, &how, &first, 1, &failed, s));
        cudaMemcpy3DBatchOp op = {};
        op.src.type = op.dst.type = cudaMemcpyOperandTypePointer;
        op.src.op.ptr.ptr = in, op.dst.op.ptr.ptr = d + 6;
        op.extent = make_cudaExtent(8, 1, 1);
        op.srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall;
        OK(cudaMemcpy3DBatchAsync(1, &op, &failed, 0, s));
        OK(cudaStreamSynchronize(s));
        OK(cudaMemcpy(h, d, 32, cudaMemcpyDeviceToHost));
        RIGHT(h[0] == 31 && h[1] == 32 && h[2] == 0 && h[3] == 33 && h[6] == 31 && h[7] == 32);
        op.extent.width = 1 << 30;
        IS(cudaErrorInvalidValue, cudaMemcpy3DBatchAsync(1, &op, &failed, 0, s));
        RIGHT(failed == 0);
        cudaLaunchParams p = {};
        int *at = d + 1, v = 77;
        void *arguments[] = {&at, &v};
        p.func = (void *)put, p.gridDim = p.blockDim = dim3(1), p.args = arguments, p.stream = s;
        OK(cudaLaunchCooperativeKernelMultiDevice(&p, 1, 0));
        OK(cudaStreamSynchronize(s));
        OK(cudaMemcpy(h, d, 8, cudaMemcpyDeviceToHost));
        RIGHT(h[1] == 77);
        p.stream = nullptr;
        IS(cudaErrorInvalidValue, cudaLaunchCooperativeKernelMultiDevice(&p, 1, 0));
        area_end("batches");
    }
    {
        size_t stack = 0;
        OK(cudaThreadSetLimit(cudaLimitStackSize, 8192));
        OK(cudaThreadGetLimit(&stack, cudaLimitStackSize));
        RIGHT(stack == 8192);
        cudaFuncCache cache;
        OK(cudaThreadSetCacheConfig(cudaFuncCachePreferShared));
        OK(cudaThreadGetCacheConfig(&cache));
        RIGHT(cache == cudaFuncCachePreferNone);
        put<<<1, 1>>>(d, 5);
        OK(cudaThreadSynchronize());
        OK(cudaStreamQuery(0));
        double x = 1.5;
        OK(cudaSetDoubleForDevice(&x));
        OK(cudaSetDoubleForHost(&x));
        RIGHT(x == 1.5);
        area_end("threads");
    }
    {
        cudaExternalSemaphore_t none = nullptr;
        cudaExternalSemaphoreSignalParams signal = {};
        cudaExternalSemaphoreWaitParams wait = {};
        IS(cudaErrorInvalidResourceHandle, cudaSignalExternalSemaphoresAsync(&none, &signal, 1, s));
        IS(cudaErrorInvalidResourceHandle, cudaWaitExternalSemaphoresAsync(&none, &wait, 1, s));
        IS(cudaErrorInvalidResourceHandle, cudaSignalExternalSemaphoresAsync_v2_ptsz(&none, &signal, 1, 0));
        IS(cudaErrorInvalidResourceHandle, cudaWaitExternalSemaphoresAsync_v2_ptsz(&none, &wait, 1, 0));
        // As cudaDeviceReset: what was allocated is gone.
        OK(cudaThreadExit());
        IS(cudaErrorInvalidValue, cudaFree(d));
        area_end("semaphores");
    }
}
