// Host memory that was never given to the GPU is not there for a kernel.
// expect: 700 cudaErrorIllegalAddress
#include "check.cuh"

__global__ void store(int *p) { *p = 1; }

int main() {
    int *heap = (int *)malloc(4096);
    store<<<1, 1>>>(heap);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%d %s\n", int(error), cudaGetErrorName(error));
}
