# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The gtest binaries, every test of theirs a test of lit's."""
import os

import lit.formats

config.name = "ptx-jit-unit"
config.suffixes = []
config.test_source_root = os.path.join(config.ptxjit_obj_root, "unittests")
config.test_exec_root = config.test_source_root
config.test_format = lit.formats.GoogleTest(".", "Tests",
                                            run_under=config.emulator)
config.environment["PTXJIT_CACHE"] = "off"
if config.emulator:
    # qemu-user does not survive fork() in a process with threads, and takes minutes
    # to look for free memory below 4 GiB.
    config.environment["GTEST_FILTER"] = (
        "-Faults.NobodysFaultStillEndsTheProcess:Memory.LowRangeIsReused")
for name in ("ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
