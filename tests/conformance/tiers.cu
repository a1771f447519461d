// A kernel that takes long to compile well runs quickly made code first; the good code takes over between blocks of a
// running launch and in later launches, with the same results.
// expect: launches agree
// expect: a long launch agrees
// expect: lanes see each other as before
#include "check.cuh"

__device__ __forceinline__ void count(unsigned char *table, unsigned v) {
    for (int k = 0; k < 4; k++) table[((v >> (8 * k + 2)) & 63) * 64 + threadIdx.x]++;
}

// Bytes counted by thread, in shared memory: gathers and scatters all over.
__global__ void histogram(const uint4 *in, unsigned *out, int n, int rounds) {
    __shared__ unsigned char table[64 * 64];
    for (int r = 0; r < rounds; r++) {
        for (int i = 0; i < 64; i++) table[i * 64 + threadIdx.x] = 0;
        __syncthreads();
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
            uint4 v = in[i];
            count(table, v.x), count(table, v.y), count(table, v.z), count(table, v.w);
        }
        __syncthreads();
        unsigned sum = 0;
        for (int i = 0; i < 64; i++) sum += table[threadIdx.x * 64 + i];
        atomicAdd(&out[threadIdx.x], sum);
        __syncthreads();
    }
}

// A warp's lanes pass values on through shared memory, without barriers of the block.
__global__ void rotate(const uint4 *in, unsigned *out) {
    __shared__ volatile unsigned line[64];
    unsigned t = threadIdx.x, lane = t & 31, first = t & ~31u, sum = 0;
    uint4 v = in[blockIdx.x * blockDim.x + t];
#pragma unroll
    for (int k = 0; k < 48; k++) {
        line[t] = v.x + k;
        __syncwarp();
        unsigned next = line[first + ((lane + 1) & 31)];
        __syncwarp();
        sum = sum * 5 + (next ^ __shfl_xor_sync(~0u, v.y, k & 31)) + __popc(__ballot_sync(~0u, next & 1));
        v.x = next, v.y += sum;
        line[t] = v.z * (k | 1);
        __syncwarp();
        v.z ^= line[first + ((lane * 7 + k) & 31)];
        v.w = __funnelshift_l(v.w, v.z, k) + __brev(sum);
        __syncwarp();
    }
    out[blockIdx.x * blockDim.x + t] = sum ^ v.z ^ v.w;
}

int main() {
    const int n = 20000, blocks = 64;
    uint4 *in;
    unsigned *out;
    CHECK(cudaMallocManaged(&in, n * sizeof(uint4)));
    CHECK(cudaMallocManaged(&out, blocks * 64 * sizeof(unsigned)));
    unsigned x = 1;
    auto next = [&] { return x = x * 1664525u + 1013904223u, x ^ x >> 15; };
    unsigned long long want[64] = {};
    for (int i = 0; i < n; i++) {
        in[i] = make_uint4(next(), next(), next(), next());
        for (unsigned v : {in[i].x, in[i].y, in[i].z, in[i].w})
            for (int k = 0; k < 4; k++) want[v >> (8 * k + 2) & 63]++;
    }
    auto agrees = [&](unsigned rounds) {
        for (int i = 0; i < 64; i++)
            if (out[i] != unsigned(want[i] * rounds)) return false;
        return true;
    };
    bool fine = true;
    for (int launch = 0; launch < 5; launch++) {
        CHECK(cudaMemset(out, 0, 256));
        histogram<<<100, 64>>>(in, out, n, 1);
        CHECK(cudaDeviceSynchronize());
        fine &= agrees(1);
    }
    printf("launches %s\n", fine ? "agree" : "differ");
    // Another block shape is another kernel: this launch is long enough for the good code to come.
    CHECK(cudaMemset(out, 0, 256));
    histogram<<<dim3(300, 1, 1), dim3(64, 1, 1), 64>>>(in, out, n, 20);
    CHECK(cudaDeviceSynchronize());
    printf("a long launch %s\n", agrees(20) ? "agrees" : "differs");
    unsigned sums[3];
    for (unsigned &sum : sums) {
        rotate<<<blocks, 64>>>(in, out);
        CHECK(cudaDeviceSynchronize());
        sum = 0;
        for (int i = 0; i < blocks * 64; i++) sum = sum * 31 + out[i];
        // The good code is made meanwhile.
        for (int k = 0; k < 40; k++) {
            histogram<<<100, 64>>>(in, out, n, 1);
            CHECK(cudaDeviceSynchronize());
        }
    }
    printf("lanes see each other %s\n", sums[0] == sums[1] && sums[1] == sums[2] ? "as before" : "otherwise");
}
