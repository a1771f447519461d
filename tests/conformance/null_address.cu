// A store at the null pointer that the compiler sees is 700, as any other.
// expect: error 700 cudaErrorIllegalAddress
#include "check.cuh"

__global__ void store() {
    int *volatile p = nullptr;
    *p = 3;
}

int main() {
    store<<<1, 1>>>();
    CHECK(cudaGetLastError());
    cudaError_t error = cudaDeviceSynchronize();
    printf("error %d %s\n", int(error), cudaGetErrorName(error));
}
