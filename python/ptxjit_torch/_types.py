# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that CUDA has for a type and the CPU has not: they are computed in a
wider type, and their results are rounded."""
from __future__ import annotations

from typing import Any, Callable, Optional

import torch
from torch.utils import _pytree as pytree

_WIDER = {torch.float16: torch.float32, torch.bfloat16: torch.float32,
          torch.complex32: torch.complex64}
_WIDER.update({getattr(torch, name): torch.float32
               for name in ("float8_e4m3fn", "float8_e5m2",
                            "float8_e4m3fnuz", "float8_e5m2fnuz",
                            "float8_e8m0fnu") if hasattr(torch, name)})


def _find(name: str, overload: str) -> torch._ops.OpOverload:
    space, _, packet = name.partition("::")
    return getattr(getattr(getattr(torch.ops, space), packet),
                   overload or "default")


class _Widened:
    """The arguments of a call, in wider types."""

    def __init__(self) -> None:
        self.pairs: list[tuple[torch.Tensor, torch.Tensor]] = []
        self.narrow: Optional[torch.dtype] = None

    def widen(self, value: Any) -> Any:
        if isinstance(value, torch.dtype) and value in _WIDER:
            self.narrow = self.narrow or value
            return _WIDER[value]
        if not isinstance(value, torch.Tensor) or value.dtype not in _WIDER:
            return value
        for given, wide in self.pairs:
            if given is value:
                return wide
        self.narrow = self.narrow or value.dtype
        wide = value.to(_WIDER[value.dtype])
        self.pairs.append((value, wide))
        return wide

    def round_written(self, schema: torch.FunctionSchema, args: tuple,
                      kwargs: dict) -> None:
        """Writes what the operator has written into the arguments."""
        given = dict(zip((a.name for a in schema.arguments), args))
        given.update(kwargs)
        for argument in schema.arguments:
            if not argument.alias_info or not argument.alias_info.is_write:
                continue
            for tensor in pytree.tree_leaves(given.get(argument.name)):
                for original, wide in self.pairs:
                    if original is tensor:
                        original.resize_(wide.shape).copy_(wide)

    def round_result(self, result: Any, expected: Any) -> Any:
        if not isinstance(result, torch.Tensor):
            return result
        for given, wide in self.pairs:
            if wide is result:
                return given
        if isinstance(expected, torch.Tensor):
            return result.to(expected.dtype)
        if self.narrow and result.dtype == _WIDER[self.narrow]:
            return result.to(self.narrow)
        return result


def _expected(operator: Callable, args: tuple, kwargs: dict) -> list:
    """The results as tensors without memory, or nothing where torch cannot tell."""
    def to_meta(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return torch.empty_strided(value.shape, value.stride(),
                                       dtype=value.dtype, device="meta")
        if isinstance(value, torch.device):
            return torch.device("meta")
        return None if isinstance(value, torch.Generator) else value

    try:
        return pytree.tree_leaves(
            operator(*pytree.tree_map(to_meta, args),
                     **pytree.tree_map(to_meta, kwargs)))
    except Exception:
        return []


def _softmax(operator: Callable, tensor: torch.Tensor, dim: int,
             half_to_float: bool) -> torch.Tensor:
    return operator(tensor.float(), dim, False)


def _softmax_backward(operator: Callable, grad: torch.Tensor,
                      output: torch.Tensor, dim: int,
                      input_dtype: torch.dtype) -> torch.Tensor:
    return operator(grad, output, dim, grad.dtype).to(input_dtype)


# Operators that the CPU has for one type only, not from half to float and back.
MIXED = {"_softmax": _softmax, "_log_softmax": _softmax,
         "_softmax_backward_data": _softmax_backward,
         "_log_softmax_backward_data": _softmax_backward}


def is_mixed(args: tuple) -> bool:
    """Is a call of one of MIXED, with these arguments, of two types?"""
    return args[-1] is True or (isinstance(args[-1], torch.dtype) and
                                args[-1] != args[0].dtype)


def has_narrow(arguments: Any) -> bool:
    """Is one of the tensors in arguments of f16 or bf16?"""
    return any(isinstance(value, torch.Tensor) and
               value.dtype in (torch.float16, torch.bfloat16)
               for value in pytree.tree_leaves(arguments))


def run_wider(name: str, overload: str, args: tuple,
              kwargs: dict) -> Optional[tuple]:
    """Runs an operator that the CPU has not for the types of its arguments. Returns
    a tuple of its results, or None if there is no wider type."""
    operator = _find(name, overload)
    mixed = MIXED.get(name.removeprefix("aten::"))
    if mixed and not kwargs and is_mixed(args):
        return (mixed(operator, *args),)
    widened = _Widened()
    wide_args = pytree.tree_map(widened.widen, args)
    wide_kwargs = pytree.tree_map(widened.widen, kwargs)
    if widened.narrow is None:
        return None
    result = operator(*wide_args, **wide_kwargs)
    widened.round_written(operator._schema, args, kwargs)
    leaves, spec = pytree.tree_flatten(result)
    expected = _expected(operator, args, kwargs)
    if len(expected) != len(leaves):
        expected = [None] * len(leaves)
    rounded = pytree.tree_unflatten(
        [widened.round_result(*pair) for pair in zip(leaves, expected)], spec)
    return rounded if isinstance(rounded, tuple) else (rounded,)
