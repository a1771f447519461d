// A program of the newest toolkit on an older driver of the same major version.
// build: newest
// expect: driver 13.0
// expect: runtime 13.5
#include "check.cuh"

__global__ void nothing() {}

int main() {
    int driver, runtime;
    CHECK(cudaDriverGetVersion(&driver));
    CHECK(cudaRuntimeGetVersion(&runtime));
    printf("driver %d.%d\n", driver / 1000, driver % 1000 / 10);
    printf("runtime %d.%d\n", runtime / 1000, runtime % 1000 / 10);
    nothing<<<1, 1>>>();
    FINISH();
}
