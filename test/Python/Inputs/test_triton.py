# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Triton asks of a backend when it is imported, with a Triton of the test's
own: one driver and one compiler, which never fail."""
import abc
import contextlib
import importlib
import io
import sys
import types
import unittest


class DriverBase(abc.ABC):
    @abc.abstractmethod
    def is_active(self):
        pass

    @abc.abstractmethod
    def get_current_target(self):
        pass


class BaseBackend(abc.ABC):
    @staticmethod
    @abc.abstractmethod
    def supports_target(target):
        pass

    @abc.abstractmethod
    def hash(self):
        pass


class CudaDriver(DriverBase):
    @staticmethod
    def is_active():
        return False

    def get_current_target(self):
        return "cuda"


def modules(with_nvidia):
    """A package `triton` as far as our modules look at it."""
    made = {name: types.ModuleType(name) for name in (
        "triton", "triton.backends", "triton.backends.driver",
        "triton.backends.compiler")}
    made["triton.backends.driver"].DriverBase = DriverBase
    made["triton.backends.compiler"].BaseBackend = BaseBackend
    made["triton.backends"].compiler = made["triton.backends.compiler"]
    if with_nvidia:
        nvidia = types.ModuleType("triton.backends.nvidia.driver")
        nvidia.CudaDriver = CudaDriver
        nvidia.CudaLauncher = nvidia.CudaUtils = object
        made["triton.backends.nvidia"] = types.ModuleType("nvidia")
        made["triton.backends.nvidia.driver"] = nvidia
    return made


def concrete(module, base):
    """As Triton looks for the class of a backend."""
    values = [getattr(module, name) for name in dir(module)]
    return [v for v in values if isinstance(v, type) and issubclass(v, base)
            and v.__abstractmethods__ == frozenset()]


class Backend(unittest.TestCase):
    def load(self, with_nvidia, torch=None):
        before = dict(sys.modules)
        self.addCleanup(lambda: (sys.modules.clear(),
                                 sys.modules.update(before)))
        for name in [n for n in sys.modules if n.startswith("ptxjit.triton")]:
            del sys.modules[name]
        sys.modules.update(modules(with_nvidia))
        if torch:
            sys.modules["torch"] = torch
        else:
            sys.modules.pop("torch", None)
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            driver = importlib.import_module("ptxjit.triton.driver")
            compiler = importlib.import_module("ptxjit.triton.compiler")
        return driver, compiler, said.getvalue()

    def test_one_class_each(self):
        driver, compiler, said = self.load(with_nvidia=True)
        self.assertEqual(len(concrete(driver, DriverBase)), 1)
        backends = concrete(compiler, BaseBackend)
        self.assertEqual(len(backends), 1)
        self.assertFalse(backends[0].supports_target("cuda"))
        self.assertEqual(said, "")

    def test_without_nvidia_it_is_inactive_with_one_line(self):
        torch = types.SimpleNamespace(
            cuda=types.SimpleNamespace(is_available=lambda: False))
        driver, _, said = self.load(with_nvidia=False, torch=torch)
        found = concrete(driver, DriverBase)
        self.assertEqual(len(found), 1)
        self.assertFalse(found[0].is_active())
        self.assertEqual(said.count("\n"), 1)
        self.assertIn("no Triton driver for CPU tensors", said)

    def test_torch_decides(self):
        for available in (True, False):
            torch = types.SimpleNamespace(
                cuda=types.SimpleNamespace(is_available=lambda: available))
            driver, _, _ = self.load(with_nvidia=True, torch=torch)
            self.assertEqual(driver.PtxJitDriver.is_active(), not available)

    def test_without_torch_it_is_inactive(self):
        driver, _, _ = self.load(with_nvidia=True)
        self.assertFalse(driver.PtxJitDriver.is_active())
        half = types.ModuleType("torch")  # while torch is being imported
        driver, _, _ = self.load(with_nvidia=True, torch=half)
        self.assertFalse(driver.PtxJitDriver.is_active())

    def test_arguments(self):
        driver, _, _ = self.load(with_nvidia=True)
        tensor = types.SimpleNamespace(
            data_ptr=lambda: 4096, device=types.SimpleNamespace(type="cpu"))
        found = driver._addresses((1, 2.5, None, (tensor, "x")))
        self.assertEqual(found, (1, 2.5, None, (4096, "x")))
        self.assertEqual(found[3][0].data_ptr(), 4096)
        tensor.device.type = "cuda"
        with self.assertRaisesRegex(ValueError, "on CPU tensors"):
            driver._addresses(tensor)


if __name__ == "__main__":
    unittest.main()
