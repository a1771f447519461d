// What the virtual H100 says of itself.
// expect: 1 device
// expect~: H100
// expect: compute capability 9.0
// expect: warp 32, block 1024, shared 49152
// expect: managed 1, unified addressing 1
// expect: more than 1 SM: yes
#include "check.cuh"

int main() {
    int count;
    CHECK(cudaGetDeviceCount(&count));
    printf("%d device\n", count);
    cudaDeviceProp p;
    CHECK(cudaGetDeviceProperties(&p, 0));
    printf("%s\n", p.name);
    printf("compute capability %d.%d\n", p.major, p.minor);
    printf("warp %d, block %d, shared %zu\n", p.warpSize, p.maxThreadsPerBlock, p.sharedMemPerBlock);
    printf("managed %d, unified addressing %d\n", p.managedMemory, p.unifiedAddressing);
    printf("more than 1 SM: %s\n", p.multiProcessorCount > 1 ? "yes" : "no");
}
