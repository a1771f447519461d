// share SECONDS: kernels of some hundred microseconds, one after the other, for so long; prints how many ended.
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
    if (argc < 2 || cudaMalloc(&p, 128) || cudaMemset(p, 0, 128)) return 1;
    work<<<1, 32>>>(p);
    if (cudaDeviceSynchronize()) return 1;
    puts("ready");
    fflush(stdout);
    getchar();
    auto now = std::chrono::steady_clock::now;
    auto end = now() + std::chrono::duration<double>(atof(argv[1]));
    unsigned count = 0;
    while (now() < end) {
        for (int i = 0; i < 8; i++, count++) work<<<1, 32>>>(p);
        if (cudaDeviceSynchronize()) return 1;
    }
    printf("%u\n", count);
    return 0;
}
