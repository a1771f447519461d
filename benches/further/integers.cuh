// Kernels on integers.
#pragma once
#include "further.hpp"

namespace kernels {

const unsigned EVERY_LANE = 0xffffffffu;
const int SORT_THREADS = 256;

// counts[digit * tiles + tile]
__global__ void radix_count(const uint32_t *in, uint32_t *counts, int n, int shift) {
    __shared__ uint32_t bins[DIGITS];
    if (threadIdx.x < DIGITS) bins[threadIdx.x] = 0;
    __syncthreads();
    int first = blockIdx.x * SORT_TILE;
    for (int k = threadIdx.x; k < SORT_TILE; k += SORT_THREADS)
        if (first + k < n) atomicAdd(&bins[(in[first + k] >> shift) & (DIGITS - 1)], 1u);
    __syncthreads();
    if (threadIdx.x < DIGITS) counts[threadIdx.x * gridDim.x + blockIdx.x] = bins[threadIdx.x];
}

// Exclusive scan by one block.
__global__ void radix_scan(uint32_t *counts, int n) {
    __shared__ uint32_t totals[32];
    int t = threadIdx.x, lane = t & 31, warp = t >> 5, warps = blockDim.x >> 5;
    uint32_t carry = 0;
    for (int first = 0; first < n; first += blockDim.x) {
        int i = first + t;
        uint32_t v = i < n ? counts[i] : 0, sum = v;
        for (int o = 1; o < 32; o <<= 1) {
            uint32_t up = __shfl_up_sync(EVERY_LANE, sum, o);
            if (lane >= o) sum += up;
        }
        if (lane == 31) totals[warp] = sum;
        __syncthreads();
        if (warp == 0) {
            uint32_t s = lane < warps ? totals[lane] : 0;
            for (int o = 1; o < 32; o <<= 1) {
                uint32_t up = __shfl_up_sync(EVERY_LANE, s, o);
                if (lane >= o) s += up;
            }
            totals[lane] = s;
        }
        __syncthreads();
        if (warp > 0) sum += totals[warp - 1];
        if (i < n) counts[i] = carry + sum - v;
        carry += totals[warps - 1];
        __syncthreads();
    }
}

// Ranks within a warp by ballots, within the block by each warp's counts; rounds of SORT_THREADS keys in order.
__global__ void radix_scatter(const uint32_t *in, uint32_t *out, const uint32_t *counts, int n, int shift) {
    const int WARPS = SORT_THREADS / 32;
    __shared__ uint32_t base[DIGITS], of_warp[WARPS][DIGITS];
    int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    if (t < DIGITS) base[t] = counts[t * gridDim.x + blockIdx.x];
    for (int r = 0; r < SORT_TILE; r += SORT_THREADS) {
        int i = blockIdx.x * SORT_TILE + r + t;
        bool there = i < n;
        uint32_t key = there ? in[i] : 0, digit = (key >> shift) & (DIGITS - 1);
        unsigned same = __ballot_sync(EVERY_LANE, there);
#pragma unroll
        for (int bit = 0; bit < DIGIT_BITS; bit++) {
            bool set = digit >> bit & 1;
            unsigned with = __ballot_sync(EVERY_LANE, set);
            same &= set ? with : ~with;
        }
        uint32_t rank = __popc(same & ((1u << lane) - 1));
        __syncthreads();
        if (lane < DIGITS) of_warp[warp][lane] = 0;
        __syncwarp();
        if (there && rank == 0) of_warp[warp][digit] = __popc(same);
        __syncthreads();
        if (there) {
            uint32_t at = base[digit] + rank;
            for (int w = 0; w < warp; w++) at += of_warp[w][digit];
            out[at] = key;
        }
        __syncthreads();
        if (t < DIGITS)
            for (int w = 0; w < WARPS; w++) base[t] += of_warp[w][t];
    }
}

// How many runs start in each 256 keys.
__global__ void run_heads(const int *key, int *heads, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int count = __syncthreads_count(i < n && (i == 0 || key[i] != key[i - 1]));
    if (threadIdx.x == 0) heads[blockIdx.x] = count;
}

// `heads` is scanned: the runs before the block.
__global__ void run_sums(const int *key, const int *value, int *keys, int *sums, const int *heads, int n) {
    __shared__ int before[8];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    bool there = i < n;
    int k = there ? key[i] : 0;
    bool head = there && (i == 0 || k != key[i - 1]);
    unsigned starts = __ballot_sync(EVERY_LANE, head);
    if (lane == 0) before[warp] = __popc(starts);
    __syncthreads();
    int run = heads[blockIdx.x] - 1 + __popc(starts & (2u << lane) - 1);
    for (int w = 0; w < warp; w++) run += before[w];
    // A segmented scan: `from` is where the lane's run starts within the warp.
    unsigned behind = starts & ((2u << lane) - 1);
    int from = behind ? 31 - __clz(behind) : 0, sum = there ? value[i] : 0;
    for (int o = 1; o < 32; o <<= 1) {
        int up = __shfl_up_sync(EVERY_LANE, sum, o);
        if (lane - o >= from) sum += up;
    }
    unsigned all = __ballot_sync(EVERY_LANE, there);
    bool last = there && (lane == 31 || (starts >> (lane + 1) & 1) || !(all >> (lane + 1) & 1));
    if (head) keys[run] = k;
    if (last) atomicAdd(&sums[run], sum);
}

// A position per thread.
__global__ void string_match(const uint8_t *text, const uint8_t *pattern, uint32_t *where, int *count, int n, int length) {
    __shared__ uint8_t wanted[64];
    if (threadIdx.x < length) wanted[threadIdx.x] = pattern[threadIdx.x];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i + length <= n)
        while (k < length && text[i + k] == wanted[k]) k++;
    unsigned found = __ballot_sync(EVERY_LANE, k == length);
    if ((threadIdx.x & 31) == 0) {
        where[i / 32] = found;
        if (found) atomicAdd(count, __popc(found));
    }
}

__constant__ uint32_t SHA_K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__device__ uint32_t rotated(uint32_t v, int by) { return __funnelshift_r(v, v, by); }

__global__ void sha256(const uint32_t *words, uint32_t *digests, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint32_t w[16], s[8];
#pragma unroll
    for (int k = 0; k < 16; k++) w[k] = words[k * n + i];
#pragma unroll
    for (int k = 0; k < 8; k++) s[k] = start[k];
#pragma unroll
    for (int r = 0; r < 64; r++) {
        if (r >= 16) {
            uint32_t a = w[(r + 1) & 15], b = w[(r + 14) & 15];
            w[r & 15] += (rotated(a, 7) ^ rotated(a, 18) ^ (a >> 3)) + w[(r + 9) & 15] +
                         (rotated(b, 17) ^ rotated(b, 19) ^ (b >> 10));
        }
        uint32_t e = s[4], a = s[0];
        uint32_t t1 = s[7] + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & s[5]) ^ (~e & s[6])) + SHA_K[r] + w[r & 15];
        uint32_t t2 = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
        s[7] = s[6], s[6] = s[5], s[5] = s[4], s[4] = s[3] + t1, s[3] = s[2], s[2] = s[1], s[1] = s[0], s[0] = t1 + t2;
    }
#pragma unroll
    for (int k = 0; k < 8; k++) digests[k * n + i] = s[k] + start[k];
}

const int QUEENS_THREADS = 96, QUEENS_MOST = 16;

// A prefix per thread; the rows below are tried with a stack in shared memory.
__global__ void queens(const uint32_t *prefix, uint32_t *solutions, int prefixes, int n, int rows_set) {
    __shared__ uint32_t column[QUEENS_MOST][QUEENS_THREADS], left[QUEENS_MOST][QUEENS_THREADS],
        right[QUEENS_MOST][QUEENS_THREADS], open[QUEENS_MOST][QUEENS_THREADS];
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
    if (i >= prefixes) return;
    uint32_t full = (1u << n) - 1, found = 0;
    int depth = 0, deepest = n - rows_set - 1;
    column[0][t] = prefix[3 * i], left[0][t] = prefix[3 * i + 1], right[0][t] = prefix[3 * i + 2];
    open[0][t] = full & ~(column[0][t] | left[0][t] | right[0][t]);
    while (depth >= 0) {
        uint32_t free = open[depth][t];
        if (!free) {
            depth--;
            continue;
        }
        uint32_t bit = free & -free;
        open[depth][t] = free ^ bit;
        if (depth == deepest) {
            found++;
            continue;
        }
        uint32_t c = column[depth][t] | bit, l = (left[depth][t] | bit) << 1, r = (right[depth][t] | bit) >> 1;
        depth++;
        column[depth][t] = c, left[depth][t] = l, right[depth][t] = r;
        open[depth][t] = full & ~(c | l | r);
    }
    solutions[i] = found;
}

} // namespace kernels
