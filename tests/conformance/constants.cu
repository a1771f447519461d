// Constant and global symbols: initial values, copies to and from, addresses.
// expect: initial values ok
// expect: after cudaMemcpyToSymbol ok
// expect: index that differs by lane ok
// expect: device variable ok
// expect: symbol size 256
#include "check.cuh"

__constant__ int table[64] = {5, 4, 3, 2, 1};
__constant__ struct { float scale; double offset; } setup = {1.5f, -0.25};
__device__ int counter = 7;

__global__ void read(float *out) { out[threadIdx.x] = table[threadIdx.x] * setup.scale + float(setup.offset); }
__global__ void gather(int *out) { out[threadIdx.x] = table[(threadIdx.x * 13) % 64]; }
__global__ void count() { atomicAdd(&counter, 1); }

int main() {
    Device<float> out(64);
    read<<<1, 64>>>(out);
    FINISH();
    int bad = compare("initial values", out.host(), [](int i) { return (i < 5 ? 5 - i : 0) * 1.5 - 0.25; });
    int host[64];
    for (int i = 0; i < 64; i++) host[i] = i * i;
    CHECK(cudaMemcpyToSymbol(table, host, sizeof host));
    read<<<1, 64>>>(out);
    FINISH();
    bad |= compare("after cudaMemcpyToSymbol", out.host(), [](int i) { return i * i * 1.5 - 0.25; });
    Device<int> gathered(64);
    gather<<<1, 64>>>(gathered);
    FINISH();
    bad |= compare("index that differs by lane", gathered.host(), [](int i) { return (i * 13 % 64) * (i * 13 % 64); });
    count<<<3, 32>>>();
    FINISH();
    std::vector<int> value(1);
    CHECK(cudaMemcpyFromSymbol(value.data(), counter, sizeof(int)));
    bad |= compare("device variable", value, [](int) { return 7 + 96; });
    size_t size;
    CHECK(cudaGetSymbolSize(&size, table));
    printf("symbol size %zu\n", size);
    return bad;
}
