// Groups of several warps, as cooperative groups make them: they meet and exchange values in the reserved shared memory.
// flags: -arch=sm_90
// expect: sums ok
// expect: shuffles ok
// expect: own shared memory ok
// expect: size: 1024
#include "check.cuh"

const int THREADS = 256;

// What lies there: a word with a bit per warp that has arrived, and a slot per warp.
__device__ unsigned *reserved() {
    unsigned long long p;
    asm("{ .reg .u32 s; .reg .u64 x; mov.u32 s, %%reserved_smem_offset_1; cvt.u64.u32 x, s; cvta.shared.u64 %0, x; }"
        : "=l"(p));
    return (unsigned *)p;
}

// `warps` neighbouring warps meet: the last one to arrive lets the others go.
__device__ void meet(int warps) {
    unsigned *arrived = reserved(), warp = threadIdx.x / 32, bit = 1u << warp, old;
    unsigned group = ((1u << warps) - 1) << (warp / warps * warps);
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
        asm volatile("atom.or.acq_rel.cta.b32 %0, [%1], %2;" : "=r"(old) : "l"(arrived), "r"(bit) : "memory");
        if (((old | bit) & group) == group)
            asm volatile("red.and.relaxed.cta.b32 [%0], %1;" ::"l"(arrived), "r"(~group) : "memory");
        else
            do asm volatile("ld.acquire.cta.u32 %0, [%1];" : "=r"(old) : "l"(arrived) : "memory");
            while (old & bit);
    }
    __syncwarp();
}

__global__ void groups(int *sums, int *shuffles, int *kept, unsigned *size) {
    __shared__ int own[THREADS];
    extern __shared__ int dynamic[];
    int rank = threadIdx.x, warp = rank / 32, i = blockIdx.x * THREADS + rank;
    volatile int *slots = (int *)reserved() + 8;
    own[rank] = rank, dynamic[rank] = -rank;
    if (rank == 0) *reserved() = 0;
    __syncthreads();
    for (int round = 0, warps = 2; warps <= 4; round++, warps *= 2) {
        int v = i % (13 + 4 * round), sum = __reduce_add_sync(~0u, v);
        if (rank % 32 == 0) slots[warp] = sum;
        meet(warps);
        sum = 0;
        for (int w = warp / warps * warps, n = 0; n < warps; n++) sum += slots[w + n];
        sums[2 * i + round] = sum;
        meet(warps);
        int of = warps * 32 - 3;
        if (rank % (warps * 32) == of) slots[warp / warps * warps] = v;
        meet(warps);
        shuffles[2 * i + round] = slots[warp / warps * warps];
        __syncthreads();
    }
    kept[i] = own[THREADS - 1 - rank] + dynamic[rank];
    if (i == 0) asm("mov.u32 %0, %%reserved_smem_offset_cap;" : "=r"(*size));
}

int main() {
    const int blocks = 3, n = blocks * THREADS;
    Device<int> sums(2 * n), shuffles(2 * n), kept(n);
    Device<unsigned> size(1);
    groups<<<blocks, THREADS, THREADS * sizeof(int)>>>(sums, shuffles, kept, size);
    FINISH();
    int wrong = compare("sums", sums.host(), [](size_t at) {
        int round = at % 2, lanes = 64 << round, i = int(at / 2), first = i / lanes * lanes, sum = 0;
        for (int j = first; j < first + lanes; j++) sum += j % (13 + 4 * round);
        return sum;
    });
    wrong += compare("shuffles", shuffles.host(), [](size_t at) {
        int round = at % 2, lanes = 64 << round, first = int(at / 2) / lanes * lanes;
        return (first + lanes - 3) % (13 + 4 * round);
    });
    wrong += compare("own shared memory", kept.host(), [](size_t i) { return THREADS - 1 - 2 * int(i % THREADS); });
    printf("size: %u\n", size.host()[0]);
    return wrong;
}
