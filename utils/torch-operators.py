#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares torch's operators on CUDA tensors with those on CPU tensors, by torch's
own table of operators and sample inputs (op_db).

    ptx-jit exec -- python utils/torch-operators.py RESULTS [--count N]
        [--seconds N] [--seed N] [--only NAME] [--skip NAME] [--retry] [--report]

A case is an operator, a type that the table claims for CUDA, and a way: forward,
backward, out or inplace. Cases are run in an order that the seed decides, and
RESULTS (JSON, one a line) has those that were run: the next run goes on behind them.
A case whose process dies is counted as a crash then. --retry runs those again that
did not pass. --report prints the counts of each operator that has failures.
"""
import argparse
import collections
import json
import os
import random
import time
import warnings

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils import _pytree as pytree

WAYS = ("forward", "backward", "out", "inplace")
SAMPLES = 6  # of a case
WIDER = {torch.float16: torch.float32, torch.bfloat16: torch.float32,
         torch.complex32: torch.complex64}
# Results that random numbers decide, or memory that the sample does not have.
WITHOUT_VALUES = ("empty", "rand", "normal", "bernoulli", "dropout",
                  "multinomial", "exponential", "cauchy", "geometric",
                  "log_normal", "uniform", "rrelu", "svd_lowrank",
                  "pca_lowrank", "resize", "multi_head_attention_forward",
                  "fractional_max_pool", "as_strided.partial_views")
# Bases of spaces, which are not unique.
WITHOUT_BASES = ("linalg.svd", "svd", "linalg.eigh", "linalg.eig", "linalg.qr",
                 "qr", "geqrf", "linalg.householder_product")


class Skipped(Exception):
    """The case says nothing."""


def list_cases():
    """All cases, as (name, operator, type, way)."""
    cases = []
    for op in op_db:
        name = op.name + (f".{op.variant_test_name}"
                          if op.variant_test_name else "")
        gradients = op.supported_backward_dtypes("cuda")
        for dtype in sorted(op.supported_dtypes("cuda"), key=str):
            for way in WAYS:
                if (way == "backward" and
                        (not op.supports_autograd or dtype not in gradients)
                        or way == "out" and not op.supports_out
                        or way == "inplace" and not op.inplace_variant):
                    continue
                label = f"{name}/{str(dtype).split('.')[1]}/{way}"
                cases.append((label, op, dtype, way))
    return cases


def move(value, device, wider=False):
    """A copy of what a sample has, on a device."""
    def one(leaf):
        if isinstance(leaf, torch.Tensor):
            copy = leaf.detach().clone().to(device)
            if wider:
                copy = copy.to(WIDER.get(copy.dtype, copy.dtype))
            return copy.requires_grad_(leaf.requires_grad)
        if wider and isinstance(leaf, torch.dtype):
            return WIDER.get(leaf, leaf)
        if isinstance(leaf, torch.device) or leaf == "cuda":
            return torch.device(device)
        return leaf

    return pytree.tree_map(one, value)


def tensors_of(value):
    return [leaf for leaf in pytree.tree_leaves(value)
            if isinstance(leaf, torch.Tensor)]


def run_way(op, way, sample):
    """The results of a sample, as a list of tensors."""
    value, args, kwargs = sample
    if way == "inplace":
        value = pytree.tree_map(
            lambda t: t.detach().clone() if isinstance(t, torch.Tensor) else t,
            value)
        return tensors_of(op.inplace_variant(value, *args, **kwargs))
    results = op(value, *args, **kwargs)
    if way == "out":
        outs = pytree.tree_map(
            lambda t: torch.empty_like(t)
            if isinstance(t, torch.Tensor) else t, results)
        again = op(value, *args, **kwargs, out=outs)
        for out, result in zip(tensors_of(outs), tensors_of(again)):
            assert out.data_ptr() == result.data_ptr(), "out is not written"
        return tensors_of(outs)
    found = tensors_of(results)
    if way == "backward":
        inputs = [t for t in tensors_of(sample) if t.requires_grad]
        found = [t for t in found if t.requires_grad]
        if not found or not inputs:
            raise Skipped("no gradients")
        found += [g for g in torch.autograd.grad(
            found, inputs, [torch.ones_like(t) for t in found],
            allow_unused=True) if g is not None]
    return found


def reference(op, way, sample):
    try:
        return run_way(op, way, move(sample, "cpu"))
    except Skipped:
        raise
    except Exception as error:
        if not any(t.dtype in WIDER for t in tensors_of(sample)):
            return error
    try:
        return run_way(op, way, move(sample, "cpu", wider=True))
    except Exception as error:
        return error


def compare(name, results, expected, dtype, on_host):
    """`on_host`: does the sample itself want results on the CPU?"""
    assert len(results) == len(expected), "another number of results"
    for mine, theirs in zip(results, expected):
        assert on_host or mine.is_cuda, f"a result is on {mine.device}"
        assert mine.shape == theirs.shape, f"{mine.shape} for {theirs.shape}"
        if any(word in name for word in WITHOUT_VALUES):
            continue
        if name.split(".variant")[0] in WITHOUT_BASES:
            mine, theirs = mine.abs(), theirs.abs()
        limits = {}
        if dtype in (torch.float16, torch.complex32):
            limits = {"rtol": 2e-3, "atol": 2e-3}
        elif dtype == torch.bfloat16:
            limits = {"rtol": 2e-2, "atol": 2e-2}
        torch.testing.assert_close(mine.cpu(), theirs,
                                   check_dtype=False, equal_nan=True,
                                   check_stride=False, **limits)


def run_case(name, op, dtype, way):
    """Returns "pass", "skip: …" or "fail: …"."""
    torch.manual_seed(0)
    random.seed(0)
    compared = 0
    try:
        samples = op.sample_inputs("cuda", dtype,
                                   requires_grad=way == "backward")
        for _, sample in zip(range(SAMPLES), samples):
            sample = (sample.input, sample.args, sample.kwargs)
            if way == "inplace" and sample[2].get("out") is not None:
                continue
            if sample[2].get("dropout_p"):
                continue  # random numbers decide
            expected = reference(op, way, sample)
            try:
                results = run_way(op, way, sample)
            except Skipped:
                continue
            except Exception:
                if isinstance(expected, Exception):
                    continue  # an error in both
                raise
            if isinstance(expected, Exception):
                continue
            compare(name, results, expected, dtype,
                    "cpu" in map(str, pytree.tree_leaves(sample[2])))
            compared += 1
    except Skipped:
        pass
    except Exception as error:
        text = " ".join(str(error).split())[:300]
        return f"fail: {type(error).__name__}: {text}"
    return "pass" if compared else "skip: nothing to compare"


def read_results(path):
    done = {}
    if os.path.exists(path):
        with open(path) as lines:
            for line in lines:
                entry = json.loads(line)
                done[entry["case"]] = entry["result"]
    return done


def report(done):
    counts = collections.defaultdict(collections.Counter)
    failures = collections.Counter()
    for label, result in done.items():
        kind = "crash" if result == "started" else result.split(":")[0]
        counts[label.split("/")[0]][kind] += 1
        failures[kind] += 1
    for name, kinds in sorted(counts.items()):
        if kinds["fail"] or kinds["crash"]:
            print(name, " ".join(f"{n} {kind}" for kind, n in kinds.items()))
    right, wrong = failures["pass"], failures["fail"] + failures["crash"]
    print(f"{right} pass, {failures['fail']} fail, {failures['crash']} crash, "
          f"{failures['skip']} have nothing to compare: "
          f"{100 * right / max(1, right + wrong):.1f} %")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("results")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only")
    parser.add_argument("--skip")
    parser.add_argument("--retry", action="store_true")
    parser.add_argument("--report", action="store_true")
    options = parser.parse_args()
    done = read_results(options.results)
    if options.report:
        report(done)
        return
    warnings.simplefilter("ignore")
    cases = list_cases()
    print(f"{len(cases)} cases, {len(done)} done")
    random.Random(options.seed).shuffle(cases)
    if options.retry:
        cases = [case for case in cases
                 if done.get(case[0], "pass")[:4] not in ("pass", "skip")]
    else:
        cases = [case for case in cases if case[0] not in done]
    if options.only:
        cases = [case for case in cases if case[0].startswith(options.only)]
    if options.skip:
        cases = [case for case in cases
                 if not case[0].startswith(options.skip)]
    end = time.monotonic() + options.seconds
    with open(options.results, "a") as stream:
        def write(label, result):
            done[label] = result
            print(json.dumps({"case": label, "result": result}), file=stream,
                  flush=True)

        for label, op, dtype, way in cases[:options.count]:
            if time.monotonic() > end:
                break
            write(label, "started")
            begin = time.monotonic()
            write(label, run_case(label.split("/")[0], op, dtype, way))
            if time.monotonic() - begin > 20:
                print(f"{label}: {time.monotonic() - begin:.0f} s", flush=True)
    report(done)


if __name__ == "__main__":
    main()
