// Feeds each function the same inputs natively and on the device, holds the results against each other, and prints
// samples of both by turns.
#include "../settle.hpp"
#include "further.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime_api.h>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

static double budget = 1.0;
static std::vector<std::string> only;
static std::mt19937 generator(1);

static void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    exit(1);
}

enum Side { NATIVE, OURS };

// An array on both sides, and what it starts as.
template <class T> struct Both {
    std::vector<T> start;
    T *at[2];

    explicit Both(size_t n) : start(n) {
        size_t bytes = (n * sizeof(T) + 4095) / 4096 * 4096;
        at[NATIVE] = static_cast<T *>(aligned_alloc(4096, bytes));
        check(cudaMalloc(reinterpret_cast<void **>(&at[OURS]), n * sizeof(T)));
    }
    Both(const Both &) = delete;
    ~Both() {
        free(at[NATIVE]);
        check(cudaFree(at[OURS]));
    }
    void reset(Side side) {
        if (side == NATIVE)
            memcpy(at[side], start.data(), start.size() * sizeof(T));
        else
            check(cudaMemcpy(at[side], start.data(), start.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    T *operator[](Side side) { return at[side]; }
    std::vector<T> result(Side side) {
        std::vector<T> out(start.size());
        check(cudaMemcpy(out.data(), at[side], out.size() * sizeof(T), cudaMemcpyDefault));
        return out;
    }
};

static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static bool want(const char *name) {
    return only.empty() || std::find(only.begin(), only.end(), name) != only.end();
}

static float unit() { return std::uniform_real_distribution<float>(0, 1)(generator); }

// The greatest relative distance; numbers below `small` are held against it.
template <class T> static double distance(Both<T> &array, double small = 1e-3) {
    auto a = array.result(NATIVE), b = array.result(OURS);
    double worst = 0, most = 0;
    for (size_t i = 0; i < a.size(); i++) {
        if (!(double(b[i]) == double(b[i]))) return 1e30;
        worst = std::max(worst, std::fabs(double(a[i]) - double(b[i])) / std::max(std::fabs(double(a[i])), small));
        most = std::max(most, std::fabs(double(a[i])));
    }
    // Results that are all zero say nothing.
    return most > 0 ? worst : 1e30;
}

template <class T> static double different(Both<T> &array) {
    return array.result(NATIVE) == array.result(OURS) ? 0 : 1;
}

// `reset` prepares a side's arrays, `work` is timed, `error` must stay below one in a thousand.
static void run(const char *name, std::function<void(Side)> reset, std::function<void(Side)> work, std::function<double()> error) {
    const char *peers[2] = {"native", "ours"};
    for (Side side : {NATIVE, OURS}) {
        reset(side);
        work(side);
    }
    double e = error();
    if (!(e < 1e-3)) {
        fprintf(stderr, "%s: the results differ by %g\n", name, e);
        printf("differs %s\n", name);
        return;
    }
    double settled = settle([&] { reset(OURS), work(OURS); });
    if (settled > 0) printf("sample %s settling %.9g\n", name, settled);
    double total[2] = {};
    for (int round = 0; round < 3; round++)
        for (Side side : {NATIVE, OURS}) {
            // The other side's threads go to sleep.
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            for (int count = 0; count < 3 || (total[side] < budget * (round + 1) / 3 && count < 100); count++) {
                reset(side);
                double from = now();
                work(side);
                double seconds = now() - from;
                printf("sample %s %s %.9g\n", name, peers[side], seconds);
                total[side] += seconds;
                if (total[side] > budget * 4) break;
            }
        }
    fflush(stdout);
}

#define CALL(function, ...)                                                                                            \
    [&](Side s) {                                                                                                      \
        if (s == NATIVE)                                                                                               \
            native::function(__VA_ARGS__);                                                                             \
        else                                                                                                           \
            ours::function(__VA_ARGS__);                                                                               \
    }

template <class... T> static std::function<void(Side)> reset(T &...arrays) {
    return [&arrays...](Side side) { (arrays.reset(side), ...); };
}

static const auto nothing = [](Side) {};

static void grids() {
    if (want("lbm")) {
        int nx = 96, ny = 48, nz = 48, cells = nx * ny * nz;
        Both<float> in(size_t(LBM_SPEEDS) * cells), out(size_t(LBM_SPEEDS) * cells);
        for (int i = 0; i < LBM_SPEEDS; i++)
            for (int k = 0; k < cells; k++)
                in.start[size_t(i) * cells + k] = (i == 0 ? 1.f / 3 : i < 7 ? 1.f / 18 : 1.f / 36) * (1 + .2f * unit());
        reset(in, out)(NATIVE), reset(in, out)(OURS);
        run("lbm", nothing, CALL(lbm, in[s], out[s], nx, ny, nz, 1.2f), [&] { return distance(out); });
    }
    if (want("srad")) {
        int w = 1024, h = 1024;
        Both<float> image(w * h), c(w * h), d(4 * w * h);
        for (auto &v : image.start) v = .5f + unit();
        reset(c, d)(NATIVE), reset(c, d)(OURS);
        run("srad", reset(image), CALL(srad, image[s], c[s], d[s], w, h, .05f, .5f),
            [&] { return std::max(distance(image), distance(c, 1e-1)); });
    }
    if (want("hotspot")) {
        int w = 1024, h = 1024;
        Both<float> t(w * h), p(w * h), other(w * h);
        for (auto &v : t.start) v = 60 + 30 * unit();
        for (auto &v : p.start) v = unit();
        reset(p, other)(NATIVE), reset(p, other)(OURS);
        run("hotspot", reset(t), CALL(hotspot, t[s], p[s], other[s], w, h, 8), [&] { return distance(t); });
    }
    if (want("convolution")) {
        int w = 2048, h = 1024;
        Both<float> in(w * h), out(w * h), between(w * h), filter(FILTER_TAPS);
        for (auto &v : in.start) v = unit();
        for (auto &v : filter.start) v = unit() / FILTER_TAPS;
        reset(in, out, between, filter)(NATIVE), reset(in, out, between, filter)(OURS);
        run("convolution", nothing, CALL(convolution, in[s], out[s], between[s], filter[s], w, h), [&] { return distance(out); });
    }
    if (want("fdtd3d")) {
        int nx = 128, ny = 128, nz = 96, R = FDTD_RADIUS;
        size_t n = size_t(nx + 2 * R) * (ny + 2 * R) * (nz + 2 * R);
        Both<float> in(n), out(n), coefficient(R + 1);
        for (auto &v : in.start) v = unit();
        for (auto &v : coefficient.start) v = .1f + .05f * unit();
        reset(in, out, coefficient)(NATIVE), reset(in, out, coefficient)(OURS);
        run("fdtd3d", nothing, CALL(fdtd3d, in[s], out[s], coefficient[s], nx, ny, nz), [&] { return distance(out); });
    }
    if (want("fft")) {
        int batch = 512;
        Both<float> in(size_t(batch) * FFT_POINTS * 2), out(size_t(batch) * FFT_POINTS * 2), roots(FFT_POINTS * 2);
        for (auto &v : in.start) v = unit() - .5f;
        for (int i = 0; i < FFT_POINTS; i++) {
            roots.start[2 * i] = std::cos(2 * M_PI * i / FFT_POINTS);
            roots.start[2 * i + 1] = -std::sin(2 * M_PI * i / FFT_POINTS);
        }
        reset(in, out, roots)(NATIVE), reset(in, out, roots)(OURS);
        run("fft", nothing, CALL(fft, in[s], out[s], roots[s], batch), [&] {
            // Against the definition too, at some frequencies.
            auto r = out.result(OURS);
            double worst = distance(out, 1);
            for (int f = 0; f < FFT_POINTS; f += 101) {
                double re = 0, im = 0;
                for (int i = 0; i < FFT_POINTS; i++) {
                    double a = -2 * M_PI * ((long(f) * i) % FFT_POINTS) / FFT_POINTS, x = in.start[2 * i], y = in.start[2 * i + 1];
                    re += x * std::cos(a) - y * std::sin(a);
                    im += x * std::sin(a) + y * std::cos(a);
                }
                worst = std::max({worst, std::fabs(re - r[2 * f]) / 10, std::fabs(im - r[2 * f + 1]) / 10});
            }
            return worst;
        });
    }
}

static void learning() {
    if (want("kmeans")) {
        int n = 1 << 17;
        Both<float> points(size_t(n) * KMEANS_FEATURES), centres(KMEANS_CLUSTERS * KMEANS_FEATURES),
            sums(KMEANS_CLUSTERS * KMEANS_FEATURES);
        Both<int> member(n), counts(KMEANS_CLUSTERS);
        for (auto &v : points.start) v = unit();
        for (auto &v : centres.start) v = unit();
        reset(points, centres, member)(NATIVE), reset(points, centres, member)(OURS);
        run("kmeans", reset(sums, counts), CALL(kmeans, points[s], centres[s], member[s], sums[s], counts[s], n), [&] {
            // A point between two centres may go either way.
            auto a = member.result(NATIVE), b = member.result(OURS);
            int apart = 0;
            for (int i = 0; i < n; i++) apart += a[i] != b[i];
            return apart * 10 > n / 1000 ? 1.0 : std::min(distance(sums, 1000.) / 10, 1.0);
        });
    }
    if (want("softmax")) {
        int rows = 2048, width = 1024;
        Both<float> in(rows * width), out(rows * width);
        for (auto &v : in.start) v = 8 * unit();
        reset(in, out)(NATIVE), reset(in, out)(OURS);
        run("softmax", nothing, CALL(softmax, in[s], out[s], rows, width), [&] { return distance(out, 1e-4); });
    }
    if (want("layer_norm")) {
        int rows = 4096, width = 768;
        Both<float> in(rows * width), out(rows * width), scale(width), shift(width);
        for (auto &v : in.start) v = unit();
        for (auto &v : scale.start) v = unit();
        for (auto &v : shift.start) v = unit();
        reset(in, out, scale, shift)(NATIVE), reset(in, out, scale, shift)(OURS);
        run("layer_norm", nothing, CALL(layer_norm, in[s], scale[s], shift[s], out[s], rows, width), [&] { return distance(out, .1); });
    }
    if (want("attention")) {
        int heads = 4, n = 512;
        Both<float> q(heads * n * HEAD), k(heads * n * HEAD), v(heads * n * HEAD), out(heads * n * HEAD);
        for (auto *array : {&q, &k, &v})
            for (auto &x : array->start) x = 2 * unit() - 1;
        reset(q, k, v, out)(NATIVE), reset(q, k, v, out)(OURS);
        run("attention", nothing, CALL(attention, q[s], k[s], v[s], out[s], heads, n), [&] { return distance(out, .1); });
    }
    if (want("igemm")) {
        int n = 512;
        Both<int8_t> a(n * n), b(n * n);
        Both<int32_t> c(n * n);
        for (auto *array : {&a, &b})
            for (auto &x : array->start) x = int8_t(generator());
        reset(a, b, c)(NATIVE), reset(a, b, c)(OURS);
        run("igemm", nothing, CALL(igemm, a[s], b[s], c[s], n), [&] { return different(c); });
    }
    if (want("monte_carlo")) {
        int counters = 1 << 15;
        Both<double> sum(1);
        run("monte_carlo", reset(sum), CALL(monte_carlo, sum[s], counters, 12345u), [&] { return distance(sum); });
    }
}

static void integers() {
    if (want("radix_pass")) {
        int n = 1 << 21, tiles = (n + SORT_TILE - 1) / SORT_TILE;
        Both<uint32_t> in(n), out(n), counts(size_t(tiles) * DIGITS);
        for (auto &v : in.start) v = generator();
        reset(in, out, counts)(NATIVE), reset(in, out, counts)(OURS);
        run("radix_pass", nothing, CALL(radix_pass, in[s], out[s], counts[s], n, 8), [&] { return different(out); });
    }
    if (want("reduce_by_key")) {
        int n = 1 << 22;
        Both<int> key(n), value(n), keys(n), sums(n), heads(n / 256 + 1);
        for (int i = 0, k = 0; i < n; i++) key.start[i] = k += generator() % 12 == 0, value.start[i] = int(generator() % 100);
        reset(key, value, keys, heads)(NATIVE), reset(key, value, keys, heads)(OURS);
        run("reduce_by_key", reset(sums), CALL(reduce_by_key, key[s], value[s], keys[s], sums[s], heads[s], n),
            [&] { return different(keys) + different(sums); });
    }
    if (want("string_match")) {
        int n = 1 << 23, length = 14;
        Both<uint8_t> text(n), pattern(length);
        Both<uint32_t> where(n / 32);
        Both<int> count(1);
        for (auto &c : text.start) c = "acgt"[generator() % 4];
        for (auto &c : pattern.start) c = "acgt"[generator() % 4];
        for (int k = 0; k < 500; k++) memcpy(&text.start[generator() % (n - length)], pattern.start.data(), length);
        reset(text, pattern, where)(NATIVE), reset(text, pattern, where)(OURS);
        run("string_match", reset(count), CALL(string_match, text[s], pattern[s], where[s], count[s], n, length),
            [&] { return different(where) + different(count) + (count.result(NATIVE)[0] < 400); });
    }
    if (want("sha256")) {
        int n = 1 << 16;
        Both<uint32_t> words(size_t(n) * 16), digests(size_t(n) * 8);
        for (auto &v : words.start) v = generator();
        // The first message is "abc", whose digest is known (FIPS 180-4).
        for (int k = 0; k < 16; k++) words.start[size_t(k) * n] = k == 0 ? 0x61626380 : k == 15 ? 24 : 0;
        reset(words, digests)(NATIVE), reset(words, digests)(OURS);
        run("sha256", nothing, CALL(sha256, words[s], digests[s], n),
            [&] { return different(digests) + (digests.result(NATIVE)[0] != 0xba7816bf); });
    }
    if (want("queens")) {
        const int n = 13, set = 4;
        std::vector<uint32_t> prefixes;
        std::function<void(uint32_t, uint32_t, uint32_t, int)> extend = [&](uint32_t c, uint32_t l, uint32_t r, int rows) {
            if (rows == set) {
                prefixes.insert(prefixes.end(), {c, l, r});
                return;
            }
            for (uint32_t open = ((1u << n) - 1) & ~(c | l | r); open; open &= open - 1) {
                uint32_t bit = open & -open;
                extend(c | bit, (l | bit) << 1, (r | bit) >> 1, rows + 1);
            }
        };
        extend(0, 0, 0, 0);
        int count = int(prefixes.size() / 3);
        Both<uint32_t> prefix(prefixes.size()), solutions(count);
        prefix.start = prefixes;
        reset(prefix, solutions)(NATIVE), reset(prefix, solutions)(OURS);
        run("queens", nothing, CALL(queens, prefix[s], solutions[s], count, n, set), [&] {
            long sum = 0;
            for (uint32_t v : solutions.result(OURS)) sum += v;
            return different(solutions) + (sum != 73712);
        });
    }
}

// Neighbours on both sides of each edge; mostly near ones if `near`.
static void graph(int n, int edges, std::vector<int> &row, std::vector<int> &edge, int near) {
    std::vector<std::pair<int, int>> pairs;
    for (int k = 0; k < edges; k++) {
        int a = int(generator() % n), b = near ? std::min(n - 1, a + 1 + int(generator() % near)) : int(generator() % n);
        if (a != b) pairs.push_back({a, b}), pairs.push_back({b, a});
    }
    std::sort(pairs.begin(), pairs.end());
    row.assign(n + 1, 0);
    edge.clear();
    for (auto [a, b] : pairs) row[a + 1]++, edge.push_back(b);
    for (int i = 0; i < n; i++) row[i + 1] += row[i];
}

static void graphs() {
    if (want("bfs")) {
        int n = 1 << 18;
        std::vector<int> rows, edges;
        graph(n, n * 4, rows, edges, 0);
        Both<int> row(n + 1), edge(edges.size()), level(n), queue(2 * n), count(2);
        row.start = rows, edge.start = edges;
        std::fill(level.start.begin(), level.start.end(), -1);
        reset(row, edge, queue, count)(NATIVE), reset(row, edge, queue, count)(OURS);
        run("bfs", reset(level), CALL(bfs, row[s], edge[s], level[s], queue[s], count[s], n), [&] { return different(level); });
    }
    if (want("components")) {
        int n = 1 << 19;
        std::vector<int> rows, edges;
        graph(n, n * 2, rows, edges, 1000);
        // Gaps, so that there are several components.
        for (int i = 0; i < n; i++)
            for (int k = rows[i]; k < rows[i + 1]; k++)
                if (i >> 15 != edges[k] >> 15) edges[k] = i;
        Both<int> row(n + 1), edge(edges.size()), parent(n);
        row.start = rows, edge.start = edges;
        reset(row, edge, parent)(NATIVE), reset(row, edge, parent)(OURS);
        run("components", nothing, CALL(components, row[s], edge[s], parent[s], n), [&] { return different(parent); });
    }
    if (want("triangular")) {
        int n = 1 << 18, each = 8;
        std::vector<int> rows(n + 1), level(n), columns;
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < each && i > 0; k++) {
                int far = int(generator() % 40000) + 4000;
                if (i - far >= 0) columns.push_back(i - far), level[i] = std::max(level[i], level[i - far] + 1);
            }
            rows[i + 1] = int(columns.size());
        }
        int levels = *std::max_element(level.begin(), level.end()) + 1;
        std::vector<int> order(n), start(levels + 1);
        for (int i = 0; i < n; i++) start[level[i] + 1]++;
        for (int l = 0; l < levels; l++) start[l + 1] += start[l];
        std::vector<int> at(start.begin(), start.end() - 1);
        for (int i = 0; i < n; i++) order[at[level[i]]++] = i;
        Both<int> row(n + 1), column(columns.size()), orders(n);
        Both<float> value(columns.size()), b(n), x(n);
        row.start = rows, column.start = columns, orders.start = order;
        for (auto &v : value.start) v = .2f * unit() - .1f;
        for (auto &v : b.start) v = 1 + unit();
        reset(row, column, orders, value, b, x)(NATIVE), reset(row, column, orders, value, b, x)(OURS);
        run("triangular", nothing, CALL(triangular, row[s], column[s], value[s], orders[s], start.data(), levels, b[s], x[s]),
            [&] { return distance(x, .1); });
    }
}

int main(int argc, char **argv) {
    if (const char *text = getenv("BUDGET")) budget = atof(text);
    only.assign(argv + 1, argv + argc);
    grids();
    learning();
    integers();
    graphs();
}
