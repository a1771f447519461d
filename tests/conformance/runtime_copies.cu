// Copies and fills by the Runtime API, each in the form for the legacy default stream and, since the file includes
// itself again, in the form for the per-thread one: what was copied, and which stream it waited for.
// expect: linear ok
// expect: pitched ok
// expect: arrays ok
// expect: three dimensions ok
// expect: peers ok
// expect: symbols ok
// expect: batches ok
// expect: managed memory ok
// expect: per thread: linear ok
// expect: per thread: pitched ok
// expect: per thread: arrays ok
// expect: per thread: three dimensions ok
// expect: per thread: peers ok
// expect: per thread: symbols ok
// expect: per thread: batches ok
// expect: per thread: managed memory ok
#ifndef FORM
#include "areas.cuh"
#include "check.cuh"

// Asynchronous calls have the suffix _ptsz, synchronous ones _ptds.
#define ASYNC(f) extern "C" decltype(f) f##_ptsz
#define SYNC(f) extern "C" decltype(f) f##_ptds
SYNC(cudaMemcpy);
SYNC(cudaMemcpy2D);
SYNC(cudaMemcpy2DArrayToArray);
SYNC(cudaMemcpy2DFromArray);
SYNC(cudaMemcpy2DToArray);
SYNC(cudaMemcpy3D);
SYNC(cudaMemcpy3DPeer);
SYNC(cudaMemcpyArrayToArray);
SYNC(cudaMemcpyFromArray);
SYNC(cudaMemcpyToArray);
SYNC(cudaMemset);
SYNC(cudaMemset2D);
SYNC(cudaMemset3D);
ASYNC(cudaMemcpyAsync);
ASYNC(cudaMemcpy2DAsync);
ASYNC(cudaMemcpy2DFromArrayAsync);
ASYNC(cudaMemcpy2DToArrayAsync);
ASYNC(cudaMemcpy3DAsync);
ASYNC(cudaMemcpy3DPeerAsync);
ASYNC(cudaMemcpyFromArrayAsync);
ASYNC(cudaMemcpyToArrayAsync);
ASYNC(cudaMemset2DAsync);
ASYNC(cudaMemset3DAsync);
ASYNC(cudaMemsetAsync);
ASYNC(cudaMemcpy3DBatchAsync);
ASYNC(cudaMemDiscardBatchAsync);
// These have templates of the same name.
using to_symbol = cudaError_t(const void *, const void *, size_t, size_t, cudaMemcpyKind);
using from_symbol = cudaError_t(void *, const void *, size_t, size_t, cudaMemcpyKind);
using to_symbol_async = cudaError_t(const void *, const void *, size_t, size_t, cudaMemcpyKind, cudaStream_t);
using from_symbol_async = cudaError_t(void *, const void *, size_t, size_t, cudaMemcpyKind, cudaStream_t);
using batch_async = cudaError_t(const void *const *, const void *const *, const size_t *, size_t, cudaMemcpyAttributes *,
                                size_t *, size_t, cudaStream_t);
using prefetch_async = cudaError_t(const void *, size_t, cudaMemLocation, unsigned, cudaStream_t);
using prefetch_batch = cudaError_t(void **, size_t *, size_t, cudaMemLocation *, size_t *, size_t, unsigned long long,
                                   cudaStream_t);
using attach = cudaError_t(cudaStream_t, void *, size_t, unsigned);
extern "C" to_symbol cudaMemcpyToSymbol_ptds;
extern "C" from_symbol cudaMemcpyFromSymbol_ptds;
extern "C" to_symbol_async cudaMemcpyToSymbolAsync_ptsz;
extern "C" from_symbol_async cudaMemcpyFromSymbolAsync_ptsz;
extern "C" batch_async cudaMemcpyBatchAsync_ptsz;
extern "C" prefetch_async cudaMemPrefetchAsync_ptsz;
extern "C" prefetch_batch cudaMemPrefetchBatchAsync_ptsz;
extern "C" prefetch_batch cudaMemDiscardAndPrefetchBatchAsync_ptsz;
extern "C" attach cudaStreamAttachMemAsync_ptsz;

__device__ int symbol[16];
__global__ void hold(volatile int *flag) {
    while (!*flag) {}
}

static int *d, *flag, *in;
static std::vector<int> got(64);
static cudaStream_t other;
// What the device holds, read by a stream that waits for nobody.
static int *now() {
    CHECK((cudaMemcpyAsync)(got.data(), d, 256, cudaMemcpyDeviceToHost, other));
    CHECK((cudaStreamSynchronize)(other));
    return got.data();
}

#define FORM(f, z) f
#define NAME(text) text
#define DEFAULT cudaStreamLegacy
namespace legacy {
#include "runtime_copies.cu"
}
#undef FORM
#undef NAME
#undef DEFAULT
#define FORM(f, z) f##z
#define NAME(text) "per thread: " text
#define DEFAULT cudaStreamPerThread
namespace per_thread {
#include "runtime_copies.cu"
}

int main() {
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    CHECK(cudaMalloc(&d, 256));
    CHECK(cudaMallocHost(&flag, 4));
    // Pinned: copies of pageable memory may wait for their turn.
    CHECK(cudaMallocHost(&in, 256));
    for (int i = 0; i < 64; i++) in[i] = i + 1;
    legacy::all();
    per_thread::all();
}

#else
#define A(f) FORM(f, _ptsz)
#define S(f) FORM(f, _ptds)

static void clear() {
    CHECK((cudaMemsetAsync)(d, 0, 256, other));
    CHECK((cudaStreamSynchronize)(other));
}
// Runs calls whose stream 0 is held up: nothing of them may have happened before it goes on.
template <class F> static void held(F calls) {
    clear();
    *(volatile int *)flag = 0;
    hold<<<1, 1, 0, DEFAULT>>>(flag);
    calls();
    int *before = now();
    for (int i = 0; i < 64; i++) {
        if (before[i]) {
            area_ok = false;
            printf("word %d was there too soon\n", i);
            break;
        }
    }
    *(volatile int *)flag = 1;
    OK((cudaStreamSynchronize)(DEFAULT));
    now();
}

static void linear() {
    clear();
    OK(S(cudaMemcpy)(d, in, 32, cudaMemcpyHostToDevice));
    OK(S(cudaMemset)(d + 10, 1, 4));
    int back[2];
    OK(S(cudaMemcpy)(back, d + 6, 8, cudaMemcpyDeviceToHost));
    OK((cudaStreamSynchronize)(DEFAULT));
    now();
    RIGHT(got[7] == 8 && got[8] == 0 && got[10] == 0x01010101 && got[11] == 0 && back[0] == 7 && back[1] == 8);
    held([&] {
        OK(A(cudaMemcpyAsync)(d, in, 16, cudaMemcpyHostToDevice, 0));
        OK(A(cudaMemcpyAsync)(d + 20, d, 12, cudaMemcpyDefault, 0));
        OK(A(cudaMemsetAsync)(d + 30, 2, 8, 0));
    });
    RIGHT(got[3] == 4 && got[4] == 0 && got[20] == 1 && got[22] == 3 && got[23] == 0 && got[31] == 0x02020202 && got[32] == 0);
    IS(cudaErrorInvalidMemcpyDirection, A(cudaMemcpyAsync)(d, in, 16, cudaMemcpyKind(9), 0));
    IS(cudaErrorInvalidValue, S(cudaMemset)(nullptr, 0, 4));
    area_end(NAME("linear"));
}

static void pitched() {
    clear();
    OK(S(cudaMemcpy2D)(d, 32, in, 16, 8, 3, cudaMemcpyHostToDevice));
    OK(S(cudaMemset2D)(d + 4, 32, 3, 5, 2));
    OK((cudaStreamSynchronize)(DEFAULT));
    now();
    RIGHT(got[0] == 1 && got[1] == 2 && got[2] == 0 && got[8] == 5 && got[17] == 10 && got[24] == 0);
    RIGHT(got[4] == 0x03030303 && got[5] == 3 && got[13] == 3 && got[20] == 0);
    held([&] {
        OK(A(cudaMemcpy2DAsync)(d, 32, in, 16, 8, 3, cudaMemcpyHostToDevice, 0));
        OK(A(cudaMemset2DAsync)(d + 4, 32, 3, 5, 2, 0));
    });
    RIGHT(got[1] == 2 && got[2] == 0 && got[9] == 6 && got[16] == 9 && got[5] == 3 && got[12] == 0x03030303);
    IS(cudaErrorInvalidPitchValue, S(cudaMemcpy2D)(d, 4, in, 16, 8, 3, cudaMemcpyHostToDevice));
    area_end(NAME("pitched"));
}

static void arrays() {
    cudaArray_t one, two;
    cudaChannelFormatDesc word = cudaCreateChannelDesc<int>();
    CHECK(cudaMallocArray(&one, &word, 8, 4));
    CHECK(cudaMallocArray(&two, &word, 8, 4));
    OK(S(cudaMemcpy2DToArray)(one, 0, 0, in, 32, 32, 4, cudaMemcpyHostToDevice));
    OK(S(cudaMemcpy2DArrayToArray)(two, 8, 1, one, 4, 0, 12, 2, cudaMemcpyDeviceToDevice));
    OK(S(cudaMemcpyArrayToArray)(two, 0, 0, one, 0, 3, 8, cudaMemcpyDeviceToDevice));
    clear();
    OK(S(cudaMemcpy2DFromArray)(d, 16, two, 8, 1, 12, 2, cudaMemcpyDeviceToDevice));
    OK(S(cudaMemcpyFromArray)(d + 20, two, 0, 0, 8, cudaMemcpyDeviceToDevice));
    OK(S(cudaMemcpyToArray)(two, 4, 0, in + 40, 8, cudaMemcpyHostToDevice));
    OK(S(cudaMemcpyFromArray)(d + 30, two, 0, 0, 12, cudaMemcpyDeviceToDevice));
    OK((cudaStreamSynchronize)(DEFAULT));
    now();
    RIGHT(got[0] == 2 && got[2] == 4 && got[3] == 0 && got[4] == 10 && got[6] == 12);
    RIGHT(got[20] == 25 && got[21] == 26 && got[30] == 25 && got[31] == 41 && got[32] == 42);
    held([&] {
        OK(A(cudaMemcpy2DToArrayAsync)(two, 0, 0, in, 8, 8, 2, cudaMemcpyHostToDevice, 0));
        OK(A(cudaMemcpyToArrayAsync)(two, 8, 1, in + 50, 8, cudaMemcpyHostToDevice, 0));
        OK(A(cudaMemcpy2DFromArrayAsync)(d, 16, two, 0, 0, 16, 2, cudaMemcpyDeviceToDevice, 0));
        OK(A(cudaMemcpyFromArrayAsync)(d + 20, two, 0, 1, 16, cudaMemcpyDeviceToDevice, 0));
    });
    RIGHT(got[0] == 1 && got[1] == 2 && got[2] == 42 && got[4] == 3 && got[5] == 4 && got[6] == 51 && got[7] == 52);
    RIGHT(got[20] == 3 && got[23] == 52);
    IS(cudaErrorInvalidValue, S(cudaMemcpy2DToArray)(one, 8, 0, in, 32, 32, 4, cudaMemcpyHostToDevice));
    CHECK(cudaFreeArray(one));
    CHECK(cudaFreeArray(two));
    area_end(NAME("arrays"));
}

static void deep() {
    cudaArray_t array;
    cudaChannelFormatDesc word = cudaCreateChannelDesc<int>();
    CHECK(cudaMalloc3DArray(&array, &word, make_cudaExtent(4, 3, 2), 0));
    cudaMemcpy3DParms p = {}, q = {};
    p.srcPtr = make_cudaPitchedPtr(in, 16, 4, 3), p.dstArray = array;
    p.extent = make_cudaExtent(4, 3, 2), p.kind = cudaMemcpyHostToDevice;
    OK(S(cudaMemcpy3D)(&p));
    q.srcArray = array, q.srcPos = make_cudaPos(1, 1, 1);
    q.dstPtr = make_cudaPitchedPtr(d, 16, 4, 2);
    q.extent = make_cudaExtent(2, 2, 1), q.kind = cudaMemcpyDeviceToDevice;
    cudaPitchedPtr box = make_cudaPitchedPtr(d + 32, 16, 4, 2);
    clear();
    OK(S(cudaMemcpy3D)(&q));
    OK(S(cudaMemset3D)(box, 5, make_cudaExtent(4, 2, 2)));
    OK((cudaStreamSynchronize)(DEFAULT));
    now();
    RIGHT(got[0] == 18 && got[1] == 19 && got[2] == 0 && got[4] == 22 && got[5] == 23);
    RIGHT(got[32] == 0x05050505 && got[33] == 0 && got[36] == 0x05050505 && got[40] == 0x05050505 && got[44] == 0x05050505);
    held([&] {
        p.srcPtr.ptr = in + 8;
        OK(A(cudaMemcpy3DAsync)(&p, 0));
        OK(A(cudaMemcpy3DAsync)(&q, 0));
        OK(A(cudaMemset3DAsync)(box, 6, make_cudaExtent(4, 2, 1), 0));
    });
    RIGHT(got[0] == 26 && got[5] == 31 && got[32] == 0x06060606 && got[36] == 0x06060606 && got[40] == 0);
    CHECK(cudaFreeArray(array));
    area_end(NAME("three dimensions"));
}

static void peers() {
    int *from;
    CHECK(cudaMalloc(&from, 256));
    CHECK((cudaMemcpy)(from, in, 256, cudaMemcpyHostToDevice));
    cudaMemcpy3DPeerParms p = {};
    p.srcPtr = make_cudaPitchedPtr(from, 16, 4, 2), p.dstPtr = make_cudaPitchedPtr(d, 32, 8, 2);
    p.extent = make_cudaExtent(8, 2, 2);
    clear();
    OK(S(cudaMemcpy3DPeer)(&p));
    OK((cudaStreamSynchronize)(DEFAULT));
    now();
    auto copied = [&] { return got[0] == 1 && got[1] == 2 && got[2] == 0 && got[8] == 5 && got[16] == 9 && got[25] == 14; };
    RIGHT(copied());
    held([&] { OK(A(cudaMemcpy3DPeerAsync)(&p, 0)); });
    RIGHT(copied());
    p.dstDevice = 77;
    IS(cudaErrorInvalidDevice, S(cudaMemcpy3DPeer)(&p));
    CHECK(cudaFree(from));
    area_end(NAME("peers"));
}

static void symbols() {
    clear();
    void *at;
    CHECK(cudaGetSymbolAddress(&at, symbol));
    OK(S(cudaMemcpyToSymbol)(symbol, in, 16, 8, cudaMemcpyHostToDevice));
    OK(S(cudaMemcpyFromSymbol)(d, symbol, 12, 12, cudaMemcpyDeviceToDevice));
    OK((cudaStreamSynchronize)(DEFAULT));
    now();
    RIGHT(got[0] == 2 && got[2] == 4 && got[3] == 0);
    held([&] {
        OK(A(cudaMemcpyToSymbolAsync)(symbol, in + 30, 8, 0, cudaMemcpyHostToDevice, 0));
        OK(A(cudaMemcpyFromSymbolAsync)(d + 5, symbol, 16, 0, cudaMemcpyDeviceToDevice, 0));
    });
    RIGHT(got[5] == 31 && got[6] == 32 && got[7] == 1 && got[9] == 0);
    IS(cudaErrorInvalidValue, S(cudaMemcpyToSymbol)(symbol, in, 16, 60, cudaMemcpyHostToDevice));
    IS(cudaErrorInvalidSymbol, S(cudaMemcpyToSymbol)(in, in, 16, 0, cudaMemcpyHostToDevice));
    area_end(NAME("symbols"));
}

static void batches() {
    void *to[2] = {d + 3, d + 20};
    const void *from[2] = {in, in + 10};
    size_t bytes[2] = {8, 12}, first = 0;
    cudaMemcpyAttributes how = {};
    how.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    cudaMemcpy3DBatchOp op = {};
    op.src.type = op.dst.type = cudaMemcpyOperandTypePointer;
    op.src.op.ptr.ptr = in + 30, op.src.op.ptr.rowLength = 16;
    op.dst.op.ptr.ptr = d + 40, op.dst.op.ptr.rowLength = 32;
    op.extent = make_cudaExtent(8, 2, 1);
    op.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    // The legacy stream takes no batches.
    cudaStream_t s = DEFAULT == cudaStreamLegacy ? other : nullptr;
    clear();
    OK(A(cudaMemcpyBatchAsync)(to, from, bytes, 2, &how, &first, 1, s));
    OK(A(cudaMemcpy3DBatchAsync)(1, &op, 0, s));
    OK((cudaStreamSynchronize)(s ? s : DEFAULT));
    now();
    RIGHT(got[3] == 1 && got[4] == 2 && got[5] == 0 && got[20] == 11 && got[22] == 13 && got[23] == 0);
    RIGHT(got[40] == 31 && got[41] == 32 && got[42] == 0 && got[48] == 35 && got[49] == 36);
    IS(cudaErrorInvalidValue, A(cudaMemcpyBatchAsync)(to, from, bytes, 2, &how, &first, 1, cudaStreamLegacy));
    IS(cudaErrorInvalidValue, A(cudaMemcpy3DBatchAsync)(0, &op, 0, s));
    area_end(NAME("batches"));
}

static void managed() {
    int *m, place = 9;
    size_t bytes = 1 << 20, first = 0;
    CHECK(cudaMallocManaged(&m, bytes));
    m[7] = 8;
    void *at = m;
    auto where = [&] {
        OK(cudaMemRangeGetAttribute(&place, 4, cudaMemRangeAttributeLastPrefetchLocation, m, bytes));
        return place;
    };
    cudaMemLocation gpu = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
    OK(A(cudaMemPrefetchAsync)(m, bytes, gpu, 0, 0));
    RIGHT(where() == 0);
    OK(A(cudaMemPrefetchBatchAsync)(&at, &bytes, 1, &host, &first, 1, 0, 0));
    RIGHT(where() == cudaCpuDeviceId && m[7] == 8);
    OK(A(cudaMemDiscardBatchAsync)(&at, &bytes, 1, 0, 0));
    OK(A(cudaMemDiscardAndPrefetchBatchAsync)(&at, &bytes, 1, &gpu, &first, 1, 0, 0));
    RIGHT(where() == 0);
    OK(A(cudaStreamAttachMemAsync)(0, m, 0, cudaMemAttachGlobal));
    IS(cudaErrorInvalidValue, A(cudaStreamAttachMemAsync)(0, m, 0, 77));
    OK((cudaStreamSynchronize)(DEFAULT));
    // Advice, one question at a time and all at once.
    OK(cudaMemAdvise(m, bytes, cudaMemAdviseSetReadMostly, gpu));
    OK(cudaMemAdvise(m, bytes, cudaMemAdviseSetPreferredLocation, host));
    OK(cudaMemAdvise(m, bytes, cudaMemAdviseSetAccessedBy, gpu));
    int mostly = 0, preferred = 9, by[2] = {9, 9};
    void *answers[3] = {&mostly, &preferred, by};
    size_t sizes[3] = {4, 4, 8};
    cudaMemRangeAttribute questions[3] = {cudaMemRangeAttributeReadMostly, cudaMemRangeAttributePreferredLocation,
                                          cudaMemRangeAttributeAccessedBy};
    OK(cudaMemRangeGetAttributes(answers, sizes, questions, 3, m, bytes));
    RIGHT(mostly == 1 && preferred == cudaCpuDeviceId && by[0] == 0 && by[1] == cudaInvalidDeviceId);
    IS(cudaErrorInvalidValue, cudaMemRangeGetAttribute(&mostly, 3, cudaMemRangeAttributeReadMostly, m, bytes));
    IS(cudaErrorInvalidValue, cudaMemRangeGetAttribute(&mostly, 4, cudaMemRangeAttributeReadMostly, d, 16));
    CHECK(cudaFree(m));
    area_end(NAME("managed memory"));
}

static void all() { linear(), pitched(), arrays(), deep(), peers(), symbols(), batches(), managed(); }
#undef A
#undef S
#endif
