// Host memory that is registered, let go and registered again; neighbours on one page; memory freed while registered.
// expect: ok
#include "check.cuh"
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("line %d: not so: %s\n", __LINE__, #condition);                                                     \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)

__global__ void add_one(int *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] += 1;
}

int main() {
    const int n = 5000;
    int *a = static_cast<int *>(malloc(n * sizeof(int)));
    for (int i = 0; i < n; ++i) a[i] = i;
    for (int round = 1; round <= 20; ++round) {
        CHECK(cudaHostRegister(a, n * sizeof(int), cudaHostRegisterMapped));
        int *d = nullptr;
        CHECK(cudaHostGetDevicePointer(&d, a, 0));
        add_one<<<(n + 255) / 256, 256>>>(d, n);
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaHostUnregister(a));
        for (int i = 0; i < n; ++i) EXPECT(a[i] == i + round);
    }
    // Unregistered memory is copied on write after a fork, as any other.
    pid_t child = fork();
    if (child == 0) {
        a[0] = -1;
        _exit(0);
    }
    waitpid(child, nullptr, 0);
    EXPECT(a[0] == 20);

    // Three parts of one page; the middle one goes first.
    char *page = static_cast<char *>(aligned_alloc(4096, 8192));
    memset(page, 0, 8192);
    int *parts[3];
    for (int i = 0; i < 3; ++i) {
        parts[i] = reinterpret_cast<int *>(page + 2000 * i);
        CHECK(cudaHostRegister(parts[i], 400, cudaHostRegisterMapped));
    }
    EXPECT(cudaHostRegister(page + 2100, 10, 0) == cudaErrorHostMemoryAlreadyRegistered);
    EXPECT(cudaHostRegister(page, 8192, 0) == cudaErrorHostMemoryAlreadyRegistered);
    for (int i = 0; i < 3; ++i) add_one<<<1, 128>>>(parts[i], 100);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaHostUnregister(parts[1]));
    add_one<<<1, 128>>>(parts[0], 100);
    add_one<<<1, 128>>>(parts[2], 100);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 100; ++i) EXPECT(parts[0][i] == 2 && parts[1][i] == 1 && parts[2][i] == 2);
    CHECK(cudaHostUnregister(parts[0]));
    CHECK(cudaHostUnregister(parts[2]));
    EXPECT(cudaHostUnregister(parts[2]) == cudaErrorHostMemoryNotRegistered);
    CHECK(cudaHostRegister(page, 8192, 0));
    CHECK(cudaHostUnregister(page));
    free(page);
    free(a);
    puts("ok");
    return 0;
}
