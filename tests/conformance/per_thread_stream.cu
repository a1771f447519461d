// Eight threads with the per-thread default stream; last errors are their own.
// flags: --default-stream per-thread -Xcompiler -pthread
// expect: 0,0,0,0,0,0,0,0,
// expect: cudaSuccess
#include "check.cuh"
#include <thread>
__global__ void inc(int *p, int n) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i]++; }
int main() { std::vector<std::thread> ts; int res[8]; for (int t = 0; t < 8; t++) ts.emplace_back([&res, t] { int n = 10000 + t; int *d; CHECK(cudaMalloc(&d, n * 4)); CHECK(cudaMemsetAsync(d, 0, n * 4)); for (int i = 0; i < 100; i++) inc<<<8, 128>>>(d, n); std::vector<int> h(n); CHECK(cudaMemcpyAsync(h.data(), d, n * 4, cudaMemcpyDeviceToHost, cudaStreamPerThread)); CHECK(cudaStreamSynchronize(0)); int bad = 0; for (int v : h) bad += v != 100; res[t] = bad; CHECK(cudaFree(d)); cudaSetDevice(5); if (cudaGetLastError() != cudaErrorInvalidDevice) res[t] = -1; }); for (auto &t : ts) t.join(); for (int r : res) printf("%d,", r); printf("\n%s\n", cudaGetErrorName(cudaGetLastError())); }
