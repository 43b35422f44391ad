# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a kernel whose threads look up a table, each place being what they
found before. The number of look-ups is the argument."""
import sys

print(""".version 8.0
.target sm_80
.address_size 64
.visible .entry walk(.param .u64 table, .param .u64 out)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [table];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %r1;""")
for i in range(int(sys.argv[1])):
    print(f"""  mad.lo.u32 %r2, %r2, 5, {i};
  and.b32 %r2, %r2, 1023;
  mul.wide.u32 %rd3, %r2, 4;
  add.s64 %rd4, %rd1, %rd3;
  ld.global.u32 %r2, [%rd4];""")
print("""  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd2, %rd3;
  st.global.u32 [%rd4], %r2;
  ret;
}""")
