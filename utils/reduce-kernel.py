#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reduces a kernel whose test fails, as long as it fails the same way.

    reduce-kernel.py FILE KERNEL OUT [OPTION...]

Removes lines from the kernel, then other functions from the module. "The same
way" means that `ptx-jit test OPTION... OUT` still prints `got` for some value,
or the text in the environment variable REDUCE_FOR. PTXJIT is the path of
ptx-jit.
"""
import os
import re
import subprocess
import sys

TOOL = os.environ.get("PTXJIT", os.path.join(
    os.path.dirname(__file__), "../build/release/bin/ptx-jit"))
WANTED = os.environ.get("REDUCE_FOR", ": got ")


def fails(text, path, options):
    with open(path, "w") as f:
        f.write(text)
    try:
        done = subprocess.run([TOOL, "test", *options, path], timeout=60,
                              capture_output=True, text=True)
    except subprocess.TimeoutExpired:
        return False
    return WANTED in done.stdout + done.stderr


def shrink(chunks, still_fails):
    """Removes runs of chunks, half as long in each round."""
    size = max(len(chunks) // 2, 1)
    while True:
        at = 0
        while at < len(chunks):
            fewer = chunks[:at] + chunks[at + size:]
            if still_fails(fewer):
                chunks = fewer
            else:
                at += size
        if size == 1:
            return chunks
        size //= 2


def split_module(text, kernel):
    """The text before the kernel, the kernel, and its run line."""
    parts = re.split(r"(?m)^(?=// run:|\.visible \.entry|\.func)", text)
    tests = [p for p in parts if re.match(rf"// run: {kernel}\b", p)]
    entry = next(p for p in parts
                 if re.match(rf"\.visible \.entry {kernel}\b", p))
    others = [p for p in parts
              if not p.startswith(("// run:", ".visible .entry"))]
    return others, tests[0], entry


def main():
    path, kernel, out, *options = sys.argv[1:]
    others, test, entry = split_module(open(path).read(), kernel)
    lines = entry.splitlines(keepends=True)

    def whole(others, lines):
        return "".join(others) + test + "".join(lines)

    if not fails(whole(others, lines), out, options):
        sys.exit("reduce-kernel.py: the test does not fail")
    while True:
        before = len(lines)
        lines = shrink(lines, lambda fewer: fails(whole(others, fewer), out,
                                                  options))
        if len(lines) == before:
            break
        print(f"{len(lines)} lines", file=sys.stderr)
    others = shrink(others, lambda fewer: fails(whole(fewer, lines), out,
                                                options))
    fails(whole(others, lines), out, options)


if __name__ == "__main__":
    main()
