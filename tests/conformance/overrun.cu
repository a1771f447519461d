// A kernel writes a little past its buffer, inside what the device has mapped: no error, as on hardware, and neither
// its own code nor that of the next launch is what lies there.
// expect: first 4096
// expect: second 8192
#include "check.cuh"
__global__ void fill(unsigned char *p, int past, int *count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = i; k < past; k += gridDim.x * blockDim.x) p[k] = 0xcc;
    atomicAdd(count, 1);
}
int main() {
    int *count, host;
    unsigned char *p;
    CHECK(cudaMalloc(&count, 4));
    CHECK(cudaMemset(count, 0, 4));
    CHECK(cudaMalloc(&p, 1000));
    for (const char *which : {"first", "second"}) {
        fill<<<16, 256>>>(p, 200000, count);
        FINISH();
        CHECK(cudaMemcpy(&host, count, 4, cudaMemcpyDeviceToHost));
        printf("%s %d\n", which, host);
    }
}
