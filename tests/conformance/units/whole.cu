// A program of one unit, for the ways to build that do not need two.
#include <cstdio>

__device__ int offset = 40;

extern "C" __global__ void answer(int *out) { *out = offset + 2; }

int main() {
    int *device = nullptr, host = 0;
    cudaMalloc(&device, sizeof host);
    answer<<<1, 1>>>(device);
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) error = cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost);
    printf("%s: %d\n", cudaGetErrorName(error), host);
}
