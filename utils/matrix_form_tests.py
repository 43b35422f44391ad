# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Execution tests for the forms of wmma, mma, ldmatrix, stmatrix, movmatrix.

A kernel executes several forms of the same types, each on data of its own. It
is run on random bits, on random numbers of moderate size (the reference
interpreter judges both), and on small numbers whose products and sums are
exact. Those results are computed here by three loops, from the ISA's lists of
the elements of fragments.
"""
import hashlib
import itertools
import random
import re
import struct
from fractions import Fraction

from form_syntax import modifiers

WIDTH = {"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "f64": 64, "s32": 32,
         "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1, "e4m3": 8, "e5m2": 8,
         "e3m2": 6, "e2m3": 6, "e2m1": 4}
# Masks of the bits to keep and to set, which make numbers of moderate size.
MODERATE = {"f16": (0x8fff8fff, 0x30003000), "bf16": (0x81ff81ff, 0x3e003e00),
            "tf32": (0x81ffffff, 0x3e000000), "f32": (0x81ffffff, 0x3e000000),
            "f64": (0x801fffff, 0x3fe00000), "e4m3": (0xbfbfbfbf, 0),
            "e5m2": (0xbfbfbfbf, 0)}
FORMATS = {"e4m3": (4, 3), "e5m2": (5, 2), "e3m2": (3, 2), "e2m3": (2, 3),
           "e2m1": (2, 1)}
GROUP = 8


def seed(name):
    return int(hashlib.sha256(name.encode()).hexdigest()[:8], 16)


# ---------------------------------------------------------------------------
# Numbers
# ---------------------------------------------------------------------------

def small_value(code, exponent_bits, mantissa_bits):
    """The value of an fp8, fp6 or fp4 code that is not a NaN."""
    bias = (1 << (exponent_bits - 1)) - 1
    sign = -1 if code >> (exponent_bits + mantissa_bits) & 1 else 1
    exponent = code >> mantissa_bits & ((1 << exponent_bits) - 1)
    mantissa = Fraction(code & ((1 << mantissa_bits) - 1), 1 << mantissa_bits)
    if exponent == 0:
        return sign * mantissa * Fraction(2) ** (1 - bias)
    return sign * (1 + mantissa) * Fraction(2) ** (exponent - bias)


def simple_codes(ty, in_byte):
    """(bits, value) of numbers that are multiples of 1/2 up to 4."""
    if ty in ("f16", "bf16", "tf32", "f32", "f64"):
        values = [Fraction(n, 2) for n in range(-8, 9)]
        return [(encode(ty, v), v) for v in values]
    if ty in FORMATS:
        e, m = FORMATS[ty]
        codes = []
        for code in range(1 << (1 + e + m)):
            value = small_value(code, e, m)
            if abs(value) <= 4 and (2 * value).denominator == 1:
                placed = code << 2 if ty == "e2m1" and in_byte else code
                codes.append((placed, value))
        return codes
    bits = WIDTH[ty]
    if ty[0] == "s":
        return [(v & ((1 << bits) - 1), v)
                for v in range(-(1 << min(bits, 8) - 1), 1 << min(bits, 8) - 1)]
    return [(v, v) for v in range(1 << bits)]


def encode(ty, value):
    value = float(value)
    if ty == "f64":
        return struct.unpack("<Q", struct.pack("<d", value))[0]
    if ty == "f16":
        return struct.unpack("<H", struct.pack("<e", value))[0]
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    return bits >> 16 if ty == "bf16" else bits


def result_bits(ty, value, saturates):
    if ty == "s32":
        if saturates:
            value = max(-2 ** 31, min(2 ** 31 - 1, value))
        return int(value) & 0xffffffff
    return encode(ty, value)


# ---------------------------------------------------------------------------
# Fragments, as the ISA lists them: element i of a lane; g = groupID,
# t = threadID_in_group
# ---------------------------------------------------------------------------

A_PLACES = {  # (m, k, bits): row, col
    (8, 4, 64): lambda g, t, i: (g, t),
    (16, 4, 64): lambda g, t, i: (g if i == 0 else g + 8, t),
    (16, 8, 64): lambda g, t, i: (g if i in (0, 2) else g + 8,
                                  t if i in (0, 1) else t + 4),
    (16, 16, 64): lambda g, t, i: (g if i % 2 == 0 else g + 8,
                                   2 * i + t if i % 2 == 0 else 2 * i - 2 + t),
    (16, 8, 16): lambda g, t, i: (g if i < 2 else g + 8, 2 * t + (i & 1)),
    (16, 16, 16): lambda g, t, i: (
        g if i < 2 or 4 <= i < 6 else g + 8,
        2 * t + (i & 1) if i < 4 else 2 * t + (i & 1) + 8),
    (8, 16, 8): lambda g, t, i: (g, 4 * t + i),
    (16, 16, 8): lambda g, t, i: (g if i < 4 else g + 8, 4 * t + (i & 3)),
    (16, 32, 8): lambda g, t, i: (
        g if i < 4 or 8 <= i < 12 else g + 8,
        4 * t + (i & 3) if i < 8 else 4 * t + (i & 3) + 16),
    (8, 32, 4): lambda g, t, i: (g, 8 * t + i),
    (16, 32, 4): lambda g, t, i: (g if i < 8 else g + 8, 8 * t + (i & 7)),
    (16, 64, 4): lambda g, t, i: (
        g if i < 8 or 16 <= i < 24 else g + 8,
        8 * t + (i & 7) if i < 16 else 8 * t + (i & 7) + 32),
    (8, 128, 1): lambda g, t, i: (g, 32 * t + i),
    (16, 128, 1): lambda g, t, i: (g if i < 32 else g + 8, 32 * t + (i & 31)),
    (16, 256, 1): lambda g, t, i: (
        g if i < 32 or 64 <= i < 96 else g + 8,
        32 * t + (i & 31) if i < 64 else 32 * t + (i & 31) + 128),
}
# The fragments of tf32 are those of f64.
A_PLACES[16, 4, 32] = A_PLACES[16, 4, 64]
A_PLACES[16, 8, 32] = A_PLACES[16, 8, 64]
B_PLACES = {  # (k, bits): row; the column is g
    (4, 64): lambda t, i: t,
    (8, 64): lambda t, i: t if i == 0 else t + 4,
    (16, 64): lambda t, i: t + 4 * i,
    (4, 32): lambda t, i: t,
    (8, 32): lambda t, i: t + 4 * i,
    (16, 32): lambda t, i: t + 4 * i,
    (8, 16): lambda t, i: 2 * t + i,
    (16, 16): lambda t, i: 2 * t + (i & 1) + (8 if i >= 2 else 0),
    (32, 16): lambda t, i: 2 * t + (i & 1) + i // 2 * 8,
    (16, 8): lambda t, i: 4 * t + i,
    (32, 8): lambda t, i: 4 * t + (i & 3) + (16 if i >= 4 else 0),
    (64, 8): lambda t, i: 4 * t + (i & 3) + i // 4 * 16,
    (32, 4): lambda t, i: 8 * t + i,
    (64, 4): lambda t, i: 8 * t + (i & 7) + (32 if i >= 8 else 0),
    (128, 4): lambda t, i: 8 * t + (i & 7) + i // 8 * 32,
    (128, 1): lambda t, i: 32 * t + i,
    (256, 1): lambda t, i: 32 * t + (i & 31) + (128 if i >= 32 else 0),
}


def c_place(m, g, t, i):
    if m == 8:
        return g, 2 * t + i
    return (g if i < 2 else g + 8), 2 * t + (i & 1)


def metadata_place(k, bits, f, row, chunk):
    """Lane of a group, and first bit, of a chunk's four bits of metadata."""
    high, rest = row // 8, chunk
    if (k, bits) in ((16, 16), (8, 32)):
        return f, 16 * high + 4 * rest
    if (k, bits) in ((32, 16), (16, 32)):
        return 2 * (f & 1) + rest // 4, 16 * high + 4 * (rest % 4)
    if (k, bits) in ((32, 8), (64, 4)):
        return 2 * f + high, 4 * rest
    return high + 2 * (rest // 8), 4 * (rest % 8)


class Form:
    """One spelling of mma, parsed."""

    def __init__(self, mnemonic, operands):
        tokens = mnemonic.split(".")
        self.mnemonic, self.operands = mnemonic, operands
        shape = next(t for t in tokens if re.fullmatch(r"m\d+n\d+k\d+", t))
        self.m, self.n, self.k = map(int, re.findall(r"\d+", shape))
        self.d, self.a, self.b, self.c = [t for t in tokens if t in WIDTH]
        self.layouts = [t for t in tokens if t in ("row", "col")]
        self.sparse = tokens[1].startswith("sp")
        self.ordered = tokens[1] == "sp::ordered_metadata"
        self.sat = "satfinite" in tokens
        self.xor = "xor" in tokens
        self.in_byte = any(t in tokens for t in ("kind::f8f6f4",
                                                 "kind::mxf8f6f4"))
        self.scales = 0
        if "block_scale" in tokens:
            named = next((t for t in tokens if t.startswith("scale_vec")), None)
            self.scales = int(named[-2]) if named else 1 if self.in_byte else 2
        self.ue4m3 = "ue4m3" in tokens
        self.quad = (self.m, self.n, self.k) == (8, 8, 4) and self.d != "f64"
        self.counts = [int(re.search(r"\*(\d+)", o)[1])
                       for o in operands[:4]]
        self.selector = next((int(o.split("=")[1], 0) for o in operands
                              if o.startswith("#")), 0)

    def bits(self, ty):
        return 8 if self.in_byte else WIDTH[ty]

    def at(self, rng):
        """Random byte-id and thread-id of the scale factors of A and B."""
        step = max(self.scales, 1)
        return (rng.randrange(0, 4, step), rng.randrange(2),
                rng.randrange(0, 4, step), rng.randrange(4))


class Registers:
    """The words of some registers in 32 lanes."""

    def __init__(self, count, width):
        self.width = width
        self.words = [[0] * 32 for _ in range(count)]

    def put(self, lane, i, bits, value):
        each = max(1, self.width // bits)
        self.words[i // each][lane] |= value << (i % each * bits)

    def get(self, lane, i, bits):
        each = max(1, self.width // bits)
        return self.words[i // each][lane] >> (i % each * bits) & (
            (1 << bits) - 1)

    def flat(self):
        return [w for r in self.words for w in r]


def quad_lanes(lane):
    return lane % 16 // 4, 0 if lane < 16 else 4


def exact_case(form, rng, at):
    """Registers of A, B, C, metadata and scale factors; and expected D."""
    width = 64 if form.d == "f64" else 32
    a, b, c, d = [Registers(n, width) for n in
                  (form.counts[1], form.counts[2], form.counts[3],
                   form.counts[0])]
    metadata, scale_a, scale_b = [Registers(1, 32) for _ in range(3)]
    codes_a = simple_codes(form.a, form.in_byte)
    codes_b = simple_codes(form.b, form.in_byte)
    codes_c = (simple_codes(form.c, False) if form.c != "s32" else
               [(v & 0xffffffff, v) for v in
                (0, 1, -1, 77, -2 ** 31, 2 ** 31 - 1, 2 ** 31 - 700)])
    if form.quad:
        return quad_case(form, rng, a, b, c, d)
    matrix_a, matrix_b, kept = {}, {}, set()
    bits_a, bits_b = form.bits(form.a), form.bits(form.b)
    kept_k = form.k // 2 if form.sparse else form.k
    place = A_PLACES[form.m, kept_k, bits_a]
    unit = 2 if bits_a == 4 else 1
    chunk_units, kept_units = (2, 1) if bits_a == 32 else (4, 2)
    nibbles = ([0x4, 0xe] if bits_a == 32 else
               [0x4, 0x8, 0x9, 0xc, 0xd, 0x6, 0xe])
    if bits_a != 32 and not form.ordered:
        nibbles += [0x1, 0x2, 0x3, 0x7]
    chosen = {}
    if form.sparse:
        for row in range(16):
            for chunk in range(form.k // (chunk_units * unit)):
                nibble = rng.choice(nibbles)
                chosen[row, chunk] = nibble
                t, bit = metadata_place(form.k, bits_a, form.selector, row,
                                        chunk)
                metadata.words[0][4 * (row % 8) + t] |= nibble << bit
    for lane in range(32):
        g, t = lane >> 2, lane & 3
        for i in range(form.counts[1] * max(1, width // bits_a)):
            row, col = place(g, t, i)
            code, value = rng.choice(codes_a)
            a.put(lane, i, bits_a, code)
            if form.sparse:
                u = col // unit
                nibble = chosen[row, u // kept_units]
                index = (nibble >> 1 & 1 if bits_a == 32 else
                         nibble >> (2 * (u % kept_units)) & 3)
                col = ((u // kept_units) * chunk_units + index) * unit + \
                    col % unit
            matrix_a[row, col] = value
            kept.add((row, col))
        for i in range(form.counts[2] * max(1, width // bits_b)):
            code, value = rng.choice(codes_b)
            b.put(lane, i, bits_b, code)
            matrix_b[B_PLACES[form.k, bits_b](t, i), g] = value
    factor_a, factor_b = {}, {}
    if form.scales:
        scale_codes = ([(0x30, Fraction(1, 2)), (0x38, 1), (0x3c, Fraction(3, 2)),
                        (0x40, 2)] if form.ue4m3 else
                       [(126, Fraction(1, 2)), (127, 1), (128, 2)])
        byte_a, thread_a, byte_b, thread_b = at
        for part in range(form.scales):
            for row in range(16):
                code, factor_a[row, part] = rng.choice(scale_codes)
                lane = 4 * (row % 8) + 2 * thread_a + row // 8
                scale_a.words[0][lane] |= code << (8 * (byte_a + part))
            for col in range(8):
                code, factor_b[col, part] = rng.choice(scale_codes)
                scale_b.words[0][4 * col + thread_b] |= code << (
                    8 * (byte_b + part))
    bits_c = WIDTH[form.c]
    for lane in range(32):
        g, t = lane >> 2, lane & 3
        for i in range(form.m * form.n // 32):
            row, col = c_place(form.m, g, t, i)
            code, total = rng.choice(codes_c)
            c.put(lane, i, bits_c, code)
            for k in range(form.k):
                x, y = matrix_a.get((row, k), 0), matrix_b[k, col]
                if form.a == "b1":
                    total += x ^ y if form.xor else x & y
                    continue
                product = x * y
                if form.scales:
                    part = k * form.scales // form.k
                    product *= factor_a[row, part] * factor_b[col, part]
                total += product
            d.put(lane, i, WIDTH[form.d],
                  result_bits(form.d, total, form.sat))
            # x - x is -0 if sums round down.
            if total == 0 and ".rm." in form.mnemonic:
                d.words[i][lane] = "?"
    return a, b, c, metadata, scale_a, scale_b, d


def quad_case(form, rng, a, b, c, d):
    codes = simple_codes("f16", False)
    matrix_a, matrix_b = {}, {}
    for lane in range(32):
        quad, four = quad_lanes(lane)
        for i in range(4):
            code, value = rng.choice(codes)
            a.put(lane, i, 16, code)
            at = ((lane % 4 + four, i) if form.layouts[0] == "row" else
                  (i + four, lane % 4))
            matrix_a[quad, at] = value
            code, value = rng.choice(codes)
            b.put(lane, i, 16, code)
            at = ((lane % 4, i + four) if form.layouts[1] == "row" else
                  (i, lane % 4 + four))
            matrix_b[quad, at] = value

    def place(ty, lane, i):
        four = 0 if lane < 16 else 4
        if ty == "f16":
            return lane % 4 + four, i
        return (lane & 1) + (i & 2) + four, (i & 4) + (lane & 2) + (i & 1)
    matrix_c = {}
    for lane in range(32):
        for i in range(8):
            code, value = rng.choice(codes)
            c.put(lane, i, WIDTH[form.c], encode(form.c, value))
            matrix_c[quad_lanes(lane)[0], place(form.c, lane, i)] = value
    for lane in range(32):
        quad = quad_lanes(lane)[0]
        for i in range(8):
            row, col = place(form.d, lane, i)
            total = matrix_c[quad, (row, col)] + sum(
                matrix_a[quad, (row, k)] * matrix_b[quad, (k, col)]
                for k in range(4))
            d.put(lane, i, WIDTH[form.d], encode(form.d, total))
    empty = [Registers(1, 32) for _ in range(3)]
    return (a, b, c, *empty, d)


# ---------------------------------------------------------------------------
# Kernels
# ---------------------------------------------------------------------------

def spellings(opcode, syntax):
    head, _, text = syntax.partition(" ")
    slots = [([""] if optional else []) + ["." + t for t in tokens]
             for tokens, optional in modifiers(head[len(opcode):])]
    operands = [o.strip() for o in text.split(",")]
    selectors = [[o] for o in operands]
    for i, operand in enumerate(operands):
        if operand.startswith("#"):
            name, values = operand.split("=")
            selectors[i] = [f"{name}={v}" for v in values.split("|")]
    for spelling in itertools.product(*slots):
        for chosen in itertools.product(*selectors):
            yield opcode + "".join(spelling), list(chosen)


def multiply_kernel(name, forms):
    width = 64 if forms[0].d == "f64" else 32
    size = width // 8
    kind = {64: "f64", 32: "b32"}[width]
    rng = random.Random(seed(name))
    pools = {p: [] for p in "abcespd"}  # s, p: scale factors of A and B
    lines = [f".visible .entry {name}("
             + ", ".join(f".param .u64 {p}" for p in "abcespd") + ", "
             + ", ".join(f".param .u32 {w}{p}" for p in "abcs"
                         for w in ("keep", "set")) + ")", "{",
             "  .reg .b32 %lane, %keep, %set, %hi, %lo;", "  .reg .b64 %wide;",
             "  mov.u32 %lane, %laneid;"]
    for p in "abcespd":
        bytes_each = size if p in "abcd" else 4
        lines += [f"  .reg .b64 %p{p};", f"  ld.param.u64 %p{p}, [{p}];",
                  f"  mad.wide.u32 %p{p}, %lane, {bytes_each}, %p{p};"]

    def load(register, pool, index, masked):
        out = []
        if width == 64 and pool in "abc":
            out += [f"  ld.global.b64 %wide, [%p{pool}+{index * 256}];",
                    "  mov.b64 {%lo, %hi}, %wide;",
                    f"  ld.param.u32 %keep, [keep{masked}];",
                    f"  ld.param.u32 %set, [set{masked}];",
                    "  and.b32 %hi, %hi, %keep;", "  or.b32 %hi, %hi, %set;",
                    f"  mov.b64 {register}, {{%lo, %hi}};"]
            return out
        out.append(f"  ld.global.b32 {register}, [%p{pool}+{index * 128}];")
        if masked:
            out += [f"  ld.param.u32 %keep, [keep{masked}];",
                    f"  ld.param.u32 %set, [set{masked}];",
                    f"  and.b32 {register}, {register}, %keep;",
                    f"  or.b32 {register}, {register}, %set;"]
        return out

    for form in forms:
        at = form.at(rng)
        exact = exact_case(form, rng, at)
        lines.append("  {")
        text = []
        for o, count in zip("dabc", form.counts):
            lines.append(f"    .reg .{kind} %{o}<{count}>;")
            text.append("{" + ", ".join(f"%{o}{i}" for i in range(count))
                        + "}")
        for o, registers in zip("abc", exact):
            first = len(pools[o]) // 32
            for i in range(len(registers.words)):
                lines += load(f"%{o}{i}", o, first + i, o)
            pools[o] += registers.flat()
        rest = form.operands[4:]
        if form.sparse:
            lines += ["    .reg .b32 %e;"] + load("%e", "e",
                                                  len(pools["e"]) // 32, "")
            pools["e"] += exact[3].flat()
            text += ["%e", str(form.selector)]
            rest = rest[2:]
        if form.scales:
            lines += ["    .reg .b32 %s, %f;"]
            lines += load("%s", "s", len(pools["s"]) // 32, "s")
            lines += load("%f", "p", len(pools["p"]) // 32, "s")
            pools["s"] += exact[4].flat()
            pools["p"] += exact[5].flat()
            text += ["%s", "{%d, %d}" % at[:2], "%f", "{%d, %d}" % at[2:]]
        lines.append(f"    {form.mnemonic} {', '.join(text)};")
        for i in range(form.counts[0]):
            lines.append(f"    st.global.{kind} [%pd+"
                         f"{(len(pools['d']) // 32 + i) * 32 * size}], %d{i};")
        pools["d"] += exact[6].flat()
        lines.append("  }")
    lines += ["  ret;", "}"]
    first = forms[0]
    ty = f"u{width}"
    lengths = {p: max(len(pools[p]), 32) for p in pools}

    def buffers(fill):
        return [f"in={ty if p in 'abc' else 'u32'}[{fill(p)}]"
                for p in "abcesp"]

    def listed(p):
        words = pools[p] or [0] * 32
        return ",".join(map(str, words))
    def bits(p):
        # Metadata must be valid, so they are never random.
        return (listed(p) if p == "e" else
                f"random({seed(name) % 97 + ord(p)}):{lengths[p]}")
    free = ["u32:0xffffffff", "u32:0"]
    masks = []
    for kind_of in (first.a, first.b, first.c):
        keep, put = MODERATE.get(kind_of, (0xffffffff, 0))
        masks += [f"u32:{keep}", f"u32:{put}"]
    masks += (["u32:0x07070707", "u32:0x30303030"] if first.ue4m3 else
              ["u32:0x03030303", "u32:0x7c7c7c7c"])
    ref = [f"out={ty}[ref:{lengths['d']}]"]
    run = f"// run: {name} block=32"
    lines.append(" ".join([run] + buffers(bits) + ref + free * 4))
    if masks[:6] != free * 3:
        lines.append(" ".join([run] + buffers(bits) + ref + masks))
    part = {"f16": "f16", "bf16": "bf16", "tf32": "f32"}.get(first.a)
    if part:
        def edges(p):
            return (f"{part}.{p}:{lengths[p]}" if p in "ab" else
                    f"f32.c:{lengths[p]}" if p == "c" else listed(p))
        lines.append(" ".join([run] + buffers(edges) + ref + free * 4))
    lines.append(" ".join([run] + buffers(listed)
                          + [f"out={ty}[{','.join(map(str, pools['d']))}]"]
                          + free * 4))
    return "\n".join(lines) + "\n"


def mma_kernels(forms):
    """[(name, text)] of kernels with all forms of mma, by types."""
    groups = {}
    for mnemonic, operands in forms:
        form = Form(mnemonic, operands)
        key = "_".join([form.d, form.a, form.b, form.c]
                       + (["scaled"] if form.scales else []))
        if form.a in FORMATS: # all combinations of these
            key = "_".join([form.d, form.a, form.c]
                           + (["ue4m3" if form.ue4m3 else "ue8m0"]
                              if form.scales else []))
        groups.setdefault(key, []).append(form)
    for key, members in groups.items():
        for part in range(0, len(members), GROUP):
            name = f"mma_{key}_{part // GROUP}"
            yield name, multiply_kernel(name, members[part:part + GROUP])


# ---------------------------------------------------------------------------
# ldmatrix, stmatrix, movmatrix
# ---------------------------------------------------------------------------

def moved_row(lane):
    """The number of the row whose address a lane passes."""
    return (lane * 5 + 3) % 32


def row_bits(memory, row, bit, bits):
    at = 16 * moved_row(row) * 8 + bit
    return memory >> at & ((1 << bits) - 1)


def loaded(mnemonic, memory, count):
    """The result of ldmatrix, as [register][lane]."""
    tokens = mnemonic.split(".")
    trans, tall = "trans" in tokens, "m16n16" in tokens
    element = (4 if "b4x16_p64" in tokens else 6 if "b6x16_p32" in tokens
               else 8 if "b8" in tokens else 16)
    slot = 16 if element == 16 else 8
    registers = []
    for r in range(count):
        matrix, half = (r // 2, r % 2) if tall else (r, 0)
        first = matrix * (16 if tall else 8)
        lanes = []
        for lane in range(32):
            g, t = lane >> 2, lane & 3
            word = 0
            for j in range(32 // slot):
                along, across = t * (32 // slot) + j, g + 8 * half
                row, col = (along, across) if trans else (across, along)
                word |= row_bits(memory, first + row, col * element,
                                 element) << (slot * j)
            lanes.append(word)
        registers.append(lanes)
    return registers


def stored(mnemonic, registers):
    """Bytes of shared memory after stmatrix."""
    tokens = mnemonic.split(".")
    memory = bytearray(512)
    for m, lanes in enumerate(registers):
        for lane, word in enumerate(lanes):
            g, t = lane >> 2, lane & 3
            for j in range(4):
                byte = word >> (8 * j) & 255
                if "b8" in tokens:
                    row, col = 2 * t + (j & 1), g + 8 * (j >> 1)
                elif "trans" in tokens:
                    row, col = 2 * t + j // 2, 2 * g + j % 2
                else:
                    row, col = g, 4 * t + j
                memory[16 * moved_row(8 * m + row) + col] = byte
    return memory


def words_of(memory):
    return [int.from_bytes(memory[i:i + 4], "little")
            for i in range(0, len(memory), 4)]


def move_head(name):
    return [f".visible .entry {name}(.param .u64 in, .param .u64 out)", "{",
            "  .shared .align 16 .b8 rows[512];",
            "  .reg .b32 %lane, %at, %mine, %r<8>, %v<4>;",
            "  .reg .b64 %in, %out, %generic, %wide;",
            "  mov.u32 %lane, %laneid;",
            "  mov.u32 %at, rows;", "  mad.lo.u32 %mine, %lane, 16, %at;",
            "  ld.param.u64 %in, [in];", "  ld.param.u64 %out, [out];"]


def named_row():
    """Code for each lane's address, also as a generic one."""
    return ["  mad.lo.u32 %r7, %lane, 5, 3;", "  and.b32 %r7, %r7, 31;",
            "  mad.lo.u32 %at, %r7, 16, %at;",
            "  cvt.u64.u32 %generic, %at;",
            "  cvta.shared.u64 %generic, %generic;"]


def address_in(mnemonic):
    return "[%at]" if ".shared" in mnemonic else "[%generic]"


def register_list(count):
    return "{" + ", ".join(f"%r{i}" for i in range(count)) + "}"


def load_matrix_kernel(name, forms):
    rng = random.Random(seed(name))
    data = bytes(rng.randrange(256) for _ in range(512))
    lines = move_head(name) + [
        "  mad.wide.u32 %wide, %lane, 16, %in;",
        "  ld.global.v4.b32 {%v0, %v1, %v2, %v3}, [%wide];",
        "  st.shared.v4.b32 [%mine], {%v0, %v1, %v2, %v3};",
        "  bar.sync 0;", *named_row(),
        "  mad.wide.u32 %out, %lane, 4, %out;"]
    expected = []
    for mnemonic, operands in forms:
        count = int(re.search(r"\*(\d+)", operands[0])[1])
        lines.append(f"  {mnemonic} {register_list(count)}, "
                     f"{address_in(mnemonic)};")
        for i, lanes in enumerate(loaded(
                mnemonic, int.from_bytes(data, "little"), count)):
            lines.append(f"  st.global.b32 [%out+{len(expected) * 4}], %r{i};")
            expected += lanes
    lines += ["  ret;", "}",
              f"// run: {name} block=32 in=u32[{','.join(map(str, words_of(data)))}]"
              f" out=u32[{','.join(map(str, expected))}]"]
    return "\n".join(lines) + "\n"


def store_matrix_kernel(name, forms):
    rng = random.Random(seed(name))
    data = [[rng.getrandbits(32) for _ in range(32)] for _ in range(4)]
    lines = move_head(name) + named_row() + [
        "  mad.wide.u32 %in, %lane, 4, %in;",
        "  mad.wide.u32 %out, %lane, 16, %out;"]
    lines += [f"  ld.global.b32 %r{i}, [%in+{128 * i}];" for i in range(4)]
    expected = []
    for mnemonic, operands in forms:
        count = int(re.search(r"\*(\d+)", operands[1])[1])
        lines += ["  mov.b32 %v0, 0;",
                  "  st.shared.v4.b32 [%mine], {%v0, %v0, %v0, %v0};",
                  "  bar.sync 0;",
                  f"  {mnemonic} {address_in(mnemonic)}, "
                  f"{register_list(count)};", "  bar.sync 0;",
                  "  ld.shared.v4.b32 {%v0, %v1, %v2, %v3}, [%mine];",
                  f"  st.global.v4.b32 [%out+{4 * len(expected)}], "
                  "{%v0, %v1, %v2, %v3};", "  bar.sync 0;"]
        expected += words_of(stored(mnemonic, data[:count]))
    flat = [w for lanes in data for w in lanes]
    lines += ["  ret;", "}",
              f"// run: {name} block=32 in=u32[{','.join(map(str, flat))}]"
              f" out=u32[{','.join(map(str, expected))}]"]
    return "\n".join(lines) + "\n"


def transpose_kernel(name, forms):
    data = [random.Random(seed(name)).getrandbits(32) for _ in range(32)]
    halves = [[data[4 * row + col // 2] >> (16 * (col % 2)) & 0xffff
               for col in range(8)] for row in range(8)]
    expected = [halves[2 * (lane & 3)][lane >> 2]
                | halves[2 * (lane & 3) + 1][lane >> 2] << 16
                for lane in range(32)]
    lines = move_head(name) + [
        "  mad.wide.u32 %in, %lane, 4, %in;",
        "  mad.wide.u32 %out, %lane, 4, %out;",
        "  ld.global.b32 %r0, [%in];", f"  {forms[0][0]} %r1, %r0;",
        "  st.global.b32 [%out], %r1;", "  ret;", "}",
        f"// run: {name} block=32 in=u32[{','.join(map(str, data))}]"
        f" out=u32[{','.join(map(str, expected))}]"]
    return "\n".join(lines) + "\n"


def move_kernels(opcode, forms):
    make = {"ldmatrix": load_matrix_kernel, "stmatrix": store_matrix_kernel,
            "movmatrix": transpose_kernel}[opcode]
    forms = list(forms)
    for part in range(0, len(forms), 2 * GROUP):
        name = f"{opcode}_{part // (2 * GROUP)}"
        yield name, make(name, forms[part:part + 2 * GROUP])


# ---------------------------------------------------------------------------
# wmma
# ---------------------------------------------------------------------------

class WmmaForm:
    """One spelling of wmma.load, wmma.store or wmma.mma, parsed."""

    def __init__(self, mnemonic, operands):
        tokens = mnemonic.split(".")
        self.mnemonic, self.operands = mnemonic, operands
        self.shape = next(t for t in tokens
                          if re.fullmatch(r"m\d+n\d+k\d+", t))
        self.m, self.n, self.k = map(int, re.findall(r"\d+", self.shape))
        self.kind = tokens[1]
        self.layouts = [t for t in tokens if t in ("row", "col")]
        self.types = [t for t in tokens if t in WIDTH]
        self.counts = [int(m[1]) for o in operands
                       for m in [re.search(r"\*(\d+)", o)] if m]
        self.sat, self.xor = "satfinite" in tokens, "xor" in tokens
        self.fragment = tokens[2]  # of load and store
        self.space = next((t for t in tokens if t in
                           ("global", "shared", "shared::cta")), "")
        self.strided = self.kind != "mma" and "b32" in operands[-1] and \
            "*" not in operands[-1] and "[" not in operands[-1]
        if self.kind == "mma":
            self.d, self.c = self.types[0], self.types[-1]
            self.a = self.types[1] if len(self.types) == 4 else "f16"

    def extents(self):
        rows = self.k if self.fragment == "b" else self.m
        return rows, self.k if self.fragment == "a" else self.n

    def stride(self):
        rows, cols = self.extents()
        least = cols if self.layouts[0] == "row" else rows
        return least + (128 // WIDTH[self.types[0]] if self.strided else 0)

    def byte_count(self):
        rows, cols = self.extents()
        lines = rows if self.layouts[0] == "row" else cols
        return lines * self.stride() * WIDTH[self.types[0]] // 8

    def place(self, row, col):
        """The first bit of an element in memory."""
        slow, fast = (row, col) if self.layouts[0] == "row" else (col, row)
        return (slow * self.stride() + fast) * WIDTH[self.types[0]]


def fill_matrix(form, rng):
    """The memory of a matrix of simple numbers, and the numbers."""
    ty = form.types[0]
    codes = ([(v & 0xffffffff, v) for v in (0, 1, -77, 2 ** 31 - 1, -2 ** 31)]
             if ty == "s32" else simple_codes(ty, False))
    rows, cols = form.extents()
    memory, values = 0, {}
    for row in range(rows):
        for col in range(cols):
            code, values[row, col] = rng.choice(codes)
            memory |= code << form.place(row, col)
    return memory.to_bytes(form.byte_count(), "little"), values


def copy_lines(to, source, count, to_space, from_space):
    """Code in which all lanes copy `count` bytes, a multiple of 4."""
    lines = []
    for at in range(0, count, 128):
        last = ["@%p "] if count - at < 128 else [""]
        if last[0]:
            lines.append(f"    setp.lt.u32 %p, %lane4, {count - at};")
        lines += [f"    {last[0]}ld.{from_space}.b32 %v, [{source}+{at}];",
                  f"    {last[0]}st.{to_space}.b32 [{to}+{at}], %v;"]
    return lines


def wmma_kernel(name, groups):
    """A kernel. A group has forms to load A, B and C, multiply, store D."""
    rng = random.Random(seed(name))
    pools, spots = {p: bytearray() for p in "abcd"}, {}
    lines = [f".visible .entry {name}("
             + ", ".join(f".param .u64 {p}" for p in "abcd") + ")", "{",
             "  .reg .b32 %lane4, %v, %st; .reg .pred %p;",
             "  mov.u32 %lane4, %laneid;", "  shl.b32 %lane4, %lane4, 2;"]
    for p in "abcd":
        lines += [f"  .shared .align 128 .b8 s{p}[8192];",
                  f"  .reg .b64 %g{p}, %m{p}, %x{p}; .reg .b32 %s{p}, %y{p};",
                  f"  ld.param.u64 %g{p}, [{p}];", f"  mov.u32 %s{p}, s{p};"]
    for mma, *moves in groups:
        lines.append("  {")
        sizes = dict(zip("dabc", mma.counts))
        kinds = {"d": mma.d, "c": mma.c}
        for p in "dabc":
            ty = kinds.get(p, mma.a)
            kind = ty if ty in ("f32", "f64") and p in "dc" or ty == "f64" \
                else "b32"
            lines.append(f"    .reg .{kind} %{p}<{sizes[p]}>;")
        values = {}
        for p, move in zip("abcd", moves):
            count = move.byte_count()
            spots[p] = len(pools[p])
            if p == "d":
                pools[p] += bytes(count)
            else:
                memory, values[p] = fill_matrix(move, rng)
                pools[p] += memory
            # Copy the matrix to shared memory; for D, the old contents.
            lines += [f"    add.u64 %m{p}, %g{p}, {spots[p]};",
                      f"    cvt.u64.u32 %x{p}, %lane4;",
                      f"    add.u64 %x{p}, %x{p}, %m{p};",
                      f"    add.u32 %y{p}, %s{p}, %lane4;",
                      *copy_lines(f"%y{p}", f"%x{p}", count, "shared",
                                  "global")]
        lines.append("    bar.sync 0;")

        def operand(p, move):
            registers = "{" + ", ".join(f"%{p}{i}" for i in range(sizes[p])) \
                + "}"
            address = f"[%s{p}]" if "shared" in move.space else f"[%m{p}]"
            parts = [address, registers] if p == "d" else [registers, address]
            if move.strided:
                lines.append(f"    mov.u32 %st, {move.stride()};")
                parts.append("%st")
            return ", ".join(parts)
        for p, move in zip("abc", moves):
            text = operand(p, move)
            lines.append(f"    {move.mnemonic} {text};")
        lines.append(f"    {mma.mnemonic} " + ", ".join(
            "{" + ", ".join(f"%{p}{i}" for i in range(sizes[p])) + "}"
            for p in "dabc") + ";")
        text = operand("d", moves[3])
        lines += [f"    {moves[3].mnemonic} {text};", "    bar.sync 0;"]
        if "shared" in moves[3].space:
            lines += copy_lines("%xd", "%yd", moves[3].byte_count(), "global",
                                "shared")
        lines += ["    bar.sync 0;", "  }"]
        result = 0
        for row in range(mma.m):
            for col in range(mma.n):
                total = values["c"][row, col]
                for k in range(mma.k):
                    x, y = values["a"][row, k], values["b"][k, col]
                    total += ((x ^ y if mma.xor else x & y) if mma.a == "b1"
                              else x * y)
                bits = result_bits(mma.d, total, mma.sat)
                # x - x is -0 if sums round down.
                if total == 0 and ".rm." in mma.mnemonic:
                    bits = encode("f64", -0.0)
                result |= bits << moves[3].place(row, col)
        count = moves[3].byte_count()
        pools["d"][spots["d"]:] = result.to_bytes(count, "little")
    lines += ["  ret;", "}"]
    listed = {p: ",".join(map(str, words_of(pools[p]))) for p in pools}
    run = f"// run: {name} block=32"
    lines.append(" ".join([run] + [f"in=u32[{listed[p]}]" for p in "abc"]
                          + [f"out=u32[{listed['d']}]"]))
    lengths = {p: len(pools[p]) // 4 for p in pools}
    lines.append(" ".join(
        [run] + [f"in=u32[random({seed(name) % 89 + ord(p)}):{lengths[p]}]"
                 for p in "abc"] + [f"out=u32[ref:{lengths['d']}]"]))
    return "\n".join(lines) + "\n"


def wmma_kernels(forms):
    """[(name, text)] of kernels with every form of mma, load and store at
    least once."""
    forms = [WmmaForm(*form) for form in forms]
    moves = {}
    for form in forms:
        if form.kind != "mma":
            key = (form.fragment, form.shape, form.types[0])
            moves.setdefault(key, []).append(form)
    by_types = {}
    for form in forms:
        if form.kind == "mma":
            by_types.setdefault((form.shape, form.a), []).append(form)
    for (shape, ty), members in by_types.items():
        unused = {}
        for p in "ab":
            for form in moves[p, shape, ty]:
                unused.setdefault((p, form.layouts[0]), []).append(form)
        for p in "cd":
            for kind in {getattr(f, p) for f in members}:
                # tf32 and bf16 share the accumulators of other shapes.
                unused[p, kind] = list(moves[p, shape, kind])
        every = {key: list(value) for key, value in unused.items()}
        groups, turn = [], 0
        while turn < len(members) or any(unused.values()):
            mma = members[turn % len(members)]
            turn += 1
            chosen = [mma]
            keys = [("a", mma.layouts[0]), ("b", mma.layouts[1]),
                    ("c", mma.c), ("d", mma.d)]
            for key in keys:
                chosen.append(unused[key].pop() if unused[key] else
                              every[key][turn % len(every[key])])
            groups.append(chosen)
        for part in range(0, len(groups), GROUP):
            name = f"wmma_{shape}_{ty}_{part // GROUP}"
            yield name, wmma_kernel(name, groups[part:part + GROUP])


def exact_runs(text):
    """The kernel with only those runs whose results are written out. Their
    sums are exact in whatever order they are computed."""
    return "".join(line for line in text.splitlines(keepends=True)
                   if not (line.startswith("// run:") and "[ref:" in line))


def kernels(opcode, forms):
    """[(name, text)] of kernels for all forms of one opcode and target."""
    spelled = [s for syntax in forms for s in spellings(opcode, syntax)]
    if opcode == "mma":
        return mma_kernels(spelled)
    if opcode == "wmma":
        return wmma_kernels(spelled)
    return move_kernels(opcode, spelled)
