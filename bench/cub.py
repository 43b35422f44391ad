#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs CUB's device algorithms beside native code: reduce, scan, select, radix
sort of keys and of pairs.

Compiles cub/cub.cu with nvcc, which has CUB's headers, and runs it by `ptx-jit
exec` in turn with ptx-jit-bench-cub. Prints a table: algorithm, ours (ms),
native (ms), ratio, result. Without nvcc it prints why it measures nothing.
"""
import argparse
import os
import shutil
import subprocess
import sys

ALGORITHMS = ["reduce", "scan", "select", "sort", "pairs"]


def find_nvcc():
    return shutil.which("nvcc") or shutil.which(
        "nvcc", path=os.path.join(os.environ.get(
            "CUDA_HOME", "/usr/local/cuda"), "bin"))


def compile_cub(nvcc, program):
    """PTX only, since code for a GPU would be of no use."""
    source = os.path.join(os.path.dirname(__file__), "cub", "cub.cu")
    subprocess.run([nvcc, "-std=c++17", "-O3", "-cudart", "shared",
                    "-gencode", "arch=compute_80,code=compute_80",
                    "-o", program, source], check=True)


def is_older(program):
    folder = os.path.join(os.path.dirname(__file__), "cub")
    return not os.path.exists(program) or any(
        os.path.getmtime(program) < os.path.getmtime(os.path.join(folder, f))
        for f in os.listdir(folder))


def time_one(command):
    """Best time in ms of what the command measures, and its verdict."""
    out = subprocess.run(command, capture_output=True, text=True)
    fields = out.stdout.split()
    if out.returncode or len(fields) != 3:
        return 0.0, (out.stderr.strip().splitlines() or ["failed"])[-1]
    return float(fields[1]), fields[2]


def measure(args, program, name):
    """Both sides in turn, for some rounds; the best time of each."""
    native_command = [args.native, str(args.ms), name]
    our_command = [args.ptx_jit, "exec", "--", program, str(args.ms), name]
    ours, native, verdicts = [], [], set()
    for _ in range(args.rounds):
        ms, verdict = time_one(native_command)
        native.append(ms)
        verdicts.add(verdict if verdict == "ok" else "native: " + verdict)
        ms, verdict = time_one(our_command)
        ours.append(ms)
        verdicts.add(verdict)
    return min(ours), min(native), ", ".join(sorted(verdicts))


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--native",
                        default="build/release/bin/ptx-jit-bench-cub")
    parser.add_argument("--ptx-jit", default="build/release/bin/ptx-jit")
    parser.add_argument("--program", default="/tmp/ptx-jit-bench/cub",
                        help="where the compiled program is kept")
    parser.add_argument("--ms", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("algorithms", nargs="*", default=ALGORITHMS)
    return parser.parse_args()


def main():
    args = read_arguments()
    nvcc = find_nvcc()
    program = os.path.abspath(args.program)
    if is_older(program):
        if not nvcc:
            print("Skipped: there is no nvcc, in whose toolkit CUB comes.")
            return 0
        os.makedirs(os.path.dirname(program), exist_ok=True)
        compile_cub(nvcc, program)
    print("| algorithm | ptx-jit ms | native ms | ratio | result |")
    print("|---|---:|---:|---:|---|", flush=True)
    wrong = 0
    for name in args.algorithms:
        ours, native, verdict = measure(args, program, name)
        good = verdict == "ok"
        ratio = f"{ours / native:.2f}" if good else "-"
        print(f"| {name} | {ours:.3f} | {native:.3f} | {ratio} | {verdict} |",
              flush=True)
        wrong += not good
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
