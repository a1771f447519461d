// Prefetches and discards wait in their stream, and the calls do not: the kernel before them ends only when the host says so.
// flags: -arch=sm_80
// expect: the calls came back
// expect: kernel ok
// expect: near 0
// timeout: 20
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
    puts("the calls came back");
    *go = 1;
    CHECK(cudaStreamSynchronize(s));
    std::vector<int> got(p, p + N);
    compare("kernel", got, [](size_t i) { return 2 * i; });
    int near;
    CHECK(cudaMemRangeGetAttribute(&near, sizeof near, cudaMemRangeAttributeLastPrefetchLocation, scratch, N * sizeof(int)));
    printf("near %d\n", near);
}
