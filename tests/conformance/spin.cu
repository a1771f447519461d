// Threads that wait for one another: lanes of a warp, warps of a block, 2,000 blocks, kernels in two streams.
// flags: -arch=sm_80
// expect: lock 4096
// expect: try lock 2048
// expect: lanes in turn ok
// expect: lanes leave and store ok
// expect: lanes and a shuffle ok
// expect: ring ok
// expect: look-back ok
// expect: ping pong 200 200
#include "check.cuh"

// A lock that every lane of every warp takes, the classic way: the holder goes on inside the loop.
__global__ void lock(int *mutex, int *count) {
    for (int i = 0; i < 4; i++) {
        bool done = false;
        while (!done) {
            if (atomicCAS(mutex, 0, 1) == 0) {
                *(volatile int *)count = *(volatile int *)count + 1;
                __threadfence();
                atomicExch(mutex, 0);
                done = true;
            }
        }
    }
}

// The naive way, which hung before Volta: the holder has left the loop that others still go round.
__global__ void naive(int *mutex, int *count) {
    while (atomicCAS(mutex, 0, 1) != 0) {}
    *(volatile int *)count = *(volatile int *)count + 1;
    __threadfence();
    atomicExch(mutex, 0);
}

// Lane n waits for lane n - 1.
__global__ void turns(int *out) {
    __shared__ volatile int turn;
    if (threadIdx.x == 0) turn = 0;
    __syncthreads();
    while (turn != threadIdx.x) {}
    out[threadIdx.x] = turn;
    turn = threadIdx.x + 1;
}

// The lane that is waited for leaves two loops, by a break and by a flag in a register.
__global__ void leave(int *out, volatile int *flags) {
    int n = threadIdx.x, seen = 0;
    for (int round = 0; round < 3; round++) {
        for (;;) {
            if (n == 31 - round * 7) break;
            if (flags[round] == round + 1) break;
            seen |= 0;
        }
        if (n == 31 - round * 7) {
            __threadfence();
            flags[round] = round + 1;
        }
        seen += flags[round];
    }
    out[n] = seen;
}

// Between such waits the warp meets.
__global__ void meet(int *out, volatile int *flag) {
    int n = threadIdx.x;
    if (n == 5) {
        for (int i = 0; i < 100; i++) __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0) {}
    }
    __syncwarp();
    out[n] = __shfl_sync(~0u, n, (n + 1) & 31) + __popc(__ballot_sync(~0u, *flag == 1));
}

// Two warps: one fills a ring, the other empties it.
__global__ void ring(int *out, int count) {
    __shared__ volatile int slot[8], head, tail;
    if (threadIdx.x == 0) head = tail = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 0; i < count; i++) {
            while (head - tail == 8) {}
            slot[i % 8] = i * 3;
            __threadfence_block();
            head = i + 1;
        }
    } else if (threadIdx.x == 32) {
        for (int i = 0; i < count; i++) {
            while (head == i) {}
            __threadfence_block();
            out[i] = slot[i % 8];
            tail = i + 1;
        }
    }
}

// Prefix sums over 2,000 blocks, each of which looks back at those before it.
__global__ void look_back(const int *in, int *out, volatile unsigned long long *state, int *ticket) {
    __shared__ int block, before;
    if (threadIdx.x == 0) block = atomicAdd(ticket, 1);
    __syncthreads();
    int b = block, v = in[b * 32 + threadIdx.x];
    for (int d = 1; d < 32; d *= 2) {
        int u = __shfl_up_sync(~0u, v, d);
        if (threadIdx.x >= d) v += u;
    }
    if (threadIdx.x == 31) {
        int sum = 0;
        state[b] = (b == 0 ? 2ull : 1ull) << 32 | (unsigned)v;
        for (int k = b - 1; k >= 0;) {
            unsigned long long s = state[k];
            if (s >> 32 == 0) continue;
            sum += (int)s;
            if (s >> 32 == 2) break;
            k--;
        }
        __threadfence();
        state[b] = 2ull << 32 | (unsigned)(sum + v);
        before = sum;
    }
    __syncthreads();
    out[b * 32 + threadIdx.x] = v + before;
}

// Two kernels in two streams hand a number back and forth.
__global__ void player(volatile int *ball, int *hits, int mine, int rounds) {
    int n = 0;
    for (int i = 0; i < rounds; i++) {
        while (*ball != 2 * i + mine) {}
        n++;
        __threadfence_system();
        *ball = 2 * i + mine + 1;
    }
    *hits = n;
}

int main() {
    Device<int> mutex(1), count(1);
    mutex.zero(), count.zero();
    lock<<<4, 256>>>(mutex, count);
    FINISH();
    printf("lock %d\n", count.host()[0]);
    count.zero();
    naive<<<32, 64>>>(mutex, count);
    FINISH();
    printf("try lock %d\n", count.host()[0]);
    Device<int> out(32), flags(4);
    turns<<<1, 32>>>(out);
    FINISH();
    compare("lanes in turn", out.host(), [](int i) { return i; });
    flags.zero();
    leave<<<1, 32>>>(out, flags);
    FINISH();
    compare("lanes leave and store", out.host(), [](int) { return 6; });
    flags.zero();
    meet<<<1, 32>>>(out, flags);
    FINISH();
    compare("lanes and a shuffle", out.host(), [](int i) { return ((i + 1) & 31) + 32; });
    Device<int> items(500);
    ring<<<1, 64>>>(items, 500);
    FINISH();
    compare("ring", items.host(), [](int i) { return i * 3; });
    const int blocks = 2000;
    std::vector<int> in(blocks * 32), want(blocks * 32);
    for (int i = 0, s = 0; i < blocks * 32; i++) want[i] = s += in[i] = i % 13 - 5;
    Device<int> data(in), sums(in.size()), ticket(1);
    Device<unsigned long long> state(blocks);
    ticket.zero(), state.zero();
    look_back<<<blocks, 32>>>(data, sums, state, ticket);
    FINISH();
    compare("look-back", sums.host(), [&](int i) { return want[i]; });
    Device<int> ball(1), hits(2);
    ball.zero();
    cudaStream_t a, b;
    CHECK(cudaStreamCreate(&a));
    CHECK(cudaStreamCreate(&b));
    player<<<1, 1, 0, a>>>(ball, hits, 0, 200);
    player<<<1, 1, 0, b>>>(ball, hits.data + 1, 1, 200);
    FINISH();
    printf("ping pong %d %d\n", hits.host()[0], hits.host()[1]);
}
