// A kernel that launches a kernel is refused by name; its neighbour runs.
#include <cstdio>

__global__ void child(int *out) { *out = 7; }
__global__ void nested(int *out) { child<<<1, 1>>>(out); }
__global__ void plain(int *out) { *out = 5; }

int main() {
    int *device = nullptr;
    cudaMalloc(&device, sizeof *device);
    plain<<<1, 1>>>(device);
    printf("plain: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    nested<<<1, 1>>>(device);
    printf("nested: %s\n", cudaGetErrorName(cudaGetLastError()));
}
