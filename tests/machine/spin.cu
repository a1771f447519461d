// A kernel without an end: waits for a flag that nobody sets.
#include <cstdio>

__global__ void runs_for_ever(volatile int *flag) {
    while (*flag == 0) {}
}

int main() {
    int *flag;
    if (cudaMalloc(&flag, 4) || cudaMemset(flag, 0, 4)) return 1;
    runs_for_ever<<<2, 64>>>(flag);
    puts("launched");
    fflush(stdout);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(error));
    return 2;
}
