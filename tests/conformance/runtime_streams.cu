// Streams, events, launches and captures by the Runtime API, each in the form for the legacy default stream and, since
// the file includes itself again, in the form for the per-thread one.
// expect: what a stream tells ok
// expect: attributes ok
// expect: order ok
// expect: launches ok
// expect: captures ok
// expect: pools ok
// expect: entry points ok
// expect: semaphores ok
// expect: per thread: what a stream tells ok
// expect: per thread: attributes ok
// expect: per thread: order ok
// expect: per thread: launches ok
// expect: per thread: captures ok
// expect: per thread: pools ok
// expect: per thread: entry points ok
// expect: per thread: semaphores ok
#ifndef FORM
#include "areas.cuh"
#include "check.cuh"

#define PER_THREAD(f) extern "C" decltype(f) f##_ptsz
PER_THREAD(cudaEventRecordWithFlags);
PER_THREAD(cudaEventRecord);
PER_THREAD(cudaFreeAsync);
PER_THREAD(cudaGetDriverEntryPointByVersion);
PER_THREAD(cudaGraphInstantiateWithParams);
PER_THREAD(cudaGraphLaunch);
PER_THREAD(cudaGraphUpload);
PER_THREAD(cudaLaunchHostFunc);
PER_THREAD(cudaLaunchKernelExC);
PER_THREAD(cudaStreamAddCallback);
PER_THREAD(cudaStreamBeginCaptureToGraph);
PER_THREAD(cudaStreamBeginCapture);
PER_THREAD(cudaStreamCopyAttributes);
PER_THREAD(cudaStreamEndCapture);
PER_THREAD(cudaStreamGetAttribute);
PER_THREAD(cudaStreamGetDevice);
PER_THREAD(cudaStreamGetFlags);
PER_THREAD(cudaStreamGetId);
PER_THREAD(cudaStreamGetPriority);
PER_THREAD(cudaStreamIsCapturing);
PER_THREAD(cudaStreamQuery);
PER_THREAD(cudaStreamSetAttribute);
PER_THREAD(cudaStreamSynchronize);
PER_THREAD(cudaStreamUpdateCaptureDependencies);
PER_THREAD(cudaStreamWaitEvent);
PER_THREAD(cudaStreamGetCaptureInfo);
PER_THREAD(cudaSignalExternalSemaphoresAsync);
PER_THREAD(cudaWaitExternalSemaphoresAsync);
// These have templates of the same name.
using launch = cudaError_t(const void *, dim3, dim3, void **, size_t, cudaStream_t);
extern "C" launch cudaLaunchKernel_ptsz;
extern "C" launch cudaLaunchCooperativeKernel_ptsz;
// Out of the headers since CUDA 13.
extern "C" cudaError_t cudaGetDriverEntryPoint(const char *, void **, unsigned long long, cudaDriverEntryPointQueryResult *);
PER_THREAD(cudaGetDriverEntryPoint);
extern "C" cudaError_t cudaMallocAsync_ptsz(void **, size_t, cudaStream_t);
extern "C" cudaError_t cudaMallocFromPoolAsync_ptsz(void **, size_t, cudaMemPool_t, cudaStream_t);

__global__ void hold(volatile int *flag) {
    while (!*flag) {}
}
__global__ void put(int *p, int v) { *p = v; }
static void add_one(void *p) { ++*(int *)p; }
static void add_error(cudaStream_t, cudaError_t e, void *p) { *(int *)p += 10 + e; }

static int *d, *flag;
static int word(int i) {
    int v;
    CHECK((cudaMemcpy)(&v, d + i, 4, cudaMemcpyDeviceToHost));
    return v;
}

#define FORM(f) f
#define NAME(text) text
#define DEFAULT cudaStreamLegacy
namespace legacy {
#include "runtime_streams.cu"
}
#undef FORM
#undef NAME
#undef DEFAULT
#define FORM(f) f##_ptsz
#define NAME(text) "per thread: " text
#define DEFAULT cudaStreamPerThread
namespace per_thread {
#include "runtime_streams.cu"
}

int main() {
    CHECK(cudaMalloc(&d, 256));
    CHECK(cudaMallocHost(&flag, 4));
    legacy::all();
    per_thread::all();
}

#else
static const bool own = DEFAULT == cudaStreamPerThread;

static void tells() {
    unsigned flags = 9;
    int priority = 9, device = 9;
    unsigned long long id = 0, named = 0, other = 0;
    OK(FORM(cudaStreamGetFlags)(0, &flags));
    OK(FORM(cudaStreamGetPriority)(0, &priority));
    OK(FORM(cudaStreamGetDevice)(0, &device));
    RIGHT(flags == cudaStreamDefault && priority == 0 && device == 0);
    OK(FORM(cudaStreamGetId)(0, &id));
    OK(FORM(cudaStreamGetId)(DEFAULT, &named));
    OK(FORM(cudaStreamGetId)(own ? cudaStreamLegacy : cudaStreamPerThread, &other));
    RIGHT(id == named && id != other);
    cudaStream_t s;
    CHECK(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, -1));
    OK(FORM(cudaStreamGetFlags)(s, &flags));
    OK(FORM(cudaStreamGetPriority)(s, &priority));
    OK(FORM(cudaStreamGetId)(s, &other));
    RIGHT(flags == cudaStreamNonBlocking && priority == -1 && other != id && other != named);
    OK(cudaStreamDestroy(s));
    IS(cudaErrorInvalidResourceHandle, FORM(cudaStreamGetFlags)(s, &flags));
    IS(cudaErrorInvalidValue, FORM(cudaStreamGetPriority)(0, nullptr));
    area_end(NAME("what a stream tells"));
}

static void attributes() {
    cudaStream_t s;
    CHECK(cudaStreamCreate(&s));
    cudaStreamAttrValue v = {}, back = {};
    v.syncPolicy = cudaSyncPolicySpin;
    OK(FORM(cudaStreamSetAttribute)(0, cudaStreamAttributeSynchronizationPolicy, &v));
    OK(FORM(cudaStreamGetAttribute)(0, cudaStreamAttributeSynchronizationPolicy, &back));
    RIGHT(back.syncPolicy == cudaSyncPolicySpin);
    OK(FORM(cudaStreamCopyAttributes)(s, 0));
    back = {};
    OK(FORM(cudaStreamGetAttribute)(s, cudaStreamAttributeSynchronizationPolicy, &back));
    RIGHT(back.syncPolicy == cudaSyncPolicySpin);
    v = {};
    v.accessPolicyWindow.base_ptr = d, v.accessPolicyWindow.num_bytes = 128, v.accessPolicyWindow.hitRatio = .5f;
    v.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    OK(FORM(cudaStreamSetAttribute)(s, cudaStreamAttributeAccessPolicyWindow, &v));
    OK(FORM(cudaStreamGetAttribute)(s, cudaStreamAttributeAccessPolicyWindow, &back));
    RIGHT(back.accessPolicyWindow.base_ptr == d && back.accessPolicyWindow.num_bytes == 128);
    IS(cudaErrorInvalidValue, FORM(cudaStreamSetAttribute)(s, cudaStreamAttrID(999), &v));
    (void)cudaGetLastError();
    v = {};
    v.syncPolicy = cudaSyncPolicyAuto;
    OK(FORM(cudaStreamSetAttribute)(0, cudaStreamAttributeSynchronizationPolicy, &v));
    CHECK(cudaStreamDestroy(s));
    area_end(NAME("attributes"));
}

static void order() {
    cudaEvent_t start, end;
    cudaStream_t s;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    int count = 0;
    *(volatile int *)flag = 0;
    OK(FORM(cudaEventRecordWithFlags)(start, 0, cudaEventRecordDefault));
    hold<<<1, 1, 0, DEFAULT>>>(flag);
    OK(FORM(cudaLaunchHostFunc)(0, add_one, &count));
    OK(FORM(cudaStreamAddCallback)(0, add_error, &count, 0));
    OK(FORM(cudaEventRecord)(end, 0));
    OK(FORM(cudaStreamWaitEvent)(s, end, 0));
    put<<<1, 1, 0, s>>>(d, 5);
    IS(cudaErrorNotReady, FORM(cudaStreamQuery)(0));
    IS(cudaErrorNotReady, FORM(cudaStreamQuery)(s));
    IS(cudaErrorNotReady, cudaEventQuery(end));
    RIGHT(*(volatile int *)&count == 0);
    *(volatile int *)flag = 1;
    OK(FORM(cudaStreamSynchronize)(0));
    RIGHT(count == 11);
    OK(FORM(cudaStreamQuery)(0));
    OK(FORM(cudaStreamSynchronize)(s));
    RIGHT(word(0) == 5);
    float ms = -1;
    OK(cudaEventElapsedTime(&ms, start, end));
    RIGHT(ms > 0);
    IS(cudaErrorInvalidValue, FORM(cudaLaunchHostFunc)(0, nullptr, nullptr));
    IS(cudaErrorInvalidValue, FORM(cudaEventRecordWithFlags)(end, 0, 77));
    (void)cudaGetLastError();
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(end));
    CHECK(cudaStreamDestroy(s));
    area_end(NAME("order"));
}

static void launches() {
    int *p = d + 1, v = 6;
    void *arguments[] = {&p, &v};
    OK(FORM(cudaLaunchKernel)((const void *)put, dim3(1), dim3(1), arguments, 0, 0));
    p = d + 2, v = 7;
    OK(FORM(cudaLaunchCooperativeKernel)((const void *)put, dim3(1), dim3(1), arguments, 0, 0));
    p = d + 3, v = 8;
    cudaLaunchConfig_t config = {};
    config.gridDim = config.blockDim = dim3(1);
    OK(FORM(cudaLaunchKernelExC)(&config, (const void *)put, arguments));
    OK(FORM(cudaStreamSynchronize)(0));
    RIGHT(word(1) == 6 && word(2) == 7 && word(3) == 8);
    IS(cudaErrorInvalidDeviceFunction, FORM(cudaLaunchKernel)(&v, dim3(1), dim3(1), arguments, 0, 0));
    IS(cudaErrorInvalidConfiguration, FORM(cudaLaunchKernel)((const void *)put, dim3(1), dim3(2000), arguments, 0, 0));
    IS(cudaErrorInvalidConfiguration, FORM(cudaLaunchKernel)((const void *)put, dim3(0), dim3(1), arguments, 0, 0));
    (void)cudaGetLastError();
    area_end(NAME("launches"));
}

static void captures() {
    cudaStream_t made, s = nullptr;
    CHECK(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
    if (!own) {
        IS(cudaErrorStreamCaptureUnsupported, FORM(cudaStreamBeginCapture)(0, cudaStreamCaptureModeRelaxed));
        s = made;
    }
    cudaStream_t named = s ? s : DEFAULT;
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusInvalidated;
    unsigned long long id = 0;
    cudaGraph_t graph = nullptr, ended = nullptr;
    const cudaGraphNode_t *nodes;
    const cudaGraphEdgeData *edges;
    size_t n = 9;
    OK(FORM(cudaStreamIsCapturing)(s, &status));
    RIGHT(status == cudaStreamCaptureStatusNone);
    cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal;
    OK(cudaThreadExchangeStreamCaptureMode(&mode));
    RIGHT(mode == cudaStreamCaptureModeGlobal);
    OK(cudaThreadExchangeStreamCaptureMode(&mode));
    RIGHT(mode == cudaStreamCaptureModeThreadLocal);
    OK(FORM(cudaStreamBeginCapture)(s, cudaStreamCaptureModeThreadLocal));
    put<<<1, 1, 0, named>>>(d + 4, 9);
    OK(FORM(cudaStreamGetCaptureInfo)(s, &status, &id, &graph, &nodes, &edges, &n));
    RIGHT(status == cudaStreamCaptureStatusActive && id && graph && n == 1);
    cudaGraphNode_t first = nodes[0];
    OK(FORM(cudaStreamUpdateCaptureDependencies)(s, nullptr, nullptr, 0, cudaStreamSetCaptureDependencies));
    put<<<1, 1, 0, named>>>(d + 5, 10);
    OK(FORM(cudaStreamUpdateCaptureDependencies)(s, &first, nullptr, 1, cudaStreamAddCaptureDependencies));
    OK(FORM(cudaStreamGetCaptureInfo)(s, &status, nullptr, nullptr, nullptr, nullptr, &n));
    RIGHT(n == 2);
    OK(FORM(cudaStreamEndCapture)(s, &ended));
    RIGHT(ended == graph);
    cudaGraphExec_t e;
    cudaGraphInstantiateParams p = {};
    p.flags = cudaGraphInstantiateFlagUpload, p.uploadStream = s;
    OK(FORM(cudaGraphInstantiateWithParams)(&e, graph, &p));
    RIGHT(p.result_out == cudaGraphInstantiateSuccess);
    OK(FORM(cudaGraphUpload)(e, s));
    *(volatile int *)flag = 0;
    hold<<<1, 1, 0, named>>>(flag);
    OK(FORM(cudaGraphLaunch)(e, s));
    IS(cudaErrorNotReady, FORM(cudaStreamQuery)(s));
    *(volatile int *)flag = 1;
    OK(FORM(cudaStreamSynchronize)(s));
    RIGHT(word(4) == 9 && word(5) == 10);
    CHECK(cudaGraphExecDestroy(e));
    OK(FORM(cudaStreamBeginCaptureToGraph)(s, graph, &first, nullptr, 1, cudaStreamCaptureModeRelaxed));
    put<<<1, 1, 0, named>>>(d + 6, 11);
    OK(FORM(cudaStreamEndCapture)(s, &ended));
    OK(cudaGraphGetNodes(graph, nullptr, &n));
    RIGHT(ended == graph && n == 3);
    IS(cudaErrorIllegalState, FORM(cudaStreamEndCapture)(s, &ended));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(made));
    (void)cudaGetLastError();
    area_end(NAME("captures"));
}

static void pools() {
    int *a = nullptr, *b = nullptr;
    cudaMemPool_t pool;
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    OK(FORM(cudaMallocAsync)((void **)&a, 64, 0));
    OK(FORM(cudaMallocFromPoolAsync)((void **)&b, 64, pool, 0));
    RIGHT(a && b && a != b);
    put<<<1, 1, 0, DEFAULT>>>(a, 12);
    OK(FORM(cudaStreamSynchronize)(0));
    int v = 0;
    CHECK((cudaMemcpy)(&v, a, 4, cudaMemcpyDeviceToHost));
    RIGHT(v == 12);
    OK(FORM(cudaFreeAsync)(a, 0));
    OK(FORM(cudaFreeAsync)(b, 0));
    OK(FORM(cudaStreamSynchronize)(0));
    IS(cudaErrorInvalidValue, FORM(cudaFreeAsync)(b, 0));
    (void)cudaGetLastError();
    area_end(NAME("pools"));
}

static void entry_points() {
    void *plain = nullptr, *own_form = nullptr, *chosen = nullptr;
    cudaDriverEntryPointQueryResult found;
    OK(FORM(cudaGetDriverEntryPointByVersion)("cuStreamQuery", &plain, 12000, cudaEnableLegacyStream, &found));
    RIGHT(found == cudaDriverEntryPointSuccess);
    OK(FORM(cudaGetDriverEntryPointByVersion)("cuStreamQuery", &own_form, 12000, cudaEnablePerThreadDefaultStream, &found));
    OK(FORM(cudaGetDriverEntryPointByVersion)("cuStreamQuery", &chosen, 12000, cudaEnableDefault, &found));
    RIGHT(plain && own_form && plain != own_form && chosen == (own ? own_form : plain));
    OK(FORM(cudaGetDriverEntryPointByVersion)("cuLogsCurrent", &chosen, 11000, cudaEnableDefault, &found));
    RIGHT(found == cudaDriverEntryPointVersionNotSufficent && !chosen);
    OK(FORM(cudaGetDriverEntryPointByVersion)("cuNothing", &chosen, 12000, cudaEnableDefault, &found));
    RIGHT(found == cudaDriverEntryPointSymbolNotFound && !chosen);
    // The form without a version means the runtime's own.
    OK(FORM(cudaGetDriverEntryPoint)("cuStreamQuery", &chosen, cudaEnableDefault, &found));
    RIGHT(chosen == (own ? own_form : plain));
    IS(cudaErrorInvalidValue, FORM(cudaGetDriverEntryPointByVersion)(nullptr, &chosen, 12000, cudaEnableDefault, &found));
    (void)cudaGetLastError();
    area_end(NAME("entry points"));
}

static void semaphores() {
    // There are none.
    cudaExternalSemaphore_t none = nullptr;
    cudaExternalSemaphoreSignalParams signal = {};
    cudaExternalSemaphoreWaitParams wait = {};
    IS(cudaErrorInvalidResourceHandle, FORM(cudaSignalExternalSemaphoresAsync)(&none, &signal, 1, 0));
    IS(cudaErrorInvalidResourceHandle, FORM(cudaWaitExternalSemaphoresAsync)(&none, &wait, 1, 0));
    IS(cudaErrorInvalidValue, FORM(cudaWaitExternalSemaphoresAsync)(&none, &wait, 0, 0));
    (void)cudaGetLastError();
    area_end(NAME("semaphores"));
}

static void all() {
    tells(), attributes(), order(), launches(), captures(), pools(), entry_points(), semaphores();
}
#endif
