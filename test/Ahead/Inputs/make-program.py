# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a program in C that runs recorded tests with kernels that were compiled
ahead of time, by the functions of their header.

    make-program.py RECORD HEADER > PROGRAM.c

RECORD is what `ptx-jit test --record` has written. The program prints each test
that differs, and how many are equal. Its arguments are the number of threads of the
CPU that run a launch (0, all, by default), and how often each test is run.
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
    return f"  static const unsigned char {name}[] = {{{numbers}}};\n"


def copied_array(name, hexadecimal):
    """An array that a launch may write, and that has its values before each."""
    return (array("initial_" + name, hexadecimal) +
            f"  static _Alignas(256) unsigned char {name}[sizeof(initial_{name})];\n"
            f"  memcpy({name}, initial_{name}, sizeof({name}));\n")


def write_launch(test, call, checks):
    """The call, and what has to be true after it."""
    failure = (f"printf(\"line {test['line']}: {test['kernel']}: %s\\n\", "
               f"error ? ptxjitGetLastError() : \"no failure\")")
    if "fails" in test:
        return (f"  PtxjitError error = {call};\n"
                f"  good = error && strstr(ptxjitGetLastError(), "
                f"{json.dumps(test['fails'])});\n"
                f"  if (!good) {failure};\n")
    return (f"  PtxjitError error = {call};\n"
            f"  if (error) {{ {failure}; return 0; }}\n{checks}"
            f"  if (!good) printf(\"line {test['line']}: {test['kernel']} "
            f"differs\\n\");\n")


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
        body += copied_array(here, argument["initial"])
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
    call = f"{name}({', '.join(['launch'] + values)})"
    return (f"static int test{number}(unsigned threads) {{\n  int good = 1;\n{body}"
            f"  PtxjitLaunch launch = {{{extents}, {test['shared']}, 0, threads}};\n"
            f"{write_launch(test, call, checks)}  return good;\n}}\n")


print(f'#include "{header}"\n#include "check.h"\n#include <stdio.h>')
cases = [json.loads(line) for line in open(record)]
for number, test in enumerate(cases):
    print(write_case(number, test))
print("""int main(int count, char **arguments) {
  unsigned threads = count > 1 ? (unsigned)atoi(arguments[1]) : 0;
  int repeat = count > 2 ? atoi(arguments[2]) : 1, equal = 0;""")
for number in range(len(cases)):
    print(f"  {{ int good = 1; for (int i = 0; i < repeat; ++i) "
          f"good &= test{number}(threads); equal += good; }}")
print(f'  printf("%d of {len(cases)} equal\\n", equal);\n'
      f"  return equal != {len(cases)};\n}}")
