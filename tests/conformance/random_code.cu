// Random code, made by templates from numbers, on the GPU and on the host: expressions, branches, loops, switches, calls and
// arrays of the thread's own, between phases in which the threads of a block and of a warp exchange what they have. -DFIRST=N
// -DPROGRAMS=N -DDEEPEST=N give others.
// flags: -arch=sm_80 -O1
// expect: 5 programs agree
// timeout: 60
#include <cstdint>
#include <utility>
#include "check.cuh"

#ifndef FIRST
#define FIRST 1
#define PROGRAMS 5
#define DEEPEST 2
#endif
const int BLOCK = 96, BLOCKS = 3, PHASES = 3, VARIABLES = 5, ITEMS = 8;

// A random number in 0..below for a place in a program: `seed` names the place, `salt` the question.
__host__ __device__ constexpr uint32_t pick(uint32_t seed, uint32_t salt, uint32_t below) {
    uint32_t x = seed * 0x9e3779b9u ^ salt * 0x85ebca6bu;
    x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu, x ^= x >> 16;
    return x % below;
}
__host__ __device__ constexpr uint32_t child(uint32_t seed, uint32_t which) { return pick(seed, which + 100, 0xffffffff); }

// What a thread has.
struct Thread {
    uint32_t v[VARIABLES];
    uint32_t item[ITEMS];
    double real;
};

template <uint32_t SEED, int DEPTH> __host__ __device__ uint32_t value(const Thread &t) {
    if constexpr (DEPTH == 0) {
        constexpr uint32_t kind = pick(SEED, 1, 8);
        if constexpr (kind < 5) return t.v[kind];
        else if constexpr (kind == 5) return t.item[pick(SEED, 2, ITEMS)];
        else if constexpr (kind == 6) return pick(SEED, 2, 64);
        else return pick(SEED, 2, 0xffffffff);
    } else {
        constexpr uint32_t kind = pick(SEED, 1, 26);
        uint32_t a = value<child(SEED, 0), DEPTH - 1>(t);
        if constexpr (kind == 0) return ~a;
        else if constexpr (kind == 1) return t.item[a % ITEMS];
        else if constexpr (kind == 2) return uint32_t(int8_t(a));
        else if constexpr (kind == 3) return uint16_t(a) * 3u;
        else if constexpr (kind == 4) return uint32_t(int32_t(a) >> pick(SEED, 2, 32));
        else if constexpr (kind == 5) return a >> pick(SEED, 2, 32);
        else {
            uint32_t b = value<child(SEED, 1), DEPTH - 1>(t);
            int32_t p = int32_t(a), q = int32_t(b);
            if constexpr (kind == 6) return a + b;
            else if constexpr (kind == 7) return a - b;
            else if constexpr (kind == 8) return a * b;
            else if constexpr (kind == 9) return a & b;
            else if constexpr (kind == 10) return a | b;
            else if constexpr (kind == 11) return a ^ b;
            else if constexpr (kind == 12) return a << (b & 31);
            else if constexpr (kind == 13) return a << (b & 31) | a >> (-b & 31);
            else if constexpr (kind == 14) return a < b ? a : b;
            else if constexpr (kind == 15) return uint32_t(p < q ? q : p);
            else if constexpr (kind == 16) return uint32_t(uint64_t(a) * b >> 32);
            else if constexpr (kind == 17) return uint32_t(int64_t(p) * q >> 20);
            else if constexpr (kind == 18) return a / (b | 1);
            else if constexpr (kind == 19) return uint32_t(p % int32_t(b % 1000 + 1));
            else if constexpr (kind == 20) return uint32_t((int64_t(p) << 20 ^ q) / int64_t(q % 77777 | 1));
            else if constexpr (kind == 21) return (uint64_t(a) + b + (uint64_t(b) << 7)) >> 5;
            // Exact in floating point.
            else if constexpr (kind == 22) return uint32_t(float(a & 0xfff) * float(b & 0xfff));
            else if constexpr (kind == 23) return uint32_t(int64_t(double(p) * 4 - double(q)));
            else if constexpr (kind == 24) return p < q ? a + 1 : b - 1;
            else return value<child(SEED, 2), DEPTH - 1>(t) & 1 ? a : b;
        }
    }
}

template <uint32_t SEED, int DEPTH> __host__ __device__ void statement(Thread &t);

template <uint32_t SEED> __host__ __device__ __noinline__ uint32_t called(Thread &t, uint32_t a) {
    if ((a & 7) == pick(SEED, 1, 8)) return a;
    t.v[pick(SEED, 2, VARIABLES)] += a;
    statement<child(SEED, 0), 1>(t);
    return value<child(SEED, 1), 2>(t);
}

template <uint32_t SEED, int DEPTH> __host__ __device__ void statement(Thread &t) {
    constexpr uint32_t kind = pick(SEED, 3, DEPTH == 0 ? 4 : 10), to = pick(SEED, 4, VARIABLES);
    if constexpr (kind < 2) t.v[to] = value<child(SEED, 10), 3>(t);
    else if constexpr (kind == 2) t.item[value<child(SEED, 10), 1>(t) % ITEMS] ^= value<child(SEED, 11), 2>(t);
    else if constexpr (kind == 3) t.real = t.real / 2 + double(int32_t(value<child(SEED, 10), 2>(t)) / 1024);
    else if constexpr (kind == 4) {
        if (value<child(SEED, 10), 2>(t) % 3 == 0) statement<child(SEED, 11), DEPTH - 1>(t);
        else statement<child(SEED, 12), DEPTH - 1>(t);
        statement<child(SEED, 13), DEPTH - 1>(t);
    } else if constexpr (kind == 5) {
        for (uint32_t i = 0, n = value<child(SEED, 10), 1>(t) % 7; i < n; i++) {
            statement<child(SEED, 11), DEPTH - 1>(t);
            if (value<child(SEED, 12), 1>(t) % 5 == 0) continue;
            t.v[to] += i;
            if (value<child(SEED, 13), 2>(t) % 4 == 1) break;
        }
    } else if constexpr (kind == 6) {
        switch (value<child(SEED, 10), 1>(t) % 5) {
            case 0: statement<child(SEED, 11), DEPTH - 1>(t); break;
            case 1: t.v[to] ^= 0x55; // falls through
            case 2: statement<child(SEED, 12), DEPTH - 1>(t); break;
            case 4: t.v[to] = t.item[to];
        }
    } else if constexpr (kind == 7) t.v[to] = called<child(SEED, 10)>(t, value<child(SEED, 11), 1>(t));
    else if constexpr (kind == 8) {
        for (int i = 0; i < ITEMS; i++) t.item[i] += t.item[(i + to) % ITEMS] >> 3 ^ t.v[i % VARIABLES];
    } else {
        uint32_t left = 20, x = value<child(SEED, 10), 1>(t);
        do {
            x = x & 1 ? x * 3 + 1 : x >> 1;
            if (x % 11 == 3) statement<child(SEED, 11), DEPTH - 1>(t);
        } while (--left && x > 1);
        t.v[to] ^= x + left;
    }
}

// How threads exchange behind a phase, and which thread's variable a thread gets.
__host__ __device__ constexpr uint32_t exchange(uint32_t seed) { return pick(seed, 50, 6); }
__host__ __device__ inline int partner(uint32_t seed, int thread) {
    return (thread * int(pick(seed, 51, BLOCK / 2) * 2 + 1) + int(pick(seed, 52, BLOCK))) % BLOCK;
}

template <uint32_t SEED> __device__ void meet(Thread &t, uint32_t *shared, uint32_t *counts) {
    constexpr uint32_t kind = exchange(SEED), var = pick(SEED, 53, VARIABLES);
    int me = threadIdx.x;
    if constexpr (kind == 0) {
        shared[me] = t.v[var];
        __syncthreads();
        t.v[(var + 1) % VARIABLES] ^= shared[partner(SEED, me)];
        __syncthreads();
    } else if constexpr (kind == 1) t.v[var] += __shfl_xor_sync(~0u, t.v[var], pick(SEED, 54, 31) + 1);
    else if constexpr (kind == 2) t.v[var] = __ballot_sync(~0u, t.v[var] & 1) ^ t.v[0];
    else if constexpr (kind == 3) atomicAdd(&counts[t.v[var] % 16], t.v[0] & 0xff);
    else if constexpr (kind == 4) t.v[var] -= __syncthreads_count(t.v[var] % 3 == 1);
    else t.v[var] = __reduce_max_sync(~0u, t.v[var]) - t.v[var];
}
template <uint32_t SEED> void meet(Thread *block, uint32_t *counts) {
    constexpr uint32_t kind = exchange(SEED), var = pick(SEED, 53, VARIABLES);
    uint32_t had[BLOCK], met = 0;
    for (int i = 0; i < BLOCK; i++) had[i] = block[i].v[var];
    for (int i = 0; i < BLOCK; i++) met += had[i] % 3 == 1;
    for (int i = 0; i < BLOCK; i++) {
        Thread &t = block[i];
        uint32_t set = 0, most = 0;
        for (int k = i / 32 * 32; k < i / 32 * 32 + 32; k++) {
            set |= (had[k] & 1) << k % 32;
            most = std::max(most, had[k]);
        }
        if (kind == 0) t.v[(var + 1) % VARIABLES] ^= had[partner(SEED, i)];
        else if (kind == 1) t.v[var] += had[i / 32 * 32 + (i % 32 ^ (pick(SEED, 54, 31) + 1))];
        else if (kind == 2) t.v[var] = set ^ t.v[0];
        else if (kind == 3) counts[t.v[var] % 16] += t.v[0] & 0xff;
        else if (kind == 4) t.v[var] -= met;
        else t.v[var] = most - t.v[var];
    }
}

__host__ __device__ inline void begin(Thread &t, uint32_t number) {
    for (int i = 0; i < VARIABLES; i++) t.v[i] = number * (i + 3) ^ (i == 2 ? 0x80000000u : 0) ^ number << i * 5;
    for (int i = 0; i < ITEMS; i++) t.item[i] = number + i * 0x01010101u;
    t.real = number;
}
template <uint32_t SEED, int... P>
__device__ void phases(Thread &t, uint32_t *shared, uint32_t *counts, std::integer_sequence<int, P...>) {
    ((statement<child(SEED, P), DEEPEST>(t), meet<child(SEED, P)>(t, shared, counts)), ...);
}
template <uint32_t SEED> __global__ void program(Thread *out, uint32_t *counts) {
    __shared__ uint32_t shared[BLOCK];
    Thread t;
    uint32_t number = blockIdx.x * blockDim.x + threadIdx.x;
    begin(t, number);
    phases<SEED>(t, shared, counts, std::make_integer_sequence<int, PHASES>());
    out[number] = t;
}
template <uint32_t SEED, int... P>
void phases_by_host(Thread *block, uint32_t *counts, std::integer_sequence<int, P...>) {
    auto all = [&](auto what) { for (int i = 0; i < BLOCK; i++) what(block[i]); };
    ((all([](Thread &t) { statement<child(SEED, P), DEEPEST>(t); }), meet<child(SEED, P)>(block, counts)), ...);
}

static int agreeing = 0;
template <uint32_t SEED> void check(Thread *out, uint32_t *counts) {
    CHECK(cudaMemset(counts, 0, 16 * 4));
    program<SEED><<<BLOCKS, BLOCK>>>(out, counts);
    FINISH();
    std::vector<Thread> want(BLOCK * BLOCKS);
    uint32_t want_counts[16] = {};
    for (int i = 0; i < BLOCK * BLOCKS; i++) begin(want[i], i);
    for (int b = 0; b < BLOCKS; b++)
        phases_by_host<SEED>(&want[b * BLOCK], want_counts, std::make_integer_sequence<int, PHASES>());
    bool same = true;
    for (int i = 0; i < 16; i++) same &= counts[i] == want_counts[i];
    for (int i = 0; i < BLOCK * BLOCKS && same; i++) {
        for (int k = 0; k < VARIABLES; k++) same &= out[i].v[k] == want[i].v[k];
        for (int k = 0; k < ITEMS; k++) same &= out[i].item[k] == want[i].item[k];
        same &= out[i].real == want[i].real;
        if (!same) printf("program %u: thread %d differs\n", SEED, i);
    }
    agreeing += same;
}
template <int... N> void check_all(Thread *out, uint32_t *counts, std::integer_sequence<int, N...>) {
    (check<FIRST + N>(out, counts), ...);
}

int main() {
    Thread *out;
    uint32_t *counts;
    CHECK(cudaMallocManaged(&out, sizeof(Thread) * BLOCK * BLOCKS));
    CHECK(cudaMallocManaged(&counts, 16 * 4));
    check_all(out, counts, std::make_integer_sequence<int, PROGRAMS>());
    printf("%d programs agree\n", agreeing);
}
