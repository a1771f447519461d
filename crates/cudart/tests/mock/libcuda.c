/* A driver for tests: keeps "device" memory on the heap and writes one line per call to standard
 * error. MOCK_VERSION, MOCK_INIT, MOCK_DEVICES and MOCK_FAIL=name:code change its answers. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static int number(const char *name, int fallback) {
    const char *text = getenv(name);
    return text ? atoi(text) : fallback;
}

static int answer(const char *name) {
    const char *fail = getenv("MOCK_FAIL");
    size_t length = strlen(name);
    if (fail && !strncmp(fail, name, length) && fail[length] == ':') return atoi(fail + length + 1);
    return 0;
}

#define CALL(...)                          \
    do {                                   \
        fprintf(stderr, "%s", __func__);   \
        fprintf(stderr, " " __VA_ARGS__);  \
        fputc('\n', stderr);               \
        int failure = answer(__func__);    \
        if (failure) return failure;       \
    } while (0)

static __thread uintptr_t current;

EXPORT int cuInit(unsigned flags) { CALL("%u", flags); return number("MOCK_INIT", 0); }
EXPORT int cuDriverGetVersion(int *version) { *version = number("MOCK_VERSION", 13000); return 0; }
EXPORT int cuDeviceGetCount(int *count) { *count = number("MOCK_DEVICES", 1); return 0; }
EXPORT int cuDeviceGet(int *device, int ordinal) { *device = ordinal; return 0; }
EXPORT int cuDeviceGetName(char *name, int length, int device) {
    snprintf(name, (size_t)length, "Mock %d", device);
    return 0;
}
EXPORT int cuDeviceGetUuid_v2(unsigned char uuid[16], int device) {
    memset(uuid, device, 16);
    return 0;
}
EXPORT int cuDeviceGetLuid(char *luid, unsigned *mask, int device) { return 801; }
EXPORT int cuDeviceTotalMem_v2(size_t *bytes, int device) { *bytes = (size_t)1 << 34; return 0; }
EXPORT int cuDeviceGetAttribute(int *value, unsigned attribute, int device) {
    switch (attribute) {
    case 1: case 2: case 3: *value = 1024; break;
    case 4: *value = 64; break;
    case 5: *value = 0x7fffffff; break;
    case 6: case 7: *value = 65535; break;
    case 75: *value = 9; break;
    case 76: *value = 0; break;
    default: *value = (int)attribute;
    }
    return 0;
}
EXPORT int cuDevicePrimaryCtxRetain(uintptr_t *context, int device) {
    CALL("%d", device);
    *context = 0x100 + (uintptr_t)device;
    return 0;
}
EXPORT int cuDevicePrimaryCtxReset_v2(int device) { CALL("%d", device); return 0; }
EXPORT int cuCtxGetCurrent(uintptr_t *context) { *context = current; return 0; }
EXPORT int cuCtxSetCurrent(uintptr_t context) {
    CALL("%#lx", context);
    current = context;
    return 0;
}
EXPORT int cuCtxGetDevice(int *device) { *device = (int)(current - 0x100); return 0; }
EXPORT int cuCtxSynchronize(void) { CALL(); return 0; }

EXPORT int cuLibraryLoadData(uintptr_t *library, const void *code, void *a, void *b, unsigned c,
                             void *d, void *e, unsigned f) {
    CALL("magic %#x", *(const unsigned *)code);
    *library = 0x200;
    return 0;
}
EXPORT int cuLibraryUnload(uintptr_t library) { CALL(); return 0; }
EXPORT int cuLibraryGetKernel(uintptr_t *kernel, uintptr_t library, const char *name) {
    CALL("%s", name);
    *kernel = 0x300;
    return 0;
}
static char variable[4096];
EXPORT int cuLibraryGetGlobal(uint64_t *address, size_t *bytes, uintptr_t library,
                              const char *name) {
    CALL("%s", name);
    if (address) *address = (uintptr_t)variable;
    if (bytes) *bytes = sizeof variable;
    return 0;
}
EXPORT int cuLibraryGetManaged(uint64_t *address, size_t *bytes, uintptr_t library,
                               const char *name) {
    CALL("%s", name);
    *address = (uintptr_t)variable;
    *bytes = sizeof variable;
    return 0;
}
EXPORT int cuKernelGetAttribute(int *value, unsigned attribute, uintptr_t kernel, int device) {
    *value = (int)attribute + 1;
    return 0;
}
EXPORT int cuLaunchKernel(uintptr_t function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                          unsigned by, unsigned bz, unsigned shared, uintptr_t stream, void **args,
                          void **extra) {
    CALL("%#lx <<<%u %u %u, %u %u %u, %u, %lu>>>", function, gx, gy, gz, bx, by, bz, shared, stream);
    return bx * by * bz > 1024 || gx == 0 ? 1 : 0;
}

EXPORT int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
    CALL("%zu", bytes);
    *address = (uintptr_t)malloc(bytes);
    return *address ? 0 : 2;
}
EXPORT int cuMemFree_v2(uint64_t address) { CALL(); free((void *)(uintptr_t)address); return 0; }
EXPORT int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
    CALL("%zu", bytes);
    memcpy((void *)(uintptr_t)to, from, bytes);
    return 0;
}
EXPORT int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
    CALL("%zu", bytes);
    memcpy(to, (void *)(uintptr_t)from, bytes);
    return 0;
}
EXPORT int cuMemcpyDtoH_v2_ptds(void *to, uint64_t from, size_t bytes) {
    CALL("%zu", bytes);
    memcpy(to, (void *)(uintptr_t)from, bytes);
    return 0;
}
EXPORT int cuMemsetD8_v2(uint64_t address, unsigned char value, size_t bytes) {
    CALL("%u %zu", value, bytes);
    memset((void *)(uintptr_t)address, value, bytes);
    return 0;
}
EXPORT int cuMemsetD8_v2_ptds(uint64_t address, unsigned char value, size_t bytes) {
    CALL("%u %zu", value, bytes);
    memset((void *)(uintptr_t)address, value, bytes);
    return 0;
}
EXPORT int cuStreamSynchronize(uintptr_t stream) { CALL("%lu", stream); return 0; }
EXPORT int cuPointerGetAttributes(unsigned count, const unsigned *attributes, void **data,
                                  uint64_t pointer) {
    CALL("%u", count);
    return 0;
}
EXPORT int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags,
                               unsigned *status) {
    CALL("%s %d %lu", name, version, flags);
    *function = !strcmp(name, "cuInit") ? (void *)cuInit : NULL;
    *status = *function ? 0 : 1;
    return 0;
}
