# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which CUDA driver this process has."""
from __future__ import annotations

import ctypes


def is_ours() -> bool:
    """Is libcuda.so.1 the one of ptx-jit? torch loads the same one later."""
    try:
        library = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return hasattr(library, "cuPtxjitGetKernelParam")
