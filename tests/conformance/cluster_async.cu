// Asynchronous stores and bulk copies into another block's shared memory, whose barrier counts the bytes.
// flags: -arch=sm_90
// expect: stores ok
// expect: copies ok
// expect: own ok
#include "check.cuh"

__device__ unsigned shared_address(const void *p) { return unsigned(__cvta_generic_to_shared(p)); }
__device__ unsigned in_block(unsigned address, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}
__device__ void expect(unsigned barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
__device__ void wait(unsigned barrier, unsigned parity) {
    asm volatile("{ .reg .pred p; AGAIN: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1;"
                 " @!p bra AGAIN; }" ::"r"(barrier), "r"(parity) : "memory");
}
__device__ void copy(unsigned to, unsigned from, unsigned bytes, unsigned barrier) {
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 ::"r"(to), "r"(from), "r"(bytes), "r"(barrier) : "memory");
}
__device__ void meet() {
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}

const int N = 64;

__global__ void __cluster_dims__(4) pass_on(int *stored, int *copied, int *own, const int *in) {
    __shared__ alignas(16) int from[N], to[N], mine[N];
    __shared__ alignas(8) unsigned long long barrier;
    unsigned rank, bar = shared_address(&barrier), i = threadIdx.x, at = blockIdx.x * N + i;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    unsigned next = (rank + 1) % 4, there = in_block(bar, next);
    if (i == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(bar) : "memory");
        expect(bar, sizeof to);
    }
    meet();
    // Each thread stores into the next block.
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];"
                 ::"r"(in_block(shared_address(&to[i]), next)), "r"(rank * 100 + i), "r"(there) : "memory");
    wait(bar, 0);
    stored[at] = to[i];
    from[i] = -int(rank * 1000 + i);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    if (i == 0) expect(bar, sizeof to + sizeof mine);
    meet();
    // One thread copies to the next block, and from global memory to its own.
    if (i == 0) {
        copy(in_block(shared_address(to), next), shared_address(from), sizeof to, there);
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                     ::"r"(shared_address(mine)), "l"(in + blockIdx.x * N), "r"(unsigned(sizeof mine)), "r"(bar) : "memory");
    }
    wait(bar, 1);
    copied[at] = to[i];
    own[at] = mine[i];
    meet();
}

int main() {
    const int blocks = 8;
    std::vector<int> numbers(blocks * N);
    for (size_t i = 0; i < numbers.size(); i++) numbers[i] = int(i * 7 + 1);
    Device<int> stored(blocks * N), copied(blocks * N), own(blocks * N), in(numbers);
    pass_on<<<blocks, N>>>(stored, copied, own, in);
    FINISH();
    auto before = [](size_t i) { return int((i / N + 3) % 4); };
    int wrong = compare("stores", stored.host(), [&](size_t i) { return before(i) * 100 + int(i % N); });
    wrong += compare("copies", copied.host(), [&](size_t i) { return -(before(i) * 1000 + int(i % N)); });
    wrong += compare("own", own.host(), [&](size_t i) { return numbers[i]; });
    return wrong;
}
