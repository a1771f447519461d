// Twice the framebuffer in managed memory, swept twice by the device.
#include <cstdio>

#define CHECK(call)                                                                                  \
    do {                                                                                             \
        cudaError_t error = (call);                                                                  \
        if (error != cudaSuccess) return printf("%s: %s\n", #call, cudaGetErrorName(error)), 1;      \
    } while (0)

__global__ void add(int *p, size_t n) {
    size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    if (i < n) p[i] += int(i & 1023);
}

int main() {
    size_t free, total;
    CHECK(cudaMemGetInfo(&free, &total));
    size_t n = 2 * total / sizeof(int);
    int *p;
    CHECK(cudaMallocManaged(&p, n * sizeof(int)));
    for (size_t i = 0; i < n; i++) p[i] = 1;
    for (int sweep = 0; sweep < 2; sweep++) add<<<(n + 255) / 256, 256>>>(p, n);
    CHECK(cudaDeviceSynchronize());
    // Managed memory gives way to an allocation.
    void *device;
    CHECK(cudaMalloc(&device, total / 2));
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++) wrong += p[i] != 1 + 2 * int(i & 1023);
    printf("wrong: %zu\n", wrong);
    return wrong != 0;
}
