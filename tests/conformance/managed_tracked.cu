// Tracked managed memory: both sides take turns at the same pages; advice; a prefetch; results as in coherent memory.
// env: ANTLERITE_UVM=tracked
// door: socket syscall
// expect: turns ok
// expect: read-mostly ok
// expect: after a store ok
// expect: preferred at the host ok
// expect: seen by the device ok
// expect: prefetched ok
// expect: read(2) into managed memory ok
// expect: 400000 of 400000
#include "check.cuh"
#include <fcntl.h>
#include <thread>
#include <unistd.h>

__global__ void add(int *p, int n, int by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] += by;
}
__global__ void sum(const int *p, int n, unsigned long long *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(out, (unsigned long long)p[i]);
}
__global__ void count(unsigned long long *p, int n) {
    for (int i = 0; i < n; i++) atomicAdd_system(p, 1ull);
}

static const int n = 300 * 1000; // not whole blocks
static int *p;
static unsigned long long *out;

static int check(const char *what, unsigned long long want) {
    *out = 0;
    sum<<<(n + 255) / 256, 256>>>(p, n, out);
    FINISH();
    unsigned long long host = 0;
    for (int i = 0; i < n; i++) host += p[i];
    if (*out == want && host == want) return printf("%s ok\n", what), 0;
    return printf("%s: device %llu host %llu, expected %llu\n", what, *out, host, want), 1;
}

int main() {
    CHECK(cudaMallocManaged(&p, n * sizeof(int)));
    CHECK(cudaMallocManaged(&out, sizeof(*out)));
    cudaMemLocation device{cudaMemLocationTypeDevice, 0}, host{cudaMemLocationTypeHost, 0};
    size_t bytes = n * sizeof(int);
    int wrong = 0;
    for (int turn = 0; turn < 4; turn++) {
        for (int i = 0; i < n; i++) p[i] += 1;
        add<<<(n + 255) / 256, 256>>>(p, n, 2);
        FINISH();
    }
    wrong += check("turns", 12ull * n);
    CHECK(cudaMemAdvise(p, bytes, cudaMemAdviseSetReadMostly, device));
    wrong += check("read-mostly", 12ull * n);
    p[n / 2] += 5;
    wrong += check("after a store", 12ull * n + 5);
    CHECK(cudaMemAdvise(p, bytes, cudaMemAdviseUnsetReadMostly, device));
    CHECK(cudaMemAdvise(p, bytes, cudaMemAdviseSetPreferredLocation, host));
    add<<<(n + 255) / 256, 256>>>(p, n, 1);
    FINISH();
    // Warps on two SMs miss pages at once; the first one's miss has all of them shown.
    for (int again = 0; again < 10; again++) {
        CHECK(cudaMemAdvise(p, bytes, cudaMemAdviseUnsetPreferredLocation, host));
        add<<<(n + 255) / 256, 256>>>(p, n, 0);
        FINISH();
        CHECK(cudaMemAdvise(p, bytes, cudaMemAdviseSetPreferredLocation, host));
        p[n / 3] += 0;
        add<<<(n + 255) / 256, 256>>>(p, n, 0);
        FINISH();
    }
    p[0] -= 5;
    wrong += check("preferred at the host", 13ull * n);
    CHECK(cudaMemAdvise(p, bytes, cudaMemAdviseUnsetPreferredLocation, host));
    CHECK(cudaMemAdvise(p, bytes / 2, cudaMemAdviseSetAccessedBy, device));
    add<<<(n + 255) / 256, 256>>>(p, n, 1);
    FINISH();
    wrong += check("seen by the device", 14ull * n);
    CHECK(cudaMemPrefetchAsync(p, bytes, device, 0));
    add<<<(n + 255) / 256, 256>>>(p, n, 1);
    FINISH();
    wrong += check("prefetched", 15ull * n);
    // The kernel itself writes to pages that are at the device: as root it waits; elsewhere it may say EFAULT.
    add<<<(n + 255) / 256, 256>>>(p, n, 1);
    FINISH();
    int zeros = open("/dev/zero", O_RDONLY);
    ssize_t got = read(zeros, p, 4096);
    if (got == 4096 && p[1023] == 0 && p[1024] == 16) puts("read(2) into managed memory ok");
    else if (got < 0 && geteuid() != 0) puts("read(2) into managed memory ok");
    else printf("read(2): %zd, %d, %d\n", got, p[1023], p[1024]), wrong++;
    // No update of either side is lost.
    unsigned long long *both;
    CHECK(cudaMallocManaged(&both, sizeof(*both)));
    *both = 0;
    count<<<2, 1>>>(both, 100000);
    std::thread threads[2];
    for (auto &thread : threads)
        thread = std::thread([&] { for (int i = 0; i < 100000; i++) __atomic_fetch_add(both, 1, __ATOMIC_SEQ_CST); });
    for (auto &thread : threads) thread.join();
    FINISH();
    printf("%llu of 400000\n", *both);
    return wrong;
}
