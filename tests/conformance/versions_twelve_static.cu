// clang 19 writes PTX of an older ISA than CUDA 12.9 has; the machine code beside it tells which runtime is linked.
// build: twelve-static
// expect: runtime 12.9
// expect: cudaSuccess: 42
#include <cstdio>
#include <cuda_runtime.h>

__global__ void store(int *to, int value) { *to = value; }

int main() {
    int runtime = 0, value = 0, *memory = nullptr;
    cudaRuntimeGetVersion(&runtime);
    printf("runtime %d.%d\n", runtime / 1000, runtime % 1000 / 10);
    cudaError_t status = cudaMalloc(&memory, sizeof value);
    store<<<1, 1>>>(memory, 42);
    if (status == cudaSuccess) status = cudaGetLastError();
    if (status == cudaSuccess) status = cudaMemcpy(&value, memory, sizeof value, cudaMemcpyDeviceToHost);
    printf("%s: %d\n", cudaGetErrorName(status), value);
    return status != cudaSuccess;
}
