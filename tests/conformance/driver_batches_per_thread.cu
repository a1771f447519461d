// Batches and calls about other APIs' objects, in the forms for the per-thread default stream.
// expect: batch of copies ok
// expect: older batch of copies ok
// expect: batch of copies in 3D ok
// expect: older batch of copies in 3D ok
// expect: managed memory ok
// expect: refusals ok
#define __CUDA_API_VERSION_INTERNAL
#include "areas.cuh"
#include "check.cuh"
#include "driver.cuh"
#include <cstring>

int main() {
    DCHECK(cuInit, 0);
    CUcontext context;
    DCHECK(cuDevicePrimaryCtxRetain, &context, 0);
    DCHECK(cuCtxSetCurrent, context);
    CUdeviceptr d, gate;
    volatile unsigned *flag;
    DCHECK(cuMemAlloc_v2, &d, 256);
    DCHECK(cuMemHostAlloc, (void **)&flag, 4, CU_MEMHOSTALLOC_DEVICEMAP);
    DCHECK(cuMemHostGetDevicePointer_v2, &gate, (void *)flag, 0);
    unsigned in[8] = {1, 2, 3, 4, 5, 6, 7, 8}, got[64];
    CUstream reader;
    DCHECK(cuStreamCreate, &reader, CU_STREAM_NON_BLOCKING);
    auto read = [&] {
        DOK(cuMemcpyDtoHAsync_v2, got, d, 256, reader);
        DOK(cuStreamSynchronize, reader);
    };
    auto clear = [&] {
        DOK(cuMemsetD8Async, d, 0, 256, reader);
        DOK(cuStreamSynchronize, reader);
        *flag = 0;
        // What follows in the thread's stream waits for the host.
        DOK(cuStreamWaitValue32_v2, CU_STREAM_PER_THREAD, gate, 1, CU_STREAM_WAIT_VALUE_EQ);
    };
    // Nothing is there before, all is there after.
    auto waits = [&](unsigned at) {
        read();
        RIGHT(got[at] == 0 && DRV(cuStreamQuery)(CU_STREAM_PER_THREAD) == CUDA_ERROR_NOT_READY);
        *flag = 1;
        DOK(cuStreamSynchronize, CU_STREAM_PER_THREAD);
        read();
    };
    unsigned *pinned;
    DCHECK(cuMemHostAlloc, (void **)&pinned, sizeof in, 0);
    memcpy(pinned, in, sizeof in);
    CUdeviceptr dsts[2] = {d + 16, d + 64}, srcs[2] = {(CUdeviceptr)pinned, (CUdeviceptr)(pinned + 4)};
    size_t sizes[2] = {16, 8}, first = 0, failed = 7;
    CUmemcpyAttributes how = {};
    how.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    auto copied = [&] {
        return got[3] == 0 && got[4] == 1 && got[7] == 4 && got[8] == 0 && got[16] == 5 && got[17] == 6 && got[18] == 0;
    };
    {
        clear();
        DOK(cuMemcpyBatchAsync_v2_ptsz, dsts, srcs, sizes, 2, &how, &first, 1, nullptr);
        waits(4);
        RIGHT(copied());
        DIS(CUDA_ERROR_INVALID_VALUE, cuMemcpyBatchAsync_v2_ptsz, dsts, srcs, sizes, 0, &how, &first, 1, nullptr);
        DIS(CUDA_ERROR_INVALID_VALUE, cuMemcpyBatchAsync_v2_ptsz, dsts, srcs, sizes, 2, &how, &first, 3, nullptr);
        DIS(CUDA_ERROR_INVALID_VALUE, cuMemcpyBatchAsync_v2_ptsz, dsts, srcs, sizes, 2, &how, &first, 1, CU_STREAM_LEGACY);
        area_end("batch of copies");
    }
    {
        clear();
        DOK(cuMemcpyBatchAsync_ptsz, dsts, srcs, sizes, 2, &how, &first, 1, &failed, nullptr);
        waits(4);
        RIGHT(copied());
        size_t wrong = 1;
        DIS(CUDA_ERROR_INVALID_VALUE, cuMemcpyBatchAsync_ptsz, dsts, srcs, sizes, 2, &how, &wrong, 1, &failed, nullptr);
        RIGHT(failed == SIZE_MAX);
        dsts[1] = d + (1ull << 34);
        DIS(CUDA_ERROR_INVALID_VALUE, cuMemcpyBatchAsync_ptsz, dsts, srcs, sizes, 2, &how, &first, 1, &failed, nullptr);
        RIGHT(failed == 1);
        DOK(cuStreamSynchronize, CU_STREAM_PER_THREAD);
        area_end("older batch of copies");
    }
    // Lines of two words out of lines of four: to the device, then from there to an array and back.
    CUDA_ARRAY3D_DESCRIPTOR shape = {4, 4, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, 0};
    CUarray array;
    DCHECK(cuArray3DCreate_v2, &array, &shape);
    CUDA_MEMCPY3D_BATCH_OP ops[3] = {};
    ops[0].src.type = ops[0].dst.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
    ops[0].src.op.ptr.ptr = (CUdeviceptr)pinned, ops[0].src.op.ptr.rowLength = 16;
    ops[0].dst.op.ptr.ptr = d, ops[0].dst.op.ptr.rowLength = 32;
    ops[0].extent = {8, 2, 1};
    ops[0].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    ops[1].src.type = CU_MEMCPY_OPERAND_TYPE_POINTER, ops[1].src.op.ptr.ptr = d;
    ops[1].src.op.ptr.rowLength = 8;
    ops[1].dst.type = CU_MEMCPY_OPERAND_TYPE_ARRAY, ops[1].dst.op.array.array = array;
    ops[1].dst.op.array.offset = {1, 2, 0};
    ops[1].extent = {2, 2, 1};
    ops[1].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    ops[2] = ops[1];
    ops[2].src = ops[1].dst, ops[2].dst = ops[1].src;
    ops[2].dst.op.ptr.ptr = d + 128;
    auto deep = [&] {
        return got[0] == 1 && got[1] == 2 && got[2] == 0 && got[8] == 5 && got[9] == 6 && got[10] == 0 && got[32] == 1 &&
               got[33] == 2 && got[40] == 5 && got[41] == 6 && got[42] == 0;
    };
    {
        clear();
        DOK(cuMemcpy3DBatchAsync_v2_ptsz, 3, ops, 0, nullptr);
        waits(0);
        RIGHT(deep());
        DIS(CUDA_ERROR_INVALID_VALUE, cuMemcpy3DBatchAsync_v2_ptsz, 3, ops, 1, nullptr);
        DIS(CUDA_ERROR_INVALID_VALUE, cuMemcpy3DBatchAsync_v2_ptsz, 0, ops, 0, nullptr);
        area_end("batch of copies in 3D");
    }
    {
        clear();
        DOK(cuMemcpy3DBatchAsync_ptsz, 3, ops, &failed, 0, nullptr);
        waits(0);
        RIGHT(deep());
        ops[2].srcAccessOrder = CUmemcpySrcAccessOrder(9);
        DIS(CUDA_ERROR_INVALID_VALUE, cuMemcpy3DBatchAsync_ptsz, 3, ops, &failed, 0, nullptr);
        RIGHT(failed == 2);
        // The form for streams takes no legacy stream.
        DIS(CUDA_ERROR_INVALID_VALUE, cuMemcpy3DBatchAsync, 1, ops, &failed, 0, nullptr);
        RIGHT(failed == SIZE_MAX);
        DOK(cuMemcpy3DBatchAsync, 1, ops, &failed, 0, reader);
        DOK(cuStreamSynchronize, reader);
        DOK(cuStreamSynchronize, CU_STREAM_PER_THREAD);
        area_end("older batch of copies in 3D");
    }
    {
        CUdeviceptr managed;
        DOK(cuMemAllocManaged, &managed, 1 << 20, CU_MEM_ATTACH_GLOBAL);
        volatile int *words = (int *)managed;
        words[5] = 6;
        size_t bytes = 1 << 20;
        CUmemLocation there = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
        int last = 9;
        auto place = [&] {
            DOK(cuMemRangeGetAttribute, &last, 4, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, managed, bytes);
            return last;
        };
        RIGHT(place() == CU_DEVICE_INVALID);
        DOK(cuMemPrefetchAsync_ptsz, managed, bytes, 0, nullptr);
        RIGHT(place() == 0);
        DOK(cuMemPrefetchAsync_ptsz, managed, bytes, CU_DEVICE_CPU, nullptr);
        RIGHT(place() == CU_DEVICE_CPU);
        DOK(cuMemPrefetchBatchAsync_ptsz, &managed, &bytes, 1, &there, &first, 1, 0, nullptr);
        RIGHT(place() == 0 && words[5] == 6);
        DOK(cuMemDiscardBatchAsync_ptsz, &managed, &bytes, 1, 0, nullptr);
        there.type = CU_MEM_LOCATION_TYPE_HOST;
        DOK(cuMemDiscardAndPrefetchBatchAsync_ptsz, &managed, &bytes, 1, &there, &first, 1, 0, nullptr);
        RIGHT(place() == CU_DEVICE_CPU);
        DOK(cuStreamSynchronize, CU_STREAM_PER_THREAD);
        // Only of managed memory, and never of more than there is.
        DIS(CUDA_ERROR_INVALID_VALUE, cuMemDiscardBatchAsync_ptsz, &d, sizes, 1, 0, nullptr);
        DIS(CUDA_ERROR_INVALID_VALUE, cuMemPrefetchBatchAsync_ptsz, &managed, &bytes, 1, &there, &first, 0, 0, nullptr);
        bytes <<= 1;
        DIS(CUDA_ERROR_INVALID_VALUE, cuMemDiscardAndPrefetchBatchAsync_ptsz, &managed, &bytes, 1, &there, &first, 1, 0, nullptr);
        DIS(CUDA_ERROR_INVALID_DEVICE, cuMemPrefetchAsync_ptsz, managed, 4096, 77, nullptr);
        DOK(cuMemFree_v2, managed);
        area_end("managed memory");
    }
    {
        CUgraphicsResource none = nullptr;
        DIS(CUDA_ERROR_INVALID_HANDLE, cuGraphicsMapResources_ptsz, 1, &none, nullptr);
        DIS(CUDA_ERROR_INVALID_HANDLE, cuGraphicsUnmapResources_ptsz, 1, &none, nullptr);
        DIS(CUDA_ERROR_INVALID_VALUE, cuGraphicsMapResources_ptsz, 0, &none, nullptr);
        CUexternalSemaphore semaphore = nullptr;
        CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal = {};
        CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait = {};
        DIS(CUDA_ERROR_INVALID_HANDLE, cuSignalExternalSemaphoresAsync_ptsz, &semaphore, &signal, 1, nullptr);
        DIS(CUDA_ERROR_INVALID_HANDLE, cuWaitExternalSemaphoresAsync_ptsz, &semaphore, &wait, 1, nullptr);
        DIS(CUDA_ERROR_INVALID_VALUE, cuWaitExternalSemaphoresAsync_ptsz, &semaphore, &wait, 0, nullptr);
        // No sparse arrays, and no decompression engine: the attributes say so, too.
        for (int attribute : {112, 136}) {
            int value = 1;
            DOK(cuDeviceGetAttribute, &value, CUdevice_attribute(attribute), 0);
            RIGHT(value == 0);
        }
        CUarrayMapInfo map = {};
        DOK(cuMemMapArrayAsync_ptsz, &map, 0, nullptr);
        DIS(CUDA_ERROR_INVALID_VALUE, cuMemMapArrayAsync_ptsz, &map, 1, nullptr);
        CUmemDecompressParams packed = {};
        DIS(CUDA_ERROR_INVALID_VALUE, cuMemBatchDecompressAsync_ptsz, &packed, 0, 0, &failed, nullptr);
        DIS(CUDA_ERROR_NOT_SUPPORTED, cuMemBatchDecompressAsync_ptsz, &packed, 1, 0, &failed, nullptr);
        RIGHT(failed == 0);
        area_end("refusals");
    }
}
