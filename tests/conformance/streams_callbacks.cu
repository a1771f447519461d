// Copies and kernels in four streams, callbacks, priorities, stream-ordered memory.
// expect: prio 0 -5
// expect: calls 1
// expect: calls 11
// expect: time 1
// expect: bad 0
// expect: fl 1 p -5 same 1 q 0
// expect: async bad 0
// expect: used 0
// expect: reset ok 0
#include "check.cuh"
#include <cstring>
__global__ void add(float *p, int n, float v) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] += v; }
void CUDART_CB fn(void *p) { ++*(int *)p; }
void CUDART_CB cb(cudaStream_t, cudaError_t e, void *p) { if (e == cudaSuccess) *(int *)p += 10; }
int main() {
    const int n = 1 << 18, S = 4; float *h, *d; CHECK(cudaMallocHost(&h, S * n * 4)); CHECK(cudaMalloc(&d, S * n * 4));
    for (int i = 0; i < S * n; i++) h[i] = i % 1000;
    cudaStream_t s[S]; cudaEvent_t b, e; CHECK(cudaEventCreate(&b)); CHECK(cudaEventCreate(&e));
    int lo, hi; CHECK(cudaDeviceGetStreamPriorityRange(&lo, &hi)); printf("prio %d %d\n", lo, hi);
    for (int i = 0; i < S; i++) CHECK(i % 2 ? cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking) : cudaStreamCreateWithPriority(&s[i], 0, hi));
    int calls = 0;
    CHECK(cudaEventRecord(b));
    for (int i = 0; i < S; i++) {
        CHECK(cudaMemcpyAsync(d + i * n, h + i * n, n * 4, cudaMemcpyHostToDevice, s[i]));
        add<<<32, 256, 0, s[i]>>>(d + i * n, n, i + 1);
        CHECK(cudaMemcpyAsync(h + i * n, d + i * n, n * 4, cudaMemcpyDeviceToHost, s[i]));
    }
    CHECK(cudaLaunchHostFunc(s[0], fn, &calls)); CHECK(cudaStreamSynchronize(s[0])); printf("calls %d\n", calls);
    CHECK(cudaStreamAddCallback(s[1], cb, &calls, 0)); CHECK(cudaStreamSynchronize(s[1])); printf("calls %d\n", calls);
    CHECK(cudaEventRecord(e)); CHECK(cudaEventSynchronize(e)); CHECK(cudaDeviceSynchronize());
    float ms; CHECK(cudaEventElapsedTime(&ms, b, e)); printf("time %d\n", ms > 0);
    int bad = 0; for (int i = 0; i < S * n; i++) bad += h[i] != i % 1000 + i / n + 1; printf("bad %d\n", bad);
    unsigned fl; CHECK(cudaStreamGetFlags(s[1], &fl)); int p; CHECK(cudaStreamGetPriority(s[0], &p)); printf("fl %u p %d same %d q %d\n", fl, p, p == hi, cudaStreamQuery(s[0]));
    // async alloc
    float *q; CHECK(cudaMallocAsync(&q, n * 4, s[1])); CHECK(cudaMemsetAsync(q, 0, n * 4, s[1])); add<<<32, 256, 0, s[1]>>>(q, n, 7);
    CHECK(cudaMemcpyAsync(h, q, n * 4, cudaMemcpyDeviceToHost, s[1])); CHECK(cudaFreeAsync(q, s[1])); CHECK(cudaStreamSynchronize(s[1]));
    bad = 0; for (int i = 0; i < n; i++) bad += h[i] != 7; printf("async bad %d\n", bad);
    cudaMemPool_t pool; CHECK(cudaDeviceGetDefaultMemPool(&pool, 0)); unsigned long long thr = ~0ull; CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &thr));
    unsigned long long used; CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used)); printf("used %llu\n", used);
    CHECK(cudaMemPoolTrimTo(pool, 0));
    for (auto t : s) CHECK(cudaStreamDestroy(t));
    CHECK(cudaFreeHost(h)); CHECK(cudaFree(d)); CHECK(cudaDeviceReset()); printf("reset ok %d\n", cudaMalloc(&d, 100));
}
