// Two GPUs and each other's memory: copies without access, kernels with it, and what is refused.
// env: ANTLERITE_GPU=h100:2
// expect: devices 2, access 1 1 0
// expect: attributes 1 1
// expect: atomics 1 1f 0
// expect: copies without access ok
// expect: memset from the other side ok
// expect: asynchronous copies in order ok
// expect: kernel reads the peer ok
// expect: later allocation ok
// expect: pool ok
// expect: VMM on both ok
// expect: twice 704, not enabled 705, itself 101
// expect: without access: 700
#include "check.cuh"
#include "driver.cuh"

__global__ void add(int *to, const int *from, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) to[i] = from[i] + 1;
}
__global__ void fill(int *p, int n, int v) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = v + i;
}

int main() {
    int n, a01, a10, a00, rank, access;
    CHECK(cudaGetDeviceCount(&n));
    CHECK(cudaDeviceCanAccessPeer(&a01, 0, 1));
    CHECK(cudaDeviceCanAccessPeer(&a10, 1, 0));
    CHECK(cudaDeviceCanAccessPeer(&a00, 0, 0));
    printf("devices %d, access %d %d %d\n", n, a01, a10, a00);
    CHECK(cudaDeviceGetP2PAttribute(&access, cudaDevP2PAttrAccessSupported, 0, 1));
    CHECK(cudaDeviceGetP2PAttribute(&rank, cudaDevP2PAttrCudaArrayAccessSupported, 0, 1));
    printf("attributes %d %d\n", access, rank);
    // Atomics go to the other's memory natively, as an attribute says, too.
    CUatomicOperation operations[2] = {CU_ATOMIC_OPERATION_INTEGER_ADD, CU_ATOMIC_OPERATION_FLOAT_MIN};
    unsigned capabilities[2] = {99, 99};
    DCHECK(cuDeviceGetP2PAtomicCapabilities, capabilities, operations, 2, 0, 1);
    CHECK(cudaDeviceGetP2PAttribute(&rank, cudaDevP2PAttrNativeAtomicSupported, 0, 1));
    printf("atomics %d %x %x\n", rank, capabilities[0], capabilities[1]);
    EXPECT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetP2PAtomicCapabilities, capabilities, operations, 2, 0, 0);
    EXPECT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetP2PAtomicCapabilities, capabilities, operations, 2, 0, 2);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetP2PAtomicCapabilities, capabilities, operations, 0, 0, 1);
    operations[1] = CUatomicOperation(99);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetP2PAtomicCapabilities, capabilities, operations, 2, 0, 1);
    const int N = 1 << 16;
    int *p0, *p1, *q0;
    std::vector<int> h(N);
    auto all = [&](const char *name, int *p, auto want) {
        CHECK(cudaMemcpy(h.data(), p, N * 4, cudaMemcpyDefault));
        compare(name, h, want);
    };
    CHECK(cudaSetDevice(0));
    CHECK(cudaMalloc(&p0, N * 4));
    fill<<<1, 256>>>(p0, N, 5);
    FINISH();
    CHECK(cudaSetDevice(1));
    CHECK(cudaMalloc(&p1, N * 4));
    CHECK(cudaMemcpyPeer(p1, 1, p0, 0, N * 4));
    all("copies without access", p1, [](size_t i) { return int(i) + 5; });
    CHECK(cudaMemset(p0, 0, N * 4));
    CHECK(cudaDeviceSynchronize());
    all("memset from the other side", p0, [](size_t) { return 0; });
    cudaStream_t s;
    CHECK(cudaStreamCreate(&s));
    fill<<<1, 256, 0, s>>>(p1, N, 100);
    CHECK(cudaMemcpyPeerAsync(p0, 0, p1, 1, N * 4, s));
    fill<<<1, 256, 0, s>>>(p1, N, 7);
    CHECK(cudaStreamSynchronize(s));
    all("asynchronous copies in order", p0, [](size_t i) { return int(i) + 100; });

    CHECK(cudaDeviceEnablePeerAccess(0, 0));
    add<<<1, 256>>>(p1, p0, N);
    FINISH();
    all("kernel reads the peer", p1, [](size_t i) { return int(i) + 101; });
    CHECK(cudaSetDevice(0));
    CHECK(cudaMalloc(&q0, 64 << 20));
    CHECK(cudaSetDevice(1));
    fill<<<1, 256>>>(q0, N, 9);
    FINISH();
    all("later allocation", q0, [](size_t i) { return int(i) + 9; });

    cudaMemPool_t pool;
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location = {cudaMemLocationTypeDevice, 1};
    CHECK(cudaMemPoolCreate(&pool, &props));
    cudaMemAccessDesc desc = {{cudaMemLocationTypeDevice, 0}, cudaMemAccessFlagsProtReadWrite};
    CHECK(cudaMemPoolSetAccess(pool, &desc, 1));
    cudaMemAccessFlags flags;
    CHECK(cudaMemPoolGetAccess(&flags, pool, &desc.location));
    int *pooled;
    CHECK(cudaMallocFromPoolAsync(&pooled, N * 4, pool, s));
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaSetDevice(0));
    fill<<<1, 256>>>(pooled, N, flags == cudaMemAccessFlagsProtReadWrite ? 11 : 0);
    FINISH();
    all("pool", pooled, [](size_t i) { return int(i) + 11; });

    CUmemAllocationProp prop = {};
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    CUmemGenericAllocationHandle m;
    CUdeviceptr va;
    DCHECK(cuMemCreate, &m, 2 << 20, &prop, 0);
    DCHECK(cuMemAddressReserve, &va, 2 << 20, 0, 0, 0);
    DCHECK(cuMemMap, va, 2 << 20, 0, m, 0);
    CUmemAccessDesc both[2] = {{{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE},
                               {{CU_MEM_LOCATION_TYPE_DEVICE, 1}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE}};
    DCHECK(cuMemSetAccess, va, 2 << 20, both, 2);
    fill<<<1, 256>>>((int *)va, N, 20);
    FINISH();
    CHECK(cudaSetDevice(1));
    add<<<1, 256>>>((int *)va, (int *)va, N);
    FINISH();
    all("VMM on both", (int *)va, [](size_t i) { return int(i) + 21; });

    int twice = cudaDeviceEnablePeerAccess(0, 0), itself = cudaDeviceEnablePeerAccess(1, 0);
    CHECK(cudaDeviceDisablePeerAccess(0));
    int not_enabled = cudaDeviceDisablePeerAccess(0);
    cudaGetLastError();
    printf("twice %d, not enabled %d, itself %d\n", twice, not_enabled, itself);
    add<<<1, 256>>>(p1, p0, N);
    printf("without access: %d\n", int(cudaDeviceSynchronize()));
}
