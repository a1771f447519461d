# cuda-python: the Driver API by cuda.bindings, and cuda.core over it, with PTX from a text.
import sys

import numpy as np
from cuda.bindings import driver
from cuda.core import Device, LaunchConfig, ObjectCode, launch

PTX = """.version 8.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 p, .param .f32 by)
{
    .reg .b32 %r<4>; .reg .f32 %f<3>; .reg .b64 %d<4>;
    ld.param.u64 %d1, [p]; ld.param.f32 %f1, [by];
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
    mad.lo.u32 %r1, %r1, %r2, %r3;
    mul.wide.u32 %d2, %r1, 4; add.u64 %d3, %d1, %d2;
    ld.global.f32 %f2, [%d3]; mul.f32 %f2, %f2, %f1; st.global.f32 [%d3], %f2;
    ret;
}
"""


def check(result):
    error, *values = result
    if error != driver.CUresult.CUDA_SUCCESS:
        sys.exit(str(error))
    return values[0] if len(values) == 1 else values


def judge(what, right):
    if not right:
        sys.exit(f"{what}: wrong")
    print(f"{what}: right")


host = np.arange(1024, dtype=np.float32)
back = np.zeros_like(host)
check(driver.cuInit(0))
device = check(driver.cuDeviceGet(0))
context = check(driver.cuDevicePrimaryCtxRetain(device))
check(driver.cuCtxSetCurrent(context))
module = check(driver.cuModuleLoadData(PTX.encode() + b"\0"))
kernel = check(driver.cuModuleGetFunction(module, b"scale"))
memory = check(driver.cuMemAlloc(host.nbytes))
check(driver.cuMemcpyHtoD(memory, host.ctypes.data, host.nbytes))
address, by = np.array([int(memory)], dtype=np.uint64), np.array([3], dtype=np.float32)
arguments = np.array([address.ctypes.data, by.ctypes.data], dtype=np.uint64)
check(driver.cuLaunchKernel(kernel, 8, 1, 1, 128, 1, 1, 0, 0, arguments.ctypes.data, 0))
check(driver.cuMemcpyDtoH(back.ctypes.data, memory, host.nbytes))
judge("driver bindings", (back == 3 * host).all())

here = Device(0)
here.set_current()
stream = here.create_stream()
scale = ObjectCode.from_ptx(PTX.encode()).get_kernel("scale")
launch(stream, LaunchConfig(grid=8, block=128), scale, int(memory), np.float32(0.5))
stream.sync()
check(driver.cuMemcpyDtoH(back.ctypes.data, memory, host.nbytes))
judge("core", (back == 1.5 * host).all())
check(driver.cuMemFree(memory))
