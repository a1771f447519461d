// A count of bytes into and out of a two-dimensional array runs through its rows, also from the middle of one.
// expect: into 0
// expect: part 0
// expect: out 0
#include "check.cuh"
#include <cstring>
int main() {
    const int w = 48, h = 20;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<int>();
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &desc, w, h));
    std::vector<int> in(w * h), out(w * h), part(100);
    for (int i = 0; i < w * h; i++) in[i] = i * 3;
    for (int i = 0; i < 100; i++) part[i] = -i;
    auto wrong = [&] { int n = 0; for (int i = 0; i < w * h; i++) n += in[i] != out[i]; return n; };
    CHECK(cudaMemcpyToArray(array, 0, 0, in.data(), w * h * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy2DFromArray(out.data(), w * 4, array, 0, 0, w * 4, h, cudaMemcpyDeviceToHost));
    printf("into %d\n", wrong());
    CHECK(cudaMemcpyToArray(array, 40 * 4, 3, part.data(), 400, cudaMemcpyHostToDevice));
    memcpy(&in[3 * w + 40], part.data(), 400);
    CHECK(cudaMemcpy2DFromArray(out.data(), w * 4, array, 0, 0, w * 4, h, cudaMemcpyDeviceToHost));
    printf("part %d\n", wrong());
    CHECK(cudaMemcpyFromArray(out.data() + 10, array, 40, 0, (w * h - 10) * 4, cudaMemcpyDeviceToHost));
    printf("out %d\n", wrong());
}
