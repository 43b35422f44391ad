# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fused attention of sequences that lie behind each other in one tensor, which is what
`varlen_attn` and nested tensors call. It is in the three forms of `_attention`, whose
batches of sequences of one length are a case of it. The dimensions of tensors are row,
head and element."""
from __future__ import annotations

from typing import Iterable, Iterator, NamedTuple, Optional

import torch

from ._attention import (Attention, first_seed, keep, new_seed, ordered_like,
                         random_state)
from ._kernels import kernel

Tensor = torch.Tensor


def _require(right: bool, what: str) -> None:
    if not right:
        raise RuntimeError(f"attention over packed sequences: {what}")


class _Sequences:
    """The sequences in a tensor of `rows` rows. `bounds` are the rows where they begin,
    and behind them the row where the last one ends. Of each sequence the first `used`
    rows count, or all."""

    def __init__(self, bounds: Tensor, rows: int, used: Optional[Tensor],
                 evenly: int = 0):
        self.rows, self._bounds, self._evenly = rows, bounds.long(), evenly
        row = torch.arange(rows, device=bounds.device)
        # Rows behind the last sequence belong to one more, of which none counts.
        self.number = torch.bucketize(row, self._bounds[1:], right=True)
        self.place = row - self._bounds[self.number]
        lengths = self._bounds.diff() if used is None else used.long()
        self.lengths = torch.nn.functional.pad(lengths, (0, 1))
        self.counts = self.place < self.lengths[self.number]

    def __len__(self) -> int:
        return self._bounds.numel() - 1

    def slices(self) -> Optional[list[slice]]:
        """The rows of each sequence, if they can be known: while a graph is captured
        nobody knows the bounds."""
        if self._evenly:
            starts = range(0, self.rows, self._evenly)
            return [slice(start, start + self._evenly) for start in starts]
        if torch.cuda.is_current_stream_capturing():
            return None
        bounds = self._bounds.tolist()
        right = bounds[0] == 0 and sorted(bounds) == bounds
        _require(right and bounds[-1] <= self.rows,
                 f"{bounds} are no bounds in {self.rows} rows")
        return list(map(slice, bounds, bounds[1:]))


def _evenly(count: int, length: int, used: Optional[Tensor],
            device: torch.device) -> _Sequences:
    bounds = torch.arange(count + 1, device=device) * length
    return _Sequences(bounds, count * length, used, length)


class _Band(NamedTuple):
    """The keys that a query sees: from `before` its place to `behind` it. Queries and
    keys begin in one place, or end there if `from_end`."""
    before: Optional[int] = None
    behind: Optional[int] = None
    from_end: bool = True


class _Part(NamedTuple):
    queries: slice
    keys: slice
    attention: Attention


class _Packed:
    """Attention of packed sequences: which rows belong together, and what of each
    other they see."""

    def __init__(self, queries: _Sequences, keys: _Sequences, band: _Band,
                 scale: Optional[float], dropout: float, seed: Tensor,
                 bias: Optional[Tensor] = None):
        _require(len(queries) == len(keys), f"{len(queries)} sequences of "
                 f"queries, {len(keys)} of keys")
        self.queries, self.keys, self.band = queries, keys, band
        self.scale, self.dropout, self.seed = scale, dropout, seed
        self.bias = bias

    def _visible(self, queries: slice, keys: slice) -> Tensor:
        number = self.queries.number[queries, None]
        place = self.queries.place[queries, None]
        if self.band.from_end:
            shift = self.keys.lengths - self.queries.lengths
            place = place + shift[number]
        ahead = self.keys.place[keys] - place
        visible = (number == self.keys.number[keys]) & self.keys.counts[keys]
        if self.band.before is not None:
            visible = visible & (ahead >= -self.band.before)
        if self.band.behind is not None:
            visible = visible & (ahead <= self.band.behind)
        return visible

    def _kept(self, queries: slice, keys: slice, heads: int) -> Optional[Tensor]:
        if not self.dropout:
            return None
        device = self.seed.device
        rows = torch.arange(heads * self.queries.rows, device=device)
        rows = rows.reshape(heads, -1, 1)[:, queries]
        columns = torch.arange(self.keys.rows, device=device)[keys]
        return keep(rows * self.keys.rows + columns, self.dropout, self.seed)

    def _slices(self) -> Iterable[tuple[slice, slice]]:
        """The sequences, or one pair of all rows."""
        queries, keys = self.queries.slices(), self.keys.slices()
        if queries is None or keys is None:
            return [(slice(0, self.queries.rows), slice(0, self.keys.rows))]
        return zip(queries, keys)

    def parts(self, query: Tensor, key: Tensor,
              value: Tensor) -> Iterator[_Part]:
        for i, (queries, keys) in enumerate(self._slices()):
            inside = (query[queries], key[keys], value[keys])
            yield _Part(queries, keys, Attention(
                *(tensor.transpose(0, 1) for tensor in inside), self.scale,
                None if self.bias is None else self.bias[i],
                self._visible(queries, keys),
                self._kept(queries, keys, query.size(1))))

    def forward(self, query: Tensor, key: Tensor,
                value: Tensor) -> tuple[Tensor, Tensor]:
        """The results, and for each head and row the logarithm of the sum of the
        weights' exponentials: -inf for queries that see no key."""
        result = query.new_zeros(*query.shape[:2], value.size(2))
        sums = torch.full((query.size(1), query.size(0)), -torch.inf,
                          device=query.device)
        for part in self.parts(query, key, value):
            made = part.attention.output(query).transpose(0, 1)
            result[part.queries] = made
            sums[:, part.queries] = part.attention.sums.float()
        return result, sums

    def backward(self, grad: Tensor, query: Tensor, key: Tensor,
                 value: Tensor, grad_bias: Optional[Tensor] = None) -> tuple:
        """The gradients of query, key and value. That of the bias goes to
        `grad_bias`."""
        made = tuple(map(torch.zeros_like, (query, key, value)))
        for i, (queries, keys, attention) in enumerate(
                self.parts(query, key, value)):
            *grads, by_scores = attention.gradients(
                grad[queries].transpose(0, 1))
            for whole, rows, part in zip(made, (queries, keys, keys), grads):
                whole[rows] = part.transpose(0, 1).to(whole.dtype)
            if grad_bias is not None:
                grad_bias[i] = by_scores.to(grad_bias.dtype)
        return made


# ===------------------------------------------------------------------------=== #
# FlashAttention's form
# ===------------------------------------------------------------------------=== #


def _bound(window: Optional[int]) -> Optional[int]:
    return None if window is None or window < 0 else window


def _flash_band(causal: bool, left: Optional[int],
                right: Optional[int]) -> _Band:
    return _Band(_bound(left), 0 if causal else _bound(right))


def _rows(tensor: Tensor, packed: bool) -> Tensor:
    """The tensor's rows behind each other, if it is a batch of sequences."""
    return tensor if packed else tensor.flatten(0, 1)


def _sequences(tensor: Tensor, bounds: Optional[Tensor],
               used: Optional[Tensor] = None) -> _Sequences:
    if bounds is not None:
        return _Sequences(bounds, tensor.size(0), used)
    _require(tensor.dim() == 4, "no bounds of sequences")
    return _evenly(tensor.size(0), tensor.size(1), used, tensor.device)


def _from_pages(pools: tuple[Tensor, Tensor], pages: Tensor,
                used: Optional[Tensor]) -> tuple[Tensor, ...]:
    """Batches of sequences, of each of which `pages` has the numbers of its pages. What
    is behind the last page that is used may be anything."""
    _require(used is not None, "pages without their numbers of rows")
    return tuple(pool[pages.long().clamp(0, pool.size(0) - 1)].flatten(1, 2)
                 for pool in pools)


def _forward(query: Tensor, key: Tensor, value: Tensor,
             cum_seq_q: Optional[Tensor], cum_seq_k: Optional[Tensor],
             used: Optional[Tensor], pages: Optional[Tensor], band: _Band,
             scale: Optional[float],
             dropout_p: float) -> tuple[Tensor, Tensor, Tensor]:
    """The rows of the result, their sums, and the seed of the dropout. Without limits
    (`cum_seq_*`), sequences are a batch; `pages` says where those of the keys are."""
    if pages is not None:
        key, value = _from_pages((key, value), pages, used)
        cum_seq_k = None
    seed = new_seed(query.device)
    packed = _Packed(_sequences(query, cum_seq_q),
                     _sequences(key, cum_seq_k, used), band, scale, dropout_p,
                     seed)
    result, sums = packed.forward(_rows(query, cum_seq_q is not None),
                                  _rows(key, cum_seq_k is not None),
                                  _rows(value, cum_seq_k is not None))
    return result, sums, seed


@kernel("_flash_attention_forward")
def _flash(query: Tensor, key: Tensor, value: Tensor,
           cum_seq_q: Optional[Tensor], cum_seq_k: Optional[Tensor],
           max_q: int, max_k: int, dropout_p: float, is_causal: bool,
           return_debug_mask: bool, *, scale: Optional[float] = None,
           window_size_left: Optional[int] = None,
           window_size_right: Optional[int] = None,
           seqused_k: Optional[Tensor] = None,
           alibi_slopes: Optional[Tensor] = None,
           block_table: Optional[Tensor] = None,
           num_splits: Optional[int] = None) -> tuple:
    _require(alibi_slopes is None, "slopes (ALiBi) are not supported")
    band = _flash_band(is_causal, window_size_left, window_size_right)
    result, sums, seed = _forward(query, key, value, cum_seq_q, cum_seq_k,
                                  seqused_k, block_table, band, scale,
                                  dropout_p)
    sums = sums.masked_fill(sums == -torch.inf, torch.inf)
    if cum_seq_q is None:
        result = result.reshape(*query.shape[:3], -1)
        sums = sums.unflatten(1, query.shape[:2]).transpose(0, 1).contiguous()
    state = random_state(seed)
    return (ordered_like(result, query), sums, state, state[0].clone(),
            query.new_empty(0))


@kernel("_flash_attention_forward_no_dropout_inplace")
def _flash_in_place(out: Tensor, query: Tensor, key: Tensor, value: Tensor,
                    *args: object, **kwargs: object) -> Tensor:
    result, sums, *_ = _flash(query, key, value, *args, **kwargs)
    out.copy_(result)
    return sums


@kernel("_flash_attention_backward")
def _flash_backward(grad_out: Tensor, query: Tensor, key: Tensor,
                    value: Tensor, out: Tensor, logsumexp: Tensor,
                    cum_seq_q: Optional[Tensor], cum_seq_k: Optional[Tensor],
                    max_q: int, max_k: int, dropout_p: float, is_causal: bool,
                    rng_state: Tensor, unused: Tensor, *,
                    scale: Optional[float] = None,
                    window_size_left: Optional[int] = None,
                    window_size_right: Optional[int] = None) -> tuple:
    packed = _Packed(_sequences(query, cum_seq_q), _sequences(key, cum_seq_k),
                     _flash_band(is_causal, window_size_left,
                                 window_size_right), scale, dropout_p,
                     first_seed(rng_state))
    inputs = ((query, cum_seq_q), (key, cum_seq_k), (value, cum_seq_k))
    rows = [_rows(tensor, bounds is not None) for tensor, bounds in inputs]
    grads = packed.backward(_rows(grad_out, cum_seq_q is not None), *rows)
    return tuple(ordered_like(grad.reshape(like.shape), like) for
                 grad, (like, _) in zip(grads, inputs))


# ===------------------------------------------------------------------------=== #
# The efficient form, whose tensors have a batch as first dimension: of one, if
# sequences are packed
# ===------------------------------------------------------------------------=== #


def _efficient_band(mask: int, window: Optional[int]) -> _Band:
    """Of torch's numbers of masks: none, causal from the first row, from the last."""
    _require(mask in (0, 1, 2), f"{mask} is no kind of mask")
    _require(mask != 0 or not window, "a window needs a causal mask")
    return _Band(window - 1 if window else None, 0 if mask else None, mask == 2)


def _efficient_packed(query: Tensor, key: Tensor, bias: Optional[Tensor],
                      bounds_q: Optional[Tensor], bounds_k: Optional[Tensor],
                      used: Optional[Tensor], band: _Band,
                      scale: Optional[float], dropout: float,
                      seed: Tensor) -> _Packed:
    _require(bias is None or bounds_q is None, "a bias is not supported")
    _require((bounds_q is None) == (bounds_k is None), "one pair of bounds")
    if bounds_q is not None:
        query, key = query.flatten(0, 1), key.flatten(0, 1)
    return _Packed(_sequences(query, bounds_q),
                   _sequences(key, bounds_k, used), band, scale, dropout, seed,
                   bias)


def _padded(sums: Tensor, sequences: _Sequences, longest: int) -> Tensor:
    """The sums of each sequence, with rows up to a multiple of 32."""
    rows = longest + -longest % 32
    padded = sums.new_full((len(sequences) + 1, sums.size(0), rows), torch.inf)
    place = sequences.place.clamp(max=rows - 1)
    padded[sequences.number, :, place] = sums.mT
    return padded[:-1].clone()


@kernel("_efficient_attention_forward")
def _efficient(query: Tensor, key: Tensor, value: Tensor,
               bias: Optional[Tensor], cu_seqlens_q: Optional[Tensor],
               cu_seqlens_k: Optional[Tensor], max_seqlen_q: Optional[int],
               max_seqlen_k: Optional[int], dropout_p: float,
               custom_mask_type: int, compute_log_sumexp: bool = False, *,
               scale: Optional[float] = None,
               seqlen_k: Optional[Tensor] = None,
               window_size: Optional[int] = None) -> tuple:
    seed = new_seed(query.device)
    longest_q = query.size(1) if cu_seqlens_q is None else max_seqlen_q
    longest_k = key.size(1) if max_seqlen_k is None else max_seqlen_k
    _require(longest_q is not None, "the longest sequence is not given")
    packed = _efficient_packed(query, key, bias, cu_seqlens_q, cu_seqlens_k,
                               seqlen_k,
                               _efficient_band(custom_mask_type, window_size),
                               scale, dropout_p, seed)
    rows = (tensor.flatten(0, 1) for tensor in (query, key, value))
    result, sums = packed.forward(*rows)
    sums = sums.masked_fill(sums == -torch.inf, 0)
    if compute_log_sumexp:
        sums = _padded(sums, packed.queries, longest_q)
    else:
        sums = sums.new_empty(len(packed.queries), query.size(2), 0)
    return (result.reshape(*query.shape[:3], -1), sums, seed,
            torch.zeros_like(seed), longest_q, longest_k)


def _with_aligned_rows(like: Tensor) -> Tensor:
    """Zeros in the shape of a bias; rows begin at multiples of 16 elements."""
    columns = like.size(-1)
    return like.new_zeros(*like.shape[:-1],
                          columns + -columns % 16)[..., :columns]


@kernel("_efficient_attention_backward")
def _efficient_backward(grad_out_: Tensor, query: Tensor, key: Tensor,
                        value: Tensor, bias: Optional[Tensor], out: Tensor,
                        cu_seqlens_q: Optional[Tensor],
                        cu_seqlens_k: Optional[Tensor], max_seqlen_q: int,
                        max_seqlen_k: int, logsumexp: Tensor,
                        dropout_p: float, philox_seed: Tensor,
                        philox_offset: Tensor, custom_mask_type: int,
                        bias_requires_grad: bool, *,
                        scale: Optional[float] = None,
                        num_splits_key: Optional[int] = None,
                        window_size: Optional[int] = None,
                        shared_storage_dqdkdv: bool = False) -> tuple:
    packed = _efficient_packed(query, key, bias, cu_seqlens_q, cu_seqlens_k,
                               None,
                               _efficient_band(custom_mask_type, window_size),
                               scale, dropout_p, philox_seed)
    wanted = bias is not None and bias_requires_grad
    grad_bias = _with_aligned_rows(bias) if wanted else None
    rows = (tensor.flatten(0, 1) for tensor in (grad_out_, query, key, value))
    grads = [ordered_like(grad.reshape(like.shape), like) for grad, like in
             zip(packed.backward(*rows, grad_bias), (query, key, value))]
    if shared_storage_dqdkdv:
        grads = list(torch.stack(grads, -3).unbind(-3))
    return (*grads, grad_bias)


# ===------------------------------------------------------------------------=== #
# cuDNN's form
# ===------------------------------------------------------------------------=== #


def _cudnn_band(causal: bool, used: Optional[Tensor]) -> _Band:
    return _Band(None, 0 if causal else None, used is not None)


@kernel("_cudnn_attention_forward")
def _cudnn(query: Tensor, key: Tensor, value: Tensor,
           attn_bias: Optional[Tensor], cum_seq_q: Optional[Tensor],
           cum_seq_k: Optional[Tensor], max_q: int, max_k: int,
           compute_log_sumexp: bool, dropout_p: float = 0.0,
           is_causal: bool = False, return_debug_mask: bool = False, *,
           scale: Optional[float] = None, seqused_k: Optional[Tensor] = None,
           block_table: Optional[Tensor] = None) -> tuple:
    if cum_seq_q is None:
        return torch.ops.aten._scaled_dot_product_cudnn_attention(
            query, key, value, attn_bias, compute_log_sumexp, dropout_p,
            is_causal, return_debug_mask, scale=scale)
    _require(attn_bias is None, "a bias is not supported")
    band = _cudnn_band(is_causal, seqused_k)
    result, sums, seed = _forward(query, key, value, cum_seq_q, cum_seq_k,
                                  seqused_k, block_table, band, scale,
                                  dropout_p)
    return (ordered_like(result, query), sums, cum_seq_q, cum_seq_k, max_q,
            max_k, seed, torch.zeros_like(seed), None)


@kernel("_cudnn_attention_forward_no_dropout_inplace")
def _cudnn_in_place(out: Tensor, query: Tensor, key: Tensor, value: Tensor,
                    cum_seq_q: Tensor, cum_seq_k: Optional[Tensor], max_q: int,
                    max_k: int, is_causal: bool = False, *,
                    scale: Optional[float] = None,
                    seqused_k: Optional[Tensor] = None,
                    block_table: Optional[Tensor] = None) -> Tensor:
    result, sums, *_ = _cudnn(query, key, value, None, cum_seq_q, cum_seq_k,
                              max_q, max_k, True, 0.0, is_causal, scale=scale,
                              seqused_k=seqused_k, block_table=block_table)
    out.copy_(result)
    return sums


@kernel("_cudnn_attention_backward")
def _cudnn_backward(grad_out: Tensor, query: Tensor, key: Tensor,
                    value: Tensor, out: Tensor, logsumexp: Tensor,
                    philox_seed: Tensor, philox_offset: Tensor,
                    attn_bias: Optional[Tensor], cum_seq_q: Optional[Tensor],
                    cum_seq_k: Optional[Tensor], max_q: int, max_k: int,
                    dropout_p: float, is_causal: bool, *,
                    scale: Optional[float] = None) -> tuple:
    if cum_seq_q is None:
        return torch.ops.aten._scaled_dot_product_cudnn_attention_backward(
            grad_out, query, key, value, out, logsumexp, philox_seed,
            philox_offset, attn_bias, cum_seq_q, cum_seq_k, max_q, max_k,
            dropout_p, is_causal, scale=scale)
    packed = _Packed(_sequences(query, cum_seq_q), _sequences(key, cum_seq_k),
                     _cudnn_band(is_causal, None), scale, dropout_p,
                     first_seed(philox_seed))
    return tuple(map(ordered_like,
                     packed.backward(grad_out, query, key, value),
                     (query, key, value)))
