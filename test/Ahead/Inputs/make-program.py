# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a program in C that runs recorded tests with kernels that were compiled
ahead of time, by the functions of their header.

    make-program.py RECORD HEADER > PROGRAM.c

RECORD is what `ptx-jit test --record` has written. The program prints each test
that differs, and how many are equal.
"""
import json
import re
import sys

record, header = sys.argv[1:]
text = open(header).read()
FUNCTION = re.compile(r"/\*\* Launches '([^']+)'.*?\*/\nstatic inline "
                      r"PtxjitError (\w+)\(PtxjitLaunch launch(.*?)\) \{", re.S)
functions = {kernel: (name, [part.rsplit(" ", 1)[0] if "*" not in part else "*"
                             for part in rest.split(", ")[1:]])
             for kernel, name, rest in FUNCTION.findall(text)}


def array(name, hexadecimal):
    data = bytes.fromhex(hexadecimal)
    numbers = ",".join(map(str, data)) or "0"
    return f"  static _Alignas(256) unsigned char {name}[] = {{{numbers}}};\n"


def write_case(number, test):
    name, types = functions[test["kernel"]]
    body, values, checks = "", [], ""
    for i, argument in enumerate(test["args"]):
        here = f"a{i}"
        if "value" in argument:
            body += array(here, argument["value"])
            if types[len(values)] == "*":
                values.append(here)
            else:
                body += (f"  {types[len(values)]} v{i}; "
                         f"memcpy(&v{i}, {here}, sizeof(v{i}));\n")
                values.append(f"v{i}")
            continue
        body += array(here, argument["initial"])
        values.append(f"(uintptr_t){here}")
        if "expected" not in argument:
            continue
        body += array(f"e{i}", argument["expected"])
        any_values = argument["any"] + [-1]
        body += (f"  static const long w{i}[] = "
                 f"{{{','.join(map(str, any_values))}}};\n")
        checks += (f"  good &= isEqual({here}, e{i}, sizeof(e{i}), "
                   f"\"{argument['type']}\", w{i}, {test['ulps']}, "
                   f"{test['rel']}, {test['abs']});\n")
    grid, block, cluster = test["grid"], test["block"], test["cluster"]
    extents = ", ".join("{%d, %d, %d}" % tuple(e)
                        for e in (grid, block, cluster))
    return (f"static int test{number}(void) {{\n  int good = 1;\n{body}"
            f"  PtxjitLaunch launch = {{{extents}, {test['shared']}, 0, 0}};\n"
            f"  PtxjitError error = {name}({', '.join(['launch'] + values)});\n"
            f"  if (error) {{ printf(\"{test['kernel']}: %s\\n\", "
            f"ptxjitGetLastError()); return 0; }}\n{checks}"
            f"  if (!good) printf(\"line {test['line']}: {test['kernel']} "
            f"differs\\n\");\n  return good;\n}}\n")


print(f'#include "{header}"\n#include "check.h"\n#include <stdio.h>')
cases = [json.loads(line) for line in open(record)]
for number, test in enumerate(cases):
    print(write_case(number, test))
print("int main(void) {\n  int equal = 0;")
for number in range(len(cases)):
    print(f"  equal += test{number}();")
print(f'  printf("%d of {len(cases)} equal\\n", equal);\n'
      f"  return equal != {len(cases)};\n}}")
