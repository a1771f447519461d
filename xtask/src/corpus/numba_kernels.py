"""Kernels written in Python for Numba, compiled to PTX for compute capability 9.0 into the directory in argv[1]."""
import math
import os
import sys

from numba import complex64, complex128, cuda, float32, float64, int32, int64, uint8, uint32, uint64, void


def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = a * x[i] + y[i]


def stride_sum(x, out):
    acc = x[0] - x[0]
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        acc += x[i]
    cuda.atomic.add(out, 0, acc)


def extremes(x, out):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.max(out, 0, x[i])
        cuda.atomic.min(out, 1, x[i])


def elementary(x, y):
    i = cuda.grid(1)
    if i < x.size:
        v = x[i]
        y[i] = (math.sin(v) + math.cos(v) * math.tan(v) + math.exp(v) - math.log(abs(v) + 1) + math.sqrt(abs(v))
                + math.atan2(v, v + 1) + math.sinh(v) * math.tanh(v) + math.pow(abs(v), 1.5) + math.floor(v)
                + math.ceil(v) + math.fmod(v, 3) + math.hypot(v, 2) + math.erf(v) + math.lgamma(abs(v) + 1)
                + math.gamma(abs(v) + 1) + math.copysign(v, -1) + math.expm1(v) + math.log1p(abs(v)) + math.asin(v)
                + math.acos(v) + math.atan(v) + math.asinh(v) + math.acosh(abs(v) + 1) + math.erfc(v))


def power(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = x[i] ** 3 + x[i] ** 0.5


def divide(x, y, q, r):
    i = cuda.grid(1)
    if i < x.size:
        q[i] = x[i] // y[i]
        r[i] = x[i] % y[i]


def bits(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = cuda.popc(x[i]) + cuda.clz(x[i]) + cuda.brev(x[i]) + cuda.ffs(x[i])


def choose(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = x[i] if x[i] > 10 else x[i] + x[i]


def fused(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = cuda.fma(x[i], x[i], y[i])


def warp_scan(x, y):
    i = cuda.grid(1)
    lane = cuda.laneid
    v = x[i]
    d = 1
    while d < 32:
        o = cuda.shfl_up_sync(0xffffffff, v, d)
        if lane >= d:
            v += o
        d *= 2
    y[i] = v


def butterfly(x, y):
    i = cuda.grid(1)
    v = x[i]
    d = 16
    while d:
        v += cuda.shfl_xor_sync(0xffffffff, v, d)
        d //= 2
    y[i] = v


def votes(x, y):
    i = cuda.grid(1)
    p = x[i] > 0
    m = cuda.ballot_sync(0xffffffff, p)
    y[i] = m
    if cuda.any_sync(0xffffffff, p) and not cuda.all_sync(0xffffffff, p):
        y[i] += cuda.activemask()


def complex_roots(z, out):
    i = cuda.grid(1)
    if i < z.size:
        w = z[i]
        for _ in range(20):
            w = w - (w * w * w - 1) / (3 * w * w)
        out[i] = w


def mandel(out, limit):
    x, y = cuda.grid(2)
    if x < out.shape[1] and y < out.shape[0]:
        c = complex(-2 + 3 * x / out.shape[1], -1 + 2 * y / out.shape[0])
        z = 0j
        n = 0
        while n < limit and z.real * z.real + z.imag * z.imag < 4:
            z = z * z + c
            n += 1
        out[y, x] = n


def collatz(out):
    i = cuda.grid(1)
    if i < out.size:
        n = int64(i + 1)
        steps = 0
        while n != 1 and steps < 1000:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        out[i] = steps


def bubble(x):
    i = cuda.grid(1)
    local = cuda.local.array(16, float32)
    for k in range(16):
        local[k] = x[i, k]
    for a in range(16):
        for b in range(15 - a):
            if local[b] > local[b + 1]:
                local[b], local[b + 1] = local[b + 1], local[b]
    for k in range(16):
        x[i, k] = local[k]


def stencil(x, y):
    i, j = cuda.grid(2)
    if 0 < i < x.shape[0] - 1 and 0 < j < x.shape[1] - 1:
        y[i, j] = 0.25 * (x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1])


def stencil3(x, y):
    i, j, k = cuda.grid(3)
    if 0 < i < x.shape[0] - 1 and 0 < j < x.shape[1] - 1 and 0 < k < x.shape[2] - 1:
        y[i, j, k] = (x[i - 1, j, k] + x[i + 1, j, k] + x[i, j - 1, k] + x[i, j + 1, k] + x[i, j, k - 1]
                      + x[i, j, k + 1]) / 6


def shared_matmul(a, b, c):
    sa = cuda.shared.array((16, 16), float32)
    sb = cuda.shared.array((16, 16), float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    acc = float32(0)
    for t in range(a.shape[1] // 16):
        sa[ty, tx] = a[y, tx + t * 16]
        sb[ty, tx] = b[ty + t * 16, x]
        cuda.syncthreads()
        for k in range(16):
            acc += sa[ty, k] * sb[k, tx]
        cuda.syncthreads()
    c[y, x] = acc


def block_reduce(x, out):
    s = cuda.shared.array(256, float64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    s[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    d = 128
    while d:
        if t < d:
            s[t] += s[t + d]
        cuda.syncthreads()
        d //= 2
    if t == 0:
        cuda.atomic.add(out, 0, s[0])


def counts(x, y):
    t = cuda.threadIdx.x
    a = cuda.syncthreads_count(int32(x[t] > 0))
    b = cuda.syncthreads_and(int32(x[t] > 1))
    c = cuda.syncthreads_or(int32(x[t] > 2))
    y[t] = a + b + c


def histogram(x, bins):
    s = cuda.shared.array(256, int32)
    t = cuda.threadIdx.x
    s[t] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.add(s, x[i], 1)
    cuda.syncthreads()
    cuda.atomic.add(bins, t, s[t])


def spin_lock(lock, total):
    while cuda.atomic.cas(lock, 0, 0, 1) != 0:
        pass
    cuda.threadfence()
    total[0] += 1
    cuda.threadfence()
    cuda.atomic.exch(lock, 0, 0)


def wide_atomics(x):
    i = cuda.grid(1)
    cuda.atomic.and_(x, 0, i)
    cuda.atomic.or_(x, 1, i)
    cuda.atomic.xor(x, 2, i)
    cuda.atomic.sub(x, 3, i)


def xorshift(state, out):
    i = cuda.grid(1)
    s0, s1 = state[i, 0], state[i, 1]
    for k in range(64):
        t = s0
        s0 = s1
        t ^= t << uint64(23)
        t ^= t >> uint64(18)
        t ^= s1 ^ (s1 >> uint64(5))
        s1 = t
        out[i] += t + s0
    state[i, 0], state[i, 1] = s0, s1


def strided(x, y):
    i, j = cuda.grid(2)
    if i < y.shape[0] and j < y.shape[1]:
        y[i, j] = x[j, i]


def tuples(x, y):
    i = cuda.grid(1)
    if i < x.size:
        table = (1.0, 2.0, 3.0, 5.0)
        y[i] = x[i] * table[i % 4] + round(x[i])


def printing(x):
    i = cuda.grid(1)
    if x[i] < 0:
        print("negative", i, x[i])


def blackscholes(s, k, t, call, put):
    i = cuda.grid(1)
    if i < s.size:
        q = math.sqrt(t[i])
        d1 = (math.log(s[i] / k[i]) + (0.02 + 0.045) * t[i]) / (0.3 * q)
        d2 = d1 - 0.3 * q
        n1 = 0.5 * math.erfc(-d1 * 0.7071067811865475)
        n2 = 0.5 * math.erfc(-d2 * 0.7071067811865475)
        e = math.exp(-0.02 * t[i])
        call[i] = s[i] * n1 - k[i] * e * n2
        put[i] = k[i] * e * (1 - n2) - s[i] * (1 - n1)


FLOATS = [float32, float64]
INTS = [int32, int64, uint32, uint64]
JOBS = []
for t in FLOATS + [int32, int64]:
    JOBS += [(warp_scan, (t[:], t[:])), (butterfly, (t[:], t[:]))]
for t in FLOATS + INTS:
    JOBS += [(saxpy, (t, t[:], t[:])), (stride_sum, (t[:], t[:])), (extremes, (t[:], t[:])), (choose, (t[:], t[:])),
             (stencil, (t[:, :], t[:, :])), (strided, (t[:, ::1], t[:, ::1])), (divide, (t[:], t[:], t[:], t[:]))]
for t in FLOATS:
    JOBS += [(elementary, (t[:], t[:])), (power, (t[:], t[:])), (fused, (t[:], t[:])), (tuples, (t[:], t[:])),
             (stencil3, (t[:, :, :], t[:, :, :])), (blackscholes, (t[:],) * 5), (shared_matmul, (t[:, :],) * 3),
             (block_reduce, (t[:], float64[:])), (bubble, (t[:, :],)), (printing, (t[:],)), (votes, (t[:], uint32[:]))]
for t in INTS:
    JOBS += [(bits, (t[:], t[:])), (wide_atomics, (t[:],)), (counts, (t[:], t[:])), (printing, (t[:],))]
JOBS += [(complex_roots, (c[:], c[:])) for c in (complex64, complex128)]
JOBS += [(mandel, (int32[:, :], int32)), (collatz, (int64[:],)), (collatz, (int32[:],)),
         (histogram, (uint8[:], int32[:])), (spin_lock, (int32[:], int32[:])), (xorshift, (uint64[:, :], uint64[:]))]

done = 0
for number, (function, arguments) in enumerate(JOBS):
    for fast in (False, True) if function in (elementary, power, blackscholes, divide) else (False,):
        try:
            ptx, _ = cuda.compile_ptx(function, void(*arguments), cc=(9, 0), fastmath=fast)
        except Exception as error:  # One version of Numba takes what another does not.
            print(f"numba: {function.__name__}{arguments}: {str(error).splitlines()[0]}")
            continue
        with open(os.path.join(sys.argv[1], f"{function.__name__}-{number}{'-fast' if fast else ''}.ptx"), "w") as out:
            out.write(ptx)
        done += 1
sys.exit(0 if done else 1)
