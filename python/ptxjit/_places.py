# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the program and the libraries of ptx-jit are."""
from __future__ import annotations

import os
import shutil
from typing import Optional

# The installed tree that a wheel contains.
_PACKAGED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_tree")


def binary_path() -> str:
    """The path of the program ``ptx-jit``: that of this package, or else the
    first one in PATH. Raises FileNotFoundError."""
    packaged = os.path.join(_PACKAGED, "bin", "ptx-jit")
    found: Optional[str] = packaged
    if not os.path.exists(packaged):
        found = shutil.which("ptx-jit")
    if not found:
        raise FileNotFoundError(
            "ptx-jit is neither in this package nor in PATH")
    return os.path.realpath(found)


def library_folder() -> str:
    """The folder of our ``libcuda.so.1``. Raises FileNotFoundError."""
    # `ptx-jit exec` sets it. A process must not have two of our drivers.
    chosen = os.environ.get("PTXJIT_LIBRARIES")
    if chosen:
        return chosen
    binary = binary_path()
    root = os.path.dirname(os.path.dirname(binary))
    # In an installation and in a build folder.
    for place in ("lib/ptx-jit", "lib"):
        folder = os.path.join(root, place)
        if os.path.exists(os.path.join(folder, "libcuda.so.1")):
            return folder
    raise FileNotFoundError(f"libcuda.so.1 is not beside {binary}")


def ptxas_path() -> str:
    """Our ``ptxas``, which writes PTX. Raises FileNotFoundError."""
    binary = binary_path()
    root = os.path.dirname(os.path.dirname(binary))
    path = os.path.join(root, "libexec", "ptx-jit", "ptxas")
    if not os.path.exists(path):
        raise FileNotFoundError(f"ptxas is not beside {binary}")
    return path
