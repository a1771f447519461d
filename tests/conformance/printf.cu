// Device printf: formats, order within a thread, flushed at synchronisation.
// expect: before the launch
// expect: hello from 0: 42 -7 ffffffff 3.50 text 100%
// expect: long 123456789012345 char x octal 17 exponent 1.250000e+02
// expect: width [   42] [42   ] [00042] [ 3.1]
// expect: pointer is null: (nil)
// expect: no arguments
// expect: after the first synchronisation
// expect: lines 64
#include "check.cuh"

__global__ void formats() {
    printf("hello from %d: %i %d %x %.2f %s 100%%\n", threadIdx.x, 42, -7, -1, 3.5, "text");
    printf("long %lld char %c octal %o exponent %e\n", 123456789012345ll, 'x', 15, 125.0);
    printf("width [%5d] [%-5d] [%05d] [%4.1f]\n", 42, 42, 42, 3.14159);
    printf("pointer is null: %p\n", (void *)nullptr);
    printf("no arguments\n");
}

__global__ void count(int *lines) {
    // The number of characters is not what CUDA returns: it is the number of arguments.
    if (printf("") >= 0) atomicAdd(lines, 1);
}

int main() {
    setvbuf(stdout, nullptr, _IOLBF, 0);
    puts("before the launch");
    formats<<<1, 1>>>();
    FINISH();
    puts("after the first synchronisation");
    Device<int> lines(1);
    lines.zero();
    count<<<2, 32>>>(lines);
    FINISH();
    printf("lines %d\n", lines.host()[0]);
}
