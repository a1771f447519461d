// Texture objects: every shape, address mode and filter against a reference on the host.
// expect: fetch ok
// expect: 2D wrap point ok
// expect: 2D wrap linear ok
// expect: 2D clamp point ok
// expect: 2D clamp linear ok
// expect: 2D mirror point ok
// expect: 2D mirror linear ok
// expect: 2D border point ok
// expect: 2D border linear ok
// expect: 2D unnormalised linear ok
// expect: pitch linear ok
// expect: 1D ok
// expect: 3D ok
// expect: layers ok
// expect: 1D layers ok
// expect: cube ok
// expect: levels ok
// expect: level of detail ok
// expect: gradients ok
// expect: gather ok
// expect: bytes ok
// expect: normalised bytes ok
// expect: signed normalised ok
// expect: halves ok
// expect: sRGB ok
// expect: view ok
// expect: descriptions ok
// expect: errors ok
#include "check.cuh"
#include <algorithm>
#include <cstring>

using Tex = cudaTextureObject_t;

static cudaTextureDesc plain() {
    cudaTextureDesc d = {};
    for (auto &m : d.addressMode) m = cudaAddressModeClamp;
    return d;
}
static Tex over(cudaArray_t a, const cudaTextureDesc &d) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    Tex t;
    CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
    return t;
}
static Tex over(cudaMipmappedArray_t a, const cudaTextureDesc &d) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = a;
    Tex t;
    CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
    return t;
}
template <class T> static cudaArray_t array(int w, int h, int d, const T *data, unsigned flags = 0) {
    cudaArray_t a;
    auto desc = cudaCreateChannelDesc<T>();
    CHECK(cudaMalloc3DArray(&a, &desc, make_cudaExtent(w, h, d), flags));
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr((void *)data, w * sizeof(T), w, std::max(h, 1));
    p.dstArray = a;
    p.extent = make_cudaExtent(w, std::max(h, 1), std::max(d, 1));
    p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&p));
    return a;
}

// The reference: weights in steps of 1/256.
static int fold(long i, int n, int mode) {
    switch (mode) {
    case cudaAddressModeWrap: return int((i % n + n) % n);
    case cudaAddressModeMirror: i = (i % (2 * n) + 2 * n) % (2 * n); return int(i < n ? i : 2 * n - 1 - i);
    case cudaAddressModeBorder: return i < 0 || i >= n ? -1 : int(i);
    default: return int(std::min<long>(std::max<long>(i, 0), n - 1));
    }
}
struct Image {
    int w, h;
    std::vector<float> v;
    float at(int x, int y) const { return x < 0 || y < 0 ? 0 : v[y * w + x]; }
    float point(double x, double y, int mode) const {
        return at(fold(long(floor(x)), w, mode), fold(long(floor(y)), h, mode));
    }
    float linear(double x, double y, int mode) const {
        x -= .5, y -= .5;
        double fx = floor(x), fy = floor(y), a = round((x - fx) * 256) / 256, b = round((y - fy) * 256) / 256;
        int x0 = fold(long(fx), w, mode), x1 = fold(long(fx) + 1, w, mode);
        int y0 = fold(long(fy), h, mode), y1 = fold(long(fy) + 1, h, mode);
        return float((1 - a) * (1 - b) * at(x0, y0) + a * (1 - b) * at(x1, y0) + (1 - a) * b * at(x0, y1) + a * b * at(x1, y1));
    }
};

__global__ void fetch(Tex t, int n, float *out) {
    int i = threadIdx.x;
    float2 v = tex1Dfetch<float2>(t, i - 2);
    if (i < n) out[i] = v.x + 10 * v.y;
}
// Odd positions between texels, well beyond the edges.
__host__ __device__ static float spot(int i, int n) { return (i * 0.37f - 1.4f) * n; }
__global__ void sample2(Tex t, int w, int h, float *out) {
    int x = threadIdx.x, y = blockIdx.x;
    out[y * 16 + x] = tex2D<float>(t, spot(x, w), spot(y, h));
}
__global__ void others(Tex one, Tex three, Tex layers, Tex lines, Tex cube, float *out) {
    int i = threadIdx.x;
    out[i] = tex1D<float>(one, i * 0.5f - 1);
    out[32 + i] = tex3D<float>(three, (i + .25f) / 32, (i + .5f) / 64, 0.75f);
    out[64 + i] = tex2DLayered<float>(layers, i % 4 + .5f, i / 16 + .5f, i % 5 - 1);
    out[96 + i] = tex1DLayered<float>(lines, i % 8 + .5f, i % 3);
    float3 d[6] = {{1, .1f, .2f}, {-1, .3f, .1f}, {.1f, 1, -.3f}, {.2f, -1, .2f}, {.4f, -.2f, 1}, {-.2f, .1f, -1}};
    float3 v = d[i % 6];
    out[128 + i] = texCubemap<float>(cube, v.x, v.y, v.z);
}
__global__ void mip(Tex point, Tex linear, float *out) {
    int i = threadIdx.x;
    out[i] = tex2DLod<float>(point, .3f, .6f, float(i % 5));
    out[32 + i] = tex2DLod<float>(linear, .3f, .6f, i * .125f);
    float d = exp2f(float(i % 4)) / 16;
    out[64 + i] = tex2DGrad<float>(point, .3f, .6f, make_float2(d, 0), make_float2(0, d / 2));
}
__global__ void gather(Tex t, float *out) {
    float4 v = tex2Dgather<float4>(t, 1.0f, 2.0f, 1);
    out[0] = v.x, out[1] = v.y, out[2] = v.z, out[3] = v.w;
}
__global__ void bytes(Tex raw, Tex normal, Tex sign, Tex half, Tex srgb, Tex view, float *out) {
    int i = threadIdx.x;
    uchar4 v = tex2D<uchar4>(raw, i % 4, i / 4);
    out[i] = v.x + 256.f * v.y + 65536.f * v.z;
    float4 f = tex2D<float4>(normal, i % 4, i / 4);
    out[32 + i] = f.x + 2 * f.y;
    out[64 + i] = tex2D<float>(sign, i % 4, i / 4);
    out[96 + i] = tex2D<float>(half, i % 4, i / 4);
    float4 s = tex2D<float4>(srgb, i % 4, i / 4);
    out[128 + i] = s.x + s.w;
    out[160 + i] = float(tex2D<unsigned>(view, i % 4, i / 4) & 0xffff);
}

int main() {
    Device<float> out(256);
    auto part = [&](int from, int n) {
        auto all = out.host();
        return std::vector<float>(all.begin() + from, all.begin() + from + n);
    };
    {
        std::vector<float2> data(20);
        for (int i = 0; i < 20; i++) data[i] = {float(i), float(2 * i)};
        Device<float2> d(data);
        cudaResourceDesc r = {};
        r.resType = cudaResourceTypeLinear;
        r.res.linear.devPtr = d.data;
        r.res.linear.desc = cudaCreateChannelDesc<float2>();
        r.res.linear.sizeInBytes = 20 * sizeof(float2);
        auto desc = plain();
        Tex t;
        CHECK(cudaCreateTextureObject(&t, &r, &desc, nullptr));
        fetch<<<1, 32>>>(t, 32, out);
        FINISH();
        compare("fetch", part(0, 32), [&](size_t i) { return i < 2 || i >= 22 ? 0.f : 21.f * (i - 2); });
        CHECK(cudaDestroyTextureObject(t));
    }
    Image image{7, 5, {}};
    for (int i = 0; i < 35; i++) image.v.push_back(float(i * i % 37) - 9);
    cudaArray_t flat = array(7, 5, 0, image.v.data(), cudaArrayTextureGather);
    const char *names[] = {"wrap", "clamp", "mirror", "border"};
    for (int mode = 0; mode < 4; mode++)
        for (int linear = 0; linear < 2; linear++) {
            auto d = plain();
            d.addressMode[0] = d.addressMode[1] = cudaTextureAddressMode(mode);
            d.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
            d.normalizedCoords = 1;
            Tex t = over(flat, d);
            sample2<<<16, 16>>>(t, 1, 1, out);
            FINISH();
            char name[40];
            snprintf(name, sizeof name, "2D %s %s", names[mode], linear ? "linear" : "point");
            compare(name, out.host(), [&](size_t i) {
                double x = double(spot(i % 16, 1)) * 7, y = double(spot(i / 16, 1)) * 5;
                return linear ? image.linear(x, y, mode) : image.point(x, y, mode);
            }, 1e-5);
            CHECK(cudaDestroyTextureObject(t));
        }
    auto d = plain();
    d.filterMode = cudaFilterModeLinear;
    Tex t = over(flat, d);
    sample2<<<16, 16>>>(t, 7, 5, out);
    FINISH();
    auto unnormalised = [&](size_t i) { return image.linear(spot(i % 16, 7), spot(i / 16, 5), cudaAddressModeClamp); };
    compare("2D unnormalised linear", out.host(), unnormalised, 1e-5);
    {
        float *p;
        size_t pitch;
        CHECK(cudaMallocPitch(&p, &pitch, 28, 5));
        CHECK(cudaMemcpy2D(p, pitch, image.v.data(), 28, 28, 5, cudaMemcpyHostToDevice));
        cudaResourceDesc r = {};
        r.resType = cudaResourceTypePitch2D;
        r.res.pitch2D = {p, cudaCreateChannelDesc<float>(), 7, 5, pitch};
        Tex t;
        CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
        sample2<<<16, 16>>>(t, 7, 5, out);
        FINISH();
        compare("pitch linear", out.host(), unnormalised, 1e-5);
        CHECK(cudaFree(p));
    }

    std::vector<float> box(4 * 2 * 3), cells(4 * 2 * 3), rows(8 * 3), faces(6);
    for (size_t i = 0; i < box.size(); i++) box[i] = float(i), cells[i] = 100.f + i;
    for (size_t i = 0; i < rows.size(); i++) rows[i] = 1000.f + i;
    for (size_t i = 0; i < 6; i++) faces[i] = 7.f * i;
    auto normal = d;
    normal.normalizedCoords = 1;
    std::vector<float> line = {3, 1, 4, 1, 5};
    Tex one = over(array(5, 0, 0, line.data()), d), three = over(array(4, 2, 3, box.data()), normal);
    Tex layers = over(array(4, 2, 3, cells.data(), cudaArrayLayered), plain());
    Tex lines = over(array(8, 0, 3, rows.data(), cudaArrayLayered), plain());
    Tex cube = over(array(1, 1, 6, faces.data(), cudaArrayCubemap), plain());
    others<<<1, 32>>>(one, three, layers, lines, cube, out);
    FINISH();
    compare("1D", part(0, 32), [&](size_t i) {
        Image l{5, 1, line};
        return l.linear(i * .5 - 1, .5, cudaAddressModeClamp);
    }, 1e-6);
    compare("3D", part(32, 32), [&](size_t i) {
        double z = .75 * 3 - .5, f = floor(z), a = round((z - f) * 256) / 256;
        float v[2];
        for (int k = 0; k < 2; k++) {
            int s = fold(long(f) + k, 3, cudaAddressModeClamp);
            Image l{4, 2, std::vector<float>(box.begin() + 8 * s, box.begin() + 8 * s + 8)};
            v[k] = l.linear(double((i + .25f) / 32) * 4, double((i + .5f) / 64) * 2, cudaAddressModeClamp);
        }
        return float((1 - a) * v[0] + a * v[1]);
    }, 1e-5);
    compare("layers", part(64, 32), [&](size_t i) {
        int layer = std::min(std::max(int(i % 5) - 1, 0), 2);
        return cells[layer * 8 + i / 16 * 4 + i % 4];
    });
    compare("1D layers", part(96, 32), [&](size_t i) { return rows[i % 3 * 8 + i % 8]; });
    compare("cube", part(128, 32), [&](size_t i) { return faces[i % 6]; });

    cudaMipmappedArray_t pyramid;
    auto channel = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocMipmappedArray(&pyramid, &channel, make_cudaExtent(16, 16, 0), 9));
    for (int l = 0; l < 5; l++) {
        cudaArray_t level;
        CHECK(cudaGetMipmappedArrayLevel(&level, pyramid, l));
        int n = 16 >> l;
        std::vector<float> v(n * n, 10.f * (l + 1));
        CHECK(cudaMemcpy2DToArray(level, 0, 0, v.data(), n * 4, n * 4, n, cudaMemcpyHostToDevice));
    }
    cudaArray_t beyond;
    bool no_level = cudaGetMipmappedArrayLevel(&beyond, pyramid, 5) == cudaErrorInvalidValue;
    cudaGetLastError();
    normal.maxMipmapLevelClamp = 3.5f;
    Tex nearest = over(pyramid, normal);
    normal.mipmapFilterMode = cudaFilterModeLinear;
    Tex between = over(pyramid, normal);
    mip<<<1, 32>>>(nearest, between, out);
    FINISH();
    auto nearest_level = [&](double l) { return 10.f * (1 + floorf(float(std::min(l, 3.5)) + .5f)); };
    compare("levels", part(0, 32), [&](size_t i) { return nearest_level(i % 5); });
    compare("level of detail", part(32, 32), [&](size_t i) { return 10.f * (1 + std::min(i * .125f, 3.5f)); }, 1e-6);
    compare("gradients", part(64, 32), [&](size_t i) { return nearest_level(i % 4); });

    std::vector<float4> quads(16);
    for (int i = 0; i < 16; i++) quads[i] = {0, float(i), 0, 0};
    Tex g = over(array(4, 4, 0, quads.data(), cudaArrayTextureGather), plain());
    gather<<<1, 1>>>(g, out);
    FINISH();
    float corners[] = {8, 9, 5, 4};
    compare("gather", part(0, 4), [&](size_t i) { return corners[i]; });

    std::vector<uchar4> b(16);
    std::vector<signed char> s(16);
    std::vector<unsigned short> h(16);
    for (int i = 0; i < 16; i++) {
        b[i] = {(unsigned char)(i * 17), (unsigned char)(255 - i), 3, (unsigned char)i};
        s[i] = (signed char)(i * 17 - 128);
        h[i] = (unsigned short)(0x3c00 + i * 0x40);
    }
    auto reading = [](cudaTextureReadMode mode, int srgb = 0) {
        auto d = plain();
        d.readMode = mode, d.sRGB = srgb;
        return d;
    };
    cudaArray_t ba = array(4, 4, 0, b.data()), ha;
    auto half = cudaCreateChannelDescHalf();
    CHECK(cudaMallocArray(&ha, &half, 4, 4));
    CHECK(cudaMemcpy2DToArray(ha, 0, 0, h.data(), 8, 8, 4, cudaMemcpyHostToDevice));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = ba;
    cudaResourceViewDesc v = {};
    v.format = cudaResViewFormatUnsignedInt1;
    v.width = v.height = 4;
    Tex view;
    auto raw = reading(cudaReadModeElementType);
    CHECK(cudaCreateTextureObject(&view, &r, &raw, &v));
    bytes<<<1, 16>>>(over(ba, raw), over(ba, reading(cudaReadModeNormalizedFloat)),
                     over(array(4, 4, 0, s.data()), reading(cudaReadModeNormalizedFloat)), over(ha, raw),
                     over(ba, reading(cudaReadModeNormalizedFloat, 1)), view, out);
    FINISH();
    compare("bytes", part(0, 16), [&](size_t i) { return b[i].x + 256.f * b[i].y + 65536.f * b[i].z; });
    compare("normalised bytes", part(32, 16), [&](size_t i) { return b[i].x / 255.f + 2 * (b[i].y / 255.f); }, 1e-6);
    compare("signed normalised", part(64, 16), [&](size_t i) { return std::max(s[i] / 127.f, -1.f); }, 1e-6);
    compare("halves", part(96, 16), [&](size_t i) { return 1 + i / 16.f; });
    compare("sRGB", part(128, 16), [&](size_t i) {
        float c = b[i].x / 255.f, l = c <= .04045f ? c / 12.92f : powf((c + .055f) / 1.055f, 2.4f);
        return l + b[i].w / 255.f;
    }, 1e-5);
    compare("view", part(160, 16), [&](size_t i) { return float(b[i].x | b[i].y << 8); });

    cudaResourceDesc rd;
    cudaTextureDesc td;
    cudaResourceViewDesc vd;
    CHECK(cudaGetTextureObjectResourceDesc(&rd, view));
    CHECK(cudaGetTextureObjectTextureDesc(&td, nearest));
    CHECK(cudaGetTextureObjectResourceViewDesc(&vd, view));
    bool same = rd.res.array.array == ba && td.maxMipmapLevelClamp == 3.5f && td.normalizedCoords == 1 &&
                td.readMode == cudaReadModeElementType && vd.format == cudaResViewFormatUnsignedInt1;
    puts(same ? "descriptions ok" : "descriptions wrong");

    auto code = [&](cudaError_t want, cudaError_t got) { return cudaGetLastError(), want == got; };
    r.res.array.array = nullptr;
    bool errors = no_level && code(cudaErrorInvalidValue, cudaCreateTextureObject(&t, &r, &raw, nullptr));
    r.resType = cudaResourceTypeLinear;
    r.res.linear = {(char *)out.data + 4, cudaCreateChannelDesc<float>(), 64};
    errors &= code(cudaErrorInvalidValue, cudaCreateTextureObject(&t, &r, &raw, nullptr));
    cudaArray_t bad;
    errors &= code(cudaErrorInvalidValue, cudaMalloc3DArray(&bad, &channel, make_cudaExtent(4, 8, 6), cudaArrayCubemap));
    errors &= code(cudaErrorInvalidValue, cudaMemcpy2DToArray(flat, 4, 0, b.data(), 28, 28, 1, cudaMemcpyHostToDevice));
    puts(errors ? "errors ok" : "errors wrong");
    CHECK(cudaFreeMipmappedArray(pyramid));
    CHECK(cudaFreeArray(flat));
}
