// What a kernel costs that is in the cache: `load FILE.ptx ROW PEER KERNEL...` loads the module and these kernels, and
// prints a sample of each, whose row is ROW:KERNEL.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#define CHECK(call)                                                                            \
    do {                                                                                       \
        CUresult error = (call);                                                               \
        if (error) fprintf(stderr, "%s: error %d\n", #call, error), exit(1);                   \
    } while (0)

static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main(int argc, char **argv) {
    if (argc < 5) return 2;
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    // What a process pays only once is in no kernel's number.
    CUmodule other;
    CUfunction nothing;
    CHECK(cuModuleLoadData(&other, ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }\n"));
    CHECK(cuModuleGetFunction(&nothing, other, "k"));
    CHECK(cuFuncLoad(nothing));
    std::ifstream file(argv[1]);
    std::string text((std::istreambuf_iterator<char>(file)), {});
    CHECK(cuModuleLoadData(&module, text.c_str()));
    std::vector<CUfunction> functions(argc - 4);
    for (int i = 4; i < argc; i++) CHECK(cuModuleGetFunction(&functions[i - 4], module, argv[i]));
    for (int i = 4; i < argc; i++) {
        double start = now();
        CUresult error = cuFuncLoad(functions[i - 4]);
        double seconds = now() - start;
        if (!error) printf("sample %s:%s %s %.9g\n", argv[2], argv[i], argv[3], seconds);
    }
}
