"""Kernels written in Triton's language, compiled to PTX for compute capabilities 8.0 and 9.0 into the directory in
argv[1]. No GPU is needed: the target is given. Assembling the PTX afterwards is not wanted, so that stage's failure is
none."""
import os
import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.store(out + i, tl.load(x + i, mask=m) + tl.load(y + i, mask=m), mask=m)


@triton.jit
def softmax(x, out, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * stride + i, mask=i < n, other=-float("inf")).to(tl.float32)
    e = tl.exp(v - tl.max(v, 0))
    tl.store(out + row * stride + i, e / tl.sum(e, 0), mask=i < n)


@triton.jit
def layer_norm(x, w, b, out, stride, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    m = i < n
    v = tl.load(x + row * stride + i, mask=m, other=0).to(tl.float32)
    mean = tl.sum(v, 0) / n
    d = tl.where(m, v - mean, 0.0)
    r = 1 / tl.sqrt(tl.sum(d * d, 0) / n + eps)
    y = d * r * tl.load(w + i, mask=m).to(tl.float32) + tl.load(b + i, mask=m).to(tl.float32)
    tl.store(out + row * stride + i, y, mask=m)


@triton.jit
def gelu(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n).to(tl.float32)
    tl.store(out + i, 0.5 * v * (1 + tl.erf(v * 0.7071067811865475)), mask=i < n)


@triton.jit
def dropout(x, out, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    keep = tl.rand(seed, i) > p
    tl.store(out + i, tl.where(keep, v / (1 - p), 0.0), mask=i < n)


@triton.jit
def cumulative(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + tl.program_id(0) * n + i, mask=i < n, other=0)
    tl.store(out + tl.program_id(0) * n + i, tl.cumsum(v, 0), mask=i < n)


@triton.jit
def sort_rows(x, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.sort(tl.load(x + i)))


@triton.jit
def argmax(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + tl.program_id(0) * n + i, mask=i < n, other=-float("inf"))
    tl.store(out + tl.program_id(0), tl.argmax(v, 0))


@triton.jit
def histogram(x, out, n, BLOCK: tl.constexpr, BINS: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    h = tl.histogram(tl.load(x + i), BINS)
    tl.atomic_add(out + tl.arange(0, BINS), h)


@triton.jit
def atomics(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.atomic_add(out + i % 64, v, mask=i < n)
    tl.atomic_max(out + 64, tl.max(v, 0))


@triton.jit
def lock(turn, total):
    while tl.atomic_cas(turn, 0, 1) == 1:
        pass
    tl.store(total, tl.load(total) + 1)
    tl.debug_barrier()
    tl.atomic_xchg(turn, 0)


@triton.jit
def transpose(x, out, M, N, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    c = tl.program_id(1) * BN + tl.arange(0, BN)
    v = tl.load(x + r[:, None] * N + c[None, :], mask=(r[:, None] < M) & (c[None, :] < N))
    tl.store(out + c[:, None] * M + r[None, :], tl.trans(v), mask=(c[:, None] < N) & (r[None, :] < M))


@triton.jit
def matmul(a, b, c, M, N, K, sa, sb, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        x = tl.load(a + rm[:, None] * sa + (k + rk)[None, :], mask=(k + rk)[None, :] < K, other=0.0)
        y = tl.load(b + (k + rk)[:, None] * sb + rn[None, :], mask=(k + rk)[:, None] < K, other=0.0)
        acc += tl.dot(x, y)
    tl.store(c + rm[:, None] * sc + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def attention(q, k, v, out, n, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rd = tl.arange(0, D)
    x = tl.load(q + rm[:, None] * D + rd[None, :])
    top = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for j in range(0, n, BN):
        rn = j + tl.arange(0, BN)
        s = tl.dot(x, tl.trans(tl.load(k + rn[:, None] * D + rd[None, :]))) * scale
        s = tl.where(rm[:, None] >= rn[None, :], s, -float("inf"))
        new = tl.maximum(top, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        shrink = tl.exp(top - new)
        total = total * shrink + tl.sum(p, 1)
        y = tl.load(v + rn[:, None] * D + rd[None, :])
        acc = acc * shrink[:, None] + tl.dot(p.to(y.dtype), y)
        top = new
    tl.store(out + rm[:, None] * D + rd[None, :], acc / total[:, None])


FLOATS = ["fp16", "bf16", "fp32"]
JOBS = []
for t in FLOATS + ["fp64", "i32", "i64", "i8"]:
    JOBS.append((add, {"x": f"*{t}", "y": f"*{t}", "out": f"*{t}", "n": "i32"}, {"BLOCK": 1024}))
    JOBS.append((transpose, {"x": f"*{t}", "out": f"*{t}", "M": "i32", "N": "i32"}, {"BM": 32, "BN": 32}))
for t in FLOATS:
    two = {"x": f"*{t}", "out": f"*{t}"}
    JOBS.append((softmax, {**two, "stride": "i32", "n": "i32"}, {"BLOCK": 1024}))
    JOBS.append((layer_norm, {"x": f"*{t}", "w": f"*{t}", "b": f"*{t}", "out": f"*{t}", "stride": "i32", "n": "i32",
                              "eps": "fp32"}, {"BLOCK": 512}))
    JOBS.append((gelu, {**two, "n": "i32"}, {"BLOCK": 512}))
    JOBS.append((dropout, {**two, "n": "i32", "p": "fp32", "seed": "i32"}, {"BLOCK": 1024}))
    JOBS.append((argmax, {"x": f"*{t}", "out": "*i32", "n": "i32"}, {"BLOCK": 1024}))
    JOBS.append((matmul, {"a": f"*{t}", "b": f"*{t}", "c": "*fp32", **{s: "i32" for s in ("M", "N", "K", "sa", "sb", "sc")}},
                 {"BM": 64, "BN": 64, "BK": 32}))
    JOBS.append((attention, {"q": f"*{t}", "k": f"*{t}", "v": f"*{t}", "out": "*fp32", "n": "i32", "scale": "fp32"},
                 {"D": 64, "BM": 64, "BN": 64}))
for t in ["fp32", "i32", "i64"]:
    JOBS.append((cumulative, {"x": f"*{t}", "out": f"*{t}", "n": "i32"}, {"BLOCK": 1024}))
    JOBS.append((sort_rows, {"x": f"*{t}", "out": f"*{t}"}, {"BLOCK": 256}))
    JOBS.append((atomics, {"x": f"*{t}", "out": f"*{t}", "n": "i32"}, {"BLOCK": 1024}))
JOBS.append((histogram, {"x": "*i32", "out": "*i32", "n": "i32"}, {"BLOCK": 1024, "BINS": 128}))
JOBS.append((lock, {"turn": "*i32", "total": "*i32"}, {}))

done = 0
for capability in (80, 90):
    for number, (kernel, signature, constants) in enumerate(JOBS):
        kept = {}
        target = GPUTarget("cuda", capability, 32)
        try:
            signature = {**signature, **{name: "constexpr" for name in constants}}
            source = ASTSource(fn=kernel, signature=signature, constexprs=constants)
            # Every stage's text goes to the cache, and stays there when a later stage fails.
            compiled = triton.compile(source, target=target)
            kept = compiled.asm
        except Exception as error:
            print(f"triton: {kernel.__name__}: {str(error).splitlines()[0] if str(error) else type(error)}")
            continue
        with open(os.path.join(sys.argv[1], f"{kernel.__name__}-{number}-{capability}.ptx"), "w") as out:
            out.write(kept["ptx"])
        done += 1
sys.exit(0 if done else 1)
