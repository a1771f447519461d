// Virtual memory management: reserve, create, map, access, share, and what is refused.
// expect: granularity 2097152
// expect: across two mappings ok
// expect: copy out ok
// expect: remapped ok
// expect: same memory twice ok
// expect: imported ok
// expect: access 3 0
// expect: properties ok
// expect: read-only: 700
#include "check.cuh"
#include "driver.cuh"
#include <unistd.h>

__global__ void fill(int *p, int n, int add) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] = i + add;
}

int main() {
    CHECK(cudaFree(0));
    CUmemAllocationProp prop = {};
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    size_t g;
    DCHECK(cuMemGetAllocationGranularity, &g, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
    printf("granularity %zu\n", g);
    CUdeviceptr base;
    DCHECK(cuMemAddressReserve, &base, 4 * g, 0, 0, 0);
    CUmemGenericAllocationHandle a, b;
    DCHECK(cuMemCreate, &a, g, &prop, 0);
    DCHECK(cuMemCreate, &b, g, &prop, 0);
    DCHECK(cuMemMap, base, g, 0, a, 0);
    DCHECK(cuMemMap, base + g, g, 0, b, 0);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemMap, base + g, g, 0, a, 0);
    CUmemAccessDesc rw = {prop.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    DCHECK(cuMemSetAccess, base, 2 * g, &rw, 1);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemSetAccess, base, 3 * g, &rw, 1);
    const int n = int(2 * g / 4);
    int *p = reinterpret_cast<int *>(base);
    fill<<<64, 256>>>(p, n, 7);
    FINISH();
    std::vector<int> host(n);
    CHECK(cudaMemcpy(host.data(), p, n * 4, cudaMemcpyDeviceToHost));
    compare("across two mappings", host, [](size_t i) { return int(i) + 7; });
    // A copy in and out whose range begins in one mapping and ends in the other.
    int *middle = p + n / 2 - 500;
    std::vector<int> part(1000, -3), back(1000);
    CHECK(cudaMemcpy(middle, part.data(), 4000, cudaMemcpyHostToDevice));
    Device<int> elsewhere(1000);
    CHECK(cudaMemcpy(elsewhere, middle, 4000, cudaMemcpyDeviceToDevice));
    back = elsewhere.host();
    compare("copy out", back, [](size_t) { return -3; });

    DCHECK(cuMemUnmap, base + g, g);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemUnmap, base + g, g);
    DCHECK(cuMemMap, base + 3 * g, g, 0, b, 0);
    DCHECK(cuMemSetAccess, base + 3 * g, g, &rw, 1);
    std::vector<int> moved(n / 2 - 500);
    CHECK(cudaMemcpy(moved.data(), reinterpret_cast<int *>(base + 3 * g) + 500, moved.size() * 4, cudaMemcpyDeviceToHost));
    compare("remapped", moved, [&](size_t i) { return int(i) + n / 2 + 500 + 7; });

    // One memory at two addresses; the handle is let go of and got back.
    CUmemGenericAllocationHandle again;
    DCHECK(cuMemRelease, b);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemRelease, b);
    DCHECK(cuMemRetainAllocationHandle, &again, reinterpret_cast<void *>(base + 3 * g + 64));
    DCHECK(cuMemMap, base + g, g, 0, again, 0);
    DCHECK(cuMemSetAccess, base + g, g, &rw, 1);
    fill<<<1, 32>>>(reinterpret_cast<int *>(base + g), 32, 1000);
    FINISH();
    std::vector<int> twin(32);
    CHECK(cudaMemcpy(twin.data(), reinterpret_cast<void *>(base + 3 * g), 128, cudaMemcpyDeviceToHost));
    compare("same memory twice", twin, [](size_t i) { return int(i) + 1000; });

    int fd = -1;
    CUmemGenericAllocationHandle imported;
    DCHECK(cuMemExportToShareableHandle, &fd, again, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
    DCHECK(cuMemImportFromShareableHandle, &imported, (void *)(intptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    close(fd);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemImportFromShareableHandle, &imported, (void *)(intptr_t)0, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    DCHECK(cuMemMap, base + 2 * g, g, 0, imported, 0);
    DCHECK(cuMemSetAccess, base + 2 * g, g, &rw, 1);
    CHECK(cudaMemcpy(twin.data(), reinterpret_cast<void *>(base + 2 * g), 128, cudaMemcpyDeviceToHost));
    compare("imported", twin, [](size_t i) { return int(i) + 1000; });

    unsigned long long flags = 9, none = 9;
    DCHECK(cuMemGetAccess, &flags, &prop.location, base + 100);
    DCHECK(cuMemUnmap, base, g);
    DCHECK(cuMemMap, base, g, 0, a, 0);
    DCHECK(cuMemGetAccess, &none, &prop.location, base);
    printf("access %llu %llu\n", flags, none);
    CUmemAllocationProp got;
    DCHECK(cuMemGetAllocationPropertiesFromHandle, &got, a);
    bool same = got.type == prop.type && got.location.id == 0 && got.requestedHandleTypes == prop.requestedHandleTypes;
    puts(same ? "properties ok" : "properties wrong");

    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemCreate, &imported, g + 1, &prop, 0);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemAddressReserve, &base, 5, 0, 0, 0);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree, base, 4 * g);
    CUmemAllocationProp host_memory = prop;
    host_memory.location.type = CU_MEM_LOCATION_TYPE_HOST;
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, cuMemCreate, &imported, g, &host_memory, 0);
    CUmulticastObjectProp many = {1, g, 0, 0};
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, cuMulticastCreate, &imported, &many);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMulticastBindMem, 1, 0, a, 0, g, 0);

    // The rest is given back; then a mapping that may only be read.
    DCHECK(cuMemUnmap, base, 4 * g);
    CUmemAccessDesc ro = {prop.location, CU_MEM_ACCESS_FLAGS_PROT_READ};
    DCHECK(cuMemMap, base, g, 0, a, 0);
    DCHECK(cuMemSetAccess, base, g, &ro, 1);
    CUdeviceptr small;
    DCHECK(cuMemAddressReserve, &small, g, 0, 0, 0);
    DCHECK(cuMemAddressFree, small, g);
    fill<<<1, 32>>>(p, 32, 0);
    printf("read-only: %d\n", int(cudaDeviceSynchronize()));
}
