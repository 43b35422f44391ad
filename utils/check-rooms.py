#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks which room includes which, so that data flows one way, and that
nothing unknown was committed at the top of the tree.

    check-rooms.py SOURCE_ROOT

A room is a folder of lib/ with its public headers in include/ptxjit/. The tool
ptx-jit has a rule, too.
"""
import os
import re
import subprocess
import sys

TOP = {".ci", ".clang-format", ".clang-tidy", ".gitignore", "CMakeLists.txt",
       "CHANGELOG.md", "CMakePresets.json", "CONTRIBUTING.md", "LICENSE",
       "README.md", "REUSE.toml", "bench",
       "cmake", "docs", "examples", "include", "lib", "python", "test", "tools",
       "unittests", "utils"}

ALLOWED = {
    "Dialect": {"Dialect", "Runtime/SystemFunctions.def"},
    "Parser": {"Parser", "Dialect"},
    "Linker": {"Linker", "Parser", "Dialect", "Runtime/LinkedText.h"},
    "Analysis": {"Analysis", "Dialect"},
    # The list of the device library's functions, which compiled code calls.
    "Lowering": {"Lowering", "Analysis", "Dialect", "Runtime/KernelABI.h",
                 "Runtime/Specialization.h", "Runtime/TensorMap.h",
                 "Runtime/Texture.h",
                 "Device/Functions.h", "Device/TensorMemory.h",
                 "Device/Wgmma.h"},
    "JIT": {"JIT", "Lowering", "Analysis", "Linker", "Parser", "Dialect",
            "Reference", "Runtime/KernelABI.h", "Runtime/CompilerABI.h",
            "Runtime/CpuFeatures.def", "Runtime/Texture.h"},
    # Written from the ISA alone, so it must not know the lowering.
    "Reference": {"Reference", "Dialect", "Runtime/KernelABI.h",
                  "Runtime/CompilerABI.h", "Runtime/TensorRules.h",
                  "Runtime/TensorMap.h", "Runtime/Texture.h"},
    "Cache": {"Cache", "Runtime/KernelABI.h", "Runtime/CompilerABI.h"},
    # It decodes what functions of the device library then do.
    "Runtime": {"Runtime", "Cache", "Device/TensorCore.h"},
    # What programs link that have kernels, and no compiler.
    "Ahead": {"Ahead", "ptxjit-runtime.h", "Runtime", "Cache"},
    "AheadCompiler": {"AheadCompiler", "Ahead/AheadABI.h", "Runtime", "Cache"},
    # ptxjit.h itself includes nothing of ours.
    "Interface": {"ptxjit.h", "AheadCompiler", "Runtime", "Cache"},
    "Images": {"Images", "Runtime"},
    "CudaDriver": {"CudaDriver", "Images", "Runtime"},
    "CudaRuntime": {"CudaRuntime", "CudaDriver/CudaABI.h",
                    "Runtime/CudaErrors.h"},
    "Nvml": {"Nvml", "CudaDriver/CudaABI.h"},
    "Nccl": {"Nccl", "CudaDriver/CudaABI.h", "Runtime/NarrowFloats.h"},
    # Functions of the host in streams, for the math libraries.
    "HostWork": {"HostWork", "CudaDriver/CudaABI.h"},
    "Cublas": {"Cublas", "HostWork", "CudaDriver/CudaABI.h", "Runtime/Log.h",
               "Runtime/NarrowFloats.h"},
    "Cudnn": {"Cudnn", "HostWork", "CudaDriver/CudaABI.h",
              "Runtime/HandleTable.h", "Runtime/Log.h",
              "Runtime/NarrowFloats.h"},
    "Nvrtc": {"Nvrtc", "Runtime/HandleTable.h", "Runtime/Log.h",
              "Runtime/NvidiaLibrary.h"},
    "NvJitLink": {"NvJitLink", "Images", "Runtime/FatBinary.h",
                  "Runtime/HandleTable.h", "Runtime/ReadFile.h"},
    "Ocelot": {"Runtime"},
    "Audit": set(),
    # Options and messages, of which no room knows.
    "ToolSupport": {"ToolSupport"},
    "Device": {"Device/Functions.def", "Device/TensorCore.h",
               "Device/TensorMemory.h",
               "Device/Wgmma.h"},
    # Includes ptxjit.h, like programs of users. `link` writes linked texts.
    "tools/ptx-jit": {"Runtime/LinkedText.h"},
}
# Rooms that programs load without LLVM.
NO_LLVM = {"Cache", "Runtime", "Ahead", "AheadCompiler", "Images", "Interface", "CudaDriver", "CudaRuntime", "Nvml", "Nccl",
           "HostWork", "Cublas", "Cudnn",
           "Nvrtc", "NvJitLink", "Ocelot",
           "Audit", "Device"}
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]')


def check(path, room):
    problems = []
    for number, line in enumerate(open(path), 1):
        m = INCLUDE.match(line)
        if not m:
            continue
        name = m.group(1)
        if room in NO_LLVM and re.match(r"(mlir|llvm)/", name):
            problems.append(f"{path}:{number}: {room} includes {name}")
        m = re.match(r"ptxjit/(([^/]+)/.*)", name)
        if m and not {m.group(1), m.group(2)} & ALLOWED[room]:
            problems.append(f"{path}:{number}: {room} includes {name}")
    return problems


def check_folder(folder, room):
    """Checks the sources below `folder`. Returns the problems, and how many
    files there are."""
    problems, files = [], 0
    for inner, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            if name.endswith((".h", ".cpp", ".def")):
                files += 1
                problems += check(os.path.join(inner, name), room)
    return problems, files


def check_top(root):
    """Checks the names at the top of the tree, if it is a git checkout."""
    listed = subprocess.run(["git", "-C", root, "ls-files"], text=True,
                            capture_output=True)
    names = {path.split("/")[0] for path in listed.stdout.splitlines()}
    return [f"{name}: nothing of that name belongs at the top of the tree"
            for name in sorted(names - TOP)]


def main():
    root = sys.argv[1]
    problems = check_top(root)
    found, files = check_folder(os.path.join(root, "tools/ptx-jit"),
                                "tools/ptx-jit")
    problems += found
    for base in ("lib", "include/ptxjit"):
        for room in sorted(os.listdir(os.path.join(root, base))):
            folder = os.path.join(root, base, room)
            if not os.path.isdir(folder):
                continue
            if room not in ALLOWED:
                problems.append(f"{folder}: a room without a rule")
                continue
            found, more = check_folder(folder, room)
            problems += found
            files += more
    print("\n".join(problems) if problems else f"{files} files keep the rules")
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main())
