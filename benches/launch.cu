// What a launch costs: `launch` is the average of many asynchronous empty kernels, `launch+sync` one with its wait.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                            \
    do {                                                                                       \
        cudaError_t error = (call);                                                            \
        if (error) fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error)), exit(1);     \
    } while (0)

__global__ void empty() {}

static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main() {
    for (int i = 0; i < 1000; i++) empty<<<1, 32>>>();
    CHECK(cudaDeviceSynchronize());
    const int batch = 10000;
    for (int sample = 0; sample < 10; sample++) {
        double start = now();
        for (int i = 0; i < batch; i++) empty<<<1, 32>>>();
        CHECK(cudaDeviceSynchronize());
        printf("sample launch ours %.9g\n", (now() - start) / batch);
    }
    for (int sample = 0; sample < 50; sample++) {
        const int count = 100;
        double start = now();
        for (int i = 0; i < count; i++) {
            empty<<<1, 32>>>();
            CHECK(cudaDeviceSynchronize());
        }
        printf("sample launch+sync ours %.9g\n", (now() - start) / count);
    }
    CHECK(cudaGetLastError());
}
