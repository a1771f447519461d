// Graphs by the Runtime API: parameters of each kind of node, read back and changed in the graph and in its instance.
// expect: edges ok
// expect: kernel nodes ok
// expect: copies ok
// expect: copies of symbols ok
// expect: fills ok
// expect: host nodes ok
// expect: events ok
// expect: child graphs ok
// expect: memory nodes ok
// expect: nodes by their parameters ok
// expect: instances ok
// expect: user objects ok
// expect: other APIs' semaphores ok
#include "areas.cuh"
#include "check.cuh"
#include <cstring>
#include <string>
#include <unistd.h>

__device__ int symbol[8];
__global__ void put(int *p, int v) { p[blockIdx.x * blockDim.x + threadIdx.x] = v; }

static int *d, *h;
static cudaStream_t s;

static cudaGraph_t created() {
    cudaGraph_t g;
    CHECK(cudaGraphCreate(&g, 0));
    return g;
}
static cudaGraphExec_t made(cudaGraph_t g) {
    cudaGraphExec_t e;
    CHECK(cudaGraphInstantiate(&e, g, 0));
    return e;
}
// What the 64 words hold after a launch.
static int *after(cudaGraphExec_t e) {
    OK(cudaGraphLaunch(e, s));
    OK(cudaMemcpyAsync(h, d, 256, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamSynchronize(s));
    return h;
}
static void end(cudaGraph_t g, cudaGraphExec_t e) {
    if (e) OK(cudaGraphExecDestroy(e));
    OK(cudaGraphDestroy(g));
    OK(cudaMemset(d, 0, 256));
}
static void add_one(void *p) { ++*(int *)p; }
static void add_ten(void *p) { *(int *)p += 10; }
static int gone;
static void count_gone(void *) { ++gone; }

static void edges() {
    cudaGraph_t g = created();
    cudaGraphNode_t a, b, c, from[4], to[4];
    OK(cudaGraphAddEmptyNode(&a, g, nullptr, 0));
    OK(cudaGraphAddEmptyNode(&b, g, &a, 1));
    OK(cudaGraphAddEmptyNode(&c, g, nullptr, 0));
    OK(cudaGraphAddDependencies(g, &b, &c, nullptr, 1));
    cudaGraphEdgeData data[4];
    size_t n = 4;
    OK(cudaGraphGetEdges(g, from, to, data, &n));
    RIGHT(n == 2 && data[0].type == cudaGraphDependencyTypeDefault && data[0].from_port == 0);
    n = 4;
    OK(cudaGraphNodeGetDependencies(c, from, data, &n));
    RIGHT(n == 1 && from[0] == b);
    n = 4;
    OK(cudaGraphNodeGetDependentNodes(a, to, data, &n));
    RIGHT(n == 1 && to[0] == b);
    OK(cudaGraphRemoveDependencies(g, &b, &c, nullptr, 1));
    n = 9;
    OK(cudaGraphNodeGetDependencies(c, nullptr, nullptr, &n));
    RIGHT(n == 0);
    IS(cudaErrorInvalidValue, cudaGraphRemoveDependencies(g, &b, &c, nullptr, 1));
    cudaGraphNodeType type;
    OK(cudaGraphNodeGetType(a, &type));
    RIGHT(type == cudaGraphNodeTypeEmpty);
    OK(cudaGraphDestroyNode(b));
    OK(cudaGraphGetNodes(g, nullptr, &n));
    RIGHT(n == 2);
    n = 4;
    OK(cudaGraphGetRootNodes(g, from, &n));
    RIGHT(n == 2);
    char name[] = "/tmp/antlerite-dot-XXXXXX", text[4096] = {};
    close(mkstemp(name));
    OK(cudaGraphDebugDotPrint(g, name, cudaGraphDebugDotFlagsVerbose));
    FILE *f = fopen(name, "r");
    size_t bytes = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    unlink(name);
    RIGHT(bytes > 10 && strstr(text, "digraph"));
    end(g, nullptr);
    area_end("edges");
}

static void kernels() {
    cudaGraph_t g = created();
    cudaGraphNode_t a, b;
    int v = 3, *p = d;
    void *arguments[] = {&p, &v};
    cudaKernelNodeParams k = {}, back = {};
    k.func = (void *)put, k.gridDim = dim3(2), k.blockDim = dim3(4), k.kernelParams = arguments;
    OK(cudaGraphAddKernelNode(&a, g, nullptr, 0, &k));
    v = 4, p = d + 1, k.gridDim = dim3(1), k.blockDim = dim3(1);
    OK(cudaGraphAddKernelNode(&b, g, &a, 1, &k));
    OK(cudaGraphKernelNodeGetParams(a, &back));
    RIGHT(back.func == (void *)put && back.gridDim.x == 2 && back.blockDim.x == 4 && *(int *)back.kernelParams[1] == 3);
    cudaGraphExec_t e = made(g);
    after(e);
    RIGHT(h[0] == 3 && h[1] == 4 && h[7] == 3 && h[8] == 0);
    v = 5, p = d + 9;
    OK(cudaGraphKernelNodeSetParams(b, &k));
    after(e);
    RIGHT(h[1] == 4 && h[9] == 0);
    OK(cudaGraphExecKernelNodeSetParams(e, b, &k));
    after(e);
    RIGHT(h[1] == 3 && h[9] == 5);
    cudaKernelNodeAttrValue value = {}, read = {};
    value.priority = -2;
    OK(cudaGraphKernelNodeSetAttribute(a, cudaLaunchAttributePriority, &value));
    OK(cudaGraphKernelNodeCopyAttributes(b, a));
    OK(cudaGraphKernelNodeGetAttribute(b, cudaLaunchAttributePriority, &read));
    RIGHT(read.priority == -2);
    IS(cudaErrorInvalidValue, cudaGraphKernelNodeGetAttribute(b, cudaLaunchAttributeID(999), &read));
    unsigned enabled = 9;
    OK(cudaGraphNodeGetEnabled(e, b, &enabled));
    RIGHT(enabled == 1);
    OK(cudaGraphNodeSetEnabled(e, b, 0));
    OK(cudaGraphNodeGetEnabled(e, b, &enabled));
    RIGHT(enabled == 0);
    k.func = (void *)&v;
    IS(cudaErrorInvalidDeviceFunction, cudaGraphAddKernelNode(&b, g, nullptr, 0, &k));
    end(g, e);
    area_end("kernel nodes");
}

static void copies() {
    cudaGraph_t g = created();
    cudaGraphNode_t a, b;
    int in[16];
    for (int i = 0; i < 16; i++) in[i] = i + 1;
    // Two lines of two words.
    cudaMemcpy3DParms c = {}, back = {};
    c.srcPtr = make_cudaPitchedPtr(in, 16, 4, 4);
    c.dstPtr = make_cudaPitchedPtr(d, 32, 8, 4);
    c.extent = make_cudaExtent(8, 2, 1);
    c.srcPos = make_cudaPos(4, 1, 0);
    c.kind = cudaMemcpyHostToDevice;
    OK(cudaGraphAddMemcpyNode(&a, g, nullptr, 0, &c));
    OK(cudaGraphMemcpyNodeGetParams(a, &back));
    RIGHT(back.srcPtr.ptr == in && back.srcPtr.pitch == 16 && back.dstPtr.ptr == d && back.dstPtr.pitch == 32);
    RIGHT(back.extent.width == 8 && back.extent.height == 2 && back.extent.depth == 1 && back.srcPos.x == 4 && back.srcPos.y == 1);
    OK(cudaGraphAddMemcpyNode1D(&b, g, &a, 1, d + 32, in, 8, cudaMemcpyHostToDevice));
    cudaGraphExec_t e = made(g);
    after(e);
    RIGHT(h[0] == 6 && h[1] == 7 && h[2] == 0 && h[8] == 10 && h[9] == 11 && h[32] == 1 && h[33] == 2 && h[34] == 0);
    c.srcPos = make_cudaPos(0, 0, 0);
    OK(cudaGraphMemcpyNodeSetParams(a, &c));
    OK(cudaGraphMemcpyNodeGetParams(a, &back));
    RIGHT(back.srcPos.x == 0 && back.srcPos.y == 0);
    OK(cudaGraphMemcpyNodeSetParams1D(b, d + 40, in + 4, 8, cudaMemcpyHostToDevice));
    after(e);
    RIGHT(h[0] == 6 && h[40] == 0);
    OK(cudaGraphExecMemcpyNodeSetParams(e, a, &c));
    OK(cudaGraphExecMemcpyNodeSetParams1D(e, b, d + 40, in + 4, 8, cudaMemcpyHostToDevice));
    after(e);
    RIGHT(h[0] == 1 && h[1] == 2 && h[8] == 5 && h[40] == 5 && h[41] == 6);
    IS(cudaErrorInvalidValue, cudaGraphMemcpyNodeGetParams(a, nullptr));
    end(g, e);
    area_end("copies");
}

static void symbols() {
    cudaGraph_t g = created();
    cudaGraphNode_t in, out;
    int from[4] = {21, 22, 23, 24}, other[4] = {31, 32, 33, 34};
    OK(cudaGraphAddMemcpyNodeToSymbol(&in, g, nullptr, 0, symbol, from, 16, 8, cudaMemcpyHostToDevice));
    OK(cudaGraphAddMemcpyNodeFromSymbol(&out, g, &in, 1, d, symbol, 12, 8, cudaMemcpyDeviceToDevice));
    cudaGraphExec_t e = made(g);
    after(e);
    RIGHT(h[0] == 21 && h[2] == 23 && h[3] == 0);
    OK(cudaGraphMemcpyNodeSetParamsToSymbol(in, symbol, other, 16, 0, cudaMemcpyHostToDevice));
    OK(cudaGraphMemcpyNodeSetParamsFromSymbol(out, d + 8, symbol, 16, 0, cudaMemcpyDeviceToDevice));
    after(e);
    RIGHT(h[0] == 21 && h[8] == 0);
    OK(cudaGraphExecMemcpyNodeSetParamsToSymbol(e, in, symbol, other, 16, 0, cudaMemcpyHostToDevice));
    OK(cudaGraphExecMemcpyNodeSetParamsFromSymbol(e, out, d + 8, symbol, 16, 0, cudaMemcpyDeviceToDevice));
    after(e);
    RIGHT(h[8] == 31 && h[11] == 34 && h[12] == 0);
    IS(cudaErrorInvalidValue, cudaGraphAddMemcpyNodeToSymbol(&in, g, nullptr, 0, symbol, from, 16, 24, cudaMemcpyHostToDevice));
    IS(cudaErrorInvalidMemcpyDirection, cudaGraphAddMemcpyNodeToSymbol(&in, g, nullptr, 0, symbol, from, 16, 0, cudaMemcpyDeviceToHost));
    IS(cudaErrorInvalidSymbol, cudaGraphAddMemcpyNodeToSymbol(&in, g, nullptr, 0, from, from, 16, 0, cudaMemcpyHostToDevice));
    end(g, e);
    area_end("copies of symbols");
}

static void fills() {
    cudaGraph_t g = created();
    cudaGraphNode_t a;
    cudaMemsetParams m = {}, back = {};
    m.dst = d, m.value = 0x1234, m.elementSize = 2, m.width = 3, m.height = 2, m.pitch = 16;
    OK(cudaGraphAddMemsetNode(&a, g, nullptr, 0, &m));
    OK(cudaGraphMemsetNodeGetParams(a, &back));
    RIGHT(back.dst == d && back.value == 0x1234 && back.elementSize == 2 && back.width == 3 && back.height == 2 && back.pitch == 16);
    cudaGraphExec_t e = made(g);
    after(e);
    RIGHT(h[0] == 0x12341234 && h[1] == 0x1234 && h[2] == 0 && h[4] == 0x12341234 && h[5] == 0x1234);
    m.value = 7, m.elementSize = 4, m.width = 1, m.height = 1;
    OK(cudaGraphMemsetNodeSetParams(a, &m));
    OK(cudaGraphMemsetNodeGetParams(a, &back));
    RIGHT(back.value == 7);
    OK(cudaMemset(d, 0, 256));
    OK(cudaGraphExecMemsetNodeSetParams(e, a, &m));
    after(e);
    RIGHT(h[0] == 7 && h[1] == 0 && h[4] == 0);
    m.elementSize = 3;
    IS(cudaErrorInvalidValue, cudaGraphMemsetNodeSetParams(a, &m));
    end(g, e);
    area_end("fills");
}

static void hosts() {
    cudaGraph_t g = created();
    cudaGraphNode_t a;
    int count = 0, other = 0;
    cudaHostNodeParams p = {add_one, &count}, back = {};
    OK(cudaGraphAddHostNode(&a, g, nullptr, 0, &p));
    OK(cudaGraphHostNodeGetParams(a, &back));
    RIGHT(back.fn == add_one && back.userData == &count);
    cudaGraphExec_t e = made(g);
    after(e);
    RIGHT(count == 1);
    p = {add_ten, &other};
    OK(cudaGraphHostNodeSetParams(a, &p));
    after(e);
    RIGHT(count == 2 && other == 0);
    OK(cudaGraphExecHostNodeSetParams(e, a, &p));
    after(e);
    RIGHT(count == 2 && other == 10);
    p.fn = nullptr;
    IS(cudaErrorInvalidValue, cudaGraphHostNodeSetParams(a, &p));
    end(g, e);
    area_end("host nodes");
}

static void events() {
    cudaGraph_t g = created();
    cudaEvent_t one, two, got;
    CHECK(cudaEventCreate(&one));
    CHECK(cudaEventCreate(&two));
    cudaGraphNode_t record, wait;
    OK(cudaGraphAddEventRecordNode(&record, g, nullptr, 0, one));
    OK(cudaGraphAddEventWaitNode(&wait, g, &record, 1, one));
    OK(cudaGraphEventRecordNodeGetEvent(record, &got));
    RIGHT(got == one);
    OK(cudaGraphEventWaitNodeGetEvent(wait, &got));
    RIGHT(got == one);
    cudaGraphExec_t e = made(g);
    after(e);
    float ms = -1;
    OK(cudaEventQuery(one));
    OK(cudaEventElapsedTime(&ms, one, one));
    RIGHT(ms == 0);
    IS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, one, two));
    OK(cudaGraphEventRecordNodeSetEvent(record, two));
    OK(cudaGraphEventWaitNodeSetEvent(wait, two));
    OK(cudaGraphEventWaitNodeGetEvent(wait, &got));
    RIGHT(got == two);
    OK(cudaGraphExecEventRecordNodeSetEvent(e, record, two));
    OK(cudaGraphExecEventWaitNodeSetEvent(e, wait, two));
    after(e);
    OK(cudaEventElapsedTime(&ms, one, two));
    RIGHT(ms > 0);
    IS(cudaErrorInvalidValue, cudaGraphEventRecordNodeGetEvent(wait, &got));
    end(g, e);
    area_end("events");
}

static void children() {
    cudaGraph_t g = created(), child = created(), other = created(), inside;
    cudaGraphNode_t a, b, node;
    cudaMemsetParams m = {};
    m.dst = d, m.value = 1, m.elementSize = 4, m.width = 1, m.height = 1;
    OK(cudaGraphAddMemsetNode(&a, child, nullptr, 0, &m));
    m.value = 2;
    OK(cudaGraphAddMemsetNode(&b, other, nullptr, 0, &m));
    OK(cudaGraphAddChildGraphNode(&node, g, nullptr, 0, child));
    OK(cudaGraphChildGraphNodeGetGraph(node, &inside));
    RIGHT(inside != child);
    size_t n = 0;
    OK(cudaGraphGetNodes(inside, nullptr, &n));
    RIGHT(n == 1);
    cudaGraphExec_t e = made(g);
    after(e);
    RIGHT(h[0] == 1);
    OK(cudaGraphExecChildGraphNodeSetParams(e, node, other));
    after(e);
    RIGHT(h[0] == 2);
    OK(cudaGraphAddEmptyNode(&b, other, nullptr, 0));
    IS(cudaErrorGraphExecUpdateFailure, cudaGraphExecChildGraphNodeSetParams(e, node, other));
    OK(cudaGraphDestroy(child));
    OK(cudaGraphDestroy(other));
    end(g, e);
    area_end("child graphs");
}

static void memory() {
    cudaGraph_t g = created();
    cudaMemAllocNodeParams p = {};
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location = {cudaMemLocationTypeDevice, 0};
    p.bytesize = 1 << 20;
    cudaGraphNode_t alloc, free, fill;
    OK(cudaGraphAddMemAllocNode(&alloc, g, nullptr, 0, &p));
    cudaMemsetParams m = {};
    m.dst = p.dptr, m.value = 1, m.elementSize = 4, m.width = 1, m.height = 1;
    OK(cudaGraphAddMemsetNode(&fill, g, &alloc, 1, &m));
    OK(cudaGraphAddMemFreeNode(&free, g, &fill, 1, p.dptr));
    void *freed = nullptr;
    OK(cudaGraphMemFreeNodeGetParams(free, &freed));
    RIGHT(freed == p.dptr && freed);
    cudaGraphExec_t e = made(g);
    after(e);
    unsigned long long used = 9, high = 0, zero = 0;
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &high));
    RIGHT(used == 0 && high >= 1 << 20);
    OK(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero));
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &high));
    RIGHT(high == 0);
    end(g, e);
    OK(cudaDeviceGraphMemTrim(0));
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &used));
    RIGHT(used == 0);
    area_end("memory nodes");
}

static void generic() {
    cudaGraph_t g = created();
    cudaGraphNode_t a, b;
    int v = 6, *p = d, in[2] = {8, 9};
    void *arguments[] = {&p, &v};
    cudaGraphNodeParams n = {};
    n.type = cudaGraphNodeTypeKernel;
    n.kernel.func = (void *)put, n.kernel.gridDim = dim3(1), n.kernel.blockDim = dim3(2), n.kernel.kernelParams = arguments;
    OK(cudaGraphAddNode(&a, g, nullptr, nullptr, 0, &n));
    n = {};
    n.type = cudaGraphNodeTypeMemcpy;
    n.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(in, 8, 2, 1);
    n.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(d + 4, 8, 2, 1);
    n.memcpy.copyParams.extent = make_cudaExtent(8, 1, 1);
    n.memcpy.copyParams.kind = cudaMemcpyHostToDevice;
    OK(cudaGraphAddNode(&b, g, &a, nullptr, 1, &n));
    cudaGraphExec_t e = made(g);
    after(e);
    RIGHT(h[0] == 6 && h[1] == 6 && h[4] == 8 && h[5] == 9);
    n.memcpy.copyParams.dstPtr.ptr = d + 10;
    OK(cudaGraphNodeSetParams(b, &n));
    cudaMemcpy3DParms back;
    OK(cudaGraphMemcpyNodeGetParams(b, &back));
    RIGHT(back.dstPtr.ptr == d + 10);
    after(e);
    RIGHT(h[10] == 0);
    OK(cudaGraphExecNodeSetParams(e, b, &n));
    after(e);
    RIGHT(h[10] == 8 && h[11] == 9);
    n = {};
    n.type = cudaGraphNodeTypeKernel;
    IS(cudaErrorInvalidDeviceFunction, cudaGraphExecNodeSetParams(e, a, &n));
    end(g, e);
    area_end("nodes by their parameters");
}

static void instances() {
    cudaGraph_t g = created();
    cudaGraphNode_t a;
    cudaMemsetParams m = {};
    m.dst = d, m.value = 1, m.elementSize = 4, m.width = 1, m.height = 1;
    OK(cudaGraphAddMemsetNode(&a, g, nullptr, 0, &m));
    cudaGraphExec_t e, flagged;
    cudaGraphInstantiateParams p = {};
    p.flags = cudaGraphInstantiateFlagUpload, p.uploadStream = s;
    OK(cudaGraphInstantiateWithParams(&e, g, &p));
    RIGHT(p.result_out == cudaGraphInstantiateSuccess);
    unsigned long long flags = 0;
    OK(cudaGraphInstantiateWithFlags(&flagged, g, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    OK(cudaGraphExecGetFlags(flagged, &flags));
    RIGHT(flags == cudaGraphInstantiateFlagAutoFreeOnLaunch);
    OK(cudaGraphUpload(flagged, s));
    after(flagged);
    RIGHT(h[0] == 1);
    OK(cudaGraphExecDestroy(flagged));
    IS(cudaErrorInvalidValue, cudaGraphInstantiateWithFlags(&flagged, g, 1 << 20));
    end(g, e);
    area_end("instances");
}

static void user_objects() {
    cudaGraph_t g = created();
    cudaUserObject_t o;
    OK(cudaUserObjectCreate(&o, &gone, count_gone, 1, cudaUserObjectNoDestructorSync));
    OK(cudaUserObjectRetain(o, 2));
    OK(cudaUserObjectRelease(o, 2));
    OK(cudaGraphRetainUserObject(g, o, 1, 0));
    OK(cudaUserObjectRelease(o, 1));
    usleep(2000);
    RIGHT(gone == 0);
    OK(cudaGraphReleaseUserObject(g, o, 1));
    for (int i = 0; i < 1000 && !*(volatile int *)&gone; i++) usleep(1000);
    RIGHT(gone == 1);
    IS(cudaErrorInvalidValue, cudaUserObjectCreate(&o, nullptr, nullptr, 1, cudaUserObjectNoDestructorSync));
    end(g, nullptr);
    area_end("user objects");
}

static void semaphores() {
    cudaGraph_t g = created();
    cudaGraphNode_t empty, node;
    OK(cudaGraphAddEmptyNode(&empty, g, nullptr, 0));
    cudaGraphExec_t e = made(g);
    cudaExternalSemaphore_t none = nullptr;
    cudaExternalSemaphoreSignalParams sp = {};
    cudaExternalSemaphoreWaitParams wp = {};
    cudaExternalSemaphoreSignalNodeParams sn = {&none, &sp, 1};
    cudaExternalSemaphoreWaitNodeParams wn = {&none, &wp, 1};
    // None can be imported, so no handle is one, and no node of theirs can be.
    IS(cudaErrorInvalidResourceHandle, cudaGraphAddExternalSemaphoresSignalNode(&node, g, nullptr, 0, &sn));
    IS(cudaErrorInvalidResourceHandle, cudaGraphAddExternalSemaphoresWaitNode(&node, g, nullptr, 0, &wn));
    IS(cudaErrorInvalidValue, cudaGraphExternalSemaphoresSignalNodeGetParams(empty, &sn));
    IS(cudaErrorInvalidValue, cudaGraphExternalSemaphoresSignalNodeSetParams(empty, &sn));
    IS(cudaErrorInvalidValue, cudaGraphExternalSemaphoresWaitNodeGetParams(empty, &wn));
    IS(cudaErrorInvalidValue, cudaGraphExternalSemaphoresWaitNodeSetParams(empty, &wn));
    IS(cudaErrorInvalidValue, cudaGraphExecExternalSemaphoresSignalNodeSetParams(e, empty, &sn));
    IS(cudaErrorInvalidValue, cudaGraphExecExternalSemaphoresWaitNodeSetParams(e, empty, &wn));
    end(g, e);
    area_end("other APIs' semaphores");
}

int main() {
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaMalloc(&d, 256));
    CHECK(cudaMallocHost(&h, 256));
    CHECK(cudaMemset(d, 0, 256));
    edges(), kernels(), copies(), symbols(), fills(), hosts(), events(), children(), memory(), generic(), instances();
    user_objects(), semaphores();
}
