# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that Triton compiles, run through libcuda.so.1 and compared with numpy.

Triton makes PTX without a GPU, and calls ptxas, which `ptx-jit exec` replaces;
its own launcher is not used.
usage: ptx-jit exec -- triton_kernels.py LIBCUDA [90]
With 90, runs the kernels of sm_90a, for a device of compute capability 9.0.
"""
import ctypes as C
import os
import re
import sys
import warnings

os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")
warnings.simplefilter("ignore")
import numpy as np
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

cuda = C.CDLL(sys.argv[1])


def check(result, what):
    if result:
        text = C.c_char_p()
        cuda.cuGetErrorString(result, C.byref(text))
        raise SystemExit(f"{what}: {text.value.decode()}")


class Buffer:
    def __init__(self, array):
        self.array, self.at = np.ascontiguousarray(array), C.c_uint64()
        check(cuda.cuMemAlloc_v2(C.byref(self.at),
                                 C.c_size_t(self.array.nbytes)), "alloc")
        check(cuda.cuMemcpyHtoD_v2(self.at, C.c_void_p(self.array.ctypes.data),
                                   C.c_size_t(self.array.nbytes)), "copy")

    def get(self):
        out = np.empty_like(self.array)
        check(cuda.cuMemcpyDtoH_v2(C.c_void_p(out.ctypes.data), self.at,
                                   C.c_size_t(out.nbytes)), "copy")
        return out


def launch(kernel, arch, grid, warps, arguments, **constants):
    """Compiles, loads and runs. Types come from the arguments.
    \\returns the tensor instructions of the PTX."""
    types = {np.dtype(np.float16): "*fp16", np.dtype(np.float32): "*fp32",
             np.dtype(np.float64): "*fp64", np.dtype(np.int8): "*i8",
             np.dtype(np.int32): "*i32", np.dtype(np.uint8): "*u8"}
    signature, values, aligned = {}, [], {}
    for i, (name, value) in enumerate(zip(kernel.arg_names, arguments)):
        if isinstance(value, tuple):  # a buffer and its type
            value, signature[name] = value
        elif isinstance(value, Buffer):
            signature[name] = types[value.array.dtype]
        else:
            signature[name] = "i32" if isinstance(value, int) else "fp32"
        values.append(value.at if isinstance(value, Buffer) else
                      C.c_int(value) if isinstance(value, int) else
                      C.c_float(value))
        if isinstance(value, Buffer) or value % 16 == 0:
            aligned[i,] = [["tt.divisibility", 16]]
    for name in constants:
        signature[name] = "constexpr"
    source = ASTSource(kernel, signature, constexprs=constants, attrs=aligned)
    made = triton.compile(source, target=GPUTarget("cuda", arch, 32),
                          options={"num_warps": warps, "num_stages": 2})
    module, function = C.c_void_p(), C.c_void_p()
    check(cuda.cuModuleLoadData(C.byref(module), made.asm["cubin"]), "load")
    check(cuda.cuModuleGetFunction(C.byref(function), module,
                                   made.metadata.name.encode()), "function")
    if made.metadata.shared > 48 * 1024:
        check(cuda.cuFuncSetAttribute(function, 8, made.metadata.shared),
              "shared memory")
    values += [C.c_uint64(0), C.c_uint64(0)]  # scratch
    pointers = (C.c_void_p * len(values))(
        *[C.cast(C.byref(v), C.c_void_p) for v in values])
    check(cuda.cuLaunchKernel(function, *(tuple(grid) + (1, 1))[:3], 32 * warps,
                              1, 1, made.metadata.shared, None, pointers, None),
          "launch")
    check(cuda.cuCtxSynchronize(), "run")
    check(cuda.cuModuleUnload(module), "unload")
    return sorted(set(re.findall(
        r"(?:mma|mma_async)\.sync\.aligned\.([\w.:]*)", made.asm["ptx"])))


@triton.jit
def matmul(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr,
           BK: tl.constexpr, ACC: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    total = tl.zeros((BM, BN), ACC)
    for start in range(0, k, BK):
        left = inner + start < k
        x = tl.load(a + rows[:, None] * k + (start + inner)[None, :],
                    (rows[:, None] < m) & left[None, :], 0)
        y = tl.load(b + (start + inner)[:, None] * n + columns[None, :],
                    left[:, None] & (columns[None, :] < n), 0)
        total = tl.dot(x, y, total, out_dtype=ACC)
    tl.store(c + rows[:, None] * n + columns[None, :], total,
             (rows[:, None] < m) & (columns[None, :] < n))


@triton.jit
def scaled(a, b, sa, sb, c, K: tl.constexpr, M: tl.constexpr, N: tl.constexpr,
           FA: tl.constexpr, FB: tl.constexpr, PA: tl.constexpr,
           PB: tl.constexpr):
    rows, columns = tl.arange(0, M), tl.arange(0, N)
    blocks = tl.arange(0, K // 32)
    x = tl.load(a + rows[:, None] * (K // PA) + tl.arange(0, K // PA)[None, :])
    y = tl.load(b + columns[None, :] * (K // PB) +
                tl.arange(0, K // PB)[:, None])
    p = tl.load(sa + rows[:, None] * (K // 32) + blocks[None, :])
    q = tl.load(sb + columns[:, None] * (K // 32) + blocks[None, :])
    tl.store(c + rows[:, None] * N + columns[None, :],
             tl.dot_scaled(x, p, FA, y, q, FB, tl.zeros((M, N), tl.float32)))


@triton.jit
def attention(q, k, v, out, n, scale, B: tl.constexpr, D: tl.constexpr):
    head = tl.program_id(1) * n * D
    rows = tl.program_id(0) * B + tl.arange(0, B)
    d, inner = tl.arange(0, D), tl.arange(0, B)
    x = tl.load(q + head + rows[:, None] * D + d[None, :])
    most = tl.full((B,), -float("inf"), tl.float32)
    total, acc = tl.zeros((B,), tl.float32), tl.zeros((B, D), tl.float32)
    for j in range(0, (tl.program_id(0) + 1) * B, B):
        y = tl.load(k + head + (j + inner)[None, :] * D + d[:, None])
        s = tl.where(rows[:, None] >= (j + inner)[None, :],
                     tl.dot(x, y) * scale, -float("inf"))
        higher = tl.maximum(most, tl.max(s, 1))
        p, shrink = tl.exp2(s - higher[:, None]), tl.exp2(most - higher)
        total = total * shrink + tl.sum(p, 1)
        z = tl.load(v + head + (j + inner)[:, None] * D + d[None, :])
        acc = tl.dot(p.to(tl.float16), z, acc * shrink[:, None])
        most = higher
    tl.store(out + head + rows[:, None] * D + d[None, :],
             (acc / total[:, None]).to(tl.float16))


@triton.jit
def rows_of(x, soft, ordered, sums, n, B: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, B)
    v = tl.load(x + row * n + i, i < n, -float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(soft + row * n + i, e / tl.sum(e, 0), i < n)
    whole = tl.load(ordered + row * B + i)
    tl.store(sums + row * B + i, tl.cumsum(whole, 0))
    tl.debug_barrier()
    tl.store(ordered + row * B + i, tl.sort(whole))


def report(name, got, expected, tolerance, instructions=()):
    got = np.asarray(got, np.float64)
    error = np.max(np.abs(got - expected)) / max(1, np.max(np.abs(expected)))
    verdict = "right" if error <= tolerance else f"WRONG by {error:.1e}"
    print(f"{name}: {verdict}", *instructions, flush=True)


random = np.random.default_rng(1)
HALVES = lambda *shape: random.integers(-64, 65, shape) / 8


def run_matmul(arch, dtype, acc, tolerance, m, n, k, tile, warps):
    x, y = (random.integers(-128, 128, s) if dtype == np.int8 else HALVES(*s)
            for s in ((m, k), (k, n)))
    c = Buffer(np.zeros((m, n), {"float32": np.float32, "int32": np.int32,
                                 "float64": np.float64,
                                 "float16": np.float16}[acc]))
    grid = -(-m // tile[0]), -(-n // tile[1])
    used = launch(matmul, arch, grid, warps,
                  [Buffer(x.astype(dtype)), Buffer(y.astype(dtype)), c, m, n, k],
                  BM=tile[0], BN=tile[1], BK=tile[2], ACC=getattr(tl, acc))
    report(f"matmul {arch} {np.dtype(dtype).name}", c.get(), x @ y, tolerance,
           used)


def small_floats(exponent, mantissa):
    code = np.arange(256)
    e, f = code >> mantissa & (1 << exponent) - 1, code % (1 << mantissa)
    bias = (1 << exponent - 1) - 1
    value = np.where(e == 0, f / 2.0**mantissa * 2.0**(1 - bias),
                     (1 + f / 2.0**mantissa) * 2.0**(e - bias))
    return np.where(code >> 7, -value, value)


def run_scaled(formats, m, n, k, warps):
    quarter = np.array([0, .5, 1, 1.5, 2, 3, 4, 6])
    quarter = np.concatenate([quarter, -quarter])

    def operand(name, rows):
        if name == "e2m1":
            codes = random.integers(0, 256, (rows, k // 2), dtype=np.uint8)
            values = np.stack([quarter[codes & 15], quarter[codes >> 4]], -1)
            return codes, values.reshape(rows, k), "*u8"
        parts, top, ty = (((5, 2), 0x50, "*fp8e5") if name == "e5m2" else
                          ((4, 3), 0x60, "*fp8e4nv"))
        codes = (random.integers(0, top, (rows, k), dtype=np.uint8) |
                 random.integers(0, 2, (rows, k), dtype=np.uint8) << 7)
        return codes, small_floats(*parts)[codes], ty
    (a, x, ta), (b, y, tb) = operand(formats[0], m), operand(formats[1], n)
    sa, sb = (random.integers(120, 134, (r, k // 32), dtype=np.uint8)
              for r in (m, n))
    c = Buffer(np.zeros((m, n), np.float32))
    used = launch(scaled, 120, (1,), warps,
                  [(Buffer(a), ta), (Buffer(b), tb), Buffer(sa), Buffer(sb), c],
                  K=k, M=m, N=n, FA=formats[0], FB=formats[1],
                  PA=2 if formats[0] == "e2m1" else 1,
                  PB=2 if formats[1] == "e2m1" else 1)
    factor = lambda s: np.repeat(2.0**(s.astype(float) - 127), 32, 1)
    report("scaled " + " ".join(formats), c.get(),
           (x * factor(sa)) @ (y * factor(sb)).T, 1e-5, used)


def run_attention(arch, warps, block):
    q, k, v = (random.standard_normal((2, 128, 64)).astype(np.float16)
               for _ in range(3))
    out = Buffer(q * 0)
    used = launch(attention, arch, (128 // block, 2), warps,
                  [Buffer(q), Buffer(k), Buffer(v), out, 128,
                   float(1.44269504 / 8)], B=block, D=64)
    s = np.einsum("hmd,hnd->hmn", q.astype(float), k.astype(float)) / 8
    p = np.exp(np.where(np.tril(np.ones((128, 128))), s, -np.inf))
    report(f"attention {arch}", out.get(),
           np.einsum("hmn,hnd->hmd", p / p.sum(-1, keepdims=True),
                     v.astype(float)), 3e-3, used)


def run_hopper():
    for tile, warps in (((64, 64, 32), 4), ((128, 128, 64), 8),
                        ((128, 32, 64), 4)):
        run_matmul(90, np.float16, "float32", 0, 200, 90, 112, tile, warps)
        run_matmul(90, np.float16, "float16", 2e-2, 64, 64, 64, tile, warps)
        run_matmul(90, np.float32, "float32", 1e-6, 48, 80, 65, tile, warps)
        run_matmul(90, np.int8, "int32", 0, 128, 64, 96, tile, warps)
    run_attention(90, 4, 64)


def main():
    check(cuda.cuInit(0), "init")
    device, context = C.c_int(), C.c_void_p()
    check(cuda.cuDeviceGet(C.byref(device), 0), "device")
    check(cuda.cuDevicePrimaryCtxRetain(C.byref(context), device), "context")
    check(cuda.cuCtxSetCurrent(context), "context")
    if sys.argv[2:] == ["90"]:
        run_hopper()
        return
    for tile, warps in (((64, 64, 32), 4), ((16, 32, 32), 1)):
        for arch in (75, 80):
            run_matmul(arch, np.float16, "float32", 0, 100, 90, 112, tile, warps)
        run_matmul(80, np.float16, "float16", 2e-2, 64, 64, 64, tile, warps)
        run_matmul(80, np.float32, "float32", 1e-6, 48, 80, 65, tile, warps)
        run_matmul(80, np.int8, "int32", 0, 128, 64, 96, tile, warps)
        run_matmul(80, np.float64, "float64", 1e-12, 64, 48, 40, tile, warps)
    for formats in (("e5m2", "e5m2"), ("e4m3", "e5m2"), ("e2m1", "e2m1"),
                    ("e4m3", "e2m1")):
        run_scaled(formats, 64, 64, 256, 4)
    run_attention(80, 4, 32)
    x = random.standard_normal((5, 777)).astype(np.float32)
    numbers = random.integers(-1000, 1000, (5, 1024)).astype(np.int32)
    soft, ordered, sums = Buffer(x * 0), Buffer(numbers), Buffer(numbers * 0)
    launch(rows_of, 80, (5,), 4, [Buffer(x), soft, ordered, sums, 777], B=1024)
    e = np.exp(x.astype(float))
    report("softmax", soft.get(), e / e.sum(1, keepdims=True), 1e-6)
    report("scan", sums.get(), np.cumsum(numbers, 1), 0)
    report("sort", ordered.get(), np.sort(numbers, 1), 0)


main()
