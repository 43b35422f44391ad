#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What our CUDA libraries export without implementing it.

    unsupported.py page SOURCE_ROOT
        prints docs/Driver.md with tables made from the files Unsupported.def
    unsupported.py check TABLE [--12]
        compares a table with the weak symbols in the output of `nm -D` on
        standard input; --12: that of libcudart.so.12
"""
import os
import re
import sys

ROW = re.compile(r'^UNSUPPORTED(_12)?\((\w+),\s*"([^"]*)"\)', re.M)
BEGIN, END = "<!-- made by utils/unsupported.py -->", "<!-- end -->"


def rows(path):
    """The rows of a table: (is of libcudart.so.12 alone, symbol, reason)."""
    with open(path) as file:
        return ROW.findall(file.read())


def table(root, room, is12):
    """Markdown: one line for each reason, with its functions."""
    functions = {}
    path = os.path.join(root, "lib", room, "Unsupported.def")
    for only12, symbol, reason in rows(path):
        if bool(only12) == is12:
            functions.setdefault(reason, []).append(f"`{symbol}`")
    lines = ["| functions | why |", "|---|---|"]
    lines += [f"| {', '.join(names)} | {reason} |"
              for reason, names in functions.items()]
    return "\n".join(lines)


def make_page(root):
    with open(os.path.join(root, "docs", "Driver.md")) as file:
        page = file.read()
    tables = iter([table(root, "CudaDriver", False),
                   table(root, "CudaRuntime", False),
                   table(root, "CudaRuntime", True)])
    return re.sub(f"{BEGIN}.*?{END}",
                  lambda _: f"{BEGIN}\n{next(tables)}\n{END}", page,
                  flags=re.S)


def check(path, is12):
    """Prints what differs. Returns whether nothing does."""
    known = {symbol for only12, symbol, _ in rows(path) if is12 or not only12}
    weak = set(re.findall(r"\bW (cu\w+)", sys.stdin.read()))
    for symbol in sorted(weak - known):
        print(f"{symbol} is not implemented, and {path} lacks it")
    for symbol in sorted(known - weak):
        print(f"{symbol} is implemented, and {path} has it")
    return known == weak


def main(args):
    if args[:1] == ["page"] and len(args) == 2:
        print(make_page(args[1]), end="")
        return 0
    if args[:1] == ["check"] and len(args) in (2, 3):
        return 0 if check(args[1], "--12" in args[2:]) else 1
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
