# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Orders of modifiers that ptxas accepts besides those of the ISA's syntax.

CUTLASS and other code writes them. make-form-tests.py makes execution tests of
them from the tests of the forms.
"""
import re


def variant(mnemonic):
    """The other order of an instruction's modifiers; None if there is none."""
    words = mnemonic.split(".")
    opcode, rest = words[0], words[1:]
    kind = next((w for w in rest if w.startswith("kind::")), None)
    if opcode == "mma" and kind:
        moved = [w for w in rest if w == "block_scale" or
                 w.startswith(("sp::", "scale_vec::"))]
        moved.sort(key=lambda w: not w.startswith("sp::"))
        rest = [w for w in rest if w != kind and w not in moved]
        rest[2:2] = [kind] + moved
    elif opcode in ("mma", "wgmma") and "satfinite" in rest:
        rest.remove("satfinite")
        rest.append("satfinite")
    elif opcode == "mma" and "f64" in rest and "rn" in rest:
        rest.remove("rn")
        rest.append("rn")
    elif opcode in ("ldmatrix", "stmatrix") and "m8n8" in rest:
        rest.remove("m8n8")
        rest.insert(rest.index("trans" if "trans" in rest else
                               next(w for w in rest if w[0] == "x")) + 1,
                    "m8n8")
    else:
        return None
    changed = ".".join([opcode] + rest)
    return changed if changed != mnemonic else None


def respell(text):
    """The text of a kernel with the other orders; None if it has none."""
    found = False

    def replace(match):
        nonlocal found
        other = variant(match[0])
        found |= other is not None
        return other or match[0]

    text = re.sub(r"(?<![\w.])(mma|wgmma|ldmatrix|stmatrix)\.[\w.:]+", replace,
                  text)
    return text if found else None
