// The same functions as an expert writes them for a CPU: OpenMP over cores, vectors by the compiler where its own are as
// good, by hand where they are not.
#include "further.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <immintrin.h>
#include <omp.h>
#include <vector>

namespace native {

const int SX[LBM_SPEEDS] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
const int SY[LBM_SPEEDS] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
const int SZ[LBM_SPEEDS] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};

// Rows of each speed from where it streams, shifted in x by the reader.
template <bool EDGE>
static inline void lbm_cells(const float *const *from, float *const *to, int first, int last, int nx, float omega) {
#pragma omp simd
    for (int x = first; x < last; x++) {
        float f[LBM_SPEEDS], rho = 0, ux = 0, uy = 0, uz = 0;
#pragma GCC unroll 19
        for (int i = 0; i < LBM_SPEEDS; i++) {
            int sx = x - SX[i];
            if (EDGE) sx = sx < 0 ? nx - 1 : sx == nx ? 0 : sx;
            f[i] = from[i][sx];
            rho += f[i];
            ux += f[i] * SX[i];
            uy += f[i] * SY[i];
            uz += f[i] * SZ[i];
        }
        float inverse = 1.f / rho;
        ux *= inverse, uy *= inverse, uz *= inverse;
        float square = 1.5f * (ux * ux + uy * uy + uz * uz);
#pragma GCC unroll 19
        for (int i = 0; i < LBM_SPEEDS; i++) {
            float weight = i == 0 ? 1.f / 3 : i < 7 ? 1.f / 18 : 1.f / 36;
            float along = 3.f * (SX[i] * ux + SY[i] * uy + SZ[i] * uz);
            to[i][x] = f[i] + omega * (weight * rho * (1.f + along + 0.5f * along * along - square) - f[i]);
        }
    }
}

void lbm(const float *in, float *out, int nx, int ny, int nz, float omega) {
    size_t cells = size_t(nx) * ny * nz;
#pragma omp parallel for collapse(2) schedule(static)
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++) {
            const float *from[LBM_SPEEDS];
            float *to[LBM_SPEEDS];
            for (int i = 0; i < LBM_SPEEDS; i++) {
                int sy = (y - SY[i] + ny) % ny, sz = (z - SZ[i] + nz) % nz;
                from[i] = in + i * cells + (size_t(sz) * ny + sy) * nx;
                to[i] = out + i * cells + (size_t(z) * ny + y) * nx;
            }
            lbm_cells<true>(from, to, 0, 1, nx, omega);
            lbm_cells<false>(from, to, 1, nx - 1, nx, omega);
            lbm_cells<true>(from, to, nx - 1, nx, nx, omega);
        }
}

// Both kernels need two rows of coefficients only, but the arrays are results of the first: they are written.
void srad(float *image, float *c, float *d, int w, int h, float q0, float lambda) {
    size_t n = size_t(w) * h;
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (int y = 0; y < h; y++) {
            const float *row = image + size_t(y) * w, *up = image + size_t(std::max(y - 1, 0)) * w,
                        *down = image + size_t(std::min(y + 1, h - 1)) * w;
            float *o = c + size_t(y) * w, *d0 = d + size_t(y) * w, *d1 = d0 + n, *d2 = d1 + n, *d3 = d2 + n;
            auto cell = [&](int x, int l, int r) __attribute__((always_inline)) {
                float j = row[x], dn = up[x] - j, ds = down[x] - j, dw = row[l] - j, de = row[r] - j;
                float g2 = (dn * dn + ds * ds + dw * dw + de * de) / (j * j), s = (dn + ds + dw + de) / j;
                float above = 0.5f * g2 - (1.f / 16) * (s * s), below = 1 + 0.25f * s, q = above / (below * below);
                float v = 1.f / (1.f + (q - q0) / (q0 * (1 + q0)));
                o[x] = std::min(std::max(v, 0.f), 1.f);
                d0[x] = dn, d1[x] = ds, d2[x] = dw, d3[x] = de;
            };
            cell(0, 0, 1);
#pragma omp simd
            for (int x = 1; x < w - 1; x++) cell(x, x - 1, x + 1);
            cell(w - 1, w - 2, w - 1);
        }
#pragma omp for schedule(static)
        for (int y = 0; y < h; y++) {
            float *row = image + size_t(y) * w;
            const float *here = c + size_t(y) * w, *south = c + size_t(std::min(y + 1, h - 1)) * w;
            const float *d0 = d + size_t(y) * w, *d1 = d0 + n, *d2 = d1 + n, *d3 = d2 + n;
#pragma omp simd
            for (int x = 0; x < w - 1; x++)
                row[x] += 0.25f * lambda * (here[x] * d0[x] + south[x] * d1[x] + here[x] * d2[x] + here[x + 1] * d3[x]);
            int x = w - 1;
            row[x] += 0.25f * lambda * (here[x] * d0[x] + south[x] * d1[x] + here[x] * d2[x] + here[x] * d3[x]);
        }
    }
}

void hotspot(float *temperature, const float *power, float *other, int w, int h, int steps) {
    float *from = temperature, *to = other;
#pragma omp parallel firstprivate(from, to)
    for (int s = 0; s < steps; s++) {
#pragma omp for schedule(static)
        for (int y = 0; y < h; y++) {
            const float *row = from + size_t(y) * w, *up = from + size_t(std::max(y - 1, 0)) * w,
                        *down = from + size_t(std::min(y + 1, h - 1)) * w, *p = power + size_t(y) * w;
            float *o = to + size_t(y) * w;
            auto cell = [&](int x, int l, int r) __attribute__((always_inline)) {
                float t = row[x];
                o[x] = t + 0.1f * (p[x] + (down[x] + up[x] - 2.f * t) + (row[r] + row[l] - 2.f * t) + (80.f - t) * 0.05f);
            };
            cell(0, 0, 1);
#pragma omp simd
            for (int x = 1; x < w - 1; x++) cell(x, x - 1, x + 1);
            cell(w - 1, w - 2, w - 1);
        }
        std::swap(from, to);
    }
    if (steps & 1) memcpy(temperature, other, sizeof(float) * w * h);
}

void bfs(const int *row, const int *edge, int *level, int *queue, int *count, int n) {
    int *frontier = queue, *next = queue + n, size = 1, filled = 0;
    frontier[0] = 0;
    level[0] = 0;
    int depth = 1;
#pragma omp parallel
    {
        std::vector<int> mine;
        while (size > 0) {
            mine.clear();
#pragma omp for schedule(dynamic, 512) nowait
            for (int i = 0; i < size; i++) {
                int node = frontier[i];
                for (int k = row[node]; k < row[node + 1]; k++) {
                    int other = edge[k], fresh = -1;
                    if (__atomic_load_n(&level[other], __ATOMIC_RELAXED) < 0 &&
                        __atomic_compare_exchange_n(&level[other], &fresh, depth, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
                        mine.push_back(other);
                }
            }
            int at = __atomic_fetch_add(&filled, int(mine.size()), __ATOMIC_RELAXED);
            std::copy(mine.begin(), mine.end(), next + at);
#pragma omp barrier
#pragma omp single
            {
                size = filled;
                filled = 0;
                depth++;
                std::swap(frontier, next);
            }
        }
    }
    *count = 0;
}

void kmeans(const float *points, const float *centres, int *member, float *sums, int *counts, int n) {
    const int B = 64;
#pragma omp parallel
    {
        float sum[KMEANS_CLUSTERS][KMEANS_FEATURES] = {};
        int count[KMEANS_CLUSTERS] = {};
#pragma omp for schedule(static)
        for (int first = 0; first < n; first += B) {
            float least[B], tile[KMEANS_FEATURES][B];
            int best[B];
            for (int f = 0; f < KMEANS_FEATURES; f++)
                for (int i = 0; i < B; i++) tile[f][i] = points[size_t(f) * n + first + i];
            for (int i = 0; i < B; i++) least[i] = 3e38f, best[i] = 0;
            for (int c = 0; c < KMEANS_CLUSTERS; c++) {
                float distance[B] = {};
                for (int f = 0; f < KMEANS_FEATURES; f++) {
                    float centre = centres[c * KMEANS_FEATURES + f];
                    for (int i = 0; i < B; i++) {
                        float d = tile[f][i] - centre;
                        distance[i] += d * d;
                    }
                }
                for (int i = 0; i < B; i++) {
                    best[i] = distance[i] < least[i] ? c : best[i];
                    least[i] = std::min(distance[i], least[i]);
                }
            }
            for (int i = 0; i < B; i++) {
                member[first + i] = best[i];
                count[best[i]]++;
                for (int f = 0; f < KMEANS_FEATURES; f++) sum[best[i]][f] += tile[f][i];
            }
        }
#pragma omp critical
        for (int c = 0; c < KMEANS_CLUSTERS; c++) {
            counts[c] += count[c];
            for (int f = 0; f < KMEANS_FEATURES; f++) sums[c * KMEANS_FEATURES + f] += sum[c][f];
        }
    }
}

// A vector's worth of transforms at once: numbers of a point side by side, so that no step shuffles.
void fft(const float *in, float *out, const float *roots, int batch) {
#if defined(__AVX512F__)
    const int W = 16;
#else
    const int W = 8;
#endif
    typedef float Vec __attribute__((vector_size(W * 4)));
    const int N = FFT_POINTS, Q = N / 4;
    struct Point {
        Vec re, im;
    };
#pragma omp parallel
    {
        std::vector<Point> space(2 * N + 1);
        Point *a = space.data(), *b = a + N;
#pragma omp for schedule(static)
        for (int first = 0; first < batch; first += W) {
            for (int i = 0; i < N; i++)
                for (int l = 0; l < W; l++) {
                    a[i].re[l] = in[(size_t(first + l) * N + i) * 2];
                    a[i].im[l] = in[(size_t(first + l) * N + i) * 2 + 1];
                }
            Point *from = a, *to = b;
            for (int s = 1; s < N; s *= 4) {
                for (int p = 0; p < Q / s; p++) {
                    const float *r1 = roots + 2 * p * s, *r2 = roots + 4 * p * s, *r3 = roots + 6 * p * s;
                    for (int q = 0; q < s; q++) {
                        int t = p * s + q, at = q + 4 * p * s;
                        Point x0 = from[t], x1 = from[t + Q], x2 = from[t + 2 * Q], x3 = from[t + 3 * Q];
                        Vec ur = x0.re + x2.re, ui = x0.im + x2.im, vr = x0.re - x2.re, vi = x0.im - x2.im;
                        Vec rr = x1.re + x3.re, ri = x1.im + x3.im, wr = x1.im - x3.im, wi = x3.re - x1.re;
                        to[at] = {ur + rr, ui + ri};
                        Vec r = vr + wr, i = vi + wi;
                        to[at + s] = {r * r1[0] - i * r1[1], r * r1[1] + i * r1[0]};
                        r = ur - rr, i = ui - ri;
                        to[at + 2 * s] = {r * r2[0] - i * r2[1], r * r2[1] + i * r2[0]};
                        r = vr - wr, i = vi - wi;
                        to[at + 3 * s] = {r * r3[0] - i * r3[1], r * r3[1] + i * r3[0]};
                    }
                }
                std::swap(from, to);
            }
            for (int l = 0; l < W; l++)
                for (int i = 0; i < N; i++) {
                    out[(size_t(first + l) * N + i) * 2] = from[i].re[l];
                    out[(size_t(first + l) * N + i) * 2 + 1] = from[i].im[l];
                }
        }
    }
}

// Rows and columns by one pass over bands of rows: what is between stays in the cache.
void convolution(const float *in, float *out, float *, const float *filter, int w, int h) {
    const int R = FILTER_RADIUS, BAND = 32;
#pragma omp parallel
    {
        std::vector<float> padded(w + 2 * R), between(size_t(w) * (BAND + 2 * R));
#pragma omp for schedule(static)
        for (int first = 0; first < h; first += BAND) {
            int last = std::min(first + BAND, h);
            for (int y = first - R; y < last + R; y++) {
                float *o = &between[size_t(y - first + R) * w];
                if (y < 0 || y >= h) {
                    memset(o, 0, sizeof(float) * w);
                    continue;
                }
                memcpy(&padded[R], in + size_t(y) * w, sizeof(float) * w);
                const float *p = &padded[R];
#pragma omp simd
                for (int x = 0; x < w; x++) {
                    float v = 0;
#pragma GCC unroll 17
                    for (int k = -R; k <= R; k++) v += filter[R - k] * p[x + k];
                    o[x] = v;
                }
            }
            for (int y = first; y < last; y++) {
                const float *b = &between[size_t(y - first) * w];
                float *o = out + size_t(y) * w;
#pragma omp simd
                for (int x = 0; x < w; x++) {
                    float v = 0;
#pragma GCC unroll 17
                    for (int k = 0; k < FILTER_TAPS; k++) v += filter[2 * R - k] * b[size_t(k) * w + x];
                    o[x] = v;
                }
            }
        }
    }
}

void softmax(const float *in, float *out, int rows, int width) {
#pragma omp parallel for schedule(static)
    for (int r = 0; r < rows; r++) {
        const float *x = in + size_t(r) * width;
        float *o = out + size_t(r) * width, top = -3e38f, sum = 0;
#pragma omp simd reduction(max : top)
        for (int i = 0; i < width; i++) top = std::max(top, x[i]);
#pragma omp simd reduction(+ : sum)
        for (int i = 0; i < width; i++) {
            float e = expf(x[i] - top);
            o[i] = e;
            sum += e;
        }
        float scale = 1.f / sum;
#pragma omp simd
        for (int i = 0; i < width; i++) o[i] *= scale;
    }
}

void layer_norm(const float *in, const float *scale, const float *shift, float *out, int rows, int width) {
#pragma omp parallel for schedule(static)
    for (int r = 0; r < rows; r++) {
        const float *x = in + size_t(r) * width;
        float *o = out + size_t(r) * width, sum = 0, square = 0;
#pragma omp simd reduction(+ : sum)
        for (int i = 0; i < width; i++) sum += x[i];
        float mean = sum / width;
#pragma omp simd reduction(+ : square)
        for (int i = 0; i < width; i++) square += (x[i] - mean) * (x[i] - mean);
        float f = 1.f / std::sqrt(square / width + 1e-5f);
#pragma omp simd
        for (int i = 0; i < width; i++) o[i] = (x[i] - mean) * f * scale[i] + shift[i];
    }
}

// Tiles of queries and keys: scores with the queries' numbers broadcast and the keys across, then the values.
void attention(const float *q, const float *k, const float *v, float *out, int heads, int n) {
    const int M = 4, T = 64;
#pragma omp parallel
    {
        std::vector<float> across(size_t(HEAD) * n);
#pragma omp for schedule(static)
        for (int head = 0; head < heads; head++) {
            const float *hq = q + size_t(head) * n * HEAD, *hk = k + size_t(head) * n * HEAD, *hv = v + size_t(head) * n * HEAD;
            for (int j = 0; j < n; j++)
                for (int d = 0; d < HEAD; d++) across[(size_t(j / T) * HEAD + d) * T + j % T] = hk[size_t(j) * HEAD + d];
            for (int i = 0; i < n; i += M) {
                float sum[M][HEAD] = {}, top[M], total[M] = {};
                for (int m = 0; m < M; m++) top[m] = -3e38f;
                for (int j = 0; j < n; j += T) {
                    float s[M][T];
                    const float *keys = &across[size_t(j) * HEAD];
                    for (int half = 0; half < T; half += 16) {
                        typedef float V __attribute__((vector_size(32), aligned(4)));
                        V acc[M][2] = {};
                        for (int d = 0; d < HEAD; d++) {
                            V k0 = *(const V *)(keys + d * T + half), k1 = *(const V *)(keys + d * T + half + 8);
#pragma GCC unroll 4
                            for (int m = 0; m < M; m++) {
                                float x = hq[size_t(i + m) * HEAD + d];
                                acc[m][0] += x * k0;
                                acc[m][1] += x * k1;
                            }
                        }
                        for (int m = 0; m < M; m++) {
                            *(V *)&s[m][half] = acc[m][0] * 0.125f;
                            *(V *)&s[m][half + 8] = acc[m][1] * 0.125f;
                        }
                    }
                    for (int m = 0; m < M; m++) {
                        float most = top[m], part = 0;
#pragma omp simd reduction(max : most)
                        for (int x = 0; x < T; x++) most = std::max(most, s[m][x]);
#pragma omp simd reduction(+ : part)
                        for (int x = 0; x < T; x++) {
                            s[m][x] = expf(s[m][x] - most);
                            part += s[m][x];
                        }
                        float shrink = expf(top[m] - most);
                        total[m] = total[m] * shrink + part;
                        top[m] = most;
                        for (int d = 0; d < HEAD; d++) sum[m][d] *= shrink;
                    }
                    for (int half = 0; half < HEAD; half += 16) {
                        typedef float V __attribute__((vector_size(32), aligned(4)));
                        V acc[M][2];
                        for (int m = 0; m < M; m++) acc[m][0] = *(V *)&sum[m][half], acc[m][1] = *(V *)&sum[m][half + 8];
                        for (int x = 0; x < T; x++) {
                            const float *row = hv + size_t(j + x) * HEAD + half;
                            V v0 = *(const V *)row, v1 = *(const V *)(row + 8);
#pragma GCC unroll 4
                            for (int m = 0; m < M; m++) {
                                acc[m][0] += s[m][x] * v0;
                                acc[m][1] += s[m][x] * v1;
                            }
                        }
                        for (int m = 0; m < M; m++) *(V *)&sum[m][half] = acc[m][0], *(V *)&sum[m][half + 8] = acc[m][1];
                    }
                }
                for (int m = 0; m < M; m++)
                    for (int d = 0; d < HEAD; d++) out[(size_t(head) * n + i + m) * HEAD + d] = sum[m][d] / total[m];
            }
        }
    }
}

// Bytes widened once to 16 bits in panels; pairs are multiplied and added by one instruction (without VNNI the fastest
// exact way for signed bytes).
void igemm(const int8_t *a, const int8_t *b, int32_t *c, int n) {
    std::vector<int16_t> wide(size_t(n) * n + 32);
    // b by blocks of 8 columns: for each pair of k, 8 columns' pairs.
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (int j = 0; j < n; j += 8)
            for (int k = 0; k < n; k += 2)
                for (int l = 0; l < 8; l++) {
                    wide[size_t(j) * n + k * 8 + 2 * l] = b[size_t(j + l) * n + k];
                    wide[size_t(j) * n + k * 8 + 2 * l + 1] = b[size_t(j + l) * n + k + 1];
                }
        std::vector<int32_t> pairs(size_t(n) / 2 * 4);
#pragma omp for schedule(static)
        for (int i = 0; i < n; i += 4) {
            for (int k = 0; k < n; k += 2)
                for (int m = 0; m < 4; m++)
                    pairs[k * 2 + m] = int32_t(uint16_t(int16_t(a[size_t(i + m) * n + k])) |
                                               uint32_t(uint16_t(int16_t(a[size_t(i + m) * n + k + 1]))) << 16);
            for (int j = 0; j < n; j += 16) {
                __m256i sum[4][2];
                for (int m = 0; m < 4; m++) sum[m][0] = sum[m][1] = _mm256_setzero_si256();
                const int16_t *b0 = &wide[size_t(j) * n], *b1 = &wide[size_t(j + 8) * n];
                for (int k = 0; k < n; k += 2) {
                    __m256i v0 = _mm256_loadu_si256((const __m256i *)(b0 + k * 8)), v1 = _mm256_loadu_si256((const __m256i *)(b1 + k * 8));
#pragma GCC unroll 4
                    for (int m = 0; m < 4; m++) {
                        __m256i x = _mm256_set1_epi32(pairs[k * 2 + m]);
                        sum[m][0] = _mm256_add_epi32(sum[m][0], _mm256_madd_epi16(x, v0));
                        sum[m][1] = _mm256_add_epi32(sum[m][1], _mm256_madd_epi16(x, v1));
                    }
                }
                for (int m = 0; m < 4; m++) {
                    _mm256_storeu_si256((__m256i *)(c + size_t(i + m) * n + j), sum[m][0]);
                    _mm256_storeu_si256((__m256i *)(c + size_t(i + m) * n + j + 8), sum[m][1]);
                }
            }
        }
    }
}

void radix_pass(const uint32_t *in, uint32_t *out, uint32_t *counts, int n, int shift) {
    (void)counts;
    uint32_t bins[64][DIGITS] = {};
#pragma omp parallel
    {
        int t = omp_get_thread_num(), threads = omp_get_num_threads();
        size_t first = size_t(n) * t / threads, last = size_t(n) * (t + 1) / threads;
        uint32_t mine[4][DIGITS] = {};
        size_t i = first;
        for (; i + 4 <= last; i += 4)
            for (int k = 0; k < 4; k++) mine[k][in[i + k] >> shift & (DIGITS - 1)]++;
        for (; i < last; i++) mine[0][in[i] >> shift & (DIGITS - 1)]++;
        for (int d = 0; d < DIGITS; d++) bins[t][d] = mine[0][d] + mine[1][d] + mine[2][d] + mine[3][d];
#pragma omp barrier
        uint32_t at[DIGITS], base = 0;
        for (int d = 0; d < DIGITS; d++)
            for (int o = 0; o < threads; o++) {
                if (o == t) at[d] = base;
                base += bins[o][d];
            }
        for (i = first; i < last; i++) out[at[in[i] >> shift & (DIGITS - 1)]++] = in[i];
    }
}

void reduce_by_key(const int *key, const int *value, int *keys, int *sums, int *heads, int n) {
    (void)heads;
    int runs[65] = {};
#pragma omp parallel
    {
        int t = omp_get_thread_num(), threads = omp_get_num_threads();
        size_t first = size_t(n) * t / threads, last = size_t(n) * (t + 1) / threads;
        int count = first == 0 && n > 0;
#pragma omp simd reduction(+ : count)
        for (size_t i = std::max<size_t>(first, 1); i < last; i++) count += key[i] != key[i - 1];
        runs[t + 1] = count;
#pragma omp barrier
        int run = -1;
        for (int o = 0; o <= t; o++) run += runs[o];
        // What belongs to the run that an earlier thread began is added at the end.
        size_t i = first;
        int carried = 0, before = run;
        for (; i < last && i > 0 && key[i] == key[i - 1]; i++) carried += value[i];
        while (i < last) {
            int k = key[i], sum = 0;
            while (i < last && key[i] == k) sum += value[i++];
            keys[++run] = k;
            sums[run] = sum;
        }
#pragma omp barrier
        if (carried) __atomic_fetch_add(&sums[before], carried, __ATOMIC_RELAXED);
    }
}

void fdtd3d(const float *in, float *out, const float *coefficient, int nx, int ny, int nz) {
    const int R = FDTD_RADIUS;
    size_t line = nx + 2 * R, plane = line * (ny + 2 * R);
    float w[R + 1];
    for (int k = 0; k <= R; k++) w[k] = coefficient[k];
#pragma omp parallel for schedule(static)
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++) {
            size_t at = (z + R) * plane + (y + R) * line + R;
            const float *p = in + at;
            float *o = out + at;
#pragma omp simd
            for (int x = 0; x < nx; x++) {
                float v = w[0] * p[x];
#pragma GCC unroll 4
                for (int k = 1; k <= R; k++)
                    v += w[k] * (p[x - k] + p[x + k] + p[x - ptrdiff_t(k * line)] + p[x + k * line] + p[x - ptrdiff_t(k * plane)] + p[x + k * plane]);
                o[x] = v;
            }
        }
}

void monte_carlo(double *sum, int counters, uint32_t seed) {
    double total = 0;
#pragma omp parallel for schedule(static) reduction(+ : total)
    for (int i = 0; i < counters; i++) {
        float mine = 0;
#pragma omp simd reduction(+ : mine)
        for (int k = 0; k < PATHS; k++) {
            uint32_t c0 = i, c1 = k, c2 = 0, c3 = 0, k0 = seed, k1 = 0x1BD11BDAu;
#pragma GCC unroll 10
            for (int r = 0; r < 10; r++) {
                uint64_t p = uint64_t(c0) * 0xD2511F53u, q = uint64_t(c2) * 0xCD9E8D57u;
                uint32_t n0 = uint32_t(q >> 32) ^ c1 ^ k0, n2 = uint32_t(p >> 32) ^ c3 ^ k1;
                c1 = uint32_t(q), c3 = uint32_t(p), c0 = n0, c2 = n2;
                k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
            }
            float u = int(c0 >> 8) * (1.f / (1 << 24)) + 1.f / (1 << 25), a = int(c1 >> 8) * (6.2831853f / (1 << 24));
            float r = sqrtf(-2.f * logf(u)), s = sinf(a), t = cosf(a);
            mine += std::max(100.f * expf(-0.02f + 0.2f * r * s) - 100.f, 0.f);
            mine += std::max(100.f * expf(-0.02f + 0.2f * r * t) - 100.f, 0.f);
        }
        total += mine;
    }
    *sum += total;
}

// Thirty-two positions at once by the pattern's first two and last bytes; what is left is compared.
void string_match(const uint8_t *text, const uint8_t *pattern, uint32_t *where, int *count, int n, int length) {
    int total = 0;
    const __m256i b0 = _mm256_set1_epi8(char(pattern[0])), b1 = _mm256_set1_epi8(char(pattern[1])),
                  b2 = _mm256_set1_epi8(char(pattern[length - 1]));
#pragma omp parallel for schedule(static) reduction(+ : total)
    for (int i = 0; i < n; i += 32) {
        uint32_t found = 0, maybe;
        if (i + 32 + length <= n) {
            auto at = [&](int d) { return _mm256_loadu_si256((const __m256i *)(text + i + d)); };
            maybe = _mm256_movemask_epi8(_mm256_and_si256(
                _mm256_and_si256(_mm256_cmpeq_epi8(at(0), b0), _mm256_cmpeq_epi8(at(1), b1)), _mm256_cmpeq_epi8(at(length - 1), b2)));
        } else {
            maybe = 0;
            for (int k = 0; k < 32 && i + k + length <= n; k++) maybe |= 1u << k;
        }
        for (; maybe; maybe &= maybe - 1) {
            int k = __builtin_ctz(maybe);
            if (!memcmp(text + i + k, pattern, length)) found |= 1u << k;
        }
        where[i / 32] = found;
        total += __builtin_popcount(found);
    }
    *count += total;
}

const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
const uint32_t START[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

// Several messages in the lanes of a vector.
void sha256(const uint32_t *words, uint32_t *digests, int n) {
#if defined(__AVX512F__)
    const int W = 16;
#else
    const int W = 8;
#endif
    typedef uint32_t V __attribute__((vector_size(W * 4), aligned(4)));
#define ROTATED(v, by) ((v) >> (by) | (v) << (32 - (by)))
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i += W) {
        V w[16], s[8];
        for (int k = 0; k < 16; k++) w[k] = *(const V *)(words + size_t(k) * n + i);
        for (int k = 0; k < 8; k++) s[k] = START[k] - (V){};
#pragma GCC unroll 64
        for (int r = 0; r < 64; r++) {
            if (r >= 16) {
                V a = w[(r + 1) & 15], b = w[(r + 14) & 15];
                w[r & 15] += (ROTATED(a, 7) ^ ROTATED(a, 18) ^ a >> 3) + w[(r + 9) & 15] + (ROTATED(b, 17) ^ ROTATED(b, 19) ^ b >> 10);
            }
            V e = s[4], a = s[0];
            V t1 = s[7] + (ROTATED(e, 6) ^ ROTATED(e, 11) ^ ROTATED(e, 25)) + ((e & s[5]) ^ (~e & s[6])) + K[r] + w[r & 15];
            V t2 = (ROTATED(a, 2) ^ ROTATED(a, 13) ^ ROTATED(a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
            s[7] = s[6], s[6] = s[5], s[5] = s[4], s[4] = s[3] + t1, s[3] = s[2], s[2] = s[1], s[1] = s[0], s[0] = t1 + t2;
        }
        for (int k = 0; k < 8; k++) *(V *)(digests + size_t(k) * n + i) = s[k] + START[k];
    }
#undef ROTATED
}

static uint32_t place(uint32_t columns, uint32_t left, uint32_t right, uint32_t full, int rows) {
    uint32_t free = full & ~(columns | left | right);
    if (rows == 1) return __builtin_popcount(free);
    uint32_t found = 0;
    for (; free; free &= free - 1) {
        uint32_t bit = free & -free;
        found += place(columns | bit, (left | bit) << 1, (right | bit) >> 1, full, rows - 1);
    }
    return found;
}

void queens(const uint32_t *prefix, uint32_t *solutions, int prefixes, int n, int rows_set) {
#pragma omp parallel for schedule(dynamic, 16)
    for (int i = 0; i < prefixes; i++)
        solutions[i] = place(prefix[3 * i], prefix[3 * i + 1], prefix[3 * i + 2], (1u << n) - 1, n - rows_set);
}

void triangular(const int *row, const int *column, const float *value, const int *order, const int *start, int levels,
                const float *b, float *x) {
#pragma omp parallel
    for (int l = 0; l < levels; l++) {
#pragma omp for schedule(static)
        for (int i = start[l]; i < start[l + 1]; i++) {
            int r = order[i];
            float s = b[r];
            for (int k = row[r]; k < row[r + 1]; k++) s -= value[k] * x[column[k]];
            x[r] = s;
        }
    }
}

static inline int root(int i, int *parent) {
    int up = __atomic_load_n(&parent[i], __ATOMIC_RELAXED);
    while (up != i) {
        int next = __atomic_load_n(&parent[up], __ATOMIC_RELAXED);
        __atomic_store_n(&parent[i], next, __ATOMIC_RELAXED);
        i = up;
        up = next;
    }
    return i;
}

void components(const int *row, const int *edge, int *parent, int n) {
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (int i = 0; i < n; i++) parent[i] = i;
#pragma omp for schedule(dynamic, 4096)
        for (int i = 0; i < n; i++)
            for (int k = row[i]; k < row[i + 1]; k++) {
                if (edge[k] >= i) continue;
                int a = root(i, parent), c = root(edge[k], parent);
                while (a != c) {
                    if (a < c) std::swap(a, c);
                    int seen = a;
                    if (__atomic_compare_exchange_n(&parent[a], &seen, c, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) break;
                    a = root(a, parent), c = root(c, parent);
                }
            }
#pragma omp for schedule(static)
        for (int i = 0; i < n; i++) {
            int up = i;
            while (__atomic_load_n(&parent[up], __ATOMIC_RELAXED) != up) up = __atomic_load_n(&parent[up], __ATOMIC_RELAXED);
            __atomic_store_n(&parent[i], up, __ATOMIC_RELAXED);
        }
    }
}

} // namespace native
