# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The notation of forms in the ISA table, for utils/*form* and make-coverage.

A form is `opcode.mod{.optional|.other}.{one|of}  operands`, as
`ptx-tblgen -gen-form-list` prints it.
"""
import re

# The PTX version of generated modules; it has every form.
NEWEST_PTX = "9.4"
# Bits of the types that occur as modifiers.
WIDTH = {"pred": 1, "b8": 8, "u8": 8, "s8": 8, "b16": 16, "u16": 16, "s16": 16,
         "f16": 16, "b32": 32, "u32": 32, "s32": 32, "f32": 32, "b64": 64,
         "u64": 64, "s64": 64, "f64": 64, "bf16": 16, "f16x2": 32,
         "bf16x2": 32, "f32x2": 64, "u16x2": 32, "s16x2": 32, "tf32": 32,
         "e4m3x2": 16, "e5m2x2": 16, "e2m3x2": 16, "e3m2x2": 16,
         "ue8m0x2": 16, "e2m1x2": 8, "u8x4": 32, "s8x4": 32,
         "u2": 2, "s2": 2, "u4": 4, "s4": 4,
         "b128": 128}
# The element type of half and packed types.
PARTS = {"f16": "f16", "f16x2": "f16", "bf16": "bf16", "bf16x2": "bf16",
         "f32x2": "f32"}
# Opcodes whose execution tests are written by hand, because what they do
# depends on other threads, or on where they stand.
HAND_WRITTEN = {
    "membar", "fence", "bra", "brx", "ret", "exit", "trap", "call", "bar",
    "barrier", "shfl", "vote", "activemask", "cvta", "match", "redux", "elect",
    "nanosleep", "alloca", "stacksave", "stackrestore", "cp", "mbarrier",
    "mapa", "getctarank", "isspacep", "clusterlaunchcontrol"}
# The same for ops that share their opcode with other ops.
HAND_WRITTEN_OPS = {"st.async", "st.async.global", "red.async",
                    "red.async.global", "st.bulk", "mov.wide",
                    "mov.vector"}


def modifiers(text):
    """[(tokens, optional)] of the modifiers in `.a{.b}.{c|d}`."""
    return [((m[1] or m[2] or m[3]).split("|"), bool(m[1]))
            for m in re.finditer(r"\{\.([^}]*)\}|\.\{([^}]*)\}|\.([^.{]+)",
                                 text)]
