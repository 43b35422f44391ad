#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long kernels take to compile, in both tiers, and how large they get.

    bench/compile-times.py --ptx-jit build/release/bin/ptx-jit [FILE.ptx...]

Without files: the kernels of the benchmark, each for the block it is launched
with. Prints a line for each kernel, and sums as a ratio to the time that
`clang -O2 -c bench/native/math.cpp` takes in the same run. Each file is compiled
by a process that has compiled another kernel before.
"""
import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.abspath(__file__))
LOG = re.compile(
    r"compiled (\S+)(?: quickly)? for blocks of ([\d,]+): parse ([\d.]+), "
    r"lower ([\d.]+), optimize ([\d.]+), codegen ([\d.]+), load ([\d.]+) ms; "
    r"\d+ lanes per vector, (\d+) bytes")
STAGES = ("parse", "lower", "optimize", "codegen", "load")
# Launched by loops of the benchmark, which give the block elsewhere.
BLOCKS = {"fdtd_ex": "32,8,1", "fdtd_ey": "32,8,1", "fdtd_hz": "32,8,1",
          "sgemm_naive": "16,16,1", "sgemm_tiled": "16,16,1",
          "sgemm_reg": "256,1,1", "srad_slopes": "16,16,1",
          "srad_update": "16,16,1"}
FIRST = """.version 8.0
.target sm_80
.address_size 64
.visible .entry first() { ret; }
"""


def find_blocks():
    """The block of each kernel of the benchmark, from its list of cases."""
    blocks = dict(BLOCKS)
    for name in ("cases.cpp", "public-cases.cpp"):
        with open(os.path.join(ROOT, "driver", name)) as f:
            text = f.read()
        for kernel, extents in re.findall(
                r'\{"(\w+)",\s*\{[^{}]*\},\s*\{([\d, ]+)\}', text):
            parts = extents.replace(" ", "").split(",")
            blocks.setdefault(kernel, ",".join((parts + ["1", "1"])[:3]))
    return blocks


def count_instructions(text):
    """The instructions of each kernel of a text."""
    counts = {}
    for name, body in re.findall(r"\.entry\s+(\w+)(.*?)^\}", text,
                                 re.DOTALL | re.MULTILINE):
        lines = [line.strip() for line in body.splitlines()]
        counts[name] = sum(line.endswith(";") and not line.startswith(".")
                           for line in lines)
    return counts


def compile_file(options, path, blocks, tier):
    """{kernel: ([ms of each stage], bytes of code)} of a file."""
    with tempfile.TemporaryDirectory() as folder:
        first = os.path.join(folder, "first.ptx")
        with open(first, "w") as f:
            f.write(FIRST)
        command = [options.ptx_jit, "cache", "warm", "--jobs=1", first, path]
        command += [f"--block={b}" for b in sorted(set(blocks.values()))]
        run = subprocess.run(
            command, capture_output=True, text=True, check=False,
            env={**os.environ, "PTXJIT_CACHE": os.path.join(folder, "cache"),
                 "PTXJIT_TIER": tier, "PTXJIT_LOG": "compile"})
    rows = {}
    for match in LOG.finditer(run.stderr):
        kernel, block = match[1], match[2]
        # A kernel with .reqntid has been compiled for that alone.
        if kernel not in rows or block == blocks.get(kernel):
            rows[kernel] = ([float(t) for t in match.groups()[2:7]],
                            int(match[8]))
    rows.pop("first", None)
    return rows


def time_clang(options):
    """Milliseconds, the best of three."""
    best = None
    for _ in range(3):
        start = time.time()
        subprocess.run([options.clang, "-O2", "-march=native", "-std=c++20",
                        "-w", "-c", os.path.join(ROOT, "native", "math.cpp"),
                        "-I", os.path.join(ROOT, "driver"), "-fopenmp",
                        "-o", os.devnull], check=True)
        taken = 1000 * (time.time() - start)
        best = taken if best is None else min(best, taken)
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--ptx-jit", default="build/release/bin/ptx-jit")
    parser.add_argument("--clang", default="clang++-22")
    parser.add_argument("--block", default="256,1,1",
                        help="of kernels that are not the benchmark's")
    parser.add_argument("--stages", action="store_true",
                        help="print the time of each stage")
    options = parser.parse_args()
    clang = time_clang(options)
    known = find_blocks()
    print(f"{'kernel':20} {'PTX':>6} {'first ms':>9} {'second ms':>9} "
          f"{'bytes':>8} {'bytes':>8} {'bytes/PTX':>9}")
    sums = {"first": 0, "second": 0}
    stage_sums = {tier: [0] * len(STAGES) for tier in sums}
    for path in options.files or sorted(
            glob.glob(os.path.join(ROOT, "kernels", "ptx", "*.ptx"))):
        with open(path) as f:
            counts = count_instructions(f.read())
        blocks = {k: known.get(k, options.block) for k in counts}
        tiers = {tier: compile_file(options, path, blocks, tier)
                 for tier in sums}
        for kernel, count in counts.items():
            if any(kernel not in rows for rows in tiers.values()):
                print(f"{kernel:20} could not be compiled", flush=True)
                continue
            ms = {}
            for tier, rows in tiers.items():
                ms[tier] = sum(rows[kernel][0])
                sums[tier] += ms[tier]
                for i, t in enumerate(rows[kernel][0]):
                    stage_sums[tier][i] += t
            small, large = (tiers[t][kernel][1] for t in ("first", "second"))
            print(f"{kernel:20} {count:6} {ms['first']:9.1f} "
                  f"{ms['second']:9.1f} {small:8} {large:8} "
                  f"{large / max(count, 1):9.0f}", flush=True)
            if options.stages:
                for tier, rows in tiers.items():
                    print(f"    {tier}: " + ", ".join(
                        f"{s} {t:.1f}" for s, t in zip(STAGES, rows[kernel][0])))
    for tier, total in sums.items():
        stages = ", ".join(f"{s} {t:.0f}"
                           for s, t in zip(STAGES, stage_sums[tier]))
        print(f"{tier}: {total:.0f} ms ({stages}), {total / clang:.2f} times "
              f"clang's {clang:.0f} ms")


if __name__ == "__main__":
    sys.exit(main())
