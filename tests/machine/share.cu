// share SECONDS: kernels of some hundred microseconds, for so long, with always some more queued; prints how many ended.
#include <chrono>
#include <cstdio>
#include <cstdlib>

__global__ void work(unsigned *p) {
    unsigned x = p[threadIdx.x];
    for (int i = 0; i < 40000; i++) x = x * 1664525 + 1013904223;
    p[threadIdx.x] = x;
}

int main(int argc, char **argv) {
    unsigned *p;
    cudaEvent_t ends[2];
    if (argc < 2 || cudaMalloc(&p, 128) || cudaMemset(p, 0, 128)) return 1;
    work<<<1, 32>>>(p);
    if (cudaDeviceSynchronize()) return 1;
    // Who waits sleeps: what is measured is how the GPU is shared.
    for (cudaEvent_t &end : ends)
        if (cudaEventCreateWithFlags(&end, cudaEventBlockingSync | cudaEventDisableTiming)) return 1;
    puts("ready");
    fflush(stdout);
    getchar();
    auto now = std::chrono::steady_clock::now;
    auto end = now() + std::chrono::duration<double>(atof(argv[1]));
    const int batch = 32;
    unsigned count = 0;
    for (int turn = 0; now() < end; turn ^= 1) {
        for (int i = 0; i < batch; i++) work<<<1, 32>>>(p);
        if (cudaEventRecord(ends[turn])) return 1;
        // The batch before this one; there is none at first.
        if (cudaEventSynchronize(ends[turn ^ 1])) return 1;
        count += batch;
    }
    printf("%u\n", count - batch);
    return 0;
}
