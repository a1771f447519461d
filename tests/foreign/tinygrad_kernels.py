# Kernels that tinygrad renders as PTX, on the device that DEV names (`NV:PTX`: cubins from nvJitLink, launched by raw
# ioctls and launch descriptors of its own; `CUDA:PTX`: the Driver API), compared with NumPy.
import sys

import numpy as np
from tinygrad import Device, Tensor, TinyJit, dtypes

random = np.random.default_rng(7)


def compare(what, found, expected, tolerance=0.0):
    error = float(np.abs(found.astype(np.float64) - expected.astype(np.float64)).max())
    if found.shape != expected.shape or not error <= tolerance:
        sys.exit(f"{what}: shape {found.shape}, largest error {error}, more than {tolerance}")
    print(f"{what}: right")


x, y = (random.standard_normal((3, 1000)).astype(np.float32) for _ in range(2))
compare("sum of two", (Tensor(x) + Tensor(y)).numpy(), x + y)
compare("row sums", Tensor(x).sum(axis=1).numpy(), x.sum(1), 1e-3)
e = np.exp(x - x.max(1, keepdims=True))
compare("softmax", Tensor(x).softmax().numpy(), e / e.sum(1, keepdims=True), 1e-6)
a, b = random.standard_normal((64, 48)).astype(np.float32), random.standard_normal((48, 80)).astype(np.float32)
compare("matmul", (Tensor(a) @ Tensor(b)).numpy(), a @ b, 1e-4)
half = Tensor(a, dtype=dtypes.float16) @ Tensor(b, dtype=dtypes.float16)
compare("matmul of halves", half.numpy(), a @ b, 0.1)
i = random.integers(-1000, 1000, 4097, dtype=np.int32)
compare("integers", ((Tensor(i) * 3 - 7) // 5).numpy(), (i * 3 - 7) // 5)


@TinyJit
def step(t):
    return ((t * 2).contiguous() + 1).realize()


for round in range(4):
    v = np.full(100, round, np.float32)
    found = step(Tensor(v).realize()).numpy()
    if not (found == v * 2 + 1).all():
        sys.exit(f"replayed graph, round {round}: {found}")
print("replayed graph: right")
print(Device.DEFAULT)
