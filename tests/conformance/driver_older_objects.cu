// First forms of functions of the Driver API that came again with more parameters, and functions nothing else calls:
// graph nodes, modules, arrays, and what there is not.
// expect: kernel nodes ok
// expect: nodes of any kind ok
// expect: memory nodes ok
// expect: fat binary ok
// expect: array memory ok
// expect: refusals ok
#define __CUDA_API_VERSION_INTERNAL
#include "areas.cuh"
#include "check.cuh"
#include "driver.cuh"
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

extern "C" __global__ void put(int *p, int v) { p[blockIdx.x * blockDim.x + threadIdx.x] = v; }

// Loads the one of this program's own fat binaries that has the kernel.
static CUfunction own_kernel(CUmodule *module) {
    int file = open("/proc/self/exe", O_RDONLY);
    struct stat about;
    if (file < 0 || fstat(file, &about)) return nullptr;
    auto base = (const char *)mmap(nullptr, about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (base == MAP_FAILED) return nullptr;
    auto head = (const Elf64_Ehdr *)base;
    auto sections = (const Elf64_Shdr *)(base + head->e_shoff);
    const char *at = nullptr, *end = nullptr;
    for (int i = 0; i < head->e_shnum; i++)
        if (!strcmp(base + sections[head->e_shstrndx].sh_offset + sections[i].sh_name, ".nv_fatbin"))
            at = base + sections[i].sh_offset, end = at + sections[i].sh_size;
    struct Container {
        unsigned magic;
        unsigned short version, header;
        unsigned long long bytes;
    };
    while (at < end && ((const Container *)at)->magic == 0xba55ed50u) {
        CUfunction function;
        CUresult loaded = DRV(cuModuleLoadFatBinary)(module, at);
        // Others hold machine code only.
        if (loaded != CUDA_ERROR_NO_BINARY_FOR_GPU && loaded) printf("cuModuleLoadFatBinary: %d\n", loaded);
        if (!loaded && !DRV(cuModuleGetFunction)(&function, *module, "put")) return function;
        if (!loaded) DRV(cuModuleUnload)(*module);
        at += ((const Container *)at)->header + ((const Container *)at)->bytes;
        while (at < end && !*at) at += 4;
    }
    return nullptr;
}

int main() {
    DCHECK(cuInit, 0);
    CUcontext context;
    DCHECK(cuDevicePrimaryCtxRetain, &context, 0);
    DCHECK(cuCtxSetCurrent, context);
    CUstream s;
    DCHECK(cuStreamCreate, &s, CU_STREAM_NON_BLOCKING);
    CUdeviceptr d;
    DCHECK(cuMemAlloc_v2, &d, 256);
    DCHECK(cuMemsetD8_v2, d, 0, 256);
    // It need not be over yet, and `s` does not wait for the default stream.
    DCHECK(cuCtxSynchronize);
    int got[64];
    auto read = [&] {
        DOK(cuStreamSynchronize, s);
        DOK(cuMemcpyDtoH_v2, got, d, 256);
    };

    CUmodule module;
    CUfunction put_function = own_kernel(&module);
    RIGHT(put_function);
    DIS(CUDA_ERROR_INVALID_VALUE, cuModuleLoadFatBinary, &module, nullptr);
    bool fat_ok = area_ok;
    area_ok = true;

    {
        int v = 5;
        CUdeviceptr at = d;
        void *arguments[] = {&at, &v};
        CUDA_KERNEL_NODE_PARAMS_v1 p = {put_function, 2, 1, 1, 3, 1, 1, 0, arguments, nullptr}, back = {};
        CUgraph graph;
        CUgraphNode one, two, empty;
        CUgraphExec exec;
        DOK(cuGraphCreate, &graph, 0);
        DOK(cuGraphAddKernelNode, &one, graph, nullptr, 0, &p);
        v = 6, at = d + 4, p.gridDimX = 1, p.blockDimX = 1;
        DOK(cuGraphAddKernelNode, &two, graph, &one, 1, &p);
        DOK(cuGraphKernelNodeGetParams, one, &back);
        RIGHT(back.func == put_function && back.gridDimX == 2 && back.blockDimX == 3 && back.sharedMemBytes == 0);
        // The arguments are as they were when the node was added.
        RIGHT(back.kernelParams && **(CUdeviceptr **)back.kernelParams == d && *(int *)back.kernelParams[1] == 5);
        DOK(cuGraphInstantiateWithFlags, &exec, graph, 0);
        DOK(cuGraphLaunch, exec, s);
        read();
        RIGHT(got[0] == 5 && got[1] == 6 && got[2] == 5 && got[5] == 5 && got[6] == 0);
        // New parameters: of the node, which an instance does not see; then of the instance.
        v = 7, at = d + 8, p.blockDimX = 2;
        DOK(cuGraphKernelNodeSetParams, two, &p);
        DOK(cuGraphKernelNodeGetParams, two, &back);
        RIGHT(back.blockDimX == 2 && *(int *)back.kernelParams[1] == 7);
        DOK(cuGraphLaunch, exec, s);
        read();
        RIGHT(got[2] == 5 && got[1] == 6);
        v = 8, at = d + 12;
        DOK(cuGraphExecKernelNodeSetParams, exec, two, &p);
        DOK(cuGraphLaunch, exec, s);
        read();
        RIGHT(got[1] == 5 && got[2] == 5 && got[3] == 8 && got[4] == 8 && got[5] == 5);
        DOK(cuGraphAddEmptyNode, &empty, graph, nullptr, 0);
        DIS(CUDA_ERROR_INVALID_VALUE, cuGraphKernelNodeGetParams, empty, &back);
        DIS(CUDA_ERROR_INVALID_VALUE, cuGraphKernelNodeSetParams, empty, &p);
        DIS(CUDA_ERROR_INVALID_VALUE, cuGraphExecKernelNodeSetParams, exec, empty, &p);
        p.blockDimX = 2048;
        DIS(CUDA_ERROR_INVALID_VALUE, cuGraphAddKernelNode, &two, graph, nullptr, 0, &p);
        p.blockDimX = 1, p.func = nullptr;
        CUresult none = DRV(cuGraphAddKernelNode)(&two, graph, nullptr, 0, &p);
        RIGHT(none == CUDA_ERROR_INVALID_VALUE || none == CUDA_ERROR_INVALID_HANDLE);
        DOK(cuGraphExecDestroy, exec);
        DOK(cuGraphDestroy, graph);
        area_end("kernel nodes");
    }
    {
        DCHECK(cuMemsetD8_v2, d, 0, 256);
        DCHECK(cuCtxSynchronize);
        CUgraph graph;
        CUgraphNode fill, copy;
        CUgraphExec exec;
        DOK(cuGraphCreate, &graph, 0);
        CUgraphNodeParams p = {};
        p.type = CU_GRAPH_NODE_TYPE_MEMSET;
        p.memset.dst = d, p.memset.value = 3, p.memset.elementSize = 4, p.memset.width = 4, p.memset.height = 1;
        DOK(cuGraphAddNode, &fill, graph, nullptr, 0, &p);
        int v = 9;
        CUdeviceptr at = d + 8;
        void *arguments[] = {&at, &v};
        p = {};
        p.type = CU_GRAPH_NODE_TYPE_KERNEL;
        p.kernel.func = put_function;
        p.kernel.gridDimX = p.kernel.gridDimY = p.kernel.gridDimZ = 1;
        p.kernel.blockDimX = p.kernel.blockDimY = p.kernel.blockDimZ = 1;
        p.kernel.kernelParams = arguments;
        DOK(cuGraphAddNode, &copy, graph, &fill, 1, &p);
        CUgraphNodeType type;
        DOK(cuGraphNodeGetType, copy, &type);
        RIGHT(type == CU_GRAPH_NODE_TYPE_KERNEL);
        size_t count = 0;
        DOK(cuGraphNodeGetDependencies, copy, nullptr, &count);
        RIGHT(count == 1);
        DOK(cuGraphInstantiateWithFlags, &exec, graph, 0);
        DOK(cuGraphLaunch, exec, s);
        read();
        RIGHT(got[0] == 3 && got[1] == 3 && got[2] == 9 && got[3] == 3 && got[4] == 0);
        p.type = CUgraphNodeType(77);
        DIS(CUDA_ERROR_INVALID_VALUE, cuGraphAddNode, &copy, graph, nullptr, 0, &p);
        DOK(cuGraphExecDestroy, exec);
        DOK(cuGraphDestroy, graph);
        area_end("nodes of any kind");
    }
    {
        CUgraph graph;
        CUgraphNode alloc, free;
        DOK(cuGraphCreate, &graph, 0);
        CUDA_MEM_ALLOC_NODE_PARAMS p = {};
        p.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
        p.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
        p.bytesize = 4096;
        DOK(cuGraphAddMemAllocNode, &alloc, graph, nullptr, 0, &p);
        DOK(cuGraphAddMemFreeNode, &free, graph, &alloc, 1, p.dptr);
        CUdeviceptr freed = 0;
        DOK(cuGraphMemFreeNodeGetParams, free, &freed);
        RIGHT(p.dptr && freed == p.dptr);
        DIS(CUDA_ERROR_INVALID_VALUE, cuGraphMemFreeNodeGetParams, alloc, &freed);
        DIS(CUDA_ERROR_INVALID_VALUE, cuGraphMemFreeNodeGetParams, free, nullptr);
        DOK(cuGraphDestroy, graph);
        area_end("memory nodes");
    }
    {
        area_ok = fat_ok;
        int v = 21;
        CUdeviceptr at = d;
        void *arguments[] = {&at, &v};
        DOK(cuLaunchKernel, put_function, 1, 1, 1, 64, 1, 1, 0, s, arguments, nullptr);
        read();
        RIGHT(got[0] == 21 && got[63] == 21);
        DOK(cuModuleUnload, module);
        area_end("fat binary");
    }
    {
        CUarray array;
        CUDA_ARRAY3D_DESCRIPTOR shape = {100, 30, 0, CU_AD_FORMAT_FLOAT, 2, 0};
        DOK(cuArray3DCreate_v2, &array, &shape);
        CUDA_ARRAY_MEMORY_REQUIREMENTS need = {};
        DOK(cuArrayGetMemoryRequirements, &need, array, 0);
        RIGHT(need.size >= 100 * 30 * 8 && need.alignment && !(need.alignment & (need.alignment - 1)));
        DIS(CUDA_ERROR_INVALID_DEVICE, cuArrayGetMemoryRequirements, &need, array, 99);
        DIS(CUDA_ERROR_INVALID_VALUE, cuArrayGetMemoryRequirements, nullptr, array, 0);
        DOK(cuArrayDestroy, array);
        DIS(CUDA_ERROR_INVALID_HANDLE, cuArrayGetMemoryRequirements, &need, array, 0);
        area_end("array memory");
    }
    {
        const void *table = &table;
        CUuuid id = {{1, 2, 3, 4}};
        DIS(CUDA_ERROR_NOT_FOUND, cuGetExportTable, &table, &id);
        RIGHT(!table);
        DIS(CUDA_ERROR_INVALID_VALUE, cuGetExportTable, nullptr, &id);
        DIS(CUDA_ERROR_INVALID_HANDLE, cuGraphicsResourceSetMapFlags, nullptr, CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY);
        DIS(CUDA_ERROR_INVALID_VALUE, cuGraphicsResourceSetMapFlags, nullptr, 9);
        // A thing of Windows.
        char luid[8];
        unsigned mask;
        DIS(CUDA_ERROR_NOT_SUPPORTED, cuDeviceGetLuid, luid, &mask, 0);
        DIS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetLuid, nullptr, &mask, 0);
        DIS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetLuid, luid, &mask, 77);
        area_end("refusals");
    }
}
