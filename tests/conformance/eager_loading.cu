// Modules that are loaded eagerly, and kernels that are loaded before their launch: code for any block runs at once, and code
// for the launched block is not waited for.
// env: CUDA_MODULE_LOADING=EAGER
// env: CUDA_CACHE_DISABLE=1
// expect: loaded before any launch
// expect: a launch compiles nothing
// expect: 0 of 36 launches are wrong
#include "check.cuh"
#include "driver.cuh"
#include <ctime>

// The same on both sides.
template <int SEED> __host__ __device__ unsigned mixed(unsigned t) {
    unsigned x = t + SEED, y = t ^ 0x9e3779b9u;
#pragma unroll
    for (unsigned k = 0; k < 24; k++) {
        x = x * 1664525u + 1013904223u, y ^= x >> 13;
        if (y & 1) x += x << 5 ^ y >> (k & 15);
        y = y * 5 + (x ^ k) % 7;
    }
    return x ^ y;
}

// Dear to compile, whatever the block.
template <int SEED> __global__ void mix(unsigned *out, unsigned n) {
    unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    unsigned i = blockIdx.x * blockDim.x * blockDim.y * blockDim.z + t;
    if (i < n) out[i] = mixed<SEED>(t);
}

static double worked() {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

int main() {
    const unsigned n = 2000;
    Device<unsigned> out(n);
    cudaFunction_t first, second;
    CHECK(cudaGetFuncBySymbol(&first, (const void *)&mix<1>));
    CHECK(cudaGetFuncBySymbol(&second, (const void *)&mix<2>));
    CUfunctionLoadingState state;
    DCHECK(cuFuncIsLoaded, &state, first);
    printf("%s before any launch\n", state == CU_FUNCTION_LOADING_STATE_LOADED ? "loaded" : "not loaded");
    DCHECK(cuFuncLoad, first);
    DCHECK(cuFuncLoad, second);
    // The first launch of all makes what launches need.
    mix<1><<<1, 32>>>(out.data, n);
    FINISH();
    double before = worked();
    mix<2><<<2, 96>>>(out.data, n);
    double launch = worked() - before;
    FINISH();
    // What the same code takes: a variant of this thread's own making would cost as much.
    printf("a launch compiles %s\n", launch < 4e-3 ? "nothing" : "something");
    const dim3 blocks[] = {32, 33, 64, 96, 100, 128, dim3(16, 4), dim3(8, 8, 2), dim3(7, 5), 256, 1, dim3(32, 32)};
    int wrong = 0;
    for (int round = 0; round < 3; round++)
        for (dim3 block : blocks) {
            unsigned threads = block.x * block.y * block.z, grid = (n + threads - 1) / threads;
            CHECK(cudaMemset(out.data, 0, n * sizeof(unsigned)));
            mix<1><<<grid, block>>>(out.data, n);
            FINISH();
            std::vector<unsigned> got(n);
            CHECK(cudaMemcpy(got.data(), out.data, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
            bool same = true;
            for (unsigned i = 0; i < n; i++) same &= got[i] == mixed<1>(i % threads);
            wrong += !same;
        }
    printf("%d of 36 launches are wrong\n", wrong);
}
