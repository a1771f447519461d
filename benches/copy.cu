// cudaMemcpy of 256 MiB against memcpy of the same, in turns, on memory that has been touched. The first copy, which
// touches the device's memory, is shown apart.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#define CHECK(call)                                                                            \
    do {                                                                                       \
        cudaError_t error = (call);                                                            \
        if (error) fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error)), exit(1);     \
    } while (0)

static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main() {
    const size_t bytes = 256 << 20;
    char *pageable = (char *)malloc(bytes), *other = (char *)malloc(bytes), *pinned, *device;
    memset(pageable, 1, bytes);
    memset(other, 2, bytes);
    CHECK(cudaMallocHost(&pinned, bytes));
    memset(pinned, 3, bytes);
    CHECK(cudaMalloc(&device, bytes));

    double start = now();
    CHECK(cudaMemcpy(device, pageable, bytes, cudaMemcpyHostToDevice));
    printf("first touch: %.1f ms\n", (now() - start) * 1e3);

    struct {
        const char *row;
        char *to, *from;
        cudaMemcpyKind kind;
    } copies[] = {
        {"h2d-pageable", device, pageable, cudaMemcpyHostToDevice},
        {"d2h-pageable", pageable, device, cudaMemcpyDeviceToHost},
        {"h2d-pinned", device, pinned, cudaMemcpyHostToDevice},
        {"d2h-pinned", pinned, device, cudaMemcpyDeviceToHost},
    };
    for (int round = 0; round < 7; round++)
        for (auto &copy : copies) {
            start = now();
            memcpy(other, pageable, bytes);
            printf("sample %s memcpy %.9g\n", copy.row, now() - start);
            start = now();
            CHECK(cudaMemcpy(copy.to, copy.from, bytes, copy.kind));
            CHECK(cudaDeviceSynchronize());
            printf("sample %s ours %.9g\n", copy.row, now() - start);
        }
    // Pinned memory in pieces: over several streams, and from 8 threads.
    auto pieces = [&](int count, bool threads) {
        std::vector<cudaStream_t> streams(count);
        for (auto &s : streams) CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
        const size_t piece = bytes / count;
        const std::string row = "h2d-" + std::to_string(count) + (threads ? "-threads" : "-streams");
        auto put = [&](int i) {
            CHECK(cudaMemcpyAsync(device + i * piece, pinned + i * piece, piece, cudaMemcpyHostToDevice, streams[i]));
            if (threads) CHECK(cudaStreamSynchronize(streams[i]));
        };
        for (int round = 0; round < 7; round++) {
            double begin = now();
            memcpy(other, pageable, bytes);
            printf("sample %s memcpy %.9g\n", row.c_str(), now() - begin);
            begin = now();
            std::vector<std::thread> workers;
            for (int i = 0; i < count; i++) {
                if (threads) workers.emplace_back(put, i);
                else put(i);
            }
            for (auto &w : workers) w.join();
            CHECK(cudaDeviceSynchronize());
            printf("sample %s ours %.9g\n", row.c_str(), now() - begin);
        }
        for (auto s : streams) CHECK(cudaStreamDestroy(s));
    };
    for (int count : {1, 8, 64}) pieces(count, false);
    pieces(8, true);
    CHECK(cudaMemcpy(pinned, device, bytes, cudaMemcpyDeviceToHost));
    // What went round must have come back.
    for (size_t i = 0; i < bytes; i += 4097)
        if (pinned[i] != 3) return fprintf(stderr, "byte %zu is %d\n", i, pinned[i]), 1;
}
