// What one cold compilation takes: `compile LIBRARY FILE.ptx KERNEL ROW FLAGS [isa]` compiles the kernel once, with the
// compiler's flags (32: as the driver does before the first launch; 0: good code at any price), for blocks of 256 threads, after another small kernel, so that what a process pays only once is not in the number (the process as a whole
// is measured by whoever starts it). With `first` for ROW nothing is compiled before, and nothing printed.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <string>

// The boundary of the compiler (crates/abi/src/jit.rs).
struct Request {
    uint32_t abi, isa;
    const char *ptx;
    size_t ptx_bytes;
    const char *kernel;
    size_t kernel_bytes;
    uint32_t block[3], opt_level, cc, flags, max_ptx_version, reserved;
};
struct Response {
    uint8_t *cubin;
    size_t cubin_bytes;
    char *log;
    size_t log_bytes;
    uint64_t times[4];
};

static const char TRIVIAL[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                              ".visible .entry k(.param .u64 p) {\n .reg .b64 %d<2>; .reg .b32 %r<2>;\n"
                              " ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; st.global.u32 [%d1], %r1; ret;\n}\n";

static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// What this thread has worked: the compiler has no other.
static double worked() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

static std::string text(const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f) fprintf(stderr, "%s: cannot be read\n", path), exit(1);
    std::string out;
    char piece[65536];
    while (size_t n = fread(piece, 1, sizeof piece, f)) out.append(piece, n);
    fclose(f);
    return out;
}

int main(int argc, char **argv) {
    if (argc < 6) return fprintf(stderr, "usage: compile LIBRARY FILE.ptx KERNEL ROW FLAGS [isa]\n"), 2;
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) return fprintf(stderr, "%s\n", dlerror()), 1;
    auto compile = (uint32_t (*)(const Request *, Response *))dlsym(library, "antlerite_jit_compile");
    auto release = (void (*)(Response *))dlsym(library, "antlerite_jit_release");
    if (!compile || !release) return fprintf(stderr, "%s: not the compiler\n", argv[1]), 1;
    uint32_t flags = 0;
    uint32_t isa = argc > 6 ? atoi(argv[6]) : __builtin_cpu_supports("avx512bw") ? 7 : 3;
    double cpu = 0;
    auto run = [&](const std::string &ptx, const char *kernel, double *seconds) {
        Request request = {1, isa, ptx.data(), ptx.size(), kernel, strlen(kernel), {256, 1, 1}, 4, 90, flags, 0, 0};
        Response response = {};
        double start = now(), before = worked();
        uint32_t status = compile(&request, &response);
        *seconds = now() - start, cpu = worked() - before;
        if (status) fprintf(stderr, "%s: %.*s\n", kernel, (int)response.log_bytes, response.log);
        release(&response);
        return status;
    };
    std::string ptx = text(argv[2]);
    flags = atoi(argv[5]);
    bool first = !strcmp(argv[4], "first");
    double seconds;
    if (!first && run(TRIVIAL, "k", &seconds)) return 1;
    if (run(ptx, argv[3], &seconds)) return 1;
    if (!first) printf("sample %s ours %.9g\nsample %s ours-cpu %.9g\n", argv[4], seconds, argv[4], cpu);
}
