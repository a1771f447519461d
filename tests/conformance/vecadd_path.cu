// The shared runtime found by LD_LIBRARY_PATH alone, without a launcher.
// build: shared
// door: path
// expect: sum ok
#include "check.cuh"

__global__ void add(const int *a, const int *b, int *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

int main() {
    const int n = 5000;
    std::vector<int> a(n), b(n);
    for (int i = 0; i < n; i++) a[i] = i * 7, b[i] = -i;
    Device<int> da(a), db(b), dc(n);
    add<<<(n + 127) / 128, 128>>>(da, db, dc, n);
    FINISH();
    return compare("sum", dc.host(), [](int i) { return i * 6; });
}
