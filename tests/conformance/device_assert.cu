// A failed device assertion: 710, sticky, and the message on standard error.
// expect: 710 cudaErrorAssert: device-side assert triggered
// expect: then 710
// stderr~: block: [1,0,0], thread: [3,0,0] Assertion `value != 35` failed.
#include <cassert>
#include "check.cuh"

__global__ void check(int *p) {
    int value = blockIdx.x * blockDim.x + threadIdx.x;
    assert(value != 35);
    p[value] = value;
}

int main() {
    int *p;
    CHECK(cudaMalloc(&p, 64 * sizeof(int)));
    check<<<2, 32>>>(p);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%d %s: %s\n", int(error), cudaGetErrorName(error), cudaGetErrorString(error));
    printf("then %d\n", int(cudaMalloc(&p, 4)));
}
