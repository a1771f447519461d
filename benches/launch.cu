// What a launch costs: `launch` is the average of many asynchronous empty kernels, `launch+sync` one with its wait. Then
// the same in turn over several streams, and from 8 threads at once, each with a stream of its own.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#define CHECK(call)                                                                            \
    do {                                                                                       \
        cudaError_t error = (call);                                                            \
        if (error) fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error)), exit(1);     \
    } while (0)

__global__ void empty() {}

static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static void sample(const std::string &row, double seconds) { printf("sample %s ours %.9g\n", row.c_str(), seconds); }

static void over_streams(int count) {
    std::vector<cudaStream_t> streams(count);
    for (auto &s : streams) CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    const std::string suffix = "-" + std::to_string(count) + "-streams";
    const int batch = 6400;
    for (int round = 0; round < 8; round++) {
        double start = now();
        for (int i = 0; i < batch; i++) empty<<<1, 32, 0, streams[i % count]>>>();
        CHECK(cudaDeviceSynchronize());
        if (round) sample("launch" + suffix, (now() - start) / batch);
        start = now();
        for (int i = 0; i < 640; i++) {
            empty<<<1, 32, 0, streams[i % count]>>>();
            CHECK(cudaStreamSynchronize(streams[i % count]));
        }
        if (round) sample("launch+sync" + suffix, (now() - start) / 640);
    }
    for (auto s : streams) CHECK(cudaStreamDestroy(s));
}

// The time for all launches of all threads, by their number: what a launch costs the machine.
static void from_threads(int count) {
    const int batch = 2000;
    for (int round = 0; round < 8; round++) {
        std::vector<std::thread> threads;
        double start = now();
        for (int t = 0; t < count; t++)
            threads.emplace_back([=] {
                cudaStream_t s;
                CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
                for (int i = 0; i < batch; i++) empty<<<1, 32, 0, s>>>();
                CHECK(cudaStreamSynchronize(s));
                CHECK(cudaStreamDestroy(s));
            });
        for (auto &t : threads) t.join();
        if (round) sample("launch-" + std::to_string(count) + "-threads", (now() - start) / (batch * count));
    }
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
    for (int count : {1, 8, 64}) over_streams(count);
    from_threads(8);
    CHECK(cudaGetLastError());
}
