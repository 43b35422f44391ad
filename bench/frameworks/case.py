# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is timed on two devices."""
from typing import Any, Callable, NamedTuple


class Case(NamedTuple):
    name: str
    calls: tuple[Callable[[], Any], Callable[[], Any]]  # return when it is done
    sides: tuple[Callable[[], Any], Callable[[], Any]]  # return the results on the host
    tolerance: float = 1e-4  # relative to the largest result
