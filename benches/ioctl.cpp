// What one ioctl costs through the syscall door: NV_ESC_SYS_PARAMS (214), the smallest that the control node answers.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fcntl.h>
#include <sys/ioctl.h>

struct SysParams {
    uint64_t memory_block_size;
};

int main() {
    int node = open("/dev/nvidiactl", O_RDWR);
    if (node < 0) return perror("/dev/nvidiactl"), 1;
    SysParams parameters = {};
    for (int sample = 0; sample < 60; sample++) {
        const int count = 500;
        auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < count; i++)
            if (ioctl(node, _IOWR('F', 214, SysParams), &parameters)) return perror("ioctl"), 1;
        double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        // The first samples warm up.
        if (sample >= 10) printf("sample ioctl-syscall-door ours %.9g\n", seconds / count);
    }
}
