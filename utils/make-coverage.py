#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/Coverage.md from the ISA table and the tests that exist.

    make-coverage.py FORMLIST > docs/Coverage.md

FORMLIST is what `ptx-tblgen -gen-form-list` prints
(build/release/include/ptxjit/Dialect/FormList.inc). A spelling is an opcode with
one choice of its modifiers. A test in test/Structure compares the page.
"""
import collections
import glob
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from form_syntax import HAND_WRITTEN, modifiers

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
HEAD = """# Coverage of the ISA

Made by `utils/make-coverage.py` from the ISA table and the tests; do not edit.

The instructions of PTX 1.0 to 9.0 are in the table, and of 9.1 to 9.4 those of
u8x4 and s8x4, conversions between small floats and bf16x2 without factors,
saturating sums, `.volatile.local`, `.noftz.f32` and factors of four by ue8m0.
They are parsed, checked against `.version` and `.target`, and printed. (Not yet:
s2f6x2, conversions with `.scaled::n2::ue8m0`, `.ignore_oob`.) A *spelling* is an
opcode with one choice of its modifiers (operands not counted). *Executed* ones
are compiled to native code. *Advice* changes no result (prefetches, cache
policies, registers per thread) and is dropped. The others are refused when a
kernel that holds one is compiled, with the section to read.

*Tests*: `forms` are execution tests of each form that the build makes from the
table, on edge values, at every chunk width, as fibers and as threads, judged by
the reference interpreter; else the files of `test/Execution` that use it.

Expected values come from the reference interpreter, which is written from the
ISA's text, and for edge cases from the text by hand. None were compared with
hardware.

Random programs (`utils/random-stress.sh`) hold all opcodes outside textures and
tensor memory: in 75 minutes of two processes on two cores 6,178 programs, each of
these opcodes over 1,600 times. Three of them differed, for two reasons, which
have been mended.

The parser accepts all 19,344 forms that `ptxas` 13.0 accepts. (Modules of
32-bit addresses, which it does not take, run: [Execution](Execution.md).)
Of 17,959 statements that `ptxas` refuses it refuses 17,864 (99.5 %). Accepted
although `ptxas` does not: `cvt.sat` that cannot saturate (26), stores to and
volatile accesses of spaces that `ptxas` restricts (32), `shfl` with sinks or
odd operands (24), `wmma.mma` of sub-byte types in other layouts (6), orders of
modifiers (4), and three others.

Of LLVM 19's own tests of its PTX output (`llvm/test/CodeGen/NVPTX`), as `llc` 22
writes them, 346 of 363 modules are accepted; of the other 17 `ptxas` refuses 13,
and 4 are no PTX. The modules of its generators are accepted, too: `wmma` for PTX
6.0 to 7.1, textures and surfaces, `ld` and `st`. Their functions without textures
or surfaces, made kernels, are lowered: over 1,600, and 6,297.

All 3,669 modules that Mojo's compiler made for mojolearn 0.8.62 are accepted; of
what it computes with them 137 kinds of models were compared with the bits that
GPUs gave, and none differs ([Clients](Clients.md)).

Known only are `wgmma`, `tcgen05`, textures, surfaces and copies of tensors. What
settled the forms that the ISA's text leaves open, and what was chosen where
nothing public does (`cvt.rs` to `e2m1x4`, `fma.oob` of bf16):
[Execution](Execution.md).

"""


def spellings(opcode, syntax):
    product = 1
    head = syntax.partition(" ")[0][len(opcode):]
    for tokens, optional in modifiers(head):
        product *= len(tokens) + optional
    return product


def execution_files():
    """Opcode -> test files that hold it."""
    used = collections.defaultdict(set)
    for path in glob.glob(os.path.join(ROOT, "test/Execution/*.ptx")):
        text = re.sub(r"//.*", "", open(path).read())
        for opcode in set(re.findall(r"(?:^|[\s;{}])([a-z]\w*)(?=[.\s;])",
                                     text)):
            used[opcode].add(os.path.basename(path)[:-4])
    return used


def main():
    count = collections.defaultdict(collections.Counter)
    for row in open(sys.argv[1]):
        opcode, op, syntax, _ = row.rstrip("\n").split("\t")
        kind = op if op in ("unlowered", "advice") else "executed"
        count[opcode][kind] += spellings(opcode, syntax)
    files = execution_files()
    total = sum(count.values(), collections.Counter())
    print(HEAD + f"In all {sum(total.values()):,} spellings of {len(count)} "
          f"opcodes: {total['executed']:,} executed, {total['advice']:,} advice, "
          f"{total['unlowered']:,} known only.\n")
    print("| opcode | executed | advice | known only | tests |")
    print("|---|---:|---:|---:|---|")
    for opcode in sorted(count):
        c = count[opcode]
        tests = ["forms"] if c["executed"] and opcode not in HAND_WRITTEN else []
        if c["executed"] and not tests:
            tests = [f"`{f}`" for f in sorted(files[opcode])][:4]
        cells = [str(c[k]) if c[k] else "" for k in
                 ("executed", "advice", "unlowered")]
        print(f"| `{opcode}` | " + " | ".join(cells) + " | "
              + ", ".join(tests) + " |")


if __name__ == "__main__":
    main()
