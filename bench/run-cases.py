#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs benchmark cases through libcuda.so.1 (or `ptx-jit run`) beside native
code, and beside PoCL where that is installed.

The benchmark program prints each case as text (--manifest), writes its inputs
and expected results (--dump) and times one side (--side). The sides of a case
take turns for some rounds, and the best time of each counts.
Prints a table, the geometric means of the ratios and how many goals of
goals.tsv are met. A run can be kept (--save), compared with one that was kept
(--against) and drawn (--chart).
"""
import argparse
import datetime
import json
import math
import os
import re
import subprocess
import sys

import chart

# How many times the ratio that was kept is worth a line.
SLOWER = 1.15
# How often such a case is measured again before it is believed.
RETRIES = 3
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
    for file in os.listdir(args.dump):
        if file.startswith(case + "."):
            os.remove(os.path.join(args.dump, file))
    return total, message


def time_side(args, side, case, verify):
    """Best time of one side of the benchmark program, and its verdict."""
    environment = dict(os.environ, BENCH_LIBCUDA=os.path.abspath(args.libcuda))
    environment.setdefault("PTXJIT_TIER", "second")  # what long runs end with
    command = [args.bench, "--side", side, "--case", case, "--ms",
               str(args.ms)] + ["--verify"] * verify
    out = subprocess.run(command, capture_output=True, text=True,
                         env=environment)
    fields = out.stdout.split()
    if len(fields) < 7:
        return 0.0, (out.stderr.strip().splitlines() or ["failed"])[-1]
    if fields[6] == "none":
        return 0.0, "none"
    return float(fields[3]), "ok" if fields[6] == "-" else fields[6]


def time_ours(args, case, verify):
    if args.through == "tool":
        return run_case(args, args.root, case)
    return time_side(args, "cuda", case, verify)


def list_cases(args):
    text = subprocess.run([args.bench, "--manifest"], check=True,
                          capture_output=True, text=True).stdout
    return [line.split()[1] for line in text.splitlines()
            if line.startswith("case ")]


def has_pocl(args):
    return time_side(args, "pocl", "vecadd_small", False)[1] == "ok"


def measure(args, case, sides):
    """The best time of each side, and what was wrong with its results. Sides
    that take turns see the same neighbours on the machine."""
    best, verdict = {}, {}
    for number in range(args.rounds):
        for side in sides:
            if verdict.get(side, "ok") != "ok":
                continue
            first = number == 0
            ms, verdict[side] = (
                time_ours(args, case, first) if side == "cuda" else
                time_side(args, side, case, first))
            if verdict[side] == "ok" and ms:
                best[side] = min(ms, best.get(side, ms))
    return best, verdict


def divide(best, side, other):
    """The ratio of two sides, or None where one has no time."""
    if not best.get(side) or not best.get(other):
        return None
    return best[side] / best[other]


def show(value, digits):
    return f"{value:.{digits}f}" if value else "-"


def print_row(case, best, verdict, goal, sides):
    ratio = divide(best, "cuda", "native")
    row = [case, show(best.get("cuda"), 3), show(best.get("native"), 3)]
    if "pocl" in sides:
        row.append(show(best.get("pocl"), 3))
    row += [show(ratio, 2), f"{goal:g}" if goal else "-", verdict["cuda"]]
    wrong = [f"{side} {verdict[side]}" for side in sides if side != "cuda" and
             verdict[side] not in ("ok", "none")]
    print("| " + " | ".join(row[:-1] + [", ".join(row[-1:] + wrong)]) + " |",
          flush=True)


def read_goals(root):
    """Goal and class of each case."""
    goals = {}
    with open(os.path.join(root, "goals.tsv")) as file:
        for line in file.read().splitlines()[1:]:
            case, goal, kind, _ = line.split("\t")
            goals[case] = float(goal), kind
    return goals


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def print_mean(what, values):
    if values:
        print(f"Geometric mean of {len(values)} {what}: "
              f"{geometric_mean(values):.2f}")


def summarize(times, goals):
    def ratios(kinds, side="native"):
        found = [divide(best, "cuda", side) for case, best in times.items()
                 if kinds(goals.get(case, (0, ""))[1])]
        return [ratio for ratio in found if ratio]
    print()
    print_mean("SIMT cases", ratios(lambda k: k not in ("tensor", "public")))
    print_mean("public cases", ratios(lambda k: k == "public"))
    print_mean("tensor cases", ratios(lambda k: k == "tensor"))
    print_mean("cases, against PoCL", ratios(lambda k: True, "pocl"))
    met = [ratio <= goals[case][0] for case, ratio in to_ratios(times).items()
           if case in goals]
    print(f"Goals met: {sum(met)} of {len(met)}")


def to_ratios(times):
    found = {case: divide(best, "cuda", "native")
             for case, best in times.items()}
    return {case: ratio for case, ratio in found.items() if ratio}


def name_cpu():
    with open("/proc/cpuinfo") as file:
        match = re.search(r"model name\s*: (.*)", file.read())
    return match.group(1) if match else "unknown"


def describe(args, times, load):
    """A run as it is kept: what it was measured on, ratios and times."""
    return {"load": round(load, 1), "cpu": name_cpu(), "cores": len(os.sched_getaffinity(0)),
            "date": datetime.date.today().isoformat(), "rounds": args.rounds,
            "ms": args.ms,
            "ratios": {case: round(ratio, 4)
                       for case, ratio in to_ratios(times).items()},
            "times": {case: {side: round(ms, 5) for side, ms in best.items()}
                      for case, best in times.items()}}


def find_slower(ratios, old):
    return [(case, old["ratios"][case], ratio)
            for case, ratio in ratios.items()
            if ratio > SLOWER * old["ratios"].get(case, math.inf)]


def measure_again(args, sides, times, old):
    """What seems slower gets more rounds, since a neighbour on the machine
    slows the longer side more."""
    for _ in range(RETRIES):
        for case, _, _ in find_slower(to_ratios(times), old):
            more, _ = measure(args, case, sides)
            for side, ms in more.items():
                times[case][side] = min(ms, times[case].get(side, ms))


def compare(run, old):
    """Prints what became slower, in ratios to native."""
    print(f"\nAgainst {old['date']}, {old['cpu']}:")
    slower = find_slower(run["ratios"], old)
    for case, before, after in slower:
        print(f"slower: {case} {before:.2f} -> {after:.2f} "
              f"({after / before:.2f} times)")
    if not slower:
        print(f"no case is more than {SLOWER} times as slow")


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", default="build/release/bin/ptx-jit-bench")
    parser.add_argument("--root", default=os.path.dirname(__file__) or ".",
                        help="folder of the cases' PTX files and goals")
    parser.add_argument("--ptx-jit", default="build/release/bin/ptx-jit")
    parser.add_argument("--dump", default="/tmp/ptx-jit-bench")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--ms", type=int, default=200,
                        help="time for each side in each round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--libcuda", default="build/release/lib/libcuda.so.1")
    parser.add_argument("--through", choices=["driver", "tool"],
                        default="driver")
    parser.add_argument("--no-pocl", action="store_true")
    parser.add_argument("--save", metavar="FILE", help="keep the run, as JSON")
    parser.add_argument("--against", metavar="FILE",
                        help="print what is slower than in a run that was kept")
    parser.add_argument("--chart", metavar="FILE",
                        help="draw the ratios, as SVG")
    parser.add_argument("cases", nargs="*", help="all if none is named")
    return parser.parse_args()


def main():
    args = read_arguments()
    os.makedirs(args.dump, exist_ok=True)
    old = None
    if args.against:  # First, since it may be the file to save to.
        with open(args.against) as file:
            old = json.load(file)
    goals = read_goals(args.root)
    load = os.getloadavg()[0]
    sides = ["native", "cuda"]
    if not args.no_pocl and has_pocl(args):
        sides.append("pocl")
    names = ["native ms"] + ["PoCL ms"] * ("pocl" in sides)
    print("| case | ptx-jit ms | " + " | ".join(names) +
          " | ratio | goal | result |")
    print("|---|---:|" + "---:|" * len(names) + "---:|---:|---|", flush=True)
    times, wrong = {}, 0
    for case in args.cases or list_cases(args):
        times[case], verdict = measure(args, case, sides)
        print_row(case, times[case], verdict, goals.get(case, (0,))[0], sides)
        wrong += verdict["cuda"] != "ok"
    if load > 0.5 * len(os.sched_getaffinity(0)):
        print(f"\nOther programs were running (load {load:.1f}): ratios are "
              "too high, most where ours takes long.")
    if old:
        measure_again(args, sides, times, old)
    summarize(times, goals)
    run = describe(args, times, load)
    if old:
        compare(run, old)
    if args.save:
        with open(args.save, "w") as file:
            json.dump(run, file, indent=1)
            file.write("\n")
    if args.chart:
        with open(args.chart, "w") as file:
            file.write(chart.draw(run))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
