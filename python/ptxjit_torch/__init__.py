# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's CUDA operators on ptx-jit: torch's CPU kernels on the memory of CUDA
tensors.

torch finds ``autoload`` by the entry point group ``torch.backends``, and calls it at
``import torch``. Where the CUDA driver is another one than ours nothing changes.
``TORCH_DEVICE_BACKEND_AUTOLOAD=0`` turns this off. docs/Clients.md says more.
"""
from __future__ import annotations

import sys


def autoload() -> None:
    """Makes torch use this package as soon as it uses CUDA. Nothing is raised,
    since torch could not be imported then."""
    try:
        from . import _driver
        if _driver.is_ours():
            from . import _registration
            _registration.prepare()
    except Exception as error:
        print(f"ptxjit_torch: torch has no operators for CUDA: {error}",
              file=sys.stderr)
