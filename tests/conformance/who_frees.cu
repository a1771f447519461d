// What cudaFree frees: not variables, mappings, or what an IPC handle opened. Pools: what comes back, and their size.
// expect: variable 1 managed 1 mapping 1
// expect: still there 5 6 7
// expect: too much 2
// expect: used 50331648 after 16777216 after 0
// expect: room again 0
#include "driver.cuh"
#include "check.cuh"

__device__ int variable = 5;
__managed__ int managed = 6;

int main() {
    void *address;
    CHECK(cudaGetSymbolAddress(&address, variable));
    int of_variable = cudaFree(address), of_managed = cudaFree(&managed);
    CUmemAllocationProp prop = {};
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    size_t g = 2 << 20;
    CUdeviceptr base;
    CUmemGenericAllocationHandle memory;
    CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    if (DRV(cuMemAddressReserve)(&base, g, 0, 0, 0) || DRV(cuMemCreate)(&memory, g, &prop, 0) || DRV(cuMemMap)(base, g, 0, memory, 0) ||
        DRV(cuMemSetAccess)(base, g, &access, 1) || DRV(cuMemsetD32)(base, 7, 16))
        puts("cannot map");
    printf("variable %d managed %d mapping %d\n", of_variable, of_managed, int(DRV(cuMemFree)(base)));
    cudaGetLastError();
    int a, b;
    CHECK(cudaMemcpyFromSymbol(&a, variable, 4));
    CHECK(cudaMemcpy(&b, (void *)(base + 60), 4, cudaMemcpyDeviceToHost));
    printf("still there %d %d %d\n", a, managed, b);

    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location = {cudaMemLocationTypeDevice, 0};
    props.maxSize = 64 << 20;
    cudaMemPool_t pool;
    CHECK(cudaMemPoolCreate(&pool, &props));
    void *p, *q;
    printf("too much %d\n", int(cudaMallocFromPoolAsync(&p, 65 << 20, pool, 0)));
    cudaGetLastError();
    unsigned long long used[3];
    CHECK(cudaMallocFromPoolAsync(&p, 32 << 20, pool, 0));
    CHECK(cudaMallocFromPoolAsync(&q, 16 << 20, pool, 0));
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used[0]));
    CHECK(cudaFreeAsync(p, 0));
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used[1]));
    CHECK(cudaFree(q));
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used[2]));
    printf("used %llu after %llu after %llu\n", used[0], used[1], used[2]);
    printf("room again %d\n", int(cudaMallocFromPoolAsync(&p, 64 << 20, pool, 0)));
}
