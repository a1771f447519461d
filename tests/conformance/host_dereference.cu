// Device memory is not the host's: reading it there crashes, as on hardware.
// exit: signal 11
#include "check.cuh"

int main() {
    int *p;
    CHECK(cudaMalloc(&p, 4));
    return *(volatile int *)p;
}
