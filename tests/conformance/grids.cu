// One, two and three dimensions of grid and block, odd shapes, and what each thread sees of them.
// expect: 1-D ok
// expect: 2-D ok
// expect: 3-D ok
// expect: odd block ok
// expect: one thread a block ok
// expect: full block ok
// expect: dimensions ok
// expect: lane and warp ok
#include "check.cuh"

__global__ void mark(int *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    atomicAdd(&out[(z * height + y) * width + x], x + 1000 * y + 1000000 * z);
}

__global__ void dimensions(int *out) {
    if (threadIdx.x | threadIdx.y | threadIdx.z | blockIdx.x | blockIdx.y | blockIdx.z) return;
    out[0] = gridDim.x, out[1] = gridDim.y, out[2] = gridDim.z;
    out[3] = blockDim.x, out[4] = blockDim.y, out[5] = blockDim.z;
    out[6] = warpSize;
}

__global__ void lanes(int *out) {
    unsigned lane, below;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    out[t] = int(lane) == t % 32 && below == (1u << lane) - 1;
}

static int shape(const char *name, dim3 grid, dim3 block) {
    int width = grid.x * block.x, height = grid.y * block.y, depth = grid.z * block.z;
    Device<int> out(size_t(width) * height * depth);
    out.zero();
    mark<<<grid, block>>>(out, width, height);
    FINISH();
    return compare(name, out.host(), [&](int i) {
        return i % width + 1000 * (i / width % height) + 1000000 * (i / width / height);
    });
}

int main() {
    int bad = shape("1-D", dim3(10), dim3(64));
    bad |= shape("2-D", dim3(3, 5), dim3(16, 8));
    bad |= shape("3-D", dim3(2, 3, 4), dim3(8, 4, 2));
    bad |= shape("odd block", dim3(3, 2), dim3(7, 5, 3));
    bad |= shape("one thread a block", dim3(33, 3), dim3(1));
    bad |= shape("full block", dim3(2), dim3(1024));
    Device<int> seen(7);
    dimensions<<<dim3(2, 3, 4), dim3(5, 6, 7)>>>(seen);
    FINISH();
    const int want[] = {2, 3, 4, 5, 6, 7, 32};
    bad |= compare("dimensions", seen.host(), [&](int i) { return want[i]; });
    Device<int> lane(96);
    lanes<<<1, dim3(4, 8, 3)>>>(lane);
    FINISH();
    return bad | compare("lane and warp", lane.host(), [](int) { return 1; });
}
