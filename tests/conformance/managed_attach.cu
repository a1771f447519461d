// Attaching managed memory to streams, and discarding it: what is refused, and that both sides see all the same. The GPU has
// concurrentManagedAccess, so attachment restricts nothing.
// env: ANTLERITE_UVM=tracked
// door: socket syscall
// expect: concurrent access 1
// expect: attached to the host: 0 wrong
// expect: attached to one stream: 0 wrong
// expect: attached to all: 0 wrong
// expect: refused as documented
// expect: discarded, then written: 0 wrong
// expect: a part discarded: 0 wrong
#include "check.cuh"

__global__ void add(int *p, int n, int by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] += by;
}
__global__ void set(int *p, int n, int to) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = to;
}

static const int n = 1 << 17; // 512 KiB
static int wrong(const int *p, int from, int to, int want) {
    int count = 0;
    for (int i = from; i < to; i++) count += p[i] != want;
    return count;
}

int main() {
    int concurrent;
    CHECK(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, 0));
    printf("concurrent access %d\n", concurrent);
    int *p, *plain;
    size_t bytes = n * sizeof(int);
    CHECK(cudaMallocManaged(&p, bytes, cudaMemAttachHost));
    CHECK(cudaMalloc(&plain, bytes));
    cudaStream_t s, other;
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaStreamCreate(&other));
    for (int i = 0; i < n; i++) p[i] = 1;
    printf("attached to the host: %d wrong\n", wrong(p, 0, n, 1));
    CHECK(cudaStreamAttachMemAsync(s, p, 0, cudaMemAttachSingle));
    add<<<n / 256, 256, 0, s>>>(p, n, 1);
    CHECK(cudaStreamSynchronize(s));
    printf("attached to one stream: %d wrong\n", wrong(p, 0, n, 2));
    CHECK(cudaStreamAttachMemAsync(s, p, bytes, cudaMemAttachGlobal));
    add<<<n / 256, 256, 0, other>>>(p, n, 1);
    CHECK(cudaDeviceSynchronize());
    printf("attached to all: %d wrong\n", wrong(p, 0, n, 3));
    // No flag, two flags, memory that is not managed, a part, a single attachment to no stream of its own.
    bool refused = true;
    auto invalid = [&](cudaError_t error) {
        refused &= error == cudaErrorInvalidValue;
        cudaGetLastError();
    };
    invalid(cudaStreamAttachMemAsync(s, p, 0, 0));
    invalid(cudaStreamAttachMemAsync(s, p, 0, cudaMemAttachGlobal | cudaMemAttachHost));
    invalid(cudaStreamAttachMemAsync(s, plain, 0, cudaMemAttachGlobal));
    invalid(cudaStreamAttachMemAsync(s, p, bytes / 2, cudaMemAttachGlobal));
    invalid(cudaStreamAttachMemAsync(0, p, 0, cudaMemAttachSingle));
    puts(refused ? "refused as documented" : "not refused");

    // What is discarded may be anything until it is written again.
    void *parts[1] = {p};
    size_t sizes[1] = {bytes};
    CHECK(cudaMemDiscardBatchAsync(parts, sizes, 1, 0, s));
    set<<<n / 256, 256, 0, s>>>(p, n, 7);
    CHECK(cudaStreamSynchronize(s));
    printf("discarded, then written: %d wrong\n", wrong(p, 0, n, 7));
    // Neighbours on the same page stay.
    parts[0] = p + 1000;
    sizes[0] = bytes / 2;
    CHECK(cudaMemDiscardBatchAsync(parts, sizes, 1, 0, s));
    CHECK(cudaStreamSynchronize(s));
    printf("a part discarded: %d wrong\n", wrong(p, 0, 1000, 7) + wrong(p, 1000 + n / 2, n, 7));
    return 0;
}
