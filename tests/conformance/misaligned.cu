// A four-byte load at an odd address: 716, sticky.
// expect: 716 cudaErrorMisalignedAddress: misaligned address
// expect: then 716
#include "check.cuh"

__global__ void load(const char *bytes, int *out) { *out = *(const int *)(bytes + 1); }

int main() {
    char *bytes;
    int *out;
    CHECK(cudaMalloc(&bytes, 64));
    CHECK(cudaMalloc(&out, 4));
    load<<<1, 1>>>(bytes, out);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%d %s: %s\n", int(error), cudaGetErrorName(error), cudaGetErrorString(error));
    printf("then %d\n", int(cudaFree(out)));
}
