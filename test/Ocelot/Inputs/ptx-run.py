# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls ptx_run as frameworks do: values in the bytes of pointers."""
import ctypes
import struct
import sys

ocelot = ctypes.CDLL(sys.argv[1])

HEAD = ".version 7.5\n.target sm_75\n.address_size 64\n"
ADD = HEAD + """
.visible .entry add(.param .u64 data, .param .u32 value, .param .f32 scale)
{
  .reg .b32 %r<6>; .reg .b64 %rd<4>; .reg .f32 %f<3>; .reg .pred %p;
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r1, %r2, %r3, %r1;
  ld.param.u64 %rd1, [data]; ld.param.u32 %r2, [value];
  ld.param.f32 %f1, [scale];
  mad.wide.u32 %rd2, %r1, 4, %rd1;
  setp.eq.f32 %p, %f1, 0f00000000;
  add.u32 %r2, %r2, %r1;
  @%p st.global.u32 [%rd2], %r2;
  @%p ret;
  cvt.rn.f32.u32 %f2, %r1;
  mul.f32 %f2, %f2, %f1;
  st.global.f32 [%rd2], %f2;
  ret;
}
.visible .entry second() { trap; }
"""


def run(text, args, block, grid):
    values = (ctypes.c_void_p * max(len(args), 1))(*args)
    ocelot.ptx_run(ctypes.c_char_p(text.encode()), len(args), values,
                   *block, *grid, 0)
    sys.stdout.flush()


def bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


ints = (ctypes.c_uint32 * 8)()
run(ADD, [ctypes.addressof(ints), 100, bits(0.0)], (4, 1, 1), (2, 1, 1))
print("sums:", *ints[:4], flush=True)
floats = (ctypes.c_float * 8)()
run(ADD, [ctypes.addressof(floats), 0, bits(1.5)], (4, 1, 1), (2, 1, 1))
print("scaled:", *floats[:3], flush=True)
run(ADD, [0, 0], (1, 1, 1), (1, 1, 1))
run(HEAD.replace("\n", " ") + "\n\n.entry k() { nop; }", [], (1, 1, 1), (1, 1, 1))
run(HEAD, [], (1, 1, 1), (1, 1, 1))
run(ADD, [8, 0, bits(0.0)], (1, 1, 1), (1, 1, 1))
print("still alive")
