// soak WARM ROUNDS LAUNCHES: allocations that come and go, streams, events and launches. Prints `warm` and `done`, and waits
// for a line after each, so that others can look at what it holds.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                  \
    do {                                                                                             \
        cudaError_t error = (call);                                                                  \
        if (error != cudaSuccess) return printf("%s: %s\n", #call, cudaGetErrorName(error)), 1;      \
    } while (0)

__global__ void step(unsigned *p) { p[threadIdx.x] += threadIdx.x; }

static unsigned *counters;
static unsigned launched;

static int rounds(int count, int launches) {
    for (int round = 0; round < count; round++) {
        void *memory;
        CHECK(cudaMalloc(&memory, 5 << 20));
        CHECK(cudaMemsetAsync(memory, round, 4096, 0));
        for (int i = 0; i < launches; i++, launched++) step<<<1, 32>>>(counters);
        if (round % 16 == 0) {
            cudaStream_t stream;
            cudaEvent_t event;
            CHECK(cudaStreamCreate(&stream));
            CHECK(cudaEventCreate(&event));
            CHECK(cudaEventRecord(event, stream));
            CHECK(cudaEventSynchronize(event));
            CHECK(cudaEventDestroy(event));
            CHECK(cudaStreamDestroy(stream));
        }
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaFree(memory));
    }
    return 0;
}

static void say(const char *what) {
    puts(what);
    fflush(stdout);
    getchar();
}

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    CHECK(cudaMalloc(&counters, 32 * sizeof(unsigned)));
    CHECK(cudaMemset(counters, 0, 32 * sizeof(unsigned)));
    if (rounds(atoi(argv[1]), atoi(argv[3]))) return 1;
    say("warm");
    if (rounds(atoi(argv[2]), atoi(argv[3]))) return 1;
    unsigned host[32];
    CHECK(cudaMemcpy(host, counters, sizeof host, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < 32; i++)
        if (host[i] != launched * i) return puts("wrong"), 1;
    printf("%u launches\n", launched);
    say("done");
    return 0;
}
