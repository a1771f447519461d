// Texture and surface references by the Driver API, with PTX as old compilers wrote it.
// expect: array ok
// expect: linear ok
// expect: pitch ok
// expect: older form ok
// expect: mipmap ok
// expect: indirect ok
// expect: queries 8 4 1
// expect: surface ok
// expect: settings ok
// expect: unbound: 700
#include "check.cuh"
#include "driver.cuh"
#include <cstring>

static const char ptx[] = R"(
.version 8.0
.target sm_90
.address_size 64
.global .texref tex;
.global .texref none;
.global .surfref surf;
.visible .entry sample(.param .u64 out) {
 .reg .f32 %f<8>; .reg .b32 %r<4>; .reg .b64 %rd<6>;
 ld.param.u64 %rd1, [out];
 mov.u32 %r1, %tid.x;
 and.b32 %r2, %r1, 7;
 shr.u32 %r3, %r1, 3;
 cvt.rn.f32.u32 %f1, %r2;
 cvt.rn.f32.u32 %f2, %r3;
 tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [tex, {%f1, %f2}];
 mul.wide.u32 %rd2, %r1, 4;
 add.s64 %rd3, %rd1, %rd2;
 st.global.f32 [%rd3], %f3;
 ret;
}
.visible .entry indirect(.param .u64 out) {
 .reg .f32 %f<8>; .reg .b32 %r<4>; .reg .b64 %rd<6>;
 ld.param.u64 %rd1, [out];
 mov.u32 %r1, %tid.x;
 mov.u64 %rd4, tex;
 tex.1d.v4.f32.s32 {%f3, %f4, %f5, %f6}, [%rd4, {%r1}];
 mul.wide.u32 %rd2, %r1, 4;
 add.s64 %rd3, %rd1, %rd2;
 st.global.f32 [%rd3], %f3;
 ret;
}
.visible .entry ask(.param .u64 out) {
 .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<6>;
 ld.param.u64 %rd1, [out];
 txq.width.b32 %r1, [tex];
 txq.height.b32 %r2, [tex];
 mov.u64 %rd2, tex;
 istypep.texref %p, %rd2;
 selp.u32 %r3, 1, 0, %p;
 st.global.u32 [%rd1], %r1;
 st.global.u32 [%rd1+4], %r2;
 st.global.u32 [%rd1+8], %r3;
 ret;
}
.visible .entry write(.param .u64 out) {
 .reg .b32 %r<8>;
 mov.u32 %r1, %tid.x;
 and.b32 %r2, %r1, 7;
 shr.u32 %r3, %r1, 3;
 shl.b32 %r4, %r2, 2;
 add.u32 %r5, %r1, 500;
 sust.b.2d.b32.trap [surf, {%r4, %r3}], {%r5};
 ret;
}
.visible .entry unbound(.param .u64 out) {
 .reg .f32 %f<8>; .reg .b64 %rd;
 ld.param.u64 %rd, [out];
 mov.f32 %f1, 0f00000000;
 tex.1d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [none, {%f1}];
 st.global.f32 [%rd], %f3;
 ret;
}
)";

int main() {
    CHECK(cudaFree(0));
    CUmodule m;
    DCHECK(cuModuleLoadData, &m, ptx);
    Device<float> out(32);
    auto run = [&](const char *name) {
        CUfunction f;
        DCHECK(cuModuleGetFunction, &f, m, name);
        CUdeviceptr p = (CUdeviceptr)out.data;
        void *args[] = {&p};
        DCHECK(cuLaunchKernel, f, 1, 1, 1, 32, 1, 1, 0, 0, args, nullptr);
        return DRV(cuCtxSynchronize)();
    };
    std::vector<float> grid(32);
    for (int i = 0; i < 32; i++) grid[i] = 3.f * i;
    CUDA_ARRAY3D_DESCRIPTOR d = {8, 4, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST};
    CUarray array;
    DCHECK(cuArray3DCreate, &array, &d);
    CUDA_MEMCPY2D copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST, copy.srcHost = grid.data(), copy.srcPitch = 32;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY, copy.dstArray = array;
    copy.WidthInBytes = 32, copy.Height = 4;
    DCHECK(cuMemcpy2D, &copy);
    CUtexref t;
    DCHECK(cuModuleGetTexRef, &t, m, "tex");
    EXPECT(CUDA_ERROR_NOT_FOUND, cuModuleGetTexRef, &t, m, "text");
    DCHECK(cuTexRefSetArray, t, array, CU_TRSA_OVERRIDE_FORMAT);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuTexRefSetArray, t, array, 0);
    run("sample");
    compare("array", out.host(), [&](size_t i) { return grid[i]; });

    Device<float> linear(std::vector<float>(32, 4.f));
    size_t offset = 9;
    DCHECK(cuTexRefSetFormat, t, CU_AD_FORMAT_FLOAT, 1);
    DCHECK(cuTexRefSetAddress, &offset, t, (CUdeviceptr)linear.data, 64);
    run("indirect");
    compare("linear", out.host(), [&](size_t i) { return i < 16 && offset == 0 ? 4.f : 0.f; });
    CUdeviceptr bound;
    DCHECK(cuTexRefGetAddress, &bound, t);

    CUDA_ARRAY_DESCRIPTOR flat = {8, 4, CU_AD_FORMAT_FLOAT, 1};
    Device<float> lines(grid);
    DCHECK(cuTexRefSetAddress2D, t, &flat, (CUdeviceptr)lines.data, 32);
    run("sample");
    compare("pitch", out.host(), [&](size_t i) { return grid[i]; });
    // Its form of CUDA 3.2.
    auto older = (decltype(DRV(cuTexRefSetAddress2D)))driver_symbol("cuTexRefSetAddress2D_v2");
    Device<float> reversed(std::vector<float>(grid.rbegin(), grid.rend()));
    if (CUresult e = older(t, &flat, (CUdeviceptr)reversed.data, 32)) printf("older form: %d\n", e);
    run("sample");
    compare("older form", out.host(), [&](size_t i) { return grid[31 - i]; });

    CUmipmappedArray mip, back;
    CUarray level;
    CUDA_ARRAY3D_DESCRIPTOR md = {8, 4, 0, CU_AD_FORMAT_FLOAT, 1, 0};
    DCHECK(cuMipmappedArrayCreate, &mip, &md, 3);
    DCHECK(cuMipmappedArrayGetLevel, &level, mip, 0);
    CUDA_ARRAY_MEMORY_REQUIREMENTS need;
    DCHECK(cuMipmappedArrayGetMemoryRequirements, &need, mip, 0);
    copy.dstArray = level;
    DCHECK(cuMemcpy2D, &copy);
    DCHECK(cuTexRefSetMipmappedArray, t, mip, CU_TRSA_OVERRIDE_FORMAT);
    DCHECK(cuTexRefGetMipmappedArray, &back, t);
    run("sample");
    compare("mipmap", out.host(), [&](size_t i) { return back == mip && need.size >= 128 ? grid[i] : -1.f; });

    CUDA_ARRAY_SPARSE_PROPERTIES sparse;
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuArrayGetSparseProperties, &sparse, array);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMipmappedArrayGetSparseProperties, &sparse, mip);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuArrayGetPlane, &level, array, 0);
    EXPECT(CUDA_SUCCESS, cuMemMapArrayAsync, nullptr, 0, 0);

    DCHECK(cuTexRefSetArray, t, array, CU_TRSA_OVERRIDE_FORMAT);
    DCHECK(cuTexRefSetAddressMode, t, 0, CU_TR_ADDRESS_MODE_BORDER);
    float colour[4] = {-5, 0, 0, 0}, colours[4];
    DCHECK(cuTexRefSetBorderColor, t, colour);
    run("indirect");
    compare("indirect", out.host(), [&](size_t i) { return i < 8 ? grid[i] : -5.f; });
    run("ask");
    auto words = out.host();
    unsigned answer[3];
    memcpy(answer, words.data(), sizeof answer);
    printf("queries %u %u %u\n", answer[0], answer[1], answer[2]);

    CUsurfref s;
    CUarray surf;
    DCHECK(cuModuleGetSurfRef, &s, m, "surf");
    DCHECK(cuSurfRefSetArray, s, array, 0);
    DCHECK(cuSurfRefGetArray, &surf, s);
    run("write");
    run("sample");
    std::vector<float> seen = out.host();
    std::vector<unsigned> bits(32);
    memcpy(bits.data(), seen.data(), 128);
    compare("surface", bits, [&](size_t i) { return surf == array ? unsigned(i) + 500 : 0; });

    CUtexref own;
    DCHECK(cuTexRefCreate, &own);
    DCHECK(cuTexRefSetFilterMode, own, CU_TR_FILTER_MODE_LINEAR);
    DCHECK(cuTexRefSetFlags, own, CU_TRSF_NORMALIZED_COORDINATES);
    DCHECK(cuTexRefSetMaxAnisotropy, own, 4);
    DCHECK(cuTexRefSetMipmapFilterMode, own, CU_TR_FILTER_MODE_LINEAR);
    DCHECK(cuTexRefSetMipmapLevelBias, own, 0.5f);
    DCHECK(cuTexRefSetMipmapLevelClamp, own, 1.f, 2.f);
    DCHECK(cuTexRefSetFormat, own, CU_AD_FORMAT_SIGNED_INT16, 2);
    CUfilter_mode fm, mfm;
    CUaddress_mode am;
    CUarray_format format;
    unsigned flags;
    int channels, most;
    float bias, low, high;
    DCHECK(cuTexRefGetFilterMode, &fm, own);
    DCHECK(cuTexRefGetFlags, &flags, own);
    DCHECK(cuTexRefGetMaxAnisotropy, &most, own);
    DCHECK(cuTexRefGetMipmapFilterMode, &mfm, own);
    DCHECK(cuTexRefGetMipmapLevelBias, &bias, own);
    DCHECK(cuTexRefGetMipmapLevelClamp, &low, &high, own);
    DCHECK(cuTexRefGetFormat, &format, &channels, own);
    DCHECK(cuTexRefGetAddressMode, &am, t, 0);
    DCHECK(cuTexRefGetBorderColor, colours, t);
    CUarray which;
    DCHECK(cuTexRefGetArray, &which, t);
    bool good = fm == CU_TR_FILTER_MODE_LINEAR && flags == 2 && most == 4 && mfm == CU_TR_FILTER_MODE_LINEAR && bias == .5f &&
                low == 1 && high == 2 && format == CU_AD_FORMAT_SIGNED_INT16 && channels == 2 &&
                am == CU_TR_ADDRESS_MODE_BORDER && colours[0] == -5 && which == array && bound == (CUdeviceptr)linear.data;
    puts(good ? "settings ok" : "settings wrong");
    CUfunction f;
    DCHECK(cuModuleGetFunction, &f, m, "sample");
    DCHECK(cuParamSetTexRef, f, CU_PARAM_TR_DEFAULT, t);
    DCHECK(cuTexRefDestroy, own);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuTexRefDestroy, own);
    DCHECK(cuMipmappedArrayDestroy, mip);
    printf("unbound: %d\n", int(run("unbound")));
}
