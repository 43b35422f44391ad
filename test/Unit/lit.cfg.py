# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The gtest binaries, every test of theirs a test of lit's."""
import os
import sys

import lit.formats

sys.path.insert(0, os.path.join(config.ptxjit_src_root, "test"))
from emulation import emulator_of, raise_time_limit

# What qemu-user cannot run.
UNFIT_FOR_QEMU = [
    # Start their program anew, which is none of this machine's.
    "*DeathTest*", "Environment.NumberOfDevices",
    "Environment.VisibleDevices", "NvmlDevices.AreNotHidden",
    "Ipc.MemoryIsSharedAndFreed",
    "Ipc.TheProcessIsGone", "Ipc.OthersWaitForEvents", "Ipc.PoolsAreShared",
    "Ipc.NobodyWaitsForAProcessThatHasEnded", "NcclProcess*",
    # fork() of a process with threads
    "Faults.NobodysFaultStillEndsTheProcess", "Forks.*",
    "Runtime.ChildrenOfForkHaveNoDevice", "External.ChildrenShareTheMemory",
    # Looks for memory below 4 GiB for minutes.
    "Memory.LowRangeIsReused",
    # Measures memory: the emulator's own is part of it.
    "LaunchGrid.MemoryDoesNotGrowWithTheGrid",
    # Measures time.
    "Outline.ManyCallsAreParsedInTime",
]

config.name = "ptx-jit-unit"
config.suffixes = []
config.test_source_root = os.path.join(config.ptxjit_obj_root, "unittests")
config.test_exec_root = config.test_source_root
config.test_format = lit.formats.GoogleTest(".", "Tests",
                                            run_under=emulator_of(config))
config.environment["PTXJIT_CACHE"] = "off"
if config.emulator:
    config.environment["GTEST_FILTER"] = "-" + ":".join(UNFIT_FOR_QEMU)
for name in ("ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
raise_time_limit(config, lit_config)
