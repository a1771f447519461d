// What the conformance programs share: failing on an error, and comparing with the host.
#pragma once
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                            \
    do {                                                                                       \
        cudaError_t check_error = (call);                                                      \
        if (check_error != cudaSuccess) {                                                      \
            printf("%s:%d: %s: %d %s (%s)\n", "FAILED", __LINE__, #call, int(check_error),     \
                   cudaGetErrorName(check_error), cudaGetErrorString(check_error));            \
            exit(1);                                                                           \
        }                                                                                      \
    } while (0)

// Launch errors and errors of the kernel itself.
#define FINISH()                     \
    do {                             \
        CHECK(cudaGetLastError());   \
        CHECK(cudaDeviceSynchronize()); \
    } while (0)

// A vector on the device.
template <class T> struct Device {
    T *data = nullptr;
    size_t size;
    explicit Device(size_t n) : size(n) { CHECK(cudaMalloc(&data, n * sizeof(T))); }
    explicit Device(const std::vector<T> &host) : Device(host.size()) {
        CHECK(cudaMemcpy(data, host.data(), size * sizeof(T), cudaMemcpyHostToDevice));
    }
    ~Device() { cudaFree(data); }
    Device(const Device &) = delete;
    Device &operator=(const Device &) = delete;
    void zero() { CHECK(cudaMemset(data, 0, size * sizeof(T))); }
    std::vector<T> host() const {
        std::vector<T> out(size);
        CHECK(cudaMemcpy(out.data(), data, size * sizeof(T), cudaMemcpyDeviceToHost));
        return out;
    }
    operator T *() const { return data; }
};

// Prints `NAME ok`, or how many of how many are wrong and the first of them.
template <class T, class F> int compare(const char *name, const std::vector<T> &got, F want, double tolerance = 0) {
    size_t wrong = 0, first = 0;
    for (size_t i = 0; i < got.size(); i++) {
        double expected = double(want(i)), error = std::fabs(double(got[i]) - expected);
        // A NaN is wrong too.
        if (!(error <= tolerance * (1 + std::fabs(expected)))) {
            if (!wrong++) first = i;
        }
    }
    if (wrong)
        printf("%s: %zu of %zu wrong, first [%zu] = %.9g, expected %.9g\n", name, wrong, got.size(), first,
               double(got[first]), double(want(first)));
    else
        printf("%s ok\n", name);
    return wrong != 0;
}

// The same numbers everywhere.
struct Random {
    unsigned long long state;
    explicit Random(unsigned long long seed) : state(seed * 2862933555777941757ULL + 3037000493ULL) {}
    unsigned next() {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        return unsigned(state >> 33) ^ unsigned(state >> 17);
    }
    float unit() { return float(next() >> 8) / 16777216.0f; }
};
