// Tiled products in dynamic shared memory, more than 48 KiB of it, and what the occupancy functions say.
// flags: -arch=sm_80
// expect: gemm16f ok
// expect: gemm32f ok
// expect: gemm8d ok
// expect: gemm32d ok
// expect: unset: cudaErrorInvalidValue
// expect: big shared ok
// expect: attrs 1024 102400 0 bin 90 ptx 80
// expect: occ 2
// expect: pot 264 1024
// expect: avail 102400
// expect: too big: cudaErrorInvalidValue
#include "check.cuh"
template <int T, class F> __global__ void gemm(const F *a, const F *b, F *c, int n) {
    extern __shared__ __align__(16) unsigned char raw[];
    F *as = reinterpret_cast<F *>(raw), *bs = as + T * T;
    int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * T + x, row = blockIdx.y * T + y;
    F s = 0;
    for (int t = 0; t < (n + T - 1) / T; t++) {
        as[y * T + x] = row < n && t * T + x < n ? a[row * n + t * T + x] : F(0);
        bs[y * T + x] = col < n && t * T + y < n ? b[(t * T + y) * n + col] : F(0);
        __syncthreads();
        for (int k = 0; k < T; k++) s += as[y * T + k] * bs[k * T + x];
        __syncthreads();
    }
    if (row < n && col < n) c[row * n + col] = s;
}
template <int T, class F> void run(const char *name, int n) {
    Random r(3); std::vector<F> a(n * n), b(n * n), w(n * n, 0);
    for (auto &v : a) v = r.unit(); for (auto &v : b) v = r.unit();
    for (int i = 0; i < n; i++) for (int k = 0; k < n; k++) for (int j = 0; j < n; j++) w[i * n + j] += a[i * n + k] * b[k * n + j];
    Device<F> da(a), db(b), dc(n * n);
    dim3 g((n + T - 1) / T, (n + T - 1) / T);
    gemm<T, F><<<g, dim3(T, T), 2 * T * T * sizeof(F)>>>(da, db, dc, n); FINISH();
    compare(name, dc.host(), [&](size_t i) { return w[i]; }, 1e-5);
}
__global__ void big(float *o, int n) {
    extern __shared__ float s[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = i;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) o[i] = s[n - 1 - i];
}
int main() {
    run<16, float>("gemm16f", 100); run<32, float>("gemm32f", 65); run<8, double>("gemm8d", 77); run<32, double>("gemm32d", 64);
    int n = 100 * 1024 / 4;
    Device<float> o(n);
    big<<<1, 256, n * 4>>>(o, n);
    printf("unset: %s\n", cudaGetErrorName(cudaGetLastError()));
    CHECK(cudaFuncSetAttribute(big, cudaFuncAttributeMaxDynamicSharedMemorySize, n * 4));
    big<<<1, 256, n * 4>>>(o, n); FINISH();
    compare("big shared", o.host(), [&](size_t i) { return n - 1 - i; });
    cudaFuncAttributes fa; CHECK(cudaFuncGetAttributes(&fa, big));
    printf("attrs %d %d %d bin %d ptx %d\n", fa.maxThreadsPerBlock, fa.maxDynamicSharedSizeBytes, (int)fa.sharedSizeBytes, fa.binaryVersion, fa.ptxVersion);
    int nb; CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&nb, big, 256, n * 4)); printf("occ %d\n", nb);
    int mg, bs; CHECK(cudaOccupancyMaxPotentialBlockSize(&mg, &bs, (void (*)(float *, int))big, 0, 0)); printf("pot %d %d\n", mg, bs);
    size_t dyn; CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&dyn, big, 2, 256)); printf("avail %zu\n", dyn);
    CHECK(cudaFuncSetCacheConfig(big, cudaFuncCachePreferShared));
    printf("too big: %s\n", cudaGetErrorName(cudaFuncSetAttribute(big, cudaFuncAttributeMaxDynamicSharedMemorySize, 300000)));
}
