# Numba's own compiler and launcher over the Driver API: kernels, device functions, shared memory, reductions, atomics and
# managed arrays, compared with NumPy.
import sys

import numpy as np
from numba import cuda

random = np.random.default_rng(7)


def judge(what, right):
    if not right:
        sys.exit(f"{what}: wrong")
    print(f"{what}: right")


@cuda.jit
def add(a, b, c):
    i = cuda.grid(1)
    if i < c.size:
        c[i] = a[i] + b[i]


@cuda.jit(device=True)
def square(x):
    return x * x


@cuda.jit
def reverse_squares(a, c):
    tile = cuda.shared.array(64, dtype=np.float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    tile[t] = square(a[i])
    cuda.syncthreads()
    c[i] = tile[63 - t]


@cuda.jit
def histogram(values, bins):
    i = cuda.grid(1)
    if i < values.size:
        cuda.atomic.add(bins, values[i], 1)


@cuda.reduce
def total(x, y):
    return x + y


a, b = random.standard_normal((2, 10000)).astype(np.float32)
c = np.zeros_like(a)
add[(a.size + 127) // 128, 128](a, b, c)
judge("sum of two", (c == a + b).all())
reverse_squares[4, 64](a[:256], c[:256])
judge("device function and shared memory", (c[:256] == (a[:256] ** 2).reshape(4, 64)[:, ::-1].ravel()).all())
values = random.integers(0, 16, 5000)
bins = cuda.to_device(np.zeros(16, dtype=np.int32))
histogram[40, 128](values, bins)
judge("atomics", (bins.copy_to_host() == np.bincount(values, minlength=16)).all())
judge("reduction", total(np.arange(1000.0)) == 499500.0)
managed = cuda.managed_array(1000, dtype=np.float32)
managed[:] = a[:1000]
add[8, 128](managed, managed, managed)
cuda.synchronize()
judge("managed array", (np.asarray(managed) == 2 * a[:1000]).all())
