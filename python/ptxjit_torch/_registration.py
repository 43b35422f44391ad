# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts the operators into torch's dispatcher, when torch first uses CUDA."""
from __future__ import annotations

import os
import sys
import warnings
from types import ModuleType
from typing import Optional

import torch

from . import _aliases, _kernels, _operators, _types
# These two add to the kernels.
from . import _attention as _attention
from . import _packed_attention as _packed_attention

# Kept for as long as torch calls the kernels.
_library: Optional[torch.library.Library] = None


def prepare() -> None:
    """Waits for torch to use CUDA. cuDNN has machine code only, so that torch may
    not use it."""
    torch.backends.cudnn.is_available = lambda: False
    torch.backends.cudnn.enabled = False
    torch.cuda._lazy_call(_install)


def _install() -> None:
    try:
        _register()
    except Exception as error:
        print(f"ptxjit_torch: torch has no operators for CUDA: {error}",
              file=sys.stderr)


def _register() -> None:
    global _library
    _library = torch.library.Library("aten", "IMPL", "CUDA")
    with warnings.catch_warnings():
        # torch warns that kernels are replaced.
        warnings.simplefilter("ignore")
        _register_operators(_library)
        _kernels.register(_library)


def _register_operators(library: torch.library.Library) -> None:
    if os.environ.get("PTXJIT_TORCH_EXTENSION") == "0":
        _register_python(library)
        return
    try:
        from . import _extension
        extension = _extension.load()
    except (OSError, ImportError) as error:
        print(f"ptxjit_torch: operators are slow, and there are no sparse ones, "
              f"since the module in C++ cannot be built: {error}",
              file=sys.stderr)
        _register_python(library)
    else:
        _register_compiled(extension)


def _register_compiled(extension: ModuleType) -> None:
    extension.start(_types.run_wider)
    _seed_replays(extension)
    for key, host in _operators.KEYS.items():
        for name in _operators.listed(key):
            operator = _operators.find(name)
            schema = operator._schema
            extension.register(
                schema.name, schema.overload_name, key, host,
                extension.ANY_DEVICE * _operators.takes_any_device(operator) +
                extension.RANDOM * _operators.is_random(operator) +
                extension.CONTIGUOUS * _operators.is_contiguous(operator) +
                extension.SUMS_NARROWLY * _operators.sums_narrowly(operator) +
                extension.MIXES_TYPES * _operators.mixes_types(operator))


def _seed_replays(extension: ModuleType) -> None:
    """Lets each replay of a graph draw a seed for the operators in it."""
    replay = torch.cuda.CUDAGraph.replay

    def renew_and_replay(graph: torch.cuda.CUDAGraph) -> None:
        extension.renew_replay_seeds()
        replay(graph)

    torch.cuda.CUDAGraph.replay = renew_and_replay


def _register_python(library: torch.library.Library) -> None:
    for name in _operators.listed("CUDA"):
        operator = _operators.find(name)
        library.impl(operator, _aliases.make_kernel(operator))
