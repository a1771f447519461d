// Eight threads that each make and end objects of all kinds, work through them, and look at the results: captured and
// conditional graphs, textures, events across streams, the device's heap. The argument is rounds per thread.
// build: shared
// args: 25
// flags: -Xcompiler -pthread
// timeout: 60
// expect: wrong: 0
// expect: memory as before: yes
#include <atomic>
#include <thread>
#include "check.cuh"

__global__ void add(int *p, int n, int v) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) p[i] += v;
}
__global__ void sample(cudaTextureObject_t t, float *out, int width) {
    out[blockIdx.x * width + threadIdx.x] = tex2D<float>(t, threadIdx.x + .5f, blockIdx.x + .5f) + 1;
}
__global__ void count_down(int *left, cudaGraphConditionalHandle again) { cudaGraphSetConditional(again, --*left > 0); }
__global__ void use_heap(int *sum) {
    int *p = (int *)malloc(64 * (1 + threadIdx.x % 4));
    if (!p) return;
    p[3] = threadIdx.x;
    atomicAdd(sum, p[3]);
    free(p);
}

static std::atomic<int> wrong{0};
static void expect(bool right, const char *what) {
    if (!right && wrong++ < 10) printf("%s\n", what);
}
static const cudaStream_t OWN = cudaStreamPerThread;

static void captured_graph(Random &r) {
    int n = 100 + r.next() % 5000, kernels = 1 + r.next() % 5, launches = 1 + r.next() % 6;
    cudaStream_t s;
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    Device<int> out(n);
    std::atomic<int> calls{0};
    cudaGraph_t graph;
    int *between;
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    CHECK(cudaMallocAsync(&between, n * 4, s));
    CHECK(cudaMemsetAsync(between, 0, n * 4, s));
    for (int i = 0; i < kernels; i++) add<<<(n + 127) / 128, 128, 0, s>>>(between, n, i + 1);
    CHECK(cudaMemcpyAsync(out, between, n * 4, cudaMemcpyDeviceToDevice, s));
    CHECK(cudaLaunchHostFunc(s, [](void *p) { ++*(std::atomic<int> *)p; }, &calls));
    CHECK(cudaFreeAsync(between, s));
    CHECK(cudaStreamEndCapture(s, &graph));
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < launches; i++) CHECK(cudaGraphLaunch(exec, s));
    std::vector<int> host(n);
    CHECK(cudaMemcpyAsync(host.data(), out, n * 4, cudaMemcpyDeviceToHost, s));
    CHECK(cudaStreamSynchronize(s));
    expect(host[0] == kernels * (kernels + 1) / 2 && host[n - 1] == host[0] && calls == launches, "captured graph");
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(s));
}

static void conditional_graph(Random &r) {
    int left[2] = {int(1 + r.next() % 5), 0}, rounds = left[0];
    cudaStream_t s;
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    Device<int> d(2);
    CHECK(cudaMemcpyAsync(d, left, 8, cudaMemcpyHostToDevice, s));
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle again;
    CHECK(cudaGraphConditionalHandleCreate(&again, graph, 1, cudaGraphCondAssignDefault));
    cudaGraphNodeParams params{};
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = again;
    params.conditional.type = cudaGraphCondTypeWhile;
    params.conditional.size = 1;
    cudaGraphNode_t node;
    CHECK(cudaGraphAddNode(&node, graph, 0, 0, 0, &params));
    cudaGraph_t body = params.conditional.phGraph_out[0];
    CHECK(cudaStreamBeginCaptureToGraph(s, body, 0, 0, 0, cudaStreamCaptureModeThreadLocal));
    add<<<1, 1, 0, s>>>(d + 1, 1, 3);
    count_down<<<1, 1, 0, s>>>(d, again);
    CHECK(cudaStreamEndCapture(s, 0));
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaMemcpy(left, d, 8, cudaMemcpyDefault));
    expect(left[0] == 0 && left[1] == 3 * rounds, "conditional graph");
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(s));
}

static void texture(Random &r) {
    int width = 1 + r.next() % 64, height = 1 + r.next() % 20, n = width * height;
    std::vector<float> in(n), back(n);
    for (auto &x : in) x = r.next() % 100;
    cudaArray_t array;
    auto format = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocArray(&array, &format, width, height));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, in.data(), width * 4, width * 4, height, cudaMemcpyHostToDevice));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how{};
    cudaTextureObject_t t;
    CHECK(cudaCreateTextureObject(&t, &resource, &how, 0));
    float *out;
    CHECK(cudaMallocAsync(&out, n * 4, OWN));
    sample<<<height, width, 0, OWN>>>(t, out, width);
    CHECK(cudaMemcpyAsync(back.data(), out, n * 4, cudaMemcpyDeviceToHost, OWN));
    CHECK(cudaFreeAsync(out, OWN));
    CHECK(cudaStreamSynchronize(OWN));
    for (int i = 0; i < n; i++) expect(back[i] == in[i] + 1, "texture");
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaFreeArray(array));
}

static void events(Random &r) {
    const int N = 1000;
    cudaStream_t s[3];
    cudaEvent_t e[3];
    Device<int> d(N);
    int *host, sum = 0, n = 3 + r.next() % 20;
    CHECK(cudaMallocHost(&host, N * 4));
    for (int i = 0; i < 3; i++) {
        CHECK(cudaStreamCreateWithPriority(&s[i], cudaStreamNonBlocking, -i));
        CHECK(cudaEventCreate(&e[i]));
    }
    CHECK(cudaMemsetAsync(d, 0, N * 4, s[0]));
    for (int i = 0; i < n; sum += i++) {
        add<<<8, 128, 0, s[i % 3]>>>(d, N, i);
        CHECK(cudaEventRecord(e[i % 3], s[i % 3]));
        CHECK(cudaStreamWaitEvent(s[(i + 1) % 3], e[i % 3]));
    }
    CHECK(cudaMemcpyAsync(host, d, N * 4, cudaMemcpyDeviceToHost, s[n % 3]));
    CHECK(cudaStreamSynchronize(s[n % 3]));
    expect(host[0] == sum && host[N - 1] == sum, "events");
    for (int i = 0; i < 3; i++) {
        CHECK(cudaEventDestroy(e[i]));
        CHECK(cudaStreamDestroy(s[i]));
    }
    CHECK(cudaFreeHost(host));
}

static void heap(Random &r) {
    int *sum, threads = 32 * (1 + r.next() % 4);
    CHECK(cudaMallocManaged(&sum, 4));
    *sum = 0;
    use_heap<<<1, threads, 0, OWN>>>(sum);
    CHECK(cudaStreamSynchronize(OWN));
    expect(*sum == threads * (threads - 1) / 2, "heap");
    CHECK(cudaFree(sum));
}

static void (*const KINDS[])(Random &) = {captured_graph, conditional_graph, texture, events, heap};

static size_t memory_free() {
    cudaMemPool_t pool;
    size_t free, total;
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    CHECK(cudaMemPoolTrimTo(pool, 0));
    CHECK(cudaMemGetInfo(&free, &total));
    return free;
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 25;
    Random once(1);
    // What a context makes for good is there after the first of each.
    for (auto kind : KINDS) kind(once);
    size_t before = memory_free();
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; t++)
        threads.emplace_back([=] {
            Random r(t);
            for (int i = 0; i < rounds; i++) KINDS[r.next() % 5](r);
        });
    for (auto &t : threads) t.join();
    printf("wrong: %d\n", wrong.load());
    printf("memory as before: %s\n", memory_free() == before ? "yes" : "no");
}
