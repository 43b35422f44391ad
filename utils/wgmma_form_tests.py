# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Execution tests for the forms of wgmma.mma_async.

    wgmma_form_tests.py FORMLIST SEED OUT

writes random multiplications, of forms of `ptx-tblgen -gen-form-list`, for
random-stress.sh. make-form-tests.py makes a test of each form from this file.

A kernel has a pool of shared memory, and multiplies several times with the
same registers of D (or two of them). Descriptors are drawn at random within
the pool. Most kernels fill the pool with a hash of the index, in the range
that the test asks for, and the reference interpreter judges the results.
Others copy it from numbers whose sums are exact. These results are computed
here by three loops; places in the pool follow from the canonical layouts of
the ISA.
"""
import itertools
import random
import re
import struct
import sys

from form_syntax import NEWEST_PTX, modifiers
from matrix_form_tests import MODERATE, WIDTH, encode, seed, simple_codes

STEPS = 8
KERNELS = 10  # of a module
OPTIONS = ["--chunk=16 ", "--chunk=8 ", "--chunk=4 ",
           "--chunk=8 --cpu=x86-64-v3 ", "--chunk=16 --mode=threads "]
MOST_POOL = 48 << 10
# Bytes behind a matrix: for a pattern that begins later, for a second
# warpgroup, and for a second turn of a loop.
MARGIN = 3 * 1024 + 128
# Bytes that a swizzling mode mixes, by its code in the descriptor.
WIDTHS = [16, 128, 64, 32]
WIDE = {"f16": (0xbfffbfff, 0), "bf16": (0xbfffbfff, 0),
        "tf32": (0xbfffffff, 0), "fp8": (0xbfbfbfbf, 0x10101010)}
TINY = {"f16": (0x83ff83ff, 0x14001400), "bf16": (0x81ff81ff, 0x1e001e00),
        "tf32": (0x81ffffff, 0x1e000000), "fp8": (0x87878787, 0)}
NIBBLES = [0x4, 0x8, 0x9, 0xc, 0xd, 0x6, 0xe, 0x1, 0x2, 0x3, 0x7, 0xb]
EXACT_COLUMNS = [8, 16, 24, 32, 48, 64]


# ---------------------------------------------------------------------------
# Forms
# ---------------------------------------------------------------------------

class Form:
    """One spelling, parsed."""

    def __init__(self, mnemonic, operands):
        tokens = mnemonic.split(".")
        self.mnemonic = mnemonic
        self.sparse = "sp" in tokens
        self.saturates = "satfinite" in tokens
        shape = next(t for t in tokens if t.startswith("m64n"))
        self.n, self.k = map(int, re.fullmatch(r"m64n(\d+)k(\d+)",
                                               shape).groups())
        self.d, self.a, self.b = [t for t in tokens if t in WIDTH]
        self.bits = WIDTH[self.a]
        self.in_registers = any(o.startswith("a*4") for o in operands)
        self.has_factors = any(o.startswith("#factor") for o in operands)
        self.layouts = [o[7] for o in operands if o.startswith("#layout")]

    def stored_k(self):
        return self.k // 2 if self.sparse else self.k

    def registers(self):
        return self.n // (4 if self.d == "f16" else 2)

    def kind(self):
        """Types that the same data suit."""
        if self.d == "s32":
            return "b1" if self.a == "b1" else "s32"
        return "fp8" if self.bits == 8 else self.a


def spellings(opcode, syntax):
    head, _, text = syntax.partition(" ")
    slots = [([""] if optional else []) + ["." + t for t in tokens]
             for tokens, optional in modifiers(head[len(opcode):])]
    operands = [o.strip() for o in text.split(",")]
    for spelling in itertools.product(*slots):
        yield Form(opcode + "".join(spelling), operands)


# ---------------------------------------------------------------------------
# Matrices in shared memory
# ---------------------------------------------------------------------------

class Matrix:
    """A matrix in the pool, whose rows (of B, columns) have `k` elements.
    Offsets are relative to the pool, which begins at a multiple of 1024."""

    def __init__(self, rng, rows, k, bits, may_be_across, origin=None,
                 layout=None):
        layout = rng.randrange(8) if layout is None else layout % 8
        self.bits, self.mode = bits, layout % 4
        width = WIDTHS[self.mode]
        atom = 8 * width
        self.across = may_be_across and layout > 3
        # What an atom has 8 of, and what is `width` bytes of it.
        outer, inner = (k, rows) if self.across else (rows, k)
        row_bytes = inner * bits // 8
        self.row_blocks = -(-outer // 8)
        self.byte_blocks = -(-row_bytes // width)
        for gaps in (3, 3, 1, 0):
            self.draw_strides(rng, atom, gaps, origin is None)
            self.size = ((self.row_blocks - 1) * self.by_rows
                         * (self.row_blocks > 1)
                         + (self.byte_blocks - 1) * self.by_bytes
                         * (self.byte_blocks > 1) + atom)
            if self.size < MOST_POOL // 2:
                break
        # A matrix may begin inside of the rows of a pattern.
        room = (width - row_bytes) // 32 if row_bytes <= width else 0
        advance = 32 * rng.randint(0, room) if rng.random() < 0.7 else 0
        unit = 16 if self.mode == 0 else atom
        self.base = 0
        if origin is None:
            most = min(MOST_POOL - MARGIN - self.size, 8192)
            self.pattern = unit * rng.randint(0, most // unit)
        else:
            self.pattern = origin
        if self.mode and rng.random() < 0.3:
            self.pattern += 128 * rng.randint(1, 7)
            self.base = self.pattern >> 7 & 7
        self.start = self.pattern + advance
        self.end = self.pattern + self.size

    def draw_strides(self, rng, atom, gaps, may_overlap):
        """Draws the strides of 8 rows and of `width` bytes. Either may be the
        longer one."""
        counts = [self.row_blocks, self.byte_blocks]
        order = rng.sample([0, 1], 2)
        strides = [0, 0]
        unit = 16 if self.mode == 0 else atom
        step = atom
        for i in order:
            if counts[i] == 1:
                strides[i] = 16 * rng.randrange(1 << 14)  # does not matter
                continue
            stride = step + unit * rng.choice([0, rng.randint(0, gaps)])
            if may_overlap and rng.random() < 0.1:
                stride = unit * rng.randrange(stride // unit)
            strides[i] = stride
            step = max(step, stride * counts[i])
        self.by_rows, self.by_bytes = strides

    def descriptor(self):
        leading, stride = self.by_bytes, self.by_rows
        if self.across and self.mode == 0:
            leading, stride = stride, leading
        return (self.start >> 4 | leading >> 4 << 16 | stride >> 4 << 32
                | self.base << 49 | self.mode << 62)

    def place(self, row, k):
        """The bit where an element begins. ISA: the canonical layouts, as
        nested coordinates and strides, in elements. T elements are 16 bytes."""
        t = 128 // self.bits
        units = WIDTHS[self.mode] // 16
        by_rows = self.by_rows * 8 // self.bits
        by_bytes = self.by_bytes * 8 // self.bits
        if self.across:
            # ((T, units, m), (8, k)) : ((1, T, LBO), (units T, SBO))
            at = (row % t + row // t % units * t
                  + row // (t * units) * by_bytes
                  + k % 8 * units * t + k // 8 * by_rows)
        else:
            # ((8, m), (T, units, blocks)) : ((units T, SBO), (1, T, LBO))
            at = (row % 8 * units * t + row // 8 * by_rows
                  + k % t + k // t % units * t + k // (t * units) * by_bytes)
        byte, bit = divmod(at * self.bits, 8)
        # The pattern, relative to where it begins.
        byte += self.start - self.pattern
        byte ^= (byte >> 7 & (units - 1)) << 4
        return 8 * (self.pattern + byte) + bit


# ---------------------------------------------------------------------------
# Multiplications
# ---------------------------------------------------------------------------

class Step:
    """A multiplication, with operands drawn for it. `origin` is the end of what
    the pool holds so far, or None if matrices may overlap. Different `layouts`
    make sure that all pairs of layouts occur."""

    def __init__(self, form, rng, origin=None, layouts=None):
        self.form = form
        self.at = None
        self.matrix_a = None
        may = bool(form.layouts)
        if form.in_registers:
            self.at = 16 * rng.randint(0, 200) if origin is None else origin
            self.end = self.at + 2048
        else:
            self.matrix_a = Matrix(rng, 64, form.stored_k(), form.bits, may,
                                   self.aligned(origin), layouts)
            self.end = self.matrix_a.end
        self.matrix_b = Matrix(rng, form.n, form.k, form.bits, may,
                               None if origin is None else
                               self.aligned(self.end),
                               None if layouts is None else
                               3 * layouts + layouts // 8)
        self.end = max(self.end, self.matrix_b.end)
        self.factors = [rng.choice([1, 1, -1]) for _ in range(2)]
        self.accumulates = rng.random() < 0.5
        # Numbers that the ISA does not allow choose by their low bit; with
        # 8-bit elements they do not matter.
        self.selector = rng.choice([0, 1, 0, 1, 2, 3] if form.bits > 8 else
                                   [0, 0, 0, 1])

    @staticmethod
    def aligned(origin):
        return None if origin is None else -(-origin // 1024) * 1024

    def lines(self, i, d, accumulates):
        """The instruction; `d` names its registers of D."""
        form = self.form
        names = ", ".join(f"{d}{r}" for r in range(form.registers()))
        operands = ["{" + names + "}"]
        before = []
        if form.in_registers:
            operands.append("{" + ", ".join(f"%a{4 * i + r}" for r in range(4))
                            + "}")
        else:
            before.append(f"add.u64 %x{i}, %pool64, "
                          f"{self.matrix_a.descriptor():#x};")
            operands.append(f"%x{i}")
        before.append(f"add.u64 %y{i}, %pool64, "
                      f"{self.matrix_b.descriptor():#x};")
        operands.append(f"%y{i}")
        if form.sparse:
            operands += [f"%e{i}", str(self.selector)]
        operands.append("%yes" if accumulates else "%no")
        if form.has_factors:
            operands += map(str, self.factors)
        for matrix, which in zip((self.matrix_a, self.matrix_b), "AB"):
            if which in form.layouts:
                operands.append(str(int(matrix.across)))
        return [*before, f"{form.mnemonic} {', '.join(operands)};"]


def metadata_word(rng, form):
    return sum(rng.choice([0x4, 0xe] if form.bits == 32 else NIBBLES) << 4 * i
               for i in range(8))


def vectors(count):
    """Registers of a vector in which `count` registers are loaded."""
    return 4 if count % 4 == 0 else 2


class Kernel:
    """Multiplications of the same number of columns and the same type of D."""

    def __init__(self, name, steps, rng, exact=False):
        self.name, self.steps, self.exact = name, steps, exact
        form = steps[0].form
        self.count, self.kind = form.registers(), form.kind()
        self.type = "f32" if form.d == "f32" else "b32"
        self.groups = 1
        self.two_sums = self.loops = False
        if not exact:
            self.groups = 2 if rng.random() < 0.2 else 1
            self.two_sums = form.n <= 64 and rng.random() < 0.4
            self.loops = rng.random() < 0.3
        self.threads = 128 * self.groups
        self.pauses = {i for i in range(1, len(steps)) if rng.random() < 0.15}
        self.rng = rng
        # Registers of A of the second warpgroup are 2048 bytes on.
        self.bytes = -(-(max(s.end for s in steps) + 2048) // 1024) * 1024
        self.metadata_step = 128 if exact else 4  # words

    def words(self):
        """32-bit words of all D."""
        return self.threads * self.count * (2 if self.two_sums else 1)

    def moves(self, opcode, d, first):
        each = vectors(self.count)
        lines = []
        for r in range(0, self.count, each):
            names = ", ".join(f"{d}{r + i}" for i in range(each))
            at = 4 * (first + r * self.threads)
            lines.append(f"ld.global.v{each}.{self.type} {{{names}}}, "
                         f"[%c+{at}];" if opcode == "ld" else
                         f"st.global.v{each}.{self.type} [%out+{at}], "
                         f"{{{names}}};")
        return lines

    def fill(self):
        """Code that fills the pool."""
        if self.exact:
            body = ["mad.wide.u32 %w, %i, 4, %image;",
                    "ld.global.b32 %v, [%w];"]
        else:
            body = ["mad.lo.u32 %u, %i, 0x9e3779b1, %seed;",
                    "shr.u32 %v, %u, 15; xor.b32 %u, %u, %v;",
                    "mul.lo.u32 %u, %u, 0x85ebca77;",
                    "shr.u32 %v, %u, 13; xor.b32 %u, %u, %v;",
                    "and.b32 %v, %u, %keep; or.b32 %v, %v, %set;",
                    "mul.lo.u32 %r, %u, 0xc2b2ae3d;",
                    "setp.lt.u32 %more, %r, %rare;",
                    "selp.b32 %v, %u, %v, %more;"]
        return ["mov.u32 %i, %t;", "FILL:", *body,
                "mad.lo.u32 %u, %i, 4, %pool;", "st.shared.b32 [%u], %v;",
                f"add.u32 %i, %i, {self.threads};",
                f"setp.lt.u32 %more, %i, {self.bytes // 4};",
                "@%more bra FILL;", "fence.proxy.async;", "bar.sync 0;"]

    def text(self):
        each, count = vectors(self.count), len(self.steps)
        params = (["image"] if self.exact else []) + ["c", "e", "out"]
        numbers = [] if self.exact else ["seed", "keep", "set", "rare"]
        lines = [f".reg .{self.type} %d<{self.count}>, %f<{self.count}>;",
                 "  .reg .b32 %t, %i, %pool, %mine, %u, %v, %r, %one;",
                 f"  .reg .b32 %a<{4 * count}>, %e<{count}>;",
                 f"  .reg .b64 %x<{count}>, %y<{count}>;",
                 "  .reg .b64 %w, %pool64; .reg .pred %more, %yes, %no;",
                 f"  .shared .align 1024 .b8 pool[{self.bytes}];"]
        for p in params:
            lines.append(f"  .reg .b64 %{p}; ld.param.u64 %{p}, [{p}];")
        for p in numbers:
            lines.append(f"  .reg .b32 %{p}; ld.param.u32 %{p}, [{p}];")
        body = ["ld.param.u32 %one, [one]; setp.ne.u32 %yes, %one, 0;",
                "setp.eq.u32 %no, %one, 0;",
                "mov.u32 %t, %tid.x; mov.u32 %pool, pool;",
                *self.fill(),
                f"mad.wide.u32 %c, %t, {4 * each}, %c;",
                f"mad.wide.u32 %out, %t, {4 * each}, %out;",
                "mad.wide.u32 %e, %t, 4, %e;",
                "mad.lo.u32 %mine, %t, 16, %pool;",
                "and.b32 %u, %pool, 0x3ffff; shr.u32 %u, %u, 4;"]
        if self.groups > 1:  # the second one has its matrices 1024 bytes on
            body += ["shr.u32 %v, %t, 7; mad.lo.u32 %u, %v, 64, %u;"]
        body += ["cvt.u64.u32 %pool64, %u;", *self.moves("ld", "%d", 0)]
        if self.two_sums:
            body += self.moves("ld", "%f", self.threads * self.count)
        for i, step in enumerate(self.steps):
            if step.form.sparse:
                body.append(f"ld.global.b32 %e{i}, "
                            f"[%e+{4 * i * self.metadata_step}];")
        body += self.multiplications()
        lines += ["  " + line for line in body]
        lines += ["  ret;", "}"]
        heads = [f".param .u64 {p}" for p in params]
        heads += [f".param .u32 {p}" for p in numbers + ["one"]]
        return (f".visible .entry {self.name}({', '.join(heads)})\n{{\n  "
                + "\n".join(lines) + "\n")

    def multiplications(self):
        body = ["mov.u32 %i, 0;", "AGAIN:"] if self.loops else []
        for i, step in enumerate(self.steps):
            if step.form.in_registers:
                names = ", ".join(f"%a{4 * i + r}" for r in range(4))
                body.append(f"ld.shared.v4.b32 {{{names}}}, "
                            f"[%mine+{step.at}];")
        body.append("wgmma.fence.sync.aligned;")
        half = len(self.steps) // 2 if self.two_sums else len(self.steps)
        for i, step in enumerate(self.steps):
            if i == half:  # the first D may stay in flight
                body.append("wgmma.commit_group.sync.aligned;")
            elif i in self.pauses:
                groups = self.rng.choice([0, 0, 1])
                body += ["wgmma.commit_group.sync.aligned;",
                         f"wgmma.wait_group.sync.aligned {groups};",
                         "wgmma.fence.sync.aligned;"]
            # Later ones always add, so that the result depends on all.
            first = i in (0, half) and not self.exact
            body += step.lines(i, "%f" if i >= half else "%d",
                               step.accumulates or not first)
        body.append("wgmma.commit_group.sync.aligned;")
        if self.two_sums and not self.loops:
            body += ["wgmma.wait_group.sync.aligned 1;",
                     *self.moves("st", "%d", 0),
                     "wgmma.wait_group.sync.aligned 0;"]
        else:
            body.append("wgmma.wait_group.sync.aligned 0;")
            if self.loops:
                body += ["add.u64 %pool64, %pool64, 64; add.u32 %i, %i, 1;",
                         "setp.lt.u32 %more, %i, 2;", "@%more bra AGAIN;"]
            body += self.moves("st", "%d", 0)
        if self.two_sums:
            body += self.moves("st", "%f", self.threads * self.count)
        return body


# ---------------------------------------------------------------------------
# Tests that the reference interpreter judges
# ---------------------------------------------------------------------------

def random_runs(kernel, wild):
    """Run lines: numbers of moderate size, and others."""
    rng = kernel.rng
    words = kernel.words()
    forms = [s.form for s in kernel.steps]
    sparse = next((f for f in forms if f.sparse), forms[0])
    count = kernel.threads + 4 * len(forms)
    metadata = [metadata_word(rng, sparse) if any(f.sparse for f in forms)
                else 0 for _ in range(count)]
    listed = ",".join(map(str, metadata)) if any(metadata) else f"0*{count}"
    kind, half = kernel.kind, forms[0].d == "f16"
    if kind in ("s32", "b1"):
        kinds = [("u32[random(%d):%d]" % (rng.randrange(99), words), 0, 0, -1),
                 (f"s32[edges.c:{words}]", 0, 0, -1)]
    else:
        some = ("u32[random(%d):%d]" % (rng.randrange(99), words)
                if half else f"f32[sweep:{words}]")
        ones = f"u32[0x3c00b800*{words}]" if half else f"f32[sweep:{words}]"
        other = WIDE if wild else TINY
        moderate = MODERATE["e4m3" if kind == "fp8" else kind]
        kinds = [(ones, *moderate, 0),
                 (some if wild else f"u32[0*{words}]", *other[kind], 1 << 24
                  if wild else 0)]
    lines = []
    for c, keep, put, rare in kinds:
        lines.append(f"// run: {kernel.name} block={kernel.threads} in={c} "
                     f"in=u32[{listed}] out=u32[ref:{words}] "
                     f"u32:{rng.getrandbits(32)} u32:{keep} u32:{put} "
                     f"u32:{rare & 0xffffffff} u32:1")
    return "\n".join(lines) + "\n"


def random_kernel(name, forms, rng, wild):
    kernel = Kernel(name, [Step(f, rng) for f in forms], rng)
    return kernel.text() + random_runs(kernel, wild)


def families(forms):
    """Forms that can share a kernel."""
    out = {}
    for form in forms:
        out.setdefault((form.d, form.kind(), form.n), []).append(form)
    return out


def random_kernels(forms, salt=""):
    for (d, kind, n), members in families(forms).items():
        for part in range(0, len(members), STEPS):
            name = f"wgmma_{d}_{kind}_n{n}_{part // STEPS}"
            rng = random.Random(seed(name + salt))
            group = members[part:part + STEPS]
            # Few forms: each twice, with other descriptors.
            group = group * (2 if len(group) <= STEPS // 2 else 1)
            rng.shuffle(group)
            yield name, random_kernel(name, group, rng, rng.random() < 0.5)


# ---------------------------------------------------------------------------
# Tests with expected values
# ---------------------------------------------------------------------------

def rounded(ty, value):
    if ty != "f16":
        return value
    return struct.unpack("<e", struct.pack("<e", value))[0]


def result_bits(form, value):
    return value & 0xffffffff if form.d == "s32" else encode(form.d, value)


class ExactCase:
    """The buffers of a kernel."""

    def __init__(self, kernel):
        self.kernel, self.rng = kernel, kernel.rng
        self.form = kernel.steps[0].form
        self.image = 0
        self.metadata = [0] * (128 * len(kernel.steps))
        codes = self.codes(self.form.d)
        d = [[self.rng.choice(codes) for _ in range(self.form.n)]
             for _ in range(64)]
        self.c = self.registers([[code for code, _ in row] for row in d])
        sums = [[value for _, value in row] for row in d]
        for i, step in enumerate(kernel.steps):
            sums = self.multiply(i, step, sums)
        self.d = self.registers([[result_bits(self.form, v) for v in row]
                                 for row in sums])

    @staticmethod
    def codes(ty):
        if ty == "s32":
            return [(v & 0xffffffff, v) for v in
                    (0, 1, -1, 77, -2 ** 31, 2 ** 31 - 1, 2 ** 31 - 700)]
        return [(code, value if isinstance(value, int) else float(value))
                for code, value in simple_codes(ty, False)]

    def registers(self, rows):
        """The words of the buffer of D, whose elements are `rows`. ISA: the
        fragments of D."""
        each = vectors(self.kernel.count)
        words = [0] * (128 * self.kernel.count)
        for row, values in enumerate(rows):
            warp, high, group = row // 16, row % 16 // 8, row % 8
            for col, bits in enumerate(values):
                thread = 32 * warp + 4 * group + col % 8 // 2
                if self.form.d == "f16":
                    r, bits = 2 * (col // 8) + high, bits << 16 * (col % 2)
                else:
                    r = 4 * (col // 8) + 2 * high + col % 2
                words[r // each * each * 128 + each * thread + r % each] |= bits
        return words

    def multiply(self, i, step, sums):
        form = step.form
        a, nibbles = self.draw_a(i, step)
        codes = self.codes(form.b)
        b = []
        for col in range(form.n):
            b.append([])
            for k in range(form.k):
                code, value = self.rng.choice(codes)
                if form.b == "tf32":  # which has no such bits
                    code |= self.rng.getrandbits(13)
                self.image |= code << step.matrix_b.place(col, k)
                b[col].append(value)
        sign = step.factors[0] * step.factors[1] if form.has_factors else 1
        out = []
        for row in range(64):
            # The places of the elements that are not left out.
            ks = (list(range(form.k)) if not form.sparse else
                  [self.position(form, k, nibbles[row]) for k in
                   range(form.stored_k())])
            out.append([])
            for col in range(form.n):
                total = sums[row][col]
                for k, x in zip(ks, a[row]):
                    y = b[col][k]
                    total += x & y if form.a == "b1" else sign * x * y
                out[row].append(self.finish(form, total))
        return out

    @staticmethod
    def finish(form, total):
        if form.d != "s32":
            return rounded(form.d, total)
        if form.saturates:
            return max(-2 ** 31, min(2 ** 31 - 1, total))
        return (total + 2 ** 31) % 2 ** 32 - 2 ** 31

    @staticmethod
    def position(form, stored, nibbles):
        if form.bits == 32:
            return 2 * stored + (nibbles[stored] == 0xe)
        return (4 * (stored // 2)
                + (nibbles[stored // 2] >> 2 * (stored % 2) & 3))

    def draw_a(self, i, step):
        """The values of A as stored, and each row's nibbles of metadata."""
        form, rng = step.form, self.rng
        codes = self.codes(form.a)
        values, nibbles = [], []
        for row in range(64):
            warp, high, group = row // 16, row % 16 // 8, row % 8
            values.append([])
            for k in range(form.stored_k()):
                code, value = rng.choice(codes)
                if form.a == "tf32":
                    code |= rng.getrandbits(13)
                values[row].append(value)
                if not form.in_registers:
                    self.image |= code << step.matrix_a.place(row, k)
                    continue
                # ISA: the fragments of A. A register has `each` elements.
                each = 32 // form.bits
                thread = 32 * warp + 4 * group + k % (4 * each) // each
                r = high + 2 * (k // (4 * each))
                at = 8 * (step.at + 16 * thread + 4 * r) + k % each * form.bits
                self.image |= code << at
            nibbles.append([])
            for chunk in range(form.k // (2 if form.bits == 32 else 4)
                               if form.sparse else 0):
                nibble = rng.choice([0x4, 0xe] if form.bits == 32 else NIBBLES)
                nibbles[row].append(nibble)
                if form.bits == 8:  # a row of 32 elements in each lane
                    lane, bit = chunk // 8 * 2 + high, chunk % 8 * 4
                else:  # rows 8 apart in the halves of a word
                    lane = step.selector % 2 * 2 + chunk // 4
                    bit = chunk % 4 * 4 + 16 * high
                at = 128 * i + 32 * warp + 4 * group + lane
                self.metadata[at] |= nibble << bit
        return values, nibbles

    def run_line(self):
        kernel = self.kernel
        data = self.image.to_bytes(kernel.bytes, "little")
        image = struct.unpack(f"<{len(data) // 4}I", data)

        def listed(words):
            parts = []
            for word, group in itertools.groupby(words):
                count = len(list(group))
                parts += ([f"{word}*{count}"] if count > 3 else
                          [str(word)] * count)
            return ",".join(parts)
        return (f"// run: {kernel.name} block=128 in=u32[{listed(image)}] "
                f"in=u32[{listed(self.c)}] in=u32[{listed(self.metadata)}] "
                f"out=u32[{listed(self.d)}] u32:1\n")


def exact_kernel(name, forms, rng, layouts):
    steps, end = [], 0
    for i, form in enumerate(forms):
        step = Step(form, rng, end, layouts + i)
        if step.end > MOST_POOL - MARGIN:
            break
        steps.append(step)
        end = -(-step.end // 1024) * 1024
    kernel = Kernel(name, steps, rng, exact=True)
    return kernel.text() + ExactCase(kernel).run_line()


def exact_kernels(forms):
    """Kernels of each combination of types, with few columns, and one of each
    type of D with many."""
    shapes = {}
    for form in forms:
        shapes.setdefault((form.d, form.a, form.b, form.sparse, form.saturates,
                           form.in_registers), {})[form.n] = form
    done, made = set(), 0
    for i, (key, members) in enumerate(shapes.items()):
        columns = [n for n in EXACT_COLUMNS if n in members]
        # More of those that have more layouts.
        count = 5 if members[8].layouts else 2
        chosen = {columns[(i + 3 * j + j // 2) % len(columns)]
                  for j in range(count)}
        wide = key[0], members[8].kind(), key[3]
        if wide not in done:
            done.add(wide)
            chosen.add([n for n in sorted(members) if n > 64][(7 * i) % 10])
        for n in sorted(chosen):
            form = members[n]
            name = "exact_" + re.sub(r"\W", "_", form.mnemonic[23:])
            name += "_registers" if form.in_registers else "_shared"
            yield name, exact_kernel(name, [form] * 2,
                                     random.Random(seed(name)), made)
            made += 2


def modules(rows):
    """[(kernels, options)] of the tests of all forms `rows`, as (opcode,
    syntax). Those with few columns are tested in every mode. All others, which
    take longer to compile, are tested in one mode each."""
    forms = [f for opcode, syntax in rows if ".mma_async" in syntax
             for f in spellings(opcode, syntax)]
    few = [text for _, text in random_kernels(f for f in forms if f.n <= 16)]
    rest = [text for _, text in random_kernels(f for f in forms if f.n > 16)]
    rest += [text for _, text in exact_kernels(forms)]
    random.Random(0).shuffle(rest)
    for part in range(0, len(few), KERNELS):
        yield few[part:part + KERNELS], ""
    for part in range(0, len(rest), KERNELS):
        yield (rest[part:part + KERNELS],
               OPTIONS[part // KERNELS % len(OPTIONS)])


def main():
    path, salt, out = sys.argv[1:4]
    forms = []
    for row in open(path):
        opcode, op, syntax, _ = row.rstrip("\n").split("\t")
        if op == "wgmma":
            forms += spellings(opcode, syntax)
    rng = random.Random(salt)
    groups = list(families(forms).values())
    with open(out, "w") as f:
        f.write(f".version {NEWEST_PTX}\n.target sm_90a\n.address_size 64\n")
        for i in range(8):
            members = rng.choice(groups)
            group = [rng.choice(members) for _ in range(rng.randint(1, STEPS))]
            f.write(random_kernel(f"wgmma_{i}", group, rng,
                                  rng.random() < 0.5))


if __name__ == "__main__":
    main()
