# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which files of the form tests are run."""
import hashlib
import os


def is_sampled(name):
    """Whether a file belongs to the fifth that PTXJIT_FORMS_SAMPLE=SEED chooses.

    Without a seed, all files do.
    """
    seed = os.environ.get("PTXJIT_FORMS_SAMPLE")
    return not seed or hashlib.sha256(
        (seed + name).encode()).digest()[0] % 5 == 0
