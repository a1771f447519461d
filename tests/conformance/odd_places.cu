// Calls from odd places: a child forked before the driver was used, a host function, destructors of a thread's variables,
// the Driver API's primary context after a reset, and destroying things in a context that is lost.
// expect: child of one that asked for the version: 0 5
// expect: in a host function: 800 800 800, after it 0
// expect: after the thread: 0 0
// expect: lost: 700, event 700, stream 700
#include "driver.cuh"
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include "check.cuh"

__global__ void set(int *p) { *p = 5; }
__global__ void wild() { *reinterpret_cast<volatile int *>(16) = 1; }

static int late[2];
struct Late {
    ~Late() {
        late[0] = cudaStreamQuery(cudaStreamPerThread);
        late[1] = cudaDeviceSynchronize();
    }
};

static void CUDART_CB call(void *data) {
    int *results = static_cast<int *>(data);
    void *p;
    results[0] = cudaMalloc(&p, 4);
    results[1] = cudaStreamSynchronize(0);
    results[2] = DRV(cuCtxSynchronize)();
}

int main() {
    int version, h = 0;
    CHECK(cudaDriverGetVersion(&version));
    fflush(stdout);
    if (pid_t child = fork()) {
        waitpid(child, nullptr, 0);
    } else {
        // The Driver API's primary context, reset by the runtime before it had a part in it.
        int *p;
        CUcontext primary;
        if (DRV(cuInit)(0) || DRV(cuDevicePrimaryCtxRetain)(&primary, 0) || DRV(cuCtxSetCurrent)(primary)) puts("no context");
        CHECK(cudaDeviceReset());
        cudaError_t error = cudaMalloc(&p, 4);
        set<<<1, 1>>>(p);
        cudaMemcpy(&h, p, 4, cudaMemcpyDefault);
        printf("child of one that asked for the version: %d %d\n", int(error), h);
        fflush(stdout);
        _exit(0);
    }
    int results[3] = {-1, -1, -1};
    CHECK(cudaLaunchHostFunc(0, call, results));
    CHECK(cudaDeviceSynchronize());
    printf("in a host function: %d %d %d, after it %d\n", results[0], results[1], results[2], int(cudaGetLastError()));

    std::thread([] {
        thread_local Late last;
        (void)&last;
        // Per-thread state of the driver is made after `last`, and goes before it.
        CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    }).join();
    printf("after the thread: %d %d\n", late[0], late[1]);

    cudaStream_t stream;
    cudaEvent_t event;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&event));
    wild<<<1, 1>>>();
    int lost = cudaDeviceSynchronize();
    printf("lost: %d, event %d, stream %d\n", lost, int(cudaEventDestroy(event)), int(cudaStreamDestroy(stream)));
}
