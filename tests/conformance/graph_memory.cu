// Memory nodes: by the graph functions, and by capture of allocations in two streams of which one ends before the
// capture does.
// expect: added 1 7
// expect: captured 41
// expect: taken by the launch, given back by a trim, taken again: 0 2 2 0 2, result 8
// expect: what is not freed stays: 2 2 0
#include "check.cuh"
__global__ void add(int *p, int v) { atomicAdd(p, v); }
__global__ void set(int *p, int v) { *p = v; }
// MiB of memory that graphs hold.
static int held() {
    size_t bytes;
    CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &bytes));
    return int(bytes >> 20);
}
static int trimmed() {
    CHECK(cudaDeviceGraphMemTrim(0));
    return held();
}
// A graph whose block is freed by it, and one whose block is not.
static void trim(int *host) {
    cudaStream_t s;
    cudaGraph_t graphs[2];
    cudaGraphExec_t execs[2];
    int *p;
    CHECK(cudaStreamCreate(&s));
    for (int leaves = 0; leaves < 2; leaves++) {
        CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
        CHECK(cudaMallocAsync(&p, 2 << 20, s));
        set<<<1, 1, 0, s>>>(p, 8);
        CHECK(cudaMemcpyAsync(host, p, 4, cudaMemcpyDeviceToHost, s));
        if (!leaves) CHECK(cudaFreeAsync(p, s));
        CHECK(cudaStreamEndCapture(s, &graphs[leaves]));
        CHECK(cudaGraphInstantiate(&execs[leaves], graphs[leaves], 0));
    }
    int before = trimmed();
    CHECK(cudaGraphLaunch(execs[0], s));
    CHECK(cudaStreamSynchronize(s));
    int after = held();
    int kept = held(), gone = trimmed();
    host[0] = 0;
    CHECK(cudaGraphUpload(execs[0], s));
    CHECK(cudaGraphLaunch(execs[0], s));
    CHECK(cudaStreamSynchronize(s));
    printf("taken by the launch, given back by a trim, taken again: %d %d %d %d %d, result %d\n", before, after, kept, gone,
           held(), host[0]);
    trimmed();
    CHECK(cudaGraphLaunch(execs[1], s));
    CHECK(cudaStreamSynchronize(s));
    int used = trimmed();
    CHECK(cudaFreeAsync(p, s));
    CHECK(cudaStreamSynchronize(s));
    int freed = held();
    printf("what is not freed stays: %d %d %d\n", used, freed, trimmed());
    for (int i = 0; i < 2; i++) {
        CHECK(cudaGraphExecDestroy(execs[i]));
        CHECK(cudaGraphDestroy(graphs[i]));
    }
}
int main() {
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaMemAllocNodeParams params = {};
    params.poolProps.allocType = cudaMemAllocationTypePinned;
    params.poolProps.location.type = cudaMemLocationTypeDevice;
    params.bytesize = 4096;
    cudaGraphNode_t alloc, kernel, copy, free;
    CHECK(cudaGraphAddMemAllocNode(&alloc, graph, nullptr, 0, &params));
    cudaMemAllocNodeParams back = {};
    CHECK(cudaGraphMemAllocNodeGetParams(alloc, &back));
    int seven = 7, *host;
    CHECK(cudaMallocHost(&host, 8));
    void *args[] = {&params.dptr, &seven};
    cudaKernelNodeParams launch = {};
    launch.func = (void *)set, launch.gridDim = dim3(1), launch.blockDim = dim3(1), launch.kernelParams = args;
    CHECK(cudaGraphAddKernelNode(&kernel, graph, &alloc, 1, &launch));
    CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, host, params.dptr, 4, cudaMemcpyDeviceToHost));
    CHECK(cudaGraphAddMemFreeNode(&free, graph, &copy, 1, params.dptr));
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, 0));
    FINISH();
    printf("added %d %d\n", back.bytesize == 4096 && back.dptr == params.dptr, host[0]);

    cudaStream_t one, two;
    cudaEvent_t event;
    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    CHECK(cudaStreamCreate(&two));
    CHECK(cudaEventCreate(&event));
    int *a, *b;
    CHECK(cudaMallocAsync(&a, 4, one));
    set<<<1, 1, 0, one>>>(a, 40);
    CHECK(cudaEventRecord(event, one));
    CHECK(cudaStreamWaitEvent(two, event));
    CHECK(cudaMallocAsync(&b, 4, two));
    add<<<1, 1, 0, two>>>(a, 1);
    CHECK(cudaMemcpyAsync(host + 1, a, 4, cudaMemcpyDeviceToHost, two));
    CHECK(cudaFreeAsync(b, two));
    CHECK(cudaFreeAsync(a, two));
    CHECK(cudaEventRecord(event, two));
    CHECK(cudaStreamWaitEvent(one, event));
    CHECK(cudaStreamDestroy(two));
    CHECK(cudaEventDestroy(event));
    CHECK(cudaStreamEndCapture(one, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, one));
    CHECK(cudaStreamSynchronize(one));
    printf("captured %d\n", host[1]);
    trim(host);
}
