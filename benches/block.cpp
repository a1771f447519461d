// The system calls under the move of one block of managed memory (64 KiB) and nothing else: hold stores off, read the
// bytes, punch the pages out, put them at the other place, let stores go on. Two memfds with a userfaultfd, one process.
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
    int memory[2];
    char *place[2];
    int faults = int(syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY));
    // PAGEFAULT_FLAG_WP, MISSING_SHMEM, WP_HUGETLBFS_SHMEM.
    uffdio_api api = {UFFD_API, 1 | 1 << 5 | 1 << 12, 0};
    if (faults < 0 || ioctl(faults, UFFDIO_API, &api)) return perror("userfaultfd"), 1;
    for (int side = 0; side < 2; side++) {
        memory[side] = memfd_create("block", MFD_CLOEXEC);
        if (memory[side] < 0 || ftruncate(memory[side], block * blocks)) return perror("memfd"), 1;
        place[side] = (char *)mmap(nullptr, block * blocks, PROT_READ | PROT_WRITE, MAP_SHARED, memory[side], 0);
        uffdio_register range = {{uint64_t(place[side]), block * blocks}, UFFDIO_REGISTER_MODE_MISSING | UFFDIO_REGISTER_MODE_WP, 0};
        if (place[side] == MAP_FAILED || ioctl(faults, UFFDIO_REGISTER, &range)) return perror("UFFDIO_REGISTER"), 1;
    }
    char *bytes = (char *)aligned_alloc(4096, block);
    memset(bytes, 1, block);
    auto put = [&](int side, size_t at) {
        uffdio_copy copy = {uint64_t(place[side]) + at, uint64_t(bytes), block, 0, 0};
        return ioctl(faults, UFFDIO_COPY, &copy);
    };
    auto protect = [&](int side, size_t at, bool on) {
        uffdio_writeprotect range = {{uint64_t(place[side]) + at, block}, on ? UFFDIO_WRITEPROTECT_MODE_WP : 0u};
        return ioctl(faults, UFFDIO_WRITEPROTECT, &range);
    };
    for (size_t i = 0; i < blocks; i++)
        if (put(0, i * block)) return perror("UFFDIO_COPY"), 1;
    for (int round = 0; round < 26; round++) {
        int from = round % 2, to = 1 - from;
        auto start = std::chrono::steady_clock::now();
        for (size_t i = 0; i < blocks; i++) {
            size_t at = i * block;
            if (protect(from, at, true) || pread(memory[from], bytes, block, at) != ssize_t(block)) return perror("take"), 1;
            if (fallocate(memory[from], FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at, block)) return perror("punch"), 1;
            if (put(to, at) || protect(from, at, false)) return perror("put"), 1;
        }
        double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        // The first rounds warm up.
        if (round >= 6) printf("sample block-floor ours %.9g\n", seconds / blocks);
    }
}
