# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of a build for another architecture, as if they were this machine's.

PTXJIT_EMULATED_CPU chooses the CPU: neon (the default) or sve256.
"""
import os
import shlex
from typing import NamedTuple


class Cpu(NamedTuple):
    emulated: str  # what qemu calls it
    lanes: int  # of its vectors
    compiled_for: str  # LLVM's name of a CPU that is like it


CPUS = {"neon": Cpu("max,sve=off", 4, "neoverse-n1"),
        # qemu 7.2 lacks one feature of LLVM's.
        "sve256": Cpu("max,sve-max-vq=2", 8, "neoverse-v1,-lse2")}
# Compilers take ten times as long under emulation.
SECONDS = 1800


def _cpu_name():
    return os.environ.get("PTXJIT_EMULATED_CPU", "neon")


def chosen_cpu():
    return CPUS[_cpu_name()]


def emulator_of(config):
    """The words in front of a command; none for this machine's own programs."""
    if not config.emulator:
        return []
    return [*config.emulator, "-cpu", chosen_cpu().emulated]


def make_wrappers(config):
    """Makes a folder with scripts that run the build's programs by the emulator.

    Returns the folder that goes in PATH in place of the programs' own.
    """
    programs = os.path.join(config.ptxjit_obj_root, "bin")
    if not config.emulator:
        return programs
    folder = os.path.join(config.ptxjit_obj_root, "emulated", _cpu_name())
    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(programs):
        program = os.path.join(programs, name)
        command = shlex.join([*emulator_of(config), program])
        text = f'#!/bin/sh\nexec {command} "$@"\n'
        script = os.path.join(folder, name)
        if os.path.exists(script) and open(script).read() == text:
            continue
        with open(script + ".new", "w") as f:
            f.write(text)
        os.chmod(script + ".new", 0o755)
        os.replace(script + ".new", script)
    return folder


def compile_here(config, dropped=""):
    """Lets this machine compile the kernels of execution tests (ahead.py).

    dropped: a regular expression of options that are left out.
    """
    if config.emulator:
        program = os.path.join(config.ptxjit_src_root, "test", "ahead.py")
        # Else lit's tests would not have it.
        config.environment["PTXJIT_EMULATED_CPU"] = _cpu_name()
        config.substitutions.append((f"ptx-jit test {dropped}",
                                     f"{config.python} {program} "))


def raise_time_limit(config, lit_config):
    """Gives tests the time that they take under emulation."""
    if config.emulator and lit_config.maxIndividualTestTime:
        lit_config.maxIndividualTestTime = SECONDS
