# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch's operators on a CUDA device and on the CPU."""
import torch
from torch.nn import functional

from case import Case

torch.manual_seed(0)


def make_case(name, function, *inputs, theirs=None, tolerance=1e-4):
    """A case of `function`, or of another one on the CPU."""
    on_device = [tensor.cuda() for tensor in inputs]
    on_host = theirs or function
    # torch.cuda.synchronize() takes 7 us in Python.
    stream = torch.cuda.current_stream()

    def run():
        function(*on_device)
        stream.synchronize()

    return Case(name, (run, lambda: on_host(*inputs)),
                (lambda: function(*on_device).detach().float().cpu(),
                 lambda: on_host(*inputs).detach().float()), tolerance)


def make_cases():
    numbers = torch.randn(1024, 1024)
    yield make_case("addition of 16 numbers", torch.add, numbers[0, :16],
                    numbers[1, :16])
    yield make_case("addition of 2^20 numbers", torch.add, numbers, numbers)
    yield make_case("product, 1024 x 1024 x 1024", torch.mm, numbers, numbers)
    yield make_case("3 x 3 convolution, 16 to 32 channels, 8 pictures of 64 x 64",
                    lambda x, w: functional.conv2d(x, w, padding=1),
                    torch.randn(8, 16, 64, 64), torch.randn(32, 16, 3, 3))
    yield make_case("layer norm, 1024 x 1024",
                    lambda x, w: functional.layer_norm(x, (1024,), w),
                    numbers, torch.rand(1024))
    yield make_case("softmax, 1024 x 1024", lambda x: torch.softmax(x, 1), numbers)
    for dtype, tolerance in ((torch.float32, 1e-4), (torch.float16, 5e-3)):
        query, key, value = torch.randn(3, 1, 8, 512, 64).to(dtype)
        yield make_case(f"attention, 8 heads, 512 x 64, {dtype}",
                        functional.scaled_dot_product_attention, query, key,
                        value, tolerance=tolerance)
