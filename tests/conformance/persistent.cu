// A kernel that spins on a flag which a later copy sets: kernels, copies and blocks all make progress together.
// expect: kernel saw the flag
// expect: all blocks passed: 64
// expect: two kernels that wait for each other ok
#include "check.cuh"

__global__ void wait_for(volatile int *flag, int *seen) {
    while (*flag != 17) {}
    if (threadIdx.x == 0) atomicAdd(seen, 1);
}

// More blocks than a small machine has processors, each waiting for all.
__global__ void meet(int *arrived, int *passed, int blocks) {
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1);
        while (atomicAdd(arrived, 0) < blocks) {}
        atomicAdd(passed, 1);
    }
}

__global__ void ping(volatile int *mine, volatile int *other, int rounds) {
    for (int i = 1; i <= rounds; i++) {
        *mine = i;
        __threadfence();
        while (*other < i) {}
    }
}

int main() {
    cudaStream_t kernels, copies;
    CHECK(cudaStreamCreateWithFlags(&kernels, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
    Device<int> flag(1), seen(1), arrived(1), passed(1), sides(2);
    flag.zero(), seen.zero(), arrived.zero(), passed.zero(), sides.zero();
    int *value;
    CHECK(cudaMallocHost(&value, sizeof(int)));
    *value = 17;
    CHECK(cudaDeviceSynchronize());

    wait_for<<<1, 64, 0, kernels>>>(flag, seen);
    CHECK(cudaGetLastError());
    if (cudaStreamQuery(kernels) != cudaErrorNotReady) puts("the kernel did not wait");
    cudaGetLastError();
    CHECK(cudaMemcpyAsync(flag, value, sizeof(int), cudaMemcpyHostToDevice, copies));
    CHECK(cudaStreamSynchronize(kernels));
    if (seen.host()[0] == 1) puts("kernel saw the flag");

    meet<<<64, 32, 0, kernels>>>(arrived, passed, 64);
    CHECK(cudaStreamSynchronize(kernels));
    printf("all blocks passed: %d\n", passed.host()[0]);

    ping<<<1, 1, 0, kernels>>>(sides, sides + 1, 100);
    ping<<<1, 1, 0, copies>>>(sides + 1, sides, 100);
    FINISH();
    return compare("two kernels that wait for each other", sides.host(), [](int) { return 100; });
}
