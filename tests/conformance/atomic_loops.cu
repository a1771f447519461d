// Atomics by compare-and-swap loops, of shared memory, 16 bits, and wide ones.
// flags: -arch=sm_80
// expect: 1 1 1 | 1 1 1 1 | 1 1 1 | 1 1 | 1 1 1 1 1 1 | 1
#include "check.cuh"
__device__ double atomicMulD(double *a, double v) { unsigned long long *p = (unsigned long long *)a, old = *p, as; do { as = old; old = atomicCAS(p, as, __double_as_longlong(v * __longlong_as_double(as))); } while (as != old); return __longlong_as_double(old); }
__device__ float atomicMaxF(float *a, float v) { int *p = (int *)a, old = *p, as; do { as = old; old = atomicCAS(p, as, __float_as_int(fmaxf(v, __int_as_float(as)))); } while (as != old); return __int_as_float(old); }
__global__ void k(int *i, unsigned *u, float *f, double *d, unsigned long long *l, unsigned short *h) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ double sd; __shared__ float sf; __shared__ unsigned long long sl; __shared__ int si;
    if (threadIdx.x == 0) { sd = 0; sf = 0; sl = 0; si = 0; } __syncthreads();
    atomicAdd(&sd, t * 0.5); atomicAdd(&sf, 1.f); atomicMax(&sl, (unsigned long long)t << 34); atomicSub(&si, t);
    __syncthreads();
    if (threadIdx.x == 0) { atomicAdd(d, sd); atomicAdd(f, sf); atomicMax(l, sl); atomicAdd(i, si); }
    atomicMulD(d + 1, t % 2 ? 2.0 : 0.5); atomicMaxF(f + 1, (t * 7919) % 10007);
    atomicMin((long long *)(l + 1), -(long long)t); atomicXor(l + 2, 1ull << (t % 64)); atomicAnd(l + 3, ~(1ull << t % 60)); atomicOr(l + 4, 1ull << t % 50);
    atomicInc(u, 1000); atomicDec(u + 1, 77); atomicAdd_system(u + 2, 3u); atomicAdd_block(u + 3, 1u);
    atomicExch(f + 2, 5.f); atomicExch(l + 5, 9ull);
    unsigned short old = *h, as; do { as = old; old = atomicCAS(h, as, (unsigned short)(as + 1)); } while (as != old);
    atomicAdd(&i[2 + t % 10], 1); // returned unused: red
    i[20 + atomicAdd(&i[1], 1)] = 1;
}
int main() {
    const int N = 64 * 128; Device<int> i(20 + N); Device<unsigned> u(4); Device<float> f(3); Device<double> d(2);
    Device<unsigned short> h(2); h.zero(); i.zero(); u.zero(); f.zero();
    Device<unsigned long long> l(std::vector<unsigned long long>{0, 0, 0, ~0ull, 0, 0});
    double init[2] = {0, 1}; CHECK(cudaMemcpy(d, init, 16, cudaMemcpyHostToDevice));
    k<<<64, 128>>>(i, u, f, d, l, h); FINISH();
    auto I = i.host(); auto U = u.host(); auto F = f.host(); auto D = d.host(); auto L = l.host(); auto H = h.host();
    long long sum = (long long)N * (N - 1) / 2; int one = 0; for (int k = 0; k < N; k++) one += I[20 + k];
    float fm = 0; for (int t = 0; t < N; t++) fm = fmaxf(fm, (t * 7919) % 10007);
    unsigned dec = 0; for (int t = 0; t < N; t++) dec = dec == 0 || dec > 77 ? 77 : dec - 1;
    printf("%d %d %d | %d %d %d %d | %d %d %d | %d %d | %d %d %d %d %d %d | %d\n", I[0] == int(-sum), one == N, I[2] == (N + 9) / 10, U[0] == N % 1001, U[1] == dec, U[2] == 3 * N, U[3] == N,
        F[0] == N, F[1] == fm, F[2] == 5, D[0] == sum * 0.5, D[1] == 1, L[0] == (unsigned long long)(N - 1) << 34, (long long)L[1] == -(N - 1), L[2] == 0, L[3] == 0xf000000000000000ull, L[4] == (1ull << 50) - 1, L[5] == 9, H[0] == N);
}
