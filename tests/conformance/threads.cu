// Several host threads, one context: each gets its own right results.
// expect: 8 threads, 0 wrong
#include <atomic>
#include <thread>
#include "check.cuh"

__global__ void fill(int *p, int n, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = value + i;
}

int main() {
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; t++)
        threads.emplace_back([&, t] {
            const int n = 3000;
            for (int round = 0; round < 20; round++) {
                Device<int> p(n);
                fill<<<(n + 127) / 128, 128>>>(p, n, t * 100000 + round);
                auto got = p.host();
                for (int i = 0; i < n; i++) wrong += got[i] != t * 100000 + round + i;
            }
        });
    for (auto &thread : threads) thread.join();
    printf("8 threads, %d wrong\n", wrong.load());
}
