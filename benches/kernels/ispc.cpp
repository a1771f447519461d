#include "harness.hpp"
#include <omp.h>
extern "C" {
const char *impl_name = "ispc";
void i_vecadd(const float *, const float *, float *, int, int);
void i_sgemm_naive(const float *, const float *, float *, int, int, int);
void i_sgemm_tiled(const float *, const float *, float *, int, int, int);
float i_reduce(const float *, int, int);
int i_scan(const int *, int *, int, int, int);
int i_sum(const int *, int, int);
void i_nbody(const float *, float *, int, int, int);
void i_mandel(int *, int, int, int, int, int);
void i_bs(const float *, const float *, const float *, float *, float *, int, int);
void i_hist(const unsigned *, unsigned *, int, int);
void i_jacobi(const float *, float *, int, int, int);
void i_transpose(const float *, float *, int, int, int, int);
void i_bitonic(int *, int, int, int, int);
void i_spmv(const int *, const int *, const float *, const float *, float *, int, int);
void *k_alloc(size_t bytes) {
    bytes = (bytes + 4095) / 4096 * 4096;
    void *p = aligned_alloc(4096, bytes);
    memset(p, 0, bytes);
    return p;
}
void k_free(void *p) { free(p); }

#define SL(n, ch, stmt)                                                                                                \
    {                                                                                                                  \
        int _n = n, _c = ch;                                                                                           \
        _Pragma("omp parallel for schedule(dynamic,1)") for (int lo = 0; lo < _n; lo += _c) {                          \
            int hi = std::min(_n, lo + _c);                                                                            \
            stmt;                                                                                                      \
        }                                                                                                              \
    }
void k_vecadd(const float *a, const float *b, float *c, int n)
    SL(n, (n + 7) / 8, i_vecadd(a, b, c, lo, hi)) void k_sgemm_naive(const float *A, const float *B, float *C, int N)
        SL(N, 8, i_sgemm_naive(A, B, C, N, lo, hi)) void k_sgemm_tiled(const float *A, const float *B, float *C, int N)
            SL(N, 8, i_sgemm_tiled(A, B, C, N, lo, hi)) void k_reduce(const float *x, float *o, int n) {
    float s = 0;
    int c = (n + 7) / 8;
#pragma omp parallel for reduction(+ : s)
    for (int lo = 0; lo < n; lo += c) s += i_reduce(x, lo, std::min(n, lo + c));
    o[0] += s;
}
void k_scan(const int *in, int *out, int *, int n) {
    int p[3] = {0};
#pragma omp parallel num_threads(2)
    {
        int t = omp_get_thread_num();
        int lo = (size_t)n * t / 2, hi = (size_t)n * (t + 1) / 2;
        if (t == 0) p[1] = i_sum(in, lo, hi);
#pragma omp barrier
        i_scan(in, out, t ? p[1] : 0, lo, hi);
    }
}
void k_nbody(const float *p, float *a, int n)
    SL(n, n / 8, i_nbody(p, a, n, lo, hi)) void k_mandel(int *o, int w, int h, int m)
        SL(h, 4, i_mandel(o, w, h, m, lo, hi)) void k_bs(const float *S, const float *X, const float *T, float *c,
                                                         float *p, int n)
            SL(n, n / 8, i_bs(S, X, T, c, p, lo, hi)) void k_hist(const unsigned *in, unsigned *bins, int n) {
#pragma omp parallel
    {
        unsigned h[256];
        int t = omp_get_thread_num(), T = omp_get_num_threads();
        i_hist(in, h, (size_t)n * t / T, (size_t)n * (t + 1) / T);
#pragma omp critical
        for (int i = 0; i < 256; i++) bins[i] += h[i];
    }
}
void k_jacobi(const float *in, float *out, int w, int h)
    SL(h - 2, 64, i_jacobi(in, out, w, lo + 1, hi + 1)) void k_transpose(const float *in, float *out, int w, int h)
        SL(h, 64, i_transpose(in, out, w, h, lo, hi)) void k_bitonic(int *d, int n) {
    for (int k = 2; k <= n; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) SL(n / 2, n / 8, i_bitonic(d, j, k, lo, hi))
}
void k_spmv(const int *rp, const int *ci, const float *v, const float *x, float *y, int n, int)
    SL(n, 512, i_spmv(rp, ci, v, x, y, lo, hi))
}
