// Thirteen kernels as CUDA programmers write them, for the benches and for tests/conformance/kernels.cu.
#pragma once

namespace kernels {

const unsigned ALL_LANES = 0xffffffffu;

__global__ void vecadd(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

__global__ void sgemm_naive(const float *a, const float *b, float *c, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n) {
        float s = 0;
        for (int k = 0; k < n; k++) s += a[y * n + k] * b[k * n + x];
        c[y * n + x] = s;
    }
}

const int TILE = 16;

// n must be a multiple of TILE; blocks are TILE x TILE.
__global__ void sgemm_tiled(const float *a, const float *b, float *c, int n) {
    __shared__ float as[TILE][TILE];
    __shared__ float bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
    float s = 0;
    for (int t = 0; t < n; t += TILE) {
        as[ty][tx] = a[y * n + t + tx];
        bs[ty][tx] = b[(t + ty) * n + x];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++) s += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    c[y * n + x] = s;
}

__global__ void reduce(const float *x, float *out, int n) {
    __shared__ float partial[32];
    int t = threadIdx.x;
    float s = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) s += x[i];
    for (int o = 16; o > 0; o >>= 1) s += __shfl_down_sync(ALL_LANES, s, o);
    if ((t & 31) == 0) partial[t >> 5] = s;
    __syncthreads();
    if (t < 32) {
        s = t < int(blockDim.x >> 5) ? partial[t] : 0.f;
        for (int o = 16; o > 0; o >>= 1) s += __shfl_down_sync(ALL_LANES, s, o);
        if (t == 0) atomicAdd(out, s);
    }
}

// Inclusive scan of each block; sums gets the blocks' totals unless it is null.
__global__ void scan_block(const int *in, int *out, int *sums, int n) {
    __shared__ int totals[32];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, lane = t & 31, warp = t >> 5;
    int v = i < n ? in[i] : 0;
    for (int o = 1; o < 32; o <<= 1) {
        int u = __shfl_up_sync(ALL_LANES, v, o);
        if (lane >= o) v += u;
    }
    if (lane == 31) totals[warp] = v;
    __syncthreads();
    if (warp == 0) {
        int s = lane < int(blockDim.x >> 5) ? totals[lane] : 0;
        for (int o = 1; o < 32; o <<= 1) {
            int u = __shfl_up_sync(ALL_LANES, s, o);
            if (lane >= o) s += u;
        }
        totals[lane] = s;
    }
    __syncthreads();
    if (warp > 0) v += totals[warp - 1];
    if (i < n) out[i] = v;
    if (sums && t == int(blockDim.x) - 1) sums[blockIdx.x] = v;
}

__global__ void scan_add(int *out, const int *sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x > 0 && i < n) out[i] += sums[blockIdx.x - 1];
}

// n must be a multiple of 256, the block's size.
__global__ void nbody(const float4 *position, float4 *acceleration, int n) {
    __shared__ float4 near[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 p = position[i];
    float ax = 0, ay = 0, az = 0;
    for (int t = 0; t < n; t += 256) {
        near[threadIdx.x] = position[t + threadIdx.x];
        __syncthreads();
#pragma unroll 4
        for (int j = 0; j < 256; j++) {
            float4 q = near[j];
            float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
            float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), s = q.w * r * r * r;
            ax += dx * s;
            ay += dy * s;
            az += dz * s;
        }
        __syncthreads();
    }
    acceleration[i] = make_float4(ax, ay, az, 0);
}

__global__ void mandel(int *out, int w, int h, int limit) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float cr = -2.0f + 3.0f * x / w, ci = -1.0f + 2.0f * y / h, zr = cr, zi = ci;
    int i;
    for (i = 0; i < limit; i++) {
        if (zr * zr + zi * zi > 4.f) break;
        float nr = zr * zr - zi * zi, ni = 2.f * zr * zi;
        zr = cr + nr;
        zi = ci + ni;
    }
    out[y * w + x] = i;
}

// Abramowitz and Stegun 26.2.17.
__device__ inline float normal_cdf(float d) {
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float tail = 0.39894228040143267794f * expf(-0.5f * d * d) *
                 (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1.0f - tail : tail;
}

__global__ void blackscholes(const float *price, const float *strike, const float *years, float *call, float *put,
                             int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float rate = 0.02f, volatility = 0.30f;
    float s = price[i], x = strike[i], t = years[i], q = sqrtf(t);
    float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * q);
    float d2 = d1 - volatility * q, c1 = normal_cdf(d1), c2 = normal_cdf(d2), e = expf(-rate * t);
    call[i] = s * c1 - x * e * c2;
    put[i] = x * e * (1.0f - c2) - s * (1.0f - c1);
}

// Counts the bytes of n words into 256 bins.
__global__ void hist(const unsigned *in, unsigned *bins, int n) {
    __shared__ unsigned local[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned v = in[i];
        atomicAdd(&local[v & 255], 1u);
        atomicAdd(&local[(v >> 8) & 255], 1u);
        atomicAdd(&local[(v >> 16) & 255], 1u);
        atomicAdd(&local[v >> 24], 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], local[i]);
}

__global__ void jacobi(const float *in, float *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < w - 1 && y < h - 1) {
        int i = y * w + x;
        out[i] = 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - w] + in[i + w]);
    }
}

// w and h must be multiples of 32; blocks are 32 x 8.
__global__ void transpose(const float *in, float *out, int w, int h) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) out[(y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void bitonic(int *d, int j, int k) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, p = i ^ j;
    if (p > i) {
        int a = d[i], b = d[p];
        bool up = (i & k) == 0;
        if ((a > b) == up) {
            d[i] = b;
            d[p] = a;
        }
    }
}

__global__ void spmv(const int *row, const int *column, const float *value, const float *x, float *y, int n) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= n) return;
    float s = 0;
    for (int k = row[r]; k < row[r + 1]; k++) s += value[k] * x[column[k]];
    y[r] = s;
}

} // namespace kernels
