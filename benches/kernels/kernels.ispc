// ISPC versions (tasks over 2 threads come from the C++ wrapper: each function works on a slice)
export void i_vecadd(uniform const float a[], uniform const float b[], uniform float c[], uniform int lo,
                     uniform int hi) {
    foreach (i = lo... hi) c[i] = a[i] + b[i];
}
export void i_sgemm_naive(uniform const float A[], uniform const float B[], uniform float C[], uniform int N,
                          uniform int lo, uniform int hi) {
    for (uniform int y = lo; y < hi; y++)
        foreach (x = 0...N) {
            float s = 0;
            for (uniform int k = 0; k < N; k++) s += A[y * N + k] * B[k * N + x];
            C[y * N + x] = s;
        }
}
// register tile: 8 rows x programCount columns
export void i_sgemm_tiled(uniform const float A[], uniform const float B[], uniform float C[], uniform int N,
                          uniform int lo, uniform int hi) {
    for (uniform int y = lo; y < hi; y += 8)
        foreach (x = 0...N) {
            float s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;
            const uniform float *uniform a = A + y * N;
            for (uniform int k = 0; k < N; k++) {
                float b = B[k * N + x];
                s0 += a[k] * b;
                s1 += a[N + k] * b;
                s2 += a[2 * N + k] * b;
                s3 += a[3 * N + k] * b;
                s4 += a[4 * N + k] * b;
                s5 += a[5 * N + k] * b;
                s6 += a[6 * N + k] * b;
                s7 += a[7 * N + k] * b;
            }
            uniform float *uniform c = C + y * N;
            c[x] = s0;
            c[N + x] = s1;
            c[2 * N + x] = s2;
            c[3 * N + x] = s3;
            c[4 * N + x] = s4;
            c[5 * N + x] = s5;
            c[6 * N + x] = s6;
            c[7 * N + x] = s7;
        }
}
export uniform float i_reduce(uniform const float x[], uniform int lo, uniform int hi) {
    float s = 0, t = 0, u = 0, v = 0;
    uniform int i = lo;
    for (; i + 4 * programCount <= hi; i += 4 * programCount) {
        s += x[i + programIndex];
        t += x[i + programCount + programIndex];
        u += x[i + 2 * programCount + programIndex];
        v += x[i + 3 * programCount + programIndex];
    }
    foreach (k = i... hi) s += x[k];
    return reduce_add(s + t + u + v);
}
export uniform int i_scan(uniform const int src[], uniform int out[], uniform int base, uniform int lo,
                          uniform int hi) {
    uniform int b = base;
    foreach (i = lo... hi) {
        int v = src[i];
        int e = exclusive_scan_add(v);
        out[i] = b + e + v;
        b += reduce_add(v);
    }
    return b;
}
export uniform int i_sum(uniform const int src[], uniform int lo, uniform int hi) {
    int s = 0;
    foreach (i = lo... hi) s += src[i];
    return reduce_add(s);
}
export void i_nbody(uniform const float pos[], uniform float acc[], uniform int n, uniform int lo, uniform int hi) {
    foreach (i = lo... hi) {
        float px = pos[4 * i], py = pos[4 * i + 1], pz = pos[4 * i + 2], ax = 0, ay = 0, az = 0;
        for (uniform int j = 0; j < n; j++) {
            float dx = pos[4 * j] - px, dy = pos[4 * j + 1] - py, dz = pos[4 * j + 2] - pz;
            float d = dx * dx + dy * dy + dz * dz + 0.01f;
            float r = rsqrt(d);
            float s = pos[4 * j + 3] * r * r * r;
            ax += dx * s;
            ay += dy * s;
            az += dz * s;
        }
        acc[4 * i] = ax;
        acc[4 * i + 1] = ay;
        acc[4 * i + 2] = az;
    }
}
export void i_mandel(uniform int out[], uniform int w, uniform int h, uniform int maxit, uniform int lo,
                     uniform int hi) {
    for (uniform int y = lo; y < hi; y++)
        foreach (x = 0...w) {
            float cr = -2.0f + 3.0f * x / w;
            float ci = -1.0f + 2.0f * y / h;
            float zr = cr;
            float zi = ci;
            int i;
            for (i = 0; i < maxit; i++) {
                if (zr * zr + zi * zi > 4.f) break;
                float nr = zr * zr - zi * zi, ni = 2.f * zr * zi;
                zr = cr + nr;
                zi = ci + ni;
            }
            out[y * w + x] = i;
        }
}
static inline float cnd(float d) {
    float K = 1.0f / (1.0f + 0.2316419f * abs(d));
    float c = 0.39894228f * exp(-0.5f * d * d) *
              (K * (0.31938153f + K * (-0.356563782f + K * (1.781477937f + K * (-1.821255978f + K * 1.330274429f)))));
    return d > 0 ? 1.0f - c : c;
}
export void i_bs(uniform const float S[], uniform const float X[], uniform const float T[], uniform float call[],
                 uniform float put[], uniform int lo, uniform int hi) {
    foreach (i = lo... hi) {
        const uniform float Rf = .02f, V = .3f;
        float s = S[i];
        float x = X[i];
        float t = T[i];
        float q = sqrt(t);
        float d1 = (log(s / x) + (Rf + .5f * V * V) * t) / (V * q);
        float d2 = d1 - V * q;
        float c1 = cnd(d1);
        float c2 = cnd(d2);
        float e = exp(-Rf * t);
        call[i] = s * c1 - x * e * c2;
        put[i] = x * e * (1.f - c2) - s * (1.f - c1);
    }
}
// lane-private histograms: no conflicts inside a gang
export void i_hist(uniform const unsigned int src[], uniform unsigned int bins[], uniform int lo, uniform int hi) {
    uniform unsigned int h[256 * programCount];
    memset(h, 0, sizeof(h));
    foreach (i = lo... hi) {
        unsigned int v = src[i];
#pragma ignore warning(perf)
        h[(v & 255) * programCount + programIndex]++;
#pragma ignore warning(perf)
        h[((v >> 8) & 255) * programCount + programIndex]++;
#pragma ignore warning(perf)
        h[((v >> 16) & 255) * programCount + programIndex]++;
#pragma ignore warning(perf)
        h[(v >> 24) * programCount + programIndex]++;
    }
    for (uniform int b = 0; b < 256; b++)
        bins[b] = (uniform unsigned int)reduce_add(h[b * programCount + programIndex]);
}
export void i_jacobi(uniform const float src[], uniform float out[], uniform int w, uniform int lo, uniform int hi) {
    for (uniform int y = lo; y < hi; y++)
        foreach (x = 1...w - 1) {
            uniform int r = y * w;
            out[r + x] = 0.2f * (src[r + x] + src[r + x - 1] + src[r + x + 1] + src[r + x - w] + src[r + x + w]);
        }
}
export void i_transpose(uniform const float src[], uniform float out[], uniform int w, uniform int h, uniform int lo,
                        uniform int hi) {
    uniform float t[32][33];
    for (uniform int yb = lo; yb < hi; yb += 32)
        for (uniform int xb = 0; xb < w; xb += 32) {
            for (uniform int j = 0; j < 32; j++)
                foreach (x = 0...32) t[j][x] = src[(yb + j) * w + xb + x];
            for (uniform int j = 0; j < 32; j++)
                foreach (x = 0...32) {
#pragma ignore warning(perf)
                    out[(xb + j) * h + yb + x] = t[x][j];
                }
        }
}
export void i_bitonic(uniform int d[], uniform int j, uniform int k, uniform int lo,
                      uniform int hi) { // lo,hi index compare pairs
    if (j >= programCount) {
        for (uniform int c = lo; c < hi;) {
            uniform int b = (c / j) * 2 * j;
            uniform int l = c % j;
            uniform int m = min(j - l, hi - c);
            uniform bool up = (b & k) == 0;
            foreach (i = b + l... b + l + m) {
                int x = d[i], y = d[i + j];
                int mn = min(x, y), mx = max(x, y);
                if (up) {
                    d[i] = mn;
                    d[i + j] = mx;
                } else {
                    d[i] = mx;
                    d[i + j] = mn;
                }
            }
            c += m;
        }
    } else
        for (uniform int i = 2 * lo; i < 2 * hi; i += programCount) {
            int v = d[i + programIndex];
            int u = shuffle(v, programIndex ^ j);
            int mn = min(v, u), mx = max(v, u);
            bool hiL = (programIndex & j) != 0, dn = ((i + programIndex) & k) != 0;
            d[i + programIndex] = (hiL != dn) ? mx : mn;
        }
}
export void i_spmv(uniform const int rp[], uniform const int ci[], uniform const float v[], uniform const float x[],
                   uniform float y[], uniform int lo, uniform int hi) {
    foreach (r = lo... hi) {
        float s = 0;
        int e = rp[r + 1];
        for (int k = rp[r]; k < e; k++) {
#pragma ignore warning(perf)
            s += v[k] * x[ci[k]];
        }
        y[r] = s;
    }
}
