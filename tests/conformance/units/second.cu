// The other unit of main.cu.
#include "units.cuh"

__device__ int scale = 3;
__constant__ int table[4] = {1, 2, 30, 4};
static __device__ int hidden(int x) { return x + 2000; }
static __device__ int first(int x) { return hidden(x) + 10; }
__device__ int helper(int x) { return x * 2; }
__device__ int Shape::area() const { return -1; }
__device__ int Square::area() const { return width * width; }
__device__ Operation operations[2] = {first, helper};
extern __device__ int counter;

__global__ void other(int *out) {
    out[0] = hidden(1);
    out[1] = counter;
    out[2] = twice(21);
}
