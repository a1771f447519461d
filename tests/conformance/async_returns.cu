// Prefetches, discards, fills of memory that the host sees and small copies of pageable memory wait in their stream, and the
// calls do not: the kernel before them ends only when the host says so.
// flags: -arch=sm_80
// expect: the calls came back
// expect: kernel ok
// expect: fills 117901069 117901063 18 5
// expect: at once 16843009 6
// expect: near 0
// timeout: 20
#include <cstring>
#include "check.cuh"

__global__ void wait(volatile int *go) {
    while (!*go) {}
}
__global__ void twice(int *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] *= 2;
}

int main() {
    const int N = 1 << 18;
    volatile int *go;
    int *p, *scratch;
    cudaStream_t s;
    CHECK(cudaMallocHost((void **)&go, sizeof(int)));
    CHECK(cudaMallocManaged(&p, N * sizeof(int)));
    CHECK(cudaMallocManaged(&scratch, N * sizeof(int)));
    CHECK(cudaStreamCreate(&s));
    char *pinned;
    CHECK(cudaMallocHost(&pinned, 64));
    memset(pinned, 0, 64);
    for (int i = 0; i < N; i++) p[i] = i;
    *go = 0;
    wait<<<1, 1, 0, s>>>((volatile int *)go);
    cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
    void *ranges[] = {scratch};
    size_t sizes[] = {N * sizeof(int)}, first[] = {0};
    CHECK(cudaMemPrefetchAsync(p, N * sizeof(int), device, 0, s));
    twice<<<N / 256, 256, 0, s>>>(p, N);
    CHECK(cudaMemPrefetchAsync(p, N * sizeof(int), host, 0, s));
    CHECK(cudaMemPrefetchBatchAsync(ranges, sizes, 1, &device, first, 1, 0, s));
    CHECK(cudaMemDiscardBatchAsync(ranges, sizes, 1, 0, s));
    CHECK(cudaMemPrefetchAsync(scratch, N * sizeof(int), device, 0, s));
    CHECK(cudaMemsetAsync(scratch, 7, N * sizeof(int), s));
    // 64 KiB of pageable memory have been read when the call returns.
    std::vector<int> pageable(1 << 14, 3);
    CHECK(cudaMemcpyAsync(scratch + 5, pageable.data(), 1 << 16, cudaMemcpyHostToDevice, s));
    pageable.assign(1 << 14, 4);
    CHECK(cudaMemset2DAsync(pinned, 8, 9, 3, 2, s));
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    CHECK(cudaMemsetAsync(pinned + 4, 5, 3, s));
    CHECK(cudaStreamEndCapture(s, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, s));
    puts("the calls came back");
    *go = 1;
    CHECK(cudaStreamSynchronize(s));
    std::vector<int> got(p, p + N);
    compare("kernel", got, [](size_t i) { return 2 * i; });
    printf("fills %d %d %d %d\n", scratch[0] + scratch[5] + scratch[(1 << 14) + 4], scratch[N - 1], pinned[0] + pinned[10] + pinned[3], pinned[5]);
    // This one has filled when it returns.
    CHECK(cudaMemset(p, 1, 12));
    printf("at once %d %d\n", p[2], p[3]);
    int near;
    CHECK(cudaMemRangeGetAttribute(&near, sizeof near, cudaMemRangeAttributeLastPrefetchLocation, scratch, N * sizeof(int)));
    printf("near %d\n", near);
}
