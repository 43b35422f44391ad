# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Execution tests for the forms of video instructions.

Tests every spelling once. A hash of the name chooses parts of registers for
the operands that may select some.
"""
import hashlib
import itertools
import re

from form_syntax import modifiers

SCALAR = ["", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"]


def selector(lanes, is_result, number):
    """One of the selectors of an operand, which may be empty."""
    if lanes == 1:
        parts = SCALAR[1:] if is_result else SCALAR
        return parts[number % len(parts)]
    if number % 4 == 0:
        return ""
    letter = "h" if lanes == 2 else "b"
    if is_result:
        chosen = [d for d in range(lanes)[::-1] if number >> d & 1]
        return "." + letter + "".join(map(str, chosen or [0]))
    digits = [number // (3 ** d) % (2 * lanes) for d in range(lanes)]
    return "." + letter + "".join(map(str, digits))


def kernel(name, mnemonic, operands):
    number = int(hashlib.sha256(name.encode()).hexdigest()[:8], 16)
    text = []
    for i, operand in enumerate(operands):
        m = re.match(r"(-?)(~([24]?))?([dabc])", operand)
        chosen = (selector(int(m[3] or 1), m[4] == "d", number >> (7 * i))
                  if m[2] else "")
        text.append(f"{m[1]}%{m[4]}{chosen}")
    sources = [o for o in "abc" if f"%{o}" in " ".join(text)]
    lines = [f".visible .entry {name}("
             + ", ".join(f".param .u64 {o}" for o in sources + ["out"]) + ")",
             "{", "  .reg .b32 %t, %d, %a, %b, %c; .reg .b64 %p;",
             "  mov.u32 %t, %tid.x;"]
    for o in sources:
        lines += [f"  ld.param.u64 %p, [{o}];",
                  "  mad.wide.u32 %p, %t, 4, %p;",
                  f"  ld.global.b32 %{o}, [%p];"]
    lines += [f"  {mnemonic} {', '.join(text)};",
              "  ld.param.u64 %p, [out];", "  mad.wide.u32 %p, %t, 4, %p;",
              "  st.global.b32 [%p], %d;", "  ret;", "}"]
    generators = ["edges.a", "edges.b", f"random({number % 97})"]
    lines.append(f"// run: {name} "
                 + " ".join(f"in=u32[{g}]" for g in generators[:len(sources)])
                 + " out=u32[ref:256]")
    return "\n".join(lines) + "\n"


def kernels(opcode, syntax):
    head, _, operand_text = syntax.partition(" ")
    operands = [o.strip() for o in operand_text.split(",")]
    slots = [([""] if optional else []) + ["." + t for t in tokens]
             for tokens, optional in modifiers(head[len(opcode):])]
    shape = re.sub(r"[^a-d]", "", re.sub(r":\w+", "", operand_text)
                   .replace("-", "d"))
    for spelling in itertools.product(*slots):
        mnemonic = opcode + "".join(spelling)
        merged = "_merge" if operands[0].startswith("~") else ""
        name = re.sub(r"\W", "_", mnemonic) + "_" + shape + merged
        yield name, kernel(name, mnemonic, operands)
