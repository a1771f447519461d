// First forms of stream functions of the Driver API, for streams and for the per-thread default stream: memory
// operations (CUDA 8 and 9), captures (CUDA 10 and 11).
// expect: attributes ok
// expect: memory operations ok
// expect: captures ok
// expect: per thread: memory operations ok
// expect: per thread: captures ok
// Declares all forms by their own names.
#define __CUDA_API_VERSION_INTERNAL
#include "areas.cuh"
#include "check.cuh"
#include "driver.cuh"

struct Forms {
    decltype(&cuStreamWaitValue32) wait32;
    decltype(&cuStreamWaitValue64) wait64;
    decltype(&cuStreamWriteValue32) write32;
    decltype(&cuStreamWriteValue64) write64;
    decltype(&cuStreamBatchMemOp) batch;
    decltype(&cuStreamBeginCapture) begin;
    decltype(&cuStreamGetCaptureInfo) info;
    decltype(&cuStreamGetCaptureInfo_v2) info_v2;
    decltype(&cuStreamUpdateCaptureDependencies) update;
};
#define FORMS(z)                                                                                                     \
    {DRV(cuStreamWaitValue32##z), DRV(cuStreamWaitValue64##z), DRV(cuStreamWriteValue32##z),                         \
     DRV(cuStreamWriteValue64##z), DRV(cuStreamBatchMemOp##z), DRV(cuStreamBeginCapture##z),                         \
     DRV(cuStreamGetCaptureInfo##z), DRV(cuStreamGetCaptureInfo_v2##z), DRV(cuStreamUpdateCaptureDependencies##z)}

// `s` as the program names it, `named` the same stream whatever the form; `other` is a stream of its own.
static void memory_operations(const Forms &f, CUstream s, CUstream named, CUstream other) {
    CUdeviceptr d, pinned_at;
    volatile unsigned *pinned;
    DCHECK(cuMemAlloc_v2, &d, 64);
    DCHECK(cuMemHostAlloc, (void **)&pinned, 64, CU_MEMHOSTALLOC_DEVICEMAP);
    DCHECK(cuMemHostGetDevicePointer_v2, &pinned_at, (void *)pinned, 0);
    auto word = [&](unsigned index) {
        unsigned value;
        OK(DRV(cuMemcpyDtoHAsync_v2)(&value, d + 4 * index, 4, other));
        OK(DRV(cuStreamSynchronize)(other));
        return value;
    };
    auto set = [&](unsigned index, unsigned value) {
        OK(DRV(cuMemsetD32Async)(d + 4 * index, value, 1, other));
        OK(DRV(cuStreamSynchronize)(other));
    };
    auto pends = [&] { return DRV(cuStreamQuery)(named) == CUDA_ERROR_NOT_READY; };
    auto done = [&] { OK(DRV(cuStreamSynchronize)(named)); };
    for (unsigned i = 0; i < 16; i++) set(i, 0);
    // A wait holds up what is behind it, until the word is as it shall be.
    OK(f.wait32(s, d, 5, CU_STREAM_WAIT_VALUE_EQ));
    OK(f.write32(s, d + 4, 77, CU_STREAM_WRITE_VALUE_DEFAULT));
    RIGHT(pends());
    set(0, 6);
    RIGHT(pends() && word(1) == 0);
    set(0, 5);
    done();
    RIGHT(word(1) == 77);
    // Greater or equal is cyclic.
    OK(f.wait32(s, d, 0xfffffff0u, CU_STREAM_WAIT_VALUE_GEQ));
    done();
    OK(f.wait32(s, d, 6, CU_STREAM_WAIT_VALUE_GEQ));
    RIGHT(pends());
    set(0, 0x80000007u);
    RIGHT(pends());
    set(0, 7);
    done();
    OK(f.wait32(s, d, 0x30, CU_STREAM_WAIT_VALUE_AND));
    RIGHT(pends());
    set(0, 0x10);
    done();
    // Not or: a bit that neither has.
    set(0, 0xffff0000u);
    OK(f.wait32(s, d, 0xffff, CU_STREAM_WAIT_VALUE_NOR));
    RIGHT(pends());
    set(0, 0xfffe0000u);
    done();
    // The host writes pinned memory.
    *pinned = 0;
    OK(f.wait32(s, pinned_at, 3, CU_STREAM_WAIT_VALUE_EQ | CU_STREAM_WAIT_VALUE_FLUSH));
    OK(f.write32(s, pinned_at + 4, 4, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER));
    RIGHT(pends());
    *pinned = 3;
    done();
    RIGHT(pinned[1] == 4);
    // 64 bits.
    OK(f.wait64(s, d + 16, 1ull << 40, CU_STREAM_WAIT_VALUE_GEQ));
    OK(f.write64(s, d + 24, 0x123456789abcull, CU_STREAM_WRITE_VALUE_DEFAULT));
    RIGHT(pends());
    set(5, 255);
    RIGHT(pends());
    set(5, 256);
    done();
    RIGHT(word(6) == 0x56789abc && word(7) == 0x1234);
    // Batches.
    CUstreamBatchMemOpParams ops[257] = {};
    ops[0].waitValue = {CU_STREAM_MEM_OP_WAIT_VALUE_32, d + 32, {9}, CU_STREAM_WAIT_VALUE_EQ};
    ops[1].writeValue = {CU_STREAM_MEM_OP_WRITE_VALUE_32, d + 36, {10}, CU_STREAM_WRITE_VALUE_DEFAULT};
    ops[2].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64, ops[2].writeValue.address = d + 40;
    ops[2].writeValue.value64 = 11ull << 32;
    ops[3].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_64, ops[3].waitValue.address = d + 40;
    ops[3].waitValue.value64 = 11ull << 32, ops[3].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
    OK(f.batch(s, 4, ops, 0));
    RIGHT(pends() && word(9) == 0);
    set(8, 9);
    done();
    RIGHT(word(9) == 10 && word(10) == 0 && word(11) == 11);
    // What is refused, before anything of it is done.
    unsigned pageable = 0;
    IS(CUDA_ERROR_INVALID_VALUE, f.wait32(s, d + 2, 0, CU_STREAM_WAIT_VALUE_EQ));
    IS(CUDA_ERROR_INVALID_VALUE, f.wait32(s, (CUdeviceptr)&pageable, 0, CU_STREAM_WAIT_VALUE_EQ));
    IS(CUDA_ERROR_INVALID_VALUE, f.wait32(s, d, 0, 4));
    IS(CUDA_ERROR_INVALID_VALUE, f.wait64(s, d + 4, 0, CU_STREAM_WAIT_VALUE_EQ));
    IS(CUDA_ERROR_INVALID_VALUE, f.write32(s, d, 0, 2));
    IS(CUDA_ERROR_INVALID_VALUE, f.write64(s, d + 4, 0, 0));
    IS(CUDA_ERROR_INVALID_VALUE, f.batch(s, 0, ops, 0));
    IS(CUDA_ERROR_INVALID_VALUE, f.batch(s, 257, ops, 0));
    IS(CUDA_ERROR_INVALID_VALUE, f.batch(s, 1, ops, 1));
    IS(CUDA_ERROR_INVALID_VALUE, f.batch(s, 1, nullptr, 0));
    ops[0].writeValue = {CU_STREAM_MEM_OP_WRITE_VALUE_32, d + 48, {1}, CU_STREAM_WRITE_VALUE_DEFAULT};
    ops[1].operation = CUstreamBatchMemOpType(99);
    IS(CUDA_ERROR_INVALID_VALUE, f.batch(s, 2, ops, 0));
    done();
    RIGHT(word(12) == 0);
    // A capture takes no bad operation either.
    CUgraph graph;
    OK(f.begin(s));
    IS(CUDA_ERROR_INVALID_VALUE, f.write32(s, d + 50, 0, 0));
    OK(f.write32(s, d + 52, 13, 0));
    OK(DRV(cuStreamEndCapture)(named, &graph));
    size_t nodes = 0;
    OK(DRV(cuGraphGetNodes)(graph, nullptr, &nodes));
    RIGHT(nodes == 1 && word(13) == 0);
    OK(DRV(cuGraphDestroy)(graph));
    DCHECK(cuMemFree_v2, d);
    DCHECK(cuMemFreeHost, (void *)pinned);
}

static void captures(const Forms &f, CUstream s, CUstream named) {
    CUdeviceptr d;
    DCHECK(cuMemAlloc_v2, &d, 64);
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
    cuuint64_t id = 99, again = 0;
    CUgraph graph = nullptr, ended = nullptr;
    const CUgraphNode *nodes;
    size_t count = 9;
    OK(f.info(s, &status, &id));
    RIGHT(status == CU_STREAM_CAPTURE_STATUS_NONE && id == 99);
    IS(CUDA_ERROR_INVALID_VALUE, f.info(s, nullptr, &id));
    IS(CUDA_ERROR_ILLEGAL_STATE, f.update(s, nullptr, 0, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    OK(f.begin(s));
    OK(f.info(s, &status, &id));
    RIGHT(status == CU_STREAM_CAPTURE_STATUS_ACTIVE && id != 0);
    OK(f.info_v2(s, &status, &again, &graph, &nodes, &count));
    RIGHT(status == CU_STREAM_CAPTURE_STATUS_ACTIVE && again == id && graph && count == 0);
    OK(DRV(cuMemsetD32Async)(d, 1, 1, named));
    OK(f.info_v2(s, &status, nullptr, nullptr, &nodes, &count));
    RIGHT(count == 1);
    CUgraphNode first = count ? nodes[0] : nullptr;
    OK(f.update(s, nullptr, 0, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    OK(f.info_v2(s, &status, nullptr, nullptr, nullptr, &count));
    RIGHT(count == 0);
    OK(DRV(cuMemsetD32Async)(d + 4, 2, 1, named));
    OK(f.update(s, &first, 1, CU_STREAM_ADD_CAPTURE_DEPENDENCIES));
    OK(f.info_v2(s, &status, nullptr, nullptr, &nodes, &count));
    RIGHT(count == 2 && (nodes[0] == first || nodes[1] == first));
    IS(CUDA_ERROR_INVALID_VALUE, f.update(s, &first, 1, 9));
    OK(DRV(cuMemsetD32Async)(d + 8, 3, 1, named));
    OK(DRV(cuStreamEndCapture)(named, &ended));
    RIGHT(ended == graph);
    size_t edges = 0;
    OK(DRV(cuGraphGetNodes)(ended, nullptr, &count));
    OK(DRV(cuGraphGetEdges)(ended, nullptr, nullptr, &edges));
    RIGHT(count == 3 && edges == 2);
    CUgraphExec exec;
    OK(DRV(cuGraphInstantiateWithFlags)(&exec, ended, 0));
    OK(DRV(cuGraphLaunch)(exec, named));
    OK(DRV(cuStreamSynchronize)(named));
    unsigned got[3] = {};
    OK(DRV(cuMemcpyDtoH_v2)(got, d, 12));
    RIGHT(got[0] == 1 && got[1] == 2 && got[2] == 3);
    OK(DRV(cuGraphExecDestroy)(exec));
    OK(DRV(cuGraphDestroy)(ended));
    // A second beginning spoils the first.
    OK(f.begin(s));
    IS(CUDA_ERROR_ILLEGAL_STATE, f.begin(s));
    OK(f.info(s, &status, nullptr));
    RIGHT(status == CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    ended = graph;
    IS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, DRV(cuStreamEndCapture)(named, &ended));
    RIGHT(!ended);
    DCHECK(cuMemFree_v2, d);
}

int main() {
    DCHECK(cuInit, 0);
    CUcontext context;
    DCHECK(cuDevicePrimaryCtxRetain, &context, 0);
    DCHECK(cuCtxSetCurrent, context);
    for (int attribute : {92, 93, 94, 122, 123}) {
        int value = 0;
        OK(DRV(cuDeviceGetAttribute)(&value, CUdevice_attribute(attribute), 0));
        RIGHT(value == 1);
    }
    area_end("attributes");
    CUstream s, other;
    DCHECK(cuStreamCreate, &s, CU_STREAM_NON_BLOCKING);
    DCHECK(cuStreamCreate, &other, CU_STREAM_NON_BLOCKING);
    Forms plain = FORMS(), per_thread = FORMS(_ptsz);
    memory_operations(plain, s, s, other);
    area_end("memory operations");
    captures(plain, s, s);
    IS(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, plain.begin(nullptr));
    area_end("captures");
    // Stream 0 is the thread's own here.
    memory_operations(per_thread, nullptr, CU_STREAM_PER_THREAD, other);
    area_end("per thread: memory operations");
    captures(per_thread, nullptr, CU_STREAM_PER_THREAD);
    // The legacy stream would wait for it.
    CUstreamCaptureStatus status;
    CUgraph graph;
    OK(per_thread.begin(nullptr));
    IS(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, plain.info(nullptr, &status, nullptr));
    OK(per_thread.info(nullptr, &status, nullptr));
    OK(DRV(cuStreamEndCapture)(CU_STREAM_PER_THREAD, &graph));
    OK(DRV(cuGraphDestroy)(graph));
    area_end("per thread: captures");
}
