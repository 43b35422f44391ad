# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Events for Triton's benchmarks."""
from __future__ import annotations

import time


class Clock:
    """Takes the place of `torch.cuda.Event`. A launch has ended when it returns,
    so the time of `record` is that of all work before it."""

    def __init__(self, enable_timing: bool = False):
        self._seconds = 0.0

    def record(self, stream=None) -> None:
        self._seconds = time.perf_counter()

    def synchronize(self) -> None:
        pass

    def query(self) -> bool:
        return True

    def elapsed_time(self, end: "Clock") -> float:
        """Milliseconds from this event to `end`."""
        return (end._seconds - self._seconds) * 1e3
