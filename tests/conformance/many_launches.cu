// Many launches, many blocks, grids of three dimensions, refused launches.
// timeout: 60
// expect: many 20000
// expect: blocks 1068576
// expect: big 0
// expect: yz ok
// expect: cudaErrorInvalidConfiguration
// expect: cudaErrorInvalidConfiguration
// expect: cudaErrorInvalidConfiguration
// expect: cudaSuccess
// expect: cudaErrorInvalidConfiguration
#include "check.cuh"
__global__ void inc(int *p) { if (threadIdx.x == 0) atomicAdd(p, 1); }
__global__ void big(unsigned *p, unsigned n) { unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = i ^ 0x55; }
__global__ void yz(int *p) { int i = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x); int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; p[i * 30 + t] = i * 1000 + t; }
int main() { Device<int> p(1); p.zero(); for (int i = 0; i < 20000; i++) inc<<<1, 32>>>(p); FINISH(); printf("many %d\n", p.host()[0]); inc<<<1 << 20, 1>>>(p); FINISH(); printf("blocks %d\n", p.host()[0]); unsigned n = 30000001; Device<unsigned> b(n); big<<<(n + 1023) / 1024, 1024>>>(b, n); FINISH(); auto h = b.host(); unsigned bad = 0; for (unsigned i = 0; i < n; i++) bad += h[i] != (i ^ 0x55); printf("big %u\n", bad);
 Device<int> q(3 * 5 * 7 * 30); yz<<<dim3(3, 5, 7), dim3(5, 3, 2)>>>(q); FINISH(); compare("yz", q.host(), [](int i) { return i / 30 * 1000 + i % 30; }); inc<<<dim3(1, 70000, 1), 1>>>(p); printf("%s\n", cudaGetErrorName(cudaGetLastError())); inc<<<1, 33>>>(p); inc<<<1, 1025>>>(p); printf("%s\n", cudaGetErrorName(cudaPeekAtLastError())); printf("%s\n", cudaGetErrorName(cudaGetLastError())); printf("%s\n", cudaGetErrorName(cudaGetLastError())); inc<<<0, 32>>>(p); printf("%s\n", cudaGetErrorName(cudaGetLastError())); }
