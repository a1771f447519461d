# The kernels of Triton's tutorials 01 (vector add), 02 (fused softmax), 03 (matmul) and 05 (layer norm, forward and
# backward), in our own words: compiled by the released wheel with the ptxas that TRITON_PTXAS_PATH names, launched
# through the CUDA Driver API, compared with NumPy. Argument: compute capability to compile for.
import ctypes
import sys

import numpy as np
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


@triton.jit
def softmax(out, x, x_stride, out_stride, rows, cols, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    at = tl.arange(0, BLOCK)
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=STAGES):
        v = tl.load(x + row * x_stride + at, mask=at < cols, other=-float("inf"))
        e = tl.exp(v - tl.max(v, axis=0))
        tl.store(out + row * out_stride + at, e / tl.sum(e, axis=0), mask=at < cols)


@triton.jit
def matmul(a, b, c, M, N, K, a_row, b_row, c_row, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
           GROUP: tl.constexpr, LEAKY: tl.constexpr):
    pid = tl.program_id(0)
    per_group = GROUP * tl.cdiv(N, BN)
    first = pid // per_group * GROUP
    rows = min(tl.cdiv(M, BM) - first, GROUP)
    m = (first + pid % per_group % rows) * BM + tl.arange(0, BM)
    n = pid % per_group // rows * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    left = a + (m % M)[:, None] * a_row + k[None, :]
    right = b + k[:, None] * b_row + (n % N)[None, :]
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, BK)):
        rest = K - step * BK
        total = tl.dot(tl.load(left, mask=k[None, :] < rest, other=0.0),
                       tl.load(right, mask=k[:, None] < rest, other=0.0), total)
        left += BK
        right += BK * b_row
    if LEAKY:
        total = tl.where(total >= 0, total, 0.01 * total)
    inside = (m[:, None] < M) & (n[None, :] < N)
    tl.store(c + m[:, None] * c_row + n[None, :], total.to(c.dtype.element_ty), mask=inside)


@triton.jit
def norm(x, y, w, b, mean, rstd, stride, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x += row * stride
    y += row * stride
    sums = tl.zeros([BLOCK], dtype=tl.float32)
    for at in range(0, N, BLOCK):
        cols = at + tl.arange(0, BLOCK)
        sums += tl.load(x + cols, mask=cols < N, other=0.0).to(tl.float32)
    mu = tl.sum(sums, axis=0) / N
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for at in range(0, N, BLOCK):
        cols = at + tl.arange(0, BLOCK)
        d = tl.where(cols < N, tl.load(x + cols, mask=cols < N, other=0.0).to(tl.float32) - mu, 0.0)
        squares += d * d
    r = 1 / tl.sqrt(tl.sum(squares, axis=0) / N + eps)
    tl.store(mean + row, mu)
    tl.store(rstd + row, r)
    for at in range(0, N, BLOCK):
        cols = at + tl.arange(0, BLOCK)
        inside = cols < N
        v = tl.load(x + cols, mask=inside, other=0.0).to(tl.float32)
        tl.store(y + cols, (v - mu) * r * tl.load(w + cols, mask=inside) + tl.load(b + cols, mask=inside), mask=inside)


@triton.jit
def norm_back(dx, dy, dw, db, x, w, mean, rstd, lock, stride, N, GROUP: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    inside = cols < N
    mine = row % GROUP
    v = tl.load(x + row * stride + cols, mask=inside, other=0).to(tl.float32)
    g = tl.load(dy + row * stride + cols, mask=inside, other=0).to(tl.float32)
    wg = tl.load(w + cols, mask=inside, other=0).to(tl.float32) * g
    hat = tl.where(inside, (v - tl.load(mean + row)) * tl.load(rstd + row), 0.0)
    c1 = tl.sum(hat * wg, axis=0) / N
    c2 = tl.sum(wg, axis=0) / N
    tl.store(dx + row * stride + cols, (wg - (hat * c1 + c2)) * tl.load(rstd + row), mask=inside)
    part_w = g * hat
    part_b = g
    # Rows that share a buffer take turns by a lock.
    while tl.atomic_cas(lock + mine, 0, 1) == 1:
        pass
    if tl.load(lock + GROUP + mine) == 0:
        tl.atomic_xchg(lock + GROUP + mine, 1)
    else:
        part_w += tl.load(dw + mine * N + cols, mask=inside)
        part_b += tl.load(db + mine * N + cols, mask=inside)
    tl.store(dw + mine * N + cols, part_w, mask=inside)
    tl.store(db + mine * N + cols, part_b, mask=inside)
    tl.debug_barrier()
    tl.atomic_xchg(lock + mine, 0)


@triton.jit
def column_sums(dw, db, sum_w, sum_b, M, N, BM: tl.constexpr, BN: tl.constexpr):
    cols = tl.program_id(0) * BN + tl.arange(0, BN)
    total_w = tl.zeros((BM, BN), dtype=tl.float32)
    total_b = tl.zeros((BM, BN), dtype=tl.float32)
    for i in range(0, M, BM):
        rows = i + tl.arange(0, BM)
        inside = (rows[:, None] < M) & (cols[None, :] < N)
        at = rows[:, None] * N + cols[None, :]
        total_w += tl.load(dw + at, mask=inside, other=0.0)
        total_b += tl.load(db + at, mask=inside, other=0.0)
    tl.store(sum_w + cols, tl.sum(total_w, axis=0), mask=cols < N)
    tl.store(sum_b + cols, tl.sum(total_b, axis=0), mask=cols < N)


cu = ctypes.CDLL("libcuda.so.1")


def check(code, what):
    if code:
        sys.exit(f"{what}: {code}")


check(cu.cuInit(0), "cuInit")
device, context = ctypes.c_int(), ctypes.c_void_p()
check(cu.cuDeviceGet(ctypes.byref(device), 0), "cuDeviceGet")
check(cu.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), "cuDevicePrimaryCtxRetain")
check(cu.cuCtxSetCurrent(context), "cuCtxSetCurrent")
TARGET = GPUTarget("cuda", int(sys.argv[1]), 32)


class Array:
    """A NumPy array in device memory."""

    def __init__(self, array):
        self.host, self.at = np.ascontiguousarray(array), ctypes.c_uint64()
        size = ctypes.c_size_t(self.host.nbytes)
        check(cu.cuMemAlloc_v2(ctypes.byref(self.at), size), "cuMemAlloc")
        check(cu.cuMemcpyHtoD_v2(self.at, ctypes.c_void_p(self.host.ctypes.data), size), "cuMemcpyHtoD")

    def back(self):
        size = ctypes.c_size_t(self.host.nbytes)
        check(cu.cuMemcpyDtoH_v2(ctypes.c_void_p(self.host.ctypes.data), self.at, size), "cuMemcpyDtoH")
        return self.host


def run(kernel, grid, arguments, constants, **options):
    kinds = {np.dtype(np.float32): "*fp32", np.dtype(np.float16): "*fp16", np.dtype(np.int32): "*i32"}
    signature, values = {}, []
    for name, value in zip(kernel.arg_names, arguments):
        if isinstance(value, Array):
            signature[name], value = kinds[value.host.dtype], value.at
        elif isinstance(value, float):
            signature[name], value = "fp32", ctypes.c_float(value)
        else:
            signature[name], value = "i32", ctypes.c_int(value)
        values.append(value)
    signature.update({name: "constexpr" for name in constants})
    made = triton.compile(ASTSource(kernel, signature, constexprs=constants), target=TARGET, options=options)
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    check(cu.cuModuleLoadData(ctypes.byref(module), made.asm["cubin"]), "cuModuleLoadData")
    name = made.metadata.name.encode()
    check(cu.cuModuleGetFunction(ctypes.byref(function), module, name), "cuModuleGetFunction")
    if made.metadata.shared > 48 << 10:
        check(cu.cuFuncSetAttribute(function, 8, made.metadata.shared), "cuFuncSetAttribute")
    # Two more of Triton's own: scratch memory of the grid and of its profiler.
    values += [ctypes.c_uint64(0), ctypes.c_uint64(0)]
    pointers = (ctypes.c_void_p * len(values))(*[ctypes.cast(ctypes.byref(v), ctypes.c_void_p) for v in values])
    threads = 32 * made.metadata.num_warps
    check(cu.cuLaunchKernel(function, grid, 1, 1, threads, 1, 1, made.metadata.shared, None, pointers, None), "launch")
    check(cu.cuCtxSynchronize(), name.decode())


def compare(what, found, expected, tolerance):
    error = float(np.abs(found.astype(np.float64) - expected.astype(np.float64)).max())
    if not error <= tolerance:
        sys.exit(f"{what}: largest error {error}, more than {tolerance}")
    print(f"{what}: right")


random = np.random.default_rng(5)
n = 98432
x, y = (random.random(n, dtype=np.float32) for _ in range(2))
out = Array(np.zeros(n, np.float32))
run(add, (n + 1023) // 1024, [Array(x), Array(y), out, n], {"BLOCK": 1024})
compare("01 vector add", out.back(), x + y, 0)

rows, cols = 183, 781
x = random.standard_normal((rows, cols)).astype(np.float32)
out = Array(np.zeros_like(x))
run(softmax, 64, [out, Array(x), cols, cols, rows, cols], {"BLOCK": 1024, "STAGES": 2}, num_warps=8)
e = np.exp(x - x.max(1, keepdims=True))
compare("02 softmax", out.back(), e / e.sum(1, keepdims=True), 1e-6)

M, N, K = 130, 96, 80
a, b = (random.standard_normal(s).astype(np.float16) for s in ((M, K), (K, N)))
out = Array(np.zeros((M, N), np.float16))
shape = {"BM": 64, "BN": 32, "BK": 32, "GROUP": 2, "LEAKY": True}
run(matmul, 3 * 3, [Array(a), Array(b), out, M, N, K, K, N, N], shape, num_warps=4, num_stages=3)
expected = a.astype(np.float32) @ b.astype(np.float32)
compare("03 matmul", out.back(), np.where(expected >= 0, expected, 0.01 * expected), 0.03)

M, N, GROUP = 151, 1000, 16
x = (-2.3 + 0.5 * random.standard_normal((M, N))).astype(np.float32)
w, b = (random.random(N, dtype=np.float32) for _ in range(2))
dy = (0.1 * random.standard_normal((M, N))).astype(np.float32)
X, W, Y = Array(x), Array(w), Array(np.zeros_like(x))
mean, rstd = (Array(np.zeros(M, np.float32)) for _ in range(2))
run(norm, M, [X, Y, W, Array(b), mean, rstd, N, N, 1e-5], {"BLOCK": 512})
mu, r = x.mean(1, keepdims=True), 1 / np.sqrt(x.var(1, keepdims=True) + 1e-5)
hat = (x - mu) * r
compare("05 layer norm", Y.back(), hat * w + b, 1e-4)
dx = Array(np.zeros_like(x))
dw, db = (Array(np.zeros((GROUP, N), np.float32)) for _ in range(2))
lock = Array(np.zeros(2 * GROUP, np.int32))
constants = {"GROUP": GROUP, "BLOCK": 1024}
run(norm_back, M, [dx, Array(dy), dw, db, X, W, mean, rstd, lock, N, N], constants, num_warps=4)
g = w * dy
expected = (g - (hat * (hat * g).mean(1, keepdims=True) + g.mean(1, keepdims=True))) * r
compare("05 gradient of the input", dx.back(), expected, 1e-4)
sum_w, sum_b = (Array(np.zeros(N, np.float32)) for _ in range(2))
run(column_sums, (N + 127) // 128, [dw, db, sum_w, sum_b, GROUP, N], {"BM": 32, "BN": 128})
compare("05 gradient of the weights", sum_w.back(), (dy * hat).sum(0), 1e-4)
compare("05 gradient of the bias", sum_b.back(), dy.sum(0), 1e-4)
