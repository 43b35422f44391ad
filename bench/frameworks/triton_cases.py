# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in Triton on our device, beside what torch has for the CPU."""
import torch
import triton
from torch.nn import functional
from triton import language as tl

from torch_cases import make_case


@triton.jit
def softmax_kernel(source, target, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0) * columns
    places = tl.arange(0, BLOCK)
    inside = places < columns
    values = tl.load(source + row + places, mask=inside, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(target + row + places, powers / tl.sum(powers, axis=0), mask=inside)


def softmax(source):
    target = torch.empty_like(source)
    rows, columns = source.shape
    softmax_kernel[(rows,)](source, target, columns,
                            BLOCK=triton.next_power_of_2(columns))
    return target


@triton.jit
def layer_norm_kernel(source, weights, target, columns, epsilon,
                      BLOCK: tl.constexpr):
    row = tl.program_id(0) * columns
    places = tl.arange(0, BLOCK)
    inside = places < columns
    values = tl.load(source + row + places, mask=inside, other=0.0)
    mean = tl.sum(values, axis=0) / columns
    centred = tl.where(inside, values - mean, 0.0)
    variance = tl.sum(centred * centred, axis=0) / columns
    factors = tl.load(weights + places, mask=inside, other=0.0)
    tl.store(target + row + places,
             centred * tl.rsqrt(variance + epsilon) * factors, mask=inside)


def layer_norm(source, weights):
    target = torch.empty_like(source)
    rows, columns = source.shape
    layer_norm_kernel[(rows,)](source, weights, target, columns, 1e-5,
                               BLOCK=triton.next_power_of_2(columns))
    return target


@triton.jit
def attention_kernel(queries, keys, values, target, length, scale,
                     SIZE: tl.constexpr, ROWS: tl.constexpr,
                     COLUMNS: tl.constexpr):
    """Blocks of queries against all keys of a head, with a running maximum."""
    head = tl.program_id(1) * length * SIZE
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    elements = tl.arange(0, SIZE)
    block = head + rows[:, None] * SIZE + elements[None, :]
    query = tl.load(queries + block)
    largest = tl.full((ROWS,), -float("inf"), tl.float32)
    sums = tl.zeros((ROWS,), tl.float32)
    result = tl.zeros((ROWS, SIZE), tl.float32)
    for start in range(0, length, COLUMNS):
        columns = start + tl.arange(0, COLUMNS)
        place = head + columns[:, None] * SIZE + elements[None, :]
        scores = tl.dot(query, tl.load(keys + place).trans()) * scale
        larger = tl.maximum(largest, tl.max(scores, axis=1))
        powers = tl.exp2(scores - larger[:, None])
        shrink = tl.exp2(largest - larger)
        sums = sums * shrink + tl.sum(powers, axis=1)
        value = tl.load(values + place)
        result = tl.dot(powers.to(value.dtype), value, result * shrink[:, None])
        largest = larger
    tl.store(target + block, (result / sums[:, None]).to(target.dtype.element_ty))


def attention(query, key, value):
    target = torch.empty_like(query)
    _, heads, length, size = query.shape
    log2e = 1.4426950408889634
    rows = 128
    attention_kernel[(length // rows, heads)](
        query, key, value, target, length, log2e / size**0.5, SIZE=size,
        ROWS=rows, COLUMNS=64)
    return target


def make_cases():
    numbers, weights = torch.randn(1024, 1024), torch.rand(1024)
    yield make_case("softmax, 1024 x 1024", softmax, numbers,
                    theirs=lambda x: torch.softmax(x, 1))
    yield make_case("layer norm, 1024 x 1024", layer_norm, numbers, weights,
                    theirs=lambda x, w: functional.layer_norm(x, (1024,), w))
    for dtype, tolerance in ((torch.float32, 2e-3), (torch.float16, 5e-3)):
        query, key, value = torch.randn(3, 1, 8, 512, 64).to(dtype)
        yield make_case(f"attention, 8 heads, 512 x 64, {dtype}", attention,
                        query, key, value,
                        theirs=functional.scaled_dot_product_attention,
                        tolerance=tolerance)
