#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Execution tests for tcgen05.ld and tcgen05.st, and what they need.

Each kernel has one shape and one count. The four warps of a warpgroup fill
their lanes of the allocated columns, store registers in the shape, and load
them from the same place. What they have loaded, and a hash of all cells, is
compared with the reference interpreter.
"""
import random

# Registers and columns of a shape, for each repetition.
SHAPES = {"32x32b": (1, 1), "16x64b": (1, 2), "16x128b": (2, 4),
          "16x256b": (4, 8), "16x32bx2": (1, 1)}
MOST_REGISTERS = 128
FEW_REGISTERS = 8
KERNELS = 8
OPTIONS = ["--chunk=16 --mode=fibers ", "--chunk=8 --cpu=x86-64-v3 ",
           "--chunk=16 --mode=threads ", "--chunk=4 "]

BODY = """.visible .entry {name}(.param .u64 out, .param .u32 columns)
{{
  .reg .b32 %t, %w, %l, %at, %a, %b, %i, %x, %y, %h, %columns;
  .reg .b32 %r<{registers}>, %d<{registers}>;
  .reg .b64 %out;
  .reg .pred %first, %more;
  .shared .align 4 .b32 place_{name};
  ld.param.u64 %out, [out];
  ld.param.u32 %columns, [columns];
  mov.u32 %t, %tid.x;
  mad.wide.u32 %out, %t, 4, %out;
  shr.u32 %w, %t, 5;
  mov.u32 %at, place_{name};
  setp.eq.u32 %first, %w, 0;
  @%first tcgen05.alloc.{group}.sync.aligned{space}.b32 [{at}], {count};
  bar.sync 0;
  ld.shared.b32 %a, [place_{name}];
  shl.b32 %w, %w, 21;
  add.u32 %a, %a, %w;
  mov.u32 %i, 0;
FILL:
  mad.lo.u32 %y, %i, 0x9e3779b1, %t;
  mul.lo.u32 %y, %y, 0x85ebca77;
  add.u32 %b, %a, %i;
  tcgen05.st.sync.aligned.32x32b.x1.b32 [%b], {{%y}};
  add.u32 %i, %i, 1;
  setp.lt.u32 %more, %i, %columns;
  @%more bra FILL;
  tcgen05.wait::st.sync.aligned;
  add.u32 %b, %a, {place};
{values}
  tcgen05.st.sync.aligned.{shape}.{times}{unpack}.b32 [%b]{split}, {stored};
  tcgen05.wait::st.sync.aligned;
  tcgen05.ld.sync.aligned.{shape}.{times}{pack}.b32 {loaded}, [%b]{split};
  tcgen05.wait::ld.sync.aligned;
{results}
  mov.u32 %h, 0;
  mov.u32 %i, 0;
HASH:
  add.u32 %b, %a, %i;
  tcgen05.ld.sync.aligned.32x32b.x1.b32 {{%y}}, [%b];
  tcgen05.wait::ld.sync.aligned;
  mad.lo.u32 %h, %h, 0x01000193, %y;
  add.u32 %i, %i, 1;
  setp.lt.u32 %more, %i, %columns;
  @%more bra HASH;
  st.global.b32 [%out+{hash}], %h;
  tcgen05.fence::before_thread_sync;
  bar.sync 0;
  tcgen05.fence::after_thread_sync;
  @%first tcgen05.dealloc.{group}.sync.aligned.b32 %a, {count};
  @%first tcgen05.relinquish_alloc_permit.{group}.sync.aligned;
  ret;
}}
// run: {name} block=128 out=u32[ref:{words}] u32:{columns}
"""


def names(letter, count):
    return "{" + ", ".join(f"%{letter}{i}" for i in range(count)) + "}"


def kernel(shape, times, packed, rng):
    """(registers, text) of the kernel of a shape."""
    per_time, width = SHAPES[shape]
    registers = per_time * times
    width *= times * (2 if packed else 1)
    split = (rng.randint(width, min(2 * width, 512 - width))
             if shape == "16x32bx2" else 0)
    touched = split + width
    columns = 32
    while columns < touched or (columns < 512 and rng.random() < 0.3):
        columns *= 2
    place = rng.randint(0, columns - touched)
    if shape != "32x32b" and rng.random() < 0.5:
        place += 16 << 16  # the lower half of the warp's lanes
    name = f"cells_{shape}_x{times}" + ("_packed" if packed else "")
    is_generic = rng.random() < 0.3
    text = BODY.format(
        name=name, registers=registers, shape=shape, times=f"x{times}",
        group=rng.choice(["cta_group::1", "cta_group::2"]),
        space="" if is_generic else ".shared::cta",
        at="%generic" if is_generic else "%at",
        count=rng.choice([str(columns), "%columns"]), place=place,
        values="\n".join(f"  mad.lo.u32 %r{i}, %t, 0x9e3779b1, "
                         f"{rng.getrandbits(32)};" for i in range(registers)),
        unpack=".unpack::16b" if packed else "",
        pack=".pack::16b" if packed else "",
        split=f", {split}" if split else "",
        stored=names("r", registers), loaded=names("d", registers),
        results="\n".join(f"  st.global.b32 [%out+{512 * i}], %d{i};"
                          for i in range(registers)),
        hash=512 * registers, words=128 * (registers + 1), columns=columns)
    if is_generic:
        text = text.replace(
            "  setp.eq.u32 %first, %w, 0;\n",
            "  setp.eq.u32 %first, %w, 0;\n"
            "  .reg .b64 %generic;\n"
            "  cvt.u64.u32 %generic, %at;\n"
            "  cvta.shared.u64 %generic, %generic;\n", 1)
    return registers, text


def modules():
    """[(kernels, options)]: kernels with few registers run in every mode, each
    of the others in one."""
    rng = random.Random("tensor memory")
    made = [kernel(shape, times, packed, rng)
            for shape, (per_time, _) in SHAPES.items()
            for times in (1, 2, 4, 8, 16, 32, 64, 128)
            if per_time * times <= MOST_REGISTERS
            for packed in (False, True)]
    few = [text for registers, text in made if registers <= FEW_REGISTERS]
    rest = [text for registers, text in made if registers > FEW_REGISTERS]
    for part in range(0, len(few), KERNELS):
        yield few[part:part + KERNELS], ""
    rng.shuffle(rest)
    for part in range(0, len(rest), KERNELS):
        yield rest[part:part + KERNELS], OPTIONS[part // KERNELS % 4]
