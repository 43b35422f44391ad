# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which operators of torch run as CPU kernels."""
from __future__ import annotations

from typing import Iterator

import torch

from . import _types

# The dispatch keys of CUDA tensors, and whose kernels take their place.
KEYS = {"CUDA": "CPU", "SparseCUDA": "SparseCPU",
        "SparseCsrCUDA": "SparseCsrCPU"}

# Their kernels for CUDA run no code on the device. (Views do not, either.)
_KEPT = {
    "_coalesced_", "_dimI", "_dimV", "_indices", "_nested_view_from_buffer",
    "_nnz", "_pin_memory", "_sparse_compressed_tensor_unsafe",
    "_sparse_compressed_tensor_with_dims", "_sparse_coo_tensor_with_dims",
    "_sparse_coo_tensor_with_dims_and_tensors", "_values", "ccol_indices",
    "col_indices", "crow_indices", "dense_dim", "empty", "empty_strided",
    "_efficientzerotensor", "_fused_sdp_choice", "indices", "is_coalesced", "is_pinned",
    "is_set_to", "record_stream", "resize_", "row_indices", "set_",
    "sparse_dim",
    "sparse_resize_", "sparse_resize_and_clear_", "values",
}

# One kernel for all devices serves them, which runs code on the device.
_COMPOSITE = ("aten::conj_physical_", "aten::convolution",
              "aten::convolution_backward", "aten::copy_", "aten::mode",
              "aten::mode.values")

# They take tensors of the CPU beside those of a device.
_ANY_DEVICE = {"copy_", "_index_put_impl_", "index", "index_put_",
               "_unsafe_index", "_unsafe_index_put", "_pack_padded_sequence",
               "_local_scalar_dense", "copy_sparse_to_sparse_",
               "_embedding_bag", "_ctc_loss", "_ctc_loss_backward",
               "_masked_softmax"}


# So are their results on CUDA without cuDNN, and compiled code relies on it.
_CONTIGUOUS = {"convolution", "convolution_backward"}


# The CPU adds up many narrow floats in their own type, which a GPU adds in f32: after
# a thousand rows the gradient of a layer norm's bias has two digits. Nor does it keep
# the mean and the deviation of a layer norm in f32.
_SUMS_NARROWLY = {"_embedding_bag_dense_backward", "dot",
                  "embedding_dense_backward", "native_batch_norm_backward",
                  "native_group_norm_backward", "native_layer_norm",
                  "native_layer_norm_backward", "prod", "vdot"}


def find(name: str) -> torch._ops.OpOverload:
    """The operator "aten::add.out"."""
    packet, _, overload = name.removeprefix("aten::").partition(".")
    return getattr(getattr(torch.ops.aten, packet), overload or "default")


def _is_view(operator: torch._ops.OpOverload) -> bool:
    return any(result.alias_info and not result.alias_info.is_write
               for result in operator._schema.returns)


def is_random(operator: torch._ops.OpOverload) -> bool:
    """Does it draw random numbers without an argument for a generator?"""
    return (torch.Tag.nondeterministic_seeded in operator.tags and not any(
        "Generator" in str(argument.type)
        for argument in operator._schema.arguments))


def takes_any_device(operator: torch._ops.OpOverload) -> bool:
    return operator._schema.name.removeprefix("aten::") in _ANY_DEVICE


def is_contiguous(operator: torch._ops.OpOverload) -> bool:
    """Are its results contiguous, whatever its arguments are?"""
    return operator._schema.name.removeprefix("aten::") in _CONTIGUOUS


def sums_narrowly(operator: torch._ops.OpOverload) -> bool:
    """Has it to be given f32 in place of f16 and bf16?"""
    return operator._schema.name.removeprefix("aten::") in _SUMS_NARROWLY


def mixes_types(operator: torch._ops.OpOverload) -> bool:
    """May its result have another float's type than its argument?"""
    return (not operator._schema.overload_name and
            operator._schema.name.removeprefix("aten::") in _types.MIXED)


def listed(key: str) -> Iterator[str]:
    """The operators of a dispatch key, as "aten::add.out", that CPU kernels do."""
    names = set(torch._C._dispatch_get_registrations_for_dispatch_key(key))
    if key == "CUDA":
        names.update(_COMPOSITE)
    for name in sorted(names):
        if not name.startswith("aten::"):
            continue
        operator = find(name)
        if operator._schema.name.removeprefix("aten::") in _KEPT or _is_view(
                operator):
            continue
        if torch._C._dispatch_has_computed_kernel_for_dispatch_key(
                name, KEYS[key]):
            yield name
