// Mixed API calls from 8 threads, chosen by a generator with fixed seeds and checked against a model. The arguments are
// calls per thread and a seed; `cargo xtask api-model` runs a million.
// args: 1200 1
// timeout: 120
// expect~: calls:
// expect: wrong: 0
// expect: free memory as before: yes
#include <atomic>
#include <cstring>
#include <thread>
#include "check.cuh"

__global__ void add(unsigned *p, unsigned n, unsigned v) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] += v;
}
__global__ void mix(unsigned *to, const unsigned *from, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = to[i] * 3 + from[i];
}

static std::atomic<long> calls{0}, wrong{0};

struct Rng {
    unsigned long long s;
    unsigned operator()(unsigned below) {
        s ^= s << 13, s ^= s >> 7, s ^= s << 17;
        return (unsigned)(s >> 33) % below;
    }
};

static void complain(const char *what, long got, long want) {
    if (wrong++ < 20) fprintf(stderr, "%s: %ld where the model says %ld\n", what, got, want);
}
#define CALL(call, want)                                                       \
    do {                                                                       \
        calls++;                                                               \
        cudaError_t got = (call);                                                \
        if (got != (want)) complain(#call, got, want);                             \
        if (got != cudaSuccess) {                                                \
            cudaError_t last = cudaGetLastError();                             \
            if (last != got) complain("last error after " #call, last, got);       \
        }                                                                      \
    } while (0)
#define OK(call) CALL(call, cudaSuccess)

// Memory, and what it must hold once all that was put into its stream is done.
struct Buffer {
    unsigned *p;
    bool managed, pooled;
    int stream;
    std::vector<unsigned> model;
};

struct Worker {
    Rng rng;
    std::vector<Buffer> buffers;
    std::vector<cudaStream_t> streams;
    unsigned *pinned;
    std::atomic<long> told{0};
    long expect_told = 0;
    static const unsigned MOST = 4096;

    static void tell(void *w) { ((Worker *)w)->told++; }

    // Work on a buffer goes to `s` from now on; an event keeps the order.
    void move(Buffer &b, int s) {
        if (b.stream == s) return;
        cudaEvent_t e;
        OK(cudaEventCreateWithFlags(&e, rng(2) ? cudaEventDisableTiming : cudaEventDefault));
        OK(cudaEventRecord(e, streams[b.stream]));
        OK(cudaStreamWaitEvent(streams[s], e, 0));
        OK(cudaEventDestroy(e));
        b.stream = s;
    }
    void check(Buffer &b) {
        unsigned n = b.model.size();
        OK(cudaMemcpyAsync(pinned, b.p, n * 4, cudaMemcpyDeviceToHost, streams[b.stream]));
        OK(cudaStreamSynchronize(streams[b.stream]));
        if (memcmp(pinned, b.model.data(), n * 4)) complain("contents", pinned[0], b.model[0]);
    }
    void make() {
        Buffer b;
        unsigned n = 1 + rng(MOST);
        b.stream = rng(streams.size());
        b.managed = b.pooled = false;
        unsigned kind = rng(8);
        if (kind == 0) {
            OK(cudaMallocManaged(&b.p, n * 4));
            b.managed = true;
        } else if (kind < 4) {
            OK(cudaMallocAsync(&b.p, n * 4, streams[b.stream]));
            b.pooled = true;
        } else {
            OK(cudaMalloc(&b.p, n * 4));
        }
        unsigned char v = rng(256);
        OK(cudaMemsetAsync(b.p, v, n * 4, streams[b.stream]));
        b.model.assign(n, v * 0x01010101u);
        buffers.push_back(std::move(b));
    }
    void unmake(unsigned i) {
        Buffer &b = buffers[i];
        if (b.pooled && rng(2)) OK(cudaFreeAsync(b.p, streams[b.stream]));
        else {
            OK(cudaStreamSynchronize(streams[b.stream]));
            OK(cudaFree(b.p));
        }
        buffers.erase(buffers.begin() + i);
    }
    void step() {
        unsigned what = rng(100);
        if (buffers.size() < 2 || (what < 8 && buffers.size() < 24)) return make();
        unsigned i = rng(buffers.size());
        Buffer &b = buffers[i];
        unsigned n = b.model.size();
        cudaStream_t s = streams[b.stream];
        if (what < 14) {
            if (buffers.size() > 2) unmake(i);
        } else if (what < 34) {
            unsigned v = rng(1000), threads = 32 << rng(4);
            add<<<(n + threads - 1) / threads, threads, 0, s>>>(b.p, n, v);
            OK(cudaGetLastError());
            for (auto &x : b.model) x += v;
        } else if (what < 44) {
            unsigned j = rng(buffers.size());
            if (i == j) return;
            Buffer &from = buffers[j];
            move(from, b.stream);
            unsigned m = std::min<unsigned>(n, from.model.size());
            mix<<<(m + 127) / 128, 128, 0, s>>>(b.p, from.p, m);
            OK(cudaGetLastError());
            for (unsigned k = 0; k < m; k++) b.model[k] = b.model[k] * 3 + from.model[k];
        } else if (what < 52) {
            unsigned j = rng(buffers.size());
            if (i == j) return;
            Buffer &from = buffers[j];
            move(from, b.stream);
            unsigned m = std::min<unsigned>(n, from.model.size()), at = rng(m);
            OK(cudaMemcpyAsync(b.p + at, from.p + at, (m - at) * 4, rng(2) ? cudaMemcpyDefault : cudaMemcpyDeviceToDevice, s));
            std::copy(from.model.begin() + at, from.model.begin() + m, b.model.begin() + at);
        } else if (what < 58) {
            unsigned at = rng(n), m = 1 + rng(n - at);
            std::vector<unsigned> data(m);
            for (auto &x : data) x = rng(1 << 30);
            OK(cudaMemcpyAsync(b.p + at, data.data(), m * 4, cudaMemcpyHostToDevice, s));
            // Pageable memory has been read when the call returns.
            std::copy(data.begin(), data.end(), b.model.begin() + at);
        } else if (what < 64) {
            unsigned at = rng(n), v = rng(256);
            OK(cudaMemsetAsync(b.p + at, v, (n - at) * 4, s));
            std::fill(b.model.begin() + at, b.model.end(), v * 0x01010101u);
        } else if (what < 70) {
            check(b);
        } else if (what < 75) {
            move(b, rng(streams.size()));
        } else if (what < 79) {
            expect_told++;
            OK(cudaLaunchHostFunc(s, tell, this));
        } else if (what < 83) {
            cudaPointerAttributes a;
            OK(cudaPointerGetAttributes(&a, b.p + rng(n)));
            int want = b.managed ? cudaMemoryTypeManaged : cudaMemoryTypeDevice;
            if (a.type != want) complain("pointer type", a.type, want);
        } else if (what < 87) {
            // A stream ends with work in it, another begins.
            unsigned k = rng(streams.size());
            cudaStream_t old = streams[k];
            for (auto &x : buffers)
                if (x.stream == (int)k) check(x);
            OK(cudaStreamDestroy(old));
            if (rng(2)) OK(cudaStreamCreateWithPriority(&streams[k], cudaStreamNonBlocking, -(int)rng(3)));
            else OK(cudaStreamCreateWithFlags(&streams[k], cudaStreamNonBlocking));
        } else if (what < 90) {
            cudaEvent_t a, e;
            float ms = -1;
            OK(cudaEventCreate(&a));
            OK(cudaEventCreate(&e));
            OK(cudaEventRecord(a, s));
            OK(cudaEventRecord(e, s));
            OK(cudaEventSynchronize(e));
            OK(cudaEventQuery(a));
            OK(cudaEventElapsedTime(&ms, a, e));
            if (ms < 0) complain("elapsed", -1, 0);
            OK(cudaEventDestroy(a));
            OK(cudaEventDestroy(e));
        } else if (what < 94) {
            // Two kernels in a graph, launched twice.
            unsigned v = rng(100);
            cudaGraph_t g;
            cudaGraphExec_t x;
            OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
            add<<<(n + 63) / 64, 64, 0, s>>>(b.p, n, v);
            add<<<(n + 255) / 256, 256, 0, s>>>(b.p, n, 1);
            OK(cudaStreamEndCapture(s, &g));
            OK(cudaGraphInstantiate(&x, g, 0));
            OK(cudaGraphLaunch(x, s));
            OK(cudaGraphLaunch(x, s));
            OK(cudaGraphExecDestroy(x));
            OK(cudaGraphDestroy(g));
            for (auto &y : b.model) y += 2 * (v + 1);
        } else switch (rng(7)) {
            case 0: CALL(cudaMemcpyAsync(b.p, b.p, 4, (cudaMemcpyKind)9, s), cudaErrorInvalidMemcpyDirection); break;
            case 1: CALL(cudaSetDevice(99), cudaErrorInvalidDevice); break;
            case 2: {
                add<<<1, 2000, 0, s>>>(b.p, n, 1);
                CALL(cudaPeekAtLastError(), cudaErrorInvalidConfiguration);
                break;
            }
            case 3: {
                void *q = nullptr;
                CALL(cudaMalloc(&q, size_t(1) << 46), cudaErrorMemoryAllocation);
                break;
            }
            case 4: CALL(cudaEventRecord(nullptr, s), cudaErrorInvalidResourceHandle); break;
            case 5: {
                int x;
                CALL(cudaDeviceGetAttribute(&x, (cudaDeviceAttr)100000, 0), cudaErrorInvalidValue);
                break;
            }
            case 6: {
                cudaError_t e = cudaStreamQuery(s);
                calls++;
                cudaGetLastError();
                if (e != cudaSuccess && e != cudaErrorNotReady) complain("stream query", e, 0);
                break;
            }
        }
    }
    void run(unsigned count) {
        OK(cudaSetDevice(0));
        OK(cudaMallocHost(&pinned, MOST * 4));
        streams.resize(1 + rng(6));
        for (auto &s : streams) OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
        long end = count;
        for (long i = 0; i < end; i++) step();
        for (auto &b : buffers) check(b);
        while (!buffers.empty()) unmake(buffers.size() - 1);
        for (auto s : streams) {
            OK(cudaStreamSynchronize(s));
            OK(cudaStreamDestroy(s));
        }
        if (told != expect_told) complain("host functions", told, expect_told);
        OK(cudaFreeHost(pinned));
    }
};

int main(int argc, char **argv) {
    unsigned count = argc > 1 ? atoi(argv[1]) : 1000, seed = argc > 2 ? atoi(argv[2]) : 1;
    cudaMemPool_t pool;
    size_t before, after, total;
    auto settle = [&](size_t *free) {
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemPoolTrimTo(pool, 0));
        CHECK(cudaMemGetInfo(free, &total));
    };
    CHECK(cudaFree(0));
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    // One round first: code, the printf FIFO and the heap stay.
    auto round = [&](unsigned steps, unsigned seed) {
        std::vector<Worker> workers(8);
        std::vector<std::thread> threads;
        for (unsigned t = 0; t < 8; t++) {
            workers[t].rng.s = 0x9e3779b97f4a7c15ull * (seed * 8 + t + 1);
            threads.emplace_back([&, t] { workers[t].run(steps); });
        }
        for (auto &t : threads) t.join();
    };
    round(200, seed + 1000);
    settle(&before);
    round(count, seed);
    settle(&after);
    printf("calls: %ld\n", calls.load());
    printf("wrong: %ld\n", wrong.load());
    // What is kept for the next time is bounded: 64 MiB.
    printf("free memory as before: %s\n", before <= after + (64 << 20) ? "yes" : "no");
    return wrong != 0;
}
