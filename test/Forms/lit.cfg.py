# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Execution tests of all forms, which the build wrote from the ISA table.

PTXJIT_FORMS_SAMPLE=SEED runs a fifth of the files, by a hash of seed and name.
"""
import os
import sys

import lit.formats

config.name = "ptx-jit-forms"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".ptx"]
config.test_source_root = os.path.join(config.ptxjit_obj_root, "test/Forms/ptx")
config.test_exec_root = config.test_source_root
sys.path.insert(0, os.path.join(config.ptxjit_src_root, "test"))
from emulation import compile_here, make_wrappers, raise_time_limit
from sampling import is_sampled

tools = make_wrappers(config)
config.environment["PATH"] = os.pathsep.join([tools, os.environ["PATH"]])
config.environment["PTXJIT_CACHE"] = "off"
for name in ("ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
raise_time_limit(config, lit_config)
# Some files ask for one width or mode to save time. Under emulation, the CPU's own
# saves it.
compile_here(config, r"(--(chunk|mode|cpu)[= ]\S+ )*")
if config.architecture != "X86":
    config.substitutions.append(("--cpu=x86-64-v3 ", ""))
config.excludes = [name for name in os.listdir(config.test_source_root)
                   if not is_sampled(name)]
