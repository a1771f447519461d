// Occupancy against the formula of the toolkit's own header.
// expect: 0 of 160 differ
#include <cuda_occupancy.h>
#include "check.cuh"

__global__ void small(int *p) { *p = 1; }
__global__ void some(float *p) {
    __shared__ float s[1024];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    float a = 0;
    for (int i = 0; i < 32; i++) a += s[(threadIdx.x + i) % 1024] * p[i];
    p[threadIdx.x] = a;
}

int main() {
    cudaDeviceProp prop;
    CHECK(cudaGetDeviceProperties(&prop, 0));
    cudaOccDeviceProp device(prop);
    cudaOccDeviceState state;
    int cases = 0, wrong = 0;
    for (const void *kernel : {(const void *)small, (const void *)some}) {
        cudaFuncAttributes attributes;
        CHECK(cudaFuncGetAttributes(&attributes, kernel));
        cudaOccFuncAttributes of(attributes);
        for (int threads : {1, 32, 33, 64, 96, 128, 160, 192, 224, 256, 320, 384, 512, 640, 768, 1024})
            for (size_t dynamic : {0, 1000, 4096, 16384, 40000}) {
                cudaOccResult result;
                cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &of, &state, threads, dynamic);
                int blocks;
                CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, dynamic));
                cases++;
                if (blocks != result.activeBlocksPerMultiprocessor && wrong++ < 5)
                    printf("%d threads, %zu bytes: %d, formula %d\n", threads, dynamic, blocks,
                           result.activeBlocksPerMultiprocessor);
            }
    }
    printf("%d of %d differ\n", wrong, cases);
}
