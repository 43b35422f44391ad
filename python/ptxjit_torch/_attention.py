# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fused attention, which torch has for CUDA in three forms: by FlashAttention, by
CUTLASS ("efficient") and by cuDNN. Which one it takes follows from the device and the
types; their results differ in the order of memory and in what backward gets."""
from __future__ import annotations

import math
from typing import Optional

import torch

from ._kernels import kernel, sum_to, wide

Tensor = torch.Tensor


@kernel("_fused_sdp_choice")
def _choose_attention(*args: object, **kwargs: object) -> int:
    return torch.nn.attention.SDPBackend.MATH.value


def new_seed(device: torch.device) -> Tensor:
    """A number that says which weights are dropped; other ones in each replay."""
    return torch.randint(1 << 62, (), dtype=torch.int64, device=device)


def random_state(seed: Tensor) -> Tensor:
    """The seed in the form that FlashAttention gives it."""
    return torch.stack((seed, torch.zeros_like(seed))).view(torch.uint64)


def first_seed(state: Tensor) -> Tensor:
    return state.view(torch.int64).flatten()[0]


def keep(numbers: Tensor, dropout: float, seed: Tensor) -> Tensor:
    """What weights are multiplied by, in f32. It follows from the seed and their
    numbers, so that backward drops the same ones, and is made by operators that a graph
    can have."""
    bits = numbers * -0x61c8864680b583eb + seed.to(torch.int64)
    for _ in range(2):
        bits = (bits ^ (bits >> 29)) * -0x40a7b892e31b1a47
    chosen = (bits >> 32 & 0x7fffffff) >= int(dropout * 2**31)
    factor = 0.0 if dropout >= 1 else 1 / (1 - dropout)
    return (chosen * factor).float()


class Attention:
    """The weights of attention, and what they come from. Heads are the third dimension
    from the end; fewer of keys and values than of queries serve groups of them. A query
    that no key is visible to has weights of zero."""

    def __init__(self, query: Tensor, key: Tensor, value: Tensor,
                 scale: Optional[float], bias: Optional[Tensor] = None,
                 visible: Optional[Tensor] = None,
                 kept: Optional[Tensor] = None):
        self.scale = 1 / math.sqrt(query.size(-1)) if scale is None else scale
        self.heads = key.size(-3)
        self.query, self.key, self.value = map(wide, (query, key, value))
        if self.heads != query.size(-3):
            repeats = query.size(-3) // self.heads
            self.key = self.key.repeat_interleave(repeats, -3)
            self.value = self.value.repeat_interleave(repeats, -3)
        scores = self.query @ self.key.mT * self.scale
        if bias is not None:
            scores = scores + bias
        if visible is not None:
            scores = scores.masked_fill(~visible, -math.inf)
        self.sums = scores.logsumexp(-1)
        self.weights = scores.softmax(-1)
        if visible is not None:
            self.weights = self.weights.masked_fill(~visible, 0)
        self.keep = kept
        self.kept = self.weights if kept is None else self.weights * kept

    def output(self, like: Tensor) -> Tensor:
        return (self.kept @ self.value).to(like.dtype)

    def _of_groups(self, grad: Tensor) -> Tensor:
        """The sum over the heads that share one of the keys."""
        return grad.unflatten(-3, (self.heads, -1)).sum(-3)

    def gradients(self, grad: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Those of query, key, value and bias."""
        grad = wide(grad)
        by_weights = grad @ self.value.mT
        if self.keep is not None:
            by_weights = by_weights * self.keep
        scores = self.weights * (by_weights - (by_weights * self.weights).sum(
            -1, keepdim=True))
        return (scores @ self.key * self.scale,
                self._of_groups(scores.mT @ self.query * self.scale),
                self._of_groups(self.kept.mT @ grad), scores)


def _attend(query: Tensor, key: Tensor, value: Tensor, bias: Optional[Tensor],
            dropout: float, causal: bool, scale: Optional[float], seed: Tensor,
            diagonal: int = 0) -> Attention:
    """Attention of tensors whose dimensions are batch, head, row and element. If it is
    causal the first query sees `diagonal` keys behind the first one."""
    shape = (*query.shape[:-1], key.size(-2))
    visible = kept = None
    if causal:
        visible = torch.ones(shape[-2:], dtype=torch.bool,
                             device=query.device).tril(diagonal)
    if dropout:
        numbers = torch.arange(math.prod(shape), device=query.device)
        kept = keep(numbers.reshape(shape), dropout, seed)
    return Attention(query, key, value, scale, bias, visible, kept)


# Compiled code asserts the strides that kernels of a GPU would choose.
def ordered(tensor: Tensor, order: tuple[int, ...]) -> Tensor:
    """The tensor, with memory in the given order of dimensions."""
    back = sorted(range(len(order)), key=order.__getitem__)
    return tensor.permute(order).contiguous().permute(back)


def ordered_like(tensor: Tensor, like: Tensor) -> Tensor:
    return ordered(tensor, tuple(sorted(range(like.dim()),
                                         key=lambda d: -like.stride(d))))


_HEADS_INSIDE = (0, 2, 1, 3)


@kernel("_scaled_dot_product_flash_attention")
def _flash(query: Tensor, key: Tensor, value: Tensor, dropout_p: float = 0.0,
           is_causal: bool = False, return_debug_mask: bool = False, *,
           scale: Optional[float] = None) -> tuple:
    seed = new_seed(query.device)
    result = _attend(query, key, value, None, dropout_p, is_causal, scale,
                  seed, key.size(2) - query.size(2))
    none = torch.empty(0, dtype=torch.int32, device=query.device)
    state = random_state(seed)
    return (ordered_like(result.output(query), query), result.sums.float(),
            none, none.clone(), query.size(2), key.size(2), state,
            state[0].clone(), query.new_empty(0))


@kernel("_scaled_dot_product_flash_attention_backward")
def _flash_backward(grad_out: Tensor, query: Tensor, key: Tensor,
                    value: Tensor, out: Tensor, logsumexp: Tensor,
                    cum_seq_q: Tensor, cum_seq_k: Tensor, max_q: int,
                    max_k: int, dropout_p: float, is_causal: bool,
                    philox_seed: Tensor, philox_offset: Tensor, *,
                    scale: Optional[float] = None) -> tuple:
    result = _attend(query, key, value, None, dropout_p, is_causal, scale,
                  first_seed(philox_seed), key.size(2) - query.size(2))
    return tuple(ordered_like(grad.to(query.dtype), like) for grad, like in
                 zip(result.gradients(grad_out), (query, key, value)))


@kernel("_scaled_dot_product_efficient_attention")
def _efficient(query: Tensor, key: Tensor, value: Tensor,
               attn_bias: Optional[Tensor], compute_log_sumexp: bool,
               dropout_p: float = 0.0, is_causal: bool = False, *,
               scale: Optional[float] = None) -> tuple:
    seed = new_seed(query.device)
    result = _attend(query, key, value, attn_bias, dropout_p, is_causal,
                     scale, seed)
    rows = -query.size(2) % 32 if compute_log_sumexp else -query.size(2)
    sums = torch.nn.functional.pad(result.sums.float(), (0, rows),
                                   value=math.inf)
    return (ordered(result.output(query), _HEADS_INSIDE), sums,
            seed, torch.zeros_like(seed))


@kernel("_scaled_dot_product_efficient_attention_backward")
def _efficient_backward(grad_out: Tensor, query: Tensor, key: Tensor,
                        value: Tensor, attn_bias: Optional[Tensor],
                        out: Tensor, logsumexp: Tensor, philox_seed: Tensor,
                        philox_offset: Tensor, dropout_p: float,
                        grad_input_mask: list[bool], is_causal: bool = False,
                        *, scale: Optional[float] = None) -> tuple:
    result = _attend(query, key, value, attn_bias, dropout_p, is_causal,
                     scale, philox_seed)
    grads = result.gradients(grad_out)
    made = [sum_to(grad, like) if wanted else None for grad, like, wanted in
            zip(grads, (query, key, value, attn_bias), grad_input_mask)]
    return (*(grad if grad is None else ordered(grad, _HEADS_INSIDE)
              for grad in made[:3]), made[3])


@kernel("_scaled_dot_product_cudnn_attention")
def _cudnn(query: Tensor, key: Tensor, value: Tensor,
           attn_bias: Optional[Tensor], compute_log_sumexp: bool,
           dropout_p: float = 0.0, is_causal: bool = False,
           return_debug_mask: bool = False, *,
           scale: Optional[float] = None) -> tuple:
    seed = new_seed(query.device)
    result = _attend(query, key, value, attn_bias, dropout_p, is_causal,
                     scale, seed)
    return (ordered_like(result.output(query), query),
            result.sums.float().unsqueeze(-1), None, None, query.size(2),
            key.size(2), seed, torch.zeros_like(seed), None)


@kernel("_scaled_dot_product_cudnn_attention_backward")
def _cudnn_backward(grad_out: Tensor, query: Tensor, key: Tensor,
                    value: Tensor, out: Tensor, logsumexp: Tensor,
                    philox_seed: Tensor, philox_offset: Tensor,
                    attn_bias: Optional[Tensor], cum_seq_q: Optional[Tensor],
                    cum_seq_k: Optional[Tensor], max_q: int, max_k: int,
                    dropout_p: float, is_causal: bool, *,
                    scale: Optional[float] = None) -> tuple:
    result = _attend(query, key, value, attn_bias, dropout_p, is_causal,
                     scale, philox_seed)
    return tuple(ordered_like(grad.to(query.dtype), like) for grad, like in
                 zip(result.gradients(grad_out), (query, key, value)))
