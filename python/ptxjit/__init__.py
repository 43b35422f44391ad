# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NVIDIA PTX on the CPU: loads PTX, and launches its kernels on arrays.

    import numpy, ptxjit

    module = ptxjit.load("saxpy.ptx")
    x = numpy.arange(1000, dtype=numpy.float32)
    y = numpy.ones_like(x)
    module["saxpy"].launch(4, 256, x, y, 2.0, len(x))

Kernels work on the memory of the arrays, without copies. docs/Python.md has the
rules. ``python -m ptxjit`` is the program ``ptx-jit``.
"""
from ._driver import Error
from ._module import Kernel, Module, Stream, load
from ._arguments import Parameter
from ._places import binary_path, library_folder

__all__ = ["Error", "Kernel", "Module", "Parameter", "Stream", "binary_path",
           "library_folder", "load"]
