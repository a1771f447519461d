// Atomics in shared and global memory, of every operation and width.
// expect: shared histogram ok
// expect: global add int ok
// expect: global add float ok
// expect: global add double ok
// expect: global add 64 ok
// expect: min, max, and, or, xor ok
// expect: exch and cas ok
// expect: inc and dec ok
// expect: lock by cas ok
// flags: -arch=sm_80
#include "check.cuh"

__global__ void histogram(const unsigned *in, unsigned *bins, int n) {
    __shared__ unsigned local[64];
    if (threadIdx.x < 64) local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[in[i] & 63], 1u);
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

__global__ void sums(int *i32, float *f32, double *f64, unsigned long long *u64) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(i32, i);
    atomicAdd(f32, 1.0f);
    atomicAdd(f64, 0.5);
    atomicAdd(u64, 1ull << 33);
}

__global__ void bits(int *min_max, unsigned *logic) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicMin(&min_max[0], 1000 - i);
    atomicMax(&min_max[1], i - 5000);
    atomicAnd(&logic[0], ~(1u << (i % 16)));
    atomicOr(&logic[1], 1u << (i % 16));
    atomicXor(&logic[2], unsigned(i));
}

__global__ void exchange(int *slot, int *taken, unsigned *counters) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // A chain: each value but the last one in comes out once.
    int before = atomicExch(&slot[0], i + 1);
    atomicAdd(&taken[0], before);
    // Only one thread finds the zero.
    if (atomicCAS(&slot[1], 0, i + 1) == 0) atomicAdd(&taken[1], 1);
    atomicInc(&counters[0], 99);
    atomicDec(&counters[1], 99);
}

__global__ void locked(int *lock, volatile int *value) {
    // One thread a warp: lanes of one warp would need independent scheduling.
    if (threadIdx.x % 32) return;
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    *value = *value + 1;
    __threadfence();
    atomicExch(lock, 0);
}

int main() {
    const int n = 100000, threads = 4096;
    std::vector<unsigned> in(n);
    Random random(2);
    std::vector<unsigned> bins(64);
    for (auto &v : in) v = random.next(), bins[v & 63]++;
    Device<unsigned> din(in), dbins(64);
    dbins.zero();
    histogram<<<8, 256>>>(din, dbins, n);
    FINISH();
    int bad = compare("shared histogram", dbins.host(), [&](int i) { return bins[i]; });

    Device<int> i32(1);
    Device<float> f32(1);
    Device<double> f64(1);
    Device<unsigned long long> u64(1);
    i32.zero(), f32.zero(), f64.zero(), u64.zero();
    sums<<<threads / 128, 128>>>(i32, f32, f64, u64);
    FINISH();
    bad |= compare("global add int", i32.host(), [&](int) { return threads * (threads - 1) / 2; });
    bad |= compare("global add float", f32.host(), [&](int) { return float(threads); });
    bad |= compare("global add double", f64.host(), [&](int) { return threads * 0.5; });
    bad |= compare("global add 64", u64.host(), [&](int) { return double(threads) * (1ull << 33); });

    Device<int> min_max(std::vector<int>{1 << 30, -(1 << 30)});
    Device<unsigned> logic(std::vector<unsigned>{~0u, 0, 0});
    bits<<<threads / 128, 128>>>(min_max, logic);
    FINISH();
    auto m = min_max.host();
    auto l = logic.host();
    bool right = m[0] == 1000 - (threads - 1) && m[1] == threads - 1 - 5000 && l[0] == 0xffff0000u && l[1] == 0xffffu && l[2] == 0;
    printf(right ? "min, max, and, or, xor ok\n" : "min %d max %d and %x or %x xor %x\n", m[0], m[1], l[0], l[1], l[2]);

    Device<int> slot(2), taken(2);
    Device<unsigned> counters(2);
    slot.zero(), taken.zero(), counters.zero();
    exchange<<<threads / 128, 128>>>(slot, taken, counters);
    FINISH();
    auto s = slot.host(), t = taken.host();
    auto c = counters.host();
    bool chain = t[0] + s[0] == threads * (threads + 1) / 2 && t[1] == 1 && s[1] > 0;
    printf(chain ? "exch and cas ok\n" : "exch %d %d cas %d %d\n", t[0], s[0], t[1], s[1]);
    // Wrapping at 99: 4096 steps of 100.
    bool wrapped = c[0] == threads % 100 && c[1] == (100 - threads % 100) % 100;
    printf(wrapped ? "inc and dec ok\n" : "inc %u dec %u\n", c[0], c[1]);

    Device<int> lock(1), value(1);
    lock.zero(), value.zero();
    locked<<<16, 128>>>(lock, value);
    FINISH();
    bad |= compare("lock by cas", value.host(), [](int) { return 16 * 4; });
    return bad || !right || !chain || !wrapped;
}
