#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes random kernels as execution tests, judged by the reference.

    random-kernels.py [--defined] SEED COUNT FILE [FORMLIST]

With FORMLIST, which `ptx-tblgen -gen-form-list` prints, kernels also have
instances of the forms of the ISA table (random_forms.py). All kernels have some
of these: straight-line code, structured and irreducible divergent control flow,
guards, early exits, shared memory with barriers, warp collectives,
atomics whose result does not depend on the order of threads, calls (direct,
indirect, recursive), and lanes that wait for lanes: locks that each thread
takes, barriers that parts of a warp reach on different paths. Every program
ends: loops have bounds, and jumps use up fuel.

With --defined results do not depend on what the ISA leaves open or GPUs do in
another way, so that a GPU can judge them (on-gpu.py): predicates are written before
they are read, and one at a time, and there are no carry flags across control flow, no
video instructions, no signs of NaN and no fma.rz of bf16.
"""
import random
import sys

import random_forms

REGS = 8
PREDS = 4
BLOCKS = ["64", "33", "32", "16,4", "8,8", "5,7", "100", "128", "3,5,4", "1"]
BINARY = ["add.u32", "sub.u32", "mul.lo.u32", "and.b32", "or.b32", "xor.b32",
          "min.s32", "max.u32", "min.u32", "mul.hi.u32", "mul.hi.s32",
          "shl.b32", "shr.u32", "shr.s32", "add.sat.s32", "sub.sat.s32"]
UNARY = ["not.b32", "neg.s32", "popc.b32", "clz.b32", "brev.b32", "abs.s32",
         "mov.u32", "bfind.u32"]
# Packed values, parts of registers, and the carry flag, which stays live across
# the control flow in between.
PACKED = ["add.f16x2", "sub.f16x2", "mul.rn.f16x2", "add.bf16x2", "mul.bf16x2",
          "sub.ftz.f16x2", "add.sat.f16x2", "min.f16x2", "max.NaN.f16x2",
          "min.xorsign.abs.bf16x2", "max.bf16x2", "add.u16x2", "min.s16x2",
          "max.relu.s16x2", "set.lt.u32.f16x2", "set.geu.bf16x2.bf16x2",
          "szext.clamp.s32", "szext.wrap.u32", "bmsk.clamp.b32",
          "bmsk.wrap.b32", "cvt.pack.sat.s16.s32"]
VIDEO = ["vadd.s32.u32.s32.sat", "vsub.u32.s32.u32", "vabsdiff.u32.s32.s32",
         "vmin.s32.s32.u32", "vmax.u32.u32.s32.sat", "vset.s32.u32.lt",
         "vshl.s32.s32.u32.sat.clamp", "vshr.u32.s32.u32.wrap"]
VIDEO_TERNARY = ["vadd.u32.u32.u32.sat.min", "vabsdiff.s32.s32.s32.add",
                 "vmad.s32.u32.s32.sat.shr7", "vmad.u32.u32.u32.po.shr15",
                 "vadd2.s32.s32.s32.sat", "vavrg2.s32.u32.s32.add",
                 "vabsdiff4.u32.u32.u32.add", "vmax4.s32.s32.u32.sat",
                 "vset4.u32.s32.ge.add", "vset2.s32.s32.ne"]
PACKED_UNARY = ["neg.f16x2", "abs.bf16x2"]
PACKED_TERNARY = ["fma.rn.f16x2", "fma.rn.relu.f16x2", "fma.rn.bf16x2",
                  "fma.rz.bf16x2", "dp2a.lo.s32.u32", "dp2a.hi.u32.s32",
                  "dp4a.s32.s32", "fns.b32", "bfe.s32", "shf.l.wrap.b32",
                  "prmt.b32", "cvt.pack.sat.u8.s32.b32"]
CARRY = ["add.cc.u32", "addc.u32", "addc.cc.u32", "sub.cc.s32", "subc.u32",
         "subc.cc.u32"]
CARRY_MAD = ["mad.lo.cc.u32", "mad.hi.cc.s32", "madc.lo.u32", "madc.hi.cc.u32"]
COMPARE = ["eq.u32", "ne.u32", "lt.u32", "ge.u32", "lt.s32", "gt.s32", "le.s32",
           "hi.u32"]


DEFINED = "--defined"
is_defined = False  # see --defined


class Writer:
    def __init__(self, rng, callees, table=None, memory=True, indirect=True,
                 waits=False):
        self.rng = rng
        self.forms = random_forms.FormWriter(table, self) if table else None
        self.waits = waits
        self.callees = callees
        self.memory = memory
        self.indirect = indirect
        self.lines = []
        self.labels = 0
        self.loops = 0
        # How a kernel accesses its local memory decides how that memory is
        # stored.
        self.sizes = rng.choice([["u32"], ["u32", "u16"], ["u32", "u8"],
                                 ["u32", "u64"], ["u16", "u8", "u64"]])
        self.generic = rng.random() < 0.3

    def reg(self):
        return f"%r{self.rng.randrange(REGS)}"

    def part(self):
        """A register, or a part of one."""
        return self.reg() + self.rng.choice(["", "", ".b0", ".b3", ".h1"])

    def pred(self):
        return f"%p{self.rng.randrange(PREDS)}"

    def label(self):
        self.labels += 1
        return f"L{self.labels}"

    def emit(self, text):
        self.lines.append("  " + text)

    def source(self):
        return (self.reg() if self.rng.random() < 0.75 else
                str(self.rng.choice([0, 1, 2, 3, 7, 31, 32, 255, 65537,
                                     0x7fffffff, 0x80000000, 0xffffffff])))

    def guard(self):
        if self.rng.random() > 0.25:
            return ""
        return f"@{self.rng.choice(['', '!'])}{self.pred()} "

    def operation(self, guard, opcodes, *operands):
        self.emit(f"{guard}{self.rng.choice(opcodes)} "
                  + ", ".join(operands) + ";")

    def packed(self, g, d):
        kind = self.rng.random()
        if is_defined and (0.35 <= kind < 0.5 or 0.65 <= kind < 0.95):
            kind = 0.6
        if kind < 0.35:
            self.operation(g, PACKED, d, self.reg(), self.reg())
        elif kind < 0.4:
            self.operation(g, PACKED_UNARY, d, self.reg())
        elif kind < 0.45:
            self.operation(g, VIDEO, d, self.part(), self.part())
        elif kind < 0.5:
            self.operation(g, VIDEO_TERNARY, d, self.reg(), self.reg(),
                           self.reg())
        elif kind < 0.65:
            self.operation(g, PACKED_TERNARY if not is_defined else
                           [op for op in PACKED_TERNARY if ".rz.bf16" not in op],
                           d, self.reg(), self.reg(),
                           self.reg())
        elif kind < 0.85:
            self.operation(g, CARRY, d, self.reg(), self.source())
        elif kind < 0.95:
            self.operation(g, CARRY_MAD, d, self.reg(), self.source(),
                           self.reg())
        else:
            high, low = self.pred(), self.pred()
            if is_defined and high == low:
                high, low = "%p0", "%p1"
            self.operation(g, ["setp.lt.and.f16x2"], f"{high}|{low}",
                           self.reg(), self.reg(), self.pred())

    def arithmetic(self):
        g, kind = self.guard(), self.rng.random()
        d = self.reg()
        if self.rng.random() < 0.3:
            self.packed(g, d)
        elif kind < 0.6:
            self.operation(g, BINARY, d, self.reg(), self.source())
        elif kind < 0.75:
            self.operation(g, UNARY, d, self.reg())
        elif kind < 0.85:
            self.operation(g, ["mad.lo.u32"], d, self.reg(), self.source(),
                           self.reg())
        elif kind < 0.92:
            self.operation(g, ["selp.b32"], d, self.reg(), self.source(),
                           self.pred())
        else:
            self.operation(g, ["lop3.b32"], d, self.reg(), self.reg(),
                           self.reg(), str(self.rng.randrange(256)))

    def compare(self):
        if self.rng.random() < 0.2:
            self.emit(f"{self.rng.choice(['and', 'or', 'xor'])}.pred "
                      f"{self.pred()}, {self.pred()}, {self.pred()};")
        elif self.rng.random() < 0.2:
            self.emit(f"setp.{self.rng.choice(COMPARE)} {self.pred()}, "
                      f"%tid{self.rng.choice(['.x', '.y'])}, "
                      f"{self.rng.randrange(40)};"
                      .replace("%tid.x", "%tx").replace("%tid.y", "%ty"))
        else:
            self.emit(f"setp.{self.rng.choice(COMPARE)} {self.pred()}, "
                      f"{self.reg()}, {self.source()};")

    def load(self):
        self.emit(f"and.b32 %i, {self.reg()}, 63;")
        self.emit("mad.wide.u32 %a, %i, 4, %in;")
        self.emit(f"{self.guard()}ld.global.u32 {self.reg()}, [%a];")

    def local(self):
        size = self.rng.choice(self.sizes)
        mask = 32 - int(size[1:]) // 8
        self.emit(f"and.b32 %i, {self.reg()}, {mask};")
        self.emit("cvt.u64.u32 %a, %i; add.u64 %a, %a, %box;")
        space = ".local"
        if self.generic and self.rng.random() < 0.3:
            self.emit("cvta.local.u64 %a, %a;")
            space = ""
        store = self.rng.random() < 0.5
        if size == "u64":
            if store:
                self.emit(f"mov.b64 %f, {{{self.reg()}, {self.reg()}}};")
                self.emit(f"{self.guard()}st{space}.u64 [%a], %f;")
            else:
                self.emit(f"ld{space}.u64 %f, [%a];")
                self.emit(f"mov.b64 {{{self.reg()}, %i}}, %f;")
        elif store:
            self.emit(f"{self.guard()}st{space}.{size} [%a], {self.reg()};")
        else:
            self.emit(f"{self.guard()}ld{space}.{size} {self.reg()}, [%a];")

    def atomic(self):
        op = self.rng.choice(["add.u32", "xor.b32"])
        slot = self.rng.randrange(4) * 4
        if self.rng.random() < 0.5:
            slot += {"add.u32": 0, "xor.b32": 16}[op]
            self.emit(f"{self.guard()}red.global.{op} [%acc+{slot}], "
                      f"{self.reg()};")
        else:
            slot += {"add.u32": 0, "xor.b32": 16}[op]
            self.emit(f"{self.guard()}atom.global.{op} %junk, [%acc+{slot}], "
                      f"{self.reg()};")

    def call(self):
        d, x, y = self.reg(), self.reg(), self.source()
        kind = self.rng.random()
        if kind < 0.5 or not self.indirect:
            callee = self.rng.choice(self.callees)
            self.emit(f"{self.guard()}call ({d}), {callee}, ({x}, {y});")
            return
        self.emit(f"and.b32 %i, {self.reg()}, 3;")
        self.emit("mov.u64 %f, table; mad.wide.u32 %f, %i, 8, %f;")
        self.emit("ld.global.u64 %f, [%f];")
        self.emit(f"{self.guard()}call ({d}), %f, ({x}, {y}), "
                  f"{'proto' if kind < 0.8 else 'table'};")

    def form(self):
        """An instance of any form that is allowed here."""
        if not self.memory:
            self.forms.pure()
            return
        kind = self.rng.random()
        for _ in range(self.rng.randrange(2, 8)):
            if kind < 0.5:
                self.forms.pure()
            elif kind < 0.68:
                self.forms.memory()
            elif kind < 0.82:
                self.forms.advice()
            elif self.waits:
                self.forms.asynchronous()
        if kind > 0.95:
            self.forms.frame()
        elif kind > 0.9:
            self.forms.windows()

    def simple(self):
        if self.forms and self.rng.random() < 0.6:
            self.form()
            return
        choices = ([self.arithmetic] * 7 + [self.compare] * 3 +
                   ([self.load, self.local, self.atomic] if self.memory else []))
        if self.callees and self.rng.random() < 0.04:
            choices = [self.call]
        self.rng.choice(choices)()

    def switch(self, depth):
        """A branch to one of four blocks, by a table of labels."""
        ways = [self.label() for _ in range(4)]
        end, table = self.label(), self.label()
        self.emit(f"{table}: .branchtargets {', '.join(ways)};")
        self.emit(f"and.b32 %i, {self.reg()}, 3;")
        self.emit(f"brx.idx %i, {table};")
        for way in ways:
            self.emit(f"{way}:")
            self.simple()
            if self.rng.random() < 0.7:
                self.emit(f"bra {end};")
        self.emit(f"{end}:")

    def branch(self, depth):
        other, end = self.label(), self.label()
        self.compare()
        self.emit(f"@{self.rng.choice(['', '!'])}{self.pred()} bra {other};")
        self.block(depth + 1)
        if self.rng.random() < 0.6:
            self.emit(f"bra {end};")
            self.emit(f"{other}:")
            self.block(depth + 1)
            self.emit(f"{end}:")
        else:
            self.emit(f"{other}:")

    def loop(self, depth):
        if self.loops == 8:
            return
        counter, bound = f"%c{self.loops}", f"%b{self.loops}"
        self.loops += 1
        head, end = self.label(), self.label()
        self.emit(f"mov.u32 {counter}, 0;")
        self.emit(f"and.b32 {bound}, {self.reg()}, "
                  f"{self.rng.choice([1, 3, 7])};")
        self.emit(f"{head}:")
        self.block(depth + 1)
        if self.rng.random() < 0.4:
            self.compare()
            self.emit(f"@{self.pred()} bra {end};")
            self.block(depth + 1)
        self.emit(f"add.u32 {counter}, {counter}, 1;")
        self.emit(f"setp.le.u32 %q, {counter}, {bound};")
        self.emit(f"@%q bra {head};")
        self.emit(f"{end}:")

    def maze(self):
        """Blocks that jump anywhere while there is fuel."""
        labels = [self.label() for _ in range(self.rng.randrange(3, 7))]
        end = self.label()
        self.emit(f"mov.u32 %fuel, {self.rng.randrange(4, 14)};")
        for at in labels:
            self.emit(f"{at}:")
            self.emit("sub.u32 %fuel, %fuel, 1;")
            self.emit("setp.eq.u32 %q, %fuel, 0;")
            self.emit(f"@%q bra {end};")
            for _ in range(self.rng.randrange(1, 4)):
                self.simple()
            self.emit(f"@{self.pred()} bra {self.rng.choice(labels)};")
            if self.rng.random() < 0.3:
                self.emit(f"bra {self.rng.choice(labels + [end])};")
        self.emit(f"{end}:")

    def together(self, threads, exits):
        """A statement that needs all threads, for the top level only."""
        if self.forms and self.rng.random() < 0.7:
            self.form_together(threads, exits)
            return
        kind = self.rng.random()
        if kind < 0.4:
            self.emit(f"st.shared.u32 [%mine], {self.reg()};")
            self.emit("bar.sync 0;")
            self.emit(f"add.u32 %i, {self.reg()}, %lin; "
                      f"rem.u32 %i, %i, {threads}; shl.b32 %i, %i, 2;")
            self.emit("cvt.u64.u32 %a, %i; add.u64 %a, %a, %cells;")
            self.emit(f"ld.shared.u32 {self.reg()}, [%a];")
            self.emit("bar.sync 0;")
        elif kind < 0.55:
            self.emit(f"bar.red.popc.u32 {self.reg()}, 1, {self.pred()};")
        elif kind < 0.7:
            self.emit(f"vote.sync.ballot.b32 {self.reg()}, {self.pred()}, -1;")
        elif kind < 0.8:
            self.emit(f"vote.sync.{self.rng.choice(['all', 'any', 'uni'])}.pred "
                      f"{self.pred()}, {self.pred()}, -1;")
        elif kind < 0.9 and not exits:
            # A shuffle from a lane that does not exist is undefined, so only
            # whole warps do it.
            if threads % 32 == 0:
                mode = self.rng.choice(["up", "down", "bfly", "idx"])
                self.emit(f"shfl.sync.{mode}.b32 {self.reg()}, {self.reg()}, "
                          f"{self.source()}, {0 if mode == 'up' else 31}, -1;")
        else:
            self.emit(f"match.any.sync.b32 {self.reg()}, {self.reg()}, -1;")

    def form_together(self, threads, exits):
        whole = threads % 32 == 0 and not exits
        for _ in range(3):
            self.forms.collective(whole)
            if whole:
                self.forms.matrix()
        kind = self.rng.random()
        if kind < 0.4:
            aligned = self.rng.choice(["", ".aligned"])
            self.emit(f"barrier{self.rng.choice(['', '.cta'])}.red."
                      f"{self.rng.choice(['and', 'or'])}{aligned}.pred "
                      f"{self.pred()}, 3, {self.pred()};")
        elif kind < 0.6 and not exits:
            self.emit("barrier.cluster.arrive.release.aligned;")
            self.emit("barrier.cluster.wait.acquire.aligned;")
        if kind < 0.5 and whole:
            self.emit("setmaxnreg.inc.sync.aligned.u32 64;")

    def uniform(self, threads, exits, depth=0):
        """Barriers in loops and conditionals that the whole CTA agrees on."""
        end = self.label()
        if self.rng.random() < 0.6 and self.loops < 8:
            counter = f"%c{self.loops}"
            self.loops += 1
            head = self.label()
            self.emit(f"mov.u32 {counter}, 0;")
            self.emit(f"{head}:")
            self.section(threads, exits, depth)
            if self.rng.random() < 0.3:
                self.emit(f"setp.eq.u32 %q, {counter}, 1;")
                self.emit(f"@%q bra {end};")
                self.section(threads, exits, depth)
            self.emit(f"add.u32 {counter}, {counter}, 1;")
            self.emit(f"setp.lt.u32 %q, {counter}, {self.rng.randrange(1, 4)};")
            self.emit(f"@%q bra {head};")
        else:
            other = self.label()
            self.emit(f"setp.{self.rng.choice(['eq', 'ne'])}.u32 %q, %cta, 0;")
            self.emit(f"@%q bra {other};")
            self.section(threads, exits, depth)
            self.emit(f"bra {end};")
            self.emit(f"{other}:")
            self.section(threads, exits, depth)
        self.emit(f"{end}:")

    def section(self, threads, exits, depth):
        for _ in range(self.rng.randrange(1, 4)):
            kind = self.rng.random()
            if kind < 0.45:
                self.together(threads, exits)
            elif kind < 0.55 and depth < 1:
                self.uniform(threads, exits, depth + 1)
            elif kind < 0.75:
                a, b = self.reg(), self.reg()  # values change places
                self.emit(f"mov.u32 %i, {a}; mov.u32 {a}, {b}; "
                          f"mov.u32 {b}, %i;")
            else:
                self.block(1)

    def lock(self):
        """A critical section for each thread, in shared memory."""
        spin, skip = self.label(), self.label()
        if self.rng.random() < 0.5:
            self.emit(f"@{self.pred()} bra {skip};")
        self.emit(f"{spin}:")
        self.emit("atom.shared.cas.b32 %i, [lock], 0, 1;")
        self.emit("setp.ne.u32 %q, %i, 0;")
        self.emit(f"@%q bra {spin};")
        self.emit("ld.volatile.shared.u32 %i, [lock+4];")
        self.emit(f"add.u32 %i, %i, {self.reg()};")
        self.emit("st.volatile.shared.u32 [lock+4], %i;")
        self.emit("membar.cta;")
        self.emit("atom.shared.exch.b32 %i, [lock], 0;")
        self.emit(f"{skip}:")
        self.emit("bar.sync 0;")
        self.emit(f"ld.shared.u32 {self.reg()}, [lock+4];")
        self.emit("bar.sync 0;")

    def apart(self, threads):
        """A barrier that the lanes of a warp reach on two paths."""
        other, end = self.label(), self.label()
        self.compare()
        self.emit(f"@{self.pred()} bra {other};")
        for at in range(2):
            self.block(2)
            self.emit(f"st.shared.u32 [%mine], {self.reg()};")
            self.emit("barrier.sync 2;")
            if at == 0:
                self.emit(f"bra {end};")
                self.emit(f"{other}:")
        self.emit(f"{end}:")
        self.emit(f"add.u32 %i, %lin, 1; rem.u32 %i, %i, {threads}; "
                  "shl.b32 %i, %i, 2;")
        self.emit("cvt.u64.u32 %a, %i; add.u64 %a, %a, %cells;")
        self.emit(f"ld.shared.u32 {self.reg()}, [%a];")
        self.emit("bar.sync 0;")

    def sums(self):
        """Loops in loops whose turns load the same, and may store it."""
        if self.loops == 8:
            return
        choose = self.rng.choice
        counter, bound = f"%c{self.loops}", f"%b{self.loops}"
        self.loops += 1
        head, inner, end = self.label(), self.label(), self.label()
        stores = self.rng.random() < 0.4
        begin = choose([0, 0, 3, 0x7ffffff0, 0xfffffff0])
        kind = choose(["s32", "u32"])
        turns = choose([self.reg(), self.reg(), "6"])
        self.emit(f"mov.u32 {counter}, {begin}; mov.u32 {bound}, {turns};")
        # No counter reaches the largest number, with which `le` never ends.
        self.emit(f"and.b32 {bound}, {bound}, 7;")
        self.emit(f"add.u32 {bound}, {bound}, {begin};")
        self.emit(f"setp.ge.{kind} %q, {counter}, {bound}; @%q bra {end};")
        self.emit(f"{head}:")
        # The thread's own row of results, or neighbours.
        self.emit("mov.u64 %near, %out;" if stores else
                  "mad.wide.u32 %near, %lin, 4, %in;")
        self.emit(f"and.b32 %i, {counter}, 31; mad.wide.u32 %far, %i, 4, %in;")
        self.emit("mov.u32 %turn, 0; mov.u32 %product, 0;")
        self.emit(f"{inner}:")
        for _ in range(choose([1, 2])):
            self.emit("ld.global.u32 %one, [%near]; ld.global.u32 %two, [%far];")
            self.emit("mad.lo.u32 %product, %one, %two, %product;")
            self.emit("add.u64 %near, %near, 4; add.u64 %far, %far, 4;")
        self.emit("add.u32 %turn, %turn, 1;")
        self.emit(f"setp.lt.u32 %q, %turn, {choose([1, 3])};")
        self.emit(f"@%q bra {inner};")
        total = self.reg()
        self.emit(f"mad.lo.u32 {total}, {total}, {choose([1, 3])}, %product;")
        if stores:
            self.emit(f"add.u32 %i, {counter}, {choose([0, 1, 7])};")
            self.emit(f"and.b32 %i, %i, {REGS - 1};")
            self.emit("mad.wide.u32 %a, %i, 4, %out;")
            self.emit(f"st.global.u32 [%a], {total};")
        self.emit(f"add.u32 {counter}, {counter}, {choose([1, 1, 2])};")
        self.emit(f"setp.{choose(['lt', 'lt', 'le'])}.{kind} "
                  f"%q, {counter}, {bound};")
        self.emit(f"@%q bra {head};")
        self.emit(f"{end}:")

    def block(self, depth=0):
        for _ in range(self.rng.randrange(1, 5)):
            kind = self.rng.random()
            if self.forms and kind < 0.02:
                self.switch(depth)
            elif kind < 0.12 and depth < 3:
                self.branch(depth)
            elif kind < 0.2 and depth < 2:
                self.loop(depth)
            else:
                self.simple()


REGISTERS = ", ".join([f"%r{i}" for i in range(REGS)] +
                      [f"%c{i}" for i in range(8)] +
                      [f"%b{i}" for i in range(8)])
PREDICATES = ", ".join(f"%p{i}" for i in range(PREDS))


def first_predicates():
    return " ".join(f"setp.gt.u32 %p{i}, %tx, {5 * i};"
                    for i in range(PREDS) if is_defined)


def function(rng, number, callees, table):
    """A function of two numbers; the last one calls itself."""
    w = Writer(rng, callees, table, memory=False, indirect=False)
    for _ in range(rng.randrange(1, 3)):
        w.block(1)
    name = f"f{number}"
    if number == 3:
        w.emit("mov.u32 %depth, %y; min.u32 %depth, %depth, 6;")
        w.emit("setp.eq.u32 %q, %depth, 0; @%q bra done;")
        w.emit("sub.u32 %depth, %depth, 1;")
        w.emit(f"call (%r1), {name}, (%r0, %depth); add.u32 %r0, %r0, %r1;")
        w.emit("done:")
    body = "\n".join(w.lines)
    moves = "\n".join(f"  add.u32 %r{i}, %x, {i}; " for i in range(REGS))
    if table:
        moves += "\n" + random_forms.numbers_of_arguments()
    more = random_forms.declarations() if table else ""
    return f""".func (.param .b32 r) {name}(.param .b32 x, .param .b32 y)
{{
  .reg .b32 {REGISTERS}, %i, %junk, %fuel, %lin, %tx, %ty, %x, %y, %depth;
  .reg .pred {PREDICATES}, %q;
{more}
  ld.param.u32 %x, [x]; ld.param.u32 %y, [y];
  mov.u32 %tx, %tid.x; mov.u32 %ty, %tid.y;
{first_predicates()}
{moves}
{body}
  st.param.b32 [r], %r0;
  ret;
}}
"""


def kernel(rng, number, recursive, table):
    # Recursion and locks make a kernel run thread by thread; most kernels have
    # none.
    waits = rng.random() < (0.5 if table else 0.3)
    w = Writer(rng, ["f0", "f1", "f2"] + (["f3"] if recursive else []), table,
               indirect=recursive, waits=waits)
    block = rng.choice(BLOCKS)
    threads = 1
    for extent in block.split(","):
        threads *= int(extent)
    exits = False
    for _ in range(rng.randrange(3, 8)):
        kind = rng.random()
        if waits and kind < 0.1 and not exits:
            w.lock()
        elif waits and kind < 0.2 and not exits:
            w.apart(threads)
        elif kind < 0.3:
            w.together(threads, exits)
        elif kind < 0.45:
            w.uniform(threads, exits)
        elif kind < 0.51:
            w.maze()
        elif kind < 0.56:
            w.sums()
        elif kind < 0.61:
            w.compare()
            w.emit(f"@{w.pred()} exit;")
            exits = True
        else:
            w.block()
    body = "\n".join(w.lines)
    stores = "\n".join(f"  st.global.u32 [%out+{4 * i}], %r{i};"
                       for i in range(REGS))
    loads = "\n".join(f"  ld.global.u32 %r{i}, [%a+{4 * i}];"
                      for i in range(REGS // 2))
    run, params, more, first, last = "", "", "", "", ""
    if table:
        run, params = random_forms.arguments(threads)
        params, more = ", " + params, random_forms.declarations()
        first = random_forms.prologue(threads)
        last = random_forms.epilogue()
    return f"""// run: k{number} block={block} in=u32[random({number}):{threads * 4 + 64}] \
io=u32[0,0,0,0,0,0,0,0]->[ref] out=u32[ref:{threads * REGS}] {run}
.visible .entry k{number}(.param .u64 in, .param .u64 acc, .param .u64 out{params})
{{
{more}
  .local .align 16 .b8 box[32];
  .shared .align 4 .b8 cells[{threads * 4}];
  .shared .align 8 .u32 lock[2];
  .reg .b32 {REGISTERS}, %i, %junk, %fuel, %lin, %tx, %ty, %cta;
  .reg .b32 %turn, %one, %two, %product;
  .reg .b64 %in, %acc, %out, %a, %box, %cells, %mine, %f, %near, %far;
  .reg .pred {PREDICATES}, %q;
  proto: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);
  mov.u32 %tx, %tid.x; mov.u32 %ty, %tid.y; mov.u32 %cta, %ctaid.x;
  mov.u32 %lin, %tid.z; mov.u32 %i, %ntid.y;
  mad.lo.u32 %lin, %lin, %i, %ty; mov.u32 %i, %ntid.x;
  mad.lo.u32 %lin, %lin, %i, %tx;
  ld.param.u64 %in, [in]; ld.param.u64 %acc, [acc]; ld.param.u64 %out, [out];
  mov.u64 %box, box; mov.u64 %cells, cells;
{first_predicates()}
  st.local.v4.u32 [box], {{%lin, %tx, %ty, %i}};
  st.local.v4.u32 [box+16], {{%lin, %tx, %ty, %i}};
  mad.wide.u32 %mine, %lin, 4, %cells;
  mad.wide.u32 %a, %lin, 16, %in;
{first}
{loads}
  mov.u32 %r4, %lin; mov.u32 %r5, %tx; mov.u32 %r6, 12345; mov.u32 %r7, %ntid.x;
  mad.wide.u32 %out, %lin, {4 * REGS}, %out;
  st.shared.u32 [%mine], 0;
  mov.u32 %i, 0; st.shared.v2.u32 [lock], {{%i, %i}};
  bar.sync 0;
{body}
{stores}
{last}
  {rng.choice(['ret', 'exit'])};
}}
"""


def main():
    global is_defined
    is_defined = DEFINED in sys.argv
    if is_defined:
        sys.argv.remove(DEFINED)
    seed, count, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    rng = random.Random(seed)
    version, target, table, constants = "8.6", "sm_90", None, ""
    if len(sys.argv) > 4:
        version = random_forms.NEWEST_PTX
        target = random_forms.TARGETS[seed // 2 % len(random_forms.TARGETS)]
        table = random_forms.FormTable(sys.argv[4], target)
        constants = random_forms.CONSTANTS
    with open(path, "w") as f:
        f.write(f"// Made by utils/random-kernels.py "
                f"{DEFINED + ' ' if is_defined else ''}{seed} {count}.\n"
                f".version {version}\n.target {target}\n.address_size 64\n\n"
                + constants)
        for i in range(4):
            callees = [f"f{j}" for j in range(i)]
            f.write(function(rng, i, callees, table) + "\n")
        f.write(".global .u64 table[4] = {f0, f1, f2, f3};\n\n")
        for i in range(count):
            f.write(kernel(rng, i, rng.random() < 0.2, table) + "\n")


if __name__ == "__main__":
    main()
