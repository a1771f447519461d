// The launches: pointers are the device's, and each function returns when its kernels are done.
#include "graphs.cuh"
#include "integers.cuh"
#include "learning.cuh"
#include "physics.cuh"

#include <cstdio>
#include <cstdlib>

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

namespace ours {

void lbm(const float *in, float *out, int nx, int ny, int nz, float omega) {
    kernels::lbm<<<dim3(blocks(nx, 128), ny, nz), 128>>>(in, out, nx, ny, nz, omega);
    finish();
}

void srad(float *image, float *c, float *d, int w, int h, float q0, float lambda) {
    dim3 grid(blocks(w, 32), blocks(h, 8)), block(32, 8);
    kernels::srad_coefficients<<<grid, block>>>(image, c, d, w, h, q0);
    kernels::srad_update<<<grid, block>>>(image, c, d, w, h, lambda);
    finish();
}

void hotspot(float *temperature, const float *power, float *other, int w, int h, int steps) {
    using namespace kernels;
    dim3 grid(blocks(w, HOT_TILE - 4), blocks(h, HOT_ROWS - 4)), block(HOT_TILE, HOT_ROWS);
    float *from = temperature, *to = other;
    for (int s = 0; s < steps; s += 2) {
        kernels::hotspot<<<grid, block>>>(from, power, to, w, h, steps - s < 2 ? 1 : 2);
        float *t = from;
        from = to;
        to = t;
    }
    if (from != temperature) check(cudaMemcpyAsync(temperature, from, sizeof(float) * w * h, cudaMemcpyDeviceToDevice));
    finish();
}

void bfs(const int *row, const int *edge, int *level, int *queue, int *count, int n) {
    int zero = 0, size = 1;
    check(cudaMemcpy(queue, &zero, sizeof zero, cudaMemcpyHostToDevice));
    check(cudaMemcpy(level, &zero, sizeof zero, cudaMemcpyHostToDevice));
    int *frontier = queue, *next = queue + n;
    for (int depth = 1; size > 0; depth++) {
        check(cudaMemset(count, 0, sizeof(int)));
        kernels::bfs<<<blocks(size, 256), 256>>>(row, edge, level, frontier, size, next, count, depth);
        check(cudaMemcpy(&size, count, sizeof size, cudaMemcpyDeviceToHost));
        int *t = frontier;
        frontier = next;
        next = t;
    }
    finish();
}

void kmeans(const float *points, const float *centres, int *member, float *sums, int *counts, int n) {
    kernels::kmeans<<<blocks(n, 256), 256>>>(points, centres, member, sums, counts, n);
    finish();
}

void fft(const float *in, float *out, const float *roots, int batch) {
    kernels::fft<<<batch, FFT_POINTS / 4>>>((const float2 *)in, (float2 *)out, (const float2 *)roots);
    finish();
}

void convolution(const float *in, float *out, float *between, const float *filter, int w, int h) {
    using namespace kernels;
    check(cudaMemcpyToSymbolAsync(FILTER, filter, sizeof(float) * FILTER_TAPS, 0, cudaMemcpyDeviceToDevice));
    dim3 block(CONV_X, CONV_Y);
    convolution_rows<<<dim3(w / (CONV_X * CONV_STEPS), h / CONV_Y), block>>>(in, between, w, h);
    convolution_columns<<<dim3(w / CONV_X, h / (CONV_Y * CONV_STEPS)), block>>>(between, out, w, h);
    finish();
}

void softmax(const float *in, float *out, int rows, int width) {
    kernels::softmax<<<rows, 256>>>(in, out, width);
    finish();
}

void layer_norm(const float *in, const float *scale, const float *shift, float *out, int rows, int width) {
    kernels::layer_norm<<<blocks(rows, 4), 128>>>(in, scale, shift, out, rows, width);
    finish();
}

void attention(const float *q, const float *k, const float *v, float *out, int heads, int n) {
    using namespace kernels;
    kernels::attention<<<dim3(n / ATTENTION_ROWS, heads), ATTENTION_ROWS>>>(q, k, v, out, n);
    finish();
}

void igemm(const int8_t *a, const int8_t *b, int32_t *c, int n) {
    using namespace kernels;
    kernels::igemm<<<dim3(n / IGEMM_TILE, n / IGEMM_TILE), dim3(IGEMM_TILE, IGEMM_TILE)>>>((const int *)a, (const int *)b, c, n);
    finish();
}

void radix_pass(const uint32_t *in, uint32_t *out, uint32_t *counts, int n, int shift) {
    using namespace kernels;
    int tiles = blocks(n, SORT_TILE);
    radix_count<<<tiles, SORT_THREADS>>>(in, counts, n, shift);
    radix_scan<<<1, 1024>>>(counts, tiles * DIGITS);
    radix_scatter<<<tiles, SORT_THREADS>>>(in, out, counts, n, shift);
    finish();
}

void reduce_by_key(const int *key, const int *value, int *keys, int *sums, int *heads, int n) {
    using namespace kernels;
    int count = blocks(n, 256);
    run_heads<<<count, 256>>>(key, heads, n);
    radix_scan<<<1, 1024>>>((uint32_t *)heads, count);
    run_sums<<<count, 256>>>(key, value, keys, sums, heads, n);
    finish();
}

void fdtd3d(const float *in, float *out, const float *coefficient, int nx, int ny, int nz) {
    using namespace kernels;
    kernels::fdtd3d<<<dim3(nx / FDTD_X, ny / FDTD_Y), dim3(FDTD_X, FDTD_Y)>>>(in, out, coefficient, nx, ny, nz);
    finish();
}

void monte_carlo(double *sum, int counters, uint32_t seed) {
    kernels::monte_carlo<<<blocks(counters, 256), 256>>>(sum, counters, seed);
    finish();
}

void string_match(const uint8_t *text, const uint8_t *pattern, uint32_t *where, int *count, int n, int length) {
    kernels::string_match<<<blocks(n, 256), 256>>>(text, pattern, where, count, n, length);
    finish();
}

void sha256(const uint32_t *words, uint32_t *digests, int n) {
    kernels::sha256<<<blocks(n, 128), 128>>>(words, digests, n);
    finish();
}

void queens(const uint32_t *prefix, uint32_t *solutions, int prefixes, int n, int rows_set) {
    using namespace kernels;
    kernels::queens<<<blocks(prefixes, QUEENS_THREADS), QUEENS_THREADS>>>(prefix, solutions, prefixes, n, rows_set);
    finish();
}

void triangular(const int *row, const int *column, const float *value, const int *order, const int *start, int levels,
                const float *b, float *x) {
    for (int l = 0; l < levels; l++) {
        int count = start[l + 1] - start[l];
        kernels::triangular<<<blocks(count, 256), 256>>>(row, column, value, order, start[l], start[l + 1], b, x);
    }
    finish();
}

void components(const int *row, const int *edge, int *parent, int n) {
    int grid = blocks(n, 256);
    kernels::components_start<<<grid, 256>>>(row, edge, parent, n);
    kernels::components_hook<<<grid, 256>>>(row, edge, parent, n);
    kernels::components_flatten<<<grid, 256>>>(parent, n);
    finish();
}

} // namespace ours
