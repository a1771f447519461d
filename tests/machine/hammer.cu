// hammer N [stubborn]: two threads of the CPU and two of the GPU add to one word N times each, at the same time, and to one word of
// their own each on the same page. No addition may be lost; a stubborn program does not unmap pages when it is asked to.
#include <atomic>
#include <cstdio>
#include <cstddef>
#include <cstdlib>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <thread>

#define CHECK(call)                                                                                  \
    do {                                                                                             \
        cudaError_t error = (call);                                                                  \
        if (error != cudaSuccess) return printf("%s: %s\n", #call, cudaGetErrorName(error)), 1;      \
    } while (0)

struct Page {
    unsigned long long all, of[4], sides;
};

__global__ void hammer(Page *page, unsigned n) {
    unsigned long long *own = &page->of[2 + blockIdx.x];
    // Nobody begins before somebody of the other side is there.
    atomicOr_system(&page->sides, 2ull);
    while (atomicOr_system(&page->sides, 0ull) != 3) {}
    for (unsigned i = 0; i < n; i++) {
        atomicAdd_system(&page->all, 1ull);
        atomicAdd_system(own, 1ull);
    }
}

// From now on madvise(MADV_DONTNEED) fails.
static bool keep_pages() {
    sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MADV_DONTNEED, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    sock_fprog program = {sizeof code / sizeof *code, code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

int main(int argc, char **argv) {
    if (argc > 2 && !keep_pages()) return perror("seccomp"), 1;
    const unsigned n = argc > 1 ? strtoul(argv[1], nullptr, 10) : 1000;
    Page *page;
    CHECK(cudaMallocManaged(&page, sizeof(Page)));
    *page = {};
    hammer<<<2, 1>>>(page, n);
    CHECK(cudaGetLastError());
    auto work = [&](int me) {
        auto *all = reinterpret_cast<std::atomic<unsigned long long> *>(&page->all);
        auto *own = reinterpret_cast<std::atomic<unsigned long long> *>(&page->of[me]);
        auto *sides = reinterpret_cast<std::atomic<unsigned long long> *>(&page->sides);
        sides->fetch_or(1);
        while (sides->load() != 3) std::this_thread::yield();
        for (unsigned i = 0; i < n; i++) {
            all->fetch_add(1);
            own->fetch_add(1);
        }
    };
    std::thread first(work, 0), second(work, 1);
    first.join();
    second.join();
    CHECK(cudaDeviceSynchronize());
    printf("%llu %llu %llu %llu of %u, %llu together\n", page->of[0], page->of[1], page->of[2], page->of[3], n, page->all);
    for (unsigned long long own : page->of)
        if (own != n) return puts("lost"), 1;
    if (page->all != 4ull * n) return puts("lost"), 1;
    puts("none lost");
    return 0;
}
