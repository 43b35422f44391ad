#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Execution tests for what tensor cores do in tensor memory: tcgen05.mma, cp,
shift, commit, and ld.red, which only loads.

    tensor_core_form_tests.py SEED OUT [TARGET]

writes random kernels for random-stress.sh. make-form-tests.py makes a test of
each form from this file.

A kernel fills a pool of shared memory and columns of tensor memory with hashes
of the place, in the range that the test asks for. A matrix in the pool and an
operand in tensor memory have a part of their own. One thread then issues some
operations. All cells of tensor memory are the result, which the reference
interpreter judges.
"""
import collections
import itertools
import random
import sys

from form_syntax import NEWEST_PTX
from matrix_form_tests import MODERATE

TARGETS = ["sm_100a", "sm_103a"]
MOST_POOL = 46 << 10
MOST_COPIES = 6 << 10  # so that there is room for other matrices
MOST_COLUMNS = 512
KERNELS = 6  # of a module
OPTIONS = ["--chunk=16 --mode=fibers ", "--chunk=8 --cpu=x86-64-v3 ",
           "--chunk=16 --mode=threads ", "--chunk=4 "]


class Deck:
    """Draws what has been drawn least often, so that everything occurs."""

    def __init__(self, rng):
        self.rng = rng
        self.counts = collections.Counter()

    def draw(self, topic, options):
        options = list(options)
        least = min(self.counts[topic, o] for o in options)
        chosen = self.rng.choice([o for o in options
                                  if self.counts[topic, o] == least])
        self.counts[topic, chosen] += 1
        return chosen


# ---------------------------------------------------------------------------
# Numbers
# ---------------------------------------------------------------------------

# How a part of memory is filled: the hash's bits to keep, and what is added.
# One of 256 words is not changed if `rare`. Cells of tensor memory whose lanes
# have the same bits of the mask `lanes` are equal. `codes` says that nibbles
# are metadata of a sparse matrix, "1:2" or "2:4"; or that there are "floats":
# in each 8 lanes, one with zeros only, one with NaNs only, one with many.
Fill = collections.namedtuple("Fill", "keep put rare lanes codes",
                              defaults=(False, 127, ""))
ANYTHING = (0xffffffff, 0)
# [keep, put] by type, for other moods than "mild".
WIDE = {"f16": (0xbfffbfff, 0), "bf16": (0xbfffbfff, 0),
        "tf32": (0xbfffffff, 0), "f32": (0xbfffffff, 0),
        "ue8m0": (0x3f3f3f3f, 0x60606060), "ue4m3": (0x3f3f3f3f, 0x20202020)}
SMALL = {"f32": (0x81ffffff, 0x35000000)}
TINY = {"f16": (0x83ff83ff, 0x14001400), "bf16": (0x81ff81ff, 0x1e001e00),
        "tf32": (0x81ffffff, 0x1e000000), "f32": (0x81ffffff, 0x00800000),
        "e4m3": (0x87878787, 0), "e5m2": (0x87878787, 0),
        "ue8m0": (0x07070707, 0x08080808), "ue4m3": (0x07070707, 0x01010101)}
MILD = {**MODERATE, "ue8m0": (0x07070707, 0x7c7c7c7c),
        "ue4m3": (0x0f0f0f0f, 0x30303030),
        # Sums near the limits, for saturation.
        "s32": (0x0003ffff, 0x7ffe0000)}
MOODS = ["mild", "mild", "mild", "wide", "tiny", "rare", "raw"]
# Bits of the containers in tensor memory that elements have.
CONTAINERS = {"e2m1": 0x3c3c3c3c, "e2m3": 0x3f3f3f3f, "e3m2": 0x3f3f3f3f}


def numbers(ty, mood):
    """The fill of a matrix of type `ty` in shared memory."""
    table = {"wide": WIDE, "small": SMALL, "tiny": TINY, "raw": {}}.get(
        mood, MILD)
    return Fill(*table.get(ty, ANYTHING), rare=mood == "rare")


# ---------------------------------------------------------------------------
# Descriptors
# ---------------------------------------------------------------------------

class MatrixDescriptor:
    """ISA: "tcgen05-shared-memory-descriptor". All sizes are in bytes."""

    def __init__(self, start, leading, stride, base, mode, is_absolute=False):
        self.start, self.leading, self.stride = start, leading, stride
        self.base, self.mode, self.is_absolute = base, mode, is_absolute

    def encode(self):
        return (self.start >> 4 | (self.leading >> 4 & 0x3fff) << 16
                | (self.stride >> 4 & 0x3fff) << 32 | 1 << 46
                | self.base << 49 | int(self.is_absolute) << 52
                | self.mode << 61)


class InstructionDescriptor:
    """ISA: "tcgen05-instruction-descriptor". Names of fields and the bits where
    they begin."""

    PLACES = {"selector": 0, "sparse": 2, "saturate": 3, "d": 4, "factors_b": 4,
              "a": 7, "b": 10, "negate_a": 13, "negate_b": 14,
              "transpose_a": 15, "transpose_b": 16, "n": 17, "is_ue8m0": 23,
              "m": 24, "factors_a": 29, "most_shift": 30, "k96": 31}

    def __init__(self, **fields):
        self.fields = fields

    def encode(self):
        value = 0
        for name, field in self.fields.items():
            field >>= {"n": 3, "m": 4}.get(name, 0)
            value |= int(field) << self.PLACES[name]
        return value


class ZeroColumns:
    """ISA: "tcgen05-zero-column-mask-descriptor", drawn at random."""

    def __init__(self, rng, m):
        self.shift = rng.choice([0, 0, rng.randint(1, 16 if m == 32 else 32)])
        self.starts = [rng.choice([0, 1, rng.randrange(9)]) for _ in range(4)]
        self.first = rng.getrandbits(4)
        self.spans = [rng.randrange(rng.choice([3, 9])) for _ in range(2)]
        self.is_any = rng.random() < 0.85
        least = next(i for i, most in enumerate([0, 8, 16, 32])
                     if self.shift <= most)
        self.most_shift = rng.randint(least, 2 if m == 32 else 3)

    def encode(self):
        return (sum(s << 8 * i for i, s in enumerate(self.starts))
                | self.first << 32 | int(self.is_any) << 39
                | self.spans[0] << 40 | self.spans[1] << 48 | self.shift << 56)


# ---------------------------------------------------------------------------
# Matrices in shared memory
# ---------------------------------------------------------------------------

# Swizzling modes: bytes that a row of the pattern has, and the code.
MODES = {"none": (16, 0), "atoms": (128, 1), "128": (128, 2), "64": (64, 4),
         "32": (32, 6)}


class Matrix:
    """A matrix in the pool, whose rows (of B, columns) have `k` elements of
    `bits`. Offsets are relative to the pool, which begins at a multiple of
    1024; the matrix begins at or behind `origin`."""

    def __init__(self, rng, rows, k, bits, mode, is_across=False, origin=0):
        self.mode, self.is_across = mode, is_across
        self.width, self.code = MODES[mode]
        # What an atom has `each` of, and what is `width` bytes of it.
        outer, inner = (k, rows) if is_across else (rows, k)
        each = 4 if mode == "atoms" else 8
        self.atom = each * self.width
        row_bytes = inner * bits // 8
        self.row_blocks = -(-outer // each)
        self.byte_blocks = -(-row_bytes // self.width)
        for gaps in (3, 1, 0):
            self.draw_strides(rng, gaps)
            self.size = ((self.row_blocks - 1) * self.by_rows
                         * (self.row_blocks > 1)
                         + (self.byte_blocks - 1) * self.by_bytes
                         * (self.byte_blocks > 1) + self.atom)
            if self.size <= 12 << 10:
                break
        self.place(rng, row_bytes, origin)

    def draw_strides(self, rng, gaps):
        """Draws the strides of atoms and of `width` bytes. Either may be the
        longer one."""
        strides, step = [0, 0], self.atom
        unit = 16 if self.mode == "none" else self.atom
        for i in rng.sample([0, 1], 2):
            count = (self.row_blocks, self.byte_blocks)[i]
            if count == 1:
                strides[i] = 16 * rng.randrange(1 << 14)  # does not matter
                continue
            strides[i] = step + unit * rng.choice([0, rng.randint(0, gaps)])
            step = strides[i] * count
        self.by_rows, self.by_bytes = strides

    def place(self, rng, row_bytes, origin):
        """Draws where the pattern and the matrix begin."""
        pattern, self.base = origin, 0
        if self.mode == "none":
            pattern += 16 * rng.randrange(8)
        elif self.mode != "atoms" and rng.random() < 0.3:
            pattern += 128 * rng.randint(1, 7)
            self.base = pattern >> 7 & self.pattern_rows()
        # A matrix may begin inside of the rows of a pattern.
        unit = 32 if self.mode == "atoms" or rng.random() < 0.7 else 16
        room = (self.width - row_bytes) // unit if self.byte_blocks == 1 else 0
        advance = unit * rng.randint(0, room) if rng.random() < 0.6 else 0
        self.start = pattern + advance
        self.end = pattern + self.size

    def pattern_rows(self):
        """The base offset is 0 where the pattern begins by itself."""
        return {"128": 7, "64": 3, "32": 1}[self.mode]

    def descriptor(self):
        leading, stride = self.by_bytes, self.by_rows
        if self.is_across and self.mode == "none":
            leading, stride = stride, leading
        return MatrixDescriptor(self.start, leading, stride, self.base,
                                self.code)


class PartedMatrix:
    """Rows of 48 bytes, along k, that end in another buffer: the leading
    dimension is an absolute address. The buffers may overlap."""

    def __init__(self, rng, rows, origin):
        stride = 1024 if rows > 64 else 1024 * rng.choice([1, 1, 2])
        size = (-(-rows // 8) - 1) * stride + 1024
        buffers = [origin, origin + 1024 * rng.randint(1, 3)]
        self.end = buffers[1] + size
        rng.shuffle(buffers)
        advance = rng.choice([0, 48, 64, 80, 96, 96, 96, 112])
        self.content = MatrixDescriptor(buffers[0] + advance, buffers[1],
                                        stride, 0, MODES["128"][1],
                                        is_absolute=True)

    def descriptor(self):
        return self.content


# ---------------------------------------------------------------------------
# What multiplications there are
# ---------------------------------------------------------------------------

FP864 = {"e4m3": 0, "e5m2": 1, "e2m3": 3, "e3m2": 4, "e2m1": 5}
Kind = collections.namedtuple("Kind", "types bits k results")
KINDS = {"f16": Kind({"f16": 0, "bf16": 1}, 16, 16, ["f16", "f32"]),
         "tf32": Kind({"tf32": 2}, 32, 8, ["f32"]),
         "f8f6f4": Kind(FP864, 8, 32, ["f16", "f32"]),
         "i8": Kind({"u8": 0, "s8": 1}, 8, 32, ["s32"]),
         "mxf8f6f4": Kind(FP864, 8, 32, ["f32"]),
         "mxf4": Kind({"e2m1": 1}, 4, 64, ["f32"]),
         "mxf4nvf4": Kind({"e2m1": 1}, 4, 64, ["f32"])}
RESULTS = {"f16": 0, "f32": 1, "s32": 2}
# How many scale factors there are, by the modifier.
VECTORS = {"mxf8f6f4": {"": 1, ".block32": 1, ".scale_vec::1X": 1},
           "mxf4": {"": 2, ".block32": 2, ".scale_vec::2X": 2},
           "mxf4nvf4": {".block32": 2, ".block16": 4, ".scale_vec::2X": 2,
                        ".scale_vec::4X": 4}}
K96_VECTORS = {"mxf4": {"": 3, ".block32": 3},
               "mxf4nvf4": {".block32": 3, ".block16": 6}}


class Shape:
    """What the multiplications of a kernel have in common."""

    def __init__(self, kind, group=1, ws=False, sparse=False, m=128, n=32,
                 d="f32", in_tensor_memory=False, k96=False):
        self.kind, self.group, self.ws, self.sparse = kind, group, ws, sparse
        self.m, self.n, self.d = m, n, d
        self.in_tensor_memory, self.k96 = in_tensor_memory, k96
        self.is_scaled = kind in VECTORS
        self.bits = KINDS[kind].bits
        # Along k, of B and of A as stored.
        self.stored_k = 96 if k96 else KINDS[kind].k
        self.k = self.stored_k * (2 if sparse else 1)
        self.rows, self.columns = m // group, n // group
        self.layout = self.find_layout()

    def find_layout(self):
        """ISA: "tcgen05-data-path-layout-organization"."""
        if self.ws:
            return {32: "G", 64: "E", 128: "D"}[self.m]
        if self.group == 1:
            return {64: "F", 128: "D"}[self.m]
        return "A" if self.m == 256 else "C" if self.sparse else "B"

    def result_columns(self):
        return self.n // {"B": 2, "E": 2, "G": 4}.get(self.layout, 1)

    def lanes_of_a_row(self):
        """A mask: lanes that are equal in these bits have the same row."""
        return {"B": 63, "E": 63, "G": 31}.get(self.layout, 127)

    def may_shift(self):
        return (self.in_tensor_memory and not self.ws and not self.is_scaled
                and self.m >= 128)

    def vectors(self):
        return (K96_VECTORS if self.k96 else VECTORS)[self.kind]

    def groups_of_factors(self, count):
        """The columns of scale factors of `count` rows or columns."""
        if not self.k96:
            return -(-count // 32)
        return 2 * (4 if count <= 128 else 8)


def all_m(kind, group, ws, sparse):
    if ws:
        return [32, 64, 128]
    if group == 1:
        return [128] if kind in VECTORS else [64, 128]
    return [256] if kind in VECTORS and sparse else [128, 256]


def all_n(kind, group, ws, sparse):
    if ws:
        return [64, 128] if sparse else [64, 128, 256]
    if kind == "i8":
        return ([8, 16, 24] + list(range(32, 257, 16)) if group == 1 else
                list(range(32, 257, 32)))
    return list(range(8 * group, 257, 8 * group))


# ---------------------------------------------------------------------------
# Operations
# ---------------------------------------------------------------------------

class Multiplications:
    """Draws the multiplications of a kernel. Without `steps`, they have all
    modifiers and lists of operands that go with the shape."""

    HINTS = ["fill", "use", "lastuse", "discard"]

    def __init__(self, kernel, shape, steps=None):
        self.kernel, self.shape, self.steps = kernel, shape, steps
        self.rng, self.deck = kernel.rng, kernel.deck
        self.row = 0
        if shape.layout in "FC":
            self.row = self.deck.draw(("alignment", shape.layout), (0, 16))
        self.mood = MOODS[self.deck.draw(("mood", shape.kind),
                                         range(len(MOODS)))]
        # Whether lanes have rows of their own where a program that needs no
        # more has copies.
        self.is_distinct = self.rng.random() < 0.3
        self.matrices = {"a": [], "b": []}
        self.filled = {}  # what a collector buffer has
        self.draw_cells()
        syntax = [(t, h) for t in self.tails() for h in self.all_hints()]
        for i in range(steps or len(syntax)):
            self.multiply(*(self.draw_syntax() if steps else syntax[i]))

    # -- tensor memory ------------------------------------------------------

    def draw_cells(self):
        kernel, shape, rng = self.kernel, self.shape, self.rng
        self.sums = [self.sum_cells()]
        if (shape.result_columns() <= 64 and self.steps != 1
                and rng.random() < 0.4):
            self.sums.append(self.sum_cells())
        self.untouched = set(range(len(self.sums)))
        if shape.sparse:
            code = "1:2" if shape.kind == "tf32" else "2:4"
            fill = Fill(*ANYTHING, codes=code, lanes=self.lanes(
                shape.lanes_of_a_row()))
            self.metadata = kernel.take_columns(4, fill, align=4)
            if rng.random() < 0.2:
                copy(kernel, self.metadata, ("128x128b", "", ""), fill,
                     most=MOST_COPIES)
        if shape.is_scaled:
            self.factors = {ty: self.draw_factors(ty)
                            for ty in ("ue8m0", "ue4m3")
                            if ty == "ue8m0" or shape.kind == "mxf4nvf4"}

    def sum_cells(self):
        """The columns of a D."""
        ty = self.shape.d
        mood = "mild" if ty == "s32" and self.rng.random() < 0.5 else self.mood
        if ty == "f32" and mood == "tiny" and self.shape.kind != "tf32":
            # Other elements are not that small.
            mood = self.rng.choice(["small", "small", "tiny"])
        if ty == "f16" and mood != "raw":
            # The other half of a cell does not matter.
            keep, put = numbers("f16", mood)[:2]
            fill = Fill(keep | 0xffff0000, put & 0xffff)
        elif ty == "s32" and mood != "mild":
            fill = Fill(*ANYTHING)
        else:
            fill = numbers(ty, mood)
        return self.kernel.take_columns(self.shape.result_columns(), fill)

    def lanes(self, mask):
        """The mask of a fill whose lanes should be equal as `mask` says."""
        return 127 if self.is_distinct else mask

    def draw_factors(self, ty):
        """The columns of the scale factors of A and of B."""
        shape, rng = self.shape, self.rng
        mood = rng.choice(["mild"] * 5 + ["wide", "tiny", "rare", "raw"])
        fill = numbers(ty, mood)._replace(lanes=self.lanes(31))
        found = []
        for count in (shape.rows, shape.n):
            # A copy has 4 columns.
            columns = -(-shape.groups_of_factors(count) // 4) * 4
            found.append(self.kernel.take_columns(columns, fill))
            if rng.random() < 0.3:
                copy(self.kernel, found[-1], ("32x128b", ".warpx4", ""), fill,
                     most=MOST_COPIES)
        return found

    # -- operands -----------------------------------------------------------

    def draw_matrix(self, role, is_across, rows, k):
        rng, shape, origin = self.rng, self.shape, self.kernel.pool_end()
        if shape.k96 and rng.random() < 0.4:
            return PartedMatrix(rng, rows, origin)
        modes = ["none", "128", "64", "32"]
        if is_across and shape.kind == "tf32":
            modes = ["atoms"]
        elif shape.k96:
            modes.remove("32")
        mode = self.deck.draw(("mode", shape.kind, role, is_across,
                               shape.group), modes)
        return Matrix(rng, rows, k, shape.bits, mode, is_across, origin)

    def matrix(self, role, ty, is_across, rows, k):
        """A matrix in shared memory. None if there is no room, but not for the
        first one."""
        fill, kernel = numbers(ty, self.mood), self.kernel
        made = self.draw_matrix(role, is_across, rows, k)
        if kernel.take_pool(made, fill):
            return made
        if self.matrices[role]:
            return None
        mode = "atoms" if is_across and self.shape.kind == "tf32" else "none"
        made = Matrix(self.rng, rows, k, self.shape.bits, mode, is_across,
                      kernel.pool_end())
        assert kernel.take_pool(made, fill)
        return made

    def draw_types(self):
        kind, d = self.shape.kind, self.shape.d
        types = KINDS[kind].types
        pairs = [(a, b) for a in types for b in types]
        if kind == "f16" and d == "f16":
            pairs = [("f16", "f16")]
        return self.deck.draw(("types", kind, d, self.shape.sparse), pairs)

    def may_be_across(self, role, ty):
        """Whether elements of a matrix may follow each other along m or n."""
        shape = self.shape
        if KINDS[shape.kind].bits == 4 or (role, shape.in_tensor_memory) == (
                "a", True):
            return False
        if ty in CONTAINERS and self.rng.random() < 0.8:
            return False  # table 52 of the ISA has no such elements
        unit = 16 * shape.group
        return role == "a" or shape.bits != 8 or shape.n % unit == 0

    def operand(self, role, ty, rows, k):
        """(matrix, type, is_across, negated) of a new A or B; if there is no
        room, of an earlier one."""
        shape = self.shape
        across = (self.may_be_across(role, ty) and
                  self.deck.draw(("across", shape.kind, role), (True, False)))
        negated = shape.kind != "i8" and self.rng.random() < 0.3
        if role == "a" and shape.in_tensor_memory:
            made = self.rows_in_cells(ty)
        else:
            made = self.matrix(role, ty, across, rows, k)
        if made is None:
            return self.rng.choice(self.matrices[role])
        self.matrices[role].append((made, ty, across, negated))
        return self.matrices[role][-1]

    def rows_in_cells(self, ty):
        """An A in tensor memory, which a copy may overwrite."""
        shape, kernel = self.shape, self.kernel
        fill = numbers(ty, self.mood)
        containers = CONTAINERS.get(ty) if shape.bits == 8 else None
        cells = fill._replace(lanes=self.lanes(shape.lanes_of_a_row()))
        if containers:
            cells = cells._replace(keep=fill.keep & containers)
        made = kernel.take_columns(shape.stored_k * shape.bits // 32, cells,
                                   may_fail=True)
        if made is None or shape.k96:
            return made
        change = self.rng.random()
        if change < 0.2:
            form = "" if not containers else FORMATS[1 + (ty == "e2m1")]
            copy(kernel, made, ("128x256b", "", form), fill,
                 most=2 * MOST_COPIES)
        elif change < 0.3:
            shift(kernel, made)
        return made

    # -- syntax -------------------------------------------------------------

    def hints(self):
        """(shifts rows, which buffer, use) of a collector, those that may come
        now."""
        buffers = ["b0", "b1", "b2", "b3"] if self.shape.ws else ["a"]
        found = [(False, b, use) for b in buffers for use in self.HINTS
                 if b in self.filled or use in ("fill", "discard")]
        found.append((False, buffers[0], ""))
        if self.shape.may_shift():
            found += [(True, b, use) for _, b, use in found
                      if use in ("", "lastuse", "discard")]
        return found

    def all_hints(self):
        """All of them, in an order that is legal."""
        if self.shape.ws:
            return [(False, f"b{i}", use) for i in range(4)
                    for use in self.HINTS] + [(False, "b0", "")]
        found = [(False, "a", use) for use in self.HINTS + [""]]
        if self.shape.may_shift():
            found += [(True, "a", ""), (True, "a", "discard"),
                      (False, "a", "fill"), (True, "a", "lastuse")]
        return found

    def tails(self):
        """What may follow the instruction descriptor; the modifier of scale
        factors."""
        shape = self.shape
        if shape.is_scaled:
            return [(v,) for v in shape.vectors()]
        if shape.ws:
            return [(), ("zeros",)]
        lanes = f"lanes{shape.group}"
        tails = [(), (lanes,)]
        if shape.kind != "f8f6f4":
            tails.append(("shift",))
            # ptxas has no sparse multiplication of integers with both.
            if shape.kind != "i8" or not shape.sparse:
                tails.append((lanes, "shift"))
        return tails

    def draw_syntax(self):
        """What follows the instruction descriptor, and a collector's use."""
        shape = self.shape
        topic = shape.kind, shape.sparse, shape.ws, shape.in_tensor_memory
        return (self.deck.draw(("tail", *topic), self.tails()),
                self.deck.draw(("hint", *topic), self.hints()))

    def choose_operands(self):
        """Fills self.a and self.b. A collector buffer that is used has the
        matrix that filled it."""
        shape = self.shape
        types = self.draw_types()
        b, use = self.buffer, self.use
        kept = self.filled.get(b) if use in ("use", "lastuse") else None
        kept_role = "b" if shape.ws else "a"
        found = {}
        for role, ty in zip("ab", types):
            rows, k = ((shape.rows, shape.stored_k) if role == "a" else
                       (shape.columns + (32 if shape.ws else 0), shape.k))
            if kept and role == kept_role:
                found[role] = kept
            elif (len(self.matrices[role]) > 3
                  or self.matrices[role] and self.rng.random() < 0.3):
                found[role] = self.rng.choice(self.matrices[role])
            else:
                found[role] = self.operand(role, ty, rows, k)
        self.a, self.b = found["a"], found["b"]
        if use == "fill":
            self.filled[b] = found[kept_role]
        elif use != "use":
            self.filled.pop(b, None)

    # -- instructions -------------------------------------------------------

    def descriptor(self, zeros):
        shape, rng = self.shape, self.rng
        codes = KINDS[shape.kind].types
        fields = {"sparse": shape.sparse, "a": codes[self.a[1]],
                  "b": codes[self.b[1]], "negate_a": self.a[3],
                  "negate_b": self.b[3], "transpose_a": self.a[2],
                  "transpose_b": self.b[2], "n": shape.n, "m": shape.m}
        if shape.is_scaled:
            count = shape.vectors()[self.tail[0]]
            ids = {1: range(4), 2: (0, 2), 3: range(4), 4: (0,), 6: (0, 2)}
            fields.update(
                is_ue8m0=self.factor_type == "ue8m0", k96=shape.k96,
                factors_a=self.deck.draw(("id a", count), ids[count]),
                factors_b=self.deck.draw(("id b", count), ids[count]))
        else:
            fields["d"] = RESULTS[shape.d]
            if shape.kind == "i8":
                fields["saturate"] = rng.random() < 0.5
            if shape.sparse and shape.kind in ("f16", "tf32"):
                fields["selector"] = self.deck.draw(
                    ("selector", shape.kind), range(4))
            if zeros:
                fields["most_shift"] = zeros.most_shift
        return InstructionDescriptor(**fields)

    def mnemonic(self):
        shape = self.shape
        return ("tcgen05.mma" + ".ws" * shape.ws + ".sp" * shape.sparse
                + f".cta_group::{shape.group}.kind::{shape.kind}"
                + (".block_scale" + self.tail[0] if shape.is_scaled else "")
                + ".ashift" * self.shifts_rows
                + (f".collector::{self.buffer}::{self.use}" if self.use else
                   ""))

    def factor_cells(self, which):
        """The address of scale factors. Its two uppermost bits may be the
        number in the instruction descriptor; they do not matter."""
        top = self.rng.choice([0, 0, self.rng.randrange(4)]) << 30
        return self.kernel.cell(self.factors[self.factor_type][which], top=top)

    def draw_factor_type(self):
        """Those of 16 elements may have either type."""
        if self.shape.is_scaled:
            may = (self.shape.kind == "mxf4nvf4"
                   and self.shape.vectors()[self.tail[0]] in (4, 6))
            self.factor_type = self.deck.draw(
                "factors", ("ue8m0", "ue4m3") if may else ("ue8m0",))

    def multiply(self, tail, hint):
        kernel, shape, rng = self.kernel, self.shape, self.rng
        self.tail = tail
        self.shifts_rows, self.buffer, self.use = hint
        self.choose_operands()
        self.draw_factor_type()
        zeros = ZeroColumns(rng, shape.m) if "zeros" in self.tail else None
        which = rng.randrange(len(self.sums))
        adds = which not in self.untouched or rng.random() < 0.7
        self.untouched.discard(which)
        operands = [kernel.cell(self.sums[which], self.row)]
        operands.append(kernel.cell(self.a[0], self.row)
                        if shape.in_tensor_memory else
                        kernel.matrix(self.a[0]))
        operands.append(kernel.matrix(self.b[0]))
        if shape.sparse:
            operands.append(kernel.cell(self.metadata, self.row))
        operands.append(kernel.number(self.descriptor(zeros).encode(), 32))
        if shape.is_scaled:
            operands += [self.factor_cells(0), self.factor_cells(1)]
        if f"lanes{shape.group}" in self.tail:
            some = rng.choice([rng.getrandbits(32), 0, 0xffffffff, 1, 1 << 31])
            words = [rng.choice([some, rng.getrandbits(32)])
                     for _ in range(4 * shape.group)]
            operands.append("{" + ", ".join(kernel.number(w, 32)
                                            for w in words) + "}")
        operands.append("%yes" if adds else "%no")
        if "shift" in self.tail:
            # ISA: other kinds have no such scale.
            power = rng.randrange(16)
            operands.append("0" if shape.kind == "i8" else str(power))
        if zeros:
            operands.append(kernel.number(zeros.encode(), 64))
        kernel.issue(self.mnemonic(), operands)


# What a copy reads: rows, bytes of each, and spreads.
COPIES = {"128x256b": (128, 32, [""]), "4x256b": (4, 32, [""]),
          "128x128b": (128, 16, [""]), "32x128b": (32, 16, [".warpx4"]),
          "64x128b": (64, 16, [".warpx2::02_13", ".warpx2::01_23"])}
FORMATS = ["", ".b8x16.b6x16_p32", ".b8x16.b4x16_p64"]


def copy_forms():
    return [(shape, spread, form) for shape, (_, _, spreads) in COPIES.items()
            for spread in spreads for form in FORMATS]


def copy(kernel, columns=None, form=None, fill=Fill(*ANYTHING), lane=None,
         most=MOST_POOL):
    """Copies a matrix of shared memory to `columns`, or to new ones, unless the
    pool were larger than `most`."""
    rng = kernel.rng
    shape, spread, unpack = form or kernel.deck.draw(
        ("copy", kernel.group), copy_forms())
    rows, length, _ = COPIES[shape]
    mode = kernel.deck.draw(("copy mode", shape), ["none", "128", "64", "32"])
    matrix = Matrix(rng, rows, length, 8, mode, origin=kernel.pool_end())
    if matrix.end > most or not kernel.take_pool(matrix, fill):
        return
    if columns is None:
        columns = kernel.take_columns(length // 4, Fill(*ANYTHING))
    if lane is None:
        lane = rng.randrange(32) if shape == "4x256b" else 0
    kernel.issue(f"tcgen05.cp.cta_group::{kernel.group}.{shape}{spread}"
                 f"{unpack}", [kernel.cell(columns, lane),
                               kernel.matrix(matrix)])


def shift(kernel, columns):
    """Shifts 8 columns of a quarter of the lanes."""
    lane = 32 * kernel.deck.draw("quarter", range(4))
    kernel.issue(f"tcgen05.shift.cta_group::{kernel.group}.down",
                 [kernel.cell(columns, lane)])


# ---------------------------------------------------------------------------
# Kernels
# ---------------------------------------------------------------------------

HASH = """
  shr.u32 %v, %u, 15; xor.b32 %u, %u, %v;
  mul.lo.u32 %u, %u, 0x85ebca77;
  shr.u32 %v, %u, 13; xor.b32 %u, %u, %v;"""
RARE = """
  mul.lo.u32 %x, %u, 0xc2b2ae3d;
  setp.lt.u32 %more, %x, 0x1000000;
  selp.b32 %v, %u, %v, %more;"""
# The 7 codes of two of four elements, chosen by three bits. The bits of a code
# are functions of them, as lop3 has them.
CODES = [0x4, 0x8, 0xc, 0x9, 0xd, 0x6, 0xe, 0x9]
START = """
  setp.lt.u32 %first, %t, 32;{allocate}
  bar.sync 0;
  ld.shared.b32 %base, [%at];
  shr.u32 %x, %t, 5; shl.b32 %x, %x, 21;
  add.u32 %mine, %base, %x;"""
ALLOCATE = """
  @%first tcgen05.alloc.cta_group::{group}.sync.aligned.shared::cta.b32 \
[%at{place}], {columns};"""
FREE = """
  @%first tcgen05.dealloc.cta_group::{group}.sync.aligned.b32 %base, \
{columns};"""
OTHER = """
  ld.shared.b32 %base, [%at+4];"""
END = """
  tcgen05.fence::before_thread_sync;
  {barrier}
  tcgen05.fence::after_thread_sync;{free}
  @%first tcgen05.relinquish_alloc_permit.cta_group::{group}.sync.aligned;
  ret;"""
PAIR_BARRIER = ("barrier.cluster.arrive.release.aligned; "
                "barrier.cluster.wait.acquire.aligned;")
REGISTERS = """
  .reg .b32 %t, %at, %base, %mine, %key, %lanes, %rank, %peer, %bar, %pool;
  .reg .b32 %i, %n, %u, %v, %x, %y, %z, %r<32>;
  .reg .b64 %out, %words, %bar64, %peer64, %pool64, %pool65;
  .reg .b16 %mask;
  .reg .pred %first, %more, %go, %yes, %no, %done;"""

FLOATS = """
  and.b32 %x, %t, 7; and.b32 %v, %u, 0xbfffffff;
  setp.eq.u32 %more, %x, 1; and.b32 %y, %u, 0x80000000;
  selp.b32 %v, %y, %v, %more;
  setp.eq.u32 %more, %x, 2; selp.b32 %v, %u, %v, %more;
  setp.eq.u32 %more, %x, 3; or.b32 %y, %u, 0x7f800001;
  and.b32 %z, %u, 0x600; setp.ne.and.u32 %more, %z, 0, %more;
  selp.b32 %v, %y, %v, %more;
  setp.eq.u32 %more, %x, 4; selp.b32 %v, %y, %v, %more;"""


def fill_text(fill):
    """Code that makes %v of the hash %u."""
    if fill.codes == "floats":
        return FLOATS
    if fill.codes == "1:2":
        return """
  and.b32 %v, %u, 0x11111111;
  mad.lo.u32 %v, %v, 10, 0x44444444;"""
    if fill.codes == "2:4":
        lines = ["and.b32 %x, %u, 0x11111111;", "shr.u32 %y, %u, 1;",
                 "and.b32 %y, %y, 0x11111111;", "shr.u32 %z, %u, 2;",
                 "and.b32 %z, %z, 0x11111111;", "mov.b32 %v, 0;"]
        for bit in range(4):
            # The table's index has x in its uppermost bit.
            table = sum((CODES[(i >> 2 & 1) | (i & 2) | (i & 1) << 2] >> bit
                         & 1) << i for i in range(8))
            lines += [f"lop3.b32 %n, %x, %y, %z, {table:#x};",
                      "and.b32 %n, %n, 0x11111111;",
                      f"shl.b32 %n, %n, {bit}; or.b32 %v, %v, %n;"]
        return "".join("\n  " + line for line in lines)
    if (fill.keep, fill.put) == ANYTHING:
        return "\n  mov.b32 %v, %u;"
    return (f"\n  and.b32 %v, %u, {fill.keep:#x};"
            f"\n  add.u32 %v, %v, {fill.put:#x};"
            + (RARE if fill.rare else ""))


class Kernel:
    """The text of a kernel. Operations ask for parts of the pool and for
    columns of tensor memory; `issue` adds them."""

    def __init__(self, name, rng, deck, group=1, ctas=None):
        self.name, self.rng, self.deck, self.group = name, rng, deck, group
        # CTAs of a cluster, and of the grid. 1: without clusters.
        self.cluster = ctas or (rng.choice([2] * 9 + [4]) if group == 2 else
                                rng.choice([1] * 9 + [2]))
        self.ctas = self.cluster
        if self.cluster < 4 and not ctas and rng.random() < 0.15:
            self.ctas *= 2
        self.pool = []  # (begin, end, fill)
        self.cells = []  # the same, for columns
        self.setup, self.issued = [], []
        self.counts = {32: 0, 64: 0}
        self.words = []  # numbers that are known at run time only
        self.is_guarded = rng.random() < 0.4
        self.reads_numbers = rng.random() < 0.4
        self.commit_texts()

    # -- memory -------------------------------------------------------------

    def pool_end(self):
        return -(-self.pool[-1][1] // 1024) * 1024 if self.pool else 0

    def take_pool(self, matrix, fill):
        """Returns whether there is room for a matrix at the pool's end."""
        end = -(-matrix.end // 512) * 512
        if end > MOST_POOL:
            return False
        self.pool.append((self.pool_end(), end, fill))
        return True

    def take_columns(self, count, fill, align=1, may_fail=False):
        """The first one of new columns."""
        first = self.cells[-1][1] if self.cells else 0
        gap = self.rng.choice([0, 0, 0, 1, 4])
        if first + gap + count > 256:
            gap = 0
        begin = -(-(first + gap) // align) * align
        if begin + count > MOST_COLUMNS and may_fail:
            return None
        assert begin + count <= MOST_COLUMNS
        if begin > first:
            self.cells.append((first, begin, Fill(*ANYTHING)))
        self.cells.append((begin, begin + count, fill))
        return begin

    def columns(self):
        """The number of columns to allocate."""
        least = self.cells[-1][1] if self.cells else 1
        return next(c for c in (32, 64, 128, 256, 512) if c >= least)

    # -- operands -----------------------------------------------------------

    def number(self, value, bits, base=None):
        """A register with a number, plus the register `base`."""
        name = f"%{'k' if bits == 32 else 'q'}{self.counts[bits]}"
        self.counts[bits] += 1
        if not self.reads_numbers:
            self.setup.append(f"mov.b{bits} {name}, {value:#x};")
        else:
            self.words += [0] * (bits == 64 and len(self.words) % 2)
            self.setup.append(f"ld.global.b{bits} {name}, "
                              f"[%words+{4 * len(self.words)}];")
            self.words += [value >> i & 0xffffffff for i in range(0, bits, 32)]
        if base:
            self.setup.append(f"add.u{bits} {name}, {name}, {base};")
        return name

    def cell(self, column, lane=0, top=0):
        """An address of tensor memory as an operand."""
        offset = top | lane << 16 | column
        if offset < 1 << 31 and self.rng.random() < 0.5:
            return f"[%base+{offset}]" if offset else "[%base]"
        return f"[{self.number(offset, 32, '%base')}]"

    def matrix(self, matrix):
        descriptor = matrix.descriptor()
        return self.number(descriptor.encode(), 64,
                           "%pool65" if descriptor.is_absolute else "%pool64")

    def issue(self, mnemonic, operands):
        self.issued.append(f"{mnemonic} {', '.join(operands)};")

    # -- mbarriers ----------------------------------------------------------

    def commit_texts(self):
        """Draws how the mbarriers of all CTAs learn that operations are done,
        and how many arrivals they expect."""
        start = f"tcgen05.commit.cta_group::{self.group}.mbarrier::arrive::one"
        space, to_all = self.deck.draw(
            ("commit", self.group, self.cluster > 1),
            [(s, m) for s in ("", ".shared::cluster")
             for m in ("", ".multicast::cluster")])
        own, peer = ("%bar", "%peer") if space else ("%bar64", "%peer64")
        self.arrivals = 1
        if to_all:
            self.commits = [f"{start}{space}{to_all}.b64 [{own}], %mask;"]
            if self.group == 1:
                self.arrivals = self.cluster
        else:
            self.commits = [f"{start}{space}.b64 [{own}];"]
            if self.group == 2:
                self.commits.append(f"{start}{space}.b64 [{peer}];")
        self.is_multicast = bool(to_all)
        if self.rng.random() < 0.2:  # twice, which is no harm
            self.commits *= 2
            self.arrivals *= 2

    def mask_lines(self):
        """Code that sets the mask of a multicast."""
        if self.group == 1:
            return [f"mov.b16 %mask, {(1 << self.cluster) - 1};"]
        return ["and.b32 %x, %rank, 14; mov.b32 %y, 3;",
                "shl.b32 %x, %y, %x; cvt.u16.u32 %mask, %x;"]

    # -- text ---------------------------------------------------------------

    def barrier(self):
        """That of the CTA, or of the cluster."""
        return PAIR_BARRIER if self.cluster > 1 else "bar.sync 0;"

    def start(self):
        lines = ["ld.param.u64 %out, [out]; ld.param.u32 %key, [seed];",
                 "ld.param.u32 %x, [one]; setp.eq.u32 %yes, %x, 1;",
                 "setp.ne.u32 %no, %x, 1;",
                 "mov.u32 %t, %tid.x; mov.u32 %x, %ctaid.x;",
                 "mad.lo.u32 %key, %x, 0x632be5ab, %key;",
                 f"mad.lo.u32 %x, %x, {128 * self.columns()}, %t;",
                 "mad.wide.u32 %out, %x, 4, %out;",
                 "mov.u32 %at, places; mov.u32 %pool, pool;",
                 "mov.u32 %bar, bar; cvt.u64.u32 %bar64, %bar;",
                 "cvta.shared.u64 %bar64, %bar64;",
                 "setp.eq.u32 %first, %t, 0;",
                 f"@%first mbarrier.init.shared.b64 [%bar], {self.arrivals};",
                 "and.b32 %x, %pool, 0x3ffff; shr.u32 %x, %x, 4;",
                 "cvt.u64.u32 %pool64, %x;",
                 "mul.lo.u64 %pool65, %pool64, 0x10001;"]
        if self.words:
            lines.append("ld.param.u64 %words, [words];")
        if self.cluster > 1:
            lines += ["fence.mbarrier_init.release.cluster;",
                      "mov.u32 %rank, %cluster_ctarank;",
                      "xor.b32 %x, %rank, 1;",
                      "mapa.shared::cluster.u32 %peer, %bar, %x;",
                      "mapa.u64 %peer64, %bar64, %x;"]
        if self.is_multicast:
            lines += self.mask_lines()
        return "".join("\n  " + line for line in lines)

    def fill_pool(self):
        text = ""
        for i, (begin, end, fill) in enumerate(self.pool):
            text += f"""
  mad.lo.u32 %i, %t, 4, {begin};
POOL{i}:
  mad.lo.u32 %u, %i, 0x9e3779b1, %key;{HASH}{fill_text(fill)}
  add.u32 %x, %pool, %i; st.shared.b32 [%x], %v;
  add.u32 %i, %i, 512; setp.lt.u32 %more, %i, {end};
  @%more bra POOL{i};"""
        return text + "\n  fence.proxy.async;"

    def fill_cells(self):
        text = ""
        end = self.cells[-1][1] if self.cells else 0
        rest = [(end, self.columns(), Fill(*ANYTHING))]
        for i, (begin, end, fill) in enumerate(self.cells + rest):
            if begin == end:
                continue
            text += f"""
  and.b32 %lanes, %t, {fill.lanes};
  mad.lo.u32 %lanes, %lanes, 0x2c1b3c6d, %key;
  mov.u32 %i, {begin};
CELLS{i}:
  mad.lo.u32 %u, %i, 0x9e3779b1, %lanes;{HASH}{fill_text(fill)}
  add.u32 %x, %mine, %i;
  tcgen05.st.sync.aligned.32x32b.x1.b32 [%x], {{%v}};
  add.u32 %i, %i, 1; setp.lt.u32 %more, %i, {end};
  @%more bra CELLS{i};"""
        return text + f"""
  tcgen05.wait::st.sync.aligned;
  tcgen05.fence::before_thread_sync;
  {self.barrier()}
  tcgen05.fence::after_thread_sync;"""

    def issue_text(self):
        """One thread of each CTA or pair issues the operations."""
        rng = self.rng
        lines = self.setup + [
            f"setp.eq.u32 %go, %t, {rng.choice([0, rng.randrange(128)])};"]
        if self.group == 2:
            leader = int(rng.random() < 0.15)
            lines += ["and.b32 %x, %rank, 1;",
                      f"setp.eq.and.u32 %go, %x, {leader}, %go;"]
        every = self.issued + self.commits
        if self.is_guarded:
            lines += ["@%go " + line for line in every]
        else:
            lines += ["@!%go bra WAIT;", *every]
        return "".join("\n  " + line for line in lines) + """
WAIT:
  mbarrier.try_wait.parity.shared.b64 %done, [%bar], 0;
  @!%done bra WAIT;
  tcgen05.fence::after_thread_sync;"""

    def read_cells(self):
        each = self.rng.choice([8, 16, 32])
        names = ", ".join(f"%r{i}" for i in range(each))
        stores = "\n".join(f"  st.global.b32 [%out+{512 * i}], %r{i};"
                           for i in range(each))
        return f"""
  mov.u32 %i, 0;
READ:
  add.u32 %x, %mine, %i;
  tcgen05.ld.sync.aligned.32x32b.x{each}.b32 {{{names}}}, [%x];
  tcgen05.wait::ld.sync.aligned;
{stores}
  add.u64 %out, %out, {512 * each};
  add.u32 %i, %i, {each}; setp.lt.u32 %more, %i, {self.columns()};
  @%more bra READ;"""

    def text(self):
        """The kernel and its run line."""
        pool = max(self.pool_end(), 16)
        # The columns may be the second ones that the CTA allocates.
        facts = {"group": self.group, "columns": self.columns()}
        allocate = ALLOCATE.format(place="", **facts)
        free = FREE.format(**facts)
        if self.columns() <= 256 and self.rng.random() < 0.2:
            allocate = ALLOCATE.format(place="+4", **facts) + allocate
            free += OTHER + free
        heads = [".param .u64 out, .param .u32 seed, .param .u32 one"]
        heads += [".param .u64 words"] * bool(self.words)
        cluster = (f" .reqnctapercluster {self.cluster}" if self.cluster > 1
                   and self.rng.random() < 0.5 else "")
        return (f".visible .entry {self.name}({', '.join(heads)}){cluster}\n"
                + "{" + REGISTERS + "\n"
                + f"  .reg .b32 %k<{self.counts[32] + 1}>;\n"
                f"  .reg .b64 %q<{self.counts[64] + 1}>;\n"
                f"  .shared .align 1024 .b8 pool[{pool}];\n"
                "  .shared .align 8 .b64 bar;\n"
                "  .shared .align 4 .b32 places[2];"
                + self.start() + START.format(allocate=allocate)
                + self.fill_pool() + self.fill_cells() + self.issue_text()
                + self.read_cells()
                + END.format(group=self.group, barrier=self.barrier(),
                             free=free) + "\n}\n" + self.run_line())

    def run_line(self):
        size = f"grid={self.ctas} block=128"
        if self.cluster > 1:
            size = f"grid={self.ctas} cluster={self.cluster} block=128"
        words = self.ctas * self.columns() * 128
        line = (f"// run: {self.name} {size} out=u32[ref:{words}] "
                f"u32:{self.rng.getrandbits(32)} u32:1")
        if self.words:
            line += f" in=u32[{','.join(map(str, self.words))}]"
        return line + "\n"


class ReduceKernel(Kernel):
    """Loads in one shape that find the least or greatest value of each
    lane."""

    def __init__(self, name, rng, deck, shape, count, forms):
        super().__init__(name, rng, deck, ctas=1)
        self.shape, self.count, self.forms = shape, count, forms
        self.is_float = forms[0][1].endswith("f32")
        self.take_columns(2 * count + rng.randrange(20), Fill(
            *ANYTHING, codes="floats" if self.is_float else ""))

    def issue_text(self):
        return ""

    def load(self, i):
        """Stores the result, and a hash of what is loaded."""
        op, ty = self.forms[i]
        count, letter = self.count, "f" if self.is_float else "d"
        at = self.rng.randint(0, self.cells[-1][1] - 2 * count)
        split = ""
        if self.shape == "16x32bx2":
            split = f", {self.rng.randint(0, count)}"
            at |= self.rng.choice([0, 16]) << 16
        names = ", ".join(f"%{letter}{r}" for r in range(count))
        lines = [f"add.u32 %x, %mine, {at};",
                 f"tcgen05.ld.red.sync.aligned.{self.shape}.x{count}.{op}{ty} "
                 f"{{{names}}}, %{letter}{count}, [%x]{split};",
                 "tcgen05.wait::ld.sync.aligned;", "mov.b32 %u, 0;"]
        for r in range(count):
            lines += [f"mov.b32 %v, %{letter}{r};",
                      "mad.lo.u32 %u, %u, 0x01000193, %v;"]
        return lines + [f"st.global.b32 [%out+{1024 * i}], %u;",
                        f"mov.b32 %v, %{letter}{count};",
                        f"st.global.b32 [%out+{1024 * i + 512}], %v;"]

    def read_cells(self):
        kind = ".f32 %f" if self.is_float else ".b32 %d"
        lines = [f".reg {kind}<{self.count + 1}>;"]
        for i in range(len(self.forms)):
            lines += self.load(i)
        return "".join("\n  " + line for line in lines)

    def run_line(self):
        return (f"// run: {self.name} block=128 "
                f"out=u32[ref:{256 * len(self.forms)}] "
                f"u32:{self.rng.getrandbits(32)} u32:1\n")


# ---------------------------------------------------------------------------
# Tests
# ---------------------------------------------------------------------------

class Suite:
    """Draws all tests."""

    def __init__(self, salt="tensor core", prefix=""):
        self.rng = random.Random(salt)
        self.prefix = prefix
        self.deck = Deck(self.rng)
        self.made = 0

    def shape(self, kind, group=1, ws=False, sparse=False, m=None, n=None,
              **more):
        """A shape; what is not given is drawn."""
        facts = kind, group, ws, sparse
        m = m or self.deck.draw(("m", *facts), all_m(*facts))
        if n is None:
            some = [n for n in all_n(*facts) if n <= 64]
            n = self.deck.draw(("n", *facts[:3]), some)
        d = self.deck.draw(("d", *facts), KINDS[kind].results)
        return Shape(*facts, m, n, d, **more)

    def name(self, *words):
        self.made += 1
        return self.prefix + "_".join(map(str, words)) + f"_{self.made}"

    def multiply(self, shape, steps):
        name = self.name(
            shape.kind + ("_ws" if shape.ws else "")
            + ("_sp" if shape.sparse else "") + ("_k96" * shape.k96),
            shape.layout + str(shape.n),
            "cells" if shape.in_tensor_memory else "pool")
        kernel = Kernel(name, self.rng, self.deck, shape.group)
        Multiplications(kernel, shape, steps)
        return kernel.text()

    # -- all shapes ---------------------------------------------------------

    def shapes(self):
        """[(is_full, text)] of kernels with all layouts, kinds and operands.
        One M of each has all modifiers."""
        for kind, group, sparse, in_cells in itertools.product(
                KINDS, (1, 2), (False, True), (False, True)):
            sizes = all_m(kind, group, False, sparse)
            full = 128 if group == 1 else self.rng.choice(sizes)
            for m in sizes:
                least = [n for n in all_n(kind, group, False, sparse)
                         if n <= 24 * group] or [32]
                n = None
                if m == full:
                    n = self.deck.draw(("least", kind, group), least)
                shape = self.shape(kind, group, False, sparse, m, n,
                                   in_tensor_memory=in_cells)
                yield m == full, self.multiply(
                    shape, None if m == full else 4)

    def stationary(self):
        for kind, sparse, m, in_cells in itertools.product(
                ("f16", "tf32", "f8f6f4", "i8"), (False, True), (32, 64, 128),
                (False, True)):
            n = 128 if m > 32 and self.rng.random() < 0.3 else 64
            shape = self.shape(kind, 1, True, sparse, m, n,
                               in_tensor_memory=in_cells)
            yield self.multiply(shape, None if m == 32 else 4)

    def large(self):
        """Many columns."""
        for kind in KINDS:
            for group in (1, 2):
                sparse = self.rng.random() < 0.5
                for n in (256, None):
                    if n is None:
                        n = self.rng.choice([
                            n for n in all_n(kind, group, False, sparse)
                            if 64 < n < 256])
                    yield self.multiply(self.shape(
                        kind, group, False, sparse, n=n,
                        in_tensor_memory=self.rng.random() < 0.4), 1)
        for kind in ("f16", "tf32", "f8f6f4", "i8"):
            yield self.multiply(self.shape(kind, 1, True, n=256), 1)

    def copies(self):
        """All copies, and shifts."""
        for group in (1, 2):
            for _ in range(len(copy_forms()) // 3):
                kernel = Kernel(self.name("copies", group), self.rng,
                                self.deck, group)
                for _ in range(3):
                    copy(kernel)
                yield kernel.text()
            for _ in range(2):
                yield self.shifts(group)

    def shifts(self, group):
        kernel = Kernel(self.name("shifts", group), self.rng, self.deck, group)
        for _ in range(4):
            columns = kernel.take_columns(8, Fill(*ANYTHING))
            shift(kernel, columns)
            if self.rng.random() < 0.5:  # the last lane of each quarter
                copy(kernel, columns, ("4x256b", "", ""), lane=31)
        return kernel.text()

    # -- sm_103a ------------------------------------------------------------

    def k96(self):
        for kind in ("mxf4", "mxf4nvf4"):
            for n in (16, 48, 64, 144, 256):
                yield self.multiply(
                    self.shape(kind, 2, m=256, n=n, k96=True,
                               in_tensor_memory=n == 64),
                    4 if n <= 64 else 1)

    def reductions(self):
        """All forms of ld.red with few registers, some of those with more."""
        integers = [(op, ty) for op in ("min", "max")
                    for ty in (".u32", ".s32")]
        floats = [(op, f"{a}{b}.f32") for op in ("min", "max")
                  for a in ("", ".abs") for b in ("", ".NaN")]
        for shape in ("32x32b", "16x32bx2"):
            for count in (2, 4, 8, 16, 32, 64, 128):
                for forms in (integers, floats):
                    some = [self.deck.draw((shape, forms[0][1]), forms)
                            for _ in range(4)] if count > 32 else forms
                    yield ReduceKernel(
                        self.name("reduce", shape, f"x{count}"), self.rng,
                        self.deck, shape, count, some).text()


def random_shape(suite, rng, is_103=False):
    kind = rng.choice(list(KINDS))
    if is_103 and KINDS[kind].bits == 4 and rng.random() < 0.5:
        n = rng.choice(all_n(kind, 2, False, False))
        return suite.shape(kind, 2, m=256, n=n, k96=True,
                           in_tensor_memory=rng.random() < 0.2)
    if is_103 and kind == "i8":  # which sm_103 has not
        kind = "f16"
    ws = kind not in VECTORS and rng.random() < 0.25
    group = 1 if ws else rng.choice([1, 2])
    sparse = rng.random() < 0.5
    n = rng.choice(all_n(kind, group, ws, sparse))
    return suite.shape(kind, group, ws, sparse,
                       n=n if rng.random() < 0.2 else 64 if ws else None,
                       in_tensor_memory=rng.random() < 0.5)


def random_kernel(rng, target="sm_100a", prefix=""):
    """The text of one kernel for `target`, and its run line."""
    suite = Suite(rng.getrandbits(64), prefix)
    is_103 = target == "sm_103a"
    choice = rng.random()
    if choice < 0.05:
        return next(suite.copies())
    if choice < 0.1:
        return suite.shifts(rng.choice([1, 2]))
    if choice < 0.2 and is_103:
        return rng.choice(list(suite.reductions()))
    shape = random_shape(suite, rng, is_103)
    return suite.multiply(shape, 1 if shape.n > 64 else rng.randint(1, 5))


def modules():
    """[(kernels, options, target)]: some kernels run in every mode, each of
    the others in one."""
    suite = Suite()
    shapes = list(suite.shapes())
    few = [text for is_full, text in shapes if not is_full]
    few += suite.copies()
    rest = [text for is_full, text in shapes if is_full]
    rest += [*suite.stationary(), *suite.large()]
    newer = [*suite.k96(), *suite.reductions()]
    suite.rng.shuffle(rest)
    for part in range(0, len(few), KERNELS):
        yield few[part:part + KERNELS], "", "sm_100a"
    for kernels, target in ((rest, "sm_100a"), (newer, "sm_103a")):
        for part in range(0, len(kernels), KERNELS):
            yield (kernels[part:part + KERNELS],
                   OPTIONS[part // KERNELS % len(OPTIONS)], target)


def main():
    salt, out = sys.argv[1:3]
    rng = random.Random(salt)
    target = sys.argv[3] if len(sys.argv) > 3 else rng.choice(TARGETS)
    with open(out, "w") as f:
        f.write(f".version {NEWEST_PTX}\n.target {target}\n"
                ".address_size 64\n")
        for i in range(8):
            f.write(random_kernel(rng, target, f"random_{i}_"))


if __name__ == "__main__":
    main()
