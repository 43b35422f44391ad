#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the AArch64 instructions of benchmark cases beside those of native loops,
under qemu-user with its `insn` plug-in (utils/insn-plugin.sh).

    cmake --preset aarch64-linux -DPTXJIT_BENCH=ON
    ninja -C build/aarch64-linux ptx-jit-bench cuda ptxjit-compiler
    bench/count-instructions.py [--sve BITS] [CASE...]

Native code is clang's for one thread, at -mcpu=neoverse-v2; ours runs on one core,
through libcuda.so.1, compiled by the second tier and taken from a cache. A case runs
once in one process, and some more times in another: the difference of the counts is
that of the runs, without the start of the program. So ours has the instructions of
launches, too.

Without CASE it takes the first twelve cases whose native side is a loop of C++.
"""
import argparse
import math
import os
import re
import subprocess
import sys
import tempfile

# The native side is C++ without calls of a math library or BLAS, in the order of
# the benchmark. The first twelve are counted by default.
LOOPS = ["vecadd", "saxpy", "triad", "transpose", "reduce", "scan", "histogram",
         "jacobi2d", "stencil3d", "conv3x3", "rgb2gray", "nbody", "mandelbrot",
         "layernorm", "spmv_scalar", "sha256", "mcpi", "hotspot", "pathfinder",
         "srad", "nw", "streamcluster", "kmeans", "backprop", "conv2d", "atax",
         "fdtd2d"]
DEFAULT = 12


def emulator(args, plugin=None):
    cpu = f"max,sve-max-vq={args.sve // 128}" if args.sve else "max,sve=off"
    command = ["qemu-aarch64", "-L", args.sysroot, "-cpu", cpu]
    if plugin:
        command += ["-plugin", f"{plugin},inline=on", "-d", "plugin"]
    return ["taskset", "-c", str(args.core)] + command


def run(args, case, side, runs, plugin):
    """Runs one side. Returns how many instructions the process took."""
    environment = dict(os.environ, PTXJIT_CACHE=args.cache, PTXJIT_TIER="second",
                       BENCH_LIBCUDA=os.path.join(args.build, "lib/libcuda.so.1"),
                       OPENBLAS_NUM_THREADS="1")
    command = emulator(args, plugin) + [
        os.path.join(args.build, "bin/ptx-jit-bench"), "--side", side, "--case",
        case, "--runs", str(runs)]
    out = subprocess.run(command, capture_output=True, text=True,
                         env=environment)
    if out.returncode:
        sys.exit(f"{case}, {side}: {out.stderr.strip()[-500:]}")
    counts = re.findall(r"^insns: (\d+)$", out.stderr, re.M)
    return int(counts[-1]) if counts else 0


def count(args, case, side):
    """Instructions of one run of all launches of the case."""
    if side == "cuda":
        run(args, case, side, 1, None)  # compiles
    once = run(args, case, side, 1, args.plugin)
    more = run(args, case, side, 1 + args.runs, args.plugin)
    return (more - once) / args.runs


def parse_options():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("cases", nargs="*", default=LOOPS[:DEFAULT], metavar="CASE")
    parser.add_argument("--all", action="store_true", help="all loops")
    parser.add_argument("--sve", type=int, default=128, choices=[0, 128, 256, 512],
                        help="bits of SVE's registers; 0: the CPU has NEON alone")
    parser.add_argument("--runs", type=int, default=1,
                        help="runs whose instructions are counted")
    parser.add_argument("--core", type=int, default=0, help="where it runs")
    parser.add_argument("--build", default=os.path.join(root, "build/aarch64-linux"))
    parser.add_argument("--sysroot", default=os.path.join(root, "build/sysroot/arm64"))
    parser.add_argument("--plugin")
    args = parser.parse_args()
    if not args.plugin:
        args.plugin = subprocess.run(
            [os.path.join(root, "utils/insn-plugin.sh")], check=True,
            capture_output=True, text=True).stdout.strip()
    if args.all:
        args.cases = LOOPS
    return args


def main():
    args = parse_options()
    print("| case | ptx-jit, million | clang, million | ratio |")
    print("|---|---:|---:|---:|")
    ratios = []
    with tempfile.TemporaryDirectory() as args.cache:
        for case in args.cases:
            ours = count(args, case, "cuda")
            native = count(args, case, "native")
            ratios.append(ours / native)
            print(f"| {case} | {ours / 1e6:.1f} | {native / 1e6:.1f} | "
                  f"{ours / native:.2f} |", flush=True)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"\ngeometric mean of {len(ratios)}: {mean:.2f}")


if __name__ == "__main__":
    main()
