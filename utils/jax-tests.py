#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a sample of JAX's own tests.

    PTXJIT_DEVICE=12.0 ptx-jit exec -- python utils/jax-tests.py TESTS RESULTS
        [--modules NAME,...] [--count N] [--seconds N] [--limit N] [--seed N]
        [--only TEXT] [--retry] [--report]

TESTS is the folder `tests` of JAX's sources, of the version that is installed. Tests
are run in an order that the seed decides, and RESULTS (JSON, one a line) has those
that were run: the next run goes on behind them. They run in a process of their own,
which is started again if it dies, or if a test takes longer than --limit seconds.
Tests that fail in cuSOLVER, cuFFT or cuSPARSE are counted as skipped: ptx-jit does not
have these libraries. --retry runs those again that did not pass; --report prints the
counts, and the failures.
"""
import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys
import time
import unittest

MODULES = "lax_numpy_test,lax_test,random_test,random_lax_test"
FOREIGN = re.compile(r"cusolver|cufft|cusparse|gpusolver|Fft", re.IGNORECASE)


def parse_options():
    parser = argparse.ArgumentParser()
    parser.add_argument("tests")
    parser.add_argument("results")
    parser.add_argument("--modules", default=MODULES)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--limit", type=float, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--retry", action="store_true")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def read_results(path):
    done = {}
    if os.path.exists(path):
        with open(path) as lines:
            for line in lines:
                entry = json.loads(line)
                done[entry["case"]] = entry["result"]
    return done


def leaves(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from leaves(test)
        else:
            yield test


def load_tests(options):
    """The tests by name, in the order in which they are run."""
    sys.argv = sys.argv[:1]  # JAX's tests parse it, too
    # Trying all ways to compile a product takes longer than the product.
    os.environ.setdefault("XLA_FLAGS", "--xla_gpu_autotune_level=0")
    sys.path.insert(0, options.tests)
    from absl import flags
    loader = unittest.TestLoader()
    tests = {}
    for module in options.modules.split(","):
        for test in leaves(loader.loadTestsFromName(module)):
            # Without the arguments, which contain addresses.
            tests[test.id().split(" (")[0]] = test
    if not flags.FLAGS.is_parsed():
        flags.FLAGS(sys.argv)
    names = sorted(tests)
    random.Random(options.seed).shuffle(names)
    return {name: tests[name] for name in names if options.only in name}


def outcome(test):
    """Runs a test. Returns "pass", "skip: …" or "fail: …"."""
    result = unittest.TestResult()
    test.run(result)
    if result.skipped:
        return f"skip: {result.skipped[0][1]}"[:300]
    problems = result.failures + result.errors
    if not problems:
        return "pass"
    text = problems[0][1]
    last = " ".join(text.strip().splitlines()[-1].split())
    # The error itself, not JAX's advice behind it.
    for line in text.splitlines():
        if re.match(r"[\w.]*(Error|Exception|AssertionError)\b", line):
            last = " ".join(line.split())
            break
    kind = "skip: foreign library: " if FOREIGN.search(text) else "fail: "
    return (kind + last)[:400]


def work(options):
    done = read_results(options.results)
    todo = [(name, test) for name, test in load_tests(options).items()
            if name not in done or
            options.retry and done[name][:4] not in ("pass", "skip")]
    end = time.monotonic() + options.seconds
    with open(options.results, "a") as stream:
        def write(name, result):
            print(json.dumps({"case": name, "result": result}), file=stream,
                  flush=True)

        for name, test in todo[:max(0, options.count - len(done))
                               if not options.retry else None]:
            if time.monotonic() > end:
                break
            write(name, "started")
            write(name, outcome(test))


def supervise(options):
    """Runs workers until one ends by itself."""
    command = [sys.executable] + sys.argv + ["--worker"]
    end = time.monotonic() + options.seconds
    while time.monotonic() < end:
        worker = subprocess.Popen(command)
        size, since = -1, time.monotonic()
        while worker.poll() is None:
            time.sleep(0.5)
            now = (os.path.getsize(options.results)
                   if os.path.exists(options.results) else 0)
            if now != size:
                size, since = now, time.monotonic()
            elif time.monotonic() - since > options.limit:
                worker.kill()
        if worker.returncode == 0:
            break
        if options.retry:
            break  # it would begin with the same test again


def report(done, isLong):
    counts = collections.Counter()
    for name, result in sorted(done.items()):
        kind = "crash" if result == "started" else result.split(":")[0]
        if result.startswith("skip: foreign"):
            kind = "foreign"
        counts[kind] += 1
        if isLong and kind in ("fail", "crash"):
            print(name, result)
    right, wrong = counts["pass"], counts["fail"] + counts["crash"]
    print(f"{right} pass, {counts['fail']} fail, {counts['crash']} crash or "
          f"take too long, {counts['foreign']} need libraries that ptx-jit does "
          f"not have, {counts['skip']} are skipped by JAX: "
          f"{100 * right / max(1, right + wrong):.1f} %")


def main():
    options = parse_options()
    if options.worker:
        work(options)
        return
    if not options.report:
        supervise(options)
    report(read_results(options.results), options.report)


if __name__ == "__main__":
    main()
