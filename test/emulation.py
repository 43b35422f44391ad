# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of a build for another architecture, as if they were this machine's."""
import os
import shlex


def make_wrappers(config):
    """Makes a folder with scripts that run the build's programs by the emulator.

    Returns the folder that goes in PATH in place of the programs' own.
    """
    programs = os.path.join(config.ptxjit_obj_root, "bin")
    if not config.emulator:
        return programs
    folder = os.path.join(config.ptxjit_obj_root, "emulated")
    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(programs):
        program = os.path.join(programs, name)
        command = shlex.join([*config.emulator, program])
        text = f'#!/bin/sh\nexec {command} "$@"\n'
        script = os.path.join(folder, name)
        if os.path.exists(script) and open(script).read() == text:
            continue
        with open(script + ".new", "w") as f:
            f.write(text)
        os.chmod(script + ".new", 0o755)
        os.replace(script + ".new", script)
    return folder
