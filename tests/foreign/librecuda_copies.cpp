// LibreCuda, by its own interface: a context, a stream, and copies of pageable memory there and back by the copy engine.
#include <librecuda.h>

#include <cstdio>
#include <vector>

#define CHECK(call)                                                                                  \
    do {                                                                                             \
        libreCudaStatus_t status = (call);                                                           \
        if (status != LIBRECUDA_SUCCESS) return printf("%s: %d\n", #call, int(status)), 1;           \
    } while (0)

int main() {
    CHECK(libreCuInit(0));
    int count = 0;
    CHECK(libreCuDeviceGetCount(&count));
    printf("devices: %d\n", count);
    LibreCUdevice device{};
    CHECK(libreCuDeviceGet(&device, 0));
    LibreCUcontext context{};
    CHECK(libreCuCtxCreate_v2(&context, CU_CTX_SCHED_YIELD, device));
    LibreCUstream stream{};
    CHECK(libreCuStreamCreate(&stream, 0));
    // Neither whole pages nor whole packets; and some bytes of the stack.
    std::vector<unsigned char> from((1 << 20) + 131), to(from.size());
    for (size_t i = 0; i < from.size(); i++) from[i] = (unsigned char)(i * 7 + (i >> 9));
    unsigned char small[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, back[10] = {};
    void *large_there{}, *small_there{};
    CHECK(libreCuMemAlloc(&large_there, from.size()));
    CHECK(libreCuMemAlloc(&small_there, sizeof small));
    CHECK(libreCuMemCpy(large_there, from.data(), from.size(), stream));
    CHECK(libreCuMemCpy(small_there, small, sizeof small, stream));
    CHECK(libreCuMemCpy(to.data(), large_there, to.size(), stream));
    CHECK(libreCuMemCpy(back, small_there, sizeof back, stream));
    CHECK(libreCuStreamCommence(stream));
    CHECK(libreCuStreamAwait(stream));
    bool same = from == to;
    for (int i = 0; i < 10; i++) same &= small[i] == back[i];
    printf("copies: %s\n", same ? "equal" : "differ");
    CHECK(libreCuStreamDestroy(stream));
    CHECK(libreCuMemFree(large_there));
    CHECK(libreCuMemFree(small_there));
    CHECK(libreCuCtxDestroy(context));
    puts("done");
    return 0;
}
