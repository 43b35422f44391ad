#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs benchmark cases through libcuda.so.1 (or `ptx-jit run`) beside native
code.

The benchmark program prints each case as text (--manifest), writes its inputs
and expected results (--dump) and times native code (--side native).
Prints a table: case, ours (best launch, ms), native (ms), ratio, verdict.
"""
import argparse
import os
import re
import subprocess
import sys

ELEMENT = {"f32": 4, "u32": 4, "s32": 4, "i32": 4, "u8": 1, "f64": 8, "u16": 2}


def read_case(bench, case):
    text = subprocess.run([bench, "--manifest", "--case", case], check=True,
                          capture_output=True, text=True).stdout
    out = {"buffers": [], "launches": [], "checks": []}
    for line in text.splitlines():
        word, *rest = line.split() or [""]
        if word == "ptx":
            out["ptx"] = rest[0]
        elif word == "buffer":
            out["buffers"].append((rest[1], int(rest[2]), rest[3]))
        elif word == "launch":
            out["launches"].append((rest[0], ",".join(rest[1:4]),
                                    ",".join(rest[4:7]), rest[7:]))
        elif word == "check":
            out["checks"].append((int(rest[0]), rest[1], float(rest[3]),
                                  float(rest[5])))
    return out


def run_launch(args, root, case, data, launch, last, state):
    """One `ptx-jit run`; buffers travel through files between launches."""
    entry, grid, block, params = launch
    command = [args.ptx_jit, "run", os.path.join(root, data["ptx"]),
               "--kernel", entry, "--grid", grid, "--block", block, "--time",
               "--repeat", str(args.repeat if case != "saxpy" else 1)]
    if args.threads:
        command += ["--threads", str(args.threads)]
    order = []
    for p in params:
        kind, value = p.split(":", 1)
        if kind != "buf":
            command.append({"i32": "s32"}.get(kind, kind) + ":" + value)
            continue
        index = int(value)
        if index in order:
            command.append(f"buf:{order.index(index)}")
            continue
        order.append(index)
        name, size, init = data["buffers"][index]
        element, option = "u32", ""
        for check, kind, rtol, atol in data["checks"]:
            if check == index:
                element = kind
                if last:
                    ref = os.path.join(args.dump, f"{case}.{name}.ref")
                    option = f",expect={ref}"
                    option += (f",misses={-rtol}" if rtol < 0 else
                               f",rtol={rtol},atol={atol}")
        count = size // ELEMENT[element]
        if count * ELEMENT[element] != size:
            element, count = "u8", size
        source = state.get(index)
        fill = f"=@{source}" if source else ""
        target = os.path.join(args.dump, f"{case}.{name}.now")
        if not last:
            option += f",out={target}"
        command.append(f"{element}[{count}]{fill}{option}")
    result = subprocess.run(command, capture_output=True, text=True)
    if not last:
        for index in order:
            state[index] = os.path.join(args.dump,
                                        f"{case}.{data['buffers'][index][0]}.now")
    match = re.search(r"run ([0-9.]+) ms", result.stderr)
    return (result.returncode, float(match.group(1)) if match else 0.0,
            result.stderr.strip())


def run_case(args, root, case):
    data = read_case(args.bench, case)
    subprocess.run([args.bench, "--dump", args.dump, "--case", case],
                   check=True, capture_output=True)
    state = {}
    for i, (name, _, init) in enumerate(data["buffers"]):
        if init == "input":
            state[i] = os.path.join(args.dump, f"{case}.{name}.in")
    total, message = 0.0, "ok"
    for i, launch in enumerate(data["launches"]):
        code, ms, text = run_launch(args, root, case, data, launch,
                                    i + 1 == len(data["launches"]), state)
        total += ms
        if code:
            message = text.splitlines()[-1] if text else "failed"
            break
    native = subprocess.run([args.bench, "--side", "native", "--case", case,
                             "--ms", str(args.ms)], capture_output=True,
                            text=True).stdout.split()
    native_ms = float(native[3]) if len(native) > 3 else 0.0
    for file in os.listdir(args.dump):
        if file.startswith(case + "."):
            os.remove(os.path.join(args.dump, file))
    return total, native_ms, message


def time_side(args, side, case):
    """Best time of one side of the benchmark program, and its verdict."""
    environment = dict(os.environ, BENCH_LIBCUDA=os.path.abspath(args.libcuda))
    out = subprocess.run([args.bench, "--side", side, "--case", case, "--ms",
                          str(args.ms), "--verify"], capture_output=True,
                         text=True, env=environment)
    fields = out.stdout.split()
    if len(fields) < 7:
        return 0.0, (out.stderr.strip().splitlines() or ["failed"])[-1]
    return float(fields[3]), fields[6]


def list_cases(args):
    text = subprocess.run([args.bench, "--manifest"], check=True,
                          capture_output=True, text=True).stdout
    return [line.split()[1] for line in text.splitlines()
            if line.startswith("case ")]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", default="build/release/bin/ptx-jit-bench")
    parser.add_argument("--root", default=os.path.dirname(__file__),
                        help="folder of the cases' PTX files")
    parser.add_argument("--ptx-jit", default="build/release/bin/ptx-jit")
    parser.add_argument("--dump", default="/tmp/ptx-jit-bench")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--ms", type=int, default=500)
    parser.add_argument("--libcuda", default="build/release/lib/libcuda.so.1")
    parser.add_argument("--through", choices=["driver", "tool"],
                        default="driver")
    parser.add_argument("cases", nargs="*", help="all if none is named")
    args = parser.parse_args()
    os.makedirs(args.dump, exist_ok=True)
    print("| case | ptx-jit ms | native ms | ratio | result |")
    print("|---|---:|---:|---:|---|", flush=True)
    wrong = 0
    for case in args.cases or list_cases(args):
        if args.through == "tool":
            ours, native, message = run_case(args, args.root, case)
        else:
            ours, message = time_side(args, "cuda", case)
            native, _ = time_side(args, "native", case)
        ratio = f"{ours / native:.2f}" if native and message == "ok" else "-"
        wrong += message != "ok"
        print(f"| {case} | {ours:.3f} | {native:.3f} | {ratio} | {message} |",
              flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
