# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The PTX that the tests of the Python package load."""

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"

# y += a * x
SAXPY = HEAD + """
.visible .entry saxpy(.param .u64 x, .param .u64 y, .param .f32 a,
                      .param .u32 n)
{
  .reg .b32 %r<6>; .reg .b64 %rd<6>; .reg .pred %p; .reg .f32 %f<4>;
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  ld.param.u32 %r5, [n];
  setp.ge.u32 %p, %r4, %r5;
  @%p ret;
  ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; ld.param.f32 %f1, [a];
  mad.wide.u32 %rd1, %r4, 4, %rd1;
  mad.wide.u32 %rd2, %r4, 4, %rd2;
  ld.global.f32 %f2, [%rd1];
  ld.global.f32 %f3, [%rd2];
  fma.rn.f32 %f3, %f1, %f2, %f3;
  st.global.f32 [%rd2], %f3;
  ret;
}
"""


def make_store(kind, count=1):
    """A kernel `store` that writes its second parameter, of a type, to where the
    first one points."""
    width = int(kind.lstrip("usbf"))
    array = f"[{count}]" if count != 1 else ""
    moves = "\n".join(
        f"ld.param.b{width} %v, [v+{at}]; st.global.b{width} [%to+{at}], %v;"
        for at in range(0, count * width // 8, width // 8))
    register = max(width, 16)
    return HEAD + f"""
.visible .entry store(.param .u64 to, .param .align 8 .{kind} v{array})
{{
  .reg .b64 %to; .reg .b{register} %v;
  ld.param.u64 %to, [to];
  {moves}
  ret;
}}
"""


# Waits until the flag is set, and then stores 7 behind it.
WAIT = HEAD + """
.visible .entry wait(.param .u64 flag)
{
  .reg .b64 %at; .reg .b32 %v; .reg .pred %p;
  ld.param.u64 %at, [flag];
again:
  ld.acquire.sys.global.u32 %v, [%at];
  setp.eq.u32 %p, %v, 0;
  @%p bra again;
  st.global.u32 [%at+4], 7;
  ret;
}
.visible .entry nothing() { ret; }
.visible .entry sizes(.param .u64 to)
{
  .reg .b64 %at; .reg .b32 %v;
  ld.param.u64 %at, [to];
  mov.u32 %v, %nctaid.x; st.global.u32 [%at], %v;
  mov.u32 %v, %nctaid.y; st.global.u32 [%at+4], %v;
  mov.u32 %v, %ntid.x; st.global.u32 [%at+8], %v;
  mov.u32 %v, %ntid.z; st.global.u32 [%at+12], %v;
  mov.u32 %v, %dynamic_smem_size; st.global.u32 [%at+16], %v;
  ret;
}
"""
