#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Execution tests for AArch64, with kernels that this machine compiles.

    ahead.py FILE.ptx [OPTION...]     in place of `ptx-jit test FILE.ptx OPTION...`

Under emulation the compiler takes most of the time of a test, and it is the same
compiler as this machine's. So this machine's ptx-jit runs the reference interpreter
and compiles for AArch64; a program with libptxjit-runtime runs the kernels under
qemu-user, and compares.

Kernels have the emulated CPU's own vectors, and the mode that the compiler chooses:
other widths and modes are tested on x86-64, and options that ask for them
(NOT_HERE) mean nothing here.

The emulated ptx-jit runs what cannot be run in this way: files with kernels that need
the compiler, and tests with other options. The output says so.
"""
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from typing import NamedTuple

TESTS = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(TESTS)
sys.path.insert(0, TESTS)
from emulation import chosen_cpu

CLANG = "/usr/lib/llvm-22/bin/clang"
SECONDS = 1800  # of a program
# Options that mean nothing here.
NOT_HERE = ("--chunk", "--mode", "--no-reference")
# What is said of files that cannot be run.
NOT_AHEAD = ("cannot be compiled ahead of time", "holds no '// run:' line",
             "requires blocks of")
# What is said of kernels that LLVM cannot compile as it should.
FALLBACK = "runs from slow fallback code"


class Builds(NamedTuple):
    host: str = os.path.join(ROOT, "build/checked")
    aarch64: str = os.path.join(ROOT, "build/aarch64-linux")
    sysroot: str = os.path.join(ROOT, "build/sysroot/arm64")


class CannotCompile(Exception):
    """A file has no tests, or kernels that need what only the compiler gives."""


def must_run(*command, **more):
    """Returns what a command prints to stdout."""
    done = subprocess.run(command, capture_output=True, text=True, **more)
    for line in done.stderr.splitlines():
        if any(text in line for text in NOT_AHEAD):
            raise CannotCompile(line)
    if done.returncode or FALLBACK in done.stderr:
        raise RuntimeError((done.stdout + done.stderr)[-1000:])
    return done.stdout


def blocks_of(tests):
    """Options for the block of each test: kernels are compiled for these."""
    return sorted({f"--block={test['kernel']}:" +
                   ",".join(map(str, test["block"])) for test in tests})


def make_record(file, place, builds):
    """Has the reference interpreter run the tests of a file, and writes its record.

    The record is kept in the build for AArch64: it is the same for all CPUs and for
    all options, as long as neither the file nor ptx-jit changes.
    """
    ours = os.path.join(builds.host, "bin/ptx-jit")
    with open(file, "rb") as text:
        content = text.read()
    stamps = [os.stat(path).st_mtime_ns
              for path in (ours, os.path.join(builds.host, "lib/libptxjit-compiler.so"))]
    key = hashlib.sha256(repr((file, stamps)).encode() + content).hexdigest()
    folder = os.path.join(builds.aarch64, "test/records")
    kept = os.path.join(folder, key)
    if os.path.exists(kept):
        shutil.copyfile(kept, place)
        return
    must_run(ours, "test", f"--record={place}", file)
    if b"[@" in content:  # other files are part of it
        return
    os.makedirs(folder, exist_ok=True)
    shutil.copyfile(place, f"{kept}.{os.getpid()}")
    os.replace(f"{kept}.{os.getpid()}", kept)


def make_program(file, place, cpu, builds):
    """Makes a program for AArch64 of the tests of a file.

    Returns how many tests it has.
    """
    ours = os.path.join(builds.host, "bin/ptx-jit")
    inputs = os.path.join(TESTS, "Ahead/Inputs")
    make_record(file, place + ".json", builds)
    with open(place + ".json") as record:
        tests = [json.loads(line) for line in record]
    must_run(ours, "compile", file, "--target=aarch64-linux-gnu", f"--cpu={cpu}",
             "--name=object", "--keep-text", *blocks_of(tests), "-o", place + ".o")
    text = must_run(sys.executable, os.path.join(inputs, "make-program.py"),
                    place + ".json", place + ".h")
    with open(place + ".c", "w") as program:
        program.write(text)
    libraries = os.path.join(builds.aarch64, "lib")
    must_run(CLANG, "-w", "--target=aarch64-linux-gnu", f"--sysroot={builds.sysroot}",
             "-fuse-ld=lld", f"-I{inputs}", f"-I{ROOT}/include", f"-L{libraries}",
             f"-Wl,-rpath,{libraries}", place + ".c", place + ".o", "-o", place,
             "-lptxjit-runtime", "-lm")
    return len(tests)


def run_ahead(file, cpu, builds=Builds(), threads=0, repeat=1):
    """Runs the tests of a file, each so often, with so many threads of the CPU (0: all).

    More threads than cores spin through each other's time slices, which is a hundred
    times as slow under emulation. So there are no more than cores.

    Returns what the program says last, and how many tests it had.
    """
    with tempfile.TemporaryDirectory() as folder:
        place = os.path.join(folder, "program")
        count = make_program(file, place, cpu.compiled_for, builds)
        said = must_run("qemu-aarch64", "-L", builds.sysroot, "-cpu", cpu.emulated, place,
                        str(min(threads, os.cpu_count())), str(repeat), timeout=SECONDS)
        return said.splitlines()[-1], count


def tests_of(file):
    """How many tests a file has."""
    with open(file) as text:
        return sum(line.startswith("// run:") for line in text)


def run_emulated(cpu, why, arguments):
    """The emulated compiler, at the CPU's own width of vectors. Does not return.

    The reference interpreter would take hours, and is the same on all
    architectures; it runs where expected values come from it.
    """
    print(f"{why}: ptx-jit runs under emulation", flush=True)
    os.execvp("ptx-jit", ["ptx-jit", "test", "--no-reference", f"--chunk={cpu.lanes}",
                          *arguments])


def main():
    cpu = chosen_cpu()
    words = [word for word in sys.argv[1:] if word.split("=")[0] not in NOT_HERE]
    files = [word for word in words if not word.startswith("-")]
    options = dict(word.partition("=")[::2] for word in words if word.startswith("-"))
    if len(files) != 1 or set(options) - {"--threads", "--repeat"}:
        run_emulated(cpu, " ".join(words), words)
    file, = files
    try:
        said, count = run_ahead(file, cpu, Builds(), int(options.get("--threads", 0)),
                                int(options.get("--repeat", 1)))
    except CannotCompile as why:
        run_emulated(cpu, why, words)
    print(said)
    if count != tests_of(file):
        run_emulated(cpu, "not all launches are compared", words)


if __name__ == "__main__":
    main()
