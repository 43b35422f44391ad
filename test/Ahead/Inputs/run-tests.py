# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs tests of test/Execution with kernels that are compiled ahead of time.

    run-tests.py --to FOLDER [--options OPTIONS] --cc COMMAND [--run COMMAND]
                 NAME...

COMMAND compiles a program, or runs it. Prints a line for each test, and those
that differ; ends with 1 if any does.
"""
import argparse
import os
import shlex
import subprocess
import sys

parser = argparse.ArgumentParser()
parser.add_argument("--to", required=True)
parser.add_argument("--options", default="", type=shlex.split)
parser.add_argument("--cc", required=True, type=shlex.split)
parser.add_argument("--run", default="", type=shlex.split)
parser.add_argument("names", nargs="+")
options = parser.parse_args()
inputs = os.path.dirname(os.path.abspath(__file__))
tests = os.path.join(inputs, "..", "..", "Execution")


def run(*command, **more):
    subprocess.run(command, check=True, **more)


def run_test(name):
    """Returns what the test's program prints, and whether all is equal."""
    source = os.path.join(tests, name + ".ptx")
    place = os.path.join(options.to, name)
    run("ptx-jit", "test", f"--record={place}.json", source,
        stdout=subprocess.DEVNULL)
    run("ptx-jit", "compile", source, *options.options, "--name=object",
        "-o", place + ".o")
    with open(place + ".c", "w") as program:
        run(sys.executable, os.path.join(inputs, "make-program.py"),
            place + ".json", place + ".h", stdout=program)
    run(*options.cc, "-I" + inputs, place + ".c", place + ".o", "-o", place,
        "-lptxjit-runtime", "-lm")
    done = subprocess.run([*options.run, place], text=True, timeout=500,
                          capture_output=True)
    return done.stdout + done.stderr, done.returncode == 0


bad = 0
for name in options.names:
    text, is_good = run_test(name)
    last = text.splitlines()[-1] if text else "no output"
    print(f"{name}: {last if is_good else 'wrong' + chr(10) + text}", flush=True)
    bad += not is_good
sys.exit(bad != 0)
