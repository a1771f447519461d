// Libraries, kernels, arrays and external memory by the Runtime API.
// expect: libraries ok
// expect: kernels ok
// expect: arrays ok
// expect: textures and surfaces ok
// expect: external memory ok
#include "areas.cuh"
#include "check.cuh"
#include "driver.cuh"
#include <cstring>
#include <string>
#include <unistd.h>

static const char text[] = R"(
.version 8.0
.target sm_70
.address_size 64
.visible .global .align 4 .u32 counter = 5;
.visible .global .attribute(.managed) .align 4 .u32 shared_counter = 7;
.visible .entry put(.param .u64 p, .param .u32 v, .param .align 2 .b8 pad[6]) {
    .reg .u64 %rd; .reg .u32 %r;
    ld.param.u64 %rd, [p];
    ld.param.u32 %r, [v];
    st.global.u32 [%rd], %r;
    ret;
}
.visible .entry other() { ret; }
)";

__global__ void own(int *p, double x, char c) { *p = int(x) + c; }

int main() {
    int *d, h[4] = {};
    CHECK(cudaMalloc(&d, 64));
    {
        cudaLibrary_t library, from_file;
        cudaKernel_t put = nullptr, all[3] = {};
        OK(cudaLibraryLoadData(&library, text, nullptr, nullptr, 0, nullptr, nullptr, 0));
        unsigned count = 0;
        OK(cudaLibraryGetKernelCount(&count, library));
        RIGHT(count == 2);
        OK(cudaLibraryEnumerateKernels(all, 2, library));
        RIGHT(all[0] && all[1] && all[0] != all[1] && !all[2]);
        OK(cudaLibraryGetKernel(&put, library, "put"));
        RIGHT(put == all[0] || put == all[1]);
        IS(cudaErrorSymbolNotFound, cudaLibraryGetKernel(&all[2], library, "nothing"));
        int v = 42;
        char pad[6] = {};
        void *arguments[] = {&d, &v, pad};
        OK(cudaLaunchKernel((const void *)put, dim3(1), dim3(1), arguments, 0, cudaStream_t(nullptr)));
        OK(cudaMemcpy(h, d, 4, cudaMemcpyDeviceToHost));
        RIGHT(h[0] == 42);
        OK(cudaKernelSetAttributeForDevice(put, cudaFuncAttributePreferredSharedMemoryCarveout, 50, 0));
        cudaFuncAttributes about;
        OK(cudaFuncGetAttributes(&about, (const void *)put));
        RIGHT(about.preferredShmemCarveout == 50);
        IS(cudaErrorInvalidDevice, cudaKernelSetAttributeForDevice(put, cudaFuncAttributePreferredSharedMemoryCarveout, 50, 77));
        void *at = nullptr;
        size_t bytes = 0;
        OK(cudaLibraryGetGlobal(&at, &bytes, library, "counter"));
        OK(cudaMemcpy(h, at, 4, cudaMemcpyDeviceToHost));
        RIGHT(bytes == 4 && h[0] == 5);
        OK(cudaLibraryGetManaged(&at, &bytes, library, "shared_counter"));
        RIGHT(bytes == 4 && *(volatile int *)at == 7);
        IS(cudaErrorSymbolNotFound, cudaLibraryGetGlobal(&at, &bytes, library, "nothing"));
        IS(cudaErrorSymbolNotFound, cudaLibraryGetUnifiedFunction(&at, library, "nothing"));
        char name[] = "/tmp/antlerite-ptx-XXXXXX";
        int file = mkstemp(name);
        RIGHT(write(file, text, sizeof text) == sizeof text);
        close(file);
        OK(cudaLibraryLoadFromFile(&from_file, name, nullptr, nullptr, 0, nullptr, nullptr, 0));
        unlink(name);
        OK(cudaLibraryGetKernelCount(&count, from_file));
        RIGHT(count == 2);
        OK(cudaLibraryUnload(from_file));
        OK(cudaLibraryUnload(library));
        IS(cudaErrorInvalidResourceHandle, cudaLibraryUnload(library));
        IS(cudaErrorFileNotFound, cudaLibraryLoadFromFile(&library, "/nowhere/x.ptx", nullptr, nullptr, 0, nullptr, nullptr, 0));
        IS(cudaErrorInvalidPtx, cudaLibraryLoadData(&library, ".version 8.0\nnonsense", nullptr, nullptr, 0, nullptr, nullptr, 0));
        (void)cudaGetLastError();
        area_end("libraries");
    }
    {
        const char *name = nullptr;
        OK(cudaFuncGetName(&name, (const void *)own));
        RIGHT(name && std::string(name) == "_Z3ownPidc");
        size_t offset = 99, size = 99;
        OK(cudaFuncGetParamInfo((const void *)own, 1, &offset, &size));
        RIGHT(offset == 8 && size == 8);
        OK(cudaFuncGetParamInfo((const void *)own, 2, &offset, &size));
        RIGHT(offset == 16 && size == 1);
        IS(cudaErrorInvalidValue, cudaFuncGetParamInfo((const void *)own, 3, &offset, &size));
        cudaFunction_t function = nullptr;
        cudaKernel_t kernel = nullptr;
        OK(cudaGetFuncBySymbol(&function, (const void *)own));
        OK(cudaGetKernel(&kernel, (const void *)own));
        // Both are what the driver launches.
        double x = 40;
        char c = 3;
        void *arguments[] = {&d, &x, &c};
        DOK(cuLaunchKernel, function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr);
        OK(cudaMemcpy(h, d, 4, cudaMemcpyDeviceToHost));
        RIGHT(h[0] == 43);
        x = 50;
        OK(cudaLaunchKernel((const void *)kernel, dim3(1), dim3(1), arguments, 0, cudaStream_t(nullptr)));
        OK(cudaMemcpy(h, d, 4, cudaMemcpyDeviceToHost));
        RIGHT(h[0] == 53);
        IS(cudaErrorInvalidDeviceFunction, cudaGetFuncBySymbol(&function, &x));
        IS(cudaErrorInvalidDeviceFunction, cudaGetKernel(&kernel, &x));
        (void)cudaGetLastError();
        area_end("kernels");
    }
    cudaArray_t array, level;
    cudaChannelFormatDesc two = cudaCreateChannelDesc<float2>();
    CHECK(cudaMallocArray(&array, &two, 32, 16, cudaArraySurfaceLoadStore));
    cudaMipmappedArray_t mip;
    CHECK(cudaMallocMipmappedArray(&mip, &two, make_cudaExtent(32, 16, 0), 3));
    {
        cudaChannelFormatDesc desc = {};
        cudaExtent extent = {};
        unsigned flags = 99;
        OK(cudaArrayGetInfo(&desc, &extent, &flags, array));
        RIGHT(desc.x == 32 && desc.y == 32 && desc.z == 0 && desc.f == cudaChannelFormatKindFloat);
        RIGHT(extent.width == 32 && extent.height == 16 && extent.depth == 0 && flags == cudaArraySurfaceLoadStore);
        OK(cudaGetChannelDesc(&desc, array));
        RIGHT(desc.x == 32 && desc.y == 32);
        cudaArrayMemoryRequirements need = {}, more = {};
        OK(cudaArrayGetMemoryRequirements(&need, array, 0));
        OK(cudaMipmappedArrayGetMemoryRequirements(&more, mip, 0));
        RIGHT(need.size >= 32 * 16 * 8 && more.size > need.size && need.alignment);
        OK(cudaGetMipmappedArrayLevel(&level, mip, 1));
        OK(cudaArrayGetInfo(nullptr, &extent, nullptr, level));
        RIGHT(extent.width == 16 && extent.height == 8);
        cudaArraySparseProperties sparse;
        // Neither sparse nor planar.
        IS(cudaErrorInvalidValue, cudaArrayGetSparseProperties(&sparse, array));
        IS(cudaErrorInvalidValue, cudaMipmappedArrayGetSparseProperties(&sparse, mip));
        IS(cudaErrorInvalidValue, cudaArrayGetPlane(&level, array, 0));
        IS(cudaErrorInvalidValue, cudaGetMipmappedArrayLevel(&level, mip, 3));
        (void)cudaGetLastError();
        area_end("arrays");
    }
    {
        cudaResourceDesc resource = {}, back = {};
        resource.resType = cudaResourceTypeArray, resource.res.array.array = array;
        cudaSurfaceObject_t surface = 0;
        OK(cudaCreateSurfaceObject(&surface, &resource));
        OK(cudaGetSurfaceObjectResourceDesc(&back, surface));
        RIGHT(back.resType == cudaResourceTypeArray && back.res.array.array == array);
        OK(cudaDestroySurfaceObject(surface));
        IS(cudaErrorInvalidValue, cudaGetSurfaceObjectResourceDesc(&back, surface));
        cudaTextureDesc how = {}, got = {};
        how.addressMode[0] = cudaAddressModeBorder, how.filterMode = cudaFilterModeLinear, how.normalizedCoords = 1;
        how.borderColor[1] = .5f, how.maxAnisotropy = 4;
        cudaTextureObject_t texture = 0;
        OK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
        OK(cudaGetTextureObjectTextureDesc(&got, texture));
        RIGHT(got.addressMode[0] == cudaAddressModeBorder && got.filterMode == cudaFilterModeLinear);
        RIGHT(got.normalizedCoords == 1 && got.borderColor[1] == .5f && got.maxAnisotropy == 4);
        OK(cudaGetTextureObjectResourceDesc(&back, texture));
        RIGHT(back.res.array.array == array);
        OK(cudaDestroyTextureObject(texture));
        (void)cudaGetLastError();
        area_end("textures and surfaces");
    }
    CHECK(cudaFreeArray(array));
    CHECK(cudaFreeMipmappedArray(mip));
    {
        CUmemAllocationProp prop = {};
        prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
        prop.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
        prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
        CUmemGenericAllocationHandle physical;
        int fd = -1;
        DOK(cuMemCreate, &physical, 2 << 20, &prop, 0);
        DOK(cuMemExportToShareableHandle, &fd, physical, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
        cudaExternalMemoryHandleDesc hd = {};
        hd.type = cudaExternalMemoryHandleTypeOpaqueFd, hd.handle.fd = fd, hd.size = 2 << 20;
        cudaExternalMemory_t memory;
        OK(cudaImportExternalMemory(&memory, &hd));
        cudaExternalMemoryBufferDesc bd = {};
        bd.offset = 8192, bd.size = 4096;
        void *one = nullptr, *same = nullptr;
        OK(cudaExternalMemoryGetMappedBuffer(&one, memory, &bd));
        OK(cudaExternalMemoryGetMappedBuffer(&same, memory, &bd));
        // Two mappings of the same memory.
        OK(cudaMemset(one, 0x21, 4096));
        OK(cudaMemcpy(h, (char *)same + 16, 4, cudaMemcpyDeviceToHost));
        RIGHT(h[0] == 0x21212121);
        cudaExternalMemoryMipmappedArrayDesc md = {};
        md.offset = 1 << 20, md.formatDesc = cudaCreateChannelDesc<int>(), md.extent = make_cudaExtent(16, 16, 0);
        md.numLevels = 1;
        OK(cudaExternalMemoryGetMappedMipmappedArray(&mip, memory, &md));
        OK(cudaFreeMipmappedArray(mip));
        bd.size = 4 << 20;
        IS(cudaErrorInvalidValue, cudaExternalMemoryGetMappedBuffer(&one, memory, &bd));
        OK(cudaFree(same));
        OK(cudaDestroyExternalMemory(memory));
        IS(cudaErrorInvalidResourceHandle, cudaDestroyExternalMemory(memory));
        cudaExternalSemaphoreHandleDesc sd = {};
        sd.type = cudaExternalSemaphoreHandleTypeOpaqueFd;
        cudaExternalSemaphore_t semaphore = nullptr;
        IS(cudaErrorInvalidResourceHandle, cudaImportExternalSemaphore(&semaphore, &sd));
        IS(cudaErrorInvalidResourceHandle, cudaDestroyExternalSemaphore(semaphore));
        area_end("external memory");
    }
}
