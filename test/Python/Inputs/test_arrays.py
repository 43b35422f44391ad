# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays as arguments: the buffer protocol, and DLPack by a tensor of our own."""
import array
import ctypes
import gc
import unittest

import ptxjit
from kernels import SAXPY
from tensors import OldTensor, Tensor

try:
    import numpy
except ImportError:
    numpy = None


class SaxpyTest(unittest.TestCase):
    def setUp(self):
        self.kernel = ptxjit.load(SAXPY)["saxpy"]

    def add(self, x, y, n):
        self.kernel.launch(n // 32 + 1, 32, x, y, 2.0, n)

    def refuses(self, bad, kind, why):
        y = array.array("f", [0])
        with self.assertRaisesRegex(
                kind, rf"kernel 'saxpy': parameter 1 is \.u64 x; .*{why}"):
            self.add(bad, y, 1)


class ArrayTest(SaxpyTest):
    """What has the buffer protocol."""

    def test_arrays_are_used_in_place(self):
        x, y = array.array("f", range(100)), array.array("f", [1] * 100)
        self.add(x, y, 100)
        self.assertEqual(list(y), [1 + 2 * i for i in range(100)])
        self.assertEqual(list(x), list(range(100)))

    def test_bytes_views_and_ctypes(self):
        x = memoryview(bytearray(b"\0\0\x80?" * 4)).cast("f", (2, 2))
        y = (ctypes.c_float * 4)()
        self.add(x, y, 4)
        self.assertEqual(list(y), [2] * 4)

    def test_empty_arrays(self):
        self.add(bytearray(), array.array("f"), 0)
        self.add(None, None, 0)
        self.add(Tensor([], (0,)), None, 0)

    def test_what_is_no_memory(self):
        self.refuses(b"1234", ValueError, "read-only")
        self.refuses(memoryview(bytearray(8))[::2], ValueError,
                     "do not lie one after another")
        self.refuses([1.0], TypeError, "of builtins.list, is no number, and")
        self.refuses("1", TypeError, "of builtins.str, is no number")

    def test_memory_is_held_while_kernels_run(self):
        x = bytearray(4)
        self.add(x, bytearray(4), 1)
        x.append(1)  # and let go after it

    @unittest.skipUnless(numpy, "there is no numpy")
    def test_numpy(self):
        x = numpy.arange(12, dtype=numpy.float32).reshape(3, 4)
        y = numpy.ones_like(x)
        self.add(x, y, x.size)
        self.assertTrue((y == 1 + 2 * x).all())
        y[:] = 0
        self.add(x[1:], y[1:], 8)  # rows in the middle
        self.assertTrue((y[1:] == 2 * x[1:]).all() and not y[0].any())
        self.refuses(x[:, 1:], ValueError, "pass a contiguous copy")
        self.refuses(x.T, ValueError, "pass a contiguous copy")
        x.flags.writeable = False
        self.refuses(x, ValueError, "read-only")
        self.refuses(numpy.zeros(2, "M8[s]"), ValueError,
                     "pass a view of other numbers")


class TensorTest(SaxpyTest):
    """Memory that only DLPack shows."""

    def test_both_versions(self):
        for kind in (Tensor, OldTensor):
            with self.subTest(kind=kind.__name__):
                x, y = kind(range(6), (2, 3)), kind([1] * 6, (6,))
                self.add(x, y, 6)
                self.assertEqual(y.values(), [1, 3, 5, 7, 9, 11])

    def test_offset_and_strides(self):
        x = Tensor(range(6), (2, 1), strides=(1, 77), byte_offset=8)
        y = Tensor([0] * 6, (6,), strides=(1,))
        self.add(x, y, 2)
        self.assertEqual(y.values(), [4, 6, 0, 0, 0, 0])
        self.refuses(Tensor(range(6), (2, 3), strides=(1, 2)), ValueError,
                     "do not lie one after another")

    def test_single_numbers(self):
        x, y = Tensor([3], ()), Tensor([1], ())
        for tensor in (x, y):
            tensor.managed.tensor.shape = tensor.managed.tensor.strides = None
        self.add(x, y, 1)
        self.assertEqual(y.values(), [7])

    def test_what_is_refused(self):
        self.refuses(Tensor([0], (1,), flags=1), ValueError, "read-only")
        self.refuses(Tensor([0], (1,), major=2), ValueError, r"DLPack 2\.0")
        self.refuses(Tensor([0], (1,), device=2), ValueError,
                     "device type 2 of DLPack, not on the CPU")

        class Failing(Tensor):
            def __dlpack__(self, **_):
                raise BufferError("it has a gradient")

        class Wrong(Tensor):
            def __dlpack__(self, **_):
                return 5

        self.refuses(Failing([0], (1,)), ValueError, "it has a gradient")
        self.refuses(Wrong([0], (1,)), TypeError, "no tensor of DLPack")

    def test_tensors_are_let_go(self):
        for kind in (Tensor, OldTensor):
            x, y = kind([1], (1,)), kind([1], (1,))
            self.add(x, y, 1)
            stream = ptxjit.Stream()
            self.kernel.launch(1, 1, x, y, 2.0, 1, stream=stream)
            stream.synchronize()
            gc.collect()
            self.assertEqual((x.made, x.deleted), (2, 2))
            self.assertEqual(y.values(), [5])


if __name__ == "__main__":
    unittest.main()
