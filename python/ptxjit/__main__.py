# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""``python -m ptxjit ARGUMENTS`` becomes ``ptx-jit ARGUMENTS``."""
from __future__ import annotations

import os
import sys
from typing import NoReturn, Union

from ._places import binary_path


def main() -> Union[str, NoReturn]:
    """Replaces this process by ptx-jit. Returns only what went wrong."""
    try:
        binary = binary_path()
        os.execv(binary, [binary, *sys.argv[1:]])
    except OSError as error:
        return f"ptx-jit: {error}"


if __name__ == "__main__":
    sys.exit(main())
