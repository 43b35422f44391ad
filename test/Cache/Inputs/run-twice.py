# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches a kernel, looks at what it did, lets it fail, and tells whether
LLVM was opened."""
import ctypes
import sys

cuda = ctypes.CDLL(sys.argv[1])
TEXT = b""".version 8.0
.target sm_80
.address_size 64
.global .align 4 .u32 table[2] = {100, 200};
.visible .entry sum(.param .u64 out, .param .u32 value)
{
  .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p;
  .shared .align 4 .b8 cell[4];
  mov.u32 %r2, %tid.x;
  ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [value];
  setp.ne.u32 %p, %r2, 1;
  @%p bra GO;
  ld.global.u32 %r3, [table]; add.u32 %r1, %r1, %r3;
GO:
  bar.sync 0;
  mad.wide.u32 %rd2, %r2, 4, %rd1;
  st.global.u32 [%rd2], %r1;
  ret;
}
"""


def check(result):
    assert result == 0, result


context, module = ctypes.c_void_p(), ctypes.c_void_p()
function, out = ctypes.c_void_p(), ctypes.c_uint64()
check(cuda.cuInit(0))
check(cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0))
check(cuda.cuModuleLoadData(ctypes.byref(module), TEXT))
check(cuda.cuModuleGetFunction(ctypes.byref(function), module, b"sum"))
check(cuda.cuMemAlloc_v2(ctypes.byref(out), 256))


def launch(pointer):
    value = ctypes.c_uint32(7)
    params = (ctypes.c_void_p * 2)(ctypes.addressof(pointer),
                                   ctypes.addressof(value))
    check(cuda.cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, None, params,
                              None))
    return cuda.cuCtxSynchronize()


check(launch(out))
result = (ctypes.c_uint32 * 2)()
check(cuda.cuMemcpyDtoH_v2(result, out, ctypes.c_size_t(8)))
print("fill(7) ->", *result, file=sys.stderr, flush=True)
assert launch(ctypes.c_uint64(8)) == 700
with open("/proc/self/maps") as f:
    print("LLVM:", "libptxjit-compiler" in f.read(), file=sys.stderr)
