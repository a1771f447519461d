// A store to an address that is not there: 700, and everything after it too.
// expect: sync: 700 cudaErrorIllegalAddress: an illegal memory access was encountered
// expect: malloc: 700
// expect: memcpy: 700
// expect: free: 700
// expect: launch: 700
#include "check.cuh"

__global__ void store(int *p) { *p = 1; }

int main() {
    int *good, *other, local = 0;
    CHECK(cudaMalloc(&good, 4));
    store<<<1, 1>>>((int *)0x100000);
    CHECK(cudaGetLastError());
    cudaError_t error = cudaDeviceSynchronize();
    printf("sync: %d %s: %s\n", int(error), cudaGetErrorName(error), cudaGetErrorString(error));
    printf("malloc: %d\n", int(cudaMalloc(&other, 4)));
    printf("memcpy: %d\n", int(cudaMemcpy(&local, good, 4, cudaMemcpyDeviceToHost)));
    printf("free: %d\n", int(cudaFree(good)));
    store<<<1, 1>>>(good);
    printf("launch: %d\n", int(cudaGetLastError()));
}
