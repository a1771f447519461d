// The system calls under the move of one block of managed memory (64 KiB) and nothing else: unmap its pages at one
// place, map them at the other. One memfd mapped twice, with a userfaultfd, in one process.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static const size_t block = 64 << 10, blocks = 256;

int main() {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    if (sched_setaffinity(0, sizeof one, &one)) return perror("sched_setaffinity"), 1;
    char *place[2];
    int memory = memfd_create("block", MFD_CLOEXEC);
    int faults = int(syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY));
    // MISSING_SHMEM, MINOR_SHMEM.
    uffdio_api api = {UFFD_API, 1 << 5 | 1 << 10, 0};
    if (faults < 0 || ioctl(faults, UFFDIO_API, &api)) return perror("userfaultfd"), 1;
    if (memory < 0 || ftruncate(memory, block * blocks)) return perror("memfd"), 1;
    for (char *&side : place) {
        side = (char *)mmap(nullptr, block * blocks, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
        uffdio_register range = {{uint64_t(side), block * blocks}, UFFDIO_REGISTER_MODE_MISSING | UFFDIO_REGISTER_MODE_MINOR, 0};
        if (side == MAP_FAILED || ioctl(faults, UFFDIO_REGISTER, &range)) return perror("UFFDIO_REGISTER"), 1;
    }
    auto put = [&](int side, size_t at) {
        uffdio_continue pages = {{uint64_t(place[side]) + at, block}, 0, 0};
        return ioctl(faults, UFFDIO_CONTINUE, &pages);
    };
    if (fallocate(memory, 0, 0, block * blocks)) return perror("fallocate"), 1;
    for (size_t i = 0; i < blocks; i++)
        if (put(0, i * block)) return perror("UFFDIO_CONTINUE"), 1;
    for (int round = 0; round < 26; round++) {
        int from = round % 2, to = 1 - from;
        auto start = std::chrono::steady_clock::now();
        for (size_t i = 0; i < blocks; i++) {
            size_t at = i * block;
            if (madvise(place[from] + at, block, MADV_DONTNEED)) return perror("madvise"), 1;
            if (put(to, at)) return perror("put"), 1;
        }
        double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        // The first rounds warm up.
        if (round >= 6) printf("sample block-floor ours %.9g\n", seconds / blocks);
    }
}
