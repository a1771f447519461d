// Kernels in which each lane waits for another block: lanes that part (leaders, one lane that calls a function) come
// together at the next shuffle, ballot and barrier all the same.
// expect: ranks ok
// expect: look-back ok
// flags: -arch=sm_80
// expect: calls ok
#include "check.cuh"
const int THREADS = 256, ITEMS = 5, TILE = THREADS * ITEMS;
__device__ __noinline__ int slow(int x) { int s = 0; for (int i = 0; i < x % 7 + 1; i++) s += i * x; return s; }

// Ranks the digits of a tile per warp: lanes with one digit find each other by ballots, the last of them counts.
__global__ void rank(const unsigned *in, int *ranks, int *calls, int *sums, volatile int *state, int *ticket) {
    __shared__ int counts[THREADS / 32][16], block;
    int t = threadIdx.x, lane = t % 32, *mine = counts[t / 32];
    if (t == 0) block = atomicAdd(ticket, 1);
    for (int i = lane; i < 16; i += 32) mine[i] = 0;
    __syncthreads();
    int at = block * TILE + t / 32 * 32 * ITEMS + lane, total = 0;
    for (int k = 0; k < ITEMS; k++) {
        int digit = in[at + k * 32] & 15;
        unsigned same = ~0u;
        for (int b = 0; b < 4; b++) { unsigned set = __ballot_sync(~0u, digit >> b & 1); same &= digit >> b & 1 ? set : ~set; }
        int leader = 31 - __clz(same), before = __popc(same & (1u << lane) - 1), from;
        if (lane == leader) from = atomicAdd(&mine[digit], before + 1);
        from = __shfl_sync(~0u, from, leader);
        ranks[at + k * 32] = from + before;
        int extra = 0;
        if (lane == digit) extra = slow(digit + k);
        calls[at + k * 32] = __reduce_add_sync(~0u, extra);
        total += digit;
    }
    __syncthreads();
    // What the sixteen counters of a warp held must be the same before and after the others have gone on.
    int held = mine[lane % 16];
    __syncthreads();
    mine[lane % 16] = -1;
    // Each thread adds up what the same thread of the blocks before had.
    state[block * THREADS + t] = 1 << 30 | total;
    int sum = total;
    for (int b = block - 1; b >= 0; b--) {
        int other;
        while ((other = state[b * THREADS + t]) == 0) {}
        sum += other & (1 << 30) - 1;
        if (other < 0) break;
    }
    __threadfence();
    state[block * THREADS + t] = 1 << 31 | sum;
    __syncthreads();
    sums[block * THREADS + t] = sum * 1000 + held;
}

int main() {
    const int blocks = 12, n = blocks * TILE;
    std::vector<unsigned> h(n);
    unsigned seed = 5;
    for (auto &x : h) { seed = seed * 1664525 + 1013904223; x = seed >> 16; }
    Device<unsigned> in(h);
    Device<int> ranks(n), calls(n), sums(blocks * THREADS), state(blocks * THREADS), ticket(1);
    state.zero(), ticket.zero();
    rank<<<blocks, THREADS>>>(in, ranks, calls, sums, state, ticket);
    FINISH();
    std::vector<int> want(n), called(n), sum(blocks * THREADS), run(THREADS);
    for (int b = 0; b < blocks; b++)
        for (int w = 0; w < THREADS / 32; w++) {
            int count[16] = {}, base = b * TILE + w * 32 * ITEMS, total[32] = {};
            for (int k = 0; k < ITEMS; k++) {
                int extra = 0;
                for (int l = 0; l < 32; l++) {
                    int digit = h[base + k * 32 + l] & 15;
                    want[base + k * 32 + l] = count[digit]++;
                    total[l] += digit;
                    if (l == digit) { int x = digit + k; for (int i = 0; i < x % 7 + 1; i++) extra += i * x; }
                }
                for (int l = 0; l < 32; l++) called[base + k * 32 + l] = extra;
            }
            for (int l = 0; l < 32; l++) sum[b * THREADS + w * 32 + l] = (run[w * 32 + l] += total[l]) * 1000 + count[l % 16];
        }
    compare("ranks", ranks.host(), [&](size_t i) { return want[i]; });
    compare("look-back", sums.host(), [&](size_t i) { return sum[i]; });
    compare("calls", calls.host(), [&](size_t i) { return called[i]; });
}
