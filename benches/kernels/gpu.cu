// The thirteen functions as CUDA kernels. Memory is managed: the host's checks and the kernels see the same bytes, and
// what is timed is launch, kernel and wait.
#include "harness.hpp"
#include "kernels.cuh"

static void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    exit(1);
}

static void finish() {
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
}

static int blocks(int n, int size) { return (n + size - 1) / size; }

extern "C" {
const char *impl_name = "ours";

void *k_alloc(size_t bytes) {
    void *p;
    check(cudaMallocManaged(&p, bytes));
    memset(p, 0, bytes);
    return p;
}
void k_free(void *p) { check(cudaFree(p)); }

void k_vecadd(const float *a, const float *b, float *c, int n) {
    kernels::vecadd<<<blocks(n, 256), 256>>>(a, b, c, n);
    finish();
}
void k_sgemm_naive(const float *A, const float *B, float *C, int N) {
    kernels::sgemm_naive<<<dim3(blocks(N, 16), blocks(N, 16)), dim3(16, 16)>>>(A, B, C, N);
    finish();
}
void k_sgemm_tiled(const float *A, const float *B, float *C, int N) {
    kernels::sgemm_tiled<<<dim3(N / 16, N / 16), dim3(16, 16)>>>(A, B, C, N);
    finish();
}
void k_reduce(const float *x, float *out, int n) {
    kernels::reduce<<<256, 256>>>(x, out, n);
    finish();
}
void k_scan(const int *in, int *out, int *tmp, int n) {
    // Three levels reach 2^30 elements; two of them reach what is measured.
    const int size = 1024;
    int count = blocks(n, size), upper = blocks(count, size);
    int *sums = tmp, *totals = tmp + count;
    kernels::scan_block<<<count, size>>>(in, out, sums, n);
    kernels::scan_block<<<upper, size>>>(sums, sums, totals, count);
    kernels::scan_block<<<1, size>>>(totals, totals, nullptr, upper);
    kernels::scan_add<<<upper, size>>>(sums, totals, count);
    kernels::scan_add<<<count, size>>>(out, sums, n);
    finish();
}
void k_nbody(const float *pos, float *acc, int n) {
    kernels::nbody<<<n / 256, 256>>>((const float4 *)pos, (float4 *)acc, n);
    finish();
}
void k_mandel(int *out, int w, int h, int maxit) {
    kernels::mandel<<<dim3(blocks(w, 32), blocks(h, 8)), dim3(32, 8)>>>(out, w, h, maxit);
    finish();
}
void k_bs(const float *S, const float *X, const float *T, float *call, float *put, int n) {
    kernels::blackscholes<<<blocks(n, 256), 256>>>(S, X, T, call, put, n);
    finish();
}
void k_hist(const unsigned *in, unsigned *bins, int nwords) {
    kernels::hist<<<256, 256>>>(in, bins, nwords);
    finish();
}
void k_jacobi(const float *in, float *out, int w, int h) {
    kernels::jacobi<<<dim3(blocks(w, 32), blocks(h, 8)), dim3(32, 8)>>>(in, out, w, h);
    finish();
}
void k_transpose(const float *in, float *out, int w, int h) {
    kernels::transpose<<<dim3(w / 32, h / 32), dim3(32, 8)>>>(in, out, w, h);
    finish();
}
void k_bitonic(int *d, int n) {
    for (int k = 2; k <= n; k *= 2)
        for (int j = k / 2; j; j /= 2) kernels::bitonic<<<n / 256, 256>>>(d, j, k);
    finish();
}
void k_spmv(const int *rp, const int *ci, const float *v, const float *x, float *y, int n, int) {
    kernels::spmv<<<blocks(n, 256), 256>>>(rp, ci, v, x, y, n);
    finish();
}
}
