// What a killed process held is free again within a second, and the survivor does not notice.
// expect: the other holds 256 MiB or more: yes
// expect: after its death all is free: yes
// expect: survivor ok
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include "check.cuh"

__global__ void square(int *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = i * i;
}

static int hold(int ready) {
    void *p;
    CHECK(cudaMalloc(&p, 256 << 20));
    CHECK(cudaMemset(p, 1, 256 << 20));
    CHECK(cudaDeviceSynchronize());
    char byte = 1;
    if (write(ready, &byte, 1) != 1) return 1;
    for (;;) pause();
}

static size_t free_memory() {
    size_t free_now, total;
    CHECK(cudaMemGetInfo(&free_now, &total));
    return free_now;
}

int main(int argc, char **argv) {
    if (argc > 1) return hold(atoi(argv[1]));
    int go[2], ready[2];
    if (pipe(go) || pipe(ready)) return perror("pipe"), 1;
    // Forked before this process has touched CUDA, and then a program of its own.
    pid_t other = fork();
    char byte = 1;
    if (other == 0) {
        char number[16];
        snprintf(number, sizeof number, "%d", ready[1]);
        if (read(go[0], &byte, 1) == 1) execl("/proc/self/exe", argv[0], number, (char *)nullptr);
        _exit(127);
    }
    close(ready[1]);
    const int n = 10000;
    Device<int> mine(n);
    size_t before = free_memory();
    if (write(go[1], &byte, 1) != 1 || read(ready[0], &byte, 1) != 1) return puts("the other process failed"), 1;
    size_t with = free_memory();
    kill(other, SIGKILL);
    int status;
    waitpid(other, &status, 0);
    size_t after = 0;
    for (int tenth = 0; tenth < 10 && after < before; tenth++) {
        usleep(100000);
        after = free_memory();
    }
    printf("the other holds 256 MiB or more: %s\n", before >= with + (256 << 20) ? "yes" : "no");
    printf("after its death all is free: %s\n", after >= before ? "yes" : "no");
    square<<<(n + 255) / 256, 256>>>(mine, n);
    FINISH();
    return compare("survivor", mine.host(), [](int i) { return i * i; });
}
