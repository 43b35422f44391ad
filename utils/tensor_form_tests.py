# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Execution tests of tensor copies and of `tensormap`.

    tensor_form_tests.py FORMLIST SEED OUT

writes random copies, of forms of `ptx-tblgen -gen-form-list`, for
random-stress.sh. make-form-tests.py makes a test of each form from this file.

A kernel makes several copies, one for each spelling of a form. The tensor map of
a copy is a variable of the module whose fields are drawn at random; only its
address is set by the kernel. So maps are drawn that `tensormap.replace` cannot
make (im2col). The kernel dumps all of shared memory after each load, and the
test all of the tensor after each store.
"""
import random
import re
import struct
import sys
import zlib

from form_syntax import NEWEST_PTX, modifiers

MAGIC = 0x024D5450  # PTXJIT_TENSOR_MAP_MAGIC
BITS = [8, 16, 32, 32, 64, 64, 16, 32, 32, 64, 16, 32, 32, 4, 4, 6]
U32, S32, U64, S64, F16, F32, F32_FTZ, F64, BF16 = 2, 3, 4, 5, 6, 7, 8, 9, 10
TF32, TF32_FTZ, B4X16, B4X16_P64, B6X16_P32 = 11, 12, 13, 14, 15
FLOATS = (F16, F32, F32_FTZ, F64, BF16, TF32, TF32_FTZ)
PADDED = (B4X16_P64, B6X16_P32)
TILED, IM2COL, IM2COL_W, IM2COL_W128 = range(4)
KINDS = {"im2col": IM2COL, "im2col_no_offs": IM2COL, "im2col::w": IM2COL_W,
         "im2col::w::128": IM2COL_W128}
# Table "valid combinations of operation and element type" of
# cp.reduce.async.bulk.tensor. Floats add in one order only, so any bits do.
REDUCED = {"add": [U32, S32, U64, F32, F32_FTZ, F16, BF16],
           "min": [U32, S32, U64, S64, F16, BF16],
           "max": [U32, S32, U64, S64, F16, BF16],
           "inc": [U32], "dec": [U32], "and": [U32, S32, U64, S64],
           "or": [U32, S32, U64, S64], "xor": [U32, S32, U64, S64]}
COPIES_OF_KERNEL = 6


class Copy:
    """One spelling of a form, with a map and operands drawn for it."""

    def __init__(self, mnemonic, rng):
        self.mnemonic = mnemonic
        self.words = mnemonic.split(".")
        self.dims = next(int(w[0]) for w in self.words
                         if re.fullmatch(r"\dd", w))
        self.mode = next((w for w in self.words
                          if w.startswith(("tile", "im2col"))), "tile")
        self.kind = KINDS.get(self.mode, TILED)
        self.reduction = None
        if self.words[1] == "reduce":
            self.reduction = next(w for w in self.words if w in REDUCED)
        self.is_load = "mbarrier::complete_tx::bytes" in self.words
        self.rng = rng
        self.draw_type()
        self.draw_layout()
        self.draw_extents()
        self.draw_operands()

    def draw_type(self):
        types = list(range(16))
        if self.reduction:
            types = REDUCED[self.reduction]
        elif not self.is_load:
            types.remove(B4X16_P64)
        if self.kind != TILED and not self.is_load:
            types = [t for t in types if t not in PADDED]
        self.type = self.rng.choice(types)
        self.bits = BITS[self.type]
        self.fill = int(self.type in FLOATS and self.rng.random() < 0.5)

    def draw_layout(self):
        rng = self.rng
        self.interleave = 0
        if (self.dims >= 3 and self.mode in ("tile", "im2col", "im2col_no_offs")
                and self.bits >= 8 and rng.random() < 0.3):
            self.interleave = rng.choice([1, 2])
        self.swizzle = rng.choice([0, 1, 2, 3, 3])
        if self.type in PADDED:
            self.swizzle = rng.choice([0, 3])
        self.atomicity = rng.randrange(4) if self.swizzle == 3 else 0
        if self.type in PADDED:
            self.atomicity = min(self.atomicity, 1)
        # Bytes of a row. One in three is narrower than its swizzle.
        width = [64, 32, 64, 128][self.swizzle]
        row = rng.choice([width, width, 16 * rng.randint(1, width // 16)])
        self.columns = 128 if self.type in PADDED else row * 8 // self.bits
        self.columns = min(self.columns, 256)

    def draw_extents(self):
        rng, dims = self.rng, self.dims
        self.steps = [1] + [rng.choice([1, 1, 2, 3]) for _ in range(4)]
        if self.interleave and self.kind == TILED:
            self.steps[0] = rng.choice([1, 2])
            self.columns = min(self.columns, 256 // self.steps[0])
        self.box = [self.columns * self.steps[0]] + [0] * 4
        for d in range(1, dims):
            self.box[d] = rng.randint(1, 9 if d == 1 else 3)
        if self.mode in ("tile::gather4", "tile::scatter4"):
            self.box[1] = 1
        self.pixels = rng.randint(1, 20)
        self.sizes = [rng.randint(max(1, self.box[0] // 2), self.box[0] + 40)]
        self.sizes += [rng.randint(1, 7) for _ in range(4)]
        if self.type in PADDED:
            self.sizes[0] = rng.choice([128, 256])
        if self.bits == 4:
            self.sizes[0] += self.sizes[0] % 2
        low, high = (-2, 2) if self.is_load else (0, 0)
        self.lower = [rng.randint(low, 1) for _ in range(3)]
        self.upper = [rng.randint(-1, high) for _ in range(3)]
        unit = 32 if self.interleave == 2 else 16
        size = -(-self.sizes[0] * self.bits // 8)
        self.strides = []
        for d in range(1, dims):
            size = -(-size // unit) * unit + unit * rng.randint(0, 1)
            self.strides.append(size)
            size *= self.sizes[d]
        self.tensor_bytes = -(-size // 256) * 256

    def count(self, d):
        return -(-self.box[d] // self.steps[d])

    def draw_operands(self):
        rng = self.rng
        outside = 2 if self.kind == TILED else 0
        self.at = [rng.randint(-outside, max(0, s - 1)) for s in self.sizes]
        self.at[0] = rng.choice([0, 0, rng.randint(-9, self.sizes[0])])
        if self.bits == 4:
            self.at[0] &= ~1
        if self.type in PADDED:
            self.at[0] = rng.choice([0, 128])
        self.at = self.at[:self.dims]
        if self.mode in ("tile::gather4", "tile::scatter4"):
            rows = rng.sample(range(-1, self.sizes[1] + 3), 4)
            self.at = [self.at[0]] + rows
        self.offsets = []
        if self.mode == "im2col":
            self.offsets = [rng.randint(0, 3) for _ in range(self.dims - 2)]
        elif self.kind in (IM2COL_W, IM2COL_W128):
            self.offsets = [rng.randint(0, 4), rng.randint(0, 3)]

    def rows(self):
        if self.mode in ("tile::gather4", "tile::scatter4"):
            return 4
        if self.kind == TILED:
            rows = 1
            for d in range(1, self.dims):
                rows *= self.count(d)
            return rows
        if self.kind == IM2COL_W:
            return self.pixels + self.offsets[0]
        if self.kind == IM2COL_W128:
            return 4 * (32 + self.offsets[0])
        return self.pixels

    def shared_bytes(self):
        bits = 8 if self.type in PADDED else self.bits
        return self.rows() * self.columns * bits // 8

    def counted_bytes(self):
        return self.rows() * self.columns * self.bits // 8

    def map(self):
        """The words of the tensor map, whose address is 0."""
        pad = lambda values, n: (list(values) + [0] * n)[:n]
        behind = struct.pack(
            "<HHHBBQ4Q5Q5H5B5B3h3h", self.columns, 0, self.pixels, self.dims,
            self.kind, 0, *pad(self.strides, 4),
            *pad(self.sizes[:self.dims], 5), *pad(self.box[:self.dims], 5),
            *pad(self.steps, 5), self.type, self.interleave, self.swizzle,
            self.atomicity, self.fill, *self.lower, *self.upper)
        total = 0xCBF29CE484222325
        for (word,) in struct.iter_unpack("<Q", behind):
            total = (total ^ word) * 0x100000001B3 % 2**64
            total ^= total >> 32
        data = struct.pack("<II", MAGIC, total % 2**32) + behind
        return [w for (w,) in struct.iter_unpack("<Q", data)]

    # -- Who receives what in a cluster of two CTAs; CTA 0 issues the copy.
    def is_to_cluster(self):
        return "shared::cluster" in self.words

    def is_multicast(self):
        return "multicast::cluster" in self.words

    def expected_bytes(self, rank):
        """What the mbarrier of a CTA counts."""
        bytes = self.counted_bytes()
        if not self.is_to_cluster():
            return bytes if rank == 0 else 0
        if self.is_multicast():
            if "cta_group::2" in self.words:  # CTA 0 counts for both
                return 2 * bytes if rank == 0 else 0
            return bytes
        if "cta_group::2" in self.words:
            return bytes if rank == 0 else 0
        return bytes if rank == 1 else 0  # the other CTA receives

    def operands(self):
        at = ", ".join(str(x) for x in self.at)
        tensor = f"[%map, {{{at}}}]"
        text = tensor
        if self.is_load:
            moved = self.is_to_cluster() and not self.is_multicast()
            dst = "%there" if moved else "%here"
            counts_there = moved and "cta_group::2" not in self.words
            mbar = "%barthere" if counts_there else "%barhere"
            text = f"[{dst}], {tensor}, [{mbar}]"
            if self.offsets:
                text += f", {{{', '.join(str(x) for x in self.offsets)}}}"
            if self.is_multicast():
                text += ", 3"
        else:
            text += ", [%here]"
        return text + (", %policy" if "L2::cache_hint" in self.words else "")


HEAD = """.visible .entry {name}(.param .u64 tensor, .param .u64 data)
{{
  .shared .align 1024 .b8 box[{bytes}];
  .shared .align 8 .b64 bar;
  .reg .b64 %map, %tensor, %data, %policy, %p, %state;
  .reg .b32 %here, %there, %barhere, %barthere, %t, %i, %a, %rank, %w<4>;
  .reg .pred %first, %issues, %more, %ends;
  mov.u32 %t, %tid.x; mov.u32 %rank, %cluster_ctarank;
  setp.eq.u32 %first, %t, 0; setp.eq.and.u32 %issues, %rank, 0, %first;
  ld.param.u64 %tensor, [tensor]; ld.param.u64 %data, [data];
  mov.b64 %policy, 0;
  mov.u32 %here, box; mov.u32 %barhere, bar;
  mapa.shared::cluster.u32 %there, %here, 1;
  mapa.shared::cluster.u32 %barthere, %barhere, 1;
"""
# Moves 16 bytes a thread between global memory at %p and the box.
EACH = """  shl.b32 %i, %t, 4;
{label}:
  add.u32 %a, %here, %i; cvt.u64.u32 %p, %i; add.u64 %p, %p, %data;
  {body}
  add.u32 %i, %i, 512; setp.lt.u32 %more, %i, {bytes};
  @%more bra {label};
"""
MEET = "  barrier.cluster.arrive; barrier.cluster.wait;\n"
SET_MAP = """  mov.u64 %map, map_{name}_{i};
  @%issues tensormap.replace.tile.global_address.global.b1024.b64 [%map], %tensor;
  fence.proxy.tensormap::generic.acquire.gpu [%map], 128;
"""


def load_kernel(name, copies):
    bytes = -(-max(c.shared_bytes() for c in copies) // 512) * 512 + 512
    text = HEAD.format(name=name, bytes=bytes)
    text += "  @%first mbarrier.init.shared.b64 [bar], 1;\n"
    # Each CTA has its own half of the output.
    text += (f"  mul.wide.u32 %p, %rank, {bytes * len(copies)};\n"
             "  add.u64 %data, %data, %p;\n")
    for i, copy in enumerate(copies):
        text += EACH.format(
            label=f"fill{i}", bytes=bytes,
            body="st.shared.v4.b32 [%a], {%i, 0xcdcdcdcd, %rank, %i};")
        text += SET_MAP.format(name=name, i=i)
        text += ("  setp.eq.u32 %ends, %rank, 1;\n"
                 f"  selp.u32 %w0, {copy.expected_bytes(1)}, "
                 f"{copy.expected_bytes(0)}, %ends;\n"
                 "  @%first mbarrier.arrive.expect_tx.shared.b64 %state, [bar],"
                 " %w0;\n")
        text += "  fence.proxy.async;\n" + MEET
        text += f"  @%issues {copy.mnemonic} {copy.operands()};\n"
        text += (f"wait{i}:\n  mbarrier.try_wait.parity.shared.b64 %ends, [bar],"
                 f" {i & 1};\n  @!%ends bra wait{i};\n" + MEET)
        text += EACH.format(
            label=f"dump{i}", bytes=bytes,
            body="ld.shared.v4.b32 {%w0, %w1, %w2, %w3}, [%a]; "
                 "st.global.v4.b32 [%p], {%w0, %w1, %w2, %w3};")
        text += f"  add.u64 %data, %data, {bytes};\n" + MEET
    text += "  ret;\n}\n"
    tensor = max(c.tensor_bytes for c in copies)
    seed = zlib.crc32(name.encode()) % 1000
    return (text + f"// run: {name} grid=2 cluster=2 block=32 "
            f"in=u32[random({seed}):{tensor // 4}] "
            f"out=u32[ref:{2 * bytes * len(copies) // 4}]\n")


def store_kernel(name, copies):
    bytes = -(-max(c.shared_bytes() for c in copies) // 512) * 512
    text = HEAD.format(name=name, bytes=bytes)
    for i, copy in enumerate(copies):
        text += EACH.format(
            label=f"fill{i}", bytes=bytes,
            body="ld.global.v4.b32 {%w0, %w1, %w2, %w3}, [%p]; "
                 "st.shared.v4.b32 [%a], {%w0, %w1, %w2, %w3};")
        text += SET_MAP.format(name=name, i=i)
        text += "  fence.proxy.async; bar.sync 0;\n"
        text += f"  @%issues {copy.mnemonic} {copy.operands()};\n"
        text += ("  cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"
                 "  bar.sync 0;\n")
        text += f"  add.u64 %tensor, %tensor, {copy.tensor_bytes};\n"
    text += "  ret;\n}\n"
    tensor = sum(c.tensor_bytes for c in copies)
    seed = zlib.crc32(name.encode()) % 1000
    return (text + f"// run: {name} block=32 "
            f"io=u32[random({seed}):{tensor // 4}]->[ref:{tensor // 4}] "
            f"in=u32[random({seed + 1}):{bytes // 4}]\n")


def maps(name, copies):
    return "".join(
        f".global .align 128 .b64 map_{name}_{i}[16] = {{"
        + ", ".join(hex(w) for w in copy.map()) + "};\n"
        for i, copy in enumerate(copies))


def spellings(head):
    out = [""]
    for tokens, optional in modifiers(head):
        choices = ([""] if optional else []) + ["." + t for t in tokens]
        out = [o + c for o in out for c in choices]
    return out


def copy_kernels(mnemonics, salt=""):
    """Kernels of the copies `mnemonics`, (name, text) each. Other salts draw
    other maps and operands."""
    families = {}
    for m in mnemonics:
        is_load = "mbarrier::complete_tx::bytes" in m
        families.setdefault(is_load, []).append(m)
    for is_load, members in families.items():
        for part in range(0, len(members), COPIES_OF_KERNEL):
            group = members[part:part + COPIES_OF_KERNEL]
            name = f"{'load' if is_load else 'store'}_{part // COPIES_OF_KERNEL}"
            seed = zlib.crc32((salt + " ".join(group)).encode())
            copies = [Copy(m, random.Random(seed + i))
                      for i, m in enumerate(group)]
            make = load_kernel if is_load else store_kernel
            yield name, maps(name, copies) + make(name, copies)


def map_kernel(name, mnemonic, operands):
    """A `tensormap` instruction on a map in memory, which is then dumped."""
    shared = "shared::cta" in mnemonic
    copies = "cp_fenceproxy" in mnemonic
    text = (f".global .align 128 .b64 map_{name}[16];\n"
            f".visible .entry {name}(.param .u64 data)\n{{\n"
            "  .shared .align 128 .b64 box[16];\n"
            "  .reg .b64 %map, %box, %v, %data, %o; .reg .b32 %i, %n;\n"
            "  .reg .pred %first;\n"
            "  ld.param.u64 %data, [data]; mov.u32 %i, %tid.x;\n"
            "  setp.eq.u32 %first, %i, 0; mul.wide.u32 %o, %i, 8;\n"
            f"  mov.u64 %map, map_{name}; mov.u64 %box, box;\n"
            "  add.u64 %box, %box, %o; mov.b64 %v, 0;\n"
            + ("  mul.wide.u32 %v, %i, 77;\n" if copies else "")
            + "  setp.lt.u32 %first, %i, 16;\n"
            "  @%first st.shared.b64 [%box], %v;\n"
            "  add.u64 %map, %map, %o; @%first st.global.b64 [%map], 0;\n"
            f"  bar.sync 0; mov.u64 %map, map_{name}; mov.u64 %box, box;\n"
            "  setp.eq.u32 %first, %i, 0; mov.b64 %v, 0x123456789a0;\n"
            "  mov.b32 %n, 3;\n")
    if copies:
        text += f"  {mnemonic} [%map], [%box], 128;\n"
    else:
        at = "[%box]" if shared else "[%map]"
        text += f"  @%first {mnemonic} {at}, {operands};\n"
    dumped = "%box" if shared and not copies else "%map"
    space = "shared" if dumped == "%box" else "global"
    text += ("  bar.sync 0; setp.lt.u32 %first, %i, 16;\n"
             f"  add.u64 {dumped}, {dumped}, %o; add.u64 %data, %data, %o;\n"
             f"  @%first ld.{space}.b64 %v, [{dumped}];\n"
             "  @%first st.global.b64 [%data], %v;\n  ret;\n}\n"
             f"// run: {name} block=32 out=u64[ref:16]\n")
    return text


def map_kernels(mnemonic, operand_text):
    """Kernels of a spelling: one for each value of each immediate."""
    if "cp_fenceproxy" in mnemonic:
        yield "", ""
        return
    lists = [[]]
    for operand in operand_text.split(", ")[1:]:
        values = ["%v" if mnemonic.endswith("b64") else "%n"]
        if operand.startswith("#"):
            low, high = re.search(r"=(\d+)\.\.(\d+)", operand).groups()
            top = 3 if "stride" in mnemonic and "global" in \
                mnemonic.split(".tile.")[1].split(".")[0] else int(high)
            values = [str(v) for v in range(int(low), top + 1)]
        lists = [one + [v] for one in lists for v in values]
    for one in lists:
        yield ", ".join(one), "_".join(v.strip("%") for v in one)


def mnemonics(opcode, syntax):
    return [opcode + s for s in spellings(syntax.split(" ")[0][len(opcode):])]


def kernels(rows):
    """Kernels of the forms `rows`, as (opcode, syntax), of one target."""
    copies = []
    for opcode, syntax in rows:
        operand_text = syntax.partition(" ")[2]
        for mnemonic in mnemonics(opcode, syntax):
            if opcode != "tensormap":
                copies.append(mnemonic)
                continue
            for operands, suffix in map_kernels(mnemonic, operand_text):
                name = re.sub(r"\W", "_", f"{mnemonic}_{suffix}")
                yield name, map_kernel(name, mnemonic, operands)
    yield from copy_kernels(copies)


def main():
    forms, seed, out = sys.argv[1:4]
    rng = random.Random(seed)
    copies = []
    for row in open(forms):
        opcode, op, syntax, _ = row.rstrip("\n").split("\t")
        if op.startswith("tensor."):
            copies += mnemonics(opcode, syntax)
    chosen = rng.sample(copies, 8 * COPIES_OF_KERNEL)
    with open(out, "w") as f:
        f.write(f".version {NEWEST_PTX}\n.target sm_100a\n.address_size 64\n")
        f.writelines(text for _, text in copy_kernels(chosen, salt=seed))


if __name__ == "__main__":
    main()
