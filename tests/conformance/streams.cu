// Streams and events: order within a stream, waiting across streams, time, callbacks.
// expect: order within a stream ok
// expect: wait across streams ok
// expect: events: time is positive and grows
// expect: query after synchronisation: no error
// expect: host function ran after the kernel
// expect: asynchronous copies ok
// expect: default stream waits for the others ok
#include "check.cuh"

__global__ void multiply_add(int *p, int n, int factor, int term) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = p[i] * factor + term;
}

__global__ void delay(int *p, int rounds) {
    unsigned v = 1;
    for (int i = 0; i < rounds; i++) v = v * 1664525u + 1013904223u;
    if (v == 0) *p = -1;
}

struct Seen {
    volatile int *value;
    int at_callback;
};

static void CUDART_CB look(void *data) {
    Seen *seen = static_cast<Seen *>(data);
    seen->at_callback = *seen->value;
}

int main() {
    const int n = 10000, blocks = (n + 255) / 256;
    cudaStream_t one, two;
    cudaEvent_t start, middle, end;
    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&middle));
    CHECK(cudaEventCreate(&end));

    Device<int> data(n);
    data.zero();
    CHECK(cudaDeviceSynchronize());
    for (int i = 1; i <= 10; i++) multiply_add<<<blocks, 256, 0, one>>>(data, n, 2, i);
    CHECK(cudaStreamSynchronize(one));
    int value = 0;
    for (int i = 1; i <= 10; i++) value = value * 2 + i;
    int bad = compare("order within a stream", data.host(), [&](int) { return value; });

    CHECK(cudaEventRecord(start, one));
    delay<<<1, 32, 0, one>>>(data, 2000000);
    multiply_add<<<blocks, 256, 0, one>>>(data, n, 0, 3);
    CHECK(cudaEventRecord(middle, one));
    CHECK(cudaStreamWaitEvent(two, middle, 0));
    multiply_add<<<blocks, 256, 0, two>>>(data, n, 10, 1);
    CHECK(cudaEventRecord(end, two));
    CHECK(cudaEventSynchronize(end));
    bad |= compare("wait across streams", data.host(), [](int) { return 31; });
    float first, whole;
    CHECK(cudaEventElapsedTime(&first, start, middle));
    CHECK(cudaEventElapsedTime(&whole, start, end));
    if (first > 0 && whole >= first && whole < 30000) puts("events: time is positive and grows");
    else printf("events: %g ms, then %g ms\n", first, whole);
    printf("query after synchronisation: %s\n", cudaGetErrorString(cudaEventQuery(end)));

    int *pinned;
    CHECK(cudaMallocHost(&pinned, n * sizeof(int)));
    pinned[0] = 0;
    Seen seen{pinned, -1};
    delay<<<1, 32, 0, one>>>(data, 500000);
    multiply_add<<<1, 1, 0, one>>>(pinned, 1, 1, 5);
    CHECK(cudaLaunchHostFunc(one, look, &seen));
    CHECK(cudaStreamSynchronize(one));
    if (seen.at_callback == 5) puts("host function ran after the kernel");
    else printf("host function saw %d\n", seen.at_callback);

    for (int i = 0; i < n; i++) pinned[i] = i;
    std::vector<int> back(n);
    int *back_pinned;
    CHECK(cudaMallocHost(&back_pinned, n * sizeof(int)));
    CHECK(cudaMemcpyAsync(data, pinned, n * sizeof(int), cudaMemcpyHostToDevice, two));
    multiply_add<<<blocks, 256, 0, two>>>(data, n, 3, 1);
    CHECK(cudaMemcpyAsync(back_pinned, data, n * sizeof(int), cudaMemcpyDeviceToHost, two));
    CHECK(cudaStreamSynchronize(two));
    back.assign(back_pinned, back_pinned + n);
    bad |= compare("asynchronous copies", back, [](int i) { return 3 * i + 1; });

    // The legacy default stream orders itself against blocking streams.
    delay<<<1, 32, 0, one>>>(data, 500000);
    multiply_add<<<blocks, 256, 0, one>>>(data, n, 0, 4);
    multiply_add<<<blocks, 256>>>(data, n, 2, 1);
    CHECK(cudaDeviceSynchronize());
    bad |= compare("default stream waits for the others", data.host(), [](int) { return 9; });

    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(middle));
    CHECK(cudaEventDestroy(end));
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(two));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFreeHost(back_pinned));
    return bad;
}
