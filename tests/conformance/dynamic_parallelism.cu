// Dynamic parallelism: kernels that launch kernels, in streams, at once and as tails; events, memory work, errors.
// flags: -rdc=true
// expect: nested: 1 + 2 + 4 + 8 = 15
// expect: sorted: yes
// expect: stream in order: 1 2 3
// expect: tails after all: 3 children, then 1 2
// expect: chain of tails: 1000
// expect: events: 7
// expect: memory: 5a5a5a5a 11111111 0 0 2a
// expect: device: 0 of 1, 90, warp 32
// expect: limits: 8388608 77
// expect: attributes: 1024 threads, 256 bytes shared, occupancy 2
// expect: errors: 9 cudaErrorInvalidConfiguration then 0; 1; 400; 1; 1; 98
// expect: pending launches: 77 run, code 69
// expect: too deep: code 65 at depth 24
// expect: grids whose blocks wait for each other, nested: 10
// expect: fault in a child: 700
#include <cstdio>
#include <cstdlib>
#include "check.cuh"

__global__ void nest(int *count, int depth) {
    atomicAdd(count, 1);
    if (depth > 0 && threadIdx.x == 0)
        for (int i = 0; i < 2; i++) nest<<<1, 1, 0, cudaStreamFireAndForget>>>(count, depth - 1);
}

__global__ void quicksort(int *v, int left, int right, int depth) {
    if (right - left < 16 || depth > 12) {
        for (int i = left + 1; i <= right; i++)
            for (int j = i; j > left && v[j - 1] > v[j]; j--) { int t = v[j]; v[j] = v[j - 1]; v[j - 1] = t; }
        return;
    }
    int pivot = v[(left + right) / 2], l = left, r = right;
    while (l <= r) {
        while (v[l] < pivot) l++;
        while (v[r] > pivot) r--;
        if (l <= r) { int t = v[l]; v[l++] = v[r]; v[r--] = t; }
    }
    cudaStream_t s;
    if (left < r) {
        cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
        quicksort<<<1, 1, 0, s>>>(v, left, r, depth + 1);
        cudaStreamDestroy(s);
    }
    if (l < right) {
        cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
        quicksort<<<1, 1, 0, s>>>(v, l, right, depth + 1);
        cudaStreamDestroy(s);
    }
}

__global__ void append(int *list, int value, int delay) {
    for (long long end = clock64() + delay; clock64() < end;) {}
    list[1 + atomicAdd(list, 1)] = value;
}
__global__ void in_order(int *list) {
    append<<<1, 1>>>(list, 1, 1000000);
    append<<<1, 1>>>(list, 2, 100000);
    append<<<1, 1>>>(list, 3, 0);
}

__global__ void count_one(int *n) { atomicAdd(n, 1); }
__global__ void slow_child(int *n) {
    for (long long end = clock64() + 300000; clock64() < end;) {}
    count_one<<<1, 1, 0, cudaStreamFireAndForget>>>(n);
}
__global__ void tail_of(int *n, int *list, int value) {
    if (value == 1) list[10] = *n;
    append<<<1, 1, 0, cudaStreamTailLaunch>>>(list, value, value == 1 ? 300000 : 0);
}
__global__ void tails(int *n, int *list) {
    tail_of<<<1, 1, 0, cudaStreamTailLaunch>>>(n, list, 1);
    tail_of<<<1, 1, 0, cudaStreamTailLaunch>>>(n, list, 2);
    for (int i = 0; i < 3; i++) slow_child<<<1, 1, 0, cudaStreamFireAndForget>>>(n);
}
__global__ void chain(int *n, int left) {
    ++*n;
    if (left > 1) chain<<<1, 1, 0, cudaStreamTailLaunch>>>(n, left - 1);
}

__global__ void set_to(int *p, int v, int delay) {
    for (long long end = clock64() + delay; clock64() < end;) {}
    *p = v;
}
__global__ void add_to(int *p, int v) { *p += v; }
__global__ void with_events(int *p) {
    cudaStream_t a, b;
    cudaEvent_t e;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    set_to<<<1, 1, 0, a>>>(p, 4, 1000000);
    cudaEventRecord(e, a);
    cudaStreamWaitEvent(b, e, 0);
    add_to<<<1, 1, 0, b>>>(p, 3);
    cudaEventDestroy(e);
}

__global__ void memory_work(unsigned *p, int *out) {
    cudaMemsetAsync(p, 0x11, 16, 0);
    cudaMemset2DAsync(p + 4, 8, 0, 4, 2, 0);
    set_to<<<1, 1>>>((int *)p, 0x5a5a5a5a, 100000);
    cudaMemcpyAsync(p + 8, p, 4, cudaMemcpyDeviceToDevice, 0);
    cudaMemcpy2DAsync(p + 9, 4, p + 1, 8, 4, 1, cudaMemcpyDeviceToDevice, 0);
    int *q;
    if (cudaMalloc(&q, 4) == cudaSuccess) {
        *q = 42;
        *out = *q;
        cudaFree(q);
    }
}

struct Facts {
    int device, devices, major_minor, warp, threads, occupancy;
    size_t shared, heap, pending;
};
__global__ void with_shared(int *p) {
    __shared__ int s[64];
    s[threadIdx.x & 63] = *p;
    *p = s[0];
}
__global__ void ask(Facts *f) {
    int minor;
    cudaGetDevice(&f->device);
    cudaGetDeviceCount(&f->devices);
    cudaDeviceGetAttribute(&f->major_minor, cudaDevAttrComputeCapabilityMajor, 0);
    cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0);
    f->major_minor = f->major_minor * 10 + minor;
    cudaDeviceGetAttribute(&f->warp, cudaDevAttrWarpSize, 0);
    cudaDeviceGetLimit(&f->heap, cudaLimitMallocHeapSize);
    cudaDeviceGetLimit(&f->pending, cudaLimitDevRuntimePendingLaunchCount);
    cudaFuncAttributes a;
    cudaFuncGetAttributes(&a, with_shared);
    f->threads = a.maxThreadsPerBlock;
    f->shared = a.sharedSizeBytes;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&f->occupancy, with_shared, 1024, 0);
}

__global__ void wrong(int *code, char *name) {
    cudaStream_t s;
    cudaEvent_t e;
    count_one<<<1, 2000>>>(code);
    code[0] = cudaPeekAtLastError();
    const char *from = cudaGetErrorName(cudaGetLastError());
    while ((*name++ = *from++)) {}
    code[1] = cudaGetLastError();
    code[2] = cudaStreamCreateWithFlags(&s, cudaStreamDefault);
    code[3] = cudaStreamDestroy((cudaStream_t)0x123456);
    code[4] = cudaEventCreateWithFlags(&e, cudaEventDefault);
    cudaGetLastError();
    count_one<<<1, 1, 100000>>>(code);
    code[5] = cudaGetLastError();
    void *none = cudaGetParameterBufferV2((void *)code, 1, 1, 0);
    code[6] = none ? -1 : cudaGetLastError();
}

__global__ void flood(int *n, int *code) {
    for (int i = 0; i < 100; i++) append<<<1, 1>>>(n, i, i ? 0 : 200000000);
    *code = cudaGetLastError();
}
__global__ void deeper(int *out, int depth) {
    deeper<<<1, 1>>>(out, depth + 1);
    cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess) { out[0] = e; out[1] = depth; }
}
// Each needs all its blocks at once, and is not complete before those below: more warps in all than can be resident.
__global__ void together(int *flags, int depth) {
    if (threadIdx.x) return;
    atomicAdd(&flags[depth], 1);
    while (*(volatile int *)&flags[depth] < (int)gridDim.x) {}
    if (blockIdx.x == 0 && depth < 9) together<<<64, 1024>>>(flags, depth + 1);
}
__global__ void bad_child(int *p) { *p = 1; }
__global__ void parent_of_bad() { bad_child<<<1, 1>>>((int *)0x10); }

int main() {
    int *p;
    CHECK(cudaMallocManaged(&p, 4096 * 4));
    auto zero = [&] { memset(p, 0, 4096 * 4); };
    zero();
    nest<<<1, 32>>>(p, 3);
    CHECK(cudaDeviceSynchronize());
    // Each block adds its threads: the first has 32, the others one.
    printf("nested: 1 + 2 + 4 + 8 = %d\n", p[0] - 31);

    srand(1);
    for (int i = 0; i < 1000; i++) p[i] = rand() % 500;
    quicksort<<<1, 1>>>(p, 0, 999, 0);
    CHECK(cudaDeviceSynchronize());
    bool sorted = true;
    for (int i = 1; i < 1000; i++) sorted &= p[i - 1] <= p[i];
    printf("sorted: %s\n", sorted ? "yes" : "no");

    zero();
    in_order<<<1, 1>>>(p);
    CHECK(cudaDeviceSynchronize());
    printf("stream in order: %d %d %d\n", p[1], p[2], p[3]);

    zero();
    tails<<<1, 1>>>(p, p + 100);
    CHECK(cudaDeviceSynchronize());
    printf("tails after all: %d children, then %d %d\n", p[110], p[101], p[102]);

    zero();
    chain<<<1, 1>>>(p, 1000);
    CHECK(cudaDeviceSynchronize());
    printf("chain of tails: %d\n", p[0]);

    zero();
    with_events<<<1, 1>>>(p);
    CHECK(cudaDeviceSynchronize());
    printf("events: %d\n", p[0]);

    zero();
    memory_work<<<1, 1>>>((unsigned *)p, p + 20);
    CHECK(cudaDeviceSynchronize());
    printf("memory: %x %x %x %x %x\n", p[8], p[9], p[4], p[6], p[20]);

    CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 77));
    Facts *f;
    CHECK(cudaMallocManaged(&f, sizeof *f));
    ask<<<1, 1>>>(f);
    CHECK(cudaDeviceSynchronize());
    printf("device: %d of %d, %d, warp %d\n", f->device, f->devices, f->major_minor, f->warp);
    printf("limits: %zu %zu\n", f->heap, f->pending);
    printf("attributes: %d threads, %zu bytes shared, occupancy %d\n", f->threads, f->shared, f->occupancy);

    zero();
    wrong<<<1, 1>>>(p, (char *)(p + 100));
    CHECK(cudaDeviceSynchronize());
    printf("errors: %d %s then %d; %d; %d; %d; %d; %d\n", p[0], (char *)(p + 100), p[1], p[2], p[3], p[4], p[5], p[6]);

    zero();
    // In one stream, behind one that takes its time: nothing ends while all are launched.
    flood<<<1, 1>>>(p + 200, p);
    CHECK(cudaDeviceSynchronize());
    printf("pending launches: %d run, code %d\n", p[200], p[0]);

    zero();
    deeper<<<1, 1>>>(p, 0);
    CHECK(cudaDeviceSynchronize());
    printf("too deep: code %d at depth %d\n", p[0], p[1]);

    zero();
    together<<<64, 1024>>>(p, 0);
    CHECK(cudaDeviceSynchronize());
    int full = 0;
    for (int i = 0; i < 10; i++) full += p[i] == 64;
    printf("grids whose blocks wait for each other, nested: %d\n", full);

    parent_of_bad<<<1, 1>>>();
    printf("fault in a child: %d\n", cudaDeviceSynchronize());
    return 0;
}
