// client ROUNDS: works for a while and checks each result; one of many.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                  \
    do {                                                                                             \
        cudaError_t error = (call);                                                                  \
        if (error != cudaSuccess) return printf("%s: %s\n", #call, cudaGetErrorName(error)), 1;      \
    } while (0)

__global__ void step(unsigned *p, int n, unsigned seed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = p[i] * 3 + seed;
}

int main(int argc, char **argv) {
    const int n = 4096, rounds = argc > 1 ? atoi(argv[1]) : 10;
    unsigned *device;
    std::vector<unsigned> host(n);
    CHECK(cudaMalloc(&device, n * sizeof(unsigned)));
    CHECK(cudaMemset(device, 0, n * sizeof(unsigned)));
    puts("started");
    fflush(stdout);
    unsigned want = 0;
    for (int round = 0; round < rounds; round++) {
        for (unsigned k = 0; k < 8; k++) {
            step<<<(n + 127) / 128, 128>>>(device, n, k + round);
            want = want * 3 + k + round;
        }
        CHECK(cudaMemcpy(host.data(), device, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
        for (unsigned value : host)
            if (value != want) return puts("wrong"), 1;
    }
    puts("right");
    return 0;
}
