// Eight threads launch into one context, each more than a channel's ring holds at once, and wait for all of it; and more
// threads wait at once than there are places to sleep in. Every launch runs once, in its stream's order.
// flags: -Xcompiler -pthread
// expect: 8 threads: 0 wrong
// expect: 80 threads: 0 wrong
#include "check.cuh"
#include <atomic>
#include <chrono>
#include <thread>
__global__ void step(unsigned *p, unsigned n) { *p = *p * 5 + n; }
__global__ void wait_for(volatile unsigned *flag) { while (!*flag); }

int main() {
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int t = 0; t < 8; t++)
        threads.emplace_back([&, t] {
            cudaStream_t s;
            CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
            unsigned *p, got, want = 0;
            CHECK(cudaMalloc(&p, 4));
            CHECK(cudaMemsetAsync(p, 0, 4, s));
            for (unsigned i = 0; i < 2500; i++) step<<<1, 1, 0, s>>>(p, i ^ t), want = want * 5 + (i ^ t);
            CHECK(cudaMemcpyAsync(&got, p, 4, cudaMemcpyDeviceToHost, s));
            CHECK(cudaStreamSynchronize(s));
            wrong += got != want;
            CHECK(cudaStreamDestroy(s));
        });
    for (auto &t : threads) t.join();
    printf("8 threads: %d wrong\n", wrong.load());
    threads.clear();
    unsigned *flag;
    CHECK(cudaHostAlloc(&flag, 4, cudaHostAllocMapped));
    *(volatile unsigned *)flag = 0;
    cudaStream_t s;
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    wait_for<<<1, 1, 0, s>>>(flag);
    std::atomic<int> waiting{0};
    for (int t = 0; t < 80; t++)
        threads.emplace_back([&] {
            waiting++;
            CHECK(cudaStreamSynchronize(s));
            wrong += *(volatile unsigned *)flag != 1;
        });
    while (waiting < 80) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    *(volatile unsigned *)flag = 1;
    for (auto &t : threads) t.join();
    printf("80 threads: %d wrong\n", wrong.load());
}
