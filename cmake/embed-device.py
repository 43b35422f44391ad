#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes bitcode files as C++ arrays: OUT FILE.LEVEL.bc..."""
import sys

out, files = sys.argv[1], sys.argv[2:]
names = {"v3": "V3", "v4": "V4", "v4dot": "V4Dot", "neon": "Neon",
         "neondot": "NeonDot", "neonmatrix": "NeonMatrix"}
lists = {level: [] for level in names.values()}
with open(out, "w") as f:
    f.write('#include "EmbeddedDevice.h"\n')
    for i, name in enumerate(files):
        data = open(name, "rb").read()
        f.write(f"alignas(4) static const unsigned char file{i}[] = {{\n")
        for at in range(0, len(data), 24):
            f.write(",".join(str(b) for b in data[at:at + 24]) + ",\n")
        f.write("};\n")
        lists[names[name.split(".")[-2]]].append(f"{{file{i}, {len(data)}}}")
    for level, entries in lists.items():
        f.write(f"const EmbeddedBitcode ptxjitDevice{level}[] = "
                f"{{{', '.join(entries)}}};\n"
                f"const unsigned ptxjitDevice{level}Count = {len(entries)};\n")
