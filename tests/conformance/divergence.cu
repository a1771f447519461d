// Lanes that go different ways, leave early, and loop different numbers of times.
// expect: early exit ok
// expect: nested branches ok
// expect: loops of different lengths ok
// expect: break and continue ok
// expect: switch ok
// expect: recursion ok
// expect: barrier after an early exit of whole warps ok
#include "check.cuh"

__global__ void early_exit(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (i % 3 == 0) {
        out[i] = -i;
        return;
    }
    out[i] = i;
}

__global__ void nested(int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = 0;
    if (i & 1) {
        v += 1;
        if (i & 2) v += 10;
        else if (i & 4) v += 100;
        v *= 2;
    } else {
        if (i & 8) v -= 1;
        v -= i;
    }
    out[i] = v;
}

__global__ void collatz(int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, steps = 0;
    for (unsigned v = i + 1; v != 1; steps++) v = v & 1 ? 3 * v + 1 : v / 2;
    out[i] = steps;
}

__global__ void jumps(int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (int k = 0; k < 100; k++) {
        if ((k + i) % 3 == 0) continue;
        if (k > i % 50) break;
        sum += k;
    }
    out[i] = sum;
}

__global__ void cases(int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, v;
    switch (i % 7) {
    case 0: v = 3; break;
    case 1: v = i; // falls through
    case 2: v = i * 2; break;
    case 3: v = i ^ 5; break;
    case 5: v = -i; break;
    default: v = 1000;
    }
    out[i] = v;
}

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void recursion(int *out) { out[threadIdx.x] = fibonacci(threadIdx.x % 12); }

__global__ void barrier(int *out) {
    __shared__ int slot[64];
    // Warps 2 and 3 leave; the barrier waits for those that remain.
    if (threadIdx.x >= 64) return;
    slot[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = slot[63 - threadIdx.x];
}

static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

int main() {
    const int n = 1000, padded = 1024;
    Device<int> out(padded);
    out.zero();
    early_exit<<<4, 256>>>(out, n);
    FINISH();
    int bad = compare("early exit", out.host(), [](int i) { return i >= n ? 0 : i % 3 ? i : -i; });
    nested<<<4, 256>>>(out);
    FINISH();
    bad |= compare("nested branches", out.host(), [](int i) {
        return i & 1 ? 2 * (1 + (i & 2 ? 10 : i & 4 ? 100 : 0)) : -i - (i & 8 ? 1 : 0);
    });
    collatz<<<4, 256>>>(out);
    FINISH();
    bad |= compare("loops of different lengths", out.host(), [](int i) {
        int steps = 0;
        for (unsigned v = i + 1; v != 1; steps++) v = v & 1 ? 3 * v + 1 : v / 2;
        return steps;
    });
    jumps<<<4, 256>>>(out);
    FINISH();
    bad |= compare("break and continue", out.host(), [](int i) {
        int sum = 0;
        for (int k = 0; k < 100; k++) {
            if ((k + i) % 3 == 0) continue;
            if (k > i % 50) break;
            sum += k;
        }
        return sum;
    });
    cases<<<4, 256>>>(out);
    FINISH();
    bad |= compare("switch", out.host(), [](int i) {
        switch (i % 7) {
        case 0: return 3;
        case 1:
        case 2: return i * 2;
        case 3: return i ^ 5;
        case 5: return -i;
        default: return 1000;
        }
    });
    Device<int> few(64);
    recursion<<<1, 64>>>(few);
    FINISH();
    bad |= compare("recursion", few.host(), [](int i) { return fib(i % 12); });
    barrier<<<1, 128>>>(few);
    FINISH();
    bad |= compare("barrier after an early exit of whole warps", few.host(), [](int i) { return 63 - i; });
    return bad;
}
