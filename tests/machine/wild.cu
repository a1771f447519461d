// A store to an address that is not there, for the log.
#include <cstdio>

__global__ void store(int *p) { *p = 1; }

int main() {
    store<<<1, 1>>>((int *)0x100000);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
