// Shuffles, votes, matches and reductions of a warp, whole and in halves.
// flags: -arch=sm_80
// expect: warp ok
#include "check.cuh"
__global__ void k(unsigned *o) {
    unsigned l = threadIdx.x & 31, r = 0;
    unsigned *p = o + threadIdx.x * 20;
    p[0] = __shfl_sync(~0u, l * 3, 7);
    p[1] = __shfl_up_sync(~0u, l, 3);
    p[2] = __shfl_down_sync(~0u, l, 5);
    p[3] = __shfl_xor_sync(~0u, l, 9);
    p[4] = __shfl_sync(~0u, l, 3, 8);
    p[5] = __ballot_sync(~0u, l % 3 == 1);
    p[6] = __any_sync(~0u, l == 31) | __all_sync(~0u, l < 31) << 1;
    p[7] = __match_any_sync(~0u, l / 5);
    int pred; p[8] = __match_all_sync(~0u, l / 64, &pred); p[9] = pred;
    p[10] = __reduce_add_sync(~0u, l); p[11] = __reduce_xor_sync(~0u, l * 5);
    p[12] = __reduce_max_sync(~0u, int(l) - 40);
    if (l & 1) { p[13] = __ballot_sync(0xaaaaaaaa, l > 15); p[14] = __activemask(); r = __shfl_sync(0xaaaaaaaa, l, 5); }
    else { p[13] = __ballot_sync(0x55555555, l > 15); p[14] = __activemask(); r = __shfl_sync(0x55555555, l, 4); }
    __syncwarp();
    p[15] = r;
    double d = __shfl_xor_sync(~0u, l * 1.5, 1); p[16] = unsigned(d * 2);
    long long ll = __shfl_down_sync(~0u, (long long)l << 33, 1, 16); p[17] = unsigned(ll >> 33);
    p[18] = __match_any_sync(~0u, (unsigned long long)(l & 3) << 40);
    p[19] = __fns(0xf0f0f0f0, 0, l % 16 + 1);
}
int main() {
    Device<unsigned> o(64 * 20); o.zero(); k<<<1, 64>>>(o); FINISH();
    compare("warp", o.host(), [](size_t i) -> unsigned {
        unsigned l = i / 20 % 32, m = 0;
        auto bal = [&](auto f) { unsigned m = 0; for (unsigned k = 0; k < 32; k++) if (f(k)) m |= 1u << k; return m; };
        switch (i % 20) {
        case 0: return 21; case 1: return l < 3 ? l : l - 3; case 2: return l > 26 ? l : l + 5; case 3: return l ^ 9;
        case 4: return l / 8 * 8 + 3; case 5: return bal([](unsigned k) { return k % 3 == 1; }); case 6: return 1;
        case 7: return bal([&](unsigned k) { return k / 5 == l / 5; }); case 8: return ~0u; case 9: return 1;
        case 10: return 496; case 11: for (unsigned k = 0; k < 32; k++) m ^= k * 5; return m; case 12: return -9;
        case 13: return bal([&](unsigned k) { return k > 15 && k % 2 == l % 2; }); case 14: return l & 1 ? 0xaaaaaaaa : 0x55555555;
        case 15: return l & 1 ? 5 : 4; case 16: return 3 * (l ^ 1); case 17: return l % 16 == 15 ? l : l + 1;
        case 18: return bal([&](unsigned k) { return k % 4 == l % 4; });
        default: { unsigned n = l % 16 + 1; for (unsigned k = 0; k < 32; k++) if (0xf0f0f0f0 >> k & 1 && !--n) return k; return ~0u; }
        }
    });
}
