#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times frameworks on ptx-jit's device beside their own CPU device.

    PTXJIT_DEVICE=9.0 ptx-jit exec -- python bench/frameworks.py torch
    PTXJIT_DEVICE=9.0 ptx-jit exec -- python bench/frameworks.py triton
    PTXJIT_DEVICE=12.0 ptx-jit exec -- python bench/frameworks.py jax

Python has to have the framework (torch for the first two), built for CUDA. `torch` times
torch's operators, which ptxjit_torch runs, `triton` our kernels in Triton beside torch's
operators on the CPU, `jax` functions that XLA compiles for both devices. Both sides have
the same data and as many threads as there are cores, and take turns after --warm-up
seconds each, in which everything is compiled. Prints a table with the median times of
calls and their ratios; results that differ are an error.
"""
import argparse
import importlib
import statistics
import sys
import time
from pathlib import Path

import numpy as np

FRAMEWORKS = ("torch", "triton", "jax")


def repeat(function, seconds):
    """The times of calls, in seconds."""
    times, end = [], time.perf_counter() + seconds
    while not times or time.perf_counter() < end:
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return times


def check(case):
    ours, theirs = (np.asarray(side(), dtype=np.float64) for side in case.sides)
    scale = max(1.0, np.abs(theirs).max())
    error = np.abs(ours - theirs).max() / scale
    if not error <= case.tolerance:
        sys.exit(f"{case.name}: the results differ by {error:.1e}")


def measure(case, warm_up, seconds, rounds):
    """The medians of both sides, in seconds."""
    check(case)
    for side in case.calls:
        repeat(side, warm_up)
    times = [[], []]
    for _ in range(rounds):
        for side, found in zip(case.calls, times):
            found += repeat(side, seconds / rounds)
    return [statistics.median(found) for found in times]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("framework", choices=FRAMEWORKS)
    parser.add_argument("cases", nargs="*", help="parts of their names; else all")
    parser.add_argument("--warm-up", type=float, default=1.5)
    parser.add_argument("--seconds", type=float, default=1.5,
                        help="for each side of a case")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()

    sys.path.insert(0, str(Path(__file__).parent / "frameworks"))
    cases = importlib.import_module(options.framework + "_cases").make_cases()
    print(f"| {options.framework} | ptx-jit ms | CPU ms | ratio |")
    print("|---|---:|---:|---:|")
    for case in cases:
        if options.cases and not any(c in case.name for c in options.cases):
            continue
        ours, theirs = measure(case, options.warm_up, options.seconds,
                               options.rounds)
        print(f"| {case.name} | {ours * 1e3:.3f} | {theirs * 1e3:.3f} | "
              f"{ours / theirs:.2f} |", flush=True)


if __name__ == "__main__":
    main()
