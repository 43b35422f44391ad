# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random instances of the forms of the ISA table, for random-kernels.py.

Registers have classes, which confine what the ISA leaves open: the bits of an
f32 or f64 NaN never reach integers, and results that are approximate, or that
take the sign of a NaN, go to registers that nothing reads. Each thread has
memory of its own in every space, with parts for integers, f32 and f64.
"""
import collections
import re

import video_form_tests
from form_syntax import (HAND_WRITTEN, HAND_WRITTEN_OPS, NEWEST_PTX, WIDTH,
                         modifiers)
from known_form_tests import split
from texture_form_tests import OPCODES as TEXTURES

# The number of registers of each class, and their type.
POOLS = {"p": (4, "pred"), "r": (8, "b32"), "h": (8, "b16"), "w": (4, "b64"),
         "o": (2, "b128"), "s": (8, "f32"), "d": (4, "f64"), "g": (2, "b64"),
         "e": (2, "b8")}
# Sizes of the parts of a thread's memory, in bytes: integers, f32, f64.
PARTS = {"i": 64, "f": 32, "d": 32}
# The type and the class of registers by which a part is loaded and stored.
PART_TYPES = {"i": "b32", "f": "f32", "d": "f64"}
PART_CLASSES = {"i": "r", "f": "s", "d": "d"}
TARGETS = ["sm_90a", "sm_100a", "sm_103a", "sm_120a"]
MEMORY = {"ld", "ldu", "st", "atom", "red", "multimem"}
MATRIX = {"mma", "wmma", "ldmatrix", "stmatrix", "movmatrix"}
TILE_MOVES = {"wmma.load", "wmma.store"}
COLLECTIVE = {"vote", "match", "redux", "elect", "shfl", "activemask"}
ASYNC = {"cp.async", "cp.async.mbarrier.arrive", "cp.bulk.load",
         "cp.bulk.store", "cp.bulk.peer", "cp.reduce.peer", "cp.reduce.store",
         "st.async", "red.async", "st.bulk", "mbarrier.arrive",
         "mbarrier.wait", "mbarrier.tx", "clusterlaunchcontrol.try_cancel"}
# Instructions that may stand anywhere and have no result.
ADVICE = {"fence", "membar", "prefetch", "prefetchu", "applypriority",
          "createpolicy", "griddepcontrol", "pmevent", "nanosleep", "discard",
          "brkpt", "trap"}
# Bits of an element of a tile.
TILE_BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "s32": 32,
             "f64": 64, "u8": 8, "s8": 8, "u4": 4, "s4": 4, "b1": 1}

Row = collections.namedtuple("Row", "opcode op slots operands")


def runs_on(needed, target):
    """Whether a module for `target` may have a form that needs `needed`."""
    number, suffix = re.fullmatch(r"sm_(\d+)(\w?)", needed).groups()
    has = int(re.match(r"sm_(\d+)", target)[1])
    if suffix == "a":
        return needed == target
    if suffix == "f":
        return has // 10 == int(number) // 10 and has >= int(number)
    return has >= int(number)


def class_of(ty):
    if ty in ("pred", "f32", "f64", "f32x2", "e2m1x2"):
        return {"pred": "p", "f32": "s", "f64": "d", "f32x2": "g",
                "e2m1x2": "e"}[ty]
    return {8: "h", 16: "h", 32: "r", 64: "w", 128: "o"}[max(WIDTH[ty], 8)]


def part_of(kind):
    """The part of memory that values of a class are stored to."""
    return {"s": "f", "d": "d"}.get(kind, "i")


class FormTable:
    """The forms of a target, grouped by what a program needs to run them."""

    def __init__(self, path, target):
        self.groups = {k: {} for k in
                       ("pure", "memory", "async", "collective", "matrix",
                        "advice")}
        for line in open(path):
            opcode, op, syntax, needed = line.rstrip("\n").split("\t")
            group = self.group(opcode, op, syntax)
            if group and runs_on(needed, target):
                head, _, operands = syntax.partition(" ")
                row = Row(opcode, op, modifiers(head[len(opcode):]),
                          split(operands))
                key = op if group == "async" or op in TILE_MOVES else opcode
                self.groups[group].setdefault(key, []).append(row)
        self.decks = {group: [] for group in self.groups}

    @staticmethod
    def group(opcode, op, syntax):
        # Copies of tensors have random programs of their own
        # (tensor_form_tests.py), as have wgmma (wgmma_form_tests.py). Tensor
        # memory has to be allocated (tensor_memory_form_tests.py), and textures
        # have to be bound (texture_form_tests.py).
        if opcode in TEXTURES:
            return None
        if op == "unlowered" or op.startswith(("tensor.", "tensormap.",
                                               "wgmma", "tcgen05.")):
            return None
        if opcode in ADVICE:
            return None if "tensormap" in syntax else "advice"
        if op in ASYNC:
            return "async"
        if op in ("st.async.global", "red.async.global"):
            return "memory"
        if opcode in MEMORY:
            return "memory"
        if opcode in MATRIX:
            return "matrix"
        if opcode in COLLECTIVE:  # PTX of these targets has the sync forms
            return ("collective" if "sync" in syntax or opcode == "activemask"
                    else None)
        if op in ("mov.wide", "mov.vector"):
            return "pure"
        if op == "advice" or opcode in HAND_WRITTEN or op in HAND_WRITTEN_OPS:
            return None
        return "pure"

    def pick(self, rng, group):
        """A form and its modifiers. All opcodes are equally frequent."""
        rows, deck = self.groups[group], self.decks[group]
        if not deck:
            deck += sorted(rows)
            rng.shuffle(deck)
        row = rng.choice(rows[deck.pop()])
        return row, [rng.choice(choice) for choice, optional in row.slots
                     if not optional or rng.random() < 0.5]


def vector_length(tokens):
    return int(next((t[1:] for t in tokens if re.fullmatch(r"v\d", t)), 1))


def leaves_bits_open(opcode, tokens, types):
    floats = types and types[0] in ("f32", "f64")
    return ("approx" in tokens or "full" in tokens
            or floats and (opcode == "copysign" or "xorsign" in tokens))


class FormWriter:
    """Writes statements through a Writer of random-kernels.py."""

    def __init__(self, table, writer):
        self.table = table
        self.writer = writer
        self.rng = writer.rng

    def register(self, kind):
        return f"%{kind}{self.rng.randrange(POOLS[kind][0])}"

    def registers(self, kind, count):
        """Registers, which are different if there are enough."""
        if count > POOLS[kind][0]:  # only for sources
            return [self.register(kind) for _ in range(count)]
        return [f"%{kind}{i}"
                for i in self.rng.sample(range(POOLS[kind][0]), count)]

    def list_of(self, kind, count):
        names = self.registers(kind, count)
        return names[0] if count == 1 else "{" + ", ".join(names) + "}"

    def emit(self, text):
        self.writer.emit(text)

    def statement(self, row, tokens, address=None):
        """The text of an instance, without guard; `address` replaces `[a]`."""
        types = [t for t in tokens if t in WIDTH]
        lost = leaves_bits_open(row.opcode, tokens, types)
        out = row.opcode + "".join("." + t for t in tokens)
        first = True
        for text in row.operands:
            if text.startswith("&"):
                continue
            if text.startswith("[") and not address:
                return None
            optional = text.startswith("?") and "policy" not in text
            if (optional or text.startswith("|")) and self.rng.random() < 0.5:
                continue
            word = (f"[{address}]" if text.startswith("[") else
                    self.operand(row, text, tokens, types, first, lost))
            out += (" " if first else "|" if text.startswith("|") else ", ")
            out += word
            first = False
        return out + ";"

    def operand(self, row, text, tokens, types, first, lost):
        rng = self.rng
        if text.startswith("#"):
            values = text.partition("=")[2] or "1"
            return rng.choice(re.split(r"\||\.\.", values))
        if row.op == "video":
            return self.video_operand(text)
        name, _, rule = text.lstrip("?|!%").partition(":")
        if name == "immLut":
            return str(rng.randrange(256))
        if name == "policy":
            return "0"
        if name == "hint":
            return "100"
        if name == "m":
            return "-1"
        name, star, number = name.partition("*")
        ty = (rule if rule not in ("", "2", "w") else
              types[1] if rule == "2" else
              {"16": "b32", "32": "b64"}[str(WIDTH[types[0]])] if rule == "w"
              else "pred" if text.startswith("|") else
              types[0] if types else "b32")
        kind = class_of(ty)
        if row.op == "st.async.global" and WIDTH[ty] == 8:
            kind = "e"  # unlike st, it refuses wider registers
        if star:
            count = int(number) if number else vector_length(tokens)
            if count == 1 and number:  # matrices have lists of one, too
                return "{" + self.register(kind) + "}"
            return self.list_of(kind, count)
        if first and lost:
            return f"%j{kind}"
        negated = text.startswith("!") and rng.random() < 0.3
        return ("!" if negated else "") + self.register(kind)

    def video_operand(self, text):
        m = re.match(r"(-?)(~([24]?))?([dabc])", text)
        part = (video_form_tests.selector(int(m[3] or 1), m[4] == "d",
                                          self.rng.randrange(1 << 16))
                if m[2] else "")
        return m[1] + self.register("r") + part

    # -- one thread, no memory ---------------------------------------------

    def pure(self):
        row, tokens = self.table.pick(self.rng, "pure")
        if row.op == "mov" and self.rng.random() < 0.4:
            self.emit(self.writer.guard() + self.packing())
            return
        self.emit(self.writer.guard() + self.statement(row, tokens))

    def packing(self):
        """A mov that joins registers, or splits one."""
        wide, narrow, count = self.rng.choice(
            [("r", "h", 2), ("w", "r", 2), ("w", "h", 4)])
        bits = {"r": 32, "w": 64}[wide]
        parts, whole = self.list_of(narrow, count), self.register(wide)
        pair = [whole, parts] if self.rng.random() < 0.5 else [parts, whole]
        return f"mov.b{bits} {pair[0]}, {pair[1]};"

    def advice(self):
        row, tokens = self.table.pick(self.rng, "advice")
        if row.opcode == "trap":
            self.emit("setp.ne.u32 %q, %lin, %lin; @%q trap;")
            return
        if row.opcode == "nanosleep":
            text = f"nanosleep.u32 {self.rng.randrange(20)};"
        elif row.opcode == "createpolicy" and "cvt" in tokens:
            return
        else:
            text = self.statement(
                row, tokens, "box" if "local" in tokens else "%line")
        if row.opcode == "createpolicy":
            text = text.split(" ")[0] + (" %jw, [%line], 128, 128;"
                                         if "range" in tokens
                                         else " %jw, 0.5;")
        self.emit(text)

    # -- memory of the thread's own ----------------------------------------

    def place(self, base, part, size):
        """An address in a part of memory, sometimes computed at run time."""
        last = PARTS[part] // size
        offset = self.rng.randrange(last) * size
        if not base.startswith("%") or self.rng.random() < 0.75:
            return f"{base}+{offset}"
        self.emit(f"and.b32 %i, {self.register('r')}, {(last - 1) * size};"
                  if last & (last - 1) == 0 else f"mov.u32 %i, {offset};")
        self.emit(f"cvt.u64.u32 %a, %i; add.u64 %a, %a, {base};")
        return "%a"

    def base(self, row, tokens, types, part):
        """The base of the thread's memory in the state space of a form."""
        words = " ".join(tokens)
        if "const" in tokens:
            return "constants"
        if "param" in words:
            is_load = "func" not in words and row.opcode == "ld"
            return "blob" if is_load else None
        if "nc" in tokens or row.opcode == "ldu":
            return "%ro"
        if "shared" in words:
            return f"%s{part}"
        if "local" in tokens:
            return f"%l{part}"
        only_global = {"global", "mmio", "async"} & set(tokens) or (
            vector_length(tokens) * WIDTH[types[0]] == 256)
        shared_too = (row.opcode in ("ld", "st", "atom", "red")
                      and not only_global)
        return (f"%x{part}" if shared_too and self.rng.random() < 0.4
                else f"%g{part}")

    def memory(self):
        row, tokens = self.table.pick(self.rng, "memory")
        types = [t for t in tokens if t in WIDTH]
        if not types or any(":b8" in o for o in row.operands):
            return
        kind = class_of(types[0])
        count = vector_length(tokens)
        part = part_of(kind)
        base = self.base(row, tokens, types, part)
        if base is None or count > POOLS[kind][0]:
            return
        address = self.place(base, part, WIDTH[types[0]] // 8 * count)
        text = self.statement(row, tokens, address)
        if "cas" in tokens and self.rng.random() < 0.5:
            # Half of the compare-and-swaps succeed.
            space = ".shared" if base.startswith("%s") else ""
            compared = text.split("],")[1].split(",")[0].strip()
            self.emit(f"ld{space}.{'b%d' % WIDTH[types[0]]} {compared}, "
                      f"[{address}];")
        if row.opcode == "ld" and kind == "h" and self.rng.random() < 0.3:
            text = re.sub(r"%h(\d)", r"%r\1", text)  # widened
        self.emit(self.writer.guard() + text)

    def frame(self):
        """Memory that the thread allocates on its stack."""
        value, at = self.register("r"), self.register("r")
        self.emit("stacksave.u64 %jw; alloca.u64 %a, 32;")
        self.emit(f"st.local.u32 [%a+4], {value};")
        self.emit(f"ld.local.u32 {at}, [%a+4];")
        self.emit("stackrestore.u64 %jw;")

    def windows(self):
        """Queries the space of an address, or converts it to another space."""
        rng = self.rng
        space = rng.choice(["global", "shared", "local", "const", "param",
                            "shared::cta", "shared::cluster"])
        generic = rng.choice(["%gi", "%xi", "%yi"])
        self.emit(f"isspacep.{space} {self.register('p')}, {generic};")
        if rng.random() < 0.5:
            self.emit("cvta.to.shared.u64 %a, %xi;")
            self.emit(f"ld.shared.u32 {self.register('r')}, [%a];")
        else:
            self.emit("cvta.local.u64 %a, %li;")
            self.emit(f"st.u32 [%a], {self.register('r')};")
        self.emit("mapa.u64 %a, %xi, 0;")
        self.emit(f"ld.u32 {self.register('r')}, [%a];")
        self.emit(f"getctarank.u64 {self.register('r')}, %xi;")

    # -- mbarriers and asynchronous copies ----------------------------------

    def asynchronous(self):
        row, tokens = self.table.pick(self.rng, "async")
        text = row.opcode + "".join("." + t for t in tokens)
        {"mbarrier.arrive": self.arrive, "mbarrier.wait": self.wait,
         "mbarrier.tx": self.transaction, "cp.async": self.copy,
         "cp.async.mbarrier.arrive": self.copy_arrive,
         "st.bulk": self.bulk_fill, "st.async": self.remote,
         "red.async": self.remote,
         "clusterlaunchcontrol.try_cancel": self.cancel,
         }.get(row.op, self.bulk)(row, tokens, text)

    def barrier(self, tokens):
        words = " ".join(tokens)
        return "%bar" if "shared" in words else "%barx"

    def begin(self, count):
        self.emit(f"mbarrier.init.shared.b64 [%bar], {count};")

    def end(self):
        spin = self.writer.label()
        self.emit(f"{spin}:")
        self.emit("mbarrier.try_wait.parity.shared.b64 %q, [%bar], 0;")
        self.emit(f"@!%q bra {spin};")
        self.emit("mbarrier.inval.shared.b64 [%bar];")

    def arrive(self, row, tokens, text):
        partial = "noComplete" in tokens
        self.begin(2 if partial else 1)
        state = "_" if "_" in row.operands else "%jw"
        counted = any(o.startswith("b:") for o in row.operands)
        count = ", 0" if "expect_tx" in tokens else ", 1" if counted else ""
        self.emit(f"{text} {state}, [{self.barrier(tokens)}]{count};")
        if state != "_":
            self.emit(f"mbarrier.pending_count.b64 {self.register('r')}, %jw;")
        if partial:
            self.emit("mbarrier.arrive.shared.b64 %jw, [%bar];")
        self.end()

    def wait(self, row, tokens, text):
        self.begin(1)
        self.emit("mbarrier.arrive.shared.b64 %jw, [%bar];")
        phase = "0" if "parity" in tokens else "%jw"
        hint = ", 100" if any("hint" in o for o in row.operands) else ""
        self.emit(f"{text} {self.register('p')}, [{self.barrier(tokens)}], "
                  f"{phase}{hint};")
        self.emit("mbarrier.inval.shared.b64 [%bar];")

    def transaction(self, row, tokens, text):
        self.begin(1)
        other = "complete_tx" if "expect_tx" in tokens else "expect_tx"
        both = [f"{text} [{self.barrier(tokens)}], 48;",
                f"mbarrier.{other}.relaxed.cta.shared.b64 [%bar], 48;"]
        for line in both if "expect_tx" in tokens else both[::-1]:
            self.emit(line)
        self.emit("mbarrier.arrive.shared.b64 %jw, [%bar];")
        self.end()

    def copy(self, row, tokens, text):
        size = int(self.rng.choice(
            next(o for o in row.operands if o.startswith("#"))
            .partition("=")[2].split("|")))
        at = self.rng.randrange(64 // size) * size
        text += f" [%si+{at}], [%ro+{at}], {size}"
        if any(o.startswith("size") for o in row.operands):
            text += f", {self.rng.randrange(size + 1)}"
        if any("ignore" in o for o in row.operands):
            text += f", {self.register('p')}"
        if "L2::cache_hint" in tokens:
            text += ", 0"
        self.emit(self.writer.guard() + text + ";")
        self.emit(self.rng.choice(
            ["cp.async.wait_all;",
             "cp.async.commit_group; cp.async.wait_group 0;"]))

    def copy_arrive(self, row, tokens, text):
        self.begin(1)
        self.emit("cp.async.ca.shared.global [%si+8], [%ro+16], 8;")
        self.emit(f"{text} [{self.barrier(tokens)}];")
        if "noinc" not in tokens:
            self.emit("mbarrier.arrive.shared.b64 %jw, [%bar];")
        self.end()

    def bulk_fill(self, row, tokens, text):
        at = self.rng.choice([0, 16, 32])
        base = "%si" if "shared::cta" in tokens else "%xi"
        self.emit(f"{self.writer.guard()}{text} [{base}+{at}], "
                  f"{self.rng.choice([8, 16, 32])}, 0;")

    def remote(self, row, tokens, text):
        types = [t for t in tokens if t in WIDTH]
        kind, count = class_of(types[0]), vector_length(tokens)
        size = WIDTH[types[0]] // 8 * count
        shared = "shared::cluster" in tokens
        part = part_of(kind)
        base = f"%s{part}" if shared else f"%x{part}"
        at = self.rng.randrange(PARTS[part] // size) * size
        self.begin(1)
        self.emit(f"mbarrier.arrive.expect_tx.shared.b64 %jw, [%bar], {size};")
        self.emit(f"{text} [{base}+{at}], {self.list_of(kind, count)}, "
                  f"[{'%bar' if shared else '%barx'}];")
        self.end()

    def cancel(self, row, tokens, text):
        """A request to cancel a CTA; there is only one, so none is left."""
        shared = "shared::cta" in tokens
        self.begin(1)
        self.emit("mbarrier.arrive.expect_tx.shared.b64 %jw, [%bar], 16;")
        self.emit(f"{text} [{'%si' if shared else '%xi'}], "
                  f"[{'%bar' if shared else '%barx'}];")
        self.end()
        # The ISA does not say what the answer looks like.
        self.emit("ld.shared.b128 %jo, [%si];")
        self.emit("clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 "
                  f"{self.register('p')}, %jo;")
        self.emit(f"st.shared.v4.b32 [%si], {self.list_of('r', 4)};")

    def bulk(self, row, tokens, text):
        """Bulk copies and reductions, to the part of memory for their type."""
        types = [t for t in tokens if t in WIDTH]
        part = part_of(class_of(types[0])) if types else "i"
        size = self.rng.choice([16, 32])
        load, peer = row.op == "cp.bulk.load", row.op.endswith("peer")
        target = f"%s{part}" if load or peer else f"%g{part}"
        source = "%ro" if load else f"%s{part}"
        offset = PARTS[part] - 32  # integers: behind the source
        if load or peer:
            self.begin(1)
            self.emit("mbarrier.arrive.expect_tx.shared.b64 %jw, [%bar], "
                      f"{size};")
        text += f" [{target}+{offset}], [{source}], {size}"
        text += ", [%bar]" if load or peer else ""
        text += ", 1" if "multicast::cluster" in tokens else ""
        text += ", 0" if "L2::cache_hint" in tokens else ""
        if "cp_mask" in tokens:
            text += f", {self.register('h')}"
        self.emit(text + ";")
        if load or peer:
            self.end()
        else:
            self.emit("cp.async.bulk.commit_group; "
                      "cp.async.bulk.wait_group 0;")

    # -- whole warps --------------------------------------------------------

    def collective(self, whole_warps):
        row, tokens = self.table.pick(self.rng, "collective")
        if row.opcode == "activemask":
            self.emit("activemask.b32 %jr;")
            return
        if row.opcode == "shfl":
            if not whole_warps:
                return
            limit = "0" if "up" in tokens else "31"
            text = self.statement(row, tokens)
            head, *rest = text.rstrip(";").split(", ")
            self.emit(", ".join([head, *rest[:2], limit, "-1"]) + ";")
            return
        self.emit(self.statement(row, tokens))

    def tile(self, row, tokens):
        """Loads and stores of wmma, in the memory of all lanes together."""
        part = "f" if "f32" in tokens else "d" if "f64" in tokens else "i"
        shape = next(f for f in (re.fullmatch(r"m(\d+)n(\d+)k(\d+)", t)
                                 for t in tokens) if f)
        m, n, k = map(int, shape.groups())
        rows, columns = {"a": (m, k), "b": (k, n)}.get(tokens[1], (m, n))
        lines, length = (rows, columns) if "row" in tokens else (columns, rows)
        element = next(t for t in reversed(tokens) if t in TILE_BITS)
        bits = TILE_BITS[element]
        # Lines may lie apart, by multiples of 16 bytes, as far as there is room.
        room = 32 * PARTS[part] * 8 // bits // lines
        stride = self.rng.randrange(length, room + 1, max(128 // bits, 1))
        spaces = " ".join(tokens)
        shared = "shared" in spaces
        base = (f"%g{part}" if "global" in spaces else f"%x{part}" if shared
                else self.rng.choice([f"%g{part}", f"%x{part}"]))
        self.emit("mov.u32 %i, %laneid;")
        self.emit(f"mul.wide.u32 %a, %i, {PARTS[part]};")
        self.emit(f"sub.u64 %a, {base}, %a;")
        if shared:
            self.emit("cvta.to.shared.u64 %a, %a;")
        text = self.statement(row, tokens, "%a")
        # The stride is the same in all lanes.
        text = re.sub(r", %r\d;$", f", {stride};", text)
        self.emit("bar.sync 0;")
        self.emit(text)
        self.emit("bar.sync 0;")

    def matrix(self):
        """Operations of whole warps on matrices."""
        row, tokens = self.table.pick(self.rng, "matrix")
        if row.op in TILE_MOVES:
            self.tile(row, tokens)
            return
        if row.opcode in ("ldmatrix", "stmatrix"):
            shared = any(t.startswith("shared") for t in tokens)
            text = self.statement(row, tokens, "%si" if shared else "%xi")
            self.emit("bar.sync 0;")
            self.emit(text)
            self.emit("bar.sync 0;")
            return
        text = self.statement(row, tokens)
        if "sp" in tokens or "sp::ordered_metadata" in tokens:
            # Which elements a sparse A keeps: patterns that are valid for all
            # types.
            kept = self.rng.choice(["0x44444444", "0xeeeeeeee"])
            self.emit(f"mov.b32 %i, {kept};")
            text = re.sub(r"%r\d, (0x\d)", r"%i, \1", text)
        # Which lanes' bytes of factors: any of them name some.
        self.emit(re.sub(r"\{%h\d, %h\d\}", "{0, 0}", text))


def declarations():
    """Declares registers of classes other than p and r, and unread ones."""
    lines = [f"  .reg .{ty} " + ", ".join(names(k)) + ";"
             for k, (n, ty) in POOLS.items() if k not in "pr"]
    lines += [f"  .reg .{POOLS[k][1]} %j{k};" for k in "rhwosdg"]
    return "\n".join(lines)


def names(kind):
    return [f"%{kind}{i}" for i in range(POOLS[kind][0])]


def numbers_of_arguments():
    """First values of a function's registers, of %x and %y."""
    lines = []
    for i in range(8):
        lines += [f"cvt.u16.u32 %h{i}, %r{i};",
                  f"cvt.rn.f32.s32 %s{i}, %r{7 - i};"]
    for i in range(4):
        lines += [f"mov.b64 %w{i}, {{%r{i}, %y}};",
                  f"cvt.rn.f64.s32 %d{i}, %r{i + 3};"]
    for i in range(2):
        lines += [f"mov.b128 %o{i}, {{%w{i}, %w{i + 2}}};",
                  f"mov.b64 %g{i}, {{%s{i}, %s{i + 4}}};",
                  f"cvt.u8.u32 %h7, %r{i}; mov.b16 {{%e{i}, _}}, %h7;"]
    return "\n".join("  " + x for x in lines)


# Buffers that a kernel reads: element type, generator, elements per thread.
INPUTS = {"ro": ("u32", "random(3)", 16), "hin": ("u16", "f16.c", 8),
          "fin": ("f32", "edges.c", 8), "din": ("f64", "edges.c", 4),
          "lines": ("u32", "zero", 64)}
# Buffers that a kernel writes, from registers and from the parts of memory.
OUTPUTS = {"hout": ("u16", 8), "wout": ("u64", 4), "oout": ("u64", 4),
           "sout": ("f32", 8), "dout": ("f64", 4), "gout": ("f32", 4),
           "eout": ("u8", 2), "xi": ("u32", 16), "xf": ("f32", 8),
           "xd": ("f64", 4), "yi": ("u32", 16), "yf": ("f32", 8),
           "yd": ("f64", 4)}
MEMORY_TYPES = {"i": ("u32", "random(4)", 16), "f": ("f32", "edges.b", 8),
                "d": ("f64", "edges.c", 4)}
BYTES = {"u8": 1, "b8": 1, "u16": 2, "u32": 4, "f32": 4, "b64": 8, "u64": 8,
         "f64": 8}
CONSTANTS = (".const .align 32 .b32 constants[16] = {"
             + ", ".join(hex(i * 0x9e3779b9 & 0xffffffff) for i in range(16))
             + "};\n")


def arguments(threads):
    """Words of the run line, and parameters, for random-kernels.py."""
    run, params = [], []
    for name, (ty, make, count) in INPUTS.items():
        run.append(f"in={ty}[{make}:{threads * count}]")
        params.append(f".param .u64 {name}")
    for part, (ty, make, count) in MEMORY_TYPES.items():
        run.append(f"io={ty}[{make}:{threads * count}]->[ref]")
        params.append(f".param .u64 g{part}")
    for name, (ty, count) in OUTPUTS.items():
        run.append(f"out={ty}[ref:{threads * count}]")
        params.append(f".param .u64 {name}")
    run.append("u8{" + ",".join(str(i * 37 % 256) for i in range(64)) + "}")
    params.append(".param .align 32 .b8 blob[64]")
    return " ".join(run), ", ".join(params)


def pointer(register, param, bytes_each):
    return [f"ld.param.u64 {register}, [{param}];",
            f"mad.wide.u32 {register}, %lin, {bytes_each}, {register};"]


def vectors(kind, ty, at, width, op):
    """Code that loads or stores all registers of a class."""
    regs = names(kind)
    size = BYTES[ty]
    for i in range(0, len(regs), width):
        v = regs[i:i + width]
        word = v[0] if width == 1 else "{" + ", ".join(v) + "}"
        vec = "" if width == 1 else f".v{width}"
        address = f"[{at}+{i * size}]"
        yield (f"ld.global{vec}.{ty} {word}, {address};" if op == "ld" else
               f"st.global{vec}.{ty} {address}, {word};")


def prologue(threads):
    """Declares the memory of each thread, and sets first values."""
    lines = [f"  .shared .align 32 .b8 shared_{p}[{PARTS[p] * threads}];"
             for p in PARTS]
    lines += [f"  .local .align 32 .b8 local_{p}[{PARTS[p]}];" for p in PARTS]
    lines += [f"  .shared .align 8 .b64 bars[{threads}];",
              "  .reg .b64 %ro, %line, %bar, %barx, %ptr;",
              "  .reg .b64 " + ", ".join(f"%{s}{p}" for s in "gslxy"
                                         for p in PARTS) + ";"]
    body = pointer("%ro", "ro", 64)
    for p, size in PARTS.items():
        body += pointer(f"%g{p}", f"g{p}", size)
        body += [f"mov.u64 %s{p}, shared_{p};",
                 f"mad.wide.u32 %s{p}, %lin, {size}, %s{p};",
                 f"cvta.shared.u64 %x{p}, %s{p};",
                 f"mov.u64 %l{p}, local_{p};", f"cvta.local.u64 %y{p}, %l{p};"]
        ty = PART_TYPES[p]
        for at in range(0, size, BYTES[MEMORY_TYPES[p][0]]):
            r = f"%{PART_CLASSES[p]}{at % 4}"
            body += [f"ld.global.{ty} {r}, [%g{p}+{at}];",
                     f"st.shared.{ty} [%s{p}+{at}], {r};",
                     f"st.local.{ty} [%l{p}+{at}], {r};"]
    # A line of 128 bytes per thread, whose contents nothing reads.
    body += pointer("%line", "lines", 256)
    body += ["add.u64 %line, %line, 127;", "and.b64 %line, %line, -128;",
             "mov.u64 %bar, bars;",
             "mad.wide.u32 %bar, %lin, 8, %bar;",
             "cvta.shared.u64 %barx, %bar;"]
    body += pointer("%ptr", "hin", 16) + list(vectors("h", "u16", "%ptr", 8, "ld"))
    body += ["ld.global.b8 %e0, [%ptr+1]; ld.global.b8 %e1, [%ptr+3];"]
    body += pointer("%ptr", "fin", 32) + list(vectors("s", "f32", "%ptr", 4, "ld"))
    body += ["ld.global.b64 %g0, [%ptr]; ld.global.b64 %g1, [%ptr+24];"]
    body += pointer("%ptr", "din", 32) + list(vectors("d", "f64", "%ptr", 2, "ld"))
    body += list(vectors("w", "u64", "%ro", 2, "ld"))
    body += ["mov.b128 %o0, {%w0, %w1}; mov.b128 %o1, {%w3, %w2};"]
    return "\n".join(lines + ["  " + x for x in body])


def epilogue():
    """Stores registers and memory to the buffers that are compared."""
    body = []
    for kind, ty, width in (("h", "u16", 8), ("w", "u64", 2), ("s", "f32", 4),
                            ("d", "f64", 2), ("g", "b64", 1), ("e", "b8", 1)):
        out = kind + "out"
        element, count = OUTPUTS[out]
        body += pointer("%ptr", out, BYTES[element] * count)
        body += vectors(kind, ty, "%ptr", width, "st")
    body += pointer("%ptr", "oout", 32)
    body += [f"mov.b128 {{%w0, %w1}}, %o{i}; "
             f"st.global.v2.u64 [%ptr+{16 * i}], {{%w0, %w1}};"
             for i in range(2)]
    for space, base, word in (("x", "s", ".shared"), ("y", "l", ".local")):
        for p, size in PARTS.items():
            ty, reg = PART_TYPES[p], f"%{PART_CLASSES[p]}0"
            body += pointer("%ptr", space + p, size)
            for at in range(0, size, BYTES[MEMORY_TYPES[p][0]]):
                body += [f"ld{word}.{ty} {reg}, [%{base}{p}+{at}];",
                         f"st.global.{ty} [%ptr+{at}], {reg};"]
    return "\n".join("  " + x for x in body)
