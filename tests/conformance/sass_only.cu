// No PTX in the program: 209, with a message that lists what there is.
// build: sass
// expect: 209 cudaErrorNoKernelImageForDevice: no kernel image is available for execution on the device
// stderr~: SASS sm_90
#include "check.cuh"

__global__ void nothing() {}

int main() {
    nothing<<<1, 1>>>();
    cudaError_t error = cudaGetLastError();
    printf("%d %s: %s\n", int(error), cudaGetErrorName(error), cudaGetErrorString(error));
}
