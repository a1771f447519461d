# CuPy's kernels, made by NVRTC while it runs, over runtime and Driver API, compared with NumPy.
import sys

import cupy
import numpy as np

random = np.random.default_rng(7)


def judge(what, right):
    if not right:
        sys.exit(f"{what}: wrong")
    print(f"{what}: right")


a, b = random.random((2, 300, 200)).astype(np.float32)
x, y = cupy.asarray(a), cupy.asarray(b)
judge("elements", np.allclose(cupy.asnumpy(cupy.exp(x) * y + cupy.sin(x)), np.exp(a) * b + np.sin(a), rtol=1e-5))
judge("sums of columns", np.allclose(x.sum(axis=0).get(), a.sum(axis=0), rtol=1e-4))
raw = cupy.RawKernel(
    'extern "C" __global__ void square(const float *a, float *b, int n)'
    "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) b[i] = a[i] * a[i]; }",
    "square",
)
z = cupy.empty_like(x)
raw((235,), (256,), (x, z, np.int32(x.size)))
judge("raw kernel", (z.get() == a * a).all())
module = cupy.RawModule(
    code="template<typename T> __global__ void fma3(const T *a, const T *b, T *c, int n) { __shared__ T s[256];"
    " int i = blockIdx.x * 256 + threadIdx.x; s[threadIdx.x] = i < n ? a[i] : T(0); __syncthreads();"
    " if (i < n) c[i] = s[threadIdx.x] * b[i] + T(1); }",
    options=("-std=c++17",),
    name_expressions=["fma3<double>"],
)
p, q = x.astype(cupy.float64), y.astype(cupy.float64)
r = cupy.empty_like(p)
module.get_function("fma3<double>")((235,), (256,), (p, q, r, np.int32(p.size)))
judge("template", np.allclose(r.get(), a.astype(np.float64) * b + 1))
distance = cupy.ElementwiseKernel("float32 x, float32 y", "float32 z", "z = (x - y) * (x - y)", "distance")
judge("elementwise kernel", np.allclose(distance(x, y).get(), (a - b) ** 2))
norm = cupy.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
judge("reduction kernel", np.allclose(float(norm(x)), np.sqrt((a.astype(np.float64) ** 2).sum()), rtol=1e-4))
