# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that torch has for CUDA only, by others. Sums are in f32 where types are
narrower, as on GPUs."""
from __future__ import annotations

import math
from typing import Any, Callable, Optional

import torch

Tensor = torch.Tensor

_kernels: dict[str, Callable] = {}


def _kernel(*names: str) -> Callable[[Callable], Callable]:
    def add(function: Callable) -> Callable:
        _kernels.update(dict.fromkeys((f"aten::{n}" for n in names), function))
        return function

    return add


def register(library: torch.library.Library) -> None:
    for name, function in _kernels.items():
        library.impl(name.removeprefix("aten::"), function)


def _wide(tensor: Tensor) -> Tensor:
    narrow = (torch.float16, torch.bfloat16)
    return tensor.float() if tensor.dtype in narrow else tensor


def _sum_to(tensor: Tensor, like: Optional[Tensor]) -> Tensor:
    assert like is not None
    return tensor.sum_to_size(like.shape).to(like.dtype)


# cuDNN has machine code only, whatever the program sets.
@_kernel("cudnn_is_acceptable", "_use_cudnn_ctc_loss",
         "_use_cudnn_ctc_loss.Tensor")
def _never(*args: Any) -> bool:
    return False


# ===------------------------------------------------------------------------=== #
# Attention
# ===------------------------------------------------------------------------=== #


@_kernel("_fused_sdp_choice")
def _choose_attention(*args: Any, **kwargs: Any) -> int:
    return torch.nn.attention.SDPBackend.MATH.value


class _Attention:
    """The probabilities of attention without dropout, and what they come from."""

    def __init__(self, query: Tensor, key: Tensor, value: Tensor,
                 bias: Optional[Tensor], dropout: float, causal: bool,
                 scale: Optional[float]):
        if dropout:
            raise RuntimeError("ptxjit_torch: only attention by "
                               "SDPBackend.MATH has dropout")
        self.scale = 1 / math.sqrt(query.size(-1)) if scale is None else scale
        self.query, self.key, self.value = map(_wide, (query, key, value))
        scores = self.query @ self.key.mT * self.scale
        if bias is not None:
            scores = scores + bias
        if causal:
            above = torch.ones(scores.shape[-2:], dtype=torch.bool,
                               device=scores.device).triu(1)
            scores = scores.masked_fill(above, -math.inf)
        self.sums = scores.logsumexp(-1)
        self.weights = scores.softmax(-1)

    def output(self, like: Tensor) -> Tensor:
        return (self.weights @ self.value).to(like.dtype)

    def gradients(self, grad: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Those of query, key, value and bias."""
        grad = _wide(grad)
        by_weights = grad @ self.value.mT
        scores = self.weights * (by_weights - (by_weights * self.weights).sum(
            -1, keepdim=True))
        return (scores @ self.key * self.scale,
                scores.mT @ self.query * self.scale, self.weights.mT @ grad,
                scores)


def _no_state(device: torch.device) -> Tensor:
    return torch.zeros((), dtype=torch.int64, device=device)


# Compiled code asserts the strides that kernels of a GPU would choose.
def _ordered(tensor: Tensor, order: tuple[int, ...]) -> Tensor:
    """The tensor, with memory in the given order of dimensions."""
    back = sorted(range(len(order)), key=order.__getitem__)
    return tensor.permute(order).contiguous().permute(back)


def _ordered_like(tensor: Tensor, like: Tensor) -> Tensor:
    return _ordered(tensor, tuple(sorted(range(like.dim()),
                                         key=lambda d: -like.stride(d))))


_HEADS_INSIDE = (0, 2, 1, 3)


@_kernel("_scaled_dot_product_flash_attention")
def _flash(query: Tensor, key: Tensor, value: Tensor, dropout_p: float = 0.0,
           is_causal: bool = False, return_debug_mask: bool = False, *,
           scale: Optional[float] = None) -> tuple:
    result = _Attention(query, key, value, None, dropout_p, is_causal, scale)
    none = torch.empty(0, dtype=torch.int32, device=query.device)
    seed = torch.zeros(2, dtype=torch.uint64, device=query.device)
    return (_ordered_like(result.output(query), query), result.sums.float(),
            none, none.clone(), query.size(2), key.size(2), seed,
            seed[0].clone(), query.new_empty(0))


@_kernel("_scaled_dot_product_flash_attention_backward")
def _flash_backward(grad_out: Tensor, query: Tensor, key: Tensor,
                    value: Tensor, out: Tensor, logsumexp: Tensor,
                    cum_seq_q: Tensor, cum_seq_k: Tensor, max_q: int,
                    max_k: int, dropout_p: float, is_causal: bool,
                    philox_seed: Tensor, philox_offset: Tensor, *,
                    scale: Optional[float] = None) -> tuple:
    result = _Attention(query, key, value, None, dropout_p, is_causal, scale)
    return tuple(_ordered_like(grad.to(query.dtype), like) for grad, like in
                 zip(result.gradients(grad_out), (query, key, value)))


@_kernel("_scaled_dot_product_efficient_attention")
def _efficient(query: Tensor, key: Tensor, value: Tensor,
               attn_bias: Optional[Tensor], compute_log_sumexp: bool,
               dropout_p: float = 0.0, is_causal: bool = False, *,
               scale: Optional[float] = None) -> tuple:
    result = _Attention(query, key, value, attn_bias, dropout_p, is_causal,
                        scale)
    rows = -query.size(2) % 32 if compute_log_sumexp else -query.size(2)
    sums = torch.nn.functional.pad(result.sums.float(), (0, rows),
                                   value=math.inf)
    return (_ordered(result.output(query), _HEADS_INSIDE), sums,
            _no_state(query.device), _no_state(query.device))


@_kernel("_scaled_dot_product_efficient_attention_backward")
def _efficient_backward(grad_out: Tensor, query: Tensor, key: Tensor,
                        value: Tensor, attn_bias: Optional[Tensor],
                        out: Tensor, logsumexp: Tensor, philox_seed: Tensor,
                        philox_offset: Tensor, dropout_p: float,
                        grad_input_mask: list[bool], is_causal: bool = False,
                        *, scale: Optional[float] = None) -> tuple:
    result = _Attention(query, key, value, attn_bias, dropout_p, is_causal,
                        scale)
    grads = result.gradients(grad_out)
    made = [_sum_to(grad, like) if wanted else None for grad, like, wanted in
            zip(grads, (query, key, value, attn_bias), grad_input_mask)]
    return (*(grad if grad is None else _ordered(grad, _HEADS_INSIDE)
              for grad in made[:3]), made[3])


# ===------------------------------------------------------------------------=== #
# Cells of recurrent networks
# ===------------------------------------------------------------------------=== #


def _gates(gates: Tensor, bias: Optional[Tensor]) -> Tensor:
    return _wide(gates) if bias is None else _wide(gates) + bias


@_kernel("_thnn_fused_lstm_cell")
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


@_kernel("_thnn_fused_lstm_cell_backward_impl")
def _lstm_backward(grad_hy: Optional[Tensor], grad_cy: Optional[Tensor],
                   cx: Tensor, cy: Tensor, workspace: Tensor,
                   has_bias: bool) -> tuple:
    i, f, g, o = _wide(workspace).chunk(4, 1)
    inner = _wide(cy).tanh()
    hidden = torch.zeros_like(inner) if grad_hy is None else _wide(grad_hy)
    cell = hidden * o * (1 - inner * inner)
    if grad_cy is not None:
        cell = cell + grad_cy
    gates = torch.cat((cell * g * i * (1 - i), cell * cx * f * (1 - f),
                       cell * i * (1 - g * g), hidden * inner * o * (1 - o)),
                      1)
    kind = cx.dtype
    return (gates.to(kind), (cell * f).to(kind),
            gates.sum(0).to(kind) if has_bias else None)


@_kernel("_thnn_fused_gru_cell")
def _gru(input_gates: Tensor, hidden_gates: Tensor, hx: Tensor,
         input_bias: Optional[Tensor] = None,
         hidden_bias: Optional[Tensor] = None) -> tuple:
    ir, iz, new = _gates(input_gates, input_bias).chunk(3, 1)
    hr, hz, hn = _gates(hidden_gates, hidden_bias).chunk(3, 1)
    r, z = (ir + hr).sigmoid(), (iz + hz).sigmoid()
    n = (new + r * hn).tanh()
    kind = hx.dtype
    return ((n + z * (hx - n)).to(kind),
            torch.cat((r, z, n, _wide(hx), hn), 1).to(kind))


@_kernel("_thnn_fused_gru_cell_backward")
def _gru_backward(grad_hy: Tensor, workspace: Tensor, has_bias: bool) -> tuple:
    r, z, n, hx, hn = _wide(workspace).chunk(5, 1)
    grad = _wide(grad_hy)
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


@_kernel("_fused_rms_norm_backward")
def _rms_norm_backward(grad_out: Tensor, input: Tensor,
                       normalized_shape: list[int], rstd: Tensor,
                       weight: Optional[Tensor],
                       output_mask: list[bool]) -> tuple:
    grad, factor = _wide(grad_out), _wide(rstd)
    normal = _wide(input) * factor
    inner = list(range(-len(normalized_shape), 0))
    grad_input = grad_weight = None
    if output_mask[0]:
        scaled = grad if weight is None else grad * weight
        mean = (scaled * normal).mean(inner, keepdim=True)
        grad_input = ((scaled - normal * mean) * factor).to(input.dtype)
    if output_mask[1]:
        grad_weight = _sum_to(grad * normal, weight)
    return grad_input, grad_weight


def _per_channel(values: Tensor, like: Tensor) -> Tensor:
    return values.reshape(1, -1, *[1] * (like.dim() - 2))


def _other_dims(tensor: Tensor) -> list[int]:
    return [dim for dim in range(tensor.dim()) if dim != 1]


@_kernel("batch_norm_stats")
def _batch_norm_stats(input: Tensor, eps: float) -> tuple:
    variance, mean = torch.var_mean(_wide(input), _other_dims(input),
                                    correction=0)
    return mean, (variance + eps).rsqrt()


@_kernel("batch_norm_elemt")
def _batch_norm_elemt(input: Tensor, weight: Optional[Tensor],
                      bias: Optional[Tensor], mean: Tensor, invstd: Tensor,
                      eps: float) -> Tensor:
    result = (_wide(input) - _per_channel(mean, input)) * _per_channel(
        invstd, input)
    if weight is not None:
        result = result * _per_channel(weight, input)
    if bias is not None:
        result = result + _per_channel(bias, input)
    return result.to(input.dtype)


@_kernel("batch_norm_gather_stats_with_counts")
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


@_kernel("batch_norm_gather_stats")
def _gather(input: Tensor, mean: Tensor, invstd: Tensor,
            running_mean: Optional[Tensor], running_var: Optional[Tensor],
            momentum: float, eps: float, count: int) -> tuple:
    counts = torch.full((mean.size(0),), count, device=mean.device)
    return _gather_counts(input, mean, invstd, running_mean, running_var,
                          momentum, eps, counts)


@_kernel("batch_norm_backward_reduce")
def _batch_norm_backward_reduce(grad_out: Tensor, input: Tensor, mean: Tensor,
                                invstd: Tensor, weight: Optional[Tensor],
                                input_g: bool, weight_g: bool,
                                bias_g: bool) -> tuple:
    dims, grad = _other_dims(input), _wide(grad_out)
    sum_grad = grad.sum(dims)
    sum_product = (grad * (_wide(input) - _per_channel(mean, input))).sum(dims)
    kind = mean.dtype if weight is None else weight.dtype
    return (sum_grad, sum_product,
            (sum_product * invstd).to(kind) if weight_g else None,
            sum_grad.to(kind) if bias_g else None)


@_kernel("batch_norm_backward_elemt")
def _batch_norm_backward_elemt(grad_out: Tensor, input: Tensor, mean: Tensor,
                               invstd: Tensor, weight: Optional[Tensor],
                               sum_dy: Tensor, sum_dy_xmu: Tensor,
                               count: Tensor) -> Tensor:
    total = count.sum()
    factor = invstd if weight is None else invstd * weight
    slope = invstd**2 * sum_dy_xmu / total
    centred = _wide(input) - _per_channel(mean, input)
    result = (_wide(grad_out) - _per_channel(sum_dy / total, input) -
              centred * _per_channel(slope, input)) * _per_channel(
                  factor, input)
    return result.to(input.dtype)


# ===------------------------------------------------------------------------=== #
# Others
# ===------------------------------------------------------------------------=== #


@_kernel("_fused_dropout")
def _fused_dropout(input: Tensor, p: float,
                   generator: Optional[torch.Generator] = None) -> tuple:
    mask = torch.empty_like(input, dtype=torch.uint8)
    mask.bernoulli_(p, generator=generator)
    return input * mask / p, mask


@_kernel("_masked_scale")
def _masked_scale(input: Tensor, mask: Tensor, scale: float) -> Tensor:
    return input * mask * scale


@_kernel("mm.dtype")
def _mm(input: Tensor, mat2: Tensor, out_dtype: torch.dtype) -> Tensor:
    return torch.mm(input.to(out_dtype), mat2.to(out_dtype))


@_kernel("bmm.dtype")
def _bmm(input: Tensor, mat2: Tensor, out_dtype: torch.dtype) -> Tensor:
    return torch.bmm(input.to(out_dtype), mat2.to(out_dtype))


@_kernel("addmm.dtype")
def _addmm(input: Tensor, mat1: Tensor, mat2: Tensor, out_dtype: torch.dtype,
           *, beta: float = 1, alpha: float = 1) -> Tensor:
    return torch.addmm(input.to(out_dtype), mat1.to(out_dtype),
                       mat2.to(out_dtype), beta=beta, alpha=alpha)


@_kernel("baddbmm.dtype")
def _baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor,
             out_dtype: torch.dtype, *, beta: float = 1,
             alpha: float = 1) -> Tensor:
    return torch.baddbmm(input.to(out_dtype), batch1.to(out_dtype),
                         batch2.to(out_dtype), beta=beta, alpha=alpha)
