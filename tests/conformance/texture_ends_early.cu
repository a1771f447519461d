// A texture object that is destroyed after the launch, before the kernel runs: the kernel still reads through it.
// expect: first ok
// expect: second ok
#include "check.cuh"

__global__ void hold(volatile int *flag) {
    while (*flag == 0) {}
}
__global__ void read(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex2D<float>(t, threadIdx.x, 1); }

int main() {
    constexpr int w = 64, h = 2;
    int *flag;
    CHECK(cudaHostAlloc(&flag, sizeof *flag, cudaHostAllocDefault));
    *flag = 0;
    std::vector<float> a(w * h), b(w * h);
    for (int i = 0; i < w * h; i++) a[i] = float(i), b[i] = float(1000 + i);
    Device<float> first(a), second(b), out1(w), out2(w);
    auto make = [&](float *data) {
        cudaResourceDesc r = {};
        r.resType = cudaResourceTypePitch2D;
        r.res.pitch2D.devPtr = data;
        r.res.pitch2D.desc = cudaCreateChannelDesc<float>();
        r.res.pitch2D.width = w, r.res.pitch2D.height = h, r.res.pitch2D.pitchInBytes = w * sizeof(float);
        cudaTextureDesc d = {};
        cudaTextureObject_t t;
        CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
        return t;
    };
    hold<<<1, 1>>>(flag);
    auto t1 = make(first);
    read<<<1, w>>>(t1, out1);
    CHECK(cudaDestroyTextureObject(t1));
    // Must not take the first one's place while that is still to be read.
    auto t2 = make(second);
    read<<<1, w>>>(t2, out2);
    CHECK(cudaDestroyTextureObject(t2));
    *(volatile int *)flag = 1;
    FINISH();
    compare("first", out1.host(), [](size_t i) { return w + i; });
    compare("second", out2.host(), [](size_t i) { return 1000 + w + i; });
}
