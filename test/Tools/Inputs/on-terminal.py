# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command whose output is a terminal, and prints what it wrote there,
with each carriage return as a new line."""
import os
import pty
import sys

written = []


def read(descriptor):
    data = os.read(descriptor, 4096)
    written.append(data)
    return data


# pty.spawn copies to standard output, which FileCheck is not to see.
saved = os.dup(1)
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
status = pty.spawn(sys.argv[1:], read)
os.dup2(saved, 1)
text = b"".join(written).decode(errors="replace")
print(text.replace("\r\n", "\n").replace("\r", "\n").replace("\033[K", ""))
sys.exit(os.waitstatus_to_exitcode(status))
