// traffic LAUNCHES MIB: so many launches, and a copy of so many MiB there and back. The harness counts its system calls.
// args: 100 4
// expect: launches ok
// expect: copy ok
#include "check.cuh"

__global__ void count(int *p) { *p += 1; }

int main(int argc, char **argv) {
    int launches = argc > 1 ? atoi(argv[1]) : 1;
    size_t bytes = size_t(argc > 2 ? atoi(argv[2]) : 1) << 20;
    Device<int> counter(1);
    counter.zero();
    for (int i = 0; i < launches; i++) count<<<1, 1>>>(counter);
    FINISH();
    int bad = compare("launches", counter.host(), [&](int) { return launches; });

    // One allocation of the same size whatever is copied, so that runs differ in traffic alone.
    const size_t piece = 64 << 20;
    std::vector<unsigned char> there(piece), back(piece);
    for (size_t i = 0; i < piece; i++) there[i] = (unsigned char)(i * 7 + i / 256);
    Device<unsigned char> data(piece);
    for (size_t done = 0; done < bytes; done += piece) {
        size_t size = bytes - done < piece ? bytes - done : piece;
        CHECK(cudaMemcpy(data, there.data(), size, cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy(back.data(), data, size, cudaMemcpyDeviceToHost));
    }
    size_t check = bytes < piece ? bytes : piece;
    for (size_t i = 0; i < check; i++)
        if (back[i] != there[i]) return printf("copy: byte %zu is wrong\n", i), 1;
    puts("copy ok");
    return bad;
}
