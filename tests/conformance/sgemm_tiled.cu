// Matrix product through shared memory, with sizes that do not divide by the tile.
// expect: 64 x 64 x 64 ok
// expect: 50 x 33 x 70 ok
// expect: dynamic shared memory ok
#include "check.cuh"

const int TILE = 16;

__global__ void product(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ float as[TILE][TILE], bs[TILE][TILE + 1];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
    float sum = 0;
    for (int t = 0; t < k; t += TILE) {
        as[ty][tx] = y < m && t + tx < k ? a[y * k + t + tx] : 0;
        bs[ty][tx] = t + ty < k && x < n ? b[(t + ty) * n + x] : 0;
        __syncthreads();
        for (int i = 0; i < TILE; i++) sum += as[ty][i] * bs[i][tx];
        __syncthreads();
    }
    if (y < m && x < n) c[y * n + x] = sum;
}

__global__ void reverse(int *p) {
    extern __shared__ int dynamic[];
    dynamic[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = dynamic[blockDim.x - 1 - threadIdx.x];
}

static int run(const char *name, int m, int n, int k) {
    Random random(m * 1000 + n);
    std::vector<float> a(m * k), b(k * n);
    for (float &v : a) v = random.unit() - 0.5f;
    for (float &v : b) v = random.unit() - 0.5f;
    Device<float> da(a), db(b), dc(m * n);
    product<<<dim3((n + TILE - 1) / TILE, (m + TILE - 1) / TILE), dim3(TILE, TILE)>>>(da, db, dc, m, n, k);
    FINISH();
    return compare(name, dc.host(), [&](int i) {
        double sum = 0;
        for (int t = 0; t < k; t++) sum += double(a[i / n * k + t]) * b[t * n + i % n];
        return sum;
    }, 1e-5);
}

int main() {
    int bad = run("64 x 64 x 64", 64, 64, 64);
    bad |= run("50 x 33 x 70", 50, 33, 70);
    std::vector<int> values(256);
    for (int i = 0; i < 256; i++) values[i] = i;
    Device<int> data(values);
    reverse<<<1, 256, 256 * sizeof(int)>>>(data);
    FINISH();
    return bad | compare("dynamic shared memory", data.host(), [](int i) { return 255 - i; });
}
