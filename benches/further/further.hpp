// Twenty further functions in the forms that benchmark suites use, natively and as CUDA kernels. main.cpp feeds both the
// same inputs, times them by turns and holds their results against each other.
#pragma once
#include <cstddef>
#include <cstdint>

// Sizes that both sides know.
const int LBM_SPEEDS = 19;
const int KMEANS_FEATURES = 16, KMEANS_CLUSTERS = 24;
const int FFT_POINTS = 1024;
const int FILTER_RADIUS = 8, FILTER_TAPS = 2 * FILTER_RADIUS + 1;
const int HEAD = 64; // Width of an attention head.
const int DIGIT_BITS = 4, DIGITS = 1 << DIGIT_BITS;
const int SORT_TILE = 1024;
const int FDTD_RADIUS = 4;
const int PATHS = 32; // Pairs of paths that one counter of the Monte Carlo walk stands for.

// `const` pointers are inputs. On the device's side all pointers are the device's.
#define FURTHER_FUNCTIONS                                                                                              \
    /* One step of D3Q19, periodic; arrays by speed, then z, y, x. */                                                  \
    void lbm(const float *in, float *out, int nx, int ny, int nz, float omega);                                        \
    /* One iteration; image, diffusion coefficients, four derivatives. */                                              \
    void srad(float *image, float *c, float *d, int w, int h, float q0, float lambda);                                 \
    /* `steps` steps; the result is in `temperature`. */                                                               \
    void hotspot(float *temperature, const float *power, float *other, int w, int h, int steps);                       \
    /* Levels from node 0; `level` starts as -1. `queue` has room for two frontiers, `count` for two numbers. */       \
    void bfs(const int *row, const int *edge, int *level, int *queue, int *count, int n);                              \
    /* Nearest centres of points by feature; sums and members of the clusters. */                                      \
    void kmeans(const float *points, const float *centres, int *member, float *sums, int *counts, int n);              \
    /* `batch` transforms of FFT_POINTS complex numbers; `roots` are the FFT_POINTS roots of unity. */                 \
    void fft(const float *in, float *out, const float *roots, int batch);                                              \
    void convolution(const float *in, float *out, float *between, const float *filter, int w, int h);                  \
    void softmax(const float *in, float *out, int rows, int width);                                                    \
    void layer_norm(const float *in, const float *scale, const float *shift, float *out, int rows, int width);         \
    /* Per head: `n` rows of HEAD numbers. */                                                                          \
    void attention(const float *q, const float *k, const float *v, float *out, int heads, int n);                      \
    /* c = a * transposed b; rows of n bytes. */                                                                       \
    void igemm(const int8_t *a, const int8_t *b, int32_t *c, int n);                                                   \
    /* A stable pass by the digit at `shift`; `counts` has DIGITS numbers per SORT_TILE keys. */                       \
    void radix_pass(const uint32_t *in, uint32_t *out, uint32_t *counts, int n, int shift);                            \
    /* Sums of runs of equal keys. `heads` has a number per 256 keys, and one more. */                                 \
    void reduce_by_key(const int *key, const int *value, int *keys, int *sums, int *heads, int n);                     \
    void fdtd3d(const float *in, float *out, const float *coefficient, int nx, int ny, int nz);                        \
    /* Sum of the payoffs of `counters` * PATHS * 2 paths. */                                                          \
    void monte_carlo(double *sum, int counters, uint32_t seed);                                                        \
    /* Where the pattern starts: a bit per position; and how often. */                                                 \
    void string_match(const uint8_t *text, const uint8_t *pattern, uint32_t *where, int *count, int n, int length);    \
    /* Digests of one-block messages: sixteen words each, word by word. */                                             \
    void sha256(const uint32_t *words, uint32_t *digests, int n);                                                      \
    /* Solutions behind each prefix: columns and two diagonals of the rows that are set. */                            \
    void queens(const uint32_t *prefix, uint32_t *solutions, int prefixes, int n, int rows_set);                       \
    /* Forward substitution by level; unit diagonal. `start` is the host's. */                                         \
    void triangular(const int *row, const int *column, const float *value, const int *order, const int *start,        \
                    int levels, const float *b, float *x);                                                             \
    /* The least node of each node's component. */                                                                     \
    void components(const int *row, const int *edge, int *parent, int n);

namespace native {
FURTHER_FUNCTIONS
}
namespace ours {
FURTHER_FUNCTIONS
}
