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

The table has the instructions of PTX 1.0 to 9.0. Of 9.1 to 9.4 it has those of
u8x4 and s8x4, conversions between small floats and bf16x2 without factors,
saturating sums, `.volatile.local`, `.noftz.f32` and factors of four by ue8m0.
(Not yet: s2f6x2, conversions with `.scaled::n2::ue8m0`, `.ignore_oob`.) They are
parsed, checked against `.version` and `.target`, and printed. A *spelling* is an
opcode with one choice of its modifiers (operands not counted). *Executed*
spellings are compiled to native code. *Advice* changes no result (prefetches,
cache policies, registers per thread) and is dropped.

*Tests*: `forms` are execution tests that the build makes of each form in the
table. They run on edge values, at every chunk width, as fibers and as threads,
and the reference interpreter judges the results. For other opcodes the column
names up to four files of `test/Execution` that use them.

Expected values come from the reference interpreter, which is written from the
ISA's text, and for edge cases from the text by hand. `utils/on-gpu.py` compares
them with hardware: the forms that Hopper has, with an H200. The arithmetic of
textures and surfaces, of which the ISA says little, is that of an H100: of 262,098
recorded reads and writes all but 1,980 are equal bit by bit. Those are gradients
(levels differ by 1/256, with anisotropy and on cubes by more), and reads that CUDA
leaves undefined.

Random programs (`utils/random-stress.sh`) use all opcodes; those of textures and
of tensor memory have programs of their own. In 75 minutes, two processes on two
cores ran 6,178 of the other programs, with each opcode over 1,600 times. Three
programs differed, for two reasons, which have been fixed.

The parser accepts all 19,344 forms that `ptxas` 13.0 accepts. (It also accepts
modules of 32-bit addresses, which `ptxas` does not: [Execution](Execution.md).)
Of 17,959 statements that `ptxas` refuses, the parser refuses 17,864 (99.5 %). It
accepts `cvt.sat` that cannot saturate (26), stores to and volatile accesses of
spaces that `ptxas` restricts (32), `shfl` with sinks or odd operands (24),
`wmma.mma` of sub-byte types in other layouts (6), orders of modifiers (4), and
three others.

LLVM 19 has tests of its PTX output (`llvm/test/CodeGen/NVPTX`). Of their 363
modules, as `llc` 22 writes them, the parser accepts 346; of the other 17 `ptxas`
refuses 13, and 4 are not PTX. It also accepts the modules of LLVM's generators:
`wmma` for PTX 6.0 to 7.1, textures and surfaces, `ld` and `st`. Their functions
without textures or surfaces, made kernels, are lowered: over 1,600, and 6,297.

The parser accepts all 3,669 modules that Mojo's compiler made for mojolearn
0.8.62. The results of 137 kinds of models were compared with the bits that GPUs
gave, and none differs ([Clients](Clients.md)).

[Execution](Execution.md) says what settled the forms that the ISA's text leaves
open, and what was chosen where no public source settles them (`cvt.rs` to
`e2m1x4`, `fma.oob` of bf16).

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
        assert op != "unlowered", "say in HEAD what is known only"
        kind = "advice" if op == "advice" else "executed"
        count[opcode][kind] += spellings(opcode, syntax)
    files = execution_files()
    total = sum(count.values(), collections.Counter())
    print(HEAD + f"In all {sum(total.values()):,} spellings of {len(count)} "
          f"opcodes: {total['executed']:,} executed, {total['advice']:,} "
          "advice.\n")
    print("| opcode | executed | advice | tests |")
    print("|---|---:|---:|---|")
    for opcode in sorted(count):
        c = count[opcode]
        tests = ["forms"] if c["executed"] and opcode not in HAND_WRITTEN else []
        if c["executed"] and not tests:
            tests = [f"`{f}`" for f in sorted(files[opcode])][:4]
        cells = [str(c[k]) if c[k] else "" for k in
                 ("executed", "advice")]
        print(f"| `{opcode}` | " + " | ".join(cells) + " | "
              + ", ".join(tests) + " |")


if __name__ == "__main__":
    main()
