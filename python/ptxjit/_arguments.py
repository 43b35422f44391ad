# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lays out the arguments of a launch by the types of the parameters."""
from __future__ import annotations

import ctypes
import dataclasses
import struct
import sys
from typing import Any, List, Optional, Sequence

from ._memory import address_of

_FLOAT_CODES = {2: "<e", 4: "<f", 8: "<d"}
_POINTER_BYTES = 8


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A parameter of a kernel."""

    name: str
    type: str  #: of an element, as in PTX without the dot: "f32"
    count: int  #: elements; 1 unless it is an array (of a struct)
    offset: int  #: in the buffer of all parameters
    size: int  #: bytes of all elements

    def __str__(self) -> str:
        array = f"[{self.count}]" if self.count != 1 else ""
        return f".{self.type} {self.name}{array}"

    @property
    def is_number(self) -> bool:
        """Is it a single number? Others are structs, given as their bytes."""
        return self.count == 1 and self.size <= 8

    @property
    def is_float(self) -> bool:
        return self.is_number and self.type.startswith("f")

    @property
    def is_integer(self) -> bool:
        """Does the type rule out floats? `.b32` may be anything."""
        return self.is_number and self.type[0] in "us"


class _Mismatch(Exception):
    """What was given in place of what a parameter takes."""


def _kind_of_number(given: Any) -> Optional[str]:
    """Of a number that has a type, numpy's or ctypes': "float", "integer" or
    "other". None if it is nothing of that sort."""
    # numpy is not loaded here: without it there are no numbers of it.
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(given, numpy.generic):
        kind = given.dtype.kind
        return {"f": "float", "b": "integer", "i": "integer",
                "u": "integer"}.get(kind, "other")
    if isinstance(given, ctypes._SimpleCData):
        is_float = isinstance(given, (ctypes.c_float, ctypes.c_double,
                                      ctypes.c_longdouble))
        return "float" if is_float else "integer"
    return None


def _typed_bytes(parameter: Parameter, given: Any, kind: str) -> bytes:
    data = given.tobytes() if hasattr(given, "tobytes") else bytes(given)
    wrong = (parameter.is_float and kind == "integer"
             or parameter.is_integer and kind == "float")
    if wrong or len(data) != parameter.size:
        raise _Mismatch(f"{_describe(given)} of {len(data)} bytes")
    return bytes(data)


def _float_bytes(parameter: Parameter, given: float) -> bytes:
    code = _FLOAT_CODES.get(parameter.size)
    if parameter.is_integer or code is None:
        raise _Mismatch(_describe(given))
    try:
        return struct.pack(code, given)
    except OverflowError:
        raise OverflowError(f"{given!r} is out of its range") from None


def _integer_bytes(parameter: Parameter, given: int) -> bytes:
    if parameter.is_float:
        return _float_bytes(parameter, float(given))
    bits = parameter.size * 8
    # `int` and `unsigned` are both .u32 in what compilers make.
    low, high = -1 << (bits - 1), (1 << bits) - 1
    if not low <= given <= high:
        raise OverflowError(f"{given} is not in {low} ... {high}")
    return (given & high).to_bytes(parameter.size, "little")


def _struct_bytes(parameter: Parameter, given: Any) -> bytes:
    try:
        data = memoryview(given).tobytes()
    except (TypeError, ValueError, BufferError):
        raise _Mismatch(_describe(given)) from None
    if len(data) != parameter.size:
        raise _Mismatch(f"{_describe(given)} of {len(data)} bytes")
    return data


def _pointer_bytes(parameter: Parameter, given: Any, kept: List[Any]) -> bytes:
    if parameter.is_float or parameter.size != _POINTER_BYTES:
        raise _Mismatch(_describe(given))
    address = 0 if given is None else address_of(given, kept)
    return struct.pack("<Q", address)


def _bytes_of(parameter: Parameter, given: Any, kept: List[Any]) -> bytes:
    kind = _kind_of_number(given)
    if kind is not None:
        return _typed_bytes(parameter, given, kind)
    if not parameter.is_number:
        return _struct_bytes(parameter, given)
    if isinstance(given, int):
        return _integer_bytes(parameter, given)
    if isinstance(given, float):
        return _float_bytes(parameter, given)
    return _pointer_bytes(parameter, given, kept)


def _describe(given: Any) -> str:
    kind = type(given)
    name = kind.__qualname__
    if kind.__module__ != "builtins":
        name = f"{kind.__module__}.{name}"
    article = "an" if name[0] in "aeiou" else "a"
    return "None" if given is None else f"{article} {name}"


def pack(kernel: str, parameters: Sequence[Parameter],
         arguments: Sequence[Any], kept: List[Any]) -> bytearray:
    """Makes the buffer of a kernel's parameters. `kept` gets the objects that
    have to live until the kernel has ended. Raises TypeError, ValueError or
    OverflowError that names the parameter."""
    if len(arguments) != len(parameters):
        listed = ", ".join(str(parameter) for parameter in parameters)
        raise TypeError(
            f"kernel '{kernel}' takes {len(parameters)} arguments, "
            f"{len(arguments)} are given" + (f": {listed}" if listed else ""))
    buffer = bytearray(max((p.offset + p.size for p in parameters), default=0))
    for number, (parameter, given) in enumerate(zip(parameters, arguments), 1):
        where = f"kernel '{kernel}': parameter {number} is {parameter}"
        try:
            data = _bytes_of(parameter, given, kept)
        except _Mismatch as mismatch:
            raise TypeError(f"{where} of {parameter.size} bytes, the argument "
                            f"{mismatch}") from None
        except (TypeError, ValueError, OverflowError) as error:
            raise type(error)(f"{where}; {error}") from None
        buffer[parameter.offset:parameter.offset + parameter.size] = data
    return buffer
