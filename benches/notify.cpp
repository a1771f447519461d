// The floor under an ioctl through the syscall door: what this kernel's seccomp notification costs when the handler
// does nothing, and what the same handler costs when it also reads and writes 8 bytes of the caller's memory and looks
// at the caller's descriptor. Both sides on one CPU, with wake-ups on the same CPU asked for.
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static const int count = 500, samples = 60;

static int filter() {
    sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 24),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xff00),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x4600, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
    };
    sock_fprog program = {sizeof code / sizeof *code, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return -1;
    // 1 << 5: SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV.
    return int(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER | 1 << 5, &program));
}

// Answers `calls` calls.
static bool serve(int listener, pid_t child, bool works, int calls) {
    int pidfd = int(syscall(SYS_pidfd_open, child, 0));
    for (int i = 0; i < calls; i++) {
        seccomp_notif call = {};
        if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call)) return false;
        if (works) {
            int fd = int(syscall(SYS_pidfd_getfd, pidfd, int(call.data.args[0]), 0));
            struct stat stat;
            uint64_t value;
            iovec ours = {&value, 8}, theirs = {(void *)call.data.args[2], 8};
            if (fstat(fd, &stat) || close(fd)) return false;
            if (process_vm_readv(child, &ours, 1, &theirs, 1, 0) != 8) return false;
            if (ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &call.id)) return false;
            value++;
            if (process_vm_writev(child, &ours, 1, &theirs, 1, 0) != 8) return false;
        }
        seccomp_notif_resp answer = {call.id, 0, 0, 0};
        if (ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer)) return false;
    }
    return true;
}

static int measure(const char *row, bool works) {
    int go[2], list[2];
    if (pipe(go) || pipe(list)) return perror("pipe"), 1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        int listener = filter();
        if (write(list[1], &listener, sizeof listener) < 0 || listener < 0) _exit(1);
        char byte;
        if (read(go[0], &byte, 1) != 1) _exit(1);
        uint64_t value = 0;
        for (int sample = 0; sample < samples; sample++) {
            auto start = std::chrono::steady_clock::now();
            for (int i = 0; i < count; i++)
                if (ioctl(go[0], _IOWR('F', 214, uint64_t), &value)) _exit(2);
            double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            if (sample >= 10) printf("sample %s ours %.9g\n", row, seconds / count);
        }
        fflush(stdout);
        _exit(works && value != uint64_t(count) * samples);
    }
    int theirs = -1;
    if (read(list[0], &theirs, sizeof theirs) != sizeof theirs || theirs < 0) return fputs("no listener\n", stderr), 1;
    int pidfd = int(syscall(SYS_pidfd_open, child, 0));
    int listener = int(syscall(SYS_pidfd_getfd, pidfd, theirs, 0));
    if (listener < 0) return perror("pidfd_getfd"), 1;
    // 4: SECCOMP_IOCTL_NOTIF_SET_FLAGS; 1: SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP. Older kernels refuse.
    ioctl(listener, _IOW('!', 4, uint64_t), 1UL);
    if (write(go[1], "g", 1) != 1 || !serve(listener, child, works, count * samples)) return perror("serve"), 1;
    int status = 0;
    waitpid(child, &status, 0);
    return status != 0;
}

int main() {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    if (!getenv("UNPINNED") && sched_setaffinity(0, sizeof one, &one)) return perror("sched_setaffinity"), 1;
    return measure("notify-null", false) || measure("notify-work", true);
}
