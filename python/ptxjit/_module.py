# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of PTX, their kernels, and streams to launch these in."""
from __future__ import annotations

import atexit
import collections
import contextlib
import ctypes
import operator
import os
import threading
import weakref
from typing import (Any, Deque, Dict, Iterator, List, Mapping, Optional,
                    Sequence, SupportsIndex, Tuple, Union)

from ._arguments import Parameter, pack
from ._driver import (NO_TIMING, NOT_READY, STREAM_PER_THREAD, Context, Driver,
                      Error, entered, get_driver, own_context)

Extent = Union[SupportsIndex, Sequence[SupportsIndex]]


class Stream:
    """Launches in a stream run one after another, beside the program.

    A kernel that fails ends its stream: all calls with it then fail."""

    def __init__(self) -> None:
        self._context = Context()
        self._driver = driver = self._context.driver
        self._mark = driver.mark_log()
        handle = ctypes.c_void_p()
        with entered(driver, self._context.handle):
            driver.call("cuStreamCreate", ctypes.byref(handle),
                        ctypes.c_uint(0))
        self._handle = handle.value or 0

    def synchronize(self) -> None:
        """Waits until all launches have ended. Raises Error if one failed."""
        _wait(self._driver, self._handle, self._mark)
        self._mark = self._driver.mark_log()

    def __cuda_stream__(self) -> Tuple[int, int]:
        """The protocol of CUDA's Python packages: version and handle."""
        return 0, self._handle

    def __del__(self) -> None:
        # Destroying the context waits for what runs there.
        handle = getattr(self, "_handle", 0)
        if handle:
            with contextlib.suppress(Error):
                _wait(self._driver, handle, self._mark)


AnyStream = Union[Stream, int, Any]


class Kernel:
    """A kernel of a module; ``module["name"]`` is one."""

    def __init__(self, module: Module, handle: int) -> None:
        self._module = module  # which keeps the code loaded
        self._handle = handle
        driver = self._driver = get_driver()
        name = ctypes.c_char_p()
        driver.call("cuKernelGetName", ctypes.byref(name),
                    ctypes.c_void_p(handle))
        #: The name in PTX, which is mangled if it comes from C++.
        self.name: str = (name.value or b"").decode()
        #: The parameters, in their order.
        self.parameters: Tuple[Parameter, ...] = tuple(
            _read_parameters(driver, handle))

    def __repr__(self) -> str:
        listed = ", ".join(str(parameter) for parameter in self.parameters)
        return f"<ptxjit.Kernel {self.name}({listed})>"

    def launch(self, grid: Extent, block: Extent, *arguments: Any,
               shared: int = 0, stream: Optional[AnyStream] = None) -> None:
        """Runs the kernel, and returns when it has ended.

        grid, block: one to three extents: CTAs, and threads in a CTA.
        arguments: one for each parameter. Numbers are converted to the
            parameter's type: Python's with a check of the range; numpy's and
            ctypes' have to have its size. Arrays, and None for null, are for
            parameters of 8 bytes: what has the buffer protocol or __dlpack__
            (on the CPU), contiguous and writable. Structs are given as bytes,
            or as anything with the buffer protocol and their size.
        shared: bytes of dynamic shared memory.
        stream: a Stream, an object with __cuda_stream__, or a handle. The call
            then does not wait; the arrays are kept until the kernel has ended.

        Raises TypeError, ValueError and OverflowError for arguments, and Error
        if the kernel is refused or fails. Bounds of arrays are not checked."""
        kept: List[Any] = [self]
        buffer = pack(self.name, self.parameters, arguments, kept)
        shape = (*_extents("grid", grid), *_extents("block", block))
        if not 0 <= shared < 2**32:
            raise ValueError(f"shared is {shared}, which is no size in bytes")
        driver = self._driver
        mark = driver.mark_log()
        if stream is None:
            with own_context(driver):
                try:
                    self._start(shape, shared, STREAM_PER_THREAD, buffer, mark)
                finally:  # also if a signal's handler raises something
                    driver.call("cuStreamSynchronize",
                                ctypes.c_void_p(STREAM_PER_THREAD), since=mark)
            return
        handle = _handle_of(stream)
        if isinstance(stream, Stream):
            mark = stream._mark  # an earlier launch may have failed
        with _context_of_stream(driver, handle, mark):
            with _pending.keeping(driver, handle, kept, mark):
                self._start(shape, shared, handle, buffer, mark)

    def _start(self, shape: Sequence[int], shared: int, stream: int,
               buffer: bytearray, mark: ctypes.c_uint) -> None:
        data = (ctypes.c_char * max(1, len(buffer))).from_buffer_copy(
            buffer or b"\0")
        size = ctypes.c_size_t(len(buffer))
        # CU_LAUNCH_PARAM_BUFFER_POINTER, CU_LAUNCH_PARAM_BUFFER_SIZE, and END.
        extra = (ctypes.c_void_p * 5)(1, ctypes.addressof(data), 2,
                                      ctypes.addressof(size), 0)
        self._driver.call("cuLaunchKernel", ctypes.c_void_p(self._handle),
                          *(ctypes.c_uint(extent) for extent in shape),
                          ctypes.c_uint(shared), ctypes.c_void_p(stream), None,
                          extra, since=mark)


def _read_parameters(driver: Driver, kernel: int) -> Iterator[Parameter]:
    # PtxjitKernelParam
    class Description(ctypes.Structure):
        _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_char_p),
                    ("count", ctypes.c_size_t), ("offset", ctypes.c_size_t),
                    ("size", ctypes.c_size_t)]

    got = Description()
    index = 0
    while not driver.try_call("cuPtxjitGetKernelParam",
                              ctypes.c_void_p(kernel),
                              ctypes.c_size_t(index), ctypes.byref(got)):
        yield Parameter(got.name.decode(), got.type.decode(), got.count,
                        got.offset, got.size)
        index += 1


def _extents(what: str, given: Extent) -> Tuple[int, int, int]:
    parts = (given,) if isinstance(given, SupportsIndex) else given
    try:
        # Integers of numpy, too, but no floats.
        extents = tuple(operator.index(part) for part in parts)
    except TypeError:
        extents = ()
    if not 1 <= len(extents) <= 3 or not all(1 <= extent < 2**32
                                             for extent in extents):
        raise ValueError(f"{what} is {given!r}, not one to three positive "
                         "integers")
    x, y, z = (*extents, 1, 1)[:3]
    return x, y, z


#===------------------------------------------------------------------------===#
# Streams
#===------------------------------------------------------------------------===#


def _handle_of(stream: AnyStream) -> int:
    if hasattr(stream, "__cuda_stream__"):
        return int(stream.__cuda_stream__()[1])
    if isinstance(stream, int):
        return stream
    raise TypeError(f"stream is {stream!r}, which has no __cuda_stream__")


@contextlib.contextmanager
def _context_of_stream(driver: Driver, stream: int,
                       mark: ctypes.c_uint) -> Iterator[None]:
    """Makes the context of a stream the current one. The default streams, whose
    handles are 0 to 2, belong to whichever is current."""
    if 0 <= stream <= 2:
        yield
        return
    context = ctypes.c_void_p()
    driver.call("cuStreamGetCtx", ctypes.c_void_p(stream),
                ctypes.byref(context), since=mark)
    with entered(driver, context):
        yield


def _wait(driver: Driver, stream: int, mark: ctypes.c_uint) -> None:
    with _context_of_stream(driver, stream, mark):
        try:
            driver.call("cuStreamSynchronize", ctypes.c_void_p(stream),
                        since=mark)
        finally:
            _pending.drop(driver, stream)


class _Pending:
    """What launches in streams use, until they have ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # By stream: an event behind each launch, and what it uses.
        self._launches: Dict[int, Deque[Tuple[ctypes.c_void_p, Any]]] = {}
        atexit.register(self._finish)

    @contextlib.contextmanager
    def keeping(self, driver: Driver, stream: int, kept: Any,
                mark: ctypes.c_uint) -> Iterator[None]:
        """Keeps objects until what the body puts into the stream, whose context
        is current, has ended."""
        event = ctypes.c_void_p()
        driver.call("cuEventCreate", ctypes.byref(event),
                    ctypes.c_uint(NO_TIMING), since=mark)
        try:
            yield
            # This fails only if the context has failed, where nothing runs.
            driver.call("cuEventRecord", event, ctypes.c_void_p(stream),
                        since=mark)
        except BaseException:
            driver.try_call("cuEventDestroy_v2", event)
            raise
        self.drop(driver, stream)
        with self._lock:
            self._launches.setdefault(stream, collections.deque()).append(
                (event, kept))

    def drop(self, driver: Driver, stream: int) -> None:
        """Lets go what launches used that have ended."""
        ended = []
        with self._lock:
            launches = self._launches.get(stream, collections.deque())
            # An event of a context that failed has an error.
            while launches and driver.try_call("cuEventQuery",
                                               launches[0][0]) != NOT_READY:
                ended.append(launches.popleft())
            if not launches:
                self._launches.pop(stream, None)
        for event, _ in ended:
            driver.try_call("cuEventDestroy_v2", event)
        # Without the lock, `ended` goes away: that may run code of users.

    def _finish(self) -> None:
        """Waits for all launches, since Python's memory is about to go."""
        with self._lock:
            launches = [event for launches in self._launches.values()
                        for event, _ in launches]
        for event in launches:
            get_driver().try_call("cuEventSynchronize", event)


_pending = _Pending()

#===------------------------------------------------------------------------===#
# Modules
#===------------------------------------------------------------------------===#


class Module(Mapping[str, Kernel]):
    """PTX that is loaded: its kernels by their names."""

    def __init__(self, handle: ctypes.c_void_p) -> None:
        driver = get_driver()
        self._unload = weakref.finalize(self, driver.try_call,
                                        "cuLibraryUnload", handle)
        self._unload.atexit = False  # launches may still run
        count = ctypes.c_uint()
        driver.call("cuLibraryGetKernelCount", ctypes.byref(count), handle)
        kernels = (ctypes.c_void_p * count.value)()
        driver.call("cuLibraryEnumerateKernels", kernels, count, handle)
        self._handles: Dict[str, int] = {}
        for kernel in kernels:
            name = ctypes.c_char_p()
            driver.call("cuKernelGetName", ctypes.byref(name),
                        ctypes.c_void_p(kernel))
            self._handles[(name.value or b"").decode()] = kernel or 0

    @property
    def kernels(self) -> List[str]:
        """The names of the kernels, sorted."""
        return sorted(self._handles)

    def __getitem__(self, name: str) -> Kernel:
        try:
            return Kernel(self, self._handles[name])
        except KeyError:
            raise KeyError(f"no kernel '{name}'; there are: "
                           f"{', '.join(self.kernels)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.kernels)

    def __len__(self) -> int:
        return len(self._handles)


def load(source: Union[str, bytes, os.PathLike[str]]) -> Module:
    """Loads PTX.

    source: the text, or the path of a file: a string with a line break is text,
    bytes are text, another string is a path, as are pathlib's.

    Raises Error if the PTX is refused; its ``log`` says where and why. Kernels
    are compiled when they are launched."""
    driver = get_driver()
    if isinstance(source, str) and "\n" in source:
        source = source.encode()
    if isinstance(source, bytes):
        text = source.rstrip(b"\0")
        if b"\0" in text:
            raise ValueError("the text has a zero byte: PTX is wanted, or the "
                             "path of a file")
        return Module(driver.load_library("cuLibraryLoadData", text))
    path = os.fspath(source)
    with open(path, "rb"):  # raises what Python programs expect
        pass
    return Module(driver.load_library("cuLibraryLoadFromFile",
                                      os.fsencode(path)))
