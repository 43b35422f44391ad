# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that JAX compiles for a CUDA device and for the CPU."""
import os

# Trying all ways to compile a product takes longer than what is measured. Of those that
# are left cuBLAS is the faster one.
os.environ.setdefault("XLA_FLAGS", "--xla_gpu_autotune_level=0 "
                      "--xla_gpu_enable_triton_gemm=false")
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

from case import Case  # noqa: E402

random = np.random.default_rng(0)


def numbers(*shape):
    return random.normal(size=shape).astype(np.float32)


def make_side(function, inputs, device):
    """The function on a device, with its results on it, and the same on the host."""
    placed = [jax.device_put(array, device) for array in inputs]
    compiled = jax.jit(function)
    return (lambda: jax.block_until_ready(compiled(*placed)),
            lambda: np.concatenate([np.asarray(result).ravel() for result in
                                    jax.tree.leaves(compiled(*placed))]))


def make_case(name, function, *inputs, tolerance=1e-4):
    devices = jax.devices()[0], jax.devices("cpu")[0]
    calls, sides = zip(*(make_side(function, inputs, device)
                         for device in devices))
    return Case(name, calls, sides, tolerance)


def layer_norm(x, weights):
    centred = x - x.mean(-1, keepdims=True)
    return centred * jax.lax.rsqrt(
        (centred**2).mean(-1, keepdims=True) + 1e-5) * weights


def train(inputs, targets, first, second):
    """A step of a net of two layers by gradient descent."""

    def loss(first, second):
        return ((jax.nn.relu(inputs @ first) @ second - targets)**2).mean()

    gradients = jax.grad(loss, (0, 1))(first, second)
    return first - 0.1 * gradients[0], second - 0.1 * gradients[1]


def make_cases():
    jax.config.update("jax_default_matmul_precision", "highest")
    square = numbers(1024, 1024)
    yield make_case("softmax, 1024 x 1024", lambda x: jax.nn.softmax(x, 1), square)
    yield make_case("layer norm, 1024 x 1024", layer_norm, square, numbers(1024))
    yield make_case("product, 1024 x 1024 x 1024", jnp.matmul, square, square)
    yield make_case("training step, 256 rows, 256 to 512 to 10", train,
                    numbers(256, 256), numbers(256, 10), numbers(256, 512) / 16,
                    numbers(512, 10) / 16)
