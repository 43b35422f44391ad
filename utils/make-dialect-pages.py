#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/Dialect.md and docs/Passes.md from the .td files.

    make-dialect-pages.py SOURCE_ROOT LLVM_TOOLS LLVM_INCLUDE OUTDIR
"""
import json
import os
import re
import subprocess
import sys

MANUAL = "https://docs.nvidia.com/cuda/parallel-thread-execution/"
# Groups of ops by the file that defines them, in the order of the page.
GROUPS = [
    ("PtxInteger", "Integers and bits"), ("PtxFloat", "Floating point"),
    ("PtxVideo", "Video"), ("PtxCompare", "Comparison and selection"),
    ("PtxMove", "Moves and conversions"), ("PtxMemory", "Memory"),
    ("PtxBulk", "Bulk and asynchronous copies"),
    ("PtxTensorCopy", "Copies of tensors"),
    ("PtxMultimem", "Multimem"), ("PtxMatrixOps", "Matrices"),
    ("PtxTensorMemoryOps", "Tensor memory"),
    ("PtxTexture", "Textures and surfaces"),
    ("PtxTensorCoreOps", "Multiplications in tensor memory"),
    ("PtxControl", "Control flow"), ("PtxSync", "Barriers and warps"),
    ("PtxMbarrier", "mbarrier"), ("PtxCluster", "Clusters"),
    ("PtxStructure", "Structure: ops that are no instructions"),
]
# What is said of an op beside its forms: the traits of the project.
FACTS = {
    "Pure": "no effects", "LaneWise": "lane by lane",
    "VariesByLane": "varies by lane", "WholeWarp": "the whole warp",
    "OrdersMemory": "orders memory", "GivesWay": "lets other warps run",
    "UsesStack": "uses the thread's stack",
    "CommunicatingOpInterface": "seen by other threads",
    "WarpCollectiveOpInterface": "lanes take part together",
    "CtaBarrierOpInterface": "CTA barrier",
    "ClusterWideBarrier": "cluster barrier", "ClusterOpInterface": "cluster",
    "MaskedOpInterface": "masked",
}
HEADER = "Made by `utils/make-dialect-pages.py` from {}; do not edit.\n"


def run(*command):
    return subprocess.run(command, check=True, capture_output=True,
                          text=True).stdout


def clean(text):
    """A description without the indentation that it has in its file."""
    lines = text.strip("\n").split("\n")
    indents = [len(l) - len(l.lstrip()) for l in lines if l.strip()]
    cut = min(indents, default=0)
    return "\n".join(line[cut:].rstrip() for line in lines).strip()


def sentence(summary):
    summary = clean(summary)
    return summary[:1].upper() + summary[1:] + "." if summary else ""


class Records:
    def __init__(self, root, tools, include):
        self.all = json.loads(run(
            os.path.join(tools, "llvm-tblgen"), "--dump-json",
            "-I", os.path.join(root, "include"), "-I", include,
            os.path.join(root, "include/ptxjit/Dialect/PtxOps.td")))

    def ops(self, file):
        found = [self.all[name] for name in self.all["!instanceof"]["Op"]]
        return sorted((op for op in found
                       if op["!locs"][0].startswith(file + ".td:")),
                      key=lambda op: op["opName"])

    def forms(self, op):
        for ref in op.get("Forms") or []:
            form = self.all[ref["def"]]
            since = [self.all[s["def"]] for s in form["Availability"]]
            when = ", ".join(f"{s['PtxVersion']} {s['Target']}" for s in since)
            yield form["Syntax"], when


def describe(records, op):
    anchor = op.get("IsaAnchor")
    lines = [f"### `ptx.{op['opName']}`", ""]
    if op["summary"]:
        lines += [sentence(op["summary"]), ""]
    if op["description"]:
        lines += [clean(op["description"]), ""]
    forms = list(records.forms(op))
    if forms:
        lines += ["```"] + [f"{syntax}    // PTX {when}"
                            for syntax, when in forms] + ["```", ""]
    facts = [FACTS[t["def"]] for t in op["traits"] if t["def"] in FACTS]
    if facts:
        lines += ["Facts: " + ", ".join(facts) + ".", ""]
    if anchor:
        lines += [f"[ISA]({MANUAL}#{anchor})", ""]
    return lines


def make_dialect_page(records):
    lines = ["# The ptx dialect", "",
             HEADER.format("`include/ptxjit/Dialect/*.td`"),
             "An op is an instruction of PTX with its modifiers as attributes, or "
             "one of the few\nthat hold or replace instructions. Below each "
             "stand its forms in the notation of\n`include/ptxjit/Dialect/"
             "PtxBase.td` (`{a|b}`: one of these, `{.a}`: optional, `&c`:\nthe "
             "carry flag), with the PTX version and the targets that have them "
             "first, and\nits *facts*: the traits and interfaces that passes "
             "rely on (`PtxInterfaces.td`).", ""]
    for file, title in GROUPS:
        ops = records.ops(file)
        assert ops, file
        lines += [f"## {title}", ""]
        for op in ops:
            lines += describe(records, op)
    return "\n".join(lines).rstrip() + "\n"


def make_pass_page(root, tools, include):
    text = run(os.path.join(tools, "mlir-tblgen"), "-gen-pass-doc",
               "-I", os.path.join(root, "include"), "-I", include,
               os.path.join(root, "include/ptxjit/Lowering/Passes.td"))
    text = re.sub(r"<!--.*?-->\n", "", text).replace("\n### ", "\n## ")
    text = re.sub(r"[ \t]+$", "", text, flags=re.M)
    return ("# The passes\n\n" +
            HEADER.format("`include/ptxjit/Lowering/Passes.td`") +
            "\n[Architecture](Architecture.md) says in which order they run. "
            "`ptx-opt --PASS` runs\none alone.\n" + text.rstrip() + "\n")


def main():
    root, tools, include, out = sys.argv[1:]
    pages = {"Dialect.md": make_dialect_page(Records(root, tools, include)),
             "Passes.md": make_pass_page(root, tools, include)}
    for name, text in pages.items():
        with open(os.path.join(out, name), "w") as file:
            file.write(text)


if __name__ == "__main__":
    main()
