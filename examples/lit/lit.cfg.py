# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of kernels by ptx-jit, lit and FileCheck. Copy this folder.

    lit .                                   with ptx-jit and FileCheck in PATH
    lit -Dptx_jit=/opt/ptx-jit/bin .        with ptx-jit elsewhere
    lit --xunit-xml-output=results.xml .    results as JUnit's XML
"""
import os
import shutil

import lit.formats

config.name = "kernels"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".ptx", ".test", ".cu"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(
    lit_config.params.get("output", config.test_source_root), "Output")

# Where the tools are: -Dptx_jit=FOLDER, PATH, or where Debian has LLVM's.
folders = [lit_config.params.get("ptx_jit", ""), os.environ["PATH"],
           "/usr/lib/llvm-22/bin"]
config.environment["PATH"] = os.pathsep.join(f for f in folders if f)
for tool in ("ptx-jit", "FileCheck"):
    if not shutil.which(tool, path=config.environment["PATH"]):
        lit_config.fatal(f"{tool} is not in PATH")
config.environment["PTXJIT_CACHE"] = "off"

# Tests that compile CUDA say `REQUIRES: nvcc`.
nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
if nvcc:
    config.available_features.add("nvcc")
    config.substitutions.append(("%nvcc", nvcc))
