#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes an execution test for every form of the ISA table.

    make-form-tests.py FORMLIST OUTDIR

FORMLIST is what `ptx-tblgen -gen-form-list` prints. Each form without memory or
control effects becomes kernels, one for every choice of its modifiers, that
apply it to edge values; the reference interpreter judges the results. Memory
forms: see memory_form_tests.py, video forms: video_form_tests.py, copies of
tensors: tensor_form_tests.py, wgmma: wgmma_form_tests.py, tensor memory:
tensor_memory_form_tests.py, tensor cores: tensor_core_form_tests.py, textures
and surfaces: texture_form_tests.py. Control
flow has hand-written tests. Forms that nothing executes yet go through the
parser and the printer (known_form_tests.py).
"""
import itertools
import os
import re
import sys

import known_form_tests
import matrix_form_tests
import memory_form_tests
import order_variants
import tensor_core_form_tests
import tensor_form_tests
import tensor_memory_form_tests
import texture_form_tests
import video_form_tests
import wgmma_form_tests
from form_syntax import (HAND_WRITTEN, HAND_WRITTEN_OPS, NEWEST_PTX, PARTS,
                         WIDTH, modifiers)

MATRICES = {"wmma", "mma", "ldmatrix", "stmatrix", "movmatrix"}
TENSORS = ("tensor.", "tensormap.")
MEMORY = {"ld", "ldu", "st", "atom", "red", "multimem"}
WIDE = {"u16": "u32", "s16": "s32", "u32": "u64", "s32": "s64"}
BOOLEANS = ("and", "or", "xor")
# Accuracy that the ISA asks of approximations (section
# "floating-point-instructions"), and inputs inside the range it speaks of.
APPROX = {
    "ex2.approx": ("~ulps=2", "sweep:1024"),
    "lg2.approx": ("~rel=2.4e-7 ~abs=2.4e-7", None),
    "sin.approx": ("~abs=6.7e-7", "sweep:1024"),
    "cos.approx": ("~abs=6.7e-7", "sweep:1024"),
    "rcp.approx": ("~ulps=1", None),
    "sqrt.approx": ("~rel=1.2e-7", None),
    "rsqrt.approx": ("~rel=1.3e-7", None),
    "div.approx": ("~ulps=2", "sweep:1024"),
    "div.full": ("~ulps=2", None),
    "tanh.approx.f32": ("~rel=4.8e-4", "sweep:1024"),
    # Stored as f32; f16 itself has 2^-11.
    "ex2.approx.f16": ("~rel=1.5e-3", None),
    "ex2.approx.ftz.bf16": ("~rel=1.2e-2", None),
    "tanh.approx.f16": ("~abs=9.8e-4", None),
    "tanh.approx.bf16": ("~abs=7.9e-3", None),
}


def expand_modifiers(text):
    """All spellings of the modifier part of a form."""
    slots = [([""] if optional else []) + ["." + t for t in tokens]
             for tokens, optional in modifiers(text)]
    return ["".join(c) for c in itertools.product(*slots)]


def parse_operands(text):
    """(name, type rule, negatable, second) of each operand."""
    out = []
    for raw in re.findall(r"(\{\|[^}]*\}|[^,{]+(?=[,{]|$))", text):
        raw = raw.strip()
        if not raw:
            continue
        if raw.startswith("&"):  # the carry flag: see carry()
            continue
        second = raw.startswith("{|")
        raw = raw.strip("{|}").lstrip("%")
        negatable = raw.startswith("!")
        name, _, rule = raw.lstrip("!").partition(":")
        if second:
            rule = rule or out[-1][1]
        name, _, length = name.partition("*")
        if length:  # a list of sources
            names = ["{" + name] + [name] * (int(length) - 2) + [name + "}"]
            out += [(n, rule, False, False) for n in names]
            continue
        out.append((name, rule, negatable, second))
    return out


def storage(ty):
    """Buffer element, load/store suffix, register type."""
    n = WIDTH[ty]
    if ty in ("f32", "f64"):
        return ty, ty, ty
    if ty == "e2m1x2":
        return "u8", "b8", "b8"
    if n == 8:
        return ("s8" if ty == "s8" else "u8"), ty, "b16"
    kind = "s" if ty.startswith("s") else "u"
    return f"{kind}{n}", f"b{n}" if n > 8 else ty, f"b{n}"


def resolve(rule, types):
    if rule == "":
        return types[0] if types else "b32"
    if rule == "2":
        return types[1]
    if rule == "w":
        return WIDE[types[0]]
    return rule


def carry(params, run, regs, syntax):
    """Code that sets the carry flag before, and code that stores it after."""
    before, after = [], []
    if syntax.endswith("&carry"):
        params.append(".param .u64 incarry")
        run.append("in=u32[random(7)]")
        regs.append(".reg .b32 %flag;")
        before = ["ld.param.u64 %p, [incarry];", "mad.wide.u32 %p, %t, 4, %p;",
                  "ld.global.b32 %flag, [%p];", "and.b32 %flag, %flag, 1;",
                  "add.cc.u32 %flag, %flag, 0xffffffff;"]
    if "&d" in syntax:
        params.append(".param .u64 outcarry")
        run.append("out=u32[ref:256]")
        regs.append(".reg .b32 %made;")
        # The flag of a subtraction is a borrow, in the same bit.
        after = ["addc.u32 %made, 0, 0;", "ld.param.u64 %p, [outcarry];",
                 "mad.wide.u32 %p, %t, 4, %p;", "st.global.b32 [%p], %made;"]
    return before, after


def kernel(name, mnemonic, operands, types, syntax):
    """The PTX of one kernel, and its run line."""
    params, body, run, regs = [], [], [], []
    results = [o for o in operands if o[4]]
    sources = [o for o in operands if not o[4]]
    # The longest prefix that matches is the most specific.
    approx, sweep = next((APPROX[k] for k in sorted(APPROX, key=len)[::-1]
                          if mnemonic.startswith(k)), ("", None))
    half_approx = approx and types[0] in ("f16", "bf16")
    if mnemonic == "rsqrt.approx.f64":
        approx = "~ulps=2"
    count = sweep.split(":")[1] if sweep else "256"
    text_operands = []
    for i, (op, rule, negatable, second, _) in enumerate(results):
        ty = resolve(rule, types)
        elem, mem, reg = storage("u32" if ty == "pred" else ty)
        if half_approx or ty == "f32x2":  # whose NaN may differ
            elem = "f32"
        params.append(f".param .u64 out{i}")
        length = int(count) * (2 if ty == "f32x2" else 1)
        run.append(f"out={elem}[ref:{length}]")
        r = f"%d{i}"
        regs.append(f".reg .{'pred' if ty == 'pred' else reg} {r};")
        if ty == "pred":
            regs.append(f".reg .b32 {r}v;")
            store = [f"selp.u32 {r}v, 1, 0, {r};", f"st.global.u32 [%p], {r}v;"]
        elif half_approx:
            regs.append(f".reg .f32 {r}v;")
            store = [f"cvt.f32.{ty} {r}v, {r};", f"st.global.f32 [%p], {r}v;"]
        else:
            store = [f"st.global.{mem} [%p], {r};"]
        body += [("after", i, "f64" if ty == "f32x2" else elem, store)]
        text_operands.append(("|" if second else "") + r)
    loads = []
    for i, (op, rule, negatable, second, _) in enumerate(sources):
        if op == "immLut":
            text_operands.append(re.search(r"lut(\w+)$", name).group(1))
            continue
        ty = resolve(rule, types)
        letter = "abc"[min(i, 2)]
        gen = sweep if sweep else f"edges.{letter}"
        if mnemonic.startswith("div.approx") and i == 1:
            gen = "random(5):1024"
        if ".rs." in mnemonic and i == len(sources) - 1:
            gen = "random(9)"
        if sweep and gen.startswith("random"):
            gen = "sweep:1024"
        elem, mem, reg = storage("u32" if ty == "pred" else ty)
        if ty in PARTS:
            gen = f"{PARTS[ty]}.{letter}"
        params.append(f".param .u64 in{i}")
        run.append(f"in={elem}[{gen}]")
        r = f"%s{i}"
        opens, closes = "{" * op.startswith("{"), "}" * op.endswith("}")
        size = WIDTH["u32" if ty == "pred" else ty] // 8
        loads += [f"ld.param.u64 %p, [in{i}];",
                  f"mad.wide.u32 %p, %t, {size}, %p;"]
        if ty == "pred":
            regs.append(f".reg .pred {r}; .reg .b32 {r}v;")
            loads += [f"ld.global.u32 {r}v, [%p];",
                      f"and.b32 {r}v, {r}v, 1;",
                      f"setp.ne.u32 {r}, {r}v, 0;"]
            r = ("!" if negatable and "neg" in name else "") + r
        else:
            regs.append(f".reg .{reg} {r};")
            loads.append(f"ld.global.{mem} {r}, [%p];")
        text_operands.append(opens + r + closes)
    line = mnemonic + " " + ", ".join(text_operands).replace(", |", "|") + ";"
    stores = []
    for _, i, elem, store in body:
        size = int(elem[1:]) // 8
        stores += [f"ld.param.u64 %p, [out{i}];",
                   f"mad.wide.u32 %p, %t, {size}, %p;"] + store
    before, after = carry(params, run, regs, syntax)
    lines = [f".visible .entry {name}({', '.join(params)})", "{",
             "  .reg .b32 %t; .reg .b64 %p;"]
    lines += ["  " + r for r in regs]
    lines += ["  mov.u32 %t, %tid.x;"] + ["  " + x for x in loads + before]
    lines += ["  " + line] + ["  " + x for x in after] + ["  " + x for x in stores] + ["  ret;", "}"]
    if "f32x2" in types:  # two results in an element
        run.insert(0, "block=256")
    lines.append(f"// run: {name} {' '.join(run)} {approx}".rstrip())
    return "\n".join(lines) + "\n"


def module_target(target):
    """The target of a module: sm_90 for every form that sm_90 has."""
    number = int(re.match(r"sm_(\d+)", target)[1])
    return "sm_90" if number <= 90 and target[-1].isdigit() else target


def write_module(path, target, kernels, environment="", options="",
                 constants=False, variables=""):
    with open(path, "w") as f:
        f.write("// Made by utils/make-form-tests.py. "
                f"RUN: {environment}ptx-jit test {options}%s\n"
                f".version {NEWEST_PTX}\n.target {target}\n"
                ".address_size 64\n\n")
        if constants:
            f.write(memory_form_tests.CONSTANTS)
        f.write(variables)
        f.write("\n".join(kernels))


def parts(items, most):
    """The items in lists of up to `most`."""
    return [items[i:i + most] for i in range(0, len(items), most)]


def main():
    forms, out = sys.argv[1:3]
    os.makedirs(out, exist_ok=True)
    files, used, known, matrices, tensors = {}, set(), {}, {}, {}
    warpgroups, textures, seen = {}, {}, set()
    texture_form_tests.write_inputs(out)
    for row in open(forms):
        opcode, op_name, syntax, target = row.rstrip("\n").split("\t")
        if op_name in ("unlowered", "advice"):
            known.setdefault((opcode, module_target(target)), []).extend(
                known_form_tests.instances(opcode, syntax))
            continue
        if opcode in texture_form_tests.OPCODES:
            textures.setdefault((opcode, module_target(target)), []).extend(
                texture_form_tests.kernels(opcode, syntax, seen))
            continue
        if opcode in MATRICES:
            matrices.setdefault((opcode, module_target(target)),
                                []).append(syntax)
            continue
        if op_name.startswith("tcgen05."):
            continue  # all shapes below
        if op_name.startswith("wgmma"):
            warpgroups.setdefault(target, []).append((opcode, syntax))
            continue
        if op_name.startswith(TENSORS):
            # Tests change maps, which targets without `a` or `f` cannot.
            place = re.sub(r"\d$", r"\g<0>a", module_target(target))
            tensors.setdefault(place, []).append((opcode, syntax))
            continue
        if opcode in HAND_WRITTEN or op_name in HAND_WRITTEN_OPS:
            continue
        if opcode in MEMORY or op_name == "video":
            family = video_form_tests if op_name == "video" else memory_form_tests
            for name, text in family.kernels(opcode, syntax):
                if name not in used:
                    used.add(name)
                    files.setdefault((opcode, module_target(target)),
                                     []).append(text)
            continue
        head, _, operand_text = syntax.partition(" ")
        operands = parse_operands(operand_text)
        # Results come first: the first operand, and the one behind `|`.
        operands = [(*o, i == 0 or o[3]) for i, o in enumerate(operands)]
        for spelling in expand_modifiers(head[len(opcode):]):
            types = [m for m in spelling.split(".") if m in WIDTH]
            mnemonic = opcode + spelling
            # A third of the variants of set; each comparison still meets each
            # operator.
            words = spelling.split(".")
            if opcode == "set" and any(b in words for b in BOOLEANS):
                if sum(map(ord, spelling)) % 3:
                    continue
            # Packed approximations are tested by test/Execution/half.ptx.
            if "approx" in spelling and types[0] in ("f16x2", "bf16x2"):
                continue
            variants = [""]
            if any(o[0] == "immLut" for o in operands):
                variants = ["_lut0x96", "_lut0xe8", "_lut0x1b", "_lut0xca",
                            "_lut0x00", "_lut0xff"]
            has_second = any(o[3] for o in operands)
            for variant in variants:
                name = re.sub(r"\W", "_", mnemonic).lower() + variant
                base, n = name, 1
                while name in used:
                    n += 1
                    name = f"{base}_v{n}"
                    name = (f"{base[:-len(variant)]}_v{n}{variant}"
                            if variant else name)
                used.add(name)
                files.setdefault((opcode, module_target(target)), []).append(
                    kernel(name, mnemonic, operands, types, operand_text))
    orders = {}  # the tests with other orders of modifiers, by target
    # Exact sums of what the CPU's own instructions may compute.
    fast, fast_wgmma = [], []
    for (opcode, target), forms in matrices.items():
        made = list(matrix_form_tests.kernels(opcode, forms))
        files[opcode, target] = [text for _, text in made]
        orders.setdefault(target, []).extend(files[opcode, target])
        fast += [matrix_form_tests.exact_runs(text) for name, text in made
                 if opcode in ("mma", "wmma") and "bf16" in name]
    for target, rows in tensors.items():
        files["tensor", target] = [t for _, t in tensor_form_tests.kernels(rows)]
    for target, rows in warpgroups.items():
        made = wgmma_form_tests.modules(rows)
        for i, (kernels, options) in enumerate(made):
            path = os.path.join(out, f"wgmma_{target[3:]}-{i}.ptx")
            write_module(path, target, kernels, options=options)
            orders.setdefault(target, []).extend(kernels)
            fast_wgmma += [text for text in kernels if ".entry exact_" in text]
    for target, kernels in orders.items():
        respelt = [order_variants.respell(text) for text in kernels]
        # One mode is enough: the parser makes the same op of each order.
        for i, part in enumerate(parts([t for t in respelt if t], 20)):
            path = os.path.join(out, f"order_{target[3:]}-{i}.ptx")
            write_module(path, target, part, options="--chunk 16 --mode fibers ")
    write_module(os.path.join(out, "fast-0.ptx"), "sm_90", fast,
                 environment="env PTXJIT_TENSOR=fast ", options="--chunk 16 ")
    for i, part in enumerate(parts(fast_wgmma, 20)):
        write_module(os.path.join(out, f"fast-wgmma-{i}.ptx"), "sm_90a", part,
                     environment="env PTXJIT_TENSOR=fast ",
                     options="--chunk 16 --mode fibers ")
    made = tensor_memory_form_tests.modules()
    for i, (kernels, options) in enumerate(made):
        write_module(os.path.join(out, f"tensor_memory-{i}.ptx"), "sm_100a",
                     kernels, options=options)
    made = tensor_core_form_tests.modules()
    for i, (kernels, options, target) in enumerate(made):
        write_module(os.path.join(out, f"tensor_core-{i}.ptx"), target,
                     kernels, options=options)
    for (opcode, target), made in textures.items():
        for i, part in enumerate(parts(made, 150)):
            path = os.path.join(out, f"{opcode}{target[2:]}-{i}.ptx")
            write_module(path, target, [text for _, text in part],
                         variables="".join(name for name, _ in part))
    for (opcode, target), statements in known.items():
        known_form_tests.write(os.path.join(out, f"known-{opcode}-{target}.ptx"),
                               target, statements)
    for (opcode, target), kernels in files.items():
        suffix = "" if target == "sm_90" else target[2:]
        # Files of up to 150 kernels, so that they can run side by side.
        most = 10 if opcode in MATRICES or opcode == "tensor" else 150
        for part in range(0, len(kernels), most):
            path = os.path.join(out, f"{opcode}{suffix}-{part // most}.ptx")
            write_module(path, target, kernels[part:part + most],
                         constants=opcode == "ld")


if __name__ == "__main__":
    main()
