# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Execution tests for the forms of ld, ldu, st, atom, red and multimem.

Every thread works on its own cell, so that the result does not depend on the
order of threads; contention has hand-written tests. Every type and vector size
meets every state space; the other modifiers vary one at a time.
"""
import itertools
import re

from form_syntax import PARTS, WIDTH, modifiers

SPACES = {"global", "shared", "shared::cta", "shared::cluster", "local",
          "const", "param", "param::entry", "param::func"}
THREADS = 64


def choices(slots, full):
    """Spellings: all choices of `full` slots, those of others one at a time."""
    options = [([""] if optional else []) + ["." + t for t in tokens]
               for tokens, optional in slots]
    chosen = [i for i, (tokens, _) in enumerate(slots) if full(tokens)]
    seen = set()
    for pick in itertools.product(*(options[i] for i in chosen)):
        base = [o[0] for o in options]
        for i, token in zip(chosen, pick):
            base[i] = token
        seen.add(tuple(base))
    last = list(next(iter(sorted(seen))))
    for i, option in enumerate(options):
        for token in option:
            seen.add(tuple(last[:i] + [token] + last[i + 1:]))
    return sorted(seen)


def pick(tokens, known, default):
    return next((t for t in tokens if t in known), default)


def raw(ty):
    """The untyped type of that size, for loads and stores of tests."""
    return f"u{WIDTH[ty]}"


def register(ty):
    plain = ty[0] != "f" or ty in PARTS
    return f"b{max(WIDTH[ty], 16)}" if plain else ty


def braces(names):
    return names[0] if len(names) == 1 else "{" + ", ".join(names) + "}"


def thread_pointer(register, param, bytes_each):
    """Code for the address of thread t's part of a buffer."""
    return [f"  ld.param.u64 {register}, [{param}];",
            f"  mad.wide.u32 {register}, %t, {bytes_each}, {register};"]


def load_store(name, mnemonic, tokens, is_load):
    """A kernel that moves a vector through one state space."""
    space = pick(tokens, SPACES, "")
    ty = pick(tokens, WIDTH, None)
    n = int(pick(tokens, {"v2", "v4", "v8"}, "v1")[1:])
    size = WIDTH[ty] // 8
    v = [f"%v{i}" for i in range(n)]
    vector = f".v{n}" if n > 1 else ""
    plain = f"{vector}.b{WIDTH[ty]}"
    # A narrow load extends as its type says: 32-bit registers show how.
    wide = WIDTH[ty] < 32 and ty[0] != "f"
    reg = "b32" if wide else register(ty)
    shown = "u32" if wide and is_load else raw(ty)
    lines = [f".visible .entry {name}(.param .u64 in, .param .u64 out)", "{",
             "  .reg .b32 %t; .reg .b64 %p, %q, %s;",
             f"  .reg .{reg} " + ", ".join(v) + ";",
             "  mov.u32 %t, %tid.x;"]
    lines += thread_pointer("%p", "in", n * size)
    lines += thread_pointer("%q", "out", n * (4 if shown == "u32" else size))
    address = "%s"
    cells = THREADS * n * size
    space = space.replace("::cluster", "").replace("::cta", "")
    if space in ("", "global"):
        address = "%p" if is_load else "%q"
    elif space in ("shared", "local"):
        kind = "local" if space == "local" else "shared"
        lines += [f"  .{kind} .align 32 .b8 cells[{cells}];",
                  "  mov.u64 %s, cells;",
                  f"  mad.wide.u32 %s, %t, {n * size}, %s;"]
        bits = [f"%w{i}" for i in range(n)]
        if is_load:
            lines += [f"  .reg .{'b32' if wide else 'b%d' % WIDTH[ty]} "
                      + ", ".join(bits) + ";",
                      f"  ld.global{plain} {braces(bits)}, [%p];",
                      f"  st.{kind}{plain} [%s], {braces(bits)};"]
    elif space == "const":
        lines += ["  mov.u64 %s, bytes;",
                  f"  .reg .b32 %o; mul.lo.u32 %o, %t, {n * size};",
                  "  and.b32 %o, %o, 255;",
                  "  .reg .b64 %l; cvt.u64.u32 %l, %o; add.u64 %s, %s, %l;"]
    step = 4 if shown == "u32" else size
    store = "\n".join(f"  st.global.b{shown[1:]} [%q+{i * step}], {x};"
                      for i, x in enumerate(v))
    policy = ", 0" if "L2::cache_hint" in tokens else ""
    if is_load:
        lines += [f"  {mnemonic} {braces(v)}, [{address}]{policy};", store]
    else:
        lines += [f"  ld.global{plain} {braces(v)}, [%p];",
                  f"  {mnemonic} [{address}], {braces(v)}{policy};"]
        if address == "%s":
            kind = "local" if space == "local" else "shared"
            lines += [f"  ld.{kind}{plain} {braces(v)}, [%s];", store]
    lines += ["  ret;", "}",
              f"// run: {name} block={THREADS} "
              f"in={raw(ty)}[random(7):{THREADS * n}] "
              f"out={shown}[ref:{THREADS * n}]"]
    return "\n".join(lines) + "\n"


def load_param(name, mnemonic, tokens):
    """A load from a parameter passed by value."""
    ty = pick(tokens, WIDTH, None)
    n = int(pick(tokens, {"v2", "v4", "v8"}, "v1")[1:])
    v = [f"%v{i}" for i in range(n)]
    size = WIDTH[ty] // 8
    wide = WIDTH[ty] < 32 and ty[0] != "f"
    reg = "b32" if wide else register(ty)
    shown = "u32" if wide else raw(ty)
    step = 4 if wide else size
    data = ",".join(str((i * 37 + 129) % 256) for i in range(64))
    lines = [f".visible .entry {name}(.param .align 32 .b8 s[64], "
             ".param .u64 out)", "{",
             f"  .reg .b64 %q; .reg .{reg} " + ", ".join(v) + ";",
             "  ld.param.u64 %q, [out];",
             f"  {mnemonic} {braces(v)}, [s+32];"]
    lines += [f"  st.global.b{shown[1:]} [%q+{i * step}], {x};"
              for i, x in enumerate(v)]
    lines += ["  ret;", "}",
              f"// run: {name} block=1 u8{{{data}}} out={shown}[ref:{n}]"]
    return "\n".join(lines) + "\n"


def atomic(name, mnemonic, tokens, opcode):
    ty = pick(tokens[::-1], WIDTH, None)
    shared = pick(tokens, {"shared", "shared::cta", "shared::cluster"}, "")
    move = f"b{WIDTH[ty]}" if ty in PARTS else ty
    cas = "cas" in tokens
    elem = raw(ty) if ty in PARTS or ty[0] not in "sf" else ty
    size = WIDTH[ty] // 8
    cells = 256
    a, d = "%p", "%d, " if opcode == "atom" else ""
    reg = register(ty)
    lines = [f".visible .entry {name}(.param .u64 a, .param .u64 b, "
             ".param .u64 c, .param .u64 out)", "{",
             "  .reg .b32 %t; .reg .b64 %p, %q, %s;",
             f"  .reg .{reg} %d, %b, %c, %m;",
             "  mov.u32 %t, %tid.x;"]
    for param, r in (("b", "%b"), ("c", "%c"), ("a", "%m")):
        lines += thread_pointer("%p", param, size)
        lines += [f"  ld.global.{move} {r}, [%p];"]
    lines += thread_pointer("%q", "out", size)
    if shared:
        a = "%s"
        lines += [f"  .shared .align 8 .b8 cells[{cells * size}];",
                  "  mov.u64 %s, cells;",
                  f"  mad.wide.u32 %s, %t, {size}, %s;",
                  f"  st.shared.{move} [%s], %m;"]
    # Compare-and-swap succeeds in every other thread.
    if cas:
        lines += ["  .reg .pred %o; .reg .b32 %x; and.b32 %x, %t, 1;",
                  "  setp.ne.u32 %o, %x, 0;", f"  @%o mov.{move} %b, %m;"]
    policy = ", 0" if "L2::cache_hint" in tokens else ""
    lines.append(f"  {mnemonic} {d}[{a}], %b{', %c' if cas else ''}{policy};")
    if shared:
        lines += [f"  ld.shared.{move} %m, [%s];",
                  f"  st.global.{move} [%p], %m;"]
    if d:
        lines.append(f"  st.global.{move} [%q], %d;")
    edges = PARTS.get(ty, "edges")
    lines += ["  ret;", "}",
              f"// run: {name} io={elem}[{edges}.a]->[ref] "
              f"in={elem}[{edges}.b] in={elem}[{edges}.c] out={elem}[ref]"]
    return "\n".join(lines) + "\n"


def wide_access(name, mnemonic, tokens, opcode):
    """ld, st and atom of .b128: halves go to and come from memory as b64."""
    space = pick(tokens, SPACES, "").replace("::cluster", "").replace(
        "::cta", "")
    window = "local" if space == "local" else "shared"
    lines = [f".visible .entry {name}(.param .u64 in, .param .u64 in2, "
             ".param .u64 io, .param .u64 out)", "{",
             "  .reg .b32 %t, %o; .reg .b64 %p, %b, %q, %m, %s, %x<4>;",
             "  .reg .b128 %v, %w, %d;", "  mov.u32 %t, %tid.x;"]
    lines += thread_pointer("%p", "in", 16) + thread_pointer("%b", "in2", 16)
    lines += thread_pointer("%m", "io", 16) + thread_pointer("%q", "out", 16)
    lines += ["  ld.global.v2.b64 {%x0, %x1}, [%p];", "  mov.b128 %v, {%x0, %x1};",
              "  ld.global.v2.b64 {%x0, %x1}, [%b];", "  mov.b128 %w, {%x0, %x1};",
              "  mov.b128 %d, %v;"]
    address = "%m"
    if space in ("shared", "local"):
        address = "%s"
        lines += [f"  .{window} .align 16 .b8 cells[{THREADS * 16}];",
                  "  mov.u64 %s, cells;", "  mad.wide.u32 %s, %t, 16, %s;",
                  "  ld.global.v2.b64 {%x0, %x1}, [%m];",
                  f"  st.{window}.v2.b64 [%s], {{%x0, %x1}};"]
    elif space == "const":
        address = "%s"
        lines += ["  mov.u64 %s, bytes;", "  and.b32 %o, %t, 31;",
                  "  mad.wide.u32 %s, %o, 16, %s;"]
    policy = ", 0" if "L2::cache_hint" in tokens else ""
    # Compare-and-swap succeeds in every other thread.
    if "cas" in tokens:
        lines += ["  .reg .pred %e; and.b32 %o, %t, 1;",
                  "  setp.ne.u32 %e, %o, 0;",
                  "  ld.global.v2.b64 {%x0, %x1}, [%m];",
                  "  @%e mov.b128 %v, {%x0, %x1};"]
    operands = {"ld": f"%d, [{address}]", "ldu": f"%d, [{address}]",
                "st": f"[{address}], %v",
                "atom": f"%d, [{address}], %v"
                        + (", %w" if "cas" in tokens else "")}[opcode]
    lines += [f"  {mnemonic} {operands}{policy};"]
    if address == "%s" and space != "const":
        lines += [f"  ld.{window}.v2.b64 {{%x2, %x3}}, [%s];",
                  "  st.global.v2.b64 [%m], {%x2, %x3};"]
    lines += ["  mov.b128 {%x0, %x1}, %d;",
              "  st.global.v2.b64 [%q], {%x0, %x1};", "  ret;", "}",
              f"// run: {name} block={THREADS} in=u64[random(3):{2 * THREADS}] "
              f"in=u64[random(4):{2 * THREADS}] "
              f"io=u64[random(5):{2 * THREADS}]->[ref:{2 * THREADS}] "
              f"out=u64[ref:{2 * THREADS}]"]
    return "\n".join(lines) + "\n"


# An address of multimem stands for so many memories.
MEMORIES = 4
# Formats of multimem that are kept in untyped registers.
FORMATS = {"e4m3": "b8", "e5m2": "b8", "e4m3x2": "b16", "e5m2x2": "b16",
           "e4m3x4": "b32", "e5m2x4": "b32"}


def vector_access(name, mnemonic, tokens):
    """Vectors of atom and red, and multimem: element by element."""
    ty = next(t for t in tokens[::-1] if t in WIDTH or t in FORMATS)
    n = int(pick(tokens, {"v2", "v4", "v8"}, "v1")[1:])
    bits = FORMATS.get(ty) or (f"b{WIDTH[ty]}" if ty in PARTS else ty)
    size = WIDTH[bits] // 8
    reg = bits if bits[0] in "bf" else f"b{WIDTH[bits]}"
    element = raw(bits) if bits[0] == "b" else bits
    generator = PARTS.get(ty, "edges")
    count = THREADS * n
    io, memories = count, ""
    if mnemonic.startswith("multimem"):
        # A few elements more, so that each memory has other edge values.
        io, memories = MEMORIES * (THREADS + 8) * n, f"@multicast({MEMORIES})"
    if ty in FORMATS:  # edge values of bytes
        element, count, io = "u8", count * size, io * size
    v = [f"%v{i}" for i in range(n)]
    d = [f"%d{i}" for i in range(n)]
    lines = [f".visible .entry {name}(.param .u64 io, .param .u64 in, "
             ".param .u64 out)", "{",
             "  .reg .b32 %t; .reg .b64 %p, %q, %m;",
             f"  .reg .{reg} " + ", ".join(v + d) + ";",
             "  mov.u32 %t, %tid.x;"]
    lines += thread_pointer("%m", "io", size * n)
    lines += thread_pointer("%p", "in", size * n)
    lines += thread_pointer("%q", "out", size * n)
    for i in range(n):
        lines += [f"  ld.global.{reg} {v[i]}, [%p+{i * size}];",
                  f"  mov.{reg} {d[i]}, {v[i]};" if WIDTH[bits] > 8 else
                  f"  ld.global.{reg} {d[i]}, [%p+{i * size}];"]
    policy = ", 0" if "L2::cache_hint" in tokens else ""
    results = braces(d) + ", " if mnemonic.startswith(
        ("atom", "multimem.ld")) else ""
    values = "" if "ld_reduce" in tokens else ", " + braces(v)
    lines += [f"  {mnemonic} {results}[%m]{values}{policy};"]
    lines += [f"  st.global.{reg} [%q+{i * size}], {d[i]};" for i in range(n)]
    lines += ["  ret;", "}",
              f"// run: {name} block={THREADS} "
              f"io={element}[{generator}.a:{io}]->[ref:{io}]{memories} "
              f"in={element}[{generator}.b:{count}] out={element}[ref:{count}]"]
    return "\n".join(lines) + "\n"


CONSTANTS = (".const .align 32 .b8 bytes[512] = {"
             + ", ".join(str((i * 73 + 151) % 256) for i in range(512))
             + "};\n\n")


def kernels(opcode, syntax):
    """All kernels for one form, or nothing if it is no memory form."""
    head = syntax.split(" ")[0][len(opcode):]
    slots = modifiers(head)
    if opcode == "multimem" or any({"v2", "v4", "v8"} & set(tokens)
                                   and opcode in ("atom", "red")
                                   for tokens, _ in slots):
        for spelling in choices(slots, lambda t: t[-1] in WIDTH or
                                t[-1] in FORMATS or len(t) == 3):
            mnemonic = opcode + "".join(spelling)
            name = re.sub(r"\W", "_", mnemonic)
            yield name, vector_access(name, mnemonic,
                                      [t[1:] for t in spelling if t])
        return
    if ["b128"] in [tokens for tokens, _ in slots]:
        for spelling in choices(slots, lambda t: t[-1] in SPACES):
            mnemonic = opcode + "".join(spelling)
            tokens = [t[1:] for t in spelling if t]
            if not {"param", "param::func", "param::entry"} & set(tokens):
                name = re.sub(r"\W", "_", mnemonic)
                yield name, wide_access(name, mnemonic, tokens, opcode)
        return
    if opcode in ("ld", "ldu", "st"):
        # Cache hints do not change results, so a few of these forms are enough.
        cached = any(t.startswith("L2::") for tokens, _ in slots
                     for t in tokens)
        spellings = choices(slots, lambda t: not cached and (
            t[-1] in WIDTH or "v2" in t or t[-1] in SPACES))
        spellings = spellings[::5] if cached else spellings
    elif opcode in ("atom", "red"):
        spellings = choices(slots, lambda t: t[-1] in WIDTH or len(t) == 2
                            or t[-1] in ("shared::cta", "xor"))
    else:
        return
    for spelling in spellings:
        mnemonic = opcode + "".join(spelling)
        tokens = [t[1:] for t in spelling if t]
        ty = pick(tokens[::-1], WIDTH, None)
        if "param::func" in tokens or (opcode == "st" and "param" in tokens):
            continue  # parameters of calls
        name = re.sub(r"\W", "_", mnemonic)
        if opcode in ("atom", "red"):
            yield name, atomic(name, mnemonic, tokens, opcode)
        elif "param" in tokens or "param::entry" in tokens:
            yield name, load_param(name, mnemonic, tokens)
        else:
            yield name, load_store(name, mnemonic, tokens, opcode != "st")
