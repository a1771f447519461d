// Surface objects: reads and writes of every width, beyond the edges, from textures, and atomically.
// expect: copy ok
// expect: widths ok
// expect: clamp ok
// expect: zero ok
// expect: box ok
// expect: layers ok
// expect: seen by a texture ok
// expect: sum = 496
// expect: not for surfaces: 1
// expect: trap: 719
#include "check.cuh"

using Surf = cudaSurfaceObject_t;

__global__ void copy(Surf from, Surf to) {
    int x = threadIdx.x, y = blockIdx.x;
    float4 v;
    surf2Dread(&v, from, x * 16, y);
    surf2Dwrite(make_float4(v.w, v.z, v.y, v.x), to, x * 16, y);
}
__global__ void widths(Surf s, unsigned *out) {
    if (threadIdx.x == 0) {
        surf2Dwrite((unsigned char)0x11, s, 0, 0);
        surf2Dwrite((unsigned short)0x3322, s, 2, 0);
        surf2Dwrite(0x77665544u, s, 4, 0);
        surf2Dwrite(0x0102030405060708ull, s, 8, 0);
        surf2Dwrite(make_uint4(1, 2, 3, 4), s, 16, 0);
        unsigned char c;
        unsigned short h;
        unsigned long long l;
        uint2 p;
        surf2Dread(&c, s, 0, 0);
        surf2Dread(&h, s, 2, 0);
        surf2Dread(&out[2], s, 4, 0);
        surf2Dread(&l, s, 8, 0);
        surf2Dread(&p, s, 24, 0);
        out[0] = c, out[1] = h, out[3] = unsigned(l), out[4] = unsigned(l >> 32), out[5] = p.x, out[6] = p.y;
    }
}
__global__ void edges(Surf s, int *out) {
    int i = int(threadIdx.x) - 2;
    surf2Dread(&out[threadIdx.x], s, i * 4, 9, cudaBoundaryModeClamp);
    out[32 + threadIdx.x] = -1;
    surf2Dread(&out[32 + threadIdx.x], s, i * 4, 1, cudaBoundaryModeZero);
    // Dropped, all of them.
    surf2Dwrite(99, s, -4, 0, cudaBoundaryModeZero);
}
__global__ void deep(Surf box, Surf layers) {
    int x = threadIdx.x % 4, y = threadIdx.x / 4 % 2, z = threadIdx.x / 8;
    int v;
    surf3Dread(&v, box, x * 4, y, z);
    surf3Dwrite(v + 1, box, x * 4, y, z);
    surf2DLayeredwrite(100 * z + 10 * y + x, layers, x * 4, y, z);
}
__global__ void look(cudaTextureObject_t t, int *out) {
    out[threadIdx.x] = tex2DLayered<int>(t, threadIdx.x % 4, threadIdx.x / 4 % 2, threadIdx.x / 8);
}
__global__ void add(Surf s) {
    asm volatile("sured.b.add.2d.u32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(4), "r"(1), "r"(threadIdx.x));
}
__global__ void outside(Surf s) { surf2Dwrite(1, s, 4000, 0); }

static Surf surface(cudaArray_t a) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    Surf s;
    CHECK(cudaCreateSurfaceObject(&s, &r));
    return s;
}
template <class T> static cudaArray_t make(int w, int h, int d, unsigned flags = 0) {
    auto desc = cudaCreateChannelDesc<T>();
    cudaArray_t a;
    CHECK(cudaMalloc3DArray(&a, &desc, make_cudaExtent(w, h, d), flags | cudaArraySurfaceLoadStore));
    return a;
}

int main() {
    std::vector<float> v(8 * 4 * 4);
    for (size_t i = 0; i < v.size(); i++) v[i] = float(i);
    cudaArray_t a = make<float4>(8, 4, 0), b = make<float4>(8, 4, 0);
    CHECK(cudaMemcpy2DToArray(a, 0, 0, v.data(), 128, 128, 4, cudaMemcpyHostToDevice));
    copy<<<4, 8>>>(surface(a), surface(b));
    FINISH();
    std::vector<float> w(v.size());
    CHECK(cudaMemcpy2DFromArray(w.data(), 128, b, 0, 0, 128, 4, cudaMemcpyDeviceToHost));
    compare("copy", w, [&](size_t i) { return v[i / 4 * 4 + 3 - i % 4]; });

    Device<unsigned> out(8);
    widths<<<1, 32>>>(surface(a), out);
    FINISH();
    unsigned want[] = {0x11, 0x3322, 0x77665544, 0x05060708, 0x01020304, 3, 4};
    auto got = out.host();
    got.pop_back();
    compare("widths", got, [&](size_t i) { return want[i]; });

    std::vector<int> grid(16 * 2);
    for (int i = 0; i < 32; i++) grid[i] = i + 1;
    cudaArray_t c = make<int>(16, 2, 0);
    CHECK(cudaMemcpy2DToArray(c, 0, 0, grid.data(), 64, 64, 2, cudaMemcpyHostToDevice));
    Device<int> seen(64);
    edges<<<1, 20>>>(surface(c), seen);
    FINISH();
    auto all = seen.host();
    std::vector<int> clamped(all.begin(), all.begin() + 20), zeros(all.begin() + 32, all.begin() + 52);
    compare("clamp", clamped, [&](size_t i) { return 17 + std::min(std::max(int(i) - 2, 0), 15); });
    compare("zero", zeros, [&](size_t i) { return i < 2 || i >= 18 ? 0 : 15 + int(i); });

    std::vector<int> box(24);
    for (int i = 0; i < 24; i++) box[i] = 5 * i;
    cudaArray_t d = make<int>(4, 2, 3), e = make<int>(4, 2, 3, cudaArrayLayered);
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(box.data(), 16, 4, 2);
    p.dstArray = d;
    p.extent = make_cudaExtent(4, 2, 3);
    p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&p));
    deep<<<1, 24>>>(surface(d), surface(e));
    FINISH();
    cudaMemcpy3DParms q = {};
    q.srcArray = d;
    q.dstPtr = make_cudaPitchedPtr(box.data(), 16, 4, 2);
    q.extent = p.extent;
    q.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&q));
    compare("box", box, [&](size_t i) { return 5 * int(i) + 1; });
    q.srcArray = e;
    CHECK(cudaMemcpy3D(&q));
    auto layered = [&](size_t i) { return int(100 * (i / 8) + 10 * (i / 4 % 2) + i % 4); };
    compare("layers", box, layered);
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = e;
    cudaTextureDesc td = {};
    cudaTextureObject_t t;
    CHECK(cudaCreateTextureObject(&t, &r, &td, nullptr));
    look<<<1, 24>>>(t, seen);
    FINISH();
    all = seen.host();
    all.resize(24);
    compare("seen by a texture", all, layered);

    CHECK(cudaMemset(seen, 0, 4));
    CHECK(cudaMemcpy2DToArray(c, 4, 1, seen.data, 4, 4, 1, cudaMemcpyDeviceToDevice));
    add<<<1, 32>>>(surface(c));
    FINISH();
    int sum;
    CHECK(cudaMemcpy2DFromArray(&sum, 4, c, 4, 1, 4, 1, cudaMemcpyDeviceToHost));
    printf("sum = %d\n", sum);

    auto desc = cudaCreateChannelDesc<int>();
    CHECK(cudaMallocArray(&r.res.array.array, &desc, 4, 4));
    Surf s;
    printf("not for surfaces: %d\n", int(cudaCreateSurfaceObject(&s, &r)));
    cudaGetLastError();
    outside<<<1, 1>>>(surface(c));
    printf("trap: %d\n", int(cudaDeviceSynchronize()));
}
