// The server dies while a program works. The harness kills it when it reads `working`; each call after that must come
// back with an error that has a name, and the program must end. Run by itself it just works.
// args: 0
// expect: working
// expect: done
#include <unistd.h>
#include "check.cuh"

__global__ void spin(const volatile int *stop, int *out) {
    while (!*stop) {
    }
    *out = 1;
}

static void report(const char *what, cudaError_t code) {
    printf("%s: %d %s\n", what, int(code), cudaGetErrorName(code));
    fflush(stdout);
}

int main(int argc, char **argv) {
    bool dies = argc < 2 || atoi(argv[1]) != 0;
    int *stop, *out;
    CHECK(cudaMallocHost(&stop, sizeof(int)));
    CHECK(cudaMalloc(&out, sizeof(int)));
    *(volatile int *)stop = 0;
    spin<<<1, 32>>>(stop, out);
    CHECK(cudaGetLastError());
    puts("working");
    fflush(stdout);
    if (!dies) {
        *(volatile int *)stop = 1;
        FINISH();
        return puts("done"), 0;
    }
    report("synchronize", cudaDeviceSynchronize());
    void *more;
    report("malloc", cudaMalloc(&more, 64 << 20));
    spin<<<1, 32>>>(stop, out);
    report("launch", cudaGetLastError());
    report("copy", cudaMemcpy(stop, out, sizeof(int), cudaMemcpyDeviceToHost));
    puts("done");
}
