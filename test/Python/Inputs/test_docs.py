# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples of docs/Python.md print what their comments say."""
import contextlib
import io
import os
import re
import tempfile
import unittest

from kernels import SAXPY

try:
    import numpy
except ImportError:
    numpy = None

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                    "../../../docs/Python.md")


class DocsTest(unittest.TestCase):
    @unittest.skipUnless(numpy, "there is no numpy")
    def test_examples(self):
        with open(PAGE) as page:
            first, streams = re.findall(r"```python\n(.*?)```", page.read(),
                                        re.S)
        before, printed = os.getcwd(), io.StringIO()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                with open("saxpy.ptx", "w") as file:
                    file.write(SAXPY)
                names = {}
                with contextlib.redirect_stdout(printed):
                    exec(first, names)
                    exec('kernel = module["saxpy"]\n' + streams, names)
            finally:
                os.chdir(before)
        expected = re.findall(r"^print\(.*# (.*)$", first, re.M)
        self.assertEqual(printed.getvalue().splitlines(), expected)
        self.assertEqual(names["y"][999], 3997)


if __name__ == "__main__":
    unittest.main()
