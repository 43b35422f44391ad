# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers and structs as arguments of kernels."""
import ctypes
import math
import struct
import unittest

import ptxjit
from kernels import SAXPY, make_store

try:
    import numpy
except ImportError:
    numpy = None


class ArgumentTest(unittest.TestCase):
    def store(self, kind, value, count=1):
        """What a kernel gets, as bytes."""
        out = bytearray(64)
        kernel = ptxjit.load(make_store(kind, count))["store"]
        kernel.launch(1, 1, out, value)
        size = kernel.parameters[1].size
        self.assertEqual(out[size:], bytes(64 - size))
        return bytes(out[:size])

    def test_integers_have_the_range_of_both_signs(self):
        for kind, code in (("u8", "B"), ("s16", "H"), ("b32", "I"),
                           ("u32", "I"), ("s32", "I"), ("u64", "Q")):
            bits = 8 * struct.calcsize(code)
            for value in (0, 1, -1, -1 << (bits - 1), (1 << bits) - 1):
                with self.subTest(kind=kind, value=value):
                    self.assertEqual(
                        self.store(kind, value),
                        struct.pack("<" + code, value % (1 << bits)))
            for value in ((-1 << (bits - 1)) - 1, 1 << bits):
                with self.subTest(kind=kind, value=value):
                    with self.assertRaisesRegex(
                            OverflowError, rf"kernel 'store': parameter 2 is "
                            rf"\.{kind} v; {value} is not in "):
                        self.store(kind, value)

    def test_floats(self):
        for kind, code in (("f32", "f"), ("f64", "d"), ("b16", "e"),
                           ("b32", "f"), ("b64", "d")):
            for value in (0.0, -1.5, math.inf):
                with self.subTest(kind=kind, value=value):
                    self.assertEqual(self.store(kind, value),
                                     struct.pack("<" + code, value))
        self.assertEqual(self.store("f32", 3), struct.pack("<f", 3))
        self.assertTrue(math.isnan(
            struct.unpack("<f", self.store("f32", math.nan))[0]))

    def test_floats_out_of_range(self):
        for value in (1e300, 10**400):
            with self.assertRaises(OverflowError):
                self.store("f32", value)
        with self.assertRaisesRegex(OverflowError, "70000.0 is out of its"):
            self.store("b16", 70000.0)

    def test_kinds_are_checked(self):
        for kind, value in (("u32", 1.0), ("s64", 1.0), ("b8", 1.0),
                            ("f32", "1"), ("f64", None), ("u32", None),
                            ("u32", bytearray(4)), ("f64", bytearray(8))):
            with self.subTest(kind=kind, value=value):
                with self.assertRaisesRegex(
                        TypeError, rf"parameter 2 is \.{kind} v of \d bytes, "
                        r"the argument (a|None)"):
                    self.store(kind, value)

    def test_numbers_of_ctypes_have_their_size(self):
        self.assertEqual(self.store("u32", ctypes.c_int(-2)),
                         struct.pack("<i", -2))
        self.assertEqual(self.store("f64", ctypes.c_double(0.5)),
                         struct.pack("<d", 0.5))
        for kind, value in (("u32", ctypes.c_int64(1)),
                            ("u32", ctypes.c_float(1)),
                            ("f32", ctypes.c_double(1)),
                            ("f32", ctypes.c_int(1))):
            with self.assertRaises(TypeError):
                self.store(kind, value)

    def test_structs_are_given_by_value(self):
        class Pair(ctypes.Structure):
            _fields_ = [("a", ctypes.c_int), ("b", ctypes.c_double)]

        pair = Pair(3, 4.5)
        self.assertEqual(self.store("b8", pair, 16), bytes(pair))
        self.assertEqual(self.store("b8", b"0123456789abcdef", 16),
                         b"0123456789abcdef")
        for value in (b"0123", 1, None, 1.0):
            with self.assertRaisesRegex(
                    TypeError, r"parameter 2 is \.b8 v\[16\] of 16 bytes"):
                self.store("b8", value, 16)

    def test_number_of_arguments(self):
        with self.assertRaisesRegex(
                TypeError, r"kernel 'saxpy' takes 4 arguments, 1 are given: "
                r"\.u64 x, \.u64 y, \.f32 a, \.u32 n"):
            ptxjit.load(SAXPY)["saxpy"].launch(1, 1, None)

    @unittest.skipUnless(numpy, "there is no numpy")
    def test_numbers_of_numpy_have_their_size(self):
        for kind, name in (("u8", "uint8"), ("s32", "int32"), ("u32", "int32"),
                           ("f32", "float32"), ("f64", "float64"),
                           ("b16", "float16"), ("u8", "bool_"),
                           ("b64", "float64")):
            value = getattr(numpy, name)(1)
            with self.subTest(kind=kind, name=name):
                self.assertEqual(self.store(kind, value), value.tobytes())
        pair = numpy.complex64(1 + 2j)
        self.assertEqual(self.store("f32", pair, 2), pair.tobytes())
        for kind, name in (("f32", "float64"), ("f32", "int32"),
                           ("u32", "float32"), ("u32", "int64"),
                           ("s64", "int32")):
            value = getattr(numpy, name)(1)
            with self.subTest(kind=kind, name=name):
                with self.assertRaisesRegex(
                        TypeError, rf"numpy\.{name} of {value.nbytes} bytes"):
                    self.store(kind, value)


if __name__ == "__main__":
    unittest.main()
