# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules, launches, streams and errors of the Python package."""
import array
import gc
import os
import pathlib
import tempfile
import threading
import unittest

import ptxjit
from kernels import SAXPY, WAIT


class ModuleTest(unittest.TestCase):
    def test_kernels(self):
        module = ptxjit.load(WAIT)
        self.assertEqual(module.kernels, ["nothing", "sizes", "wait"])
        self.assertEqual(list(module), module.kernels)
        self.assertEqual(len(module), 3)
        self.assertIn("wait", module)
        with self.assertRaisesRegex(KeyError, "no kernel 'wai'; there are: "
                                    "nothing, sizes, wait"):
            module["wai"]

    def test_parameters(self):
        kernel = ptxjit.load(SAXPY)["saxpy"]
        self.assertEqual(kernel.name, "saxpy")
        self.assertEqual(
            [(p.name, p.type, p.count, p.offset, p.size)
             for p in kernel.parameters],
            [("x", "u64", 1, 0, 8), ("y", "u64", 1, 8, 8),
             ("a", "f32", 1, 16, 4), ("n", "u32", 1, 20, 4)])
        self.assertEqual(repr(kernel), "<ptxjit.Kernel saxpy(.u64 x, .u64 y, "
                         ".f32 a, .u32 n)>")

    def test_kernels_keep_their_module(self):
        kernel = ptxjit.load(WAIT)["nothing"]
        gc.collect()
        kernel.launch(1, 1)

    def test_sources(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "saxpy.ptx"
            path.write_text(SAXPY)
            for source in (path, str(path), SAXPY, SAXPY.encode(),
                           SAXPY.encode() + b"\0"):
                self.assertEqual(ptxjit.load(source).kernels, ["saxpy"])
            path.write_text(SAXPY.replace("fma", "fmax"))
            with self.assertRaisesRegex(ptxjit.Error,
                                        r"saxpy\.ptx:\d+:3: error: 'fmax'"):
                ptxjit.load(path)
        with self.assertRaises(FileNotFoundError):
            ptxjit.load(path)
        with self.assertRaisesRegex(ValueError, "zero byte"):
            ptxjit.load(b"\x50\xed\x55\xba\0\0\0\0\1")
        with self.assertRaises(TypeError):
            ptxjit.load(None)

    def test_refused_ptx_has_line_and_caret(self):
        with self.assertRaises(ptxjit.Error) as caught:
            ptxjit.load(SAXPY.replace("ld.global.f32 %f2", "ld.global.f33 %f2"))
        error = caught.exception
        self.assertEqual((error.code, error.name), (218,
                                                    "CUDA_ERROR_INVALID_PTX"))
        self.assertRegex(error.log, r":\d+:\d+: error: .*\n"
                         r"  ld\.global\.f33 .*\n +\^")
        self.assertIn(error.log, str(error))


class LaunchTest(unittest.TestCase):
    def setUp(self):
        self.module = ptxjit.load(WAIT)

    def test_shapes(self):
        for grid, block, expected in ((3, 5, [3, 1, 5, 1]),
                                      ((3, 2), (5, 1, 2), [3, 2, 5, 2]),
                                      ([1], (1, 2), [1, 1, 1, 1])):
            out = array.array("I", [9] * 5)
            self.module["sizes"].launch(grid, block, out, shared=64)
            self.assertEqual(list(out), expected + [64])

    def test_shapes_that_are_none(self):
        for grid, block in ((0, 1), (1, (1, 0)), ((1,) * 4, 1), ((), 1),
                            (1.5, 1), (1 << 32, 1), ("1", 1), (None, 1)):
            with self.subTest(grid=grid, block=block):
                with self.assertRaisesRegex(ValueError, "is .*, not one to"):
                    self.module["nothing"].launch(grid, block)
        with self.assertRaisesRegex(ValueError, "shared is -1"):
            self.module["nothing"].launch(1, 1, shared=-1)
        with self.assertRaisesRegex(ptxjit.Error, "1 to 1024 threads"):
            self.module["nothing"].launch(1, 1025)
        self.module["nothing"].launch(1, 1024)

    def test_failed_kernels_leave_the_thread_usable(self):
        kernel = ptxjit.load(SAXPY)["saxpy"]
        for _ in range(3):
            with self.assertRaises(ptxjit.Error) as caught:
                kernel.launch(1, 32, None, None, 1, 32)
            error = caught.exception
            self.assertEqual(error.name, "CUDA_ERROR_ILLEGAL_ADDRESS")
            self.assertRegex(error.log, r"kernel 'saxpy': illegal memory access"
                             r" 0x0 .*thread \(0,0,0\)\n.*ld\.global\.f32 %f2")
            y = array.array("f", [1])
            kernel.launch(1, 32, y, y, 1, 1)
            self.assertEqual(y[0], 2)

    def test_failed_kernels_disturb_no_other_thread(self):
        kernel = ptxjit.load(SAXPY)["saxpy"]
        wrong = []

        def fail():
            for _ in range(20):
                try:
                    kernel.launch(1, 1, None, None, 1, 1)
                    wrong.append("it did not fail")
                except ptxjit.Error:
                    pass

        def add():
            y = array.array("f", [0] * 64)
            x = array.array("f", [1] * 64)
            for _ in range(100):
                kernel.launch(2, 32, x, y, 1, 64)
            if set(y) != {100}:
                wrong.append(y)

        threads = [threading.Thread(target=body)
                   for body in (fail, add, fail, add)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    @unittest.skipUnless(hasattr(os, "fork"), "there is no fork")
    def test_children_of_fork_have_no_device(self):
        self.module["nothing"].launch(1, 1)
        child = os.fork()
        if not child:
            try:
                self.module["nothing"].launch(1, 1)
            except ptxjit.Error:
                os._exit(3)
            os._exit(4)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 3)
        self.module["nothing"].launch(1, 1)


class StreamTest(unittest.TestCase):
    def test_launches_run_beside_the_program(self):
        stream = ptxjit.Stream()
        flag = array.array("I", [0, 0])
        module = ptxjit.load(WAIT)
        module["wait"].launch(1, 1, flag, stream=stream)
        module["nothing"].launch(1, 1)  # does not wait for the stream
        self.assertEqual(flag[1], 0)
        flag[0] = 1
        stream.synchronize()
        self.assertEqual(flag[1], 7)

    def test_arrays_live_until_the_launch_has_ended(self):
        stream = ptxjit.Stream()
        flag = array.array("I", [0, 0])
        wait = ptxjit.load(WAIT)["wait"]
        wait.launch(1, 1, flag, stream=stream)
        with self.assertRaises(BufferError):  # its memory is in use
            flag.append(1)
        flag[0] = 1
        stream.synchronize()
        flag.append(1)

    def test_handles_and_the_protocol(self):
        stream = ptxjit.Stream()
        handle = stream.__cuda_stream__()[1]
        y = array.array("f", [1])
        kernel = ptxjit.load(SAXPY)["saxpy"]
        kernel.launch(1, 1, y, y, 1, 1, stream=handle)
        kernel.launch(1, 1, y, y, 1, 1, stream=stream)
        stream.synchronize()
        self.assertEqual(y[0], 4)
        for bad in (12345, 1 << 40):
            with self.assertRaises(ptxjit.Error):
                kernel.launch(1, 1, y, y, 1, 1, stream=bad)
        with self.assertRaisesRegex(TypeError, "has no __cuda_stream__"):
            kernel.launch(1, 1, y, y, 1, 1, stream="0")

    def test_failed_kernels_end_their_stream_only(self):
        kernel = ptxjit.load(SAXPY)["saxpy"]
        bad, good = ptxjit.Stream(), ptxjit.Stream()
        y = array.array("f", [1])
        for _ in range(2):
            with self.assertRaisesRegex(ptxjit.Error, "illegal memory access"):
                kernel.launch(1, 1, None, None, 1, 1, stream=bad)
                bad.synchronize()
        kernel.launch(1, 1, y, y, 1, 1, stream=good)
        good.synchronize()
        kernel.launch(1, 1, y, y, 1, 1)
        self.assertEqual(y[0], 4)
        del bad

    def test_many_launches(self):
        kernel = ptxjit.load(SAXPY)["saxpy"]
        stream = ptxjit.Stream()
        y = array.array("f", [0])
        for _ in range(500):
            kernel.launch(1, 1, array.array("f", [1]), y, 1, 1, stream=stream)
        stream.synchronize()
        self.assertEqual(y[0], 500)

    def test_streams_wait_when_they_go_away(self):
        stream = ptxjit.Stream()
        flag = array.array("I", [0, 0])
        ptxjit.load(WAIT)["wait"].launch(1, 1, flag, stream=stream)
        timer = threading.Timer(0.05, flag.__setitem__, (0, 1))
        timer.start()
        del stream
        gc.collect()
        self.assertEqual(flag[1], 7)
        timer.join()


if __name__ == "__main__":
    unittest.main()
