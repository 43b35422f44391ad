#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures how near mma.sync, wgmma and tcgen05.mma come to the CPU's peak.

One warp multiplies a tile of 64 x 64 again and again: 8 ldmatrix.x4, then 32
mma.sync, as the inner loop of a GEMM does. One warpgroup multiplies 64 x 256
from shared memory with a swizzle of 128 bytes: 4 wgmma, which are 128 bytes of
k, then a wait. One thread multiplies 128 x 256 in tensor memory from the same
layout: 4 tcgen05.mma and a commit. The peak is that of the CPU's instruction for the type, measured
in the same run by ptx-jit-roofline.
Prints a table: instruction, type, mode, time of one, rate, share of the peak.
"""
import argparse
import os
import re
import subprocess

ROWS, COLS = 4, 8  # mma tiles of 16 x 8
LOOPS = 4000
# Type, mode, row of the roofline, operations per lane of that row's
# instruction. Rows that this CPU lacks are left out.
CASES = [("bf16", "exact", "f32", 2), ("bf16", "fast", "bf16", 4),
         ("f16", "exact", "f32", 2), ("tf32", "exact", "f32", 2),
         ("s8", "exact", "int8", 8), ("s8", "exact", "int16", 4)]
SHAPES = {"bf16": ("m16n8k16", "f32.bf16.bf16.f32", 16),
          "f16": ("m16n8k16", "f32.f16.f16.f32", 16),
          "tf32": ("m16n8k8", "f32.tf32.tf32.f32", 8),
          "s8": ("m16n8k32", "s32.s8.s8.s32", 32)}


def kernel(ty):
    shape, types, _ = SHAPES[ty]
    kind = "b32" if ty == "s8" else "f32"
    sums = ROWS * COLS * 4

    def names(letter, first, count):
        return "{" + ", ".join(f"%{letter}{first + i}"
                               for i in range(count)) + "}"
    lines = [".version 8.0", ".target sm_80", ".address_size 64",
             ".visible .entry tile(.param .u64 out, .param .u32 n)", "{",
             f"  .reg .{kind} %c<{sums}>;",
             f"  .reg .b32 %a<{ROWS * 4}>, %b<{COLS * 2}>, %i, %n, %at, %t;",
             "  .reg .b64 %out, %lane; .reg .pred %more;",
             "  .shared .align 128 .b8 tiles[16384];",
             "  ld.param.u64 %out, [out];", "  ld.param.u32 %n, [n];",
             "  mov.u32 %t, %laneid;", "  mov.u32 %at, tiles;",
             "  mad.lo.u32 %at, %t, 16, %at;",
             "  mad.wide.u32 %out, %t, 4, %out;", "  mov.u32 %i, 0;"]
    lines += [f"  mov.b32 %c{i}, 0;" for i in range(sums)]
    lines.append("LOOP:")
    for m in range(ROWS):
        lines.append("  ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
                     f"{names('a', 4 * m, 4)}, [%at+{512 * m}];")
    for n in range(0, COLS, 2):
        lines.append("  ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
                     f"{names('b', 2 * n, 4)}, [%at+{8192 + 256 * n}];")
    for m in range(ROWS):
        for n in range(COLS):
            c = names("c", 4 * (m * COLS + n), 4)
            lines.append(f"  mma.sync.aligned.{shape}.row.col.{types} {c}, "
                         f"{names('a', 4 * m, 4)}, {names('b', 2 * n, 2)}, "
                         f"{c};")
    lines += ["  add.u32 %i, %i, 1;", "  setp.lt.u32 %more, %i, %n;",
              "  @%more bra LOOP;"]
    lines += [f"  st.global.{kind} [%out+{128 * i}], %c{i};"
              for i in range(sums)]
    return "\n".join(lines + ["  ret;", "}"]) + "\n"


# With AMX, a product of f16 is four of bf16.
WGMMA_CASES = [("bf16", "exact", "f32", 2), ("bf16", "fast", "bf16", 4),
               ("bf16", "fast", "bf16_tiles", 4),
               ("f16", "exact", "f32", 2), ("f16", "fast", "bf16_tiles", 1),
               ("tf32", "exact", "f32", 2),
               ("e4m3", "exact", "f32", 2), ("e4m3", "fast", "bf16_tiles", 4),
               ("e5m2", "exact", "f32", 2), ("e5m2", "fast", "bf16_tiles", 4),
               ("s8", "exact", "int8_tiles", 8), ("s8", "exact", "int8", 8),
               ("s8", "exact", "int16", 4)]
WGMMA_K = {"bf16": 16, "f16": 16, "tf32": 8, "e4m3": 32, "e5m2": 32, "s8": 32}
WGMMA_LOOPS = 500
TCGEN05_LOOPS = 200


def wgmma_kernel(ty):
    kind, result = ("b32", "s32") if ty == "s8" else ("f32", "f32")
    sums = ", ".join(f"%c{i}" for i in range(128))
    factors = {"s8": "", "bf16": ", 1, 1, 0, 0", "f16": ", 1, 1, 0, 0"}
    lines = [".version 8.0", ".target sm_90a", ".address_size 64",
             ".visible .entry tile(.param .u64 out, .param .u32 n)", "{",
             f"  .reg .{kind} %c<128>;",
             "  .reg .b32 %i, %n, %at, %t;",
             "  .reg .b64 %out, %a, %b, %x, %y; .reg .pred %more, %yes;",
             "  .shared .align 1024 .b8 tiles[40960];",
             "  ld.param.u64 %out, [out];", "  ld.param.u32 %n, [n];",
             "  mov.u32 %t, %tid.x;", "  mov.u32 %at, tiles;",
             "  mad.wide.u32 %out, %t, 4, %out;", "  mov.u32 %i, 0;",
             "  shr.u32 %at, %at, 4;", "  cvt.u64.u32 %a, %at;",
             # A swizzle of 128 bytes, 1024 bytes from 8 rows to the next.
             f"  add.u64 %a, %a, {1 << 62 | 64 << 32 | 1 << 16};",
             f"  add.u64 %b, %a, {8192 >> 4};",
             "  setp.eq.u32 %yes, %t, %t;"]
    lines += [f"  mov.b32 %c{i}, 0;" for i in range(128)]
    lines.append("LOOP:")
    for step in range(4):
        lines += [f"  add.u64 %x, %a, {2 * step};",
                  f"  add.u64 %y, %b, {2 * step};",
                  "  wgmma.mma_async.sync.aligned."
                  f"m64n256k{WGMMA_K[ty]}.{result}.{ty}.{ty} {{{sums}}}, %x, "
                  f"%y, %yes{factors.get(ty, ', 1, 1')};"]
    lines += ["  wgmma.commit_group.sync.aligned;",
              "  wgmma.wait_group.sync.aligned 0;",
              "  add.u32 %i, %i, 1;", "  setp.lt.u32 %more, %i, %n;",
              "  @%more bra LOOP;"]
    lines += [f"  st.global.{kind} [%out+{512 * i}], %c{i};"
              for i in range(128)]
    return "\n".join(lines + ["  ret;", "}"]) + "\n"


# Kind, its modifiers, elements of k, and type bits of the instruction
# descriptor.
F32_SUMS, S32_SUMS = 1 << 4, 2 << 4
TCGEN05_TYPES = {
    "bf16": ("f16", "", 16, F32_SUMS | 1 << 7 | 1 << 10),
    "f16": ("f16", "", 16, F32_SUMS),
    "tf32": ("tf32", "", 8, F32_SUMS | 2 << 7 | 2 << 10),
    "e4m3": ("f8f6f4", "", 32, F32_SUMS),
    "s8": ("i8", "", 32, S32_SUMS | 1 << 7 | 1 << 10),
    "mx e4m3": ("mxf8f6f4", ".block_scale.block32", 32, 1 << 23),
    "nvfp4": ("mxf4nvf4", ".block_scale.block16", 64, 1 << 7 | 1 << 10)}
TCGEN05_CASES = [("bf16", "exact", "f32", 2), ("bf16", "fast", "bf16", 4),
                 ("bf16", "fast", "bf16_tiles", 4),
                 ("f16", "exact", "f32", 2), ("f16", "fast", "bf16_tiles", 1),
                 ("tf32", "exact", "f32", 2),
                 ("tf32", "fast", "bf16_tiles", 1),
                 ("e4m3", "exact", "f32", 2),
                 ("e4m3", "fast", "bf16_tiles", 4),
                 ("s8", "exact", "int8_tiles", 8), ("s8", "exact", "int8", 8),
                 ("s8", "exact", "int16", 4),
                 ("mx e4m3", "exact", "f32", 2),
                 ("mx e4m3", "fast", "bf16_tiles", 4),
                 ("nvfp4", "exact", "f32", 2),
                 ("nvfp4", "fast", "bf16_tiles", 4)]


def tcgen05_kernel(ty):
    kind, modifiers, _, bits = TCGEN05_TYPES[ty]
    bits |= 256 // 8 << 17 | 128 // 16 << 24
    scales = "[%scales], [%scales]," if modifiers else ""
    lines = [".version 9.0", ".target sm_100a", ".address_size 64",
             ".visible .entry tile(.param .u64 out, .param .u32 n)", "{",
             "  .reg .b32 %i, %n, %at, %t, %d, %scales, %kind, %bar, %phase;",
             "  .reg .b64 %out, %a, %b, %x, %y;",
             "  .reg .pred %more, %yes, %go, %done, %first;",
             "  .shared .align 1024 .b8 tiles[49152];",
             "  .shared .align 8 .b64 done; .shared .align 4 .b32 columns;",
             "  ld.param.u64 %out, [out];", "  ld.param.u32 %n, [n];",
             "  mov.u32 %t, %tid.x;", "  mov.u32 %at, columns;",
             "  mad.wide.u32 %out, %t, 4, %out;", "  mov.u32 %i, 0;",
             "  mov.u32 %bar, done;", "  mov.u32 %phase, 0;",
             "  setp.eq.u32 %go, %t, 0; setp.lt.u32 %first, %t, 32;",
             "  @%go mbarrier.init.shared.b64 [%bar], 1;",
             "  @%first tcgen05.alloc.cta_group::1.sync.aligned.shared::cta"
             ".b32 [%at], 512;",
             "  bar.sync 0;", "  ld.shared.b32 %d, [columns];",
             "  add.u32 %scales, %d, 256;",
             "  mov.u32 %at, tiles; shr.u32 %at, %at, 4;",
             "  cvt.u64.u32 %a, %at;",
             # A swizzle of 128 bytes, 1024 bytes from 8 rows to the next.
             f"  add.u64 %a, %a, {2 << 61 | 1 << 46 | 64 << 32 | 1 << 16};",
             f"  add.u64 %b, %a, {16384 >> 4};",
             "  setp.eq.u32 %yes, %t, %t;", f"  mov.u32 %kind, {bits};",
             # A warp that lags behind would miss a phase of the mbarrier.
             "  @!%first bra END;", "LOOP:", "  @!%go bra WAIT;"]
    for step in range(4):
        lines += [f"  add.u64 %x, %a, {2 * step};",
                  f"  add.u64 %y, %b, {2 * step};",
                  f"  tcgen05.mma.cta_group::1.kind::{kind}{modifiers} [%d], "
                  f"%x, %y, %kind, {scales} %yes;"]
    lines += ["  tcgen05.commit.cta_group::1.mbarrier::arrive::one"
              ".shared::cluster.b64 [%bar];",
              "WAIT:",
              "  mbarrier.try_wait.parity.shared.b64 %done, [%bar], %phase;",
              "  @!%done bra WAIT;", "  xor.b32 %phase, %phase, 1;",
              "  add.u32 %i, %i, 1;", "  setp.lt.u32 %more, %i, %n;",
              "  @%more bra LOOP;", "END:", "  bar.sync 0;",
              "  shl.b32 %t, %t, 16; and.b32 %t, %t, 0x600000;",
              "  add.u32 %t, %t, %d;",
              "  tcgen05.ld.sync.aligned.32x32b.x1.b32 {%at}, [%t];",
              "  st.global.b32 [%out], %at;", "  bar.sync 0;",
              "  @%first tcgen05.dealloc.cta_group::1.sync.aligned.b32 %d, "
              "512;", "  ret;", "}"]
    return "\n".join(lines) + "\n"


def run(command, **environment):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True,
                          env=dict(os.environ, **environment)).stdout


def main():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default=os.path.join(root, "build/release"))
    args = parser.parse_args()
    tool = os.path.join(args.build, "bin/ptx-jit")
    peaks = {row[0]: float(row[2]) for row in
             (line.split() for line in
              run([tool + "-roofline"]).splitlines()) if len(row) > 2}
    def measure(name, text, mode, threads, loops):
        """The time of a turn of the kernel's loop, in nanoseconds."""
        path = os.path.join(args.build, f"tile-{name}.ptx")
        with open(path, "w") as f:
            f.write(text)
        out = run([tool, "run", path, "--grid", "1", "--block", str(threads),
                   "u32[65536]=zero", f"u32:{loops}", "--time", "--repeat",
                   "60", "--threads", "1"], PTXJIT_TENSOR=mode)
        return float(re.search(r"run ([\d.]+) ms", out)[1]) * 1e6 / loops

    def tell(name, ty, mode, ns, operations, ceiling, per_lane):
        rate = operations / ns
        print(f"| {name} | {ty} | {mode} | {ns:.1f} | {rate:.0f} | "
              f"{100 * rate / (peaks[ceiling] * per_lane):.0f} % |")

    print("| instruction | type | mode | ns each | Gop/s | "
          "share of the peak |")
    print("|---|---|---|---:|---:|---:|")
    for ty, mode, ceiling, per_lane in CASES:
        if ceiling in peaks:
            ns = measure(f"mma-{ty}", kernel(ty), mode, 32, LOOPS)
            tell("`mma`", ty, mode, ns / (ROWS * COLS),
                 2 * 16 * 8 * SHAPES[ty][2], ceiling, per_lane)
    for ty, mode, ceiling, per_lane in WGMMA_CASES:
        # What AMX computes is told against AMX's peak only.
        if ceiling in peaks and ceiling + "_tiles" not in peaks:
            ns = measure(f"wgmma-{ty}", wgmma_kernel(ty), mode, 128,
                         WGMMA_LOOPS)
            tell("`wgmma`", ty, mode, ns / 4, 2 * 64 * 256 * WGMMA_K[ty],
                 ceiling, per_lane)
    for ty, mode, ceiling, per_lane in TCGEN05_CASES:
        if ceiling in peaks and ceiling + "_tiles" not in peaks:
            ns = measure("tcgen05-" + ty.replace(" ", "-"), tcgen05_kernel(ty),
                         mode, 128, TCGEN05_LOOPS)
            tell("`tcgen05.mma`", ty, mode, ns / 4,
                 2 * 128 * 256 * TCGEN05_TYPES[ty][2], ceiling, per_lane)


if __name__ == "__main__":
    main()
