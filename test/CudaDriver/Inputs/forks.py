# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forks before and behind cuInit.

    forks.py LIBCUDA
"""
import ctypes
import os
import sys

TEXT = b""".version 8.0
.target sm_80
.address_size 64
.visible .entry fill(.param .u64 out)
{
  .reg .b32 %r; .reg .b64 %rd<3>;
  mov.u32 %r, %tid.x; ld.param.u64 %rd1, [out];
  mad.wide.u32 %rd2, %r, 4, %rd1; st.global.u32 [%rd2], %r;
  ret;
}
"""
cuda = ctypes.CDLL(sys.argv[1])


def run(who):
    context, module, function = (ctypes.c_void_p() for _ in range(3))
    out = (ctypes.c_uint32 * 64)()
    value = ctypes.c_uint64(ctypes.addressof(out))
    params = (ctypes.c_void_p * 1)(ctypes.addressof(value))
    result = cuda.cuInit(0)
    result = result or cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0)
    result = result or cuda.cuModuleLoadData(ctypes.byref(module), TEXT)
    result = result or cuda.cuModuleGetFunction(ctypes.byref(function), module,
                                                b"fill")
    result = result or cuda.cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, None,
                                           params, None)
    result = result or cuda.cuCtxSynchronize()
    right = list(out) == list(range(64))
    print(f"{who}: result {result}, {'right' if right else 'nothing'}",
          flush=True)


def in_child(who):
    child = os.fork()
    if child == 0:
        run(who)
        sys.exit(0)
    os.waitpid(child, 0)


in_child("child before cuInit")
run("parent")
in_child("child behind cuInit")
run("parent again")
