// PTX of every ISA version as text: the default driver takes all that it knows the forms of.
// build: clang
// expect: 7.8: 0
// expect: 8.0: 0
// expect: 8.2: 0
// expect: 8.3: 0
// expect: 8.4: 0
// expect: 8.5: 0
// expect: 8.7: 0
// expect: 8.8: 0
// expect: 9.0: 0
#ifndef __CUDA__
#include <cuda.h>
#include <dlfcn.h>
#include <cstdio>
#include <initializer_list>

#define STRING(name) #name
#define NAME(name) STRING(name)
#define CU(call, ...)                                                           \
    do {                                                                        \
        auto function = (decltype(&call))dlsym(driver, NAME(call));             \
        if (!function || function(__VA_ARGS__)) return printf(#call "\n"), 1;   \
    } while (0)

int main() {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver) return 1;
    CUdevice device;
    CUcontext context;
    CU(cuInit, 0);
    CU(cuDeviceGet, &device, 0);
    CU(cuDevicePrimaryCtxRetain, &context, device);
    CU(cuCtxSetCurrent, context);
    auto load = (decltype(&cuModuleLoadData))dlsym(driver, "cuModuleLoadData");
    for (const char *version : {"7.8", "8.0", "8.2", "8.3", "8.4", "8.5", "8.7", "8.8", "9.0"}) {
        char text[200];
        CUmodule module;
        snprintf(text, sizeof text, ".version %s\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n", version);
        printf("%s: %d\n", version, int(load(&module, text)));
    }
}
#endif
