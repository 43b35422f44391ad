# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of `Known` forms, which are parsed and printed, but not executed.

Each form gives a statement with the first choice of every modifier, and one for
every other choice.
"""
import re

from form_syntax import NEWEST_PTX, modifiers

CLASS = {"pred": "%p", "b8": "%b", "b16": "%h", "b32": "%r", "b64": "%rd",
         "b128": "%q", "f16": "%h", "f32": "%f", "f64": "%fd"}
for ty in "u8 s8".split():
    CLASS[ty] = "%b"
for ty in "u16 s16 bf16".split():
    CLASS[ty] = "%h"
for ty in "u32 s32 f16x2 bf16x2 tf32".split():
    CLASS[ty] = "%r"
for ty in "u64 s64".split():
    CLASS[ty] = "%rd"
REGISTERS = (".reg .pred %p<300>; .reg .b8 %b<300>; .reg .b16 %h<300>;\n"
             ".reg .b32 %r<300>; .reg .b64 %rd<300>; .reg .f32 %f<300>;\n"
             ".reg .f64 %fd<300>; .reg .b128 %q<300>;\n")


def split(text):
    """Splits operands at commas outside brackets."""
    out, depth, word = [], 0, ""
    for ch in text.replace("{, ", ",?").replace("{|", ",|").replace("}", ""):
        depth += (ch == "[") - (ch == "]")
        if ch == "," and not depth:
            out.append(word.strip())
            word = ""
        else:
            word += ch
    return [o for o in out + [word.strip()] if o]


def count(rule, tokens):
    def number(pattern):
        return next((int(m[1]) for t in tokens
                     if (m := re.fullmatch(pattern, t))), 1)
    if rule == "":
        return number(r"v(\d)")
    if rule == "D":
        return number(r"(\d)d")
    if rule.startswith("N/"):
        return number(r"m\d+n(\d+)k\d+") // int(rule[2:])
    if rule.endswith("x"):
        return number(r"x(\d+)") * int(rule[:-1] or 1)
    return int(rule)


class Statement:
    def __init__(self):
        self.used = 0

    def register(self, kind):
        self.used += 1
        return f"{kind}{self.used}"

    def operand(self, text, tokens, types):
        if text.startswith("["):
            first, *rest = text[1:-1].split(",")
            kind = "%rd"
            parts = [self.register(kind)]
            parts += [self.operand(r, tokens, types) for r in rest]
            return "[" + ", ".join(parts) + "]"
        if text == "_":
            return "_"
        if text.startswith("#"):
            values = text.partition("=")[2] or "1"
            return re.split(r"\||\.\.", values)[0]
        name, _, rule = text.lstrip("-~!%").partition(":")
        ty = (types[0] if rule == "" else types[1] if rule == "2" else rule)
        kind = CLASS[ty]
        name, star, number = name.partition("*")
        if not star:
            return self.register(kind)
        n = count(number, tokens)
        elements = ", ".join(self.register(kind) for _ in range(n))
        return elements if n == 1 and not number else "{" + elements + "}"


def statement(opcode, tokens, operands):
    types = [t for t in tokens if t in CLASS] + ["b32", "b32"]
    s, out = Statement(), ""
    for text in operands:
        second = text.startswith("|")
        word = s.operand(text.lstrip("|?"), tokens, types)
        out += ("|" if second else ", " if out else " ") + word
    return ".".join([opcode, *tokens]) + out + ";"


def instances(opcode, syntax):
    head, _, operand_text = syntax.partition(" ")
    choice = modifiers(head[len(opcode):])
    operands = split(operand_text)
    first = [tokens[0] for tokens, _ in choice]
    lists = [first]
    for i, (tokens, optional) in enumerate(choice):
        for other in tokens[1:] + ([""] if optional else []):
            lists.append(first[:i] + [other] + first[i + 1:])
    return [statement(opcode, [t for t in tokens if t], operands)
            for tokens in lists]


def write(path, target, statements):
    with open(path, "w") as f:
        f.write("// Made by utils/make-form-tests.py.\n"
                "// RUN: ptx-opt %s -o %t.1.mlir\n"
                "// RUN: ptx-opt %t.1.mlir -o %t.2.mlir\n"
                "// RUN: cmp %t.1.mlir %t.2.mlir\n"
                f".version {NEWEST_PTX}\n.target {target}\n.address_size 64\n\n"
                ".visible .entry kernel()\n{\n" + REGISTERS)
        f.write("\n".join(statements) + "\nret;\n}\n")
