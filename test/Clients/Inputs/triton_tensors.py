# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton kernels on CPU tensors of a torch without CUDA, by ptxjit.triton."""
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    total = tl.load(x + i, mask=inside)
    if y is not None:
        total += tl.load(y + i, mask=inside)
    tl.store(out + i, total, mask=inside)


@triton.jit
def softmax(x, out, stride, n, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * stride + i, mask=i < n, other=-float("inf"))
    v = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * stride + i, v / tl.sum(v, axis=0), mask=i < n)


@triton.autotune(configs=[triton.Config({"M": m, "N": 32, "K": 32})
                          for m in (32, 64)], key=["m", "n", "k"])
@triton.jit
def matmul(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr,
           K: tl.constexpr):
    i = tl.program_id(0) * M + tl.arange(0, M)
    j = tl.program_id(1) * N + tl.arange(0, N)
    total = tl.zeros((M, N), tl.float32)
    for start in range(0, k, K):
        l = start + tl.arange(0, K)
        left = tl.load(a + i[:, None] * k + l[None, :])
        right = tl.load(b + l[:, None] * n + j[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + i[:, None] * n + j[None, :], total)


@triton.jit
def swap(pair, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x, y = tl.load(pair[0] + i, mask=i < n), tl.load(pair[1] + i, mask=i < n)
    tl.store(pair[0] + i, y, mask=i < n)
    tl.store(pair[1] + i, x, mask=i < n)


@triton.jit
def copy_tiles(source, target, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.program_id(0) * M, tl.program_id(1) * N
    target.store([i, j], source.load([i, j]) * 2)


@triton.jit
def count(x, bins, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(bins + tl.load(x + i), 1)


def check(name, actual, expected):
    right = torch.allclose(actual, expected, rtol=1e-2, atol=1e-2)
    print(f"{name}: {'right' if right else 'WRONG'}")


def main():
    active = triton.runtime.driver.active
    device = active.get_active_torch_device()
    print(type(active).__name__, device, active.get_current_target())
    torch.manual_seed(0)
    x, y = torch.rand(2, 1000, device=device)
    out = torch.empty_like(x)
    add[(4,)](x, y, out, 1000, BLOCK=256)
    check("add", out, x + y)
    add[(4,)](x, None, out, 1000, BLOCK=256)
    check("nothing to add", out, x)
    # The next operator of torch sees what the kernel has written, and the kernel
    # what the last one has.
    for _ in range(10):
        add[(4,)](out, y, out, 1000, BLOCK=256)
        out = out * 2
    expected = x
    for _ in range(10):
        expected = (expected + y) * 2
    check("in turns", out, expected)
    rows = torch.rand(37, 500)
    result = torch.empty_like(rows)
    softmax[(37,)](rows, result, rows.stride(0), 500, BLOCK=512)
    check("softmax", result, torch.softmax(rows, dim=1))
    a, b = torch.rand(128, 64).half(), torch.rand(64, 96).half()
    c = torch.empty(128, 96)
    grid = lambda meta: (128 // meta["M"], 96 // meta["N"])
    matmul[grid](a, b, c, 128, 96, 64)
    check("matmul", c, a.float() @ b.float())
    left, right = torch.rand(2, 100)
    before = left.clone(), right.clone()
    swap[(1,)]((left, right), 100, BLOCK=128)
    check("pair", torch.cat((left, right)), torch.cat(before[::-1]))
    tiles, doubled = torch.rand(64, 96), torch.zeros(64, 96)
    copy_tiles[(2, 3)](TensorDescriptor.from_tensor(tiles, [32, 32]),
                       TensorDescriptor.from_tensor(doubled, [32, 32]), 32, 32)
    check("tiles", doubled, tiles * 2)
    numbers = torch.randint(0, 10, (4096,), dtype=torch.int32)
    bins = torch.zeros(10, dtype=torch.int32)
    count[(16,)](numbers, bins, BLOCK=256)
    check("count", bins.float(), torch.bincount(numbers).float())
    took = triton.testing.do_bench(
        lambda: add[(4,)](x, y, out, 1000, BLOCK=256), warmup=1, rep=5)
    print("a launch takes time:", 0 < took < 1000)
    try:
        add[(4,)](x, torch.empty(1000, device="meta"), out, 1000, BLOCK=256)
    except ValueError as error:
        print(error)


if __name__ == "__main__":
    main()
