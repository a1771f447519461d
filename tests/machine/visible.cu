// The devices that this process sees, in order, by their buses; each launches.
#include <cstdio>

__global__ void one(int *p) { *p = 1; }

int main() {
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess) return printf("%s\n", cudaGetErrorName(error)), 0;
    for (int device = 0; device < count; device++) {
        char bus[32];
        int *p, value = 0;
        if (cudaSetDevice(device) || cudaDeviceGetPCIBusId(bus, sizeof bus, device) || cudaMalloc(&p, 4)) return 1;
        one<<<1, 1>>>(p);
        // With CUDA_LAUNCH_BLOCKING the launch has ended here.
        if (cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost) || value != 1) return 2;
        printf("%s%s", device ? " " : "", bus);
    }
    puts("");
    return 0;
}
