// cudaMalloc and cudaMemcpy, the ordinary program, in every build.
// build: static shared ptx90 sm90 lz4 raw newest
// door: socket syscall
// expect: c[999] = 2997
// expect: PASS
#include "check.cuh"

__global__ void vecadd(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

int main() {
    const int n = 1000;
    std::vector<float> a(n), b(n), c(n);
    for (int i = 0; i < n; i++) a[i] = float(i), b[i] = 2.0f * i;
    float *da, *db, *dc;
    CHECK(cudaMalloc(&da, n * 4));
    CHECK(cudaMalloc(&db, n * 4));
    CHECK(cudaMalloc(&dc, n * 4));
    CHECK(cudaMemcpy(da, a.data(), n * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b.data(), n * 4, cudaMemcpyHostToDevice));
    vecadd<<<(n + 255) / 256, 256>>>(da, db, dc, n);
    FINISH();
    CHECK(cudaMemcpy(c.data(), dc, n * 4, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(da));
    CHECK(cudaFree(db));
    CHECK(cudaFree(dc));
    printf("c[%d] = %g\n", n - 1, c[n - 1]);
    for (int i = 0; i < n; i++)
        if (c[i] != a[i] + b[i]) return puts("FAIL"), 1;
    puts("PASS");
}
