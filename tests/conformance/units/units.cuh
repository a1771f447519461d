// What the two units share.
#pragma once

struct Shape {
    int width;
    __device__ Shape(int width) : width(width) {}
    __device__ virtual int area() const;
};
struct Square : Shape {
    __device__ Square(int width) : Shape(width) {}
    __device__ int area() const override;
};
typedef int (*Operation)(int);

// In both units; one is kept.
template <typename T> __device__ __noinline__ T twice(T x) { return x + x; }

__device__ int helper(int x);
__global__ void other(int *out);
