// Rows of the Driver API that have a form for the legacy and for the per-thread default stream: each is called and what
// it did is looked at. Included twice, as cuda.h's macros choose the form.
#pragma once
#include "check.cuh"
#include "driver.cuh"
#include <cstring>
#include <unistd.h>

static int wrong_rows = 0;
#define RIGHT(what)                                                       \
    do {                                                                  \
        if (!(what)) printf("%d: not " #what "\n", __LINE__), wrong_rows++; \
    } while (0)

static const char *const rows_ptx = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .global .align 4 .u32 counter = 5;
.visible .entry put(.param .u64 p, .param .u32 v) {
    .reg .u64 %rd; .reg .u32 %r;
    ld.param.u64 %rd, [p];
    cvta.to.global.u64 %rd, %rd;
    ld.param.u32 %r, [v];
    st.global.u32 [%rd], %r;
    ret;
}
)";

static void CUDA_CB count_host(void *p) { ++*(int *)p; }
static void CUDA_CB count_callback(CUstream, CUresult r, void *p) { *(int *)p += r == CUDA_SUCCESS; }

static CUcontext rows_context() {
    DCHECK(cuInit, 0);
    CUcontext context;
    DCHECK(cuDevicePrimaryCtxRetain, &context, 0);
    DCHECK(cuCtxSetCurrent, context);
    return context;
}

static void linear_rows(CUstream s) {
    CUdeviceptr a, b;
    DCHECK(cuMemAlloc, &a, 4096);
    DCHECK(cuMemAlloc, &b, 4096);
    unsigned char in[256], out[256];
    for (int i = 0; i < 256; i++) in[i] = (unsigned char)(i * 7 + 1);
    auto back = [&](const char *what) {
        memset(out, 0, 256);
        DCHECK(cuMemcpyDtoH, out, b, 256);
        if (memcmp(in, out, 256)) printf("%s: wrong bytes\n", what), wrong_rows++;
        DCHECK(cuMemsetD8, b, 0, 4096);
        // It need not be over yet, and `s` does not wait for the stream of this thread.
        DCHECK(cuCtxSynchronize);
    };
    DCHECK(cuMemcpyHtoD, a, in, 256);
    DCHECK(cuMemcpyDtoD, b, a, 256);
    DCHECK(cuCtxSynchronize);
    back("DtoD");
    DCHECK(cuMemcpy, b, a, 256);
    DCHECK(cuCtxSynchronize);
    back("cuMemcpy");
    DCHECK(cuMemcpyAsync, b, a, 256, s);
    DCHECK(cuStreamSynchronize, s);
    back("cuMemcpyAsync");
    DCHECK(cuMemcpyHtoDAsync, a, in, 256, s);
    DCHECK(cuMemcpyDtoDAsync, b, a, 256, s);
    memset(out, 0, 256);
    DCHECK(cuMemcpyDtoHAsync, out, b, 256, s);
    DCHECK(cuStreamSynchronize, s);
    RIGHT(!memcmp(in, out, 256));
    CUcontext context;
    DCHECK(cuCtxGetCurrent, &context);
    DCHECK(cuMemsetD8, b, 0, 4096);
    DCHECK(cuMemcpyPeer, b, context, a, context, 256);
    DCHECK(cuCtxSynchronize);
    back("cuMemcpyPeer");
    DCHECK(cuMemcpyPeerAsync, b, context, a, context, 256, s);
    DCHECK(cuStreamSynchronize, s);
    back("cuMemcpyPeerAsync");
    // Rectangles: 16 lines of 16 bytes.
    CUDA_MEMCPY2D flat = {};
    flat.srcMemoryType = CU_MEMORYTYPE_DEVICE, flat.srcDevice = a, flat.srcPitch = 16;
    flat.dstMemoryType = CU_MEMORYTYPE_DEVICE, flat.dstDevice = b, flat.dstPitch = 16;
    flat.WidthInBytes = 16, flat.Height = 16;
    DCHECK(cuMemcpy2D, &flat);
    DCHECK(cuCtxSynchronize);
    back("cuMemcpy2D");
    DCHECK(cuMemcpy2DUnaligned, &flat);
    DCHECK(cuCtxSynchronize);
    back("cuMemcpy2DUnaligned");
    DCHECK(cuMemcpy2DAsync, &flat, s);
    DCHECK(cuStreamSynchronize, s);
    back("cuMemcpy2DAsync");
    CUDA_MEMCPY3D deep = {};
    deep.srcMemoryType = CU_MEMORYTYPE_DEVICE, deep.srcDevice = a, deep.srcPitch = 8, deep.srcHeight = 8;
    deep.dstMemoryType = CU_MEMORYTYPE_DEVICE, deep.dstDevice = b, deep.dstPitch = 8, deep.dstHeight = 8;
    deep.WidthInBytes = 8, deep.Height = 8, deep.Depth = 4;
    DCHECK(cuMemcpy3D, &deep);
    DCHECK(cuCtxSynchronize);
    back("cuMemcpy3D");
    DCHECK(cuMemcpy3DAsync, &deep, s);
    DCHECK(cuStreamSynchronize, s);
    back("cuMemcpy3DAsync");
    CUDA_MEMCPY3D_PEER peer = {};
    peer.srcMemoryType = CU_MEMORYTYPE_DEVICE, peer.srcDevice = a, peer.srcPitch = 8, peer.srcHeight = 8;
    peer.dstMemoryType = CU_MEMORYTYPE_DEVICE, peer.dstDevice = b, peer.dstPitch = 8, peer.dstHeight = 8;
    peer.srcContext = peer.dstContext = context;
    peer.WidthInBytes = 8, peer.Height = 8, peer.Depth = 4;
    DCHECK(cuMemcpy3DPeer, &peer);
    DCHECK(cuCtxSynchronize);
    back("cuMemcpy3DPeer");
    DCHECK(cuMemcpy3DPeerAsync, &peer, s);
    DCHECK(cuStreamSynchronize, s);
    back("cuMemcpy3DPeerAsync");
    // Fills.
    auto filled = [&](const char *what, unsigned size, unsigned value, unsigned elements) {
        unsigned char got[256];
        DCHECK(cuCtxSynchronize);
        DCHECK(cuMemcpyDtoH, got, b, 256);
        for (unsigned i = 0; i < 256; i++) {
            unsigned want = i < size * elements ? value >> i % size * 8 & 255 : 0;
            if (got[i] != want) { printf("%s: byte %u is %u\n", what, i, got[i]), wrong_rows++; break; }
        }
        DCHECK(cuMemsetD8, b, 0, 4096);
        DCHECK(cuCtxSynchronize);
    };
    DCHECK(cuMemsetD8, b, 0, 4096);
    DCHECK(cuCtxSynchronize);
    DCHECK(cuMemsetD8, b, 0x12, 9); filled("D8", 1, 0x12, 9);
    DCHECK(cuMemsetD16, b, 0x1234, 9); filled("D16", 2, 0x1234, 9);
    DCHECK(cuMemsetD32, b, 0x12345678, 9); filled("D32", 4, 0x12345678, 9);
    DCHECK(cuMemsetD8Async, b, 0x12, 9, s); filled("D8Async", 1, 0x12, 9);
    DCHECK(cuMemsetD16Async, b, 0x1234, 9, s); filled("D16Async", 2, 0x1234, 9);
    DCHECK(cuMemsetD32Async, b, 0x12345678, 9, s); filled("D32Async", 4, 0x12345678, 9);
    DCHECK(cuMemsetD2D8, b, 8, 0x12, 8, 3); filled("D2D8", 1, 0x12, 24);
    DCHECK(cuMemsetD2D16, b, 8, 0x1234, 4, 3); filled("D2D16", 2, 0x1234, 12);
    DCHECK(cuMemsetD2D32, b, 8, 0x12345678, 2, 3); filled("D2D32", 4, 0x12345678, 6);
    DCHECK(cuMemsetD2D8Async, b, 8, 0x12, 8, 3, s); filled("D2D8Async", 1, 0x12, 24);
    DCHECK(cuMemsetD2D16Async, b, 8, 0x1234, 4, 3, s); filled("D2D16Async", 2, 0x1234, 12);
    DCHECK(cuMemsetD2D32Async, b, 8, 0x12345678, 2, 3, s); filled("D2D32Async", 4, 0x12345678, 6);
    // Arrays.
    CUarray one, two;
    CUDA_ARRAY_DESCRIPTOR shape = {256, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1}, read = {};
    DCHECK(cuArrayCreate, &one, &shape);
    DCHECK(cuArrayCreate, &two, &shape);
    DCHECK(cuArrayGetDescriptor, &read, one);
    RIGHT(read.Width == 256 && read.NumChannels == 1);
    DCHECK(cuMemcpyHtoA, one, 0, in, 256);
    DCHECK(cuMemcpyAtoA, two, 0, one, 0, 256);
    DCHECK(cuCtxSynchronize);
    DCHECK(cuMemcpyAtoD, b, two, 0, 256);
    DCHECK(cuCtxSynchronize);
    back("HtoA, AtoA, AtoD");
    DCHECK(cuMemcpyDtoA, two, 0, b, 256);
    DCHECK(cuCtxSynchronize);
    memset(out, 1, 256);
    DCHECK(cuMemcpyAtoH, out, two, 0, 256);
    RIGHT(out[0] == 0 && out[255] == 0);
    DCHECK(cuMemcpyHtoAAsync, two, 0, in, 256, s);
    DCHECK(cuMemcpyAtoHAsync, out, two, 0, 256, s);
    DCHECK(cuStreamSynchronize, s);
    RIGHT(!memcmp(in, out, 256));
    DCHECK(cuArrayDestroy, one);
    DCHECK(cuArrayDestroy, two);
    DCHECK(cuMemFree, a);
    DCHECK(cuMemFree, b);
}

static void stream_rows(CUstream s) {
    CUdeviceptr word;
    DCHECK(cuMemAlloc, &word, 64);
    DCHECK(cuMemsetD32, word, 0, 16);
    DCHECK(cuCtxSynchronize);
    // Words.
    DCHECK(cuStreamWriteValue32, s, word, 7, CU_STREAM_WRITE_VALUE_DEFAULT);
    DCHECK(cuStreamWaitValue32, s, word, 7, CU_STREAM_WAIT_VALUE_EQ);
    DCHECK(cuStreamWriteValue64, s, word + 8, 1ull << 40, CU_STREAM_WRITE_VALUE_DEFAULT);
    DCHECK(cuStreamWaitValue64, s, word + 8, 1ull << 40, CU_STREAM_WAIT_VALUE_GEQ);
    CUstreamBatchMemOpParams operations[2] = {};
    operations[0].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    operations[0].writeValue.address = word + 16, operations[0].writeValue.value = 9;
    operations[1].operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    operations[1].waitValue.address = word + 16, operations[1].waitValue.value = 9;
    operations[1].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
    DCHECK(cuStreamBatchMemOp, s, 2, operations, 0);
    DCHECK(cuStreamSynchronize, s);
    unsigned got[8];
    DCHECK(cuMemcpyDtoH, got, word, 32);
    RIGHT(got[0] == 7 && got[2] == 0 && got[3] == 256 && got[4] == 9);
    // What a stream tells.
    DCHECK(cuStreamQuery, s);
    unsigned flags = 99;
    int priority = 99;
    unsigned long long id = 0;
    CUcontext context = nullptr, current;
    CUdevice device = 9;
    DCHECK(cuCtxGetCurrent, &current);
    DCHECK(cuStreamGetFlags, s, &flags);
    DCHECK(cuStreamGetPriority, s, &priority);
    DCHECK(cuStreamGetId, s, &id);
    CUgreenCtx green = nullptr;
    DCHECK(cuStreamGetCtx, s, &context);
    RIGHT(context == current);
    context = nullptr;
    DCHECK(cuStreamGetCtx_v2, s, &context, &green);
    RIGHT(!green);
    DCHECK(cuStreamGetDevice, s, &device);
    RIGHT(flags == CU_STREAM_NON_BLOCKING && priority == 0 && context == current && device == 0);
    CUstreamAttrValue value = {};
    value.syncPolicy = CU_SYNC_POLICY_YIELD;
    DCHECK(cuStreamSetAttribute, s, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value);
    CUstream other;
    DCHECK(cuStreamCreate, &other, CU_STREAM_NON_BLOCKING);
    DCHECK(cuStreamCopyAttributes, other, s);
    value.syncPolicy = CU_SYNC_POLICY_AUTO;
    DCHECK(cuStreamGetAttribute, other, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value);
    RIGHT(value.syncPolicy == CU_SYNC_POLICY_YIELD);
    // Host functions, events, kernels.
    int count = 0;
    DCHECK(cuLaunchHostFunc, s, count_host, &count);
    DCHECK(cuStreamAddCallback, s, count_callback, &count, 0);
    CUevent event;
    DCHECK(cuEventCreate, &event, CU_EVENT_DEFAULT);
    DCHECK(cuEventRecordWithFlags, event, s, CU_EVENT_RECORD_DEFAULT);
    DCHECK(cuEventRecord, event, s);
    DCHECK(cuStreamWaitEvent, other, event, 0);
    CUmodule module;
    CUfunction put;
    DCHECK(cuModuleLoadData, &module, rows_ptx);
    DCHECK(cuModuleGetFunction, &put, module, "put");
    unsigned v = 11;
    CUdeviceptr at = word;
    void *parameters[] = {&at, &v};
    DCHECK(cuLaunchKernel, put, 1, 1, 1, 1, 1, 1, 0, other, parameters, nullptr);
    at = word + 4, v = 12;
    DCHECK(cuLaunchCooperativeKernel, put, 1, 1, 1, 1, 1, 1, 0, other, parameters);
    at = word + 8, v = 13;
    CUlaunchConfig config = {};
    config.gridDimX = config.gridDimY = config.gridDimZ = config.blockDimX = config.blockDimY = config.blockDimZ = 1;
    config.hStream = other;
    DCHECK(cuLaunchKernelEx, &config, put, parameters, nullptr);
    DCHECK(cuStreamSynchronize, other);
    DCHECK(cuMemcpyDtoH, got, word, 32);
    RIGHT(got[0] == 11 && got[1] == 12 && got[2] == 13 && count == 2);
    // Captures.
    CUstreamCaptureStatus status;
    DCHECK(cuStreamIsCapturing, s, &status);
    RIGHT(status == CU_STREAM_CAPTURE_STATUS_NONE);
    CUgraph graph, given;
    DCHECK(cuStreamBeginCapture, s, CU_STREAM_CAPTURE_MODE_RELAXED);
    DCHECK(cuStreamIsCapturing, s, &status);
    RIGHT(status == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    at = word + 12, v = 14;
    DCHECK(cuLaunchKernel, put, 1, 1, 1, 1, 1, 1, 0, s, parameters, nullptr);
    size_t dependencies = 0;
    const CUgraphNode *nodes;
    const CUgraphEdgeData *edges;
    DCHECK(cuStreamGetCaptureInfo, s, &status, (cuuint64_t *)&id, &given, &nodes, &edges, &dependencies);
    RIGHT(dependencies == 1);
    DCHECK(cuStreamUpdateCaptureDependencies, s, nullptr, nullptr, 0, CU_STREAM_SET_CAPTURE_DEPENDENCIES);
    DCHECK(cuStreamGetCaptureInfo, s, &status, (cuuint64_t *)&id, &given, &nodes, &edges, &dependencies);
    RIGHT(dependencies == 0);
    DCHECK(cuStreamEndCapture, s, &graph);
    size_t many = 0;
    DCHECK(cuGraphGetNodes, graph, nullptr, &many);
    RIGHT(many == 1);
    CUgraphExec exec;
    CUDA_GRAPH_INSTANTIATE_PARAMS how = {};
    DCHECK(cuGraphInstantiateWithParams, &exec, graph, &how);
    RIGHT(how.result_out == CUDA_GRAPH_INSTANTIATE_SUCCESS);
    DCHECK(cuGraphUpload, exec, s);
    DCHECK(cuGraphLaunch, exec, s);
    DCHECK(cuStreamSynchronize, s);
    DCHECK(cuMemcpyDtoH, got, word, 32);
    RIGHT(got[3] == 14);
    DCHECK(cuGraphExecDestroy, exec);
    DCHECK(cuGraphDestroy, graph);
    DCHECK(cuGraphCreate, &given, 0);
    DCHECK(cuStreamBeginCaptureToGraph, s, given, nullptr, nullptr, 0, CU_STREAM_CAPTURE_MODE_RELAXED);
    DCHECK(cuLaunchKernel, put, 1, 1, 1, 1, 1, 1, 0, s, parameters, nullptr);
    DCHECK(cuStreamEndCapture, s, &graph);
    RIGHT(graph == given);
    DCHECK(cuGraphDestroy, given);
    // Pools and managed memory.
    CUmemoryPool pool;
    DCHECK(cuDeviceGetDefaultMemPool, &pool, 0);
    CUdeviceptr pooled, from;
    DCHECK(cuMemAllocAsync, &pooled, 64, s);
    DCHECK(cuMemAllocFromPoolAsync, &from, 64, pool, s);
    RIGHT(pooled && from && pooled != from);
    DCHECK(cuMemFreeAsync, pooled, s);
    DCHECK(cuMemFreeAsync, from, s);
    CUdeviceptr managed;
    DCHECK(cuMemAllocManaged, &managed, 4096, CU_MEM_ATTACH_GLOBAL);
    CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    DCHECK(cuMemPrefetchAsync, managed, 4096, here, 0, s);
    DCHECK(cuStreamAttachMemAsync, s, managed, 0, CU_MEM_ATTACH_GLOBAL);
    DCHECK(cuStreamSynchronize, s);
    DCHECK(cuMemFree, managed);
    DCHECK(cuEventDestroy, event);
    DCHECK(cuModuleUnload, module);
    DCHECK(cuStreamDestroy, other);
    DCHECK(cuMemFree, word);
}

int main() {
    rows_context();
    CUstream s;
    DCHECK(cuStreamCreate, &s, CU_STREAM_NON_BLOCKING);
    linear_rows(s);
    stream_rows(s);
    DCHECK(cuStreamDestroy, s);
    printf("%d wrong\n", wrong_rows);
}
