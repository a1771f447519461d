// Times each kernel for BUDGET seconds, checks its result against plain host code, and prints its samples.
#include "../settle.hpp"
#include "harness.hpp"

static std::vector<std::string> only;
static double budget = 1.0;

static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class T> struct Array {
    T *p;
    explicit Array(size_t n) : p(static_cast<T *>(k_alloc(n * sizeof(T)))) {}
    ~Array() { k_free(p); }
    operator T *() const { return p; }
};

static bool want(const char *name) {
    return only.empty() || std::find(only.begin(), only.end(), name) != only.end();
}

// `check` returns the error, which must stay below one in a thousand.
static void run(const char *name, std::function<void()> prepare, std::function<void()> kernel,
                std::function<double()> check) {
    if (!want(name)) return;
    prepare();
    kernel();
    double error = check();
    if (!(error < 1e-3)) {
        fprintf(stderr, "%s: %s is wrong, error %g\n", impl_name, name, error);
        exit(1);
    }
    double settled = settle([&] { prepare(), kernel(); });
    if (settled > 0) printf("sample %s settling %.9g\n", name, settled);
    double total = 0;
    for (int count = 0; count < 5 || (total < budget && count < 200); count++) {
        prepare();
        double start = now();
        kernel();
        double seconds = now() - start;
        printf("sample %s %s %.9g\n", name, impl_name, seconds);
        total += seconds;
        if (total > budget * 4) break;
    }
    fflush(stdout);
}

int main(int argc, char **argv) {
    if (const char *text = getenv("BUDGET")) budget = atof(text);
    only.assign(argv + 1, argv + argc);
    std::mt19937 random(1);
    std::uniform_real_distribution<float> unit(0, 1);
    auto nothing = [] {};

    if (want("vecadd") || want("reduce")) {
        int n = 1 << 24;
        Array<float> a(n), b(n), c(n), out(1024);
        double sum = 0;
        for (int i = 0; i < n; i++) a[i] = unit(random), b[i] = unit(random), sum += a[i];
        run("vecadd", nothing, [&] { k_vecadd(a, b, c, n); }, [&] {
            double e = 0;
            for (int i = 0; i < n; i++) e = std::max(e, double(std::fabs(c[i] - (a[i] + b[i]))));
            return e;
        });
        run("reduce", [&] { out[0] = 0; }, [&] { k_reduce(a, out, n); },
            [&] { return std::fabs(out[0] - sum) / sum; });
    }
    if (want("sgemm_naive") || want("sgemm_tiled")) {
        int n = 768;
        Array<float> a(n * n), b(n * n), c(n * n);
        for (int i = 0; i < n * n; i++) a[i] = unit(random) - .5f, b[i] = unit(random) - .5f;
        auto clear = [&] { memset(c, 0, sizeof(float) * n * n); };
        auto check = [&] {
            double e = 0;
            for (int s = 0; s < 200; s++) {
                int y = random() % n, x = random() % n;
                double r = 0;
                for (int k = 0; k < n; k++) r += double(a[y * n + k]) * b[k * n + x];
                e = std::max(e, std::fabs(r - c[y * n + x]) / (1 + std::fabs(r)));
            }
            return e;
        };
        run("sgemm_naive", clear, [&] { k_sgemm_naive(a, b, c, n); }, check);
        run("sgemm_tiled", clear, [&] { k_sgemm_tiled(a, b, c, n); }, check);
    }
    if (want("scan")) {
        int n = 1 << 22;
        Array<int> a(n), b(n), t(n);
        for (int i = 0; i < n; i++) a[i] = random() % 7;
        run("scan", nothing, [&] { k_scan(a, b, t, n); }, [&] {
            long s = 0, bad = 0;
            for (int i = 0; i < n; i++) s += a[i], bad += s != b[i];
            return double(bad);
        });
    }
    if (want("nbody")) {
        int n = 8192;
        Array<float> p(4 * n), a(4 * n);
        for (int i = 0; i < 4 * n; i++) p[i] = unit(random);
        run("nbody", nothing, [&] { k_nbody(p, a, n); }, [&] {
            double e = 0;
            for (int s = 0; s < 20; s++) {
                int i = random() % n;
                double x = 0, m = 0;
                for (int j = 0; j < n; j++) {
                    double dx = p[4 * j] - p[4 * i], dy = p[4 * j + 1] - p[4 * i + 1], dz = p[4 * j + 2] - p[4 * i + 2];
                    double d = dx * dx + dy * dy + dz * dz + .01, w = p[4 * j + 3] / (d * std::sqrt(d));
                    x += dx * w, m += std::fabs(dx * w);
                }
                e = std::max(e, std::fabs(x - a[4 * i]) / m);
            }
            return e;
        });
    }
    if (want("mandel")) {
        int w = 1024, h = w, limit = 256;
        Array<int> out(w * h);
        run("mandel", nothing, [&] { k_mandel(out, w, h, limit); }, [&] {
            long bad = 0;
            for (int y = 0; y < h; y++)
                for (int x = 0; x < w; x++) {
                    float cr = -2.0f + 3.0f * x / w, ci = -1.0f + 2.0f * y / h, zr = cr, zi = ci;
                    int i;
                    for (i = 0; i < limit && zr * zr + zi * zi <= 4.f; i++) {
                        float nr = zr * zr - zi * zi, ni = 2.f * zr * zi;
                        zr = cr + nr, zi = ci + ni;
                    }
                    bad += std::abs(out[y * w + x] - i) > 2;
                }
            // Fused arithmetic moves points near the edge.
            return bad < w * h / 100 ? 0.0 : 1.0;
        });
    }
    if (want("blackscholes")) {
        int n = 1 << 20;
        Array<float> s(n), x(n), t(n), c(n), p(n);
        for (int i = 0; i < n; i++) s[i] = 5 + 25 * unit(random), x[i] = 1 + 99 * unit(random), t[i] = .25f + 9.75f * unit(random);
        run("blackscholes", nothing, [&] { k_bs(s, x, t, c, p, n); }, [&] {
            double e = 0;
            auto cdf = [](double d) { return .5 * std::erfc(-d / std::sqrt(2.)); };
            for (int i = 0; i < n; i += 97) {
                double q = std::sqrt(t[i]), d1 = (std::log(double(s[i]) / x[i]) + (.02 + .045) * t[i]) / (.3 * q), d2 = d1 - .3 * q;
                double r = s[i] * cdf(d1) - x[i] * std::exp(-.02 * t[i]) * cdf(d2);
                e = std::max(e, std::fabs(r - c[i]) / (1 + std::fabs(r)));
            }
            return e;
        });
    }
    if (want("hist")) {
        int n = 1 << 23;
        Array<unsigned> a(n), b(256);
        std::vector<unsigned> bins(256);
        for (int i = 0; i < n; i++) {
            unsigned v = random();
            a[i] = v;
            for (int k = 0; k < 32; k += 8) bins[(v >> k) & 255]++;
        }
        run("hist", [&] { memset(b, 0, 1024); }, [&] { k_hist(a, b, n); }, [&] {
            double bad = 0;
            for (int i = 0; i < 256; i++) bad += b[i] != bins[i];
            return bad;
        });
    }
    if (want("jacobi") || want("transpose")) {
        int w = 4096, h = w;
        Array<float> a(size_t(w) * h), b(size_t(w) * h);
        for (int i = 0; i < w * h; i++) a[i] = unit(random);
        run("jacobi", nothing, [&] { k_jacobi(a, b, w, h); }, [&] {
            double e = 0;
            for (int s = 0; s < 1000; s++) {
                int x = 1 + random() % (w - 2), y = 1 + random() % (h - 2), i = y * w + x;
                e = std::max(e, std::fabs(b[i] - .2 * (a[i] + a[i - 1] + a[i + 1] + a[i - w] + a[i + w])));
            }
            return e;
        });
        run("transpose", nothing, [&] { k_transpose(a, b, w, h); }, [&] {
            double bad = 0;
            for (int y = 0; y < h; y++)
                for (int x = 0; x < w; x++) bad += b[x * h + y] != a[y * w + x];
            return bad;
        });
    }
    if (want("bitonic")) {
        int n = 1 << 20;
        Array<int> d(n);
        std::vector<int> source(n);
        for (auto &v : source) v = int(random());
        run("bitonic", [&] { memcpy(d, source.data(), sizeof(int) * n); }, [&] { k_bitonic(d, n); }, [&] {
            double bad = 0;
            for (int i = 1; i < n; i++) bad += d[i - 1] > d[i];
            return bad;
        });
    }
    if (want("spmv")) {
        int n = 1 << 18;
        std::vector<int> rows(n + 1);
        for (int i = 0; i < n; i++) rows[i + 1] = rows[i] + 8 + int(random() % 17);
        int nonzeros = rows[n];
        Array<int> row(n + 1), column(nonzeros);
        Array<float> value(nonzeros), x(n), y(n);
        memcpy(row, rows.data(), sizeof(int) * (n + 1));
        for (int i = 0; i < n; i++) {
            x[i] = unit(random);
            for (int k = rows[i]; k < rows[i + 1]; k++) {
                column[k] = std::clamp(i + int(random() % 4096) - 2048, 0, n - 1);
                value[k] = unit(random);
            }
        }
        run("spmv", nothing, [&] { k_spmv(row, column, value, x, y, n, nonzeros); }, [&] {
            double e = 0;
            for (int i = 0; i < n; i += 37) {
                double s = 0;
                for (int k = row[i]; k < row[i + 1]; k++) s += value[k] * x[column[k]];
                e = std::max(e, std::fabs(s - y[i]) / s);
            }
            return e;
        });
    }
}
