# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of our libcuda.so.1, the CUDA driver interface, by ctypes."""
from __future__ import annotations

import contextlib
import ctypes
import os
import threading
from typing import Any, Iterator, Optional

from ._places import library_folder

# From the CUDA Driver API.
_JIT_ERROR_LOG_BUFFER = 5
_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6
_LOG_BYTES = 25600  # CUDA keeps so much
STREAM_PER_THREAD = 2
NOT_READY = 600
NO_TIMING = 2  # a flag of events


class Error(RuntimeError):
    """A call of the driver failed.

    ``code`` and ``name`` are the driver's (218, "CUDA_ERROR_INVALID_PTX").
    ``log`` says why, with line and caret where there is a line to show."""

    def __init__(self, code: int, name: str, text: str, log: str) -> None:
        super().__init__(f"{name}: {text}" + (f"\n{log}" if log else ""))
        self.code = code
        self.name = name
        self.log = log


class Driver:
    """The library, initialised. Raises OSError if it cannot be loaded."""

    def __init__(self) -> None:
        path = os.path.join(library_folder(), "libcuda.so.1")
        self.library = ctypes.CDLL(path)
        if not hasattr(self.library, "cuPtxjitGetKernelParam"):
            raise OSError(f"{path} is not the library of this ptx-jit")
        self.call("cuInit", ctypes.c_uint(0))

    def try_call(self, function: str, *arguments: Any) -> int:
        """Calls a function with values of ctypes, and returns the code."""
        code: int = getattr(self.library, function)(*arguments)
        return code

    def mark_log(self) -> ctypes.c_uint:
        """Where the driver's log ends now."""
        mark = ctypes.c_uint()
        self.try_call("cuLogsCurrent", ctypes.byref(mark), ctypes.c_uint(0))
        return mark

    def call(self, function: str, *arguments: Any,
             since: Optional[ctypes.c_uint] = None) -> None:
        """Calls a function. Raises Error with what was logged since a mark, or
        else since the call began."""
        mark = since or self.mark_log()
        code = self.try_call(function, *arguments)
        if code:
            raise self.error(code, self._read_log(mark))

    def error(self, code: int, log: str) -> Error:
        texts = []
        for function in ("cuGetErrorName", "cuGetErrorString"):
            text = ctypes.c_char_p()
            self.try_call(function, ctypes.c_int(code), ctypes.byref(text))
            texts.append((text.value or b"unknown error").decode())
        return Error(code, texts[0], texts[1], log.rstrip("\n"))

    def _read_log(self, mark: ctypes.c_uint) -> str:
        """What the driver has reported since a mark."""
        start = ctypes.c_uint(mark.value)
        text = ctypes.create_string_buffer(_LOG_BYTES)
        size = ctypes.c_size_t(len(text))
        self.try_call("cuLogsDumpToMemory", ctypes.byref(start), text,
                      ctypes.byref(size), ctypes.c_uint(0))
        return text.value.decode(errors="replace")

    def load_library(self, function: str, image: bytes) -> ctypes.c_void_p:
        """Calls cuLibraryLoadData or cuLibraryLoadFromFile."""
        handle = ctypes.c_void_p()
        log = ctypes.create_string_buffer(_LOG_BYTES)
        options = (ctypes.c_int * 2)(_JIT_ERROR_LOG_BUFFER,
                                     _JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
        values = (ctypes.c_void_p * 2)(ctypes.addressof(log), len(log))
        code = self.try_call(function, ctypes.byref(handle),
                             ctypes.c_char_p(image), options, values,
                             ctypes.c_uint(2), None, None, ctypes.c_uint(0))
        if code:
            raise self.error(code, log.value.decode(errors="replace"))
        return handle


_lock = threading.Lock()
_driver: Optional[Driver] = None


def get_driver() -> Driver:
    """The driver, which is loaded when it is first needed."""
    global _driver
    with _lock:
        if _driver is None:
            _driver = Driver()
        return _driver


class Context:
    """A context of our own, on device 0. A kernel that fails ends a context
    with all that runs in it, so that each thread and each stream has one."""

    def __init__(self) -> None:
        self.handle = ctypes.c_void_p()  # null, if what follows fails
        self.driver = get_driver()
        self.driver.call("cuCtxCreate_v2", ctypes.byref(self.handle),
                         ctypes.c_uint(0), ctypes.c_int(0))
        # The thread keeps the one that it had.
        self.driver.call("cuCtxPopCurrent_v2",
                         ctypes.byref(ctypes.c_void_p()))

    def __del__(self) -> None:
        if self.handle:
            self.driver.try_call("cuCtxDestroy_v2", self.handle)

    def has_failed(self) -> bool:
        """Has a kernel failed in it? Waits for what runs there."""
        with entered(self.driver, self.handle):
            return self.driver.try_call("cuCtxSynchronize") != 0


@contextlib.contextmanager
def entered(driver: Driver, context: ctypes.c_void_p) -> Iterator[None]:
    """Makes a context the current one of this thread."""
    driver.call("cuCtxPushCurrent_v2", context)
    try:
        yield
    finally:
        driver.try_call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))


_of_thread = threading.local()


@contextlib.contextmanager
def own_context(driver: Driver) -> Iterator[None]:
    """Makes the context of this thread the current one. If it ends meanwhile,
    since a kernel failed, the thread gets a new one next time."""
    context: Optional[Context] = getattr(_of_thread, "context", None)
    if context is None:
        context = _of_thread.context = Context()
    try:
        with entered(driver, context.handle):
            yield
    except Error:
        if context.has_failed():
            del _of_thread.context
        raise

