// Good code replaces quickly made code: in later launches of a kernel that is launched again and again, and between the
// blocks of a single launch. Both are bounded, and told by the time that a block takes. A cooperative launch, whose blocks
// all start at once, waits for it.
// env: ANTLERITE_TIERS=all
// env: CUDA_CACHE_DISABLE=1
// timeout: 60
// expect: a later launch is faster
// expect: a later block is faster
// expect: a cooperative launch is fast at once
// expect: results agree
#include "check.cuh"
#include <chrono>

// What is worth vectors. The result depends on the thread and the round only.
__device__ __forceinline__ unsigned mixed(unsigned x) {
    for (int i = 0; i < 24; i++) {
#pragma unroll
        for (int k = 0; k < 8; k++) x = x * 1664525u + 1013904223u, x ^= x >> 13;
    }
    return x;
}

// Cycles of the fastest block in `least`.
template <int> __global__ void repeated(unsigned *out, unsigned long long *least) {
    long long start = clock64();
    out[threadIdx.x] = mixed(threadIdx.x);
    unsigned long long took = clock64() - start;
    if (threadIdx.x == 0) atomicMin(least, took);
}

struct Found {
    unsigned long long first;
    unsigned over, block;
};

// Blocks until one is more than twice as fast as the fastest of the first ones.
__global__ void single(unsigned *out, Found *found) {
    if (*(volatile unsigned *)&found->over) return;
    long long start = clock64();
    out[threadIdx.x] = mixed(threadIdx.x + 1);
    unsigned long long took = clock64() - start;
    if (threadIdx.x != 0) return;
    if (blockIdx.x < 32)
        atomicMin(&found->first, took);
    else if (blockIdx.x >= 64 && took * 2 < *(volatile unsigned long long *)&found->first)
        found->over = 1, found->block = blockIdx.x;
}

int main() {
    const unsigned long long never = ~0ull;
    Device<unsigned> out(64), other(64);
    Device<unsigned long long> least(1);
    Device<Found> found(1);
    auto launch = [&] {
        CHECK(cudaMemcpy(least.data, &never, sizeof never, cudaMemcpyHostToDevice));
        repeated<0><<<64, 64>>>(out.data, least.data);
        FINISH();
        unsigned long long took;
        CHECK(cudaMemcpy(&took, least.data, sizeof took, cudaMemcpyDeviceToHost));
        return took;
    };
    auto start = std::chrono::steady_clock::now();
    unsigned long long first = launch(), now = first;
    for (int i = 0; i < 100000 && now * 2 >= first; i++) {
        if (std::chrono::steady_clock::now() - start > std::chrono::seconds(20)) break;
        now = launch();
    }
    printf("a later launch is %s\n", now * 2 < first ? "faster" : "as slow");
    Found empty = {never, 0, 0};
    CHECK(cudaMemcpy(found.data, &empty, sizeof empty, cudaMemcpyHostToDevice));
    single<<<1000000, 64>>>(other.data, found.data);
    FINISH();
    Found seen;
    CHECK(cudaMemcpy(&seen, found.data, sizeof seen, cudaMemcpyDeviceToHost));
    printf("a later block is %s\n", seen.over ? "faster" : "as slow");
    CHECK(cudaMemcpy(least.data, &never, sizeof never, cudaMemcpyHostToDevice));
    void *arguments[] = {&out.data, &least.data};
    CHECK(cudaLaunchCooperativeKernel((const void *)&repeated<1>, dim3(16), dim3(64), arguments, 0, 0));
    FINISH();
    CHECK(cudaMemcpy(&now, least.data, sizeof now, cudaMemcpyDeviceToHost));
    printf("a cooperative launch is %s at once\n", now * 2 < first ? "fast" : "slow");
    unsigned a[64], b[64];
    CHECK(cudaMemcpy(a, out.data, sizeof a, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(b, other.data, sizeof b, cudaMemcpyDeviceToHost));
    auto wanted = [](unsigned x) {
        for (int i = 0; i < 24 * 8; i++) x = x * 1664525u + 1013904223u, x ^= x >> 13;
        return x;
    };
    bool agree = true;
    for (unsigned i = 0; i < 64; i++) agree &= a[i] == wanted(i) && b[i] == wanted(i + 1);
    printf("results %s\n", agree ? "agree" : "differ");
}
