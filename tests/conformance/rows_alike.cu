// A kernel for one-dimensional blocks, launched with two-dimensional ones: threads that are alike advance together, as
// on hardware; those that can be told apart, or count, do not become fewer.
// door: socket
// expect: once ok
// expect: sums ok
// expect: atomics 131072
// expect: lanes ok
// expect: rows ok
// expect: line
// expect: line
// expect: line
// expect: line
// expect: line
// expect: line
#include "check.cuh"
#include <cstring>

__global__ void add(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += 1;
}
// PolyBench's way to write a product of a matrix with a vector.
__global__ void product(const float *a, float *x, const float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) for (int j = 0; j < n; j++) x[i] += a[i * n + j] * y[j];
}
__global__ void count(unsigned *c) { if (threadIdx.x < 32) atomicAdd(c, 1u); }
__global__ void lanes(unsigned *all) { if (__shfl_sync(~0u, threadIdx.x, 31) == 15 && blockDim.x == 16) all[threadIdx.x] = 7; }
__global__ void rows(int *x) { x[threadIdx.y * blockDim.x + threadIdx.x] = blockDim.y; }
__global__ void say(void) { if (threadIdx.x == 0) printf("line\n"); }

int main() {
    const int n = 1000;
    float *x, *a, *y;
    CHECK(cudaMallocManaged(&x, n * sizeof(float)));
    CHECK(cudaMallocManaged(&y, n * sizeof(float)));
    CHECK(cudaMallocManaged(&a, n * n * sizeof(float)));
    for (int i = 0; i < n; i++) x[i] = i, y[i] = i % 7;
    for (int i = 0; i < n * n; i++) a[i] = i % 5;
    add<<<(n + 31) / 32, dim3(32, 8)>>>(x, n);
    add<<<(n + 15) / 16, dim3(16, 4, 4)>>>(x, n);
    add<<<(n + 47) / 48, dim3(48, 3)>>>(x, n);
    FINISH();
    int wrong = 0;
    for (int i = 0; i < n; i++) wrong += x[i] != i + 3;
    puts(wrong ? "once WRONG" : "once ok");
    product<<<(n + 31) / 32, dim3(32, 8)>>>(a, x, y, n);
    FINISH();
    wrong = 0;
    for (int i = 0; i < n; i++) {
        float want = i + 3;
        for (int j = 0; j < n; j++) want += a[i * n + j] * y[j];
        wrong += x[i] != want;
    }
    puts(wrong ? "sums WRONG" : "sums ok");
    unsigned *c;
    CHECK(cudaMallocManaged(&c, 64 * sizeof(unsigned)));
    memset(c, 0, 64 * sizeof(unsigned));
    count<<<512, dim3(64, 8)>>>(c);
    FINISH();
    printf("atomics %u\n", *c);
    lanes<<<1, dim3(16, 2)>>>(c + 16);
    FINISH();
    wrong = 0;
    for (int i = 16; i < 32; i++) wrong += c[i] != 7;
    puts(wrong ? "lanes WRONG" : "lanes ok");
    int *r = (int *)a;
    rows<<<1, dim3(32, 8)>>>(r);
    FINISH();
    wrong = 0;
    for (int i = 0; i < 256; i++) wrong += r[i] != 8;
    puts(wrong ? "rows WRONG" : "rows ok");
    fflush(stdout);
    say<<<2, dim3(8, 3)>>>();
    FINISH();
    return 0;
}
