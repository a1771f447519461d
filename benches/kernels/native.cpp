// "Expert" native C++: OpenMP + auto-vectorisation, intrinsics where a CPU expert would use them.
#include "harness.hpp"
#include <immintrin.h>
#include <omp.h>
extern "C" {
const char *impl_name = "native";
void *k_alloc(size_t bytes) {
    bytes = (bytes + 4095) / 4096 * 4096;
    void *p = aligned_alloc(4096, bytes);
    memset(p, 0, bytes);
    return p;
}
void k_free(void *p) { free(p); }

void k_vecadd(const float *__restrict a, const float *__restrict b, float *__restrict c, int n) {
#pragma omp parallel for simd schedule(static)
    for (int i = 0; i < n; i++) c[i] = a[i] + b[i];
}
// "same algorithm": one dot product per output, vectorised over x
void k_sgemm_naive(const float *__restrict A, const float *__restrict B, float *__restrict C, int N) {
#pragma omp parallel for schedule(static)
    for (int y = 0; y < N; y++)
        for (int xb = 0; xb < N; xb += 128) {
            float acc[128] = {0};
            for (int k = 0; k < N; k++) {
                float a = A[y * N + k];
                for (int x = 0; x < 128; x++) acc[x] += a * B[k * N + xb + x];
            }
            for (int x = 0; x < 128 && xb + x < N; x++) C[y * N + xb + x] = acc[x];
        }
}
typedef float v16 __attribute__((vector_size(64)));
typedef float v16u __attribute__((vector_size(64), aligned(4)));
#if defined(__AVX512F__)
// register-blocked 12x32 micro kernel with packed B panel (needs N%32==0)
void k_sgemm_tiled(const float *__restrict A, const float *__restrict B, float *__restrict C, int N) {
#pragma omp parallel
    {
        float *pb = (float *)aligned_alloc(64, sizeof(float) * 32 * N);
#pragma omp for schedule(dynamic, 1)
        for (int xb = 0; xb < N; xb += 32) {
            for (int k = 0; k < N; k++)
                for (int j = 0; j < 32; j++) pb[k * 32 + j] = B[(size_t)k * N + xb + j];
            for (int y = 0; y < N; y += 12) {
                int m = std::min(12, N - y);
                v16 c[12][2] = {};
                if (m == 12) {
                    const float *a = A + (size_t)y * N;
                    for (int k = 0; k < N; k++) {
                        v16 b0 = *(v16 *)(pb + k * 32), b1 = *(v16 *)(pb + k * 32 + 16);
#pragma GCC unroll 12
                        for (int i = 0; i < 12; i++) {
                            v16 s = a[i * N + k] - (v16){};
                            c[i][0] += s * b0;
                            c[i][1] += s * b1;
                        }
                    }
                } else
                    for (int i = 0; i < m; i++)
                        for (int k = 0; k < N; k++) {
                            v16 s = A[(size_t)(y + i) * N + k] - (v16){};
                            c[i][0] += s * *(v16 *)(pb + k * 32);
                            c[i][1] += s * *(v16 *)(pb + k * 32 + 16);
                        }
                for (int i = 0; i < m; i++) {
                    *(v16u *)(C + (size_t)(y + i) * N + xb) = c[i][0];
                    *(v16u *)(C + (size_t)(y + i) * N + xb + 16) = c[i][1];
                }
            }
        }
        free(pb);
    }
}
#else
// The same with 16 registers of 8: 6x16, and A packed too (needs N%16==0 and N%6==0).
void k_sgemm_tiled(const float *__restrict A, const float *__restrict B, float *__restrict C, int N) {
#pragma omp parallel
    {
        float *pb = (float *)aligned_alloc(64, sizeof(float) * 16 * N);
        float *pa = (float *)aligned_alloc(64, (sizeof(float) * 6 * N + 63) / 64 * 64);
#pragma omp for schedule(dynamic, 1)
        for (int xb = 0; xb < N; xb += 16) {
            for (int k = 0; k < N; k++)
                for (int j = 0; j < 16; j++) pb[k * 16 + j] = B[(size_t)k * N + xb + j];
            for (int y = 0; y < N; y += 6) {
                for (int i = 0; i < 6; i++)
                    for (int k = 0; k < N; k++) pa[k * 6 + i] = A[(size_t)(y + i) * N + k];
                __m256 c[6][2];
                for (int i = 0; i < 6; i++) c[i][0] = c[i][1] = _mm256_setzero_ps();
                for (int k = 0; k < N; k++) {
                    __m256 b0 = _mm256_load_ps(pb + k * 16), b1 = _mm256_load_ps(pb + k * 16 + 8);
#pragma GCC unroll 6
                    for (int i = 0; i < 6; i++) {
                        __m256 a = _mm256_broadcast_ss(pa + k * 6 + i);
                        c[i][0] = _mm256_fmadd_ps(a, b0, c[i][0]);
                        c[i][1] = _mm256_fmadd_ps(a, b1, c[i][1]);
                    }
                }
                for (int i = 0; i < 6; i++) {
                    _mm256_storeu_ps(C + (size_t)(y + i) * N + xb, c[i][0]);
                    _mm256_storeu_ps(C + (size_t)(y + i) * N + xb + 8, c[i][1]);
                }
            }
        }
        free(pa);
        free(pb);
    }
}
#endif
void k_reduce(const float *x, float *out, int n) {
    float s = 0;
#pragma omp parallel for simd reduction(+ : s) schedule(static)
    for (int i = 0; i < n; i++) s += x[i];
    out[0] += s;
}
void k_scan(const int *in, int *out, int *, int n) {
    int part[65] = {0};
#pragma omp parallel
    {
        int t = omp_get_thread_num(), T = omp_get_num_threads();
        size_t lo = (size_t)n * t / T, hi = (size_t)n * (t + 1) / T;
        int s = 0;
        for (size_t i = lo; i < hi; i++) s += in[i];
        part[t + 1] = s;
#pragma omp barrier
        int base = 0;
        for (int k = 0; k <= t; k++) base += part[k];
#if defined(__AVX512F__)
        __m512i b = _mm512_set1_epi32(base), z = _mm512_setzero_si512();
        size_t i = lo;
        for (; i + 16 <= hi; i += 16) {
            __m512i v = _mm512_loadu_si512(in + i);
            v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, z, 15));
            v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, z, 14));
            v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, z, 12));
            v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, z, 8));
            v = _mm512_add_epi32(v, b);
            _mm512_storeu_si512(out + i, v);
            b = _mm512_permutexvar_epi32(_mm512_set1_epi32(15), v);
        }
        int r = _mm512_cvtsi512_si32(b);
#else
        size_t i = lo;
        __m256i b = _mm256_set1_epi32(base);
        for (; i + 8 <= hi; i += 8) {
            __m256i v = _mm256_loadu_si256((const __m256i *)(in + i));
            v = _mm256_add_epi32(v, _mm256_slli_si256(v, 4));
            v = _mm256_add_epi32(v, _mm256_slli_si256(v, 8));
            // The lower half's total to the upper half.
            __m256i low = _mm256_permute2x128_si256(v, v, 0x08);
            v = _mm256_add_epi32(v, _mm256_shuffle_epi32(low, 0xff));
            v = _mm256_add_epi32(v, b);
            _mm256_storeu_si256((__m256i *)(out + i), v);
            b = _mm256_permutevar8x32_epi32(v, _mm256_set1_epi32(7));
        }
        int r = _mm256_cvtsi256_si32(b);
#endif
        for (; i < hi; i++) {
            r += in[i];
            out[i] = r;
        }
    }
}
void k_nbody(const float *__restrict pos, float *__restrict acc, int n) {
    std::vector<float> X(n), Y(n), Z(n), M(n);
    for (int i = 0; i < n; i++) {
        X[i] = pos[4 * i];
        Y[i] = pos[4 * i + 1];
        Z[i] = pos[4 * i + 2];
        M[i] = pos[4 * i + 3];
    }
#pragma omp parallel for schedule(static)
    for (int ib = 0; ib < n; ib += 64) {
        float ax[64] = {0}, ay[64] = {0}, az[64] = {0};
        for (int j = 0; j < n; j++) {
            float qx = X[j], qy = Y[j], qz = Z[j], m = M[j];
#pragma GCC unroll 4
            for (int u = 0; u < 64; u += 16) {
#if defined(__AVX512F__)
                __m512 dx = _mm512_sub_ps(_mm512_set1_ps(qx), _mm512_loadu_ps(&X[ib + u])),
                       dy = _mm512_sub_ps(_mm512_set1_ps(qy), _mm512_loadu_ps(&Y[ib + u])),
                       dz = _mm512_sub_ps(_mm512_set1_ps(qz), _mm512_loadu_ps(&Z[ib + u]));
                __m512 d =
                    _mm512_fmadd_ps(dx, dx, _mm512_fmadd_ps(dy, dy, _mm512_fmadd_ps(dz, dz, _mm512_set1_ps(.01f))));
                __m512 r = _mm512_rsqrt14_ps(d);
                r = _mm512_mul_ps(r, _mm512_fnmadd_ps(_mm512_mul_ps(_mm512_mul_ps(d, r), r), _mm512_set1_ps(.5f),
                                                      _mm512_set1_ps(1.5f)));
                __m512 s = _mm512_mul_ps(_mm512_mul_ps(_mm512_mul_ps(_mm512_set1_ps(m), r), r), r);
                _mm512_storeu_ps(ax + u, _mm512_fmadd_ps(dx, s, _mm512_loadu_ps(ax + u)));
                _mm512_storeu_ps(ay + u, _mm512_fmadd_ps(dy, s, _mm512_loadu_ps(ay + u)));
                _mm512_storeu_ps(az + u, _mm512_fmadd_ps(dz, s, _mm512_loadu_ps(az + u)));
#else
                for (int l = u; l < u + 16; l++) {
                    float dx = qx - X[ib + l], dy = qy - Y[ib + l], dz = qz - Z[ib + l];
                    float d = dx * dx + dy * dy + dz * dz + .01f;
                    float r = 1.f / sqrtf(d);
                    float s = m * r * r * r;
                    ax[l] += dx * s;
                    ay[l] += dy * s;
                    az[l] += dz * s;
                }
#endif
            }
        }
        for (int l = 0; l < 64; l++) {
            acc[4 * (ib + l)] = ax[l];
            acc[4 * (ib + l) + 1] = ay[l];
            acc[4 * (ib + l) + 2] = az[l];
        }
    }
}
void k_mandel(int *out, int w, int h, int maxit) {
#pragma omp parallel for schedule(dynamic, 4)
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x += 32) {
#if defined(__AVX512F__)
            const __m512 io = _mm512_set_ps(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
            __m512 four = _mm512_set1_ps(4);
            __m512 ci = _mm512_set1_ps(-1.0f + 2.0f * y / h);
            __m512 cr[2], zr[2], zi[2];
            __m512i it[2];
            __mmask16 m[2];
            for (int u = 0; u < 2; u++) {
                cr[u] = _mm512_add_ps(
                    _mm512_set1_ps(-2),
                    _mm512_div_ps(_mm512_mul_ps(_mm512_set1_ps(3), _mm512_add_ps(io, _mm512_set1_ps(x + 16 * u))),
                                  _mm512_set1_ps(w)));
                zr[u] = cr[u];
                zi[u] = ci;
                it[u] = _mm512_setzero_si512();
                m[u] = 0xffff;
            }
            for (int i = 0; i < maxit; i++) {
                for (int u = 0; u < 2; u++) {
                    __m512 a = _mm512_mul_ps(zr[u], zr[u]), b = _mm512_mul_ps(zi[u], zi[u]);
                    m[u] = _mm512_mask_cmp_ps_mask(m[u], _mm512_add_ps(a, b), four, _CMP_LE_OQ);
                    it[u] = _mm512_mask_add_epi32(it[u], m[u], it[u], _mm512_set1_epi32(1));
                    __m512 t = _mm512_add_ps(zr[u], zr[u]);
                    zi[u] = _mm512_fmadd_ps(t, zi[u], ci);
                    zr[u] = _mm512_add_ps(cr[u], _mm512_sub_ps(a, b));
                }
                if (!(m[0] | m[1])) break;
            }
            for (int u = 0; u < 2; u++) _mm512_storeu_si512(out + y * w + x + 16 * u, it[u]);
#else
            const __m256 io = _mm256_set_ps(7, 6, 5, 4, 3, 2, 1, 0), four = _mm256_set1_ps(4);
            __m256 ci = _mm256_set1_ps(-1.0f + 2.0f * y / h);
            // Four registers at a time hide the latency; two would do for the arithmetic.
            __m256 cr[4], zr[4], zi[4];
            __m256i it[4];
            for (int u = 0; u < 4; u++) {
                cr[u] = _mm256_add_ps(
                    _mm256_set1_ps(-2),
                    _mm256_div_ps(_mm256_mul_ps(_mm256_set1_ps(3), _mm256_add_ps(io, _mm256_set1_ps(x + 8 * u))),
                                  _mm256_set1_ps(w)));
                zr[u] = cr[u];
                zi[u] = ci;
                it[u] = _mm256_setzero_si256();
            }
            for (int i = 0; i < maxit; i++) {
                __m256 any = _mm256_setzero_ps();
#pragma GCC unroll 4
                for (int u = 0; u < 4; u++) {
                    // A point that is out stays out: its values only grow, or become NaN.
                    __m256 a = _mm256_mul_ps(zr[u], zr[u]), b = _mm256_mul_ps(zi[u], zi[u]);
                    __m256 in = _mm256_cmp_ps(_mm256_add_ps(a, b), four, _CMP_LE_OQ);
                    any = _mm256_or_ps(any, in);
                    it[u] = _mm256_sub_epi32(it[u], _mm256_castps_si256(in));
                    __m256 t = _mm256_add_ps(zr[u], zr[u]);
                    zi[u] = _mm256_fmadd_ps(t, zi[u], ci);
                    zr[u] = _mm256_add_ps(cr[u], _mm256_sub_ps(a, b));
                }
                if (_mm256_testz_ps(any, any)) break;
            }
            for (int u = 0; u < 4; u++) _mm256_storeu_si256((__m256i *)(out + y * w + x + 8 * u), it[u]);
#endif
        }
}
static inline float cnd(float d) {
    float K = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float c = 0.39894228f * expf(-0.5f * d * d) *
              (K * (0.31938153f + K * (-0.356563782f + K * (1.781477937f + K * (-1.821255978f + K * 1.330274429f)))));
    return d > 0 ? 1.0f - c : c;
}
void k_bs(const float *__restrict S, const float *__restrict X, const float *__restrict T, float *__restrict call,
          float *__restrict put, int n) {
#pragma omp parallel for simd schedule(static)
    for (int i = 0; i < n; i++) {
        const float Rf = .02f, V = .3f;
        float s = S[i], x = X[i], t = T[i], q = sqrtf(t), d1 = (logf(s / x) + (Rf + .5f * V * V) * t) / (V * q),
              d2 = d1 - V * q, c1 = cnd(d1), c2 = cnd(d2), e = expf(-Rf * t);
        call[i] = s * c1 - x * e * c2;
        put[i] = x * e * (1.f - c2) - s * (1.f - c1);
    }
}
void k_hist(const unsigned *in, unsigned *bins, int n) {
#pragma omp parallel
    {
        static thread_local unsigned h[8][256];
        memset(h, 0, sizeof h);
#pragma omp for schedule(static)
        for (int i = 0; i < n / 2; i++) {
            uint64_t v = ((const uint64_t *)in)[i];
            h[0][v & 255]++;
            h[1][(v >> 8) & 255]++;
            h[2][(v >> 16) & 255]++;
            h[3][(v >> 24) & 255]++;
            h[4][(v >> 32) & 255]++;
            h[5][(v >> 40) & 255]++;
            h[6][(v >> 48) & 255]++;
            h[7][v >> 56]++;
        }
#pragma omp critical
        for (int i = 0; i < 256; i++) {
            unsigned s = 0;
            for (int k = 0; k < 8; k++) s += h[k][i];
            bins[i] += s;
        }
    }
}
void k_jacobi(const float *__restrict in, float *__restrict out, int w, int h) {
#pragma omp parallel for schedule(static)
    for (int y = 1; y < h - 1; y++) {
        const float *p = in + (size_t)y * w;
        float *o = out + (size_t)y * w;
        for (int x = 1; x < w - 1; x++) o[x] = .2f * (p[x] + p[x - 1] + p[x + 1] + p[x - w] + p[x + w]);
    }
}
static inline void tr8(const float *in, float *out, int w, int h) {
    __m256 r[8], t[8];
    for (int i = 0; i < 8; i++) r[i] = _mm256_loadu_ps(in + (size_t)i * w);
    for (int i = 0; i < 4; i++) {
        t[2 * i] = _mm256_unpacklo_ps(r[2 * i], r[2 * i + 1]);
        t[2 * i + 1] = _mm256_unpackhi_ps(r[2 * i], r[2 * i + 1]);
    }
    for (int i = 0; i < 2; i++) {
        r[4 * i] = _mm256_shuffle_ps(t[4 * i], t[4 * i + 2], 0x44);
        r[4 * i + 1] = _mm256_shuffle_ps(t[4 * i], t[4 * i + 2], 0xee);
        r[4 * i + 2] = _mm256_shuffle_ps(t[4 * i + 1], t[4 * i + 3], 0x44);
        r[4 * i + 3] = _mm256_shuffle_ps(t[4 * i + 1], t[4 * i + 3], 0xee);
    }
    for (int i = 0; i < 4; i++) {
        _mm256_storeu_ps(out + (size_t)i * h, _mm256_permute2f128_ps(r[i], r[i + 4], 0x20));
        _mm256_storeu_ps(out + (size_t)(i + 4) * h, _mm256_permute2f128_ps(r[i], r[i + 4], 0x31));
    }
}
void k_transpose(const float *__restrict in, float *__restrict out, int w, int h) {
#pragma omp parallel for schedule(static)
    for (int yb = 0; yb < h; yb += 32)
        for (int xb = 0; xb < w; xb += 32)
            for (int x = xb; x < xb + 32; x += 8)
                for (int y = yb; y < yb + 32; y += 8) tr8(in + (size_t)y * w + x, out + (size_t)x * h + y, w, h);
}
// same bitonic network, but all steps with j below a 64K-element cache tile are done tile by tile
static inline void bstep(int *d, int lo, int hi, int j, int k) {
#if defined(__AVX512F__)
    const int lanes = 16;
#else
    const int lanes = 8;
#endif
    if (j >= lanes)
        for (int b = lo; b < hi; b += 2 * j) {
            bool up = (b & k) == 0;
            int *p = d + b, *q = d + b + j;
            if (up)
                for (int l = 0; l < j; l++) {
                    int x = p[l], y = q[l];
                    p[l] = std::min(x, y);
                    q[l] = std::max(x, y);
                }
            else
                for (int l = 0; l < j; l++) {
                    int x = p[l], y = q[l];
                    p[l] = std::max(x, y);
                    q[l] = std::min(x, y);
                }
        }
#if defined(__AVX512F__)
    else {
        __m512i idx = _mm512_xor_si512(_mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
                                       _mm512_set1_epi32(j));
        const __m512i io = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
        __mmask16 hiM = _mm512_test_epi32_mask(io, _mm512_set1_epi32(j));
        for (int b = lo; b < hi; b += 16) {
            __m512i v = _mm512_loadu_si512(d + b), u = _mm512_permutexvar_epi32(idx, v), mn = _mm512_min_epi32(v, u),
                    mx = _mm512_max_epi32(v, u);
            __mmask16 dn = _mm512_test_epi32_mask(_mm512_add_epi32(io, _mm512_set1_epi32(b)), _mm512_set1_epi32(k));
            _mm512_storeu_si512(d + b, _mm512_mask_blend_epi32(hiM ^ dn, mn, mx));
        }
    }
#else
    else {
        const __m256i io = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0), zero = _mm256_setzero_si256();
        __m256i index = _mm256_xor_si256(io, _mm256_set1_epi32(j));
        __m256i low = _mm256_cmpeq_epi32(_mm256_and_si256(io, _mm256_set1_epi32(j)), zero);
        for (int b = lo; b < hi; b += 8) {
            __m256i v = _mm256_loadu_si256((const __m256i *)(d + b)), u = _mm256_permutevar8x32_epi32(v, index);
            __m256i mn = _mm256_min_epi32(v, u), mx = _mm256_max_epi32(v, u);
            __m256i at = _mm256_add_epi32(io, _mm256_set1_epi32(b));
            __m256i up = _mm256_cmpeq_epi32(_mm256_and_si256(at, _mm256_set1_epi32(k)), zero);
            __m256i least = _mm256_cmpeq_epi32(low, up);
            _mm256_storeu_si256((__m256i *)(d + b), _mm256_blendv_epi8(mx, mn, least));
        }
    }
#endif
}
void k_bitonic(int *d, int n) {
    int T = std::min(n, 1 << 16);
#pragma omp parallel
    for (int k = 2; k <= n; k *= 2) {
        int j = k / 2;
        for (; j >= T; j /= 2) {
            int chunk = T;
#pragma omp for schedule(static)
            for (int c = 0; c < n / 2; c += chunk) { // half-indices
                int b = (c / j) * 2 * j, l = c % j;
                bool up = (b & k) == 0;
                int *p = d + b + l, *q = p + j;
                if (up)
                    for (int i = 0; i < chunk; i++) {
                        int x = p[i], y = q[i];
                        p[i] = std::min(x, y);
                        q[i] = std::max(x, y);
                    }
                else
                    for (int i = 0; i < chunk; i++) {
                        int x = p[i], y = q[i];
                        p[i] = std::max(x, y);
                        q[i] = std::min(x, y);
                    }
            }
        }
#pragma omp for schedule(static)
        for (int t = 0; t < n; t += T)
            for (int jj = j; jj > 0; jj /= 2) bstep(d, t, t + T, jj, k);
    }
}
void k_spmv(const int *__restrict rp, const int *__restrict ci, const float *__restrict v, const float *__restrict x,
            float *__restrict y, int n, int) {
#pragma omp parallel for schedule(dynamic, 512)
    for (int r = 0; r < n; r++) {
        float s = 0;
        for (int k = rp[r]; k < rp[r + 1]; k++) s += v[k] * x[ci[k]];
        y[r] = s;
    }
}
}
