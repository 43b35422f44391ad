# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel with so many multiplications by numbers that all threads share."""
import sys

print(""".version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
  .reg .b64 %in, %out;
  .reg .b32 %t;
  .reg .f32 %x, %y, %s;
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  mov.u32 %t, %tid.x;
  mad.wide.u32 %out, %t, 4, %out;
  ld.global.f32 %x, [%out];
  mov.f32 %y, %x;""")
for i in range(int(sys.argv[1])):
    print(f"  ld.global.f32 %s, [%in + {4 * i}];\n  fma.rn.f32 %y, %x, %s, %y;")
print("  st.global.f32 [%out], %y;\n  ret;\n}")
