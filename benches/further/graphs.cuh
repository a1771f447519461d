// Kernels on graphs and sparse matrices.
#pragma once
#include "further.hpp"

namespace kernels {

// A node of the frontier per thread.
__global__ void bfs(const int *row, const int *edge, int *level, const int *frontier, int size, int *next, int *count,
                    int depth) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size) return;
    int node = frontier[i];
    for (int k = row[node]; k < row[node + 1]; k++) {
        int other = edge[k];
        if (level[other] < 0 && atomicCAS(&level[other], -1, depth) == -1) next[atomicAdd(count, 1)] = other;
    }
}

// A row of the level per thread.
__global__ void triangular(const int *row, const int *column, const float *value, const int *order, int first, int last,
                           const float *b, float *x) {
    int i = first + blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= last) return;
    int r = order[i];
    float s = b[r];
    for (int k = row[r]; k < row[r + 1]; k++) s -= value[k] * x[column[k]];
    x[r] = s;
}

__device__ int representative(int i, int *parent) {
    int up = parent[i];
    if (up != i) {
        int before = i, next;
        while (up > (next = parent[up])) {
            parent[before] = next;
            before = up;
            up = next;
        }
    }
    return up;
}

// The first smaller neighbour, or oneself.
__global__ void components_start(const int *row, const int *edge, int *parent, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int p = i;
    for (int k = row[i]; k < row[i + 1]; k++)
        if (edge[k] < i) {
            p = edge[k];
            break;
        }
    parent[i] = p;
}

// Hooks the greater of two representatives under the lesser.
__global__ void components_hook(const int *row, const int *edge, int *parent, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int mine = representative(i, parent);
    for (int k = row[i]; k < row[i + 1]; k++) {
        if (edge[k] >= i) continue;
        int other = representative(edge[k], parent);
        bool again;
        do {
            again = false;
            if (mine != other) {
                int seen;
                if (mine < other) {
                    if ((seen = atomicCAS(&parent[other], other, mine)) != other) other = seen, again = true;
                } else {
                    if ((seen = atomicCAS(&parent[mine], mine, other)) != mine) mine = seen, again = true;
                }
            }
        } while (again);
    }
}

__global__ void components_flatten(int *parent, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int up = parent[i], next;
    while (up > (next = parent[up])) up = next;
    parent[i] = up;
}

} // namespace kernels
