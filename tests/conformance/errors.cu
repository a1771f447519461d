// A wrapped call reports the documented name and text, and what is not sticky does not stick.
// expect: bad device: 101 cudaErrorInvalidDevice: invalid device ordinal
// expect: too much memory: 2 cudaErrorMemoryAllocation: out of memory
// expect: null pointer: 1 cudaErrorInvalidValue: invalid argument
// expect: free of a stranger: 1 cudaErrorInvalidValue: invalid argument
// expect: copy direction: 21 cudaErrorInvalidMemcpyDirection: invalid copy direction for memcpy
// expect: no block: 9 cudaErrorInvalidConfiguration: invalid configuration argument
// expect: block too large: 9 cudaErrorInvalidConfiguration: invalid configuration argument
// expect: grid too large: 9 cudaErrorInvalidConfiguration: invalid configuration argument
// expect: too much shared memory: 1 cudaErrorInvalidValue: invalid argument
// expect: attribute: 1 cudaErrorInvalidValue: invalid argument
// expect: event not recorded: 400 cudaErrorInvalidResourceHandle: invalid resource handle
// expect: event not done: 600 cudaErrorNotReady: device not ready
// expect: no symbol: 13 cudaErrorInvalidSymbol: invalid device symbol
// expect: stream flags: 1 cudaErrorInvalidValue: invalid argument
// expect: cooperative grid: 720 cudaErrorCooperativeLaunchTooLarge: too many blocks in cooperative launch
// expect: unknown code: 12345 unrecognized error code: unrecognized error code
// expect: last error is cleared
// expect: a kernel still runs
#include "check.cuh"

__global__ void set(int *p, int value) { *p = value; }
__global__ void spin(volatile int *flag) {
    while (!*flag) {}
}

static void report(const char *what, cudaError_t error) {
    printf("%s: %d %s: %s\n", what, int(error), cudaGetErrorName(error), cudaGetErrorString(error));
    cudaGetLastError();
}

static cudaError_t launched() { return cudaGetLastError(); }

int main() {
    int *p, local = 0;
    CHECK(cudaMalloc(&p, 4));
    report("bad device", cudaSetDevice(77));
    void *huge;
    report("too much memory", cudaMalloc(&huge, size_t(1) << 50));
    report("null pointer", cudaMalloc(nullptr, 4));
    report("free of a stranger", cudaFree(&local));
    report("copy direction", cudaMemcpy(&local, p, 4, cudaMemcpyKind(99)));
    set<<<1, 0>>>(p, 1);
    report("no block", launched());
    set<<<1, 2048>>>(p, 1);
    report("block too large", launched());
    set<<<dim3(1, 70000), 1>>>(p, 1);
    report("grid too large", launched());
    set<<<1, 1, 1 << 20>>>(p, 1);
    report("too much shared memory", launched());
    report("attribute", cudaDeviceGetAttribute(&local, cudaDeviceAttr(100000), 0));
    cudaEvent_t first, second;
    CHECK(cudaEventCreate(&first));
    CHECK(cudaEventCreate(&second));
    float time;
    report("event not recorded", cudaEventElapsedTime(&time, first, second));
    int *flag;
    CHECK(cudaMallocHost(&flag, sizeof(int)));
    *(volatile int *)flag = 0;
    spin<<<1, 1>>>(flag);
    CHECK(cudaEventRecord(first));
    report("event not done", cudaEventQuery(first));
    *(volatile int *)flag = 1;
    CHECK(cudaDeviceSynchronize());
    report("no symbol", cudaMemcpyToSymbol(&local, &local, 4));
    cudaStream_t stream;
    report("stream flags", cudaStreamCreateWithFlags(&stream, 0x1000));
    int one = 1;
    void *arguments[] = {&p, &one};
    report("cooperative grid", cudaLaunchCooperativeKernel(set, dim3(1 << 20), dim3(1024), arguments));
    report("unknown code", cudaError_t(12345));
    if (cudaGetLastError() == cudaSuccess) puts("last error is cleared");
    set<<<1, 1>>>(p, 42);
    FINISH();
    CHECK(cudaMemcpy(&local, p, 4, cudaMemcpyDeviceToHost));
    if (local == 42) puts("a kernel still runs");
}
