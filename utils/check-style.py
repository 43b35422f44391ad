#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the form of all source files that are in git.

    check-style.py SOURCE_ROOT [CLANG_FORMAT]

- C, C++ and CUDA files are formatted as by clang-format.
- Each source file names its licence (an SPDX line), and one sentence at its top
  says what is inside. Files without comments, and the inputs of tests, whose
  lines are counted, have their licence from REUSE.toml.
- No line ends with white space and every file ends with a newline. Files that
  other compilers wrote are exempt.

Prints the problems, one a line, or "N files are in form".
"""
import os
import re
import subprocess
import sys

LICENCE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
SLASHES = (".h", ".cpp", ".c", ".td", ".def", ".cu", ".cuh", ".cl", ".inc")
HASHES = (".py", ".sh", ".cmake", ".map", ".supp", ".dict", ".in",
          "CMakeLists.txt", ".ci/run")
FORMATTED = (".h", ".cpp", ".c", ".cu", ".cuh")
# The licence and the sentence must begin within so many lines.
HEAD_LINES = 6


def list_files(root):
    out = subprocess.run(["git", "-C", root, "ls-files", "-z"], check=True,
                         capture_output=True, text=True).stdout
    return [f for f in out.split("\0") if f and
            os.path.isfile(os.path.join(root, f))]


def is_input(file):
    return file.startswith("test/") and not file.endswith(HASHES)


def is_generated(file):
    return "/Inputs/" in file or file.startswith("bench/kernels/ptx/")


def has_sentence(lines):
    """Does a line of the head, apart from the licence's, have words?"""
    for line in lines:
        if LICENCE in line or line.startswith("#!"):
            continue
        # A banner gives the file's name first: `//===- File.h - words ---===//`.
        text = re.sub(r"^//===- \S+ - ", "//", line)
        match = re.match(r'(//|#|"""|/\*)(?!===)[\s|*]*(.*)', text)
        if match and len(re.findall(r"[A-Za-z]{2,}", match.group(2))) >= 2:
            return True
    return False


def check_text(file, data):
    if b"\0" in data:
        return
    lines = data.decode(errors="replace").split("\n")
    if not is_generated(file):
        if lines[-1]:
            yield f"{file}: does not end with a newline"
        for number, line in enumerate(lines, 1):
            if line != line.rstrip():
                yield f"{file}:{number}: white space at the end of the line"
    if is_input(file) or not file.endswith(SLASHES + HASHES):
        return
    head = lines[:HEAD_LINES]
    if not any(LICENCE in line for line in head):
        yield f"{file}: the licence is missing: {LICENCE}"
    if not has_sentence(head):
        yield f"{file}: no sentence at the top says what is inside"


def check_format(root, files, clang_format):
    result = subprocess.run([clang_format, "--dry-run", *files], cwd=root,
                            capture_output=True, text=True)
    for place in re.findall(r"^(\S+:\d+):\d+: (?:warning|error):",
                            result.stderr, re.M):
        yield f"{place}: clang-format writes this otherwise"
    if result.returncode:
        yield f"{clang_format} fails: {result.stderr.strip()}"


def main():
    root = sys.argv[1]
    problems = []
    files = list_files(root)
    for file in files:
        with open(os.path.join(root, file), "rb") as stream:
            problems += check_text(file, stream.read())
    if len(sys.argv) > 2:
        problems += check_format(
            root, [f for f in files if f.endswith(FORMATTED)], sys.argv[2])
    if problems:
        print("\n".join(problems))
        return 1
    print(f"{len(files)} files are in form")
    return 0


if __name__ == "__main__":
    sys.exit(main())
