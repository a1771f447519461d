// Kernels of statistics and learning.
#pragma once
#include "further.hpp"

namespace kernels {

const unsigned WARP = 0xffffffffu;

// Points by feature; sums of each block in shared memory.
__global__ void kmeans(const float *points, const float *centres, int *member, float *sums, int *counts, int n) {
    __shared__ float sum[KMEANS_CLUSTERS * KMEANS_FEATURES];
    __shared__ int count[KMEANS_CLUSTERS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = threadIdx.x; k < KMEANS_CLUSTERS * KMEANS_FEATURES; k += blockDim.x) sum[k] = 0;
    for (int k = threadIdx.x; k < KMEANS_CLUSTERS; k += blockDim.x) count[k] = 0;
    __syncthreads();
    if (i < n) {
        int best = 0;
        float least = 3e38f;
        for (int c = 0; c < KMEANS_CLUSTERS; c++) {
            float distance = 0;
            for (int f = 0; f < KMEANS_FEATURES; f++) {
                float d = points[f * n + i] - centres[c * KMEANS_FEATURES + f];
                distance += d * d;
            }
            if (distance < least) least = distance, best = c;
        }
        member[i] = best;
        atomicAdd(&count[best], 1);
        for (int f = 0; f < KMEANS_FEATURES; f++) atomicAdd(&sum[best * KMEANS_FEATURES + f], points[f * n + i]);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < KMEANS_CLUSTERS * KMEANS_FEATURES; k += blockDim.x) atomicAdd(&sums[k], sum[k]);
    for (int k = threadIdx.x; k < KMEANS_CLUSTERS; k += blockDim.x) atomicAdd(&counts[k], count[k]);
}

__device__ float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ float2 operator-(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
__device__ float2 times(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

// One transform per block of a quarter of its points: radix 4, sorted as it goes (Stockham), through shared memory.
__global__ void fft(const float2 *in, float2 *out, const float2 *roots) {
    __shared__ float2 a[FFT_POINTS];
    const int Q = FFT_POINTS / 4;
    int t = threadIdx.x;
    in += blockIdx.x * FFT_POINTS;
    out += blockIdx.x * FFT_POINTS;
    float2 x0 = in[t], x1 = in[t + Q], x2 = in[t + 2 * Q], x3 = in[t + 3 * Q];
    for (int s = 1; s < FFT_POINTS; s *= 4) {
        // The transform of length FFT_POINTS / s: butterfly p of stride s.
        int p = t / s, q = t - p * s;
        float2 u = x0 + x2, v = x0 - x2, r = x1 + x3, w = x1 - x3;
        w = make_float2(w.y, -w.x);
        float2 y0 = u + r, y1 = times(v + w, roots[p * s]), y2 = times(u - r, roots[2 * p * s]),
               y3 = times(v - w, roots[3 * p * s]);
        int at = q + 4 * p * s;
        if (s * 4 == FFT_POINTS) {
            out[at] = y0, out[at + s] = y1, out[at + 2 * s] = y2, out[at + 3 * s] = y3;
        } else {
            a[at] = y0, a[at + s] = y1, a[at + 2 * s] = y2, a[at + 3 * s] = y3;
            __syncthreads();
            x0 = a[t], x1 = a[t + Q], x2 = a[t + 2 * Q], x3 = a[t + 3 * Q];
            __syncthreads();
        }
    }
}

// A row per block.
__global__ void softmax(const float *in, float *out, int width) {
    __shared__ float shared[32];
    in += size_t(blockIdx.x) * width;
    out += size_t(blockIdx.x) * width;
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
    float top = -3e38f;
    for (int i = threadIdx.x; i < width; i += blockDim.x) top = fmaxf(top, in[i]);
    for (int o = 16; o > 0; o >>= 1) top = fmaxf(top, __shfl_xor_sync(WARP, top, o));
    if (lane == 0) shared[warp] = top;
    __syncthreads();
    top = shared[0];
    for (int k = 1; k < warps; k++) top = fmaxf(top, shared[k]);
    __syncthreads();
    float sum = 0;
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
        float e = expf(in[i] - top);
        out[i] = e;
        sum += e;
    }
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(WARP, sum, o);
    if (lane == 0) shared[warp] = sum;
    __syncthreads();
    sum = 0;
    for (int k = 0; k < warps; k++) sum += shared[k];
    float scale = 1.f / sum;
    for (int i = threadIdx.x; i < width; i += blockDim.x) out[i] *= scale;
}

// A row per warp.
__global__ void layer_norm(const float *in, const float *scale, const float *shift, float *out, int rows, int width) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (row >= rows) return;
    in += size_t(row) * width;
    out += size_t(row) * width;
    float sum = 0;
    for (int i = lane; i < width; i += 32) sum += in[i];
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(WARP, sum, o);
    float mean = sum / width, square = 0;
    for (int i = lane; i < width; i += 32) square += (in[i] - mean) * (in[i] - mean);
    for (int o = 16; o > 0; o >>= 1) square += __shfl_xor_sync(WARP, square, o);
    float r = rsqrtf(square / width + 1e-5f);
    for (int i = lane; i < width; i += 32) out[i] = (in[i] - mean) * r * scale[i] + shift[i];
}

const int ATTENTION_TILE = 32, ATTENTION_ROWS = 64;

// A query per thread; keys and values come through shared memory, the softmax is kept up as they pass.
__global__ void attention(const float *q, const float *k, const float *v, float *out, int n) {
    __shared__ float keys[ATTENTION_TILE][HEAD], values[ATTENTION_TILE][HEAD];
    int row = blockIdx.x * ATTENTION_ROWS + threadIdx.x;
    size_t base = size_t(blockIdx.y) * n * HEAD;
    float x[HEAD], sum[HEAD], top = -3e38f, total = 0;
#pragma unroll
    for (int d = 0; d < HEAD; d++) {
        x[d] = q[base + size_t(row) * HEAD + d] * 0.125f;
        sum[d] = 0;
    }
    for (int j = 0; j < n; j += ATTENTION_TILE) {
        for (int i = threadIdx.x; i < ATTENTION_TILE * HEAD; i += ATTENTION_ROWS) {
            (&keys[0][0])[i] = k[base + size_t(j) * HEAD + i];
            (&values[0][0])[i] = v[base + size_t(j) * HEAD + i];
        }
        __syncthreads();
        float score[ATTENTION_TILE], most = top;
#pragma unroll
        for (int i = 0; i < ATTENTION_TILE; i++) {
            float s = 0;
#pragma unroll
            for (int d = 0; d < HEAD; d++) s += x[d] * keys[i][d];
            score[i] = s;
            most = fmaxf(most, s);
        }
        float shrink = __expf(top - most);
        total *= shrink;
#pragma unroll
        for (int d = 0; d < HEAD; d++) sum[d] *= shrink;
#pragma unroll
        for (int i = 0; i < ATTENTION_TILE; i++) {
            float p = __expf(score[i] - most);
            total += p;
#pragma unroll
            for (int d = 0; d < HEAD; d++) sum[d] += p * values[i][d];
        }
        top = most;
        __syncthreads();
    }
    float scale = 1.f / total;
#pragma unroll
    for (int d = 0; d < HEAD; d++) out[base + size_t(row) * HEAD + d] = sum[d] * scale;
}

const int IGEMM_TILE = 16;

// Four bytes a step; n must be a multiple of 64.
__global__ void igemm(const int *a, const int *b, int *c, int n) {
    __shared__ int as[IGEMM_TILE][IGEMM_TILE], bs[IGEMM_TILE][IGEMM_TILE + 1];
    int tx = threadIdx.x, ty = threadIdx.y, words = n / 4;
    int y = blockIdx.y * IGEMM_TILE + ty, x = blockIdx.x * IGEMM_TILE + tx, column = blockIdx.x * IGEMM_TILE + ty;
    int sum = 0;
    for (int t = 0; t < words; t += IGEMM_TILE) {
        as[ty][tx] = a[y * words + t + tx];
        bs[tx][ty] = b[column * words + t + tx];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < IGEMM_TILE; k++) sum = __dp4a(as[ty][k], bs[k][tx], sum);
        __syncthreads();
    }
    c[y * n + x] = sum;
}

__device__ void philox(uint32_t c[4], uint32_t k0, uint32_t k1) {
#pragma unroll
    for (int r = 0; r < 10; r++) {
        uint32_t l0 = 0xD2511F53u * c[0], h0 = __umulhi(0xD2511F53u, c[0]);
        uint32_t l1 = 0xCD9E8D57u * c[2], h1 = __umulhi(0xCD9E8D57u, c[2]);
        c[0] = h1 ^ c[1] ^ k0;
        c[1] = l1;
        c[2] = h0 ^ c[3] ^ k1;
        c[3] = l0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
}

// A European call: each counter draws two normal numbers.
__global__ void monte_carlo(double *sum, int counters, uint32_t seed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float mine = 0;
    if (i < counters) {
        for (int k = 0; k < PATHS; k++) {
            uint32_t c[4] = {uint32_t(i), uint32_t(k), 0, 0};
            philox(c, seed, 0x1BD11BDAu);
            float u = (c[0] >> 8) * (1.f / (1 << 24)) + 1.f / (1 << 25), a = (c[1] >> 8) * (6.2831853f / (1 << 24));
            float r = sqrtf(-2.f * logf(u)), s, t;
            sincosf(a, &s, &t);
            mine += fmaxf(100.f * expf(-0.02f + 0.2f * r * s) - 100.f, 0.f);
            mine += fmaxf(100.f * expf(-0.02f + 0.2f * r * t) - 100.f, 0.f);
        }
    }
    for (int o = 16; o > 0; o >>= 1) mine += __shfl_down_sync(WARP, mine, o);
    if ((threadIdx.x & 31) == 0) atomicAdd(sum, double(mine));
}

} // namespace kernels
