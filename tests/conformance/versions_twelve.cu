// A program of CUDA 12 on a driver of CUDA 13: each is asked for its own version, and kernels run.
// build: twelve
// door: socket path
// expect: driver 13.0
// expect: runtime 12.9
// expect: cudaSuccess: 42
#include <cstdio>
#include <cuda_runtime.h>

__global__ void store(int *to, int value) { *to = value; }

int main() {
    int driver = 0, runtime = 0, value = 0, *memory = nullptr;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    printf("driver %d.%d\n", driver / 1000, driver % 1000 / 10);
    printf("runtime %d.%d\n", runtime / 1000, runtime % 1000 / 10);
    cudaError_t status = cudaMalloc(&memory, sizeof value);
    store<<<1, 1>>>(memory, 42);
    if (status == cudaSuccess) status = cudaGetLastError();
    if (status == cudaSuccess) status = cudaMemcpy(&value, memory, sizeof value, cudaMemcpyDeviceToHost);
    printf("%s: %d\n", cudaGetErrorName(status), value);
    return status != cudaSuccess;
}
