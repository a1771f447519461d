// The Driver API with PTX that clang wrote: no nvcc, no runtime.
// build: clang
// expect: driver 13000
// expect: sum ok
// expect: no such kernel: 500
// expect: bad PTX: 218
#ifdef __CUDA__
#define KERNEL extern "C" __attribute__((global))
#define THREAD __nvvm_read_ptx_sreg_tid_x()
#define BLOCK __nvvm_read_ptx_sreg_ctaid_x()
#define BLOCK_SIZE __nvvm_read_ptx_sreg_ntid_x()
KERNEL void add(const float *a, const float *b, float *c, int n) {
    int i = BLOCK * BLOCK_SIZE + THREAD;
    if (i < n) c[i] = a[i] + b[i];
}
#else
#include <cuda.h>
#include <dlfcn.h>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

#define STRING(name) #name
#define NAME(name) STRING(name)
// The versioned name behind the header's macro, from the library that a program would be linked with.
#define CU(call, ...)                                                                                 \
    do {                                                                                              \
        auto function = (decltype(&call))dlsym(driver, NAME(call));                                   \
        if (!function) return printf("no %s\n", NAME(call)), 1;                                       \
        CUresult result = function(__VA_ARGS__);                                                      \
        if (result) return printf("%s: %d\n", NAME(call), int(result)), 1;                            \
    } while (0)

int main(int, char **argv) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver) return printf("%s\n", dlerror()), 1;
    std::ifstream file(argv[1]);
    std::stringstream ptx;
    ptx << file.rdbuf();

    int version;
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction add;
    CU(cuInit, 0);
    CU(cuDriverGetVersion, &version);
    printf("driver %d\n", version);
    CU(cuDeviceGet, &device, 0);
    CU(cuDevicePrimaryCtxRetain, &context, device);
    CU(cuCtxSetCurrent, context);
    CU(cuModuleLoadData, &module, ptx.str().c_str());
    CU(cuModuleGetFunction, &add, module, "add");

    int n = 1000;
    std::vector<float> a(n), b(n), c(n);
    for (int i = 0; i < n; i++) a[i] = float(i), b[i] = 0.5f * i;
    CUdeviceptr da, db, dc;
    CU(cuMemAlloc, &da, n * 4);
    CU(cuMemAlloc, &db, n * 4);
    CU(cuMemAlloc, &dc, n * 4);
    CU(cuMemcpyHtoD, da, a.data(), n * 4);
    CU(cuMemcpyHtoD, db, b.data(), n * 4);
    void *arguments[] = {&da, &db, &dc, &n};
    CU(cuLaunchKernel, add, (n + 127) / 128, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr);
    CU(cuMemcpyDtoH, c.data(), dc, n * 4);
    int wrong = 0;
    for (int i = 0; i < n; i++) wrong += c[i] != 1.5f * i;
    if (wrong) printf("%d wrong\n", wrong);
    else puts("sum ok");

    auto get = (decltype(&cuModuleGetFunction))dlsym(driver, "cuModuleGetFunction");
    printf("no such kernel: %d\n", int(get(&add, module, "subtract")));
    auto load = (decltype(&cuModuleLoadData))dlsym(driver, "cuModuleLoadData");
    printf("bad PTX: %d\n", int(load(&module, ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { nonsense; }\n")));
    CU(cuMemFree, da);
    CU(cuMemFree, db);
    CU(cuMemFree, dc);
    CU(cuDevicePrimaryCtxRelease, device);
    return wrong != 0;
}
#endif
