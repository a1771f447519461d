// After fork, the child's calls say that they are not initialized, and the parent's still work.
// expect: child: 3 cudaErrorInitializationError: initialization error
// expect: parent ok
#include <sys/wait.h>
#include <unistd.h>
#include "check.cuh"

__global__ void set(int *p) { *p = 9; }

int main() {
    Device<int> p(1);
    set<<<1, 1>>>(p);
    FINISH();
    pid_t child = fork();
    if (child == 0) {
        int *q;
        cudaError_t error = cudaMalloc(&q, 4);
        printf("child: %d %s: %s\n", int(error), cudaGetErrorName(error), cudaGetErrorString(error));
        fflush(stdout);
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    if (status) printf("child: status %x\n", status);
    p.zero();
    set<<<1, 1>>>(p);
    FINISH();
    return compare("parent", p.host(), [](int) { return 9; });
}
