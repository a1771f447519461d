// Stream capture: loops, forks and joins by events, what may not be captured, and many launches.
// expect: loop of kernels and copies ok
// expect: fork and join ok
// expect: nodes 5
// expect: unjoined 904
// expect: ended 0
// expect: synchronize while capturing 900
// expect: invalidated 901
// expect: outside work 905
// expect: captured event 907
// expect: nested graph ok
// expect: 10000 launches ok
#include "check.cuh"

__global__ void add(int *p, int n, int by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] += by;
}
__global__ void scale(int *p, int n, int by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] *= by;
}
__global__ void sum(int *to, const int *a, const int *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = a[i] + b[i];
}

static cudaGraphExec_t instantiate(cudaGraph_t graph) {
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    return exec;
}

int main() {
    const int n = 1000, blocks = 4, threads = 256;
    const size_t bytes = n * sizeof(int);
    cudaStream_t s, t;
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    Device<int> a(n), b(n), c(n);
    int *in, *out, bad = 0;
    CHECK(cudaMallocHost(&in, bytes));
    CHECK(cudaMallocHost(&out, bytes));
    cudaGraph_t graph;

    // Nothing runs while it is captured; each launch reads the input as it is then.
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemcpyAsync(a, in, bytes, cudaMemcpyHostToDevice, s));
    for (int i = 0; i < 10; i++) add<<<blocks, threads, 0, s>>>(a, n, i);
    CHECK(cudaMemcpyAsync(out, a, bytes, cudaMemcpyDeviceToHost, s));
    CHECK(cudaStreamEndCapture(s, &graph));
    cudaGraphExec_t loop = instantiate(graph);
    std::vector<int> got;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < n; i++) in[i] = i * round, out[i] = -1;
        CHECK(cudaGraphLaunch(loop, s));
        CHECK(cudaStreamSynchronize(s));
        got.insert(got.end(), out, out + n);
    }
    bad |= compare("loop of kernels and copies", got, [=](int i) { return i % n * (i / n) + 45; });

    cudaEvent_t fork, join;
    CHECK(cudaEventCreate(&fork));
    CHECK(cudaEventCreate(&join));
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    CHECK(cudaMemsetAsync(a, 0, bytes, s));
    CHECK(cudaEventRecord(fork, s));
    CHECK(cudaStreamWaitEvent(t, fork, 0));
    CHECK(cudaMemsetAsync(b, 0, bytes, t));
    add<<<blocks, threads, 0, t>>>(b, n, 7);
    CHECK(cudaEventRecord(join, t));
    add<<<blocks, threads, 0, s>>>(a, n, 5);
    CHECK(cudaStreamWaitEvent(s, join, 0));
    sum<<<blocks, threads, 0, s>>>(c, a, b, n);
    CHECK(cudaStreamEndCapture(s, &graph));
    size_t nodes = 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    cudaGraphExec_t forked = instantiate(graph);
    CHECK(cudaGraphLaunch(forked, s));
    CHECK(cudaStreamSynchronize(s));
    bad |= compare("fork and join", c.host(), [](int) { return 12; });
    printf("nodes %zu\n", nodes);

    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    CHECK(cudaEventRecord(fork, s));
    CHECK(cudaStreamWaitEvent(t, fork, 0));
    add<<<blocks, threads, 0, t>>>(b, n, 7);
    printf("unjoined %d\n", cudaStreamEndCapture(s, &graph));
    cudaStreamCaptureStatus status;
    CHECK(cudaStreamIsCapturing(t, &status));
    printf("ended %d\n", status);

    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    printf("synchronize while capturing %d\n", cudaStreamSynchronize(s));
    printf("invalidated %d\n", cudaStreamEndCapture(s, &graph));
    (void)cudaGetLastError();

    CHECK(cudaEventRecord(join, t));
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    printf("outside work %d\n", cudaStreamWaitEvent(s, join, 0));
    (void)cudaStreamEndCapture(s, &graph);
    (void)cudaGetLastError();

    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    CHECK(cudaEventRecord(join, s));
    printf("captured event %d\n", cudaEventQuery(join));
    (void)cudaStreamEndCapture(s, &graph);
    (void)cudaGetLastError();

    // A launch into a capturing stream becomes a child graph.
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CHECK(cudaGraphLaunch(forked, s));
    scale<<<blocks, threads, 0, s>>>(c, n, 3);
    CHECK(cudaStreamEndCapture(s, &graph));
    cudaGraphExec_t nested = instantiate(graph);
    CHECK(cudaGraphLaunch(nested, s));
    CHECK(cudaStreamSynchronize(s));
    bad |= compare("nested graph", c.host(), [](int) { return 36; });

    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    add<<<blocks, threads, 0, s>>>(a, n, 1);
    CHECK(cudaStreamEndCapture(s, &graph));
    cudaGraphExec_t one = instantiate(graph);
    a.zero();
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 10000; i++) CHECK(cudaGraphLaunch(one, i % 100 < 50 ? s : t));
    FINISH();
    bad |= compare("10000 launches", a.host(), [](int) { return 10000; });
    for (cudaGraphExec_t exec : {loop, forked, nested, one}) CHECK(cudaGraphExecDestroy(exec));
    return bad;
}
