// Thread block clusters: shared memory of other blocks, the cluster's barrier, ranks, by attribute and by declaration.
// build: ptx90
// expect: ring: 4 of 4 right
// expect: histogram: right
// expect: declared 2x2: ok
// expect: addresses: ok
// expect: many: 1024
// expect: not a multiple: 912
// expect: too large: 912
#include <cstdio>
#include <cstring>
#include "check.cuh"

// What cooperative_groups::cluster_group does, by the intrinsics that it is made of.
namespace cg {
struct cluster_group {
    __device__ void sync() const { __cluster_barrier_arrive(); __cluster_barrier_wait(); }
    __device__ unsigned block_rank() const { return __clusterRelativeBlockRank(); }
    __device__ unsigned num_blocks() const { return __clusterSizeInBlocks(); }
    __device__ dim3 block_index() const { return __clusterRelativeBlockIdx(); }
    __device__ dim3 dim_blocks() const { return __clusterDim(); }
    template <typename T> __device__ T *map_shared_rank(T *p, unsigned rank) const {
        return (T *)__cluster_map_shared_rank(p, rank);
    }
};
static __device__ cluster_group this_cluster() { return {}; }
}

__global__ void ring(int *out) {
    __shared__ int mine;
    cg::cluster_group c = cg::this_cluster();
    unsigned rank = c.block_rank(), n = c.num_blocks();
    if (threadIdx.x == 0) mine = 100 + rank;
    c.sync();
    int *next = c.map_shared_rank(&mine, (rank + 1) % n);
    if (threadIdx.x == 0) out[blockIdx.x] = *next;
    c.sync();
}

// A histogram whose bins are spread over the blocks of a cluster (as the CUDA C++ Programming Guide describes).
__global__ void histogram(int *bins, const int *in, int n, int per_block) {
    extern __shared__ int local[];
    cg::cluster_group c = cg::this_cluster();
    for (int i = threadIdx.x; i < per_block; i += blockDim.x) local[i] = 0;
    c.sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int bin = in[i];
        atomicAdd(c.map_shared_rank(local, bin / per_block) + bin % per_block, 1);
    }
    c.sync();
    for (int i = threadIdx.x; i < per_block; i += blockDim.x)
        atomicAdd(&bins[c.block_rank() * per_block + i], local[i]);
}

__global__ void __cluster_dims__(2, 2) declared(int *ok) {
    __shared__ unsigned x, y;
    cg::cluster_group c = cg::this_cluster();
    dim3 i = c.block_index(), d = c.dim_blocks();
    if (threadIdx.x == 0) x = blockIdx.x, y = blockIdx.y;
    c.sync();
    bool good = d.x == 2 && d.y == 2 && c.num_blocks() == 4 && i.x == blockIdx.x % 2 && i.y == blockIdx.y % 2;
    unsigned other = c.block_rank() ^ 3;
    good &= *c.map_shared_rank(&x, other) == (blockIdx.x ^ 1) && *c.map_shared_rank(&y, other) == (blockIdx.y ^ 1);
    if (!good) atomicAnd(ok, 0);
    c.sync();
}

__global__ void __cluster_dims__(4) addresses(int *ok) {
    __shared__ int word[32];
    unsigned here = __cvta_generic_to_shared(word), there, rank, back, own, value = 0;
    unsigned long long generic;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(own));
    word[threadIdx.x] = own * 1000 + threadIdx.x;
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
    unsigned target = (own + 2) & 3;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"(target));
    asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(rank) : "r"(there));
    asm volatile("ld.shared::cluster.u32 %0, [%1+4];" : "=r"(value) : "r"(there) : "memory");
    bool good = rank == target && value == target * 1000 + 1;
    asm volatile("ld.shared::cluster.u32 %0, [%1+8];" : "=r"(value) : "r"(here) : "memory");
    good &= value == own * 1000 + 2;
    asm("mapa.u64 %0, %1, %2;" : "=l"(generic) : "l"(word), "r"(target));
    asm("getctarank.u64 %0, %1;" : "=r"(back) : "l"(generic));
    good &= back == target && *(int *)(generic + 12) == (int)target * 1000 + 3;
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
    if (threadIdx.x == 0) {
        asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there), "r"(own) : "memory");
        asm volatile("red.shared::cluster.add.u32 [%0], %1;" ::"r"(there), "r"(7) : "memory");
    }
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
    good &= word[0] == (int)target + 7;
    if (!good) atomicAnd(ok, 0);
}

__global__ void __cluster_dims__(8) many(int *count) {
    __shared__ int sum;
    cg::cluster_group c = cg::this_cluster();
    if (threadIdx.x == 0) sum = 0;
    c.sync();
    for (int round = 0; round < 8; round++) {
        if (threadIdx.x == 0) atomicAdd(c.map_shared_rank(&sum, round), 1);
        c.sync();
    }
    if (threadIdx.x == 0) atomicAdd(count, sum);
}

static cudaError_t launch(void *kernel, int grid, int block, size_t shared, unsigned cluster, void **args) {
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared;
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelExC(&config, kernel, args);
}

int main() {
    int *p, *in;
    CHECK(cudaMallocManaged(&p, 4096 * 4));
    CHECK(cudaMallocManaged(&in, 10000 * 4));
    void *one[] = {&p};

    CHECK(launch((void *)ring, 4, 64, 0, 4, one));
    CHECK(cudaDeviceSynchronize());
    int right = 0;
    for (int i = 0; i < 4; i++) right += p[i] == 100 + (i + 1) % 4;
    printf("ring: %d of 4 right\n", right);

    int want[256] = {}, n = 10000, per_block = 64;
    memset(p, 0, 4096 * 4);
    for (int i = 0; i < n; i++) want[in[i] = (i * 7919 + i / 13) & 255]++;
    void *args[] = {&p, &in, &n, &per_block};
    CHECK(launch((void *)histogram, 16, 128, per_block * 4, 4, args));
    CHECK(cudaDeviceSynchronize());
    printf("histogram: %s\n", memcmp(p, want, sizeof want) ? "wrong" : "right");

    *p = 1;
    declared<<<dim3(4, 4), 40>>>(p);
    CHECK(cudaDeviceSynchronize());
    printf("declared 2x2: %s\n", *p ? "ok" : "wrong");

    *p = 1;
    addresses<<<8, 32>>>(p);
    CHECK(cudaDeviceSynchronize());
    printf("addresses: %s\n", *p ? "ok" : "wrong");

    *p = 0;
    many<<<128, 96>>>(p);
    CHECK(cudaDeviceSynchronize());
    printf("many: %d\n", *p);

    printf("not a multiple: %d\n", launch((void *)ring, 6, 64, 0, 4, one));
    printf("too large: %d\n", launch((void *)ring, 32, 64, 0, 16, one));
    cudaGetLastError();
    return 0;
}
