# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that torch has for CUDA only, by others. Sums are in f32 where types are
narrower, as on GPUs."""
from __future__ import annotations

from typing import Any, Callable, Optional

import torch

Tensor = torch.Tensor

_kernels: dict[str, Callable] = {}


def kernel(*names: str) -> Callable[[Callable], Callable]:
    def add(function: Callable) -> Callable:
        _kernels.update(dict.fromkeys((f"aten::{n}" for n in names), function))
        return function

    return add


def register(library: torch.library.Library) -> None:
    for name, function in _kernels.items():
        library.impl(name.removeprefix("aten::"), function)


def wide(tensor: Tensor) -> Tensor:
    narrow = (torch.float16, torch.bfloat16)
    return tensor.float() if tensor.dtype in narrow else tensor


def sum_to(tensor: Tensor, like: Optional[Tensor]) -> Tensor:
    assert like is not None
    return tensor.sum_to_size(like.shape).to(like.dtype)


# cuDNN has machine code only, whatever the program sets.
@kernel("cudnn_is_acceptable", "_use_cudnn_ctc_loss",
         "_use_cudnn_ctc_loss.Tensor")
def _never(*args: Any) -> bool:
    return False


# ===------------------------------------------------------------------------=== #
# Cells of recurrent networks
# ===------------------------------------------------------------------------=== #


def _gates(gates: Tensor, bias: Optional[Tensor]) -> Tensor:
    return wide(gates) if bias is None else wide(gates) + bias


@kernel("_thnn_fused_lstm_cell")
def _lstm(input_gates: Tensor, hidden_gates: Tensor, cx: Tensor,
          input_bias: Optional[Tensor] = None,
          hidden_bias: Optional[Tensor] = None) -> tuple:
    gates = _gates(input_gates, input_bias) + _gates(hidden_gates, hidden_bias)
    i, f, g, o = gates.chunk(4, 1)
    i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
    cy = f * cx + i * g
    kind = cx.dtype
    return ((o * cy.tanh()).to(kind), cy.to(kind),
            torch.cat((i, f, g, o), 1).to(kind))


@kernel("_thnn_fused_lstm_cell_backward_impl")
def _lstm_backward(grad_hy: Optional[Tensor], grad_cy: Optional[Tensor],
                   cx: Tensor, cy: Tensor, workspace: Tensor,
                   has_bias: bool) -> tuple:
    i, f, g, o = wide(workspace).chunk(4, 1)
    inner = wide(cy).tanh()
    hidden = torch.zeros_like(inner) if grad_hy is None else wide(grad_hy)
    cell = hidden * o * (1 - inner * inner)
    if grad_cy is not None:
        cell = cell + grad_cy
    gates = torch.cat((cell * g * i * (1 - i), cell * cx * f * (1 - f),
                       cell * i * (1 - g * g), hidden * inner * o * (1 - o)),
                      1)
    kind = cx.dtype
    return (gates.to(kind), (cell * f).to(kind),
            gates.sum(0).to(kind) if has_bias else None)


@kernel("_thnn_fused_gru_cell")
def _gru(input_gates: Tensor, hidden_gates: Tensor, hx: Tensor,
         input_bias: Optional[Tensor] = None,
         hidden_bias: Optional[Tensor] = None) -> tuple:
    ir, iz, new = _gates(input_gates, input_bias).chunk(3, 1)
    hr, hz, hn = _gates(hidden_gates, hidden_bias).chunk(3, 1)
    r, z = (ir + hr).sigmoid(), (iz + hz).sigmoid()
    n = (new + r * hn).tanh()
    kind = hx.dtype
    return ((n + z * (hx - n)).to(kind),
            torch.cat((r, z, n, wide(hx), hn), 1).to(kind))


@kernel("_thnn_fused_gru_cell_backward")
def _gru_backward(grad_hy: Tensor, workspace: Tensor, has_bias: bool) -> tuple:
    r, z, n, hx, hn = wide(workspace).chunk(5, 1)
    grad = wide(grad_hy)
    new = grad * (1 - z) * (1 - n * n)
    update = grad * (hx - n) * z * (1 - z)
    reset = new * hn * r * (1 - r)
    inputs = torch.cat((reset, update, new), 1)
    hidden = torch.cat((reset, update, new * r), 1)
    kind = grad_hy.dtype
    return (inputs.to(kind), hidden.to(kind), (grad * z).to(kind),
            inputs.sum(0).to(kind) if has_bias else None,
            hidden.sum(0).to(kind) if has_bias else None)


# ===------------------------------------------------------------------------=== #
# Norms
# ===------------------------------------------------------------------------=== #


@kernel("_fused_rms_norm_backward")
def _rms_norm_backward(grad_out: Tensor, input: Tensor,
                       normalized_shape: list[int], rstd: Tensor,
                       weight: Optional[Tensor],
                       output_mask: list[bool]) -> tuple:
    grad, factor = wide(grad_out), wide(rstd)
    normal = wide(input) * factor
    inner = list(range(-len(normalized_shape), 0))
    grad_input = grad_weight = None
    if output_mask[0]:
        scaled = grad if weight is None else grad * weight
        mean = (scaled * normal).mean(inner, keepdim=True)
        grad_input = ((scaled - normal * mean) * factor).to(input.dtype)
    if output_mask[1]:
        grad_weight = sum_to(grad * normal, weight)
    return grad_input, grad_weight


def _per_channel(values: Tensor, like: Tensor) -> Tensor:
    return values.reshape(1, -1, *[1] * (like.dim() - 2))


def _other_dims(tensor: Tensor) -> list[int]:
    return [dim for dim in range(tensor.dim()) if dim != 1]


@kernel("batch_norm_stats")
def _batch_norm_stats(input: Tensor, eps: float) -> tuple:
    variance, mean = torch.var_mean(wide(input), _other_dims(input),
                                    correction=0)
    return mean, (variance + eps).rsqrt()


@kernel("batch_norm_elemt")
def _batch_norm_elemt(input: Tensor, weight: Optional[Tensor],
                      bias: Optional[Tensor], mean: Tensor, invstd: Tensor,
                      eps: float) -> Tensor:
    result = (wide(input) - _per_channel(mean, input)) * _per_channel(
        invstd, input)
    if weight is not None:
        result = result * _per_channel(weight, input)
    if bias is not None:
        result = result + _per_channel(bias, input)
    return result.to(input.dtype)


@kernel("batch_norm_gather_stats_with_counts")
def _gather_counts(input: Tensor, mean: Tensor, invstd: Tensor,
                   running_mean: Optional[Tensor],
                   running_var: Optional[Tensor], momentum: float, eps: float,
                   counts: Tensor) -> tuple:
    parts = counts.reshape(-1, 1).to(mean.dtype)
    total = parts.sum()
    whole = (parts * mean).sum(0) / total
    squares = (parts * (invstd.pow(-2) - eps + (mean - whole)**2)).sum(0)
    if running_mean is not None:
        running_mean.lerp_(whole.to(running_mean.dtype), momentum)
    if running_var is not None:
        running_var.lerp_((squares / (total - 1)).to(running_var.dtype),
                          momentum)
    return whole, (squares / total + eps).rsqrt()


@kernel("batch_norm_gather_stats")
def _gather(input: Tensor, mean: Tensor, invstd: Tensor,
            running_mean: Optional[Tensor], running_var: Optional[Tensor],
            momentum: float, eps: float, count: int) -> tuple:
    counts = torch.full((mean.size(0),), count, device=mean.device)
    return _gather_counts(input, mean, invstd, running_mean, running_var,
                          momentum, eps, counts)


@kernel("batch_norm_backward_reduce")
def _batch_norm_backward_reduce(grad_out: Tensor, input: Tensor, mean: Tensor,
                                invstd: Tensor, weight: Optional[Tensor],
                                input_g: bool, weight_g: bool,
                                bias_g: bool) -> tuple:
    dims, grad = _other_dims(input), wide(grad_out)
    sum_grad = grad.sum(dims)
    sum_product = (grad * (wide(input) - _per_channel(mean, input))).sum(dims)
    kind = mean.dtype if weight is None else weight.dtype
    return (sum_grad, sum_product,
            (sum_product * invstd).to(kind) if weight_g else None,
            sum_grad.to(kind) if bias_g else None)


@kernel("batch_norm_backward_elemt")
def _batch_norm_backward_elemt(grad_out: Tensor, input: Tensor, mean: Tensor,
                               invstd: Tensor, weight: Optional[Tensor],
                               sum_dy: Tensor, sum_dy_xmu: Tensor,
                               count: Tensor) -> Tensor:
    total = count.sum()
    factor = invstd if weight is None else invstd * weight
    slope = invstd**2 * sum_dy_xmu / total
    centred = wide(input) - _per_channel(mean, input)
    result = (wide(grad_out) - _per_channel(sum_dy / total, input) -
              centred * _per_channel(slope, input)) * _per_channel(
                  factor, input)
    return result.to(input.dtype)


# ===------------------------------------------------------------------------=== #
# Others
# ===------------------------------------------------------------------------=== #


@kernel("_fused_dropout")
def _fused_dropout(input: Tensor, p: float,
                   generator: Optional[torch.Generator] = None) -> tuple:
    mask = torch.empty_like(input, dtype=torch.uint8)
    mask.bernoulli_(p, generator=generator)
    return input * mask / p, mask


@kernel("_masked_scale")
def _masked_scale(input: Tensor, mask: Tensor, scale: float) -> Tensor:
    return input * mask * scale


@kernel("mm.dtype")
def _mm(input: Tensor, mat2: Tensor, out_dtype: torch.dtype) -> Tensor:
    return torch.mm(input.to(out_dtype), mat2.to(out_dtype))


@kernel("bmm.dtype")
def _bmm(input: Tensor, mat2: Tensor, out_dtype: torch.dtype) -> Tensor:
    return torch.bmm(input.to(out_dtype), mat2.to(out_dtype))


@kernel("addmm.dtype")
def _addmm(input: Tensor, mat1: Tensor, mat2: Tensor, out_dtype: torch.dtype,
           *, beta: float = 1, alpha: float = 1) -> Tensor:
    return torch.addmm(input.to(out_dtype), mat1.to(out_dtype),
                       mat2.to(out_dtype), beta=beta, alpha=alpha)


@kernel("baddbmm.dtype")
def _baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor,
             out_dtype: torch.dtype, *, beta: float = 1,
             alpha: float = 1) -> Tensor:
    return torch.baddbmm(input.to(out_dtype), batch1.to(out_dtype),
                         batch2.to(out_dtype), beta=beta, alpha=alpha)
