#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what the reference interpreter computes with a GPU.

    ptx-jit test --record=RECORD FILE.ptx...     # on any machine
    utils/on-gpu.py RECORD [-j N] [--root DIR] [--save FILE]   # beside the GPU

RECORD (also .xz) holds tests with inputs and results (tools/ptx-jit/
TestRecord.h); FILEs are looked up from DIR. Each kernel runs on the GPU on the
same bytes. Modules that the driver refuses as a whole are cut into kernels.
Needs the driver, nothing else of CUDA.

Prints each kernel that differs, is refused or fails, and the counts.
"""
import argparse
import collections
import concurrent.futures
import ctypes
import json
import lzma
import math
import os
import re
import struct
import subprocess
import sys

import gpu_textures

SECONDS = 100  # without an answer, after which a kernel hangs
UNSUPPORTED_VERSION = 222
MAX_DYNAMIC_SHARED, NON_PORTABLE_CLUSTER = 8, 13
CLUSTER_DIMENSION = 4
JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES = 5, 6


class DriverError(Exception):
    def __init__(self, code, what):
        super().__init__(f"{what}: error {code}")
        self.code = code


class LaunchAttribute(ctypes.Structure):
    _fields_ = [("id", ctypes.c_uint), ("pad", ctypes.c_uint),
                ("value", ctypes.c_uint * 16)]


class LaunchConfig(ctypes.Structure):
    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3),
                ("shared", ctypes.c_uint), ("stream", ctypes.c_void_p),
                ("attributes", ctypes.POINTER(LaunchAttribute)),
                ("count", ctypes.c_uint)]


class Gpu:
    """One context, and memory for the buffers of one kernel at a time."""
    BYTES = 256 << 20

    def __init__(self):
        self.lib = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        context, self.base = ctypes.c_void_p(), ctypes.c_uint64()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        self.call("cuCtxSetCurrent", context)
        self.call("cuMemAlloc_v2", ctypes.byref(self.base),
                  ctypes.c_size_t(self.BYTES))
        version = ctypes.c_int()
        self.call("cuDriverGetVersion", ctypes.byref(version))
        # CUDA 12.x reads PTX 8.x, and 13.x PTX 9.x.
        self.ptx = f"{version.value // 1000 - 4}.{version.value % 1000 // 10}"

    def call(self, name, *arguments):
        code = getattr(self.lib, name)(*arguments)
        if code:
            raise DriverError(code, name)

    def load(self, text):
        """The module; raises DriverError with the assembler's message."""
        log = ctypes.create_string_buffer(4096)
        names = (ctypes.c_int * 2)(JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES)
        values = (ctypes.c_void_p * 2)(ctypes.addressof(log), len(log))
        module = ctypes.c_void_p()
        for version in (None, self.ptx):
            if version:
                text = re.sub(r"(?m)^\.version \S+", f".version {version}",
                              text, count=1)
            code = self.lib.cuModuleLoadDataEx(ctypes.byref(module),
                                               text.encode(), 2, names, values)
            if code == 0:
                return module
            if code != UNSUPPORTED_VERSION:
                break
        lines = log.value.decode(errors="replace").strip().splitlines()
        raise DriverError(code, lines[0] if lines else "cuModuleLoadDataEx")

    def run(self, module, case):
        """The buffers' bytes after the launch, for each argument."""
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function), module,
                  case["kernel"].encode())
        values, places, at = [], [], 0
        for argument in case["args"]:
            if "texture" in argument:
                texture = gpu_textures.Texture(self, argument, module)
                places.append(texture)
                if texture.handle is None:
                    continue  # bound to a variable: no parameter
                data = texture.handle.to_bytes(8, "little")
            elif "value" in argument:
                data = bytes.fromhex(argument["value"])
                places.append(None)
            else:
                initial = bytes.fromhex(argument["initial"])
                if at + len(initial) > self.BYTES:
                    raise DriverError(2, "the buffers are too large")
                address = self.base.value + at
                self.call("cuMemcpyHtoD_v2", ctypes.c_uint64(address), initial,
                          ctypes.c_size_t(len(initial)))
                data = address.to_bytes(8, "little")
                places.append((address, len(initial)))
                at += (len(initial) + 1023) // 1024 * 1024
            values.append(ctypes.create_string_buffer(data, max(len(data), 1)))
        self.launch(function, case, values)
        self.call("cuCtxSynchronize")
        results = []
        for place, argument in zip(places, case["args"]):
            if isinstance(place, gpu_textures.Texture):
                results.append(place.read(len(argument["initial"]) // 2))
                place.free()
                continue
            if place:
                out = ctypes.create_string_buffer(place[1])
                self.call("cuMemcpyDtoH_v2", out, ctypes.c_uint64(place[0]),
                          ctypes.c_size_t(place[1]))
            results.append(out.raw if place else None)
        return results

    def launch(self, function, case, values):
        parameters = (ctypes.c_void_p * max(len(values), 1))(
            *[ctypes.addressof(v) for v in values])
        if case["shared"] > 48 << 10:
            self.call("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED,
                      case["shared"])
        config = LaunchConfig(grid=(ctypes.c_uint * 3)(*case["grid"]),
                              block=(ctypes.c_uint * 3)(*case["block"]),
                              shared=case["shared"])
        if any(case["cluster"]):
            extents = [max(n, 1) for n in case["cluster"]]
            attribute = LaunchAttribute(id=CLUSTER_DIMENSION)
            attribute.value[:3] = extents
            config.attributes, config.count = ctypes.pointer(attribute), 1
            if math.prod(extents) > 8:
                self.call("cuFuncSetAttribute", function, NON_PORTABLE_CLUSTER,
                          1)
        self.call("cuLaunchKernelEx", ctypes.byref(config), function,
                  parameters, None)


def is_close(kind, size, got, want, case):
    """The rules of `isClose` (tools/ptx-jit/Buffers.cpp), on bytes."""
    if got == want:
        return True
    if kind != "f":
        a, b = (int.from_bytes(v, "little", signed=kind in "si")
                for v in (got, want))
        return bool(case["rel"] or case["abs"] or case["ulps"]) and \
            abs(a - b) <= case["abs"] + case["rel"] * abs(b)
    (a,), (b,) = (struct.unpack("<f" if size == 4 else "<d", v)
                  for v in (got, want))
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    if case["ulps"] and abs(order_of(got) - order_of(want)) <= case["ulps"]:
        return True
    if math.isinf(b) or not (case["rel"] or case["abs"]):
        return False
    return abs(a - b) <= case["abs"] + case["rel"] * abs(b)


def order_of(raw):
    """A float's place in the order of the floats: neighbours differ by 1."""
    value = int.from_bytes(raw, "little")
    size = value & ((1 << (8 * len(raw) - 1)) - 1)
    return size if size == value else -size


def find_difference(case, argument, got):
    """(message, index) of the first element that differs; None: equal."""
    want = bytes.fromhex(argument["expected"])
    if got == want:
        return None
    kind, size = argument["type"][0], int(argument["type"][1:]) // 8
    free, where = set(argument["any"]), []
    for i in range(len(want) // size):
        part = slice(i * size, (i + 1) * size)
        if i not in free and not is_close(kind, size, got[part], want[part],
                                          case):
            where.append(i)
    if not where:
        return None
    hexed = [v[where[0] * size:][:size][::-1].hex() for v in (got, want)]
    return (f"[{where[0]}]: GPU 0x{hexed[0]}, expected 0x{hexed[1]}, "
            f"{len(where)} differ", where[0])


def inputs_at(case, index):
    """The initial values at an index, for messages."""
    words = []
    for argument in case["args"]:
        if "initial" not in argument or set(argument["initial"]) == {"0"}:
            continue
        size = int(argument["type"][1:]) // 8
        raw = bytes.fromhex(argument["initial"])[index * size:][:size]
        words.append(f"0x{int.from_bytes(raw, 'little'):x}")
    return "; inputs " + " ".join(words) if words else ""


def judge(gpu, module, case):
    """(status, message) of one case."""
    for i, got in enumerate(gpu.run(module, case)):
        argument = case["args"][i]
        if "expected" not in argument:
            continue
        difference = find_difference(case, argument, got)
        if difference:
            return "differs", (f"argument {i + 1}" + difference[0] +
                               inputs_at(case, difference[1]))
    return "equal", ""


def cut_out(text, kernel):
    """A module with one kernel of `text` only, and what is in front of all."""
    entry = r"(?m)^(?:\.visible )?\.entry"
    head = re.search(entry, text)
    body = re.search(entry + rf" {re.escape(kernel)}\b(?s:.*?)^// run:", text)
    return text[:head.start()] + body[0] if head and body else text


def run_child(path, root, apart):
    """Judges the cases of standard input; a line of JSON for each."""
    cases = [json.loads(line) for line in sys.stdin]
    gpu = Gpu()
    with open(os.path.join(root, path)) as f:
        text = f.read()
    try:
        whole = None if apart else gpu.load(text)
    except DriverError:
        whole = None
    for case in cases:
        try:
            module = whole or gpu.load(cut_out(text, case["kernel"]))
        except DriverError as error:
            print(json.dumps(["refused", str(error)]), flush=True)
            continue
        try:
            answer = judge(gpu, module, case)
        except gpu_textures.Unsupported as error:
            answer = "refused", str(error)
        except DriverError as error:
            print(json.dumps(["failed", str(error)]), flush=True)
            return  # the context may be lost
        print(json.dumps(answer), flush=True)
        if not whole:
            gpu.call("cuModuleUnload", module)


def judge_file(path, cases, root):
    """(status, message) of each case, in as many processes as are needed."""
    answers, apart = [], []
    while len(answers) < len(cases):
        rest = cases[len(answers):]
        child = subprocess.Popen(
            [sys.executable, __file__, "--child", path, "--root", root, *apart],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            out, _ = child.communicate("\n".join(map(json.dumps, rest)),
                                       timeout=SECONDS)
            last = "failed", "the process ended"
        except subprocess.TimeoutExpired:
            child.kill()
            out, _ = child.communicate()
            last = "failed", "hangs"
        made = [tuple(json.loads(line)) for line in out.splitlines()]
        answers += made
        if not made and not apart:
            apart = ["--apart"]  # the assembler crashed on some kernel
            continue
        if len(made) < len(rest) and not (made and made[-1][0] == "failed"):
            answers.append(last)
    return answers


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("record", nargs="?")
    parser.add_argument("-j", type=int, default=os.cpu_count())
    parser.add_argument("--root", default=".")
    parser.add_argument("--save", help="all answers, as lines of JSON")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--apart", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return run_child(options.child, options.root, options.apart)
    files = collections.defaultdict(list)
    opener = lzma.open if options.record.endswith(".xz") else open
    with opener(options.record, "rt") as lines:
        for line in lines:
            case = json.loads(line)
            # A fault would end the process, and warps of a GPU need not run side
            # by side.
            if "fails" in case or "racy" in case:
                continue
            files[case["file"]].append(case)
    counts, saved = collections.Counter(), []
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        futures = {pool.submit(judge_file, path, cases, options.root): path
                   for path, cases in files.items()}
        for done in concurrent.futures.as_completed(futures):
            path = futures[done]
            for case, (status, message) in zip(files[path], done.result()):
                counts[status] += 1
                saved.append([path, case["line"], case["kernel"], status,
                              message])
                if status != "equal":
                    print(f"{path}:{case['line']}: {case['kernel']}: {status}:"
                          f" {message}", flush=True)
    if options.save:
        with open(options.save, "w") as out:
            out.writelines(json.dumps(row) + "\n" for row in sorted(saved))
    print(", ".join(f"{n} {status}" for status, n in sorted(counts.items())))
    return 1 if set(counts) - {"equal"} else 0


if __name__ == "__main__":
    sys.exit(main())
