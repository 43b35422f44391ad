# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Faults of kernels in a Python process that has handlers of its own.

    faults.py LIBCUDA
"""
import ctypes
import faulthandler
import sys

PTX = b""".version 8.0
.target sm_80
.address_size 64
.visible .entry store(.param .u64 p) {
  .reg .b64 %rd; .reg .b32 %r;
  ld.param.u64 %rd, [p];
  mov.u32 %r, %tid.x;
  mad.wide.u32 %rd, %r, 4, %rd;
  st.global.u32 [%rd], 1;
  ret;
}
"""
cuda = ctypes.CDLL(sys.argv[1])


def check(result, expected=0):
    assert result == expected, (result, expected)


def run(address):
    context, module, function = (ctypes.c_void_p() for _ in range(3))
    check(cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0))
    check(cuda.cuModuleLoadData(ctypes.byref(module), PTX))
    check(cuda.cuModuleGetFunction(ctypes.byref(function), module, b"store"))
    value = ctypes.c_uint64(address)
    params = (ctypes.c_void_p * 1)(ctypes.addressof(value))
    check(cuda.cuLaunchKernel(function, 4, 1, 1, 64, 1, 1, 0, None, params,
                              None))
    result = cuda.cuCtxSynchronize()
    check(cuda.cuCtxDestroy_v2(context))
    return result


check(cuda.cuInit(0))
faulthandler.enable()
for _ in range(20):
    check(run(4096), 700)
faulthandler.disable()
check(run(4096), 700)
faulthandler.enable()
good = (ctypes.c_uint32 * 64)()
for _ in range(5):
    check(run(ctypes.addressof(good)))
    check(run(8192), 700)
assert sum(good) == 64
print("alive")
sys.stdout.flush()
# What is not a kernel's fault is Python's to report.
ctypes.string_at(16)
