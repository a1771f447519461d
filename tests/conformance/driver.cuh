// The Driver API by its own library, for programs that nvcc builds without linking it.
#pragma once
// What is old is tested, too.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <cuda.h>
#include <dlfcn.h>
#include <cstdio>
#include <cstdlib>

inline void *driver_symbol(const char *name) {
    static void *library = dlopen("libcuda.so.1", RTLD_NOW);
    void *symbol = library ? dlsym(library, name) : nullptr;
    if (!symbol) printf("FAILED: no %s\n", name), exit(1);
    return symbol;
}
#define DRIVER_TEXT(x) #x
#define DRIVER_NAME(x) DRIVER_TEXT(x)
// cuda.h's macros choose the version.
#define DRV(f) (reinterpret_cast<decltype(&f)>(driver_symbol(DRIVER_NAME(f))))
#define DCHECK(f, ...)                                                                    \
    do {                                                                                  \
        CUresult driver_error = DRV(f)(__VA_ARGS__);                                      \
        if (driver_error) printf("FAILED:%d: " #f ": %d\n", __LINE__, driver_error), exit(1); \
    } while (0)
// One line per wrong code.
#define EXPECT(code, f, ...)                                                              \
    do {                                                                                  \
        CUresult driver_error = DRV(f)(__VA_ARGS__);                                      \
        if (driver_error != (code)) printf("%d: " #f ": %d, not %d\n", __LINE__, driver_error, code); \
    } while (0)
