// Sums by warp shuffles of every kind, votes and matches.
// expect: shfl_down ok
// expect: shfl_xor ok
// expect: shfl_up scan ok
// expect: shfl broadcast ok
// expect: ballot ok
// expect: any, all ok
// expect: match_any ok
// expect: reduce_add ok
// flags: -arch=sm_80
#include "check.cuh"

const unsigned ALL = 0xffffffffu;

__global__ void shuffles(const int *in, int *down, int *exclusive_or, int *scan, int *broadcast) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, v = in[i];
    int sum = v;
    for (int step = 16; step; step /= 2) sum += __shfl_down_sync(ALL, sum, step);
    if (lane == 0) down[i / 32] = sum;
    sum = v;
    for (int step = 16; step; step /= 2) sum += __shfl_xor_sync(ALL, sum, step);
    exclusive_or[i] = sum;
    sum = v;
    for (int step = 1; step < 32; step *= 2) {
        int below = __shfl_up_sync(ALL, sum, step);
        if (lane >= step) sum += below;
    }
    scan[i] = sum;
    // Segments of eight lanes.
    broadcast[i] = __shfl_sync(ALL, v, 3, 8);
}

__global__ void votes(const int *in, unsigned *ballot, int *any_all, unsigned *match, int *reduced) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
    ballot[i] = __ballot_sync(ALL, v & 1);
    any_all[i] = __any_sync(ALL, v == 77) * 2 + __all_sync(ALL, v < 1000);
    match[i] = __match_any_sync(ALL, v & 3);
    reduced[i] = int(__reduce_add_sync(ALL, unsigned(v)));
}

int main() {
    const int n = 256;
    std::vector<int> in(n);
    Random random(1);
    for (int &v : in) v = random.next() % 100;
    Device<int> din(in), down(n / 32), exclusive_or(n), scan(n), broadcast(n), any_all(n), reduced(n);
    Device<unsigned> ballot(n), match(n);
    auto warp = [&](int i, auto f) {
        for (int lane = 0; lane < 32; lane++) f(i / 32 * 32 + lane, lane);
    };
    auto sum_of = [&](int i) { int s = 0; warp(i, [&](int k, int) { s += in[k]; }); return s; };
    shuffles<<<2, 128>>>(din, down, exclusive_or, scan, broadcast);
    FINISH();
    int bad = compare("shfl_down", down.host(), [&](int i) { return sum_of(i * 32); });
    bad |= compare("shfl_xor", exclusive_or.host(), sum_of);
    bad |= compare("shfl_up scan", scan.host(), [&](int i) {
        int s = 0;
        for (int k = i / 32 * 32; k <= i; k++) s += in[k];
        return s;
    });
    bad |= compare("shfl broadcast", broadcast.host(), [&](int i) { return in[i / 8 * 8 + 3]; });
    votes<<<2, 128>>>(din, ballot, any_all, match, reduced);
    FINISH();
    bad |= compare("ballot", ballot.host(), [&](int i) {
        unsigned mask = 0;
        warp(i, [&](int k, int lane) { mask |= unsigned(in[k] & 1) << lane; });
        return mask;
    });
    bad |= compare("any, all", any_all.host(), [&](int i) {
        int any = 0;
        warp(i, [&](int k, int) { any |= in[k] == 77; });
        return any * 2 + 1;
    });
    bad |= compare("match_any", match.host(), [&](int i) {
        unsigned mask = 0;
        warp(i, [&](int k, int lane) { mask |= unsigned((in[k] & 3) == (in[i] & 3)) << lane; });
        return mask;
    });
    bad |= compare("reduce_add", reduced.host(), sum_of);
    return bad;
}
