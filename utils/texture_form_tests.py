# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Execution tests for the forms of textures and surfaces.

Each form gives a kernel for every choice of its modifiers. 64 threads read
their operands from a table of edge values, access a small image whose format
and sampler vary from kernel to kernel, and store all results. The reference
interpreter judges these, and the contents of surfaces afterwards.

  texture_form_tests.py FORMS SEED OUT writes kernels of random forms, with
  images of random sizes and contents.
"""
import collections
import itertools
import os
import random
import re
import struct
import sys

from form_syntax import NEWEST_PTX, modifiers
from known_form_tests import split

OPCODES = {"tex", "tld4", "txq", "istypep", "suld", "sust", "sured", "suq"}
THREADS, WORDS = 64, 16
RANDOM_KERNELS = 100
REGISTER = {"b8": "%h", "b16": "%h", "f16": "%h", "b32": "%r", "u32": "%r",
            "s32": "%r", "f32": "%r", "f16x2": "%r", "b64": "%rd",
            "u64": "%rd", "s64": "%rd"}
# Extents of images, and then their layers and samples. Cubes have one extent.
SHAPES = {"1d": [16], "2d": [8, 4], "3d": [4, 4, 2], "a1d": [8, 3],
          "a2d": [4, 4, 3], "cube": [4], "acube": [2, 2], "2dms": [4, 4, 2],
          "a2dms": [4, 2, 2, 2]}
SPATIAL = {"1d": 1, "a1d": 1, "3d": 3, "cube": 1, "acube": 1}
# What a set of kernels is made from: the seed of their choices, the shapes of
# their images, and the names of their inputs.
Setting = collections.namedtuple("Setting", "seed shapes inputs")
FORMS = Setting("", SHAPES, "texture-{}.bin".format)
FORMATS = ["f32", "f32", "u8", "s8", "u16", "s16", "f16", "u32", "s32"]
BYTES = {"u8": 1, "s8": 1, "u16": 2, "s16": 2, "f16": 2, "u32": 4, "s32": 4,
         "f32": 4}


def write_inputs(folder, setting=FORMS):
    """Operands as rows of 16 words: floats, integers, and places that are
    different in all threads."""
    rng = random.Random(setting.seed or "textures")
    special = [0.0, -0.0, 0.5, 1.0, -1.0, 0.25, 0.9999999, 2.0, 3.5, 1e10,
               -1e10, float("inf"), float("-inf"), float("nan"), 1e-40]

    def write(name, words, row):
        with open(os.path.join(folder, setting.inputs(name)), "wb") as f:
            for thread in range(THREADS):
                f.write(struct.pack(f"<{WORDS}{words}", *row(thread)))

    write("floats", "f", lambda _: [
        rng.choice([rng.uniform(-2, 3), rng.uniform(-1, 9),
                    rng.choice(special)]) for _ in range(WORDS)])
    write("integers", "i", lambda _: [
        rng.choice([rng.randrange(-2, 6), rng.randrange(-9, 20), 0])
        for _ in range(WORDS)])
    write("places", "i", lambda thread: [
        thread, *range(thread, thread + WORDS - 1)])


def random_shapes(rng):
    """Extents that are often odd, or 1."""
    shapes = {}
    for geometry, example in SHAPES.items():
        most = {1: 20, 2: 9, 3: 5}[SPATIAL.get(geometry, 2)]
        shapes[geometry] = [rng.randrange(1, most if i < 2 else 5)
                            for i in range(len(example))]
        if geometry.endswith("ms"):
            shapes[geometry][-1] = rng.choice([1, 2, 4, 8])
    return shapes


def count_texels(geometry, extents, levels):
    spatial = SPATIAL.get(geometry, 2)
    images = 6 if "cube" in geometry else 1
    for n in extents[spatial:]:
        images *= n
    texels = 0
    for level in range(levels):
        part = images
        for n in extents[:spatial]:
            part *= max(1, n >> level)
        if "cube" in geometry:
            part *= max(1, extents[0] >> level)
        texels += part
    return texels


def image(rng, geometry, shapes, channels=None, fmt=None, levels=1):
    """(elements, type of elements, notation) of an image."""
    extents = shapes[geometry]
    fmt = fmt or rng.choice(FORMATS)
    channels = channels or rng.choice([1, 2, 4])
    words = [",".join([geometry, *map(str, extents)])]
    if channels > 1:
        words.append(f"x{channels}")
    if fmt == "f16":
        words.append("f16")
    if levels > 1:
        words.append(f"levels={levels}")
    return (count_texels(geometry, extents, levels) * channels, fmt,
            ",".join(words))


def sampler(rng, fmt, may_be_seamless=False):
    words = [rng.choice(["wrap", "clamp", "mirror", "border"])]
    words += [w for w in ("linear", "normalized", "miplinear")
              if rng.random() < 0.5]
    if may_be_seamless and rng.random() < 0.5:
        words.append("seamless")
    if fmt in ("u8", "s8", "u16", "s16") and rng.random() < 0.6:
        words.append("fraction")
        if fmt == "u8" and rng.random() < 0.3:
            words.append("srgb")
    if "border" in words:
        words.append("color=0.25;-0.5;1;0.75")
    return ",".join(words)


def buffer(elements, fmt, rng):
    kind = {"f16": "u16"}.get(fmt, fmt)
    if fmt == "f32":
        values = ",".join(str(rng.choice([rng.randrange(-64, 65) / 8, 0.1]))
                          for _ in range(elements))
    elif fmt == "f16":  # finite ones
        values = ",".join(str(rng.choice([0, 0x8000]) | rng.randrange(0x5c00))
                          for _ in range(elements))
    else:
        values = f"random({rng.randrange(1000)}):{elements}"
    return f"{kind}[{values}]"


class Kernel:
    """Builds the text of one kernel."""

    def __init__(self, opcode, tokens, operands, number, setting):
        self.opcode, self.tokens, self.operands = opcode, tokens, operands
        self.name = re.sub(r"\W", "_", ".".join([opcode, *tokens])) + \
            f"_{number}"
        self.rng = random.Random(self.name + setting.seed)
        self.setting = setting
        self.types = [t for t in tokens if t in REGISTER] + ["b32", "b32"]
        self.geometry = next((t for t in tokens if t in SHAPES), "2d")
        self.input = ("places" if opcode.startswith("su") and opcode != "suq"
                      else "floats" if self.types[1] == "f32" else "integers")
        self.body, self.stores, self.arguments = [], [], []
        self.used, self.word = 0, 0

    def register(self, ty):
        self.used += 1
        return f"{REGISTER[ty]}{self.used}"

    def type_of(self, rule):
        return {"": self.types[0], "2": self.types[1]}.get(rule, rule)

    def number(self, ty, wanted):
        """A register that holds the next number of the thread's row."""
        register = self.source(ty)
        if (self.input, wanted) == ("floats", "s32"):
            self.body.append(f"  cvt.rni.s32.f32 {register}, {register};")
        if (self.input, wanted) == ("integers", "f32"):
            self.body.append(f"  cvt.rn.f32.s32 {register}, {register};")
        return register

    def places(self, text):
        """The coordinates of a texture. A layer comes first."""
        numbers = iter(["s32"] if self.geometry.startswith("a") else [])
        return self.vector(
            text, lambda ty: self.number(ty, next(numbers, self.types[1])))

    def source(self, ty):
        """A register that holds the next words of the thread's row."""
        register, place = self.register(ty), 4 * self.word
        if REGISTER[ty] == "%rd":
            self.body.append(f"  ld.global.b64 {register}, "
                             f"[%in+{place // 8 * 8}];")
            self.word += 2
        elif REGISTER[ty] == "%h":
            self.body.append(f"  ld.global.b16 {register}, [%in+{place}];")
            self.word += 1
        else:
            self.body.append(f"  ld.global.b32 {register}, [%in+{place}];")
            self.word += 1
        return register

    def result(self, ty):
        register = self.register(ty)
        at = 8 * len(self.stores)
        bits = {"%rd": 64, "%r": 32, "%h": 16}[REGISTER[ty]]
        self.stores.append(f"  st.global.b{bits} [%out+{at}], {register};")
        return register

    def vector(self, text, make):
        name, _, rule = text.lstrip("%|").partition(":")
        name, star, count = name.partition("*")
        ty = self.type_of(rule)
        if not star:
            return make(ty)
        count = int(count) if count else next(
            (int(t[1]) for t in self.tokens if re.fullmatch(r"v\d", t)), 1)
        return "{" + ", ".join(make(ty) for _ in range(count)) + "}"

    def is_store(self):
        return self.opcode in ("sust", "sured")

    def handle(self):
        """The image, and how the text names it."""
        kind = "surf" if self.opcode.startswith("su") else "tex"
        by_variable = (self.opcode in ("txq", "suq") or
                       self.opcode != "istypep" and self.rng.random() < 0.3)
        if kind == "surf":
            elements, fmt, notation = self.surface_image()
        else:
            extents = self.setting.shapes[self.geometry]
            most = max(extents[:SPATIAL.get(self.geometry, 2)]).bit_length()
            levels = 1 if self.geometry in ("2dms", "a2dms") or \
                self.opcode == "tld4" else \
                min(most, self.rng.choice([1, 2]))
            elements, fmt, notation = image(self.rng, self.geometry,
                                            self.setting.shapes,
                                            levels=levels)
            notation += "," + sampler(
                self.rng, fmt, "cube" in self.geometry and not by_variable)
            # CUDA knows no other coordinates of several levels.
            if levels > 1 and "normalized" not in notation:
                notation += ",normalized"
        values = buffer(elements, fmt, self.rng)
        role = f"io={values}->[ref]" if self.is_store() else f"in={values}"
        if not by_variable:
            word = "surface" if kind == "surf" else "texture"
            self.arguments.append((f"{role}@{word}({notation})", True))
            return "%handle"
        self.arguments.append(
            (f"{role}@{kind}ref({kind}_{self.name},{notation})", False))
        self.variable = f".global .{kind}ref {kind}_{self.name};\n"
        return f"{kind}_{self.name}"

    def surface_image(self):
        """Texels are as wide as the elements of `.b`."""
        if "p" in self.tokens:
            fmt = self.rng.choice(["u8", "s16", "f16", "u32", "s32", "f32"])
            if self.opcode == "sured":
                fmt = self.rng.choice(["u32", "s32"])
            count = 2 if self.types[0] == "b64" else \
                self.rng.choice([1, 2, 4])
            return image(self.rng, self.geometry, self.setting.shapes, fmt=fmt,
                         channels=1 if self.opcode == "sured" and count != 2
                         else count)
        return image(self.rng, self.geometry, self.setting.shapes, channels=4,
                     fmt="u32")

    def coordinates(self, text):
        """Of surfaces: places that no two threads share."""
        name, _, rule = text.partition(":")
        count = int(name.partition("*")[2] or 1)
        element = {"b8": 1, "b16": 2, "b64": 8, "u64": 8, "s64": 8}.get(
            self.types[0], 4)
        size = element * next((int(t[1]) for t in self.tokens
                               if re.fullmatch(r"v\d", t)), 1)
        extents = self.setting.shapes[self.geometry]
        unit = 1 if "p" in self.tokens else size
        across = extents[0] if "p" in self.tokens else \
            extents[0] * 16 // size
        if self.opcode == "sured" and "p" in self.tokens:
            unit = 1
        # Numbers of a place: x, then y and z, or the layer.
        spread = [across] + extents[1:]
        self.body.append("  ld.global.u32 %place, [%in];")
        self.word = 1
        registers = []
        for n in spread:
            x = self.register("b32")
            self.body += [f"  rem.u32 {x}, %place, {n};",
                          f"  div.u32 %place, %place, {n};"]
            registers.append(x)
        # The last dimension goes beyond the end where nothing is written.
        may_leave = ("zero" in self.tokens or
                     ("clamp" in self.tokens and self.opcode != "sust"))
        if may_leave:
            self.body.append(f"  mad.lo.u32 {registers[-1]}, %place, "
                             f"{spread[-1]}, {registers[-1]};")
        else:
            self.body += ["  setp.ne.u32 %beyond, %place, 0;",
                          "  @%beyond bra END;"]
        self.body.append(
            f"  mul.lo.u32 {registers[0]}, {registers[0]}, {unit};")
        if self.geometry.startswith("a"):  # the layer is last in the notation
            registers = registers[-1:] + registers[:-1]
        registers += registers[-1:] * (count - len(registers))
        return "{" + ", ".join(registers[:count]) + "}"

    def operand(self, text):
        if text.startswith("["):
            parts = text[1:-1].split(",")
            words = [self.handle()]
            for part in parts[1:]:
                if part.endswith(":b64"):
                    self.add_sampler()
                    words.append("%sampler")
                elif self.opcode.startswith("su"):
                    words.append(self.coordinates(part))
                else:
                    words.append(self.places(part))
            return "[" + ", ".join(words) + "]"
        if text.lstrip("|").startswith("d") or text.startswith("|"):
            if text.endswith(":pred"):
                return "%q"
            return self.vector(text, self.result)
        if self.opcode == "istypep":
            return self.handle()
        # Bits are offsets, but for surfaces, which store them.
        return self.vector(text, lambda ty: self.number(
            ty, "s32" if ty == "b32" else ty))

    def add_sampler(self):
        elements, fmt, notation = image(self.rng, "1d", self.setting.shapes,
                                        channels=1)
        notation += "," + sampler(self.rng, fmt)
        self.arguments.append(
            (f"in={buffer(elements, fmt, self.rng)}@texture({notation})", True))
        self.has_sampler = True

    def build(self):
        self.variable, self.has_sampler = "", False
        words = ""
        for text in self.operands:
            second = text.startswith("|")
            words += ("|" if second else ", " if words else " ") + \
                self.operand(text)
        statement = ".".join([self.opcode, *self.tokens]) + words + ";"
        if "%q" in words:
            self.body.append("  setp.ne.u32 %q, 0, 0;")
            self.stores.append("  selp.u32 %one, 1, 0, %q;\n"
                               f"  st.global.b32 [%out+{8*len(self.stores)}],"
                               " %one;")
        return self.text(statement)

    def text(self, statement):
        params = ["out", "in"] + [f"h{i}" for i, (_, is_param) in
                                  enumerate(self.arguments) if is_param]
        loads = [f"  ld.param.u64 {r}, [{p}];" for r, p in
                 zip(["%out", "%in", *self.handle_registers()], params)]
        # Some lanes only, in every other kernel.
        guard = "@%some " if self.rng.random() < 0.5 else ""
        results = 8 * max(1, len(self.stores))
        zero = [f"  st.global.b64 [%out+{at}], 0;"
                for at in range(0, results, 8)]
        run = [f"out=u32[ref:{THREADS * results // 4}]", f"in=u32[@{self.setting.inputs(self.input)}]",
               *(word for word, _ in self.arguments)]
        return "\n".join([
            f".visible .entry {self.name}(" +
            ", ".join(f".param .u64 {p}" for p in params) + ")", "{",
            "  .reg .b64 %out, %in, %handle, %sampler, %at;",
            "  .reg .b32 %t, %place, %one, %mixed;",
            "  .reg .pred %q, %some, %beyond;",
            f"  .reg .b16 %h<{self.used + 1}>; .reg .b32 %r<{self.used + 1}>;"
            f" .reg .b64 %rd<{self.used + 1}>;",
            *loads, "  mov.u32 %t, %tid.x;",
            f"  mad.wide.u32 %out, %t, {results}, %out;",
            f"  mad.wide.u32 %in, %t, {4 * WORDS}, %in;",
            "  and.b32 %mixed, %t, 5;", "  setp.ne.u32 %some, %mixed, 1;",
            *self.body, *zero, f"  {guard}{statement}",
            *(f"  {guard}{line.strip()}" if "\n" not in line else
              "\n".join(f"  {guard}{part.strip()}"
                        for part in line.split("\n"))
              for line in self.stores),
            "END:", "  ret;", "}",
            f"// run: {self.name} block={THREADS} " + " ".join(run), ""])

    def handle_registers(self):
        """The registers of the handles that are parameters, in order."""
        names = []
        for word, is_param in self.arguments:
            if is_param:
                is_sampler = self.has_sampler and word is \
                    self.arguments[-1][0] and len(self.arguments) > 1
                names.append("%sampler" if is_sampler else "%handle")
        return names


def kernels(opcode, syntax, seen, setting=FORMS):
    """(variables, text) of the kernels of a form. `seen` has those of earlier
    forms."""
    head, _, operand_text = syntax.partition(" ")
    choices = [tokens + ([""] if optional else [])
               for tokens, optional in modifiers(head[len(opcode):])]
    operands = split(operand_text)
    for spelling in itertools.product(*choices):
        tokens = [t for t in spelling if t]
        key = opcode, tuple(tokens), operand_text
        if key not in seen:
            seen.add(key)
            kernel = Kernel(opcode, tokens, operands, len(seen), setting)
            text = kernel.build()
            yield kernel.variable, text


def main():
    forms, seed, out = sys.argv[1:4]
    rng, seen = random.Random(seed), set()
    name = os.path.splitext(os.path.basename(out))[0]
    setting = Setting(seed, random_shapes(rng), (name + "-{}.bin").format)
    made = []
    for row in open(forms):
        opcode, _, syntax, _ = row.rstrip("\n").split("\t")
        if opcode in OPCODES:
            made += kernels(opcode, syntax, seen, setting)
    made = rng.sample(made, RANDOM_KERNELS)
    write_inputs(os.path.dirname(out), setting)
    with open(out, "w") as f:
        f.write(f".version {NEWEST_PTX}\n.target sm_90\n.address_size 64\n")
        f.writelines(variable for variable, _ in made)
        f.writelines(text for _, text in made)


if __name__ == "__main__":
    main()
