# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parts of Triton's backend for NVIDIA that the driver builds on. They have a
module of their own, since Triton wants one driver class in that of a driver."""
from __future__ import annotations

import sys

from triton.backends.driver import DriverBase

try:
    from triton.backends.nvidia.driver import (CudaDriver, CudaLauncher,
                                               CudaUtils)
    is_there = True
except Exception as error:  # a Triton without that backend, or a changed one
    print(f"ptxjit: no Triton driver for CPU tensors: {error}", file=sys.stderr)
    is_there = False

    def _unavailable(self, *args, **kwargs):
        raise NotImplementedError("this driver is not active")

    CudaDriver = type("CudaDriver", (DriverBase,),
                      {name: _unavailable
                       for name in DriverBase.__abstractmethods__})
    CudaLauncher = CudaUtils = object
