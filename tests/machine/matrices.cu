// Moves of matrices to and from where there is no memory, or not so aligned: `matrices N` makes one of them.
#include <cstdio>
#include <cstdlib>

__global__ void load(const void *from, unsigned *out) {
    unsigned a, b, c, d, e, f, g, h;
    // clang-format off
    asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.f16 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8], 16;" : "=r"(a), "=r"(b), "=r"(c), "=r"(d), "=r"(e), "=r"(f), "=r"(g), "=r"(h) : "l"(from) : "memory");
    // clang-format on
    out[threadIdx.x] = a + b + c + d + e + f + g + h;
}

__global__ void store(void *to) {
    float f = threadIdx.x;
    // clang-format off
    asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.f32 [%0], {%1,%1,%1,%1,%1,%1,%1,%1}, 16;" ::"l"(to), "f"(f) : "memory");
    // clang-format on
}

int main(int, char **argv) {
    char *memory, *nowhere = (char *)0x100000, *wild = (char *)0x4000000000000000;
    if (cudaMalloc(&memory, 1024)) return 1;
    switch (atoi(argv[1])) {
    case 0: load<<<1, 32>>>(nowhere, (unsigned *)memory); break;
    case 1: load<<<1, 32>>>(wild, (unsigned *)memory); break;
    case 2: load<<<1, 32>>>(memory + 2, (unsigned *)memory); break;
    case 3: store<<<1, 32>>>(nowhere); break;
    case 4: store<<<1, 32>>>(memory + 2); break;
    }
    printf("%d\n", int(cudaDeviceSynchronize()));
}
