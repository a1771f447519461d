// One pointer for both sides, no copy.
// build: static shared
// expect: host sees the device's sums
// expect: device sees the host's change
#include "check.cuh"

__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

int main() {
    const int n = 100000;
    float *a, *b, *c;
    CHECK(cudaMallocManaged(&a, n * sizeof(float)));
    CHECK(cudaMallocManaged(&b, n * sizeof(float)));
    CHECK(cudaMallocManaged(&c, n * sizeof(float)));
    for (int i = 0; i < n; i++) a[i] = float(i), b[i] = 1.0f;
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
    FINISH();
    int wrong = 0;
    for (int i = 0; i < n; i++) wrong += c[i] != float(i) + 1.0f;
    if (wrong) return printf("%d sums wrong\n", wrong), 1;
    puts("host sees the device's sums");
    for (int i = 0; i < n; i++) b[i] = c[i];
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
    FINISH();
    for (int i = 0; i < n; i++) wrong += c[i] != 2.0f * float(i) + 1.0f;
    if (wrong) return printf("%d sums wrong after the change\n", wrong), 1;
    puts("device sees the host's change");
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(c));
}
