#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the same kernels on x86-64 and, under qemu-user, on AArch64, and compares the
bits of their results.

    utils/compare-architectures.py programs [--seeds FIRST,LAST] [--count N]
    utils/compare-architectures.py cases [CASE...]
    utils/compare-architectures.py kernels [--cpu NAME] [FILE...]

programs: random programs (utils/random-kernels.py), half of them with forms of the
whole ISA table. The results of the reference interpreter have to be the same on both,
but for the bits of NaN, and compiled code has to agree with it on both.

cases: cases of the benchmark, through the driver library. Needs builds with
PTXJIT_BENCH=ON.

kernels: execution tests, by default those of all forms and of test/Execution. This
machine runs the reference interpreter and compiles for AArch64; only the kernels run
under emulation, with libptxjit-runtime, as in utils/test.sh --aarch64.
PTXJIT_FORMS_SAMPLE=SEED takes a fifth of the forms. Files with kernels that cannot be
compiled ahead of time are left out.

PTXJIT_EMULATED_CPU chooses the CPU, as for utils/test.sh. Prints what differs and the
counts; the exit status is 1 if anything does.
"""
import argparse
import array
import glob
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "test"))
from ahead import Builds, CannotCompile, run_ahead
from emulation import chosen_cpu
from sampling import is_sampled

CPU = chosen_cpu()
# Types of buffers that are floats: the array code of their bits, those of infinity,
# and all but the sign.
FLOATS = {"f32": ("I", 0x7f800000, 0x7fffffff),
          "f64": ("Q", 0x7ff0000000000000, 0x7fffffffffffffff)}


class Side:
    """A build, and how its programs are run."""

    def __init__(self, build, prefix, chunk):
        self.build, self.prefix, self.chunk = build, prefix, chunk

    def run(self, program, *arguments, seconds=1800):
        command = [*self.prefix, os.path.join(self.build, "bin", program)]
        environment = dict(
            os.environ, PTXJIT_CACHE="off", PTXJIT_TIER="second",
            BENCH_LIBCUDA=os.path.join(self.build, "lib/libcuda.so.1"))
        try:
            return subprocess.run([*command, *arguments], capture_output=True,
                                  text=True, env=environment, timeout=seconds)
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(command, 1, "", "took too long")


def read(path):
    with open(path, "rb") as f:
        return f.read()


def without_nans(kind, values):
    """The bytes `values` as bits of elements, with one NaN for all: PTX does not say
    which NaN an addition gives, and CPUs differ."""
    if kind not in FLOATS:
        return values
    code, infinity, magnitude = FLOATS[kind]
    return [bits if bits & magnitude <= infinity else None
            for bits in array.array(code, values)]


def recorded(path):
    """The tests of a record, with what the reference interpreter has computed."""
    with open(path) as record:
        tests = [json.loads(line) for line in record]
    for test in tests:
        for argument in test["args"]:
            if "expected" in argument:
                argument["expected"] = without_nans(
                    argument["type"], bytes.fromhex(argument["expected"]))
    return tests


def compare_programs(sides, args, folder):
    """Returns the number of programs, and of those that differ."""
    first, last = map(int, args.seeds.split(","))
    forms = os.path.join(sides[0].build, "include/ptxjit/Dialect/FormList.inc")
    programs = wrong = 0
    for seed in range(first, last + 1):
        file = os.path.join(folder, f"random-{seed}.ptx")
        table = [forms] if seed % 2 else []
        subprocess.run([sys.executable, os.path.join(ROOT, "utils/random-kernels.py"),
                        str(seed), str(args.count), file, *table], check=True)
        records, failures = [], []
        for number, side in enumerate(sides):
            record = os.path.join(folder, f"record-{number}")
            done = side.run("ptx-jit", "test", f"--record={record}", file)
            records.append(recorded(record) if done.returncode == 0 else None)
            done = side.run("ptx-jit", "test", f"--chunk={side.chunk}", file)
            if done.returncode:
                failures.append(done.stdout[-300:] + done.stderr[-300:])
        programs += args.count
        if failures or records[0] is None or records[0] != records[1]:
            wrong += 1
            print(f"seed {seed}:", *failures or ["the references differ"])
    print(f"{programs} random programs, {wrong} files with differences", flush=True)
    return wrong


def compare_case(sides, case, folder):
    """What differs, and how many bytes were compared."""
    results = []
    for number, side in enumerate(sides):
        place = os.path.join(folder, f"{case}-{number}")
        os.makedirs(place)
        done = side.run("ptx-jit-bench", "--side", "cuda", "--case", case,
                        "--runs", "1", "--results", place)
        if done.returncode:
            return f"failed: {done.stderr.strip()[-200:]}", 0
        results.append({name: read(os.path.join(place, name))
                        for name in sorted(os.listdir(place))})
    ours, theirs = results
    bad = [f"{name} in {sum(a != b for a, b in zip(ours[name], theirs[name]))} of "
           f"{len(ours[name])} bytes"
           for name in ours if ours[name] != theirs.get(name)]
    return ", ".join(bad), sum(map(len, ours.values()))


def compare_cases(sides, args, folder):
    cases = args.cases or [
        line.split()[1] for line in
        sides[0].run("ptx-jit-bench", "--manifest").stdout.splitlines()
        if line.startswith("case ")]
    wrong = 0
    for case in cases:
        with tempfile.TemporaryDirectory(dir=folder) as place:
            different, size = compare_case(sides, case, place)
        wrong += bool(different)
        print(f"{case}: " + (different or f"{size} bytes are the same"), flush=True)
    print(f"{len(cases)} cases, {wrong} with differences")
    return wrong


def compare_kernels(sides, args, folder):
    wrong = compared = left_out = 0
    cpu = CPU._replace(compiled_for=args.cpu)
    for file in args.files or default_tests(args):
        name = os.path.basename(file)[:-len(".ptx")]
        try:
            said, _ = run_ahead(file, cpu,
                                Builds(args.x86, args.aarch64, args.sysroot))
            print(f"{name}: {said}", flush=True)
            compared += 1
        except CannotCompile:
            print(f"{name}: left out", flush=True)
            left_out += 1
        except (RuntimeError, subprocess.TimeoutExpired) as failure:
            print(f"{name}: {failure}", flush=True)
            wrong += 1
    print(f"{compared + wrong} files, {wrong} with differences, {left_out} left out")
    return wrong


def default_tests(args):
    """The execution tests, and those of the forms."""
    forms = glob.glob(os.path.join(args.x86, "test/Forms/ptx/*.ptx"))
    return sorted(glob.glob(os.path.join(ROOT, "test/Execution/*.ptx"))) + sorted(
        path for path in forms if is_sampled(os.path.basename(path)))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--x86", default=os.path.join(ROOT, "build/checked"))
    parser.add_argument("--aarch64", default=os.path.join(ROOT, "build/aarch64-linux"))
    parser.add_argument("--sysroot", default=os.path.join(ROOT, "build/sysroot/arm64"))
    what = parser.add_subparsers(dest="what", required=True)
    programs = what.add_parser("programs")
    programs.add_argument("--seeds", default="500,519")
    programs.add_argument("--count", type=int, default=20, help="programs a seed")
    cases = what.add_parser("cases")
    cases.add_argument("cases", nargs="*", metavar="CASE")
    kernels = what.add_parser("kernels")
    kernels.add_argument("files", nargs="*", metavar="FILE")
    kernels.add_argument("--cpu", default=CPU.compiled_for,
                         help="what code is made for")
    args = parser.parse_args()
    emulator = ["qemu-aarch64", "-L", args.sysroot, "-cpu", CPU.emulated]
    sides = [Side(args.x86, [], 8), Side(args.aarch64, emulator, CPU.lanes)]
    compare = {"programs": compare_programs, "cases": compare_cases,
               "kernels": compare_kernels}[args.what]
    with tempfile.TemporaryDirectory() as folder:
        return 1 if compare(sides, args, folder) else 0


if __name__ == "__main__":
    sys.exit(main())
