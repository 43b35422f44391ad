# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a kernel whose warps keep 3,000 numbers of each lane at once."""
import sys

COUNT = 3000


def main():
    out = sys.stdout.write
    out(".version 8.0\n.target sm_80\n.address_size 64\n"
        ".visible .entry keeps(.param .u64 in, .param .u64 out)\n{\n"
        f"  .reg .b32 %r<4>; .reg .b32 %v<{COUNT + 1}>; .reg .b64 %rd<6>;\n"
        "  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];\n"
        "  mov.u32 %r1, %tid.x;\n"
        "  mad.wide.u32 %rd3, %r1, 4, %rd1;\n"
        "  mad.wide.u32 %rd4, %r1, 4, %rd2;\n"
        f"  ld.global.u32 %v{COUNT}, [%rd3];\n")
    for i in range(COUNT):
        out(f"  ld.global.u32 %v{i}, [%rd3+{4 * i}];\n")
    for i in reversed(range(COUNT)):
        out(f"  mad.lo.u32 %v{COUNT}, %v{COUNT}, 31, %v{i};\n")
    out(f"  st.global.u32 [%rd4], %v{COUNT};\n  ret;\n}}\n")


main()
