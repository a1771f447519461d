// One program of two units: everything here that is declared and not defined is in second.cu.
#include <cstdio>
#include "units.cuh"

extern __device__ int scale;
extern __constant__ int table[4];
extern __device__ Operation operations[2];
static __device__ int hidden(int x) { return x + 1000; }
__device__ int counter;
extern __shared__ int dynamic[];

__global__ void use(int *out) {
    __shared__ int fixed[2];
    Square square(5);
    Shape *shape = &square;
    fixed[0] = helper(7);
    dynamic[0] = 4;
    out[0] = fixed[0] * scale + table[2];
    out[1] = shape->area();
    out[2] = operations[0](1);
    out[3] = operations[1](1);
    out[4] = hidden(1) + twice(3) + dynamic[0];
    counter = 99;
}

int main() {
    int *device = nullptr, host[8] = {}, count = 0;
    cudaMalloc(&device, sizeof host);
    cudaMemset(device, 0, sizeof host);
    use<<<1, 1, 64>>>(device);
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) {
        other<<<1, 1>>>(device + 5);
        error = cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
        cudaMemcpyFromSymbol(&count, counter, sizeof count);
    }
    printf("%s:", cudaGetErrorName(error));
    for (int value : host) printf(" %d", value);
    printf(" %d\n", count);
}
