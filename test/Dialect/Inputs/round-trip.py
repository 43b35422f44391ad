# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints, parses and prints again: both texts must be the same.

    round-trip.py OPTION... -- FILE...      options of ptx-opt for the first run
"""
import subprocess
import sys


def opt(arguments, text=None):
    run = subprocess.run(["ptx-opt", *arguments], input=text,
                         capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"ptx-opt {' '.join(arguments)}: {run.stderr[:2000]}")
    return run.stdout


at = sys.argv.index("--")
options, files = sys.argv[1:at], sys.argv[at + 1:]
for path in files:
    first = opt([path, *options])
    if first != opt(["-"], first):
        sys.exit(f"{path}: differs after a round trip")
print(f"{len(files)} files went round")
