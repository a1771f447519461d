// One set of thirteen functions, implemented natively, in ISPC, OpenCL and CUDA; main.cpp times and checks any of them.
#pragma once
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

extern "C" {
extern const char *impl_name;
// Memory that the implementation's kernels reach, zeroed.
void *k_alloc(size_t bytes);
void k_free(void *p);
void k_vecadd(const float *a, const float *b, float *c, int n);
void k_sgemm_naive(const float *A, const float *B, float *C, int N);
void k_sgemm_tiled(const float *A, const float *B, float *C, int N);
void k_reduce(const float *x, float *out, int n);
void k_scan(const int *in, int *out, int *tmp, int n);
void k_nbody(const float *pos, float *acc, int n);
void k_mandel(int *out, int w, int h, int maxit);
void k_bs(const float *S, const float *X, const float *T, float *call, float *put, int n);
void k_hist(const unsigned *in, unsigned *bins, int nwords);
void k_jacobi(const float *in, float *out, int w, int h);
void k_transpose(const float *in, float *out, int w, int h);
void k_bitonic(int *d, int n);
void k_spmv(const int *rp, const int *ci, const float *v, const float *x, float *y, int n, int nnz);
}
