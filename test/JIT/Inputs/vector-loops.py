# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads AArch64 assembly, and says of which of its innermost loops the largest part
is vector code: instructions on v, q or z registers. Loops with less than 16 of these
do not count."""
import re
import sys

label = re.compile(r"(\.LBB\w+):")
branch = re.compile(r"(?:b|b\.\w+|cbn?z|tbn?z)\s.*?(\.LBB\w+)$")
vector = re.compile(r"\b(v\d+\.|q\d+\b|z\d+\.)")

places, code = {}, []
for line in map(str.strip, sys.stdin):
    if found := label.match(line):
        places[found[1]] = len(code)
    elif line and line[0] not in "./" and not line.endswith(":"):
        code.append(line)

loops = []
for end, instruction in enumerate(code):
    found = branch.match(instruction)
    if found and places.get(found[1], len(code)) <= end:
        loops.append((places[found[1]], end))
innermost = [(begin, end) for begin, end in loops
             if not any((begin, end) != other and begin <= other[0]
                        and other[1] <= end for other in loops)]

best = None
for begin, end in innermost:
    size = end - begin + 1
    vectors = sum(bool(vector.search(i)) for i in code[begin:end + 1])
    if vectors >= 16 and (not best or vectors / size > best[0]):
        best = (vectors / size, size)
if best:
    print(f"loop of {best[1]} instructions: {best[0]:.0%} vector code")
else:
    print("no loop with vector code")
