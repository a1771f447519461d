// Decoupled look-back, a grid barrier by atomics of the last block, named barriers, spinning warps.
// flags: -arch=sm_80
// expect: lookback ok
// expect: last 1
// expect: ws 42 122
#include "check.cuh"
__global__ void scan(const int *in, int *out, volatile unsigned long long *state, int *ticket, int n) {
    __shared__ int bid, prefix, s[256]; if (threadIdx.x == 0) bid = atomicAdd(ticket, 1); __syncthreads(); int b = bid, i = b * 256 + threadIdx.x; s[threadIdx.x] = i < n ? in[i] : 0; __syncthreads();
    for (int d = 1; d < 256; d *= 2) { int v = threadIdx.x >= d ? s[threadIdx.x - d] : 0; __syncthreads(); s[threadIdx.x] += v; __syncthreads(); }
    if (threadIdx.x == 0) { int agg = s[255]; if (b == 0) { state[0] = 2ull << 32 | (unsigned)agg; prefix = 0; } else { state[b] = 1ull << 32 | (unsigned)agg; __threadfence(); int p = 0; for (int k = b - 1;; ) { unsigned long long st = state[k]; if (!(st >> 32)) continue; p += (int)st; if (st >> 32 == 2) break; k--; } prefix = p; __threadfence(); state[b] = 2ull << 32 | (unsigned)(p + agg); } }
    __syncthreads(); if (i < n) out[i] = s[threadIdx.x] + prefix; }
__global__ void lastblock(const int *in, int *part, int *out, unsigned *cnt, int n) { __shared__ bool last; int s = 0; for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += in[i]; s = __reduce_add_sync(~0u, s); if (threadIdx.x == 0) { part[blockIdx.x] = s; __threadfence(); last = atomicInc(cnt, gridDim.x - 1) == gridDim.x - 1; } __syncthreads(); if (last) { int t = 0; for (int i = threadIdx.x; i < gridDim.x; i += 32) t += ((volatile int *)part)[i]; t = __reduce_add_sync(~0u, t); if (threadIdx.x == 0) *out = t; } }
__global__ void warpspec(int *o) { __shared__ volatile int flag; __shared__ int data; if (threadIdx.x == 0) flag = 0; __syncthreads(); if (threadIdx.x < 32) { if (threadIdx.x == 0) { data = 42; __threadfence_block(); flag = 1; } } else if (threadIdx.x < 64) { while (!flag) {} __threadfence_block(); o[threadIdx.x] = data; } asm volatile("bar.sync 1, 64;" :: : "memory"); o[threadIdx.x + 64] = __syncthreads_count(threadIdx.x % 3 == 0) + 100 * __syncthreads_or(threadIdx.x == 5); }
int main() {

    int n = 100000, nb = (n + 255) / 256; std::vector<int> h(n), w(n); int s = 0; for (int i = 0; i < n; i++) w[i] = s += h[i] = i % 11 - 3; Device<int> in(h), out(n), t(1); t.zero(); Device<unsigned long long> st(nb); st.zero(); scan<<<nb, 256>>>(in, out, st, t, n); FINISH(); compare("lookback", out.host(), [&](size_t i) { return w[i]; });
    Device<int> part(50), o(1); Device<unsigned> cnt(1); cnt.zero(); for (int i = 0; i < 5; i++) { lastblock<<<50, 32>>>(in, part, o, cnt, n); FINISH(); } printf("last %d\n", o.host()[0] == s);
    Device<int> ws(128); ws.zero(); warpspec<<<1, 64>>>(ws); FINISH(); auto W = ws.host(); printf("ws %d %d\n", W[40], W[100]);

}
