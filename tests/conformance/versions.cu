// The two versions that one program can see: the driver's and its own runtime's.
// build: static shared
// expect: driver 13.0
// expect: runtime 13.0
#include "check.cuh"

int main() {
    int driver, runtime;
    CHECK(cudaDriverGetVersion(&driver));
    CHECK(cudaRuntimeGetVersion(&runtime));
    printf("driver %d.%d\n", driver / 1000, driver % 1000 / 10);
    printf("runtime %d.%d\n", runtime / 1000, runtime % 1000 / 10);
}
