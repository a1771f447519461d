// The thirteen kernels as OpenCL programmers write them: work-groups as the CUDA kernels have, trees in local memory where
// those shuffle.

#define AT(d) ((int)get_global_id(d))

kernel void vecadd(global const float *a, global const float *b, global float *c, int n) {
    int i = AT(0);
    if (i < n) c[i] = a[i] + b[i];
}

kernel void sgemm_naive(global const float *a, global const float *b, global float *c, int n) {
    int x = AT(0), y = AT(1);
    if (x < n && y < n) {
        float s = 0;
        for (int k = 0; k < n; k++) s += a[y * n + k] * b[k * n + x];
        c[y * n + x] = s;
    }
}

#define TILE 16
kernel void sgemm_tiled(global const float *a, global const float *b, global float *c, int n) {
    local float as[TILE][TILE], bs[TILE][TILE];
    int tx = get_local_id(0), ty = get_local_id(1), x = AT(0), y = AT(1);
    float s = 0;
    for (int t = 0; t < n; t += TILE) {
        as[ty][tx] = a[y * n + t + tx];
        bs[ty][tx] = b[(t + ty) * n + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++) s += as[ty][k] * bs[k][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * n + x] = s;
}

// One partial sum per group of 256, added on the host.
kernel void reduce(global const float *x, global float *out, int n) {
    local float partial[256];
    int t = get_local_id(0);
    float s = 0;
    for (int i = AT(0); i < n; i += get_global_size(0)) s += x[i];
    partial[t] = s;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int o = 128; o > 0; o >>= 1) {
        if (t < o) partial[t] += partial[t + o];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0) out[get_group_id(0)] = partial[0];
}

// Inclusive scan of each group of 1024; sums gets the groups' totals unless last is set.
kernel void scan_block(global const int *in, global int *out, global int *sums, int n, int last) {
    local int a[2][1024];
    int t = get_local_id(0), i = AT(0), from = 0;
    a[0][t] = i < n ? in[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int o = 1; o < 1024; o <<= 1) {
        a[1 - from][t] = a[from][t] + (t >= o ? a[from][t - o] : 0);
        from = 1 - from;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < n) out[i] = a[from][t];
    if (!last && t == 1023) sums[get_group_id(0)] = a[from][t];
}

kernel void scan_add(global int *out, global const int *sums, int n) {
    int i = AT(0);
    if (get_group_id(0) > 0 && i < n) out[i] += sums[get_group_id(0) - 1];
}

kernel void nbody(global const float4 *position, global float4 *acceleration, int n) {
    local float4 near[256];
    int i = AT(0);
    float4 p = position[i];
    float ax = 0, ay = 0, az = 0;
    for (int t = 0; t < n; t += 256) {
        near[get_local_id(0)] = position[t + get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < 256; j++) {
            float4 q = near[j];
            float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
            float r = rsqrt(dx * dx + dy * dy + dz * dz + 0.01f), s = q.w * r * r * r;
            ax += dx * s;
            ay += dy * s;
            az += dz * s;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    acceleration[i] = (float4)(ax, ay, az, 0);
}

kernel void mandel(global int *out, int w, int h, int limit) {
    int x = AT(0), y = AT(1);
    if (x >= w || y >= h) return;
    float cr = -2.0f + 3.0f * x / w, ci = -1.0f + 2.0f * y / h, zr = cr, zi = ci;
    int i;
    for (i = 0; i < limit; i++) {
        if (zr * zr + zi * zi > 4.f) break;
        float nr = zr * zr - zi * zi, ni = 2.f * zr * zi;
        zr = cr + nr;
        zi = ci + ni;
    }
    out[y * w + x] = i;
}

// Abramowitz and Stegun 26.2.17.
float normal_cdf(float d) {
    float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
    float tail = 0.39894228040143267794f * exp(-0.5f * d * d) *
                 (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1.0f - tail : tail;
}

kernel void blackscholes(global const float *price, global const float *strike, global const float *years,
                         global float *call, global float *put, int n) {
    int i = AT(0);
    if (i >= n) return;
    const float rate = 0.02f, volatility = 0.30f;
    float s = price[i], x = strike[i], t = years[i], q = sqrt(t);
    float d1 = (log(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * q);
    float d2 = d1 - volatility * q, c1 = normal_cdf(d1), c2 = normal_cdf(d2), e = exp(-rate * t);
    call[i] = s * c1 - x * e * c2;
    put[i] = x * e * (1.0f - c2) - s * (1.0f - c1);
}

// Counts the bytes of n words into 256 bins.
kernel void hist(global const unsigned *in, global unsigned *bins, int n) {
    local unsigned counts[256];
    for (int i = get_local_id(0); i < 256; i += get_local_size(0)) counts[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = AT(0); i < n; i += get_global_size(0)) {
        unsigned v = in[i];
        atomic_inc(&counts[v & 255]);
        atomic_inc(&counts[(v >> 8) & 255]);
        atomic_inc(&counts[(v >> 16) & 255]);
        atomic_inc(&counts[v >> 24]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_local_id(0); i < 256; i += get_local_size(0)) atomic_add(&bins[i], counts[i]);
}

kernel void jacobi(global const float *in, global float *out, int w, int h) {
    int x = AT(0), y = AT(1);
    if (x > 0 && y > 0 && x < w - 1 && y < h - 1) {
        int i = y * w + x;
        out[i] = 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - w] + in[i + w]);
    }
}

kernel void transpose(global const float *in, global float *out, int w, int h) {
    local float tile[32][33];
    int tx = get_local_id(0), ty = get_local_id(1);
    int x = get_group_id(0) * 32 + tx, y = get_group_id(1) * 32 + ty;
    for (int j = 0; j < 32; j += 8) tile[ty + j][tx] = in[(y + j) * w + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    x = get_group_id(1) * 32 + tx;
    y = get_group_id(0) * 32 + ty;
    for (int j = 0; j < 32; j += 8) out[(y + j) * h + x] = tile[tx][ty + j];
}

kernel void bitonic(global int *d, int j, int k) {
    unsigned i = AT(0), p = i ^ j;
    if (p > i) {
        int a = d[i], b = d[p];
        bool up = (i & k) == 0;
        if ((a > b) == up) {
            d[i] = b;
            d[p] = a;
        }
    }
}

kernel void spmv(global const int *row, global const int *column, global const float *value, global const float *x,
                 global float *y, int n) {
    int r = AT(0);
    if (r >= n) return;
    float s = 0;
    for (int k = row[r]; k < row[r + 1]; k++) s += value[k] * x[column[k]];
    y[r] = s;
}
