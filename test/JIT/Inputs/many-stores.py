# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel that fills an array of local memory with so many pairs of constants, and
reads one, whose number is an argument."""

import sys

n = int(sys.argv[1])
print(f"""\
.version 8.0
.target sm_80
.address_size 64
.visible .entry table(.param .u64 out, .param .u32 which)
{{
  .local .align 16 .b8 cells[{16 * n}];
  .reg .b32 %w; .reg .b64 %cells, %at, %out, %x, %i;
  mov.u64 %cells, cells;
  ld.param.u64 %out, [out]; ld.param.u32 %w, [which];""")
for i in range(n):
    print(f"  mov.u64 %i, {i * i + 1}; st.local.u64 [%cells+{16 * i}], %i;")
    print(f"  st.local.u64 [%cells+{16 * i + 8}], {i};")
print("""\
  mul.wide.u32 %at, %w, 16;
  add.s64 %at, %cells, %at;
  ld.local.u64 %x, [%at];
  st.global.u64 [%out], %x;
  ret;
}""")
