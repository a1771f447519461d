// Kernels on grids.
#pragma once
#include "further.hpp"

namespace kernels {

// Directions of D3Q19, rest first; opposites are neighbours.
__constant__ signed char LBM_X[LBM_SPEEDS] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
__constant__ signed char LBM_Y[LBM_SPEEDS] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
__constant__ signed char LBM_Z[LBM_SPEEDS] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};

__global__ void lbm(const float *in, float *out, int nx, int ny, int nz, float omega) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
    if (x >= nx) return;
    int cells = nx * ny * nz;
    float f[LBM_SPEEDS], rho = 0, ux = 0, uy = 0, uz = 0;
#pragma unroll
    for (int i = 0; i < LBM_SPEEDS; i++) {
        int sx = x - LBM_X[i], sy = y - LBM_Y[i], sz = z - LBM_Z[i];
        sx = sx < 0 ? nx - 1 : sx == nx ? 0 : sx;
        sy = sy < 0 ? ny - 1 : sy == ny ? 0 : sy;
        sz = sz < 0 ? nz - 1 : sz == nz ? 0 : sz;
        f[i] = in[i * cells + (sz * ny + sy) * nx + sx];
        rho += f[i];
        ux += f[i] * LBM_X[i];
        uy += f[i] * LBM_Y[i];
        uz += f[i] * LBM_Z[i];
    }
    float inverse = 1.f / rho;
    ux *= inverse;
    uy *= inverse;
    uz *= inverse;
    float square = 1.5f * (ux * ux + uy * uy + uz * uz);
#pragma unroll
    for (int i = 0; i < LBM_SPEEDS; i++) {
        float weight = i == 0 ? 1.f / 3 : i < 7 ? 1.f / 18 : 1.f / 36;
        float along = 3.f * (LBM_X[i] * ux + LBM_Y[i] * uy + LBM_Z[i] * uz);
        float rest = weight * rho * (1.f + along + 0.5f * along * along - square);
        out[i * cells + (z * ny + y) * nx + x] = f[i] + omega * (rest - f[i]);
    }
}

// Derivatives to the four neighbours and the diffusion coefficient.
__global__ void srad_coefficients(const float *image, float *c, float *d, int w, int h, float q0) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int i = y * w + x, n = w * h;
    float j = image[i];
    float dn = image[max(y - 1, 0) * w + x] - j, ds = image[min(y + 1, h - 1) * w + x] - j;
    float dw = image[y * w + max(x - 1, 0)] - j, de = image[y * w + min(x + 1, w - 1)] - j;
    float g2 = (dn * dn + ds * ds + dw * dw + de * de) / (j * j);
    float l = (dn + ds + dw + de) / j;
    float up = 0.5f * g2 - (1.f / 16) * (l * l), down = 1 + 0.25f * l;
    float q = up / (down * down);
    float v = 1.f / (1.f + (q - q0) / (q0 * (1 + q0)));
    c[i] = v < 0 ? 0 : v > 1 ? 1 : v;
    d[i] = dn;
    d[n + i] = ds;
    d[2 * n + i] = dw;
    d[3 * n + i] = de;
}

__global__ void srad_update(float *image, const float *c, const float *d, int w, int h, float lambda) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int i = y * w + x, n = w * h;
    float here = c[i], south = c[min(y + 1, h - 1) * w + x], east = c[y * w + min(x + 1, w - 1)];
    float divergence = here * d[i] + south * d[n + i] + here * d[2 * n + i] + east * d[3 * n + i];
    image[i] += 0.25f * lambda * divergence;
}

const int HOT_TILE = 32, HOT_ROWS = 16;

// Two steps per launch: a tile with a rim of two, of which the inner part is right after both.
__global__ void hotspot(const float *in, const float *power, float *out, int w, int h, int steps) {
    __shared__ float a[HOT_ROWS][HOT_TILE], b[HOT_ROWS][HOT_TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * (HOT_TILE - 4) + tx - 2, y = blockIdx.y * (HOT_ROWS - 4) + ty - 2;
    bool inside = x >= 0 && x < w && y >= 0 && y < h;
    float p = inside ? power[y * w + x] : 0.f, t = inside ? in[y * w + x] : 0.f;
    a[ty][tx] = t;
    __syncthreads();
    int north = y > 0 ? ty - 1 : ty, south = y < h - 1 ? ty + 1 : ty, west = x > 0 ? tx - 1 : tx,
        east = x < w - 1 ? tx + 1 : tx;
    bool good = false;
    for (int s = 0; s < steps; s++) {
        good = false;
        if (inside && tx > s && tx < HOT_TILE - 1 - s && ty > s && ty < HOT_ROWS - 1 - s) {
            good = true;
            t = a[ty][tx];
            t += 0.1f * (p + (a[south][tx] + a[north][tx] - 2.f * t) + (a[ty][east] + a[ty][west] - 2.f * t) + (80.f - t) * 0.05f);
            b[ty][tx] = t;
        }
        __syncthreads();
        if (s == steps - 1) break;
        if (good) a[ty][tx] = b[ty][tx];
        __syncthreads();
    }
    if (good && tx > 1 && tx < HOT_TILE - 2 && ty > 1 && ty < HOT_ROWS - 2) out[y * w + x] = t;
}

const int FDTD_X = 32, FDTD_Y = 8;

// A stencil of radius 4: planes move through registers, a tile with its rim is shared. nx, ny multiples of the tile;
// arrays have a rim of FDTD_RADIUS all around.
__global__ void fdtd3d(const float *in, float *out, const float *coefficient, int nx, int ny, int nz) {
    __shared__ float tile[FDTD_Y + 2 * FDTD_RADIUS][FDTD_X + 2 * FDTD_RADIUS];
    const int R = FDTD_RADIUS;
    int tx = threadIdx.x, ty = threadIdx.y;
    int line = nx + 2 * R, plane = line * (ny + 2 * R);
    int i = (blockIdx.y * FDTD_Y + ty + R) * line + blockIdx.x * FDTD_X + tx + R;
    float before[R], after[R], here, weight[R + 1];
#pragma unroll
    for (int k = 0; k <= R; k++) weight[k] = coefficient[k];
#pragma unroll
    for (int k = 0; k < R; k++) before[k] = in[i + (R - 1 - k) * plane];
    here = in[i + R * plane];
#pragma unroll
    for (int k = 0; k < R; k++) after[k] = in[i + (R + 1 + k) * plane];
    int at = i + R * plane;
    for (int z = 0; z < nz; z++, at += plane) {
        if (z > 0) {
#pragma unroll
            for (int k = R - 1; k > 0; k--) before[k] = before[k - 1];
            before[0] = here;
            here = after[0];
#pragma unroll
            for (int k = 0; k < R - 1; k++) after[k] = after[k + 1];
            after[R - 1] = in[at + R * plane];
        }
        __syncthreads();
        if (ty < R) {
            tile[ty][tx + R] = in[at - R * line];
            tile[ty + FDTD_Y + R][tx + R] = in[at + FDTD_Y * line];
        }
        if (tx < R) {
            tile[ty + R][tx] = in[at - R];
            tile[ty + R][tx + FDTD_X + R] = in[at + FDTD_X];
        }
        tile[ty + R][tx + R] = here;
        __syncthreads();
        float v = weight[0] * here;
#pragma unroll
        for (int k = 1; k <= R; k++)
            v += weight[k] * (before[k - 1] + after[k - 1] + tile[ty + R - k][tx + R] + tile[ty + R + k][tx + R] +
                              tile[ty + R][tx + R - k] + tile[ty + R][tx + R + k]);
        out[at] = v;
    }
}

const int CONV_X = 32, CONV_Y = 8, CONV_STEPS = 4;
__constant__ float FILTER[FILTER_TAPS];

// Rows: a block does CONV_STEPS tiles side by side.
__global__ void convolution_rows(const float *in, float *out, int w, int h) {
    __shared__ float tile[CONV_Y][CONV_X * (CONV_STEPS + 2)];
    int first = (blockIdx.x * CONV_STEPS - 1) * CONV_X + threadIdx.x, y = blockIdx.y * CONV_Y + threadIdx.y;
#pragma unroll
    for (int s = 0; s < CONV_STEPS + 2; s++) {
        int x = first + s * CONV_X;
        tile[threadIdx.y][threadIdx.x + s * CONV_X] = x >= 0 && x < w ? in[y * w + x] : 0.f;
    }
    __syncthreads();
#pragma unroll
    for (int s = 1; s <= CONV_STEPS; s++) {
        float v = 0;
#pragma unroll
        for (int k = -FILTER_RADIUS; k <= FILTER_RADIUS; k++)
            v += FILTER[FILTER_RADIUS - k] * tile[threadIdx.y][threadIdx.x + s * CONV_X + k];
        out[y * w + first + s * CONV_X] = v;
    }
}

__global__ void convolution_columns(const float *in, float *out, int w, int h) {
    __shared__ float tile[CONV_Y * (CONV_STEPS + 2)][CONV_X];
    int x = blockIdx.x * CONV_X + threadIdx.x, first = (blockIdx.y * CONV_STEPS - 1) * CONV_Y + threadIdx.y;
#pragma unroll
    for (int s = 0; s < CONV_STEPS + 2; s++) {
        int y = first + s * CONV_Y;
        tile[threadIdx.y + s * CONV_Y][threadIdx.x] = y >= 0 && y < h ? in[y * w + x] : 0.f;
    }
    __syncthreads();
#pragma unroll
    for (int s = 1; s <= CONV_STEPS; s++) {
        float v = 0;
#pragma unroll
        for (int k = -FILTER_RADIUS; k <= FILTER_RADIUS; k++)
            v += FILTER[FILTER_RADIUS - k] * tile[threadIdx.y + s * CONV_Y + k][threadIdx.x];
        out[(first + s * CONV_Y) * w + x] = v;
    }
}

} // namespace kernels
