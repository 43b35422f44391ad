# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of a build for another architecture, as if they were this machine's.

PTXJIT_EMULATED_CPU chooses the CPU: neon (the default) or sve256.
"""
import os
import shlex

# What qemu calls the CPU, and how many lanes its vectors have.
CPUS = {"neon": ("max,sve=off", 4), "sve256": ("max,sve-max-vq=2", 8)}
# Compilers take ten times as long under emulation.
SECONDS = 1800


def _cpu_name():
    return os.environ.get("PTXJIT_EMULATED_CPU", "neon")


def emulator_of(config):
    """The words in front of a command; none for this machine's own programs."""
    if not config.emulator:
        return []
    return [*config.emulator, "-cpu", CPUS[_cpu_name()][0]]


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


def keep_to_own_width(config):
    """Lets execution tests that name no width of vectors run at the CPU's own.

    All widths and modes in turn would take hours under emulation. So would the
    reference interpreter, which is the same code on all architectures; it runs
    where expected values come from it.
    """
    if config.emulator:
        lanes = CPUS[_cpu_name()][1]
        for option in ("--no-reference", f"--chunk={lanes}"):
            name = option.split("=")[0]
            config.substitutions.append((rf"ptx-jit test (?!.*{name})",
                                         f"ptx-jit test {option} "))


def raise_time_limit(config, lit_config):
    """Gives tests the time that they take under emulation."""
    if config.emulator and lit_config.maxIndividualTestTime:
        lit_config.maxIndividualTestTime = SECONDS
