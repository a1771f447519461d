// Division of __int128, in which nvcc mixes subtractions that borrow with additions that carry.
// expect: unsigned ok
// expect: signed ok
// expect: shifts and products ok
#include "check.cuh"
typedef unsigned __int128 wide;
typedef unsigned long long word;

// The words of a few results; the same code on both sides.
__host__ __device__ void results(wide a, wide b, word *out) {
    wide q = a / b, r = a % b;
    __int128 sq = (__int128)a / (__int128)b, sr = (__int128)a % (__int128)b;
    int by = int(b & 127);
    wide more = (a * b) ^ (a << by) ^ (a >> by) ^ (wide)((__int128)a >> by) ^ (wide)(a < b) << 77;
    wide all[] = {q, r, (wide)sq, (wide)sr, more, a - b};
    for (int i = 0; i < 6; i++) out[2 * i] = word(all[i]), out[2 * i + 1] = word(all[i] >> 64);
}

__global__ void kernel(const word *in, word *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const word *p = in + 4 * i;
    results((wide)p[1] << 64 | p[0], (wide)p[3] << 64 | p[2], out + 12 * i);
}

int main() {
    const int n = 1000;
    Random random(7);
    std::vector<word> in(4 * n), want(12 * n);
    for (auto &w : in) w = ((word)random.next() << 32 | random.next()) >> random.next() % 64;
    for (int i = 0; i < n; i++) {
        if (i % 3 == 0) in[4 * i + 3] = 0;
        if (i % 5 == 0) in[4 * i + 1] = 0;
        if (i % 7 == 0) in[4 * i + 3] = ~in[4 * i + 3];
        in[4 * i + 2] |= 2;
        results((wide)in[4 * i + 1] << 64 | in[4 * i], (wide)in[4 * i + 3] << 64 | in[4 * i + 2], &want[12 * i]);
    }
    Device<word> from(in), to(12 * n);
    kernel<<<8, 128>>>(from, to, n);
    FINISH();
    auto got = to.host();
    const char *names[] = {"unsigned", "signed", "shifts and products"};
    int wrong = 0;
    for (int part = 0; part < 3; part++) {
        std::vector<int> same;
        for (int i = 0; i < n; i++)
            for (int j = 4 * part; j < 4 * part + 4; j++) same.push_back(got[12 * i + j] == want[12 * i + j]);
        wrong += compare(names[part], same, [](size_t) { return 1; });
    }
    return wrong;
}
