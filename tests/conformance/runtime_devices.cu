// Devices by the Runtime API: choosing, flags, limits, pools, logs, notifications.
// expect: before a context ok
// expect: choosing ok
// expect: limits and configurations ok
// expect: pools ok
// expect: atomics ok
// expect: host memory ok
// expect: occupancy ok
// expect: logs ok
// expect: notifications ok
// expect: graphics ok
#include "areas.cuh"
#include "check.cuh"
#include <cstring>
#include <string>
#include <unistd.h>

// In a header of their own.
extern "C" cudaError_t cudaProfilerStart();
extern "C" cudaError_t cudaProfilerStop();

__global__ void spin(volatile int *flag) {
    while (!*flag) {}
}

static void heard(void *data, cudaLogLevel, char *text, size_t) { *(int *)data += strstr(text, "cu") != nullptr; }

int main() {
    {
        // Flags of a device that is not in use yet; then of one that is.
        unsigned flags = 99;
        OK(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
        OK(cudaGetDeviceFlags(&flags));
        RIGHT((flags & cudaDeviceScheduleMask) == cudaDeviceScheduleBlockingSync);
        OK(cudaInitDevice(0, cudaDeviceScheduleYield, cudaInitDeviceFlagsAreValid));
        OK(cudaSetDevice(0));
        OK(cudaGetDeviceFlags(&flags));
        RIGHT((flags & cudaDeviceScheduleMask) == cudaDeviceScheduleYield);
        IS(cudaErrorInvalidValue, cudaSetDeviceFlags(0x1000));
        IS(cudaErrorInvalidDevice, cudaInitDevice(77, 0, 0));
        IS(cudaErrorInvalidValue, cudaGetDeviceFlags(nullptr));
        area_end("before a context");
    }
    {
        cudaDeviceProp wanted = {};
        wanted.major = 9;
        int device = 9, list[1] = {0};
        OK(cudaChooseDevice(&device, &wanted));
        RIGHT(device == 0);
        OK(cudaSetValidDevices(list, 1));
        OK(cudaSetValidDevices(nullptr, 0));
        list[0] = 77;
        IS(cudaErrorInvalidDevice, cudaSetValidDevices(list, 1));
        char bus[32] = {};
        OK(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
        int domain, number, slot;
        RIGHT(sscanf(bus, "%x:%x:%x.0", &domain, &number, &slot) == 3);
        device = 9;
        OK(cudaDeviceGetByPCIBusId(&device, bus));
        RIGHT(device == 0);
        IS(cudaErrorInvalidValue, cudaDeviceGetByPCIBusId(&device, "nonsense"));
        IS(cudaErrorInvalidDevice, cudaDeviceGetByPCIBusId(&device, "00ff:ff:1f.0"));
        size_t width = 0;
        cudaChannelFormatDesc word = cudaCreateChannelDesc<float4>();
        OK(cudaDeviceGetTexture1DLinearMaxWidth(&width, &word, 0));
        RIGHT(width >= 1 << 20);
        OK(cudaDeviceFlushGPUDirectRDMAWrites(cudaFlushGPUDirectRDMAWritesTargetCurrentDevice, cudaFlushGPUDirectRDMAWritesToOwner));
        (void)cudaGetLastError();
        area_end("choosing");
    }
    {
        cudaFuncCache cache = cudaFuncCachePreferEqual;
        OK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
        OK(cudaDeviceGetCacheConfig(&cache));
        // The sizes are fixed here.
        RIGHT(cache == cudaFuncCachePreferNone);
        IS(cudaErrorInvalidValue, cudaDeviceSetCacheConfig(cudaFuncCache(9)));
        cudaSharedMemConfig banks;
        OK(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeFourByte));
        OK(cudaDeviceGetSharedMemConfig(&banks));
        RIGHT(banks == cudaSharedMemBankSizeFourByte);
        OK(cudaFuncSetSharedMemConfig((const void *)spin, cudaSharedMemBankSizeFourByte));
        IS(cudaErrorInvalidDeviceFunction, cudaFuncSetSharedMemConfig(&banks, cudaSharedMemBankSizeFourByte));
        size_t stack = 0;
        OK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
        OK(cudaDeviceGetLimit(&stack, cudaLimitStackSize));
        RIGHT(stack == 4096);
        IS(cudaErrorInvalidValue, cudaDeviceGetLimit(&stack, cudaLimit(99)));
        OK(cudaCtxResetPersistingL2Cache());
        OK(cudaProfilerStart());
        OK(cudaProfilerStop());
        (void)cudaGetLastError();
        area_end("limits and configurations");
    }
    {
        cudaMemPool_t first, pool, now;
        cudaMemPoolProps props = {};
        props.allocType = cudaMemAllocationTypePinned;
        props.location = {cudaMemLocationTypeDevice, 0};
        OK(cudaDeviceGetDefaultMemPool(&first, 0));
        OK(cudaMemPoolCreate(&pool, &props));
        OK(cudaDeviceSetMemPool(0, pool));
        OK(cudaDeviceGetMemPool(&now, 0));
        RIGHT(now == pool && now != first);
        cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
        OK(cudaMemGetDefaultMemPool(&now, &here, cudaMemAllocationTypePinned));
        RIGHT(now == first);
        OK(cudaMemGetMemPool(&now, &here, cudaMemAllocationTypePinned));
        RIGHT(now == pool);
        OK(cudaMemSetMemPool(&here, cudaMemAllocationTypePinned, first));
        OK(cudaDeviceGetMemPool(&now, 0));
        RIGHT(now == first);
        void *p;
        OK(cudaMallocFromPoolAsync(&p, 4096, pool, cudaStream_t(nullptr)));
        unsigned long long used = 0;
        OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
        RIGHT(used >= 4096);
        OK(cudaFreeAsync(p, 0));
        OK(cudaDeviceSynchronize());
        OK(cudaMemPoolDestroy(pool));
        IS(cudaErrorInvalidValue, cudaMemPoolDestroy(first));
        (void)cudaGetLastError();
        area_end("pools");
    }
    {
        cudaAtomicOperation operations[2] = {cudaAtomicOperationIntegerAdd, cudaAtomicOperationCAS};
        unsigned can[2] = {99, 99};
        // As the attribute says.
        int native = 9;
        OK(cudaDeviceGetAttribute(&native, cudaDevAttrHostNativeAtomicSupported, 0));
        OK(cudaDeviceGetHostAtomicCapabilities(can, operations, 2, 0));
        RIGHT(native == 0 && can[0] == 0 && can[1] == 0);
        IS(cudaErrorInvalidValue, cudaDeviceGetHostAtomicCapabilities(can, operations, 0, 0));
        IS(cudaErrorInvalidDevice, cudaDeviceGetP2PAtomicCapabilities(can, operations, 2, 0, 0));
        (void)cudaGetLastError();
        area_end("atomics");
    }
    {
        void *p;
        unsigned flags = 0;
        OK(cudaHostAlloc(&p, 4096, cudaHostAllocPortable | cudaHostAllocMapped));
        OK(cudaHostGetFlags(&flags, p));
        RIGHT((flags & cudaHostAllocPortable) && (flags & cudaHostAllocMapped));
        int local;
        IS(cudaErrorInvalidValue, cudaHostGetFlags(&flags, &local));
        OK(cudaFreeHost(p));
        // The function itself, not the header's template of that name.
        OK(cudaMallocHost((void **)&p, 4096));
        OK(cudaHostGetFlags(&flags, p));
        RIGHT(!(flags & cudaHostAllocWriteCombined));
        OK(cudaFreeHost(p));
        IS(cudaErrorInvalidValue, cudaMallocHost((void **)nullptr, 4096));
        (void)cudaGetLastError();
        area_end("host memory");
    }
    {
        int blocks = 0, same = 0, clusters = 0, size = 0;
        OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)spin, 256, 0));
        OK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&same, spin, 256, 0, cudaOccupancyDisableCachingOverride));
        RIGHT(blocks == 8 && same == blocks);
        cudaLaunchConfig_t config = {};
        config.gridDim = dim3(4), config.blockDim = dim3(64);
        cudaLaunchAttribute a;
        a.id = cudaLaunchAttributeClusterDimension, a.val.clusterDim = {2, 1, 1};
        OK(cudaOccupancyMaxPotentialClusterSize(&size, spin, &config));
        RIGHT(size == 8);
        config.attrs = &a, config.numAttrs = 1;
        OK(cudaOccupancyMaxActiveClusters(&clusters, spin, &config));
        RIGHT(clusters > 0);
        area_end("occupancy");
    }
    {
        int lines = 0;
        cudaLogsCallbackHandle handle;
        cudaLogIterator start, again;
        void *p;
        OK(cudaFree(0));
        OK(cudaLogsRegisterCallback(heard, &lines, &handle));
        OK(cudaLogsCurrent(&start, 0));
        again = start;
        IS(cudaErrorInvalidValue, cudaMemset((void *)1, 0, 1));
        RIGHT(lines == 1);
        OK(cudaLogsUnregisterCallback(handle));
        char text[4096] = {}, name[] = "/tmp/antlerite-log-XXXXXX";
        size_t n = sizeof text;
        OK(cudaLogsDumpToMemory(&start, text, &n, 0));
        RIGHT(n > 10 && n == strlen(text));
        close(mkstemp(name));
        OK(cudaLogsDumpToFile(&again, name, 0));
        FILE *f = fopen(name, "r");
        RIGHT(fgets(text, sizeof text, f) && strstr(text, "INVALID_VALUE"));
        fclose(f);
        unlink(name);
        IS(cudaErrorInvalidValue, cudaLogsUnregisterCallback(handle));
        (void)p, (void)cudaGetLastError();
        area_end("logs");
    }
    {
        cudaAsyncCallbackHandle_t handle;
        auto never = [](cudaAsyncNotificationInfo_t *, void *, cudaAsyncCallbackHandle_t) {};
        OK(cudaDeviceRegisterAsyncNotification(0, never, nullptr, &handle));
        OK(cudaDeviceUnregisterAsyncNotification(0, handle));
        IS(cudaErrorInvalidValue, cudaDeviceUnregisterAsyncNotification(0, handle));
        IS(cudaErrorInvalidDevice, cudaDeviceRegisterAsyncNotification(77, never, nullptr, &handle));
        (void)cudaGetLastError();
        area_end("notifications");
    }
    {
        // No resource can be registered, so no handle is one.
        cudaGraphicsResource_t none = nullptr;
        void *p;
        size_t n;
        cudaArray_t array;
        cudaMipmappedArray_t mip;
        IS(cudaErrorInvalidResourceHandle, cudaGraphicsMapResources(1, &none));
        IS(cudaErrorInvalidResourceHandle, cudaGraphicsUnmapResources(1, &none));
        IS(cudaErrorInvalidResourceHandle, cudaGraphicsResourceGetMappedPointer(&p, &n, none));
        IS(cudaErrorInvalidResourceHandle, cudaGraphicsResourceGetMappedMipmappedArray(&mip, none));
        IS(cudaErrorInvalidResourceHandle, cudaGraphicsSubResourceGetMappedArray(&array, none, 0, 0));
        IS(cudaErrorInvalidResourceHandle, cudaGraphicsResourceSetMapFlags(none, 0));
        IS(cudaErrorInvalidResourceHandle, cudaGraphicsUnregisterResource(none));
        IS(cudaErrorInvalidValue, cudaGraphicsMapResources(0, &none));
        IS(cudaErrorInvalidValue, cudaGraphicsMapResources(-1, &none));
        area_end("graphics");
    }
}
