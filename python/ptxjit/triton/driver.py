# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The driver: kernels run on CPU tensors, in place, and have ended when a launch
returns, since torch's CPU operators wait for nothing.

Triton loads this module when it is imported, so nothing here may fail: whatever
a version of Triton lacks makes the driver inactive, with a line on stderr.
"""
from __future__ import annotations

import ctypes
import os
import sys

from .. import _places
from . import _nvidia
from ._clock import Clock

_CAPABILITY_MAJOR, _CAPABILITY_MINOR = 75, 76  # CU_DEVICE_ATTRIBUTE_...


class _Address(int):
    """The address of a tensor. Triton's launcher takes numbers as they are, and
    asks CUDA about the pointers of tensors, which it did not allocate."""

    def data_ptr(self) -> int:
        return int(self)


def _addresses(argument):
    """`argument` with addresses in place of CPU tensors."""
    if isinstance(argument, tuple):
        values = [_addresses(value) for value in argument]
        named = hasattr(argument, "_fields")
        return type(argument)(*values) if named else tuple(values)
    if hasattr(argument, "data_ptr") and hasattr(argument, "device"):
        if argument.device.type != "cpu":
            raise ValueError("kernels of this Triton run on CPU tensors; this "
                             f"one is on {argument.device}")
        return _Address(argument.data_ptr())
    if hasattr(argument, "base") and hasattr(argument, "block_shape"):
        return _Descriptor(argument)
    return argument


class _Descriptor:
    """A tensor descriptor of the host, whose tensor is an address."""

    def __init__(self, descriptor):
        self._descriptor = descriptor
        self.base = _addresses(descriptor.base)

    def __getattr__(self, name):
        return getattr(self._descriptor, name)


class _Library:
    """Our libcuda.so.1, loaded before Triton's own code looks for one."""

    def __init__(self):
        folder = _places.library_folder()
        self.cuda = ctypes.CDLL(os.path.join(folder, "libcuda.so.1"),
                                ctypes.RTLD_GLOBAL)
        # Triton compiles code that is linked with libcuda, and runs ptxas.
        os.environ.setdefault("TRITON_LIBCUDA_PATH", folder)
        ptxas = _places.ptxas_path()
        for name in ("TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH"):
            os.environ.setdefault(name, ptxas)
        self.check(self.cuda.cuInit(0))

    def check(self, status: int) -> None:
        if status == 0:
            return
        text = ctypes.c_char_p()
        self.cuda.cuGetErrorString(status, ctypes.byref(text))
        raise RuntimeError(f"ptxjit: {(text.value or b'?').decode()}")

    def attribute(self, number: int) -> int:
        value = ctypes.c_int()
        self.check(self.cuda.cuDeviceGetAttribute(ctypes.byref(value), number,
                                                  0))
        return value.value

    def synchronize(self) -> None:
        self.check(self.cuda.cuCtxSynchronize())


class _Launcher(_nvidia.CudaLauncher):
    def __call__(self, *args, **kwargs):
        super().__call__(*map(_addresses, args), **kwargs)
        PtxJitDriver.library.synchronize()


class _Interface:
    """What Triton asks of `torch.cuda`: nothing is ever under way here."""

    Event = Clock

    @staticmethod
    def synchronize(device=None):
        pass

    @staticmethod
    def current_device():
        return 0


def _is_wanted() -> bool:
    # While `import torch` runs, the module is there without its parts.
    torch = sys.modules.get("torch")
    if (not _nvidia.is_there or os.environ.get("PTXJIT_TRITON") == "0" or
            not hasattr(torch, "cuda") or torch.cuda.is_available()):
        return False
    try:
        return bool(_places.library_folder() and _places.ptxas_path())
    except FileNotFoundError:
        return False


class PtxJitDriver(_nvidia.CudaDriver):
    """See the module."""

    library: _Library

    def __init__(self):
        # Not CudaDriver's, which takes functions of torch.cuda.
        PtxJitDriver.library = _Library()
        self.utils = _nvidia.CudaUtils()
        # The device of CPU tensors has no number.
        properties = self.utils.get_device_properties
        self.utils.get_device_properties = lambda device: properties(device
                                                                     or 0)
        self.launcher_cls = _Launcher
        self.get_current_device = lambda: 0
        self.set_current_device = lambda device: None
        self.get_current_stream = lambda device: 0
        self.get_device_capability = lambda device=0: (
            self.library.attribute(_CAPABILITY_MAJOR),
            self.library.attribute(_CAPABILITY_MINOR))

    @staticmethod
    def is_active():
        return _is_wanted()

    def get_active_torch_device(self):
        import torch
        return torch.device("cpu")

    def get_device_interface(self):
        return _Interface

    def get_empty_cache_for_benchmark(self):
        import torch
        return torch.empty(32 << 20, dtype=torch.int8)

    def allocate_default_profile_scratch(self, size, alignment, stream):
        import torch
        return torch.zeros(size, dtype=torch.int8)
