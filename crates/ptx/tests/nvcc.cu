// Own kernels whose PTX shows what nvcc writes: control flow, calls, tables, atomics, warps.
extern "C" int printf(const char *, ...);

struct Shape {
    __device__ virtual float area(float x) { return x; }
};
struct Square : Shape {
    float side;
    __device__ float area(float x) override { return side * side * x; }
};

__constant__ float weights[8] = {1, 2, 4, 8};
__device__ int counter = 7;
__device__ int *pointer = &counter;
__device__ const char *names[] = {"one", "two"};
__managed__ int shared_with_host;

struct Block {
    int values[12];
    char tag;
};

__device__ __noinline__ double series(double x, int n) { return n ? series(x * 0.5, n - 1) + x : 1; }

extern "C" __global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i] * weights[i & 7];
}

__global__ void virtual_call(Shape *shape, float *out) { out[0] = shape->area(out[1]); }

__global__ void reduce(const float *in, float *out, int n) {
    __shared__ float partial[32];
    extern __shared__ float dynamic[];
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += in[i];
    for (int o = 16; o; o >>= 1) sum += __shfl_down_sync(~0u, sum, o);
    if ((threadIdx.x & 31) == 0) partial[threadIdx.x / 32] = sum;
    dynamic[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(out, partial[0] + dynamic[31]);
}

__global__ void atomics(unsigned long long *p, int *q, double *d) {
    atomicAdd(p, 3ull);
    atomicCAS(p + 1, 4ull, 5ull);
    atomicMax(q, 4);
    atomicExch(q + 1, 2);
    atomicAdd(d, 1.5);
    __threadfence();
    q[2] = __ballot_sync(~0u, q[3] > 0) + __popc(q[4]) + __clz(q[5]) + __ffs(q[6]);
    q[7] = __any_sync(~0u, q[8]);
}

__global__ void branches(int *p, const __grid_constant__ Block block) {
    switch (p[0]) {
    case 0: p[1] = block.values[p[2] % 12]; break;
    case 1: p[2] = 3; break;
    case 2: p[3] = 5; break;
    case 3: p[4] = 7; break;
    case 4: p[5] = 11; break;
    case 5: p[6] = 13; break;
    default: p[7] = 17;
    }
    int local[64];
    for (int i = 0; i < 64; i++) local[i] = i * p[8];
    p[9] = local[p[10] & 63];
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; selp.s32 %0, 1, 0, p; }" : "=r"(p[11]) : "r"(p[12]));
}

__global__ void mathematics(double *d, float *f) {
    d[0] = series(d[1], (int)d[2]) + sin(d[3]) + pow(d[4], d[5]) / d[6];
    f[0] = sqrtf(f[1]) + __sinf(f[2]) + __expf(f[3]) + fmaf(f[4], f[5], f[6]) + rsqrtf(f[7]) + (float)d[7];
    f[8] = (unsigned char)f[9] + (short)d[8] + (long long)f[10] % 7;
}

__global__ void says(int *p) {
    printf("%d %s\n", *pointer, names[threadIdx.x & 1]);
    shared_with_host = p[0];
    if (p[1]) __trap();
}
