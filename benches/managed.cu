// What it costs to move a block of managed memory (64 KiB) to the processor that touches it: one word of each block is
// touched, first by the GPU, then by the CPU; what the same touches cost where nothing moves is taken off.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                  \
    do {                                                                                             \
        cudaError_t error = (call);                                                                  \
        if (error != cudaSuccess) return fprintf(stderr, "%s: %s\n", #call, cudaGetErrorName(error)), 1; \
    } while (0)

static const size_t block = 64 << 10, blocks = 1024;

__global__ void touch(unsigned char *p) { *(unsigned *)(p + blockIdx.x * (size_t(64) << 10)) += 1; }

static double now() {
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "one-cpu";
    unsigned char *p;
    CHECK(cudaMallocManaged(&p, blocks * block));
    for (size_t i = 0; i < blocks * block; i += 4096) p[i] = 1;
    unsigned want = 1;
    for (int round = 0; round < 13; round++) {
        double start = now();
        touch<<<blocks, 1>>>(p);
        CHECK(cudaDeviceSynchronize());
        double moved = now();
        touch<<<blocks, 1>>>(p);
        CHECK(cudaDeviceSynchronize());
        double stayed = now();
        want += 2;
        for (size_t i = 0; i < blocks; i++)
            if (*(volatile unsigned *)(p + i * block) != want) return fprintf(stderr, "wrong\n"), 1;
        double back = now();
        for (size_t i = 0; i < blocks; i++)
            if (*(volatile unsigned *)(p + i * block) != want) return fprintf(stderr, "wrong\n"), 1;
        double again = now();
        // The first rounds warm up.
        if (round < 3) continue;
        printf("sample managed-htod-%s ours %.9g\n", how, (moved - start - (stayed - moved)) / blocks);
        printf("sample managed-dtoh-%s ours %.9g\n", how, (back - stayed - (again - back)) / blocks);
    }
    return 0;
}
