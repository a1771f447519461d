// A bad store in one process leaves another's long kernel, memory and context untouched.
// expect: the other: 700
// expect: long kernel ok
// expect: memory ok
#include <sys/wait.h>
#include <unistd.h>
#include "check.cuh"

__global__ void wild(char *p, size_t step) {
    // Far out in both directions, from every thread.
    size_t i = size_t(threadIdx.x + 1) * step;
    p[i] = 1;
    p[-i] = 1;
}

__global__ void slow(unsigned *out, const volatile int *stop) {
    unsigned v = threadIdx.x, rounds = 0;
    while (!*stop || rounds < 1000) {
        v = v * 1664525u + 1013904223u;
        rounds++;
    }
    // The same result after any number of rounds, if nothing else touched it.
    out[threadIdx.x] = threadIdx.x + (v == 0 && rounds == 0);
}

static int misbehave() {
    char *p;
    CHECK(cudaMalloc(&p, 1 << 20));
    wild<<<1, 32>>>(p, size_t(1) << 34);
    printf("the other: %d\n", int(cudaDeviceSynchronize()));
    return 0;
}

int main(int argc, char **argv) {
    if (argc > 1) return misbehave();
    int start[2];
    if (pipe(start)) return perror("pipe"), 1;
    pid_t other = fork();
    if (other == 0) {
        char byte;
        if (read(start[0], &byte, 1) == 1) execl("/proc/self/exe", argv[0], "misbehave", (char *)nullptr);
        _exit(127);
    }
    const int n = 1 << 20;
    std::vector<int> values(n);
    for (int i = 0; i < n; i++) values[i] = i ^ 0x5a5a;
    Device<int> data(values);
    Device<unsigned> out(64);
    int *stop;
    CHECK(cudaMallocHost(&stop, sizeof(int)));
    *(volatile int *)stop = 0;
    slow<<<1, 64>>>(out, stop);
    CHECK(cudaGetLastError());
    char byte = 1;
    if (write(start[1], &byte, 1) != 1) return perror("write"), 1;
    int status;
    waitpid(other, &status, 0);
    *(volatile int *)stop = 1;
    CHECK(cudaDeviceSynchronize());
    int bad = compare("long kernel", out.host(), [](int i) { return i; });
    return bad | compare("memory", data.host(), [](int i) { return i ^ 0x5a5a; });
}
