# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Links PTX of three files, loads the image twice and runs a kernel of it.

    separate.py LIBCUDA FOLDER
"""
import ctypes
import os
import sys

cuda = ctypes.CDLL(sys.argv[1])


def check(result):
    assert result == 0, result


context, link = ctypes.c_void_p(), ctypes.c_void_p()
check(cuda.cuInit(0))
check(cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0))
check(cuda.cuLinkCreate_v2(0, None, None, ctypes.byref(link)))
for name in ("main.ptx", "steps.ptx", "tables.ptx"):
    text = open(os.path.join(sys.argv[2], name), "rb").read()
    check(cuda.cuLinkAddData_v2(link, 1, text, ctypes.c_size_t(len(text)),
                                name.encode(), 0, None, None))
image, size = ctypes.c_void_p(), ctypes.c_size_t()
check(cuda.cuLinkComplete(link, ctypes.byref(image), ctypes.byref(size)))
kept = ctypes.string_at(image, size.value)  # the linker's own goes with it
check(cuda.cuLinkDestroy(link))


def number(module, name):
    address, size = ctypes.c_uint64(), ctypes.c_size_t()
    value = ctypes.c_int32()
    check(cuda.cuModuleGetGlobal_v2(ctypes.byref(address), ctypes.byref(size),
                                    module, name.encode()))
    assert size.value == 4, size
    check(cuda.cuMemcpyDtoH_v2(ctypes.byref(value), address,
                               ctypes.c_size_t(4)))
    return value.value


for _ in range(2):
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    out = (ctypes.c_int32 * 32)()
    pointer = ctypes.c_uint64(ctypes.addressof(out))
    params = (ctypes.c_void_p * 1)(ctypes.addressof(pointer))
    check(cuda.cuModuleLoadData(ctypes.byref(module), kept))
    check(cuda.cuModuleGetFunction(ctypes.byref(function), module, b"run"))
    check(cuda.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, None, params,
                              None))
    check(cuda.cuCtxSynchronize())
    squares = [(2 * i * (i % 4 + 1)) ** 2 for i in range(32)]
    print("right" if list(out) == [max(20, x) for x in squares] else "wrong")
    # A name of one file is found where no other file has it.
    seen = [line.split()[4] for line in kept.decode().splitlines()
            if line.startswith(".global") and "seen" in line]
    print("total", number(module, "total"), "visits", number(module, "visits"),
          "seen", *[number(module, name) for name in seen])
    check(cuda.cuModuleUnload(module))
