// The thirteen kernels of the benches, small, against the host's own results.
// flags: -arch=sm_75
// build: static ptx90
// timeout: 60
// expect: vecadd ok
// expect: sgemm_naive ok
// expect: sgemm_tiled ok
// expect: reduce ok
// expect: scan ok
// expect: nbody ok
// expect: mandel ok
// expect: blackscholes call ok
// expect: blackscholes put ok
// expect: hist ok
// expect: jacobi ok
// expect: transpose ok
// expect: bitonic ok
// expect: spmv ok
#include <algorithm>
#include "../../benches/kernels/kernels.cuh"
#include "check.cuh"

static std::vector<float> floats(size_t n, unsigned seed, float low = 0, float high = 1) {
    Random random(seed);
    std::vector<float> out(n);
    for (float &v : out) v = low + (high - low) * random.unit();
    return out;
}

static int vecadd() {
    const int n = 10007;
    auto a = floats(n, 1), b = floats(n, 2);
    Device<float> da(a), db(b), dc(n);
    kernels::vecadd<<<(n + 255) / 256, 256>>>(da, db, dc, n);
    FINISH();
    return compare("vecadd", dc.host(), [&](int i) { return a[i] + b[i]; });
}

static int sgemm(bool tiled) {
    const int n = tiled ? 96 : 70;
    auto a = floats(n * n, 3, -0.5f, 0.5f), b = floats(n * n, 4, -0.5f, 0.5f);
    Device<float> da(a), db(b), dc(n * n);
    dim3 block(16, 16), grid((n + 15) / 16, (n + 15) / 16);
    if (tiled) kernels::sgemm_tiled<<<grid, block>>>(da, db, dc, n);
    else kernels::sgemm_naive<<<grid, block>>>(da, db, dc, n);
    FINISH();
    return compare(tiled ? "sgemm_tiled" : "sgemm_naive", dc.host(), [&](int i) {
        double s = 0;
        for (int k = 0; k < n; k++) s += double(a[i / n * n + k]) * b[k * n + i % n];
        return s;
    }, 1e-5);
}

static int reduce() {
    const int n = 50021;
    auto x = floats(n, 5);
    Device<float> dx(x), out(1);
    out.zero();
    kernels::reduce<<<8, 256>>>(dx, out, n);
    FINISH();
    double sum = 0;
    for (float v : x) sum += v;
    return compare("reduce", out.host(), [&](int) { return sum; }, 1e-5);
}

static int scan() {
    const int n = 60000, block = 512, blocks = (n + block - 1) / block;
    std::vector<int> in(n);
    Random random(6);
    for (int &v : in) v = random.next() % 7;
    Device<int> din(in), out(n), sums(blocks), unused(blocks);
    kernels::scan_block<<<blocks, block>>>(din, out, sums, n);
    kernels::scan_block<<<1, block>>>(sums, sums, nullptr, blocks);
    kernels::scan_add<<<blocks, block>>>(out, sums, n);
    FINISH();
    std::vector<int> want(n);
    for (int i = 0, s = 0; i < n; i++) want[i] = s += in[i];
    return compare("scan", out.host(), [&](int i) { return want[i]; });
}

static int nbody() {
    const int n = 512;
    auto p = floats(4 * n, 7);
    Device<float> dp(p), da(4 * n);
    kernels::nbody<<<n / 256, 256>>>((const float4 *)dp.data, (float4 *)da.data, n);
    FINISH();
    return compare("nbody", da.host(), [&](int index) {
        int i = index / 4, axis = index % 4;
        double sum = 0;
        for (int j = 0; axis < 3 && j < n; j++) {
            double d2 = 0.01f;
            for (int k = 0; k < 3; k++) d2 += (double(p[4 * j + k]) - p[4 * i + k]) * (double(p[4 * j + k]) - p[4 * i + k]);
            sum += (double(p[4 * j + axis]) - p[4 * i + axis]) * p[4 * j + 3] / (d2 * std::sqrt(d2));
        }
        return sum;
    }, 1e-3);
}

static int mandel() {
    const int w = 100, h = 70, limit = 64;
    Device<int> out(w * h);
    kernels::mandel<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(out, w, h, limit);
    FINISH();
    auto got = out.host();
    // Contraction to fused multiply-add moves a few points near the edge; nothing else may differ.
    int moved = 0;
    for (int i = 0; i < w * h; i++) {
        float cr = -2.0f + 3.0f * (i % w) / w, ci = -1.0f + 2.0f * (i / w) / h, zr = cr, zi = ci;
        int k;
        for (k = 0; k < limit && zr * zr + zi * zi <= 4.f; k++) {
            float nr = zr * zr - zi * zi, ni = 2.f * zr * zi;
            zr = cr + nr, zi = ci + ni;
        }
        moved += k != got[i];
    }
    if (moved > w * h / 100) return printf("mandel: %d of %d points differ\n", moved, w * h), 1;
    return puts("mandel ok"), 0;
}

static int blackscholes() {
    const int n = 5000;
    auto s = floats(n, 8, 5, 30), x = floats(n, 9, 1, 100), t = floats(n, 10, 0.25f, 10);
    Device<float> ds(s), dx(x), dt(t), call(n), put(n);
    kernels::blackscholes<<<(n + 127) / 128, 128>>>(ds, dx, dt, call, put, n);
    FINISH();
    auto cdf = [](double d) { return 0.5 * std::erfc(-d / std::sqrt(2.0)); };
    auto value = [&](int i, bool is_call) {
        double q = std::sqrt(t[i]), d1 = (std::log(double(s[i]) / x[i]) + (0.02 + 0.045) * t[i]) / (0.3 * q), d2 = d1 - 0.3 * q;
        double e = x[i] * std::exp(-0.02 * t[i]);
        return is_call ? s[i] * cdf(d1) - e * cdf(d2) : e * cdf(-d2) - s[i] * cdf(-d1);
    };
    int bad = compare("blackscholes call", call.host(), [&](int i) { return value(i, true); }, 1e-4);
    bad |= compare("blackscholes put", put.host(), [&](int i) { return value(i, false); }, 1e-4);
    return bad;
}

static int hist() {
    const int n = 20011;
    std::vector<unsigned> in(n), bins(256);
    Random random(11);
    for (auto &v : in) {
        v = random.next();
        for (int k = 0; k < 32; k += 8) bins[(v >> k) & 255]++;
    }
    Device<unsigned> din(in), out(256);
    out.zero();
    kernels::hist<<<6, 192>>>(din, out, n);
    FINISH();
    return compare("hist", out.host(), [&](int i) { return bins[i]; });
}

static int jacobi() {
    const int w = 130, h = 67;
    auto in = floats(w * h, 12);
    Device<float> din(in), out(w * h);
    out.zero();
    kernels::jacobi<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(din, out, w, h);
    FINISH();
    return compare("jacobi", out.host(), [&](int i) {
        int x = i % w, y = i / w;
        if (!x || !y || x == w - 1 || y == h - 1) return 0.0;
        return 0.2 * (double(in[i]) + in[i - 1] + in[i + 1] + in[i - w] + in[i + w]);
    }, 1e-6);
}

static int transpose() {
    const int w = 96, h = 64;
    auto in = floats(w * h, 13);
    Device<float> din(in), out(w * h);
    kernels::transpose<<<dim3(w / 32, h / 32), dim3(32, 8)>>>(din, out, w, h);
    FINISH();
    return compare("transpose", out.host(), [&](int i) { return in[i % h * w + i / h]; });
}

static int bitonic() {
    const int n = 4096;
    std::vector<int> in(n);
    Random random(14);
    for (int &v : in) v = int(random.next());
    Device<int> data(in);
    for (int k = 2; k <= n; k *= 2)
        for (int j = k / 2; j; j /= 2) kernels::bitonic<<<n / 256, 256>>>(data, j, k);
    FINISH();
    std::sort(in.begin(), in.end());
    return compare("bitonic", data.host(), [&](int i) { return in[i]; });
}

static int spmv() {
    const int n = 1000;
    Random random(15);
    std::vector<int> row(n + 1), column;
    for (int i = 0; i < n; i++) {
        for (int k = random.next() % 25; k; k--) column.push_back(random.next() % n);
        row[i + 1] = int(column.size());
    }
    auto value = floats(column.size(), 16), x = floats(n, 17);
    Device<int> drow(row), dcolumn(column);
    Device<float> dvalue(value), dx(x), y(n);
    kernels::spmv<<<(n + 127) / 128, 128>>>(drow, dcolumn, dvalue, dx, y, n);
    FINISH();
    return compare("spmv", y.host(), [&](int i) {
        double s = 0;
        for (int k = row[i]; k < row[i + 1]; k++) s += double(value[k]) * x[column[k]];
        return s;
    }, 1e-5);
}

int main() {
    int bad = vecadd();
    bad |= sgemm(false);
    bad |= sgemm(true);
    bad |= reduce();
    bad |= scan();
    bad |= nbody();
    bad |= mandel();
    bad |= blackscholes();
    bad |= hist();
    bad |= jacobi();
    bad |= transpose();
    bad |= bitonic();
    bad |= spmv();
    return bad;
}
