// The device runtime's functions for a cooperative grid, which a driver links in where a program asks for them.
// flags: -rdc=true
// expect: handle: yes
// expect: size: 1024 threads, 1 grid
// expect: ranks: 523776
// expect: rounds: 16 of 16
// expect: not cooperative: 0 1
#include <cstdio>
#include <cstring>
#include "check.cuh"


struct Out {
    int handle, threads, grids, code;
    int ranks, right, counter;
};

__global__ void rounds(Out *out) {
    unsigned long long grid = cudaCGGetIntrinsicHandle(cudaCGScopeGrid);
    unsigned n, g, rank, of;
    cudaCGGetSize(&n, &g, grid);
    cudaCGGetRank(&rank, &of, grid);
    atomicAdd(&out->ranks, rank);
    for (int i = 1; i <= 16; i++) {
        if ((threadIdx.x | threadIdx.y) == 0) atomicAdd(&out->counter, 1);
        cudaCGSynchronize(grid, 0);
        if (rank == 0 && *(volatile int *)&out->counter == i * (int)(gridDim.x * gridDim.y)) out->right++;
        cudaCGSynchronize(grid, 0);
    }
    if (rank == 0) out->handle = grid != 0, out->threads = n, out->grids = g;
}
__global__ void alone(Out *out) {
    unsigned long long grid = cudaCGGetIntrinsicHandle(cudaCGScopeGrid);
    out->handle = grid != 0;
    out->code = cudaCGSynchronize(grid, 0);
}

int main() {
    Out *out;
    CHECK(cudaMallocManaged(&out, sizeof *out));
    memset(out, 0, sizeof *out);
    void *args[] = {&out};
    CHECK(cudaLaunchCooperativeKernel((void *)rounds, dim3(4, 2), dim3(32, 4), args, 0, 0));
    CHECK(cudaDeviceSynchronize());
    printf("handle: %s\n", out->handle ? "yes" : "no");
    printf("size: %d threads, %d grid\n", out->threads, out->grids);
    printf("ranks: %d\n", out->ranks);
    printf("rounds: %d of 16\n", out->right);
    alone<<<1, 1>>>(out);
    CHECK(cudaDeviceSynchronize());
    printf("not cooperative: %d %d\n", out->handle, out->code);
    return 0;
}
