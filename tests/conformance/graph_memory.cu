// Memory nodes: by the graph functions, and by capture of allocations in two streams of which one ends before the
// capture does.
// expect: added 1 7
// expect: captured 41
#include "check.cuh"
__global__ void add(int *p, int v) { atomicAdd(p, v); }
__global__ void set(int *p, int v) { *p = v; }
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
}
