// managed MIB [prefetch]: c = a + b in managed memory that the CPU fills and reads. For the counts of uvm-stat.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CHECK(call)                                                                                  \
    do {                                                                                             \
        cudaError_t error = (call);                                                                  \
        if (error != cudaSuccess) return printf("%s: %s\n", #call, cudaGetErrorName(error)), 1;      \
    } while (0)

__global__ void add(const float *a, const float *b, float *c, size_t n) {
    size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

int main(int argc, char **argv) {
    size_t bytes = size_t(atoi(argv[1])) << 20, n = bytes / sizeof(float);
    float *a, *b, *c;
    CHECK(cudaMallocManaged(&a, bytes));
    CHECK(cudaMallocManaged(&b, bytes));
    CHECK(cudaMallocManaged(&c, bytes));
    for (size_t i = 0; i < n; i++) a[i] = float(i % 1000), b[i] = float(i % 7);
    if (argc > 2) {
        cudaMemLocation device{cudaMemLocationTypeDevice, 0};
        CHECK(cudaMemPrefetchAsync(a, bytes, device, 0));
        CHECK(cudaMemPrefetchAsync(b, bytes, device, 0));
        CHECK(cudaMemPrefetchAsync(c, bytes, device, 0));
        CHECK(cudaDeviceSynchronize());
    }
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
    CHECK(cudaDeviceSynchronize());
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++) wrong += c[i] != float(i % 1000) + float(i % 7);
    printf("wrong: %zu\n", wrong);
    return wrong != 0;
}
