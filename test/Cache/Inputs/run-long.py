# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches a kernel for some seconds, and says whether all results are right."""
import ctypes
import sys
import time

cuda = ctypes.CDLL(sys.argv[1])
SECONDS = float(sys.argv[2])
COUNT = 15000
TEXT = b""".version 8.0
.target sm_80
.address_size 64
.visible .entry spin(.param .u64 out, .param .u32 n)
{
  .reg .b32 %r<6>; .reg .b64 %rd1; .reg .pred %p;
  ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n];
  mov.u32 %r2, 0; mov.u32 %r3, 0;
LOOP:
  xor.b32 %r4, %r3, %r2; add.u32 %r2, %r4, %r2; add.u32 %r3, %r3, 1;
  setp.lt.u32 %p, %r3, %r1;
  @%p bra LOOP;
  mov.u32 %r5, %tid.x; mad.wide.u32 %rd1, %r5, 4, %rd1;
  st.global.u32 [%rd1], %r2;
  ret;
}
"""


def check(result):
    assert result == 0, result


def expected():
    total = 0
    for i in range(COUNT):
        total = (total + (i ^ total)) & 0xffffffff
    return total


context, module = ctypes.c_void_p(), ctypes.c_void_p()
function, out = ctypes.c_void_p(), ctypes.c_uint64()
check(cuda.cuInit(0))
check(cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0))
check(cuda.cuModuleLoadData(ctypes.byref(module), TEXT))
check(cuda.cuModuleGetFunction(ctypes.byref(function), module, b"spin"))
check(cuda.cuMemAlloc_v2(ctypes.byref(out), 128))
number = ctypes.c_uint32(COUNT)
params = (ctypes.c_void_p * 2)(ctypes.addressof(out), ctypes.addressof(number))
right, want, end = True, expected(), time.time() + SECONDS
while time.time() < end:
    check(cuda.cuMemsetD8_v2(out, 0, ctypes.c_size_t(128)))
    check(cuda.cuLaunchKernel(function, 2000, 1, 1, 32, 1, 1, 0, None, params,
                              None))
    result = (ctypes.c_uint32 * 32)()
    check(cuda.cuMemcpyDtoH_v2(result, out, ctypes.c_size_t(128)))
    right &= list(result) == [want] * 32
print("right" if right else "wrong", file=sys.stderr)
