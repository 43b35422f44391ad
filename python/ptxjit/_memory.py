# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the memory of arrays: of the buffer protocol, and of DLPack.

Device memory is the host's memory, so that kernels take its addresses as they are.
"""
from __future__ import annotations

import ctypes
from typing import Any, List


def address_of(given: Any, kept: List[Any]) -> int:
    """The address of an array's memory, which stays there for as long as what
    `kept` gets lives. Raises TypeError or ValueError that says what is wrong."""
    try:
        view = memoryview(given)
    except TypeError:
        view = None
    except (BufferError, ValueError) as error:
        raise ValueError(f"the memory of the argument has no form that is "
                         f"known here ({error}); pass a view of other numbers "
                         f"of that size") from None
    if view is not None:
        return _address_of_view(view, kept)
    if hasattr(given, "__dlpack__"):
        return _address_of_tensor(given, kept)
    kind = type(given)
    raise TypeError(f"the argument, of {kind.__module__}.{kind.__qualname__}, "
                    "is no number, and has neither the buffer protocol nor "
                    "__dlpack__")


def _address_of_view(view: memoryview, kept: List[Any]) -> int:
    if view.readonly:
        raise ValueError("the argument's memory is read-only")
    if not view.c_contiguous:
        raise ValueError(_NOT_CONTIGUOUS)
    block = (ctypes.c_char * view.nbytes).from_buffer(view)
    kept.append(block)
    return ctypes.addressof(block)


_NOT_CONTIGUOUS = ("the argument's elements do not lie one after another, row "
                   "by row; pass a contiguous copy")


# DLPack 1.0: https://dmlc.github.io/dlpack/latest/c_api.html
class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class _Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32),
                ("manager", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
                ("flags", ctypes.c_uint64), ("tensor", _Tensor)]


_READ_ONLY = 1
_CPU, _CUDA_HOST = 1, 3  # devices; the second one is pinned memory

_is_capsule = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object,
                                ctypes.c_char_p)(
    ("PyCapsule_IsValid", ctypes.pythonapi))
_get_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object,
                                 ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi))


def _make_capsule(given: Any) -> Any:
    try:
        try:
            return given.__dlpack__(max_version=(1, 0))
        except TypeError:  # from before version 1.0
            return given.__dlpack__()
    except (BufferError, RuntimeError, ValueError) as error:
        raise ValueError(f"__dlpack__ fails: {error}") from None


def _open_capsule(capsule: Any) -> _Tensor:
    if _is_capsule(capsule, b"dltensor"):
        return _Tensor.from_address(_get_pointer(capsule, b"dltensor"))
    if not _is_capsule(capsule, b"dltensor_versioned"):
        raise TypeError("__dlpack__ returned no tensor of DLPack")
    versioned: _Versioned = _Versioned.from_address(
        _get_pointer(capsule, b"dltensor_versioned"))
    if versioned.major != 1:
        raise ValueError(f"the argument's tensor is of DLPack "
                         f"{versioned.major}.{versioned.minor}, not 1")
    if versioned.flags & _READ_ONLY:
        raise ValueError("the argument's memory is read-only")
    tensor: _Tensor = versioned.tensor
    return tensor


def _is_contiguous(tensor: _Tensor) -> bool:
    if not tensor.ndim or not tensor.strides:
        return True
    shape = tensor.shape[:tensor.ndim]
    if 0 in shape:
        return True
    expected = 1
    for extent, stride in zip(reversed(shape),
                              reversed(tensor.strides[:tensor.ndim])):
        if extent != 1 and stride != expected:
            return False
        expected *= extent
    return True


def _address_of_tensor(given: Any, kept: List[Any]) -> int:
    device = given.__dlpack_device__()[0]
    if device not in (_CPU, _CUDA_HOST):
        raise ValueError(f"the argument is on device type {int(device)} of "
                         "DLPack, not on the CPU")
    capsule = _make_capsule(given)
    tensor = _open_capsule(capsule)
    if not _is_contiguous(tensor):
        raise ValueError(_NOT_CONTIGUOUS)
    # The capsule keeps the memory: its destructor calls the tensor's deleter,
    # unless somebody takes the tensor over.
    kept.append(capsule)
    address: int = (tensor.data or 0) + tensor.byte_offset
    return address
