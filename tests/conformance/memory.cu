// Kinds of copy and fill: memset of each width, 2-D copies, device to device, sizes and offsets off every boundary.
// expect: memset ok
// expect: memset 2-D ok
// expect: copy to odd offsets ok
// expect: device to device ok
// expect: 2-D copy ok
// expect: cudaMemcpyDefault ok
// expect: host memory mapped ok
// expect: registered memory ok
// expect: memory info ok
#include <cstring>
#include "check.cuh"

__global__ void increment(unsigned char *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i]++;
}

int main() {
    const int n = 10001;
    Device<unsigned char> a(n), b(n);
    CHECK(cudaMemset(a, 0xa5, n));
    int bad = compare("memset", a.host(), [](int) { return 0xa5; });

    const int w = 37, h = 19;
    unsigned char *image;
    size_t pitch;
    CHECK(cudaMallocPitch(&image, &pitch, w, h));
    CHECK(cudaMemset2D(image, pitch, 0, w, h));
    CHECK(cudaMemset2D(image + 5, pitch, 7, 10, 4));
    std::vector<unsigned char> host(w * h);
    CHECK(cudaMemcpy2D(host.data(), w, image, pitch, w, h, cudaMemcpyDeviceToHost));
    bad |= compare("memset 2-D", host, [&](int i) { return i % w >= 5 && i % w < 15 && i / w < 4 ? 7 : 0; });

    std::vector<unsigned char> pattern(n);
    for (int i = 0; i < n; i++) pattern[i] = (unsigned char)(i * 31);
    a.zero();
    for (int at = 0, size = 1; at + size <= n; at += size + 1, size = size * 3 / 2 + 1)
        CHECK(cudaMemcpy(a + at, pattern.data() + at, size, cudaMemcpyHostToDevice));
    std::vector<unsigned char> want(n);
    for (int at = 0, size = 1; at + size <= n; at += size + 1, size = size * 3 / 2 + 1)
        memcpy(&want[at], &pattern[at], size);
    bad |= compare("copy to odd offsets", a.host(), [&](int i) { return want[i]; });

    CHECK(cudaMemcpy(a, pattern.data(), n, cudaMemcpyHostToDevice));
    b.zero();
    CHECK(cudaMemcpy(b + 3, a + 1, n - 4, cudaMemcpyDeviceToDevice));
    bad |= compare("device to device", b.host(), [&](int i) { return i >= 3 && i < n - 1 ? pattern[i - 2] : 0; });

    for (int i = 0; i < w * h; i++) host[i] = (unsigned char)i;
    CHECK(cudaMemcpy2D(image, pitch, host.data(), w, w, h, cudaMemcpyHostToDevice));
    std::vector<unsigned char> part(10 * h);
    CHECK(cudaMemcpy2D(part.data(), 10, image + 20, pitch, 10, h, cudaMemcpyDeviceToHost));
    bad |= compare("2-D copy", part, [&](int i) { return (unsigned char)(i / 10 * w + 20 + i % 10); });
    CHECK(cudaFree(image));

    CHECK(cudaMemcpy(b, pattern.data(), n, cudaMemcpyDefault));
    std::vector<unsigned char> back(n);
    CHECK(cudaMemcpy(back.data(), b, n, cudaMemcpyDefault));
    bad |= compare("cudaMemcpyDefault", back, [&](int i) { return pattern[i]; });

    unsigned char *pinned, *seen_by_device;
    CHECK(cudaHostAlloc(&pinned, n, cudaHostAllocMapped));
    memcpy(pinned, pattern.data(), n);
    CHECK(cudaHostGetDevicePointer(&seen_by_device, pinned, 0));
    increment<<<(n + 255) / 256, 256>>>(seen_by_device, n);
    FINISH();
    back.assign(pinned, pinned + n);
    bad |= compare("host memory mapped", back, [&](int i) { return (unsigned char)(pattern[i] + 1); });
    CHECK(cudaFreeHost(pinned));

    unsigned char *heap = (unsigned char *)malloc(n);
    memcpy(heap, pattern.data(), n);
    CHECK(cudaHostRegister(heap, n, cudaHostRegisterDefault));
    CHECK(cudaHostGetDevicePointer(&seen_by_device, heap, 0));
    increment<<<(n + 255) / 256, 256>>>(seen_by_device, n);
    FINISH();
    back.assign(heap, heap + n);
    bad |= compare("registered memory", back, [&](int i) { return (unsigned char)(pattern[i] + 1); });
    CHECK(cudaHostUnregister(heap));
    free(heap);

    size_t free_before, free_during, total;
    CHECK(cudaMemGetInfo(&free_before, &total));
    {
        Device<char> large(64 << 20);
        CHECK(cudaMemGetInfo(&free_during, &total));
    }
    bool right = free_before <= total && free_before - free_during >= 64 << 20 && free_before - free_during < 128 << 20;
    printf(right ? "memory info ok\n" : "memory info: %zu, %zu of %zu\n", free_before, free_during, total);
    return bad || !right;
}
