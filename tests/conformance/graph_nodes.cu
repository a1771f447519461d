// Graphs made node by node: parameters, updates, child graphs, clones, memory, user objects.
// expect: explicit graph ok
// expect: host node saw 9
// expect: new parameters ok
// expect: whole update ok
// expect: other topology 910 reason 2
// expect: disabled ok
// expect: child graph ok
// expect: clone has 4 nodes, 3 edges, 1 roots
// expect: circle refused
// expect: memory nodes ok
// expect: user object destroyed once
#include <atomic>
#include <unistd.h>
#include "check.cuh"

__global__ void add(int *p, int n, int by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] += by;
}

static int *result, seen;
static void look(void *data) { seen = result[*static_cast<int *>(data)]; }
static std::atomic<int> destroyed;
static void destroy(void *) { destroyed++; }

static int n = 512;

static cudaGraphNode_t kernel(cudaGraph_t graph, cudaGraphNode_t after, int *p, int by) {
    void *arguments[] = {&p, &n, &by};
    cudaKernelNodeParams params = {};
    params.func = reinterpret_cast<void *>(add);
    params.gridDim = dim3(2);
    params.blockDim = dim3(256);
    params.kernelParams = arguments;
    cudaGraphNode_t node;
    CHECK(cudaGraphAddKernelNode(&node, graph, &after, after ? 1 : 0, &params));
    return node;
}

struct Four {
    cudaGraph_t graph;
    cudaGraphNode_t fill, kernel, copy, host;
};

static Four build(int *device, int by) {
    static int index = 3;
    Four g;
    CHECK(cudaGraphCreate(&g.graph, 0));
    cudaMemsetParams fill = {};
    fill.dst = device;
    fill.value = 4;
    fill.elementSize = 4;
    fill.width = n;
    fill.height = 1;
    CHECK(cudaGraphAddMemsetNode(&g.fill, g.graph, nullptr, 0, &fill));
    g.kernel = kernel(g.graph, g.fill, device, by);
    CHECK(cudaGraphAddMemcpyNode1D(&g.copy, g.graph, &g.kernel, 1, result, device, n * sizeof(int), cudaMemcpyDeviceToHost));
    cudaHostNodeParams call = {look, &index};
    CHECK(cudaGraphAddHostNode(&g.host, g.graph, nullptr, 0, &call));
    CHECK(cudaGraphAddDependencies(g.graph, &g.copy, &g.host, nullptr, 1));
    return g;
}

int main() {
    int bad = 0;
    cudaStream_t s;
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaMallocHost(&result, n * sizeof(int)));
    Device<int> a(n), b(n);
    auto launch = [&](cudaGraphExec_t exec) {
        CHECK(cudaGraphLaunch(exec, s));
        CHECK(cudaStreamSynchronize(s));
        return std::vector<int>(result, result + n);
    };
    Four g = build(a, 5);
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, g.graph, 0));
    bad |= compare("explicit graph", launch(exec), [](int) { return 9; });
    printf("host node saw %d\n", seen);

    int *p = a, by = 100;
    void *arguments[] = {&p, &n, &by};
    cudaKernelNodeParams params;
    CHECK(cudaGraphKernelNodeGetParams(g.kernel, &params));
    params.kernelParams = arguments;
    CHECK(cudaGraphExecKernelNodeSetParams(exec, g.kernel, &params));
    bad |= compare("new parameters", launch(exec), [](int) { return 104; });

    Four other = build(a, 1000);
    cudaGraphExecUpdateResultInfo info;
    CHECK(cudaGraphExecUpdate(exec, other.graph, &info));
    bad |= compare("whole update", launch(exec), [](int) { return 1004; });
    kernel(other.graph, other.host, a, 1);
    cudaError_t refused = cudaGraphExecUpdate(exec, other.graph, &info);
    printf("other topology %d reason %d\n", refused, info.result == cudaGraphExecUpdateErrorTopologyChanged ? 2 : -1);
    CHECK(cudaGraphNodeSetEnabled(exec, g.kernel, 0));
    bad |= compare("disabled", launch(exec), [](int) { return 4; });

    // The child is a copy: changing the original afterwards changes nothing.
    cudaGraph_t parent;
    CHECK(cudaGraphCreate(&parent, 0));
    cudaGraphNode_t child;
    CHECK(cudaGraphAddChildGraphNode(&child, parent, nullptr, 0, g.graph));
    cudaGraphNode_t last = kernel(parent, child, a, 1);
    CHECK(cudaGraphAddMemcpyNode1D(&last, parent, &last, 1, result, (int *)a, n * sizeof(int), cudaMemcpyDeviceToHost));
    cudaGraphExec_t nested;
    CHECK(cudaGraphInstantiate(&nested, parent, 0));
    bad |= compare("child graph", launch(nested), [](int) { return 10; });

    cudaGraph_t clone;
    CHECK(cudaGraphClone(&clone, g.graph));
    size_t nodes, edges, roots;
    CHECK(cudaGraphGetNodes(clone, nullptr, &nodes));
    CHECK(cudaGraphGetEdges(clone, nullptr, nullptr, nullptr, &edges));
    CHECK(cudaGraphGetRootNodes(clone, nullptr, &roots));
    printf("clone has %zu nodes, %zu edges, %zu roots\n", nodes, edges, roots);
    cudaGraphNode_t first, end;
    CHECK(cudaGraphNodeFindInClone(&first, g.fill, clone));
    CHECK(cudaGraphNodeFindInClone(&end, g.host, clone));
    cudaGraphExec_t circle;
    cudaError_t added = cudaGraphAddDependencies(clone, &end, &first, nullptr, 1);
    if (added == cudaSuccess) added = cudaGraphInstantiate(&circle, clone, 0);
    printf("circle %s\n", added == cudaErrorInvalidValue ? "refused" : "accepted");
    (void)cudaGetLastError();

    // Allocating and freeing in a capturing stream gives nodes.
    cudaGraph_t memory;
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    int *block;
    CHECK(cudaMallocAsync(&block, n * sizeof(int), s));
    CHECK(cudaMemsetAsync(block, 1, n * sizeof(int), s));
    add<<<2, 256, 0, s>>>(block, n, 2);
    CHECK(cudaMemcpyAsync(result, block, n * sizeof(int), cudaMemcpyDeviceToHost, s));
    CHECK(cudaFreeAsync(block, s));
    CHECK(cudaStreamEndCapture(s, &memory));
    cudaGraphExec_t holding;
    CHECK(cudaGraphInstantiate(&holding, memory, 0));
    launch(holding);
    bad |= compare("memory nodes", launch(holding), [](int) { return 0x01010103; });

    cudaUserObject_t object;
    CHECK(cudaUserObjectCreate(&object, nullptr, destroy, 1, cudaUserObjectNoDestructorSync));
    CHECK(cudaGraphRetainUserObject(clone, object, 1, cudaGraphUserObjectMove));
    int before = destroyed;
    for (cudaGraph_t graph : {g.graph, other.graph, parent, clone, memory}) CHECK(cudaGraphDestroy(graph));
    for (cudaGraphExec_t e : {exec, nested, holding}) CHECK(cudaGraphExecDestroy(e));
    for (int i = 0; i < 2000 && destroyed == 0; i++) usleep(1000);
    printf("user object destroyed %s\n", before == 0 && destroyed == 1 ? "once" : "wrongly");
    return bad;
}
