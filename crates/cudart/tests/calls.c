/* Calls the runtime as a C program does, and prints what it answers. The part is argv[1]. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pthread.h>

typedef struct { unsigned x, y, z; } dim3;
typedef struct { int type; int device; void *dev; void *host; long reserved[8]; } attributes;

int cudaMalloc(void **, size_t);
int cudaFree(void *);
int cudaMemset(void *, int, size_t);
int cudaMemset_ptds(void *, int, size_t);
int cudaMemcpy(void *, const void *, size_t, int);
int cudaMemcpy_ptds(void *, const void *, size_t, int);
int cudaMallocManaged(void **, size_t, unsigned);
int cudaGetLastError(void);
int cudaPeekAtLastError(void);
const char *cudaGetErrorName(int);
const char *cudaGetErrorString(int);
int cudaGetDeviceCount(int *);
int cudaSetDevice(int);
int cudaGetDevice(int *);
int cudaDeviceSynchronize(void);
int cudaDriverGetVersion(int *);
int cudaRuntimeGetVersion(int *);
int cudaStreamSynchronize(void *);
int cudaStreamSynchronize_ptsz(void *);
int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
int cudaPointerGetAttributes(attributes *, const void *);
int cudaGetDriverEntryPoint(const char *, void **, unsigned long long, int *);
int cudaMemcpyToSymbol(const void *, const void *, size_t, size_t, int);
int cudaGetSymbolSize(size_t *, const void *);
int cudaMemPrefetchAsync(const void *, size_t, uint64_t, unsigned, void *);
int cudaDeviceGetNvSciSyncAttributes(void *, int, int);
int cudaGetDeviceProperties(void *, int);
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaUnregisterFatBinary(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, void *,
                            void *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
void __cudaRegisterManagedVar(void **, void **, char *, const char *, int, size_t, int, int);
char __cudaInitModule(void **);

static void say(const char *what, int code) { printf("%s %d\n", what, code); }

static char stub, shadow;
static int *managed;

static void basic(void) {
    void *p = NULL;
    say("malloc", cudaMalloc(&p, 64));
    say("memset", cudaMemset(p, 7, 64));
    char bytes[64] = {0};
    say("memcpy", cudaMemcpy(bytes, p, 64, 2));
    printf("byte %d\n", bytes[63]);
    say("direction", cudaMemcpy(bytes, p, 64, 9));
    say("nothing", cudaMemcpy(bytes, p, 0, 2));
    say("memset per thread", cudaMemset_ptds(p, 9, 64));
    say("memcpy per thread", cudaMemcpy_ptds(bytes, p, 64, 2));
    say("synchronize", cudaStreamSynchronize(NULL));
    say("synchronize per thread", cudaStreamSynchronize_ptsz(NULL));
    say("free", cudaFree(p));
    say("free null", cudaFree(NULL));
    say("malloc nothing", cudaMalloc(&p, 0));
    printf("null %d\n", p == NULL);
    say("malloc nowhere", cudaMalloc(NULL, 64));
    say("device", cudaSetDevice(5));
    say("no such driver function", cudaMallocManaged(&p, 64, 1));
    say("unsupported", cudaDeviceGetNvSciSyncAttributes(NULL, 0, 0));
    attributes a;
    say("pointer", cudaPointerGetAttributes(&a, &a));
    printf("type %d device %d host %d\n", a.type, a.device, a.host == &a);
    void *function;
    int status;
    say("entry point", cudaGetDriverEntryPoint("cuInit", &function, 0, &status));
    printf("found %d status %d\n", function != NULL, status);
    say("entry point", cudaGetDriverEntryPoint("cuNone", &function, 0, &status));
    printf("found %d status %d\n", function != NULL, status);
}

static void last_error(void) {
    void *p;
    say("peek", cudaPeekAtLastError());
    cudaSetDevice(5);
    say("peek", cudaPeekAtLastError());
    cudaMalloc(&p, 16);
    say("get", cudaGetLastError());
    say("get", cudaGetLastError());
}

static void *other_thread(void *unused) {
    int device = -1;
    say("other last error", cudaGetLastError());
    cudaGetDevice(&device);
    say("other device", device);
    return unused;
}

static void threads(void) {
    int device = -1;
    say("set", cudaSetDevice(1));
    cudaSetDevice(7);
    pthread_t thread;
    pthread_create(&thread, NULL, other_thread, NULL);
    pthread_join(thread, NULL);
    cudaGetDevice(&device);
    say("device", device);
    say("last error", cudaGetLastError());
}

static void launch(void) {
    static const unsigned container[4] = {0xBA55ED50, 1 | 16 << 16, 0, 0};
    static const struct { unsigned magic, version; const void *data; void *rest; } wrapper = {
        0x466243B1, 1, container, NULL};
    dim3 grid = {2, 1, 1}, block = {32, 1, 1}, wide = {2048, 1, 1}, none = {0, 1, 1};
    say("before", cudaLaunchKernel(&stub, grid, block, NULL, 0, NULL));
    void **module = __cudaRegisterFatBinary((void *)&wrapper);
    __cudaRegisterFunction(module, &stub, &stub, "kernel", -1, 0, 0, 0, 0, 0);
    __cudaRegisterVar(module, &shadow, &shadow, "variable", 0, 16, 0, 0);
    __cudaRegisterManagedVar(module, (void **)&managed, (char *)&managed, "managed", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(module);
    say("launch", cudaLaunchKernel(&stub, grid, block, NULL, 0, (void *)2));
    say("wide", cudaLaunchKernel(&stub, grid, wide, NULL, 0, NULL));
    say("none", cudaLaunchKernel(&stub, none, block, NULL, 0, NULL));
    say("next", cudaLaunchKernel(&stub, grid, block, NULL, 0, NULL));
    size_t size = 0;
    say("size", cudaGetSymbolSize(&size, &shadow));
    printf("bytes %zu\n", size);
    say("into", cudaMemcpyToSymbol(&shadow, "0123456789abcdef", 8, 8, 1));
    say("beyond", cudaMemcpyToSymbol(&shadow, "0123456789abcdef", 16, 8, 1));
    say("from host", cudaMemcpyToSymbol(&shadow, "0123456789abcdef", 8, 8, 2));
    say("stranger", cudaGetSymbolSize(&size, &grid));
    printf("managed %d\n", __cudaInitModule(module) == 1 && managed != NULL);
    __cudaUnregisterFatBinary(module);
    say("after", cudaLaunchKernel(&stub, grid, block, NULL, 0, NULL));
}

static void versions(void) {
    int count = -1, driver = -1, runtime = -1;
    say("count", cudaGetDeviceCount(&count));
    printf("devices %d\n", count);
    say("driver", cudaDriverGetVersion(&driver));
    say("runtime", cudaRuntimeGetVersion(&runtime));
    printf("versions %d %d\n", driver, runtime);
    void *p;
    int code = cudaMalloc(&p, 16);
    printf("%s: %s\n", cudaGetErrorName(code), cudaGetErrorString(code));
}

static void properties(void) {
    union { char name[256]; int words[400]; } p;
    memset(&p, 0x55, sizeof p);
    say("properties", cudaGetDeviceProperties(&p, 0));
    /* CUDA 13: major is at byte 360, maxThreadsDim at 324; the struct ends at byte 1008. */
    printf("%s %d.%d block %d %d %d\n", p.name, p.words[90], p.words[91], p.words[81], p.words[82],
           p.words[83]);
    printf("end %x\n", p.words[252]);
}

int main(int count, char **words) {
    const char *part = count > 1 ? words[1] : "";
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!strcmp(part, "basic")) basic();
    if (!strcmp(part, "last-error")) last_error();
    if (!strcmp(part, "threads")) threads();
    if (!strcmp(part, "launch")) launch();
    if (!strcmp(part, "versions")) versions();
    if (!strcmp(part, "properties")) properties();
    return 0;
}
