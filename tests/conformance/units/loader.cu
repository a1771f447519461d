// Loads argv[1], whatever kind of image it is, through the Driver API and runs `answer` of it.
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>

template <typename F> F entry(const char *name) {
    void *found = nullptr;
    cudaDriverEntryPointQueryResult result;
    cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result);
    return (F)found;
}

int main(int, char **argv) {
    cudaFree(nullptr);
    auto load = entry<CUresult (*)(CUmodule *, const char *)>("cuModuleLoad");
    auto get = entry<CUresult (*)(CUfunction *, CUmodule, const char *)>("cuModuleGetFunction");
    auto launch = entry<decltype(&cuLaunchKernel)>("cuLaunchKernel");
    CUmodule module;
    CUfunction function;
    int *device = nullptr, host = 0;
    cudaMalloc(&device, sizeof host);
    void *args[] = {&device};
    CUresult result = load(&module, argv[1]);
    if (result == CUDA_SUCCESS) result = get(&function, module, "answer");
    if (result == CUDA_SUCCESS) result = launch(function, 1, 1, 1, 1, 1, 1, 0, nullptr, args, nullptr);
    cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d: %d\n", int(result), result == CUDA_SUCCESS ? host : 0);
}
