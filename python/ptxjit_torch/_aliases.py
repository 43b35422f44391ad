# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operators without the module in C++, for machines without a compiler. Results
are copied to device memory, each call takes much longer, and there are no sparse
tensors. csrc/Operators.cpp has the same steps."""
from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterator, Optional

import torch
from torch.utils import _pytree as pytree

from . import _operators, _types

_MASK = (1 << 64) - 1


def _next_seed(generator: torch.Generator) -> int:
    """As in csrc/Random.h."""
    offset = generator.get_offset()
    generator.set_offset(offset + 4)
    seed = (generator.initial_seed() + offset * 0x9e3779b97f4a7c15) & _MASK
    for factor in (0xff51afd7ed558ccd, 0xc4ceb9fe1a85ec53):
        seed = (seed ^ (seed >> 33)) * factor & _MASK
    return seed ^ (seed >> 33)


def _default_generator(device: torch.device) -> torch.Generator:
    return torch.cuda.default_generators[device.index]


@contextlib.contextmanager
def _seeded_default(device: torch.device) -> Iterator[None]:
    """Seeds the default CPU generator, and gives it back its state."""
    state = torch.default_generator.get_state()
    torch.default_generator.manual_seed(_next_seed(_default_generator(device)))
    try:
        yield
    finally:
        torch.default_generator.set_state(state)


class _Call:
    """The aliases of one call."""

    def __init__(self, device: torch.device):
        self.device = device
        self.pairs: list[tuple[torch.Tensor, torch.Tensor]] = []

    def to_host(self, value: Any) -> Any:
        if isinstance(value, torch.device) and value.type == "cuda":
            return torch.device("cpu")
        if isinstance(value, torch.Generator) and value.device.type == "cuda":
            return torch.Generator().manual_seed(_next_seed(value))
        if not isinstance(value, torch.Tensor) or not value.is_cuda:
            return value
        alias = _alias(value)
        self.pairs.append((value, alias))
        return alias

    def to_host_out(self, value: Any) -> Any:
        """For arguments that the kernel may resize: a copy."""
        if not isinstance(value, torch.Tensor) or not value.is_cuda:
            return value
        alias = torch.empty_strided(value.shape, value.stride(),
                                    dtype=value.dtype).copy_(_alias(value))
        self.pairs.append((value, alias))
        return alias

    def update(self, value: Any) -> None:
        for tensor in pytree.tree_leaves(value):
            for given, alias in self.pairs:
                if given is not tensor:
                    continue
                if not _same_memory(given, alias):
                    if given.shape != alias.shape:
                        given.resize_(alias.shape)
                    _alias(given).copy_(alias)
                elif given.is_conj() != alias.is_conj():
                    # Some operators write the conjugate, and mark it as that.
                    torch._C._set_conj(given, alias.is_conj())

    def to_device(self, value: Any) -> Any:
        if not isinstance(value, torch.Tensor) or value.is_cuda:
            return value
        for given, alias in self.pairs:
            if alias is value:
                return given
        for given, alias in self.pairs:
            if value.numel() and _same_memory(value, alias):
                return torch.ops.aten.as_strided(
                    given, value.shape, value.stride(),
                    value.storage_offset())
        result = torch.empty_strided(value.shape, value.stride(),
                                     dtype=value.dtype, device=self.device)
        _alias(result).copy_(value)
        return result


def _same_memory(left: torch.Tensor, right: torch.Tensor) -> bool:
    return (left.untyped_storage().data_ptr() ==
            right.untyped_storage().data_ptr())


def _alias(tensor: torch.Tensor) -> torch.Tensor:
    storage = tensor.untyped_storage()
    host = torch._C._construct_storage_from_data_pointer(
        storage.data_ptr(), torch.device("cpu"), storage.nbytes())
    alias = torch.empty(0, dtype=tensor.dtype).set_(
        host, tensor.storage_offset(), tensor.shape, tensor.stride())
    alias = alias.conj() if tensor.is_conj() else alias
    return torch._neg_view(alias) if tensor.is_neg() else alias


def _find_devices(values: Any) -> list[torch.device]:
    """The CUDA devices of arguments."""
    found = {}
    for value in pytree.tree_leaves(values):
        if isinstance(value, torch.Tensor):
            value = value.device
        if isinstance(value, torch.device) and value.type == "cuda":
            index = value.index
            found[torch.cuda.current_device() if index is None else index] = 0
    return [torch.device("cuda", index) for index in found]


def _check_devices(operator: torch._ops.OpOverload,
                   devices: list[torch.device], values: Any) -> None:
    host = [value.device for value in pytree.tree_leaves(values)
            if isinstance(value, torch.Tensor) and value.dim()
            and value.device.type == "cpu"]
    both = devices + host[:1]
    if len(both) > 1:
        raise RuntimeError(
            "Expected all tensors to be on the same device, but found at least "
            f"two devices, {both[0]} and {both[1]}! (when checking arguments "
            f"of {operator})")


def _synchronize(operator: torch._ops.OpOverload,
                 devices: list[torch.device]) -> None:
    if torch.cuda.is_current_stream_capturing():
        raise RuntimeError(f"{operator} runs on the CPU (ptxjit_torch), and "
                           "cannot be captured in a CUDA graph")
    for device in devices:
        torch.cuda.current_stream(device).synchronize()


def make_kernel(operator: torch._ops.OpOverload) -> Callable:
    """The function for an operator of CUDA tensors."""
    schema = operator._schema
    any_device = _operators.takes_any_device(operator)
    random = _operators.is_random(operator)
    contiguous = _operators.is_contiguous(operator)
    sums_narrowly = _operators.sums_narrowly(operator)
    mixes_types = _operators.mixes_types(operator)
    written = {a.name: a.kwarg_only for a in schema.arguments
               if a.alias_info and a.alias_info.is_write}
    names = [argument.name for argument in schema.arguments]
    generators = [argument.name for argument in schema.arguments
                  if "Generator" in str(argument.type)]

    takes_tensor = [str(argument.type) == "Tensor"
                    for argument in schema.arguments]

    def to_tensors(args: tuple) -> tuple:
        """torch hands numbers to Python where an operator takes tensors."""
        return tuple(
            torch.tensor(value) if takes and
            isinstance(value, (bool, int, float, complex)) else value
            for takes, value in zip(takes_tensor, args))

    def run(call: _Call, args: tuple, kwargs: dict) -> Any:
        host_args = pytree.tree_map(call.to_host, to_tensors(args))
        host_kwargs = {
            name: pytree.tree_map(
                call.to_host_out if written.get(name) else call.to_host, value)
            for name, value in kwargs.items()}
        if generators and host_kwargs.get(generators[0]) is None:
            host_kwargs[generators[0]] = torch.Generator().manual_seed(
                _next_seed(_default_generator(call.device)))
        with (_seeded_default(call.device) if random
              else contextlib.nullcontext()):
            result = operator(*host_args, **host_kwargs)
        if contiguous:
            result = pytree.tree_map_only(torch.Tensor,
                                          torch.Tensor.contiguous, result)
        for name, value in [*zip(names, args), *kwargs.items()]:
            if name in written:
                call.update(value)
        return pytree.tree_map(call.to_device, result)

    def kernel(*args: Any, **kwargs: Any) -> Any:
        devices = _find_devices((args, kwargs))
        if not any_device:
            _check_devices(operator, devices, (args, kwargs))
        _synchronize(operator, devices)
        device = (devices or [torch.device("cuda",
                                           torch.cuda.current_device())])[0]
        with torch.cuda.device(device):
            results: Optional[tuple] = None
            if (sums_narrowly and _types.has_narrow((args, kwargs))) or (
                    mixes_types and _types.is_mixed(args)):
                results = _types.run_wider(schema.name, schema.overload_name,
                                           args, kwargs)
            if results is None:
                try:
                    return run(_Call(device), args, kwargs)
                except NotImplementedError:
                    results = _types.run_wider(
                        schema.name, schema.overload_name, args, kwargs)
                    if results is None:
                        raise
            return results if len(schema.returns) > 1 else results[0]

    return kernel
