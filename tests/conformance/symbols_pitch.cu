// Symbols, pitched and three-dimensional memory, arrays, registered memory, pointer attributes.
// expect: sym ok
// expect: counter 43
// expect: ptr 77
// expect: 1,12,23,30,40,50,60,70,80,90,
// expect: size 400
// expect: t 14
// expect: pitch 512
// expect: 2d 1
// expect: memset2d 0
// expect: bad pitch cudaErrorInvalidPitchValue
// expect: 3d ok
// expect: 3d sub ok
// expect: z 0
// expect: arr 0
// expect: reg 7
// expect: type 2 dev 0
// expect: type 0 dev -2
// expect: type 3 dev 0
// expect: free<total 1
#include "check.cuh"
#include <cstring>
__constant__ float coef[16]; __constant__ struct { int a; double b; } cs = {3, 2.5};
__device__ int counter = 42; __device__ float table[100]; __device__ int *ptr; __managed__ int mg[10] = {1, 2, 3};
__global__ void use(float *o) { int i = threadIdx.x; o[i] = coef[i % 16] * cs.a + cs.b + table[i]; if (i == 0) { atomicAdd(&counter, 1); ptr[3] = 77; } if (i < 10) mg[i] += i * 10; }
__global__ void fill3(cudaPitchedPtr p, cudaExtent e) { int x = threadIdx.x; for (int z = 0; z < e.depth; z++) for (int y = 0; y < e.height; y++) { float *row = (float *)((char *)p.ptr + p.pitch * (z * e.height + y)); if (x < e.width / 4) row[x] = x + 100 * y + 10000 * z; } }
int main() {
    float c[16]; for (int i = 0; i < 16; i++) c[i] = i; CHECK(cudaMemcpyToSymbol(coef, c, sizeof c));
    float t[100]; for (int i = 0; i < 100; i++) t[i] = i * 2; CHECK(cudaMemcpyToSymbol(table, t, 200, 200)); CHECK(cudaMemcpyToSymbol(table, t, 200));
    int *p; CHECK(cudaMalloc(&p, 64)); CHECK(cudaMemcpyToSymbol(ptr, &p, sizeof p));
    Device<float> o(100); use<<<1, 100>>>(o); FINISH();
    compare("sym", o.host(), [&](size_t i) { return (i % 16) * 3 + 2.5 + (i % 50) * 2; });
    int v; CHECK(cudaMemcpyFromSymbol(&v, counter, 4)); printf("counter %d\n", v); CHECK(cudaMemcpy(&v, p + 3, 4, cudaMemcpyDefault)); printf("ptr %d\n", v);
    for (int i = 0; i < 10; i++) printf("%d,", mg[i]); puts("");
    void *a; size_t sz; CHECK(cudaGetSymbolAddress(&a, table)); CHECK(cudaGetSymbolSize(&sz, table)); printf("size %zu\n", sz); CHECK(cudaMemcpy(&t[0], (float *)a + 7, 4, cudaMemcpyDeviceToHost)); printf("t %g\n", t[0]);
    // pitch
    size_t pitch; char *d; CHECK(cudaMallocPitch(&d, &pitch, 100, 37)); printf("pitch %zu\n", pitch);
    std::vector<char> h(100 * 37), g(100 * 37, 0); for (size_t i = 0; i < h.size(); i++) h[i] = i * 7;
    CHECK(cudaMemcpy2D(d, pitch, h.data(), 100, 100, 37, cudaMemcpyHostToDevice)); CHECK(cudaMemcpy2D(g.data(), 100, d, pitch, 100, 37, cudaMemcpyDeviceToHost)); printf("2d %d\n", g == h);
    CHECK(cudaMemset2D(d + 10, pitch, 5, 30, 20)); CHECK(cudaMemcpy2D(g.data(), 100, d, pitch, 100, 37, cudaMemcpyDeviceToHost));
    int bad = 0; for (int y = 0; y < 37; y++) for (int x = 0; x < 100; x++) bad += g[y * 100 + x] != (x >= 10 && x < 40 && y < 20 ? 5 : h[y * 100 + x]); printf("memset2d %d\n", bad);
    printf("bad pitch %s\n", cudaGetErrorName(cudaMemcpy2D(d, 50, h.data(), 100, 100, 37, cudaMemcpyHostToDevice))); cudaGetLastError();
    // 3d
    cudaPitchedPtr pp; cudaExtent e = make_cudaExtent(20 * 4, 5, 3); CHECK(cudaMalloc3D(&pp, e)); fill3<<<1, 32>>>(pp, e); FINISH();
    std::vector<float> h3(300, -1); cudaMemcpy3DParms m = {}; m.srcPtr = pp; m.dstPtr = make_cudaPitchedPtr(h3.data(), 80, 20, 5); m.extent = e; m.kind = cudaMemcpyDeviceToHost; CHECK(cudaMemcpy3D(&m));
    compare("3d", h3, [](size_t i) { return i % 20 + 100 * (i / 20 % 5) + 10000 * (i / 100); });
    m.srcPos = make_cudaPos(8, 1, 1); m.extent = make_cudaExtent(40, 2, 2); m.dstPtr = make_cudaPitchedPtr(h3.data(), 40, 10, 2); CHECK(cudaMemcpy3D(&m)); h3.resize(40);
    compare("3d sub", h3, [](size_t i) { return i % 10 + 2 + 100 * (i / 10 % 2 + 1) + 10000 * (i / 20 + 1); });
    CHECK(cudaMemset3D(pp, 0, e)); CHECK(cudaMemcpy(&t, pp.ptr, 80, cudaMemcpyDeviceToHost)); printf("z %g\n", t[19]);
    // array
    cudaArray_t arr; auto cd = cudaCreateChannelDesc<float>(); CHECK(cudaMallocArray(&arr, &cd, 16, 4)); float in[64], out[64]; for (int i = 0; i < 64; i++) in[i] = i;
    CHECK(cudaMemcpy2DToArray(arr, 0, 0, in, 64, 64, 4, cudaMemcpyHostToDevice)); CHECK(cudaMemcpy2DFromArray(out, 64, arr, 0, 0, 64, 4, cudaMemcpyDeviceToHost)); printf("arr %d\n", memcmp(in, out, 256)); CHECK(cudaFreeArray(arr));
    // host register, peer etc.
    void *r = aligned_alloc(4096, 8192); CHECK(cudaHostRegister(r, 8192, cudaHostRegisterMapped)); void *dp; CHECK(cudaHostGetDevicePointer(&dp, r, 0)); CHECK(cudaMemset(dp, 7, 8192)); CHECK(cudaDeviceSynchronize()); printf("reg %d\n", ((char *)r)[8191]); CHECK(cudaHostUnregister(r));
    cudaPointerAttributes at; CHECK(cudaPointerGetAttributes(&at, p)); printf("type %d dev %d\n", at.type, at.device); CHECK(cudaPointerGetAttributes(&at, r)); printf("type %d dev %d\n", at.type, at.device); CHECK(cudaPointerGetAttributes(&at, mg)); printf("type %d dev %d\n", at.type, at.device);
    size_t fr, to; CHECK(cudaMemGetInfo(&fr, &to)); printf("free<total %d\n", fr < to);
    int *z; CHECK(cudaHostAlloc(&z, 4096, cudaHostAllocMapped | cudaHostAllocWriteCombined)); z[0] = 1; CHECK(cudaFreeHost(z));
}
