# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cooperative launches of as many CTAs as the device holds, which are more than
any worker runs at once, and of one more.

    cooperative.py LIBCUDA PTX
"""
import ctypes
import sys

cuda = ctypes.CDLL(sys.argv[1])
text = open(sys.argv[2], "rb").read()


def check(result):
    assert result == 0, result


context, module, function = (ctypes.c_void_p() for _ in range(3))
check(cuda.cuInit(0))
check(cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0))
check(cuda.cuModuleLoadData(ctypes.byref(module), text))
check(cuda.cuModuleGetFunction(ctypes.byref(function), module, b"rounds"))
per_sm, sms = ctypes.c_int(), ctypes.c_int()
check(cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(
    ctypes.byref(per_sm), function, 64, ctypes.c_size_t(0)))
check(cuda.cuDeviceGetAttribute(ctypes.byref(sms), 16, 0))
most = per_sm.value * sms.value
for ctas, threads, n in ((1, 32, 3), (5, 64, 4), (most, 64, 3), (most + 1, 64, 3)):
    parts, sums = (ctypes.c_uint32 * ctas)(), (ctypes.c_uint32 * ctas)()
    values = [ctypes.c_uint64(ctypes.addressof(parts)),
              ctypes.c_uint64(ctypes.addressof(sums)), ctypes.c_uint32(n)]
    params = (ctypes.c_void_p * 3)(*[ctypes.addressof(v) for v in values])
    result = cuda.cuLaunchCooperativeKernel(function, ctas, 1, 1, threads, 1, 1,
                                            0, None, params)
    if ctas > most:
        assert result == 720, result  # COOPERATIVE_LAUNCH_TOO_LARGE
        print("one more is refused")
        break
    check(result)
    check(cuda.cuCtxSynchronize())
    last = 0
    for _ in range(n):
        last = sum(i + last for i in range(ctas)) % 7
    assert list(sums) == [last] * ctas, (ctas, last, list(sums)[:8])
    print(ctas, "CTAs, result", last)
