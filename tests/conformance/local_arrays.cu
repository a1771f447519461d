// Arrays in local memory, indexed at run time; structures by value; pointers to locals passed to functions.
// expect: insertion sort ok
// expect: big local array ok
// expect: pointer to a local ok
// expect: structure by value ok
#include "check.cuh"

struct Particle {
    double mass;
    float position[3];
    char tag;
    short charge;
};

__global__ void sort(const int *in, int *out) {
    int values[16], base = (blockIdx.x * blockDim.x + threadIdx.x) * 16;
    for (int i = 0; i < 16; i++) values[i] = in[base + i];
    for (int i = 1; i < 16; i++) {
        int v = values[i], k = i;
        for (; k > 0 && values[k - 1] > v; k--) values[k] = values[k - 1];
        values[k] = v;
    }
    for (int i = 0; i < 16; i++) out[base + i] = values[i];
}

__global__ void big(int *out, int stride) {
    int table[500];
    for (int i = 0; i < 500; i++) table[i] = i * (int(threadIdx.x) + 1);
    int sum = 0;
    for (int i = 0; i < 500; i++) sum += table[(i * stride) % 500];
    out[threadIdx.x] = sum;
}

__device__ __noinline__ void bump(int *p, int by) { *p += by; }
__global__ void pointers(int *out) {
    int mine = threadIdx.x;
    bump(&mine, 5);
    int *where = threadIdx.x & 1 ? &mine : &out[threadIdx.x];
    out[threadIdx.x] = 1;
    *where += 10;
    out[threadIdx.x] += mine;
}

__global__ void by_value(Particle p, float *out) {
    out[threadIdx.x] = float(p.mass) * p.position[threadIdx.x % 3] + p.tag + p.charge;
}

int main() {
    const int threads = 128;
    std::vector<int> in(threads * 16);
    Random random(3);
    for (int &v : in) v = int(random.next());
    Device<int> din(in), dout(in.size());
    sort<<<2, 64>>>(din, dout);
    FINISH();
    std::vector<int> want(in);
    for (int t = 0; t < threads; t++)
        for (int i = 1; i < 16; i++)
            for (int k = i; k > 0 && want[t * 16 + k - 1] > want[t * 16 + k]; k--)
                std::swap(want[t * 16 + k - 1], want[t * 16 + k]);
    int bad = compare("insertion sort", dout.host(), [&](int i) { return want[i]; });
    Device<int> few(64);
    big<<<1, 64>>>(few, 7);
    FINISH();
    bad |= compare("big local array", few.host(), [](int i) { return 499 * 250 * (i + 1); });
    pointers<<<1, 64>>>(few);
    FINISH();
    bad |= compare("pointer to a local", few.host(), [](int i) { return i & 1 ? 1 + i + 5 + 10 : 11 + i + 5; });
    Device<float> floats(64);
    by_value<<<1, 64>>>(Particle{2.5, {1, 2, 3}, 7, -3}, floats);
    FINISH();
    bad |= compare("structure by value", floats.host(), [](int i) { return 2.5 * (i % 3 + 1) + 4; });
    return bad;
}
