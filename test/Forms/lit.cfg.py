"""Execution tests of all forms, which the build wrote from the ISA table."""
import os

import lit.formats

config.name = "ptx-jit-forms"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".ptx"]
config.test_source_root = os.path.join(config.ptxjit_obj_root, "test/Forms/ptx")
config.test_exec_root = config.test_source_root
tools = os.path.join(config.ptxjit_obj_root, "bin")
config.environment["PATH"] = os.pathsep.join([tools, os.environ["PATH"]])
config.environment["PTXJIT_CACHE"] = "off"
for name in ("ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
