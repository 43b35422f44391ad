# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes files with device code in nvcc's format, for the tests of `list`.

    device_code.py FOLDER
"""
import os
import struct
import sys

PTX, CODE, LTO, INDEX = 1, 2, 8, 4
DEBUG, LZ4, ZSTD, SPECIFIC, FAMILY = 2, 0x2000, 0x8000, 0x100000, 0x200000


def text(target, kernel, more=""):
    return (f".version 8.7\n.target {target}\n.address_size 64\n// .entry no\n"
            f".visible .entry {kernel}() {{ {more} ret; }}\n").encode()


def lz4(data):
    """A block of literals alone."""
    rest = len(data) - 15
    return (b"\xf0" + b"\xff" * (rest // 255) + bytes([rest % 255]) + data)


def zstd(data):
    """A frame of one segment, whose size has four bytes, and one raw block."""
    return (b"\x28\xb5\x2f\xfd\xa0" + struct.pack("<I", len(data)) +
            struct.pack("<I", len(data) << 3 | 1)[:3] + data)


def entry(kind, arch, data, flags=0, name=b"", options=b""):
    """An entry of a container. The name lies behind the header, and behind it
    the place of the options."""
    packed = (lz4(data) if flags & LZ4 else
              zstd(data) if flags & ZSTD else data)
    padded = packed + b"\0" * (-len(packed) % 8)
    place = 64 + len(name)
    tail = name + struct.pack("<II", place + 8, len(options)) + options
    is_packed = flags & (LZ4 | ZSTD)
    return struct.pack(
        "<HHIQIIHHIIIQQQ", kind, 0x101, 64 + len(tail), len(padded),
        len(packed) if is_packed else 0, place if options else 0, 7, 8, arch,
        64 if name else 0, len(name), flags, 0,
        len(data) if is_packed else 0) + tail + padded


def container(*entries):
    body = b"".join(entries)
    return struct.pack("<IHHQ", 0xba55ed50, 1, 16, len(body)) + body


def machine_code(arch, kernels, note="", sections=()):
    """A file of machine code: symbols, names, a note, empty sections."""
    strings, symbols = b"\0", bytes(24)
    for kernel in kernels + ["device_function"]:
        is_kernel = kernel in kernels
        symbols += struct.pack("<IBBHQQ", len(strings), 0x12,
                               0x10 if is_kernel else 0, 1, 0, 0)
        strings += kernel.encode() + b"\0"
    parts = [(".symtab", 2, symbols), (".strtab", 3, strings),
             (".note.nv.tkinfo", 7, note.encode())]
    parts += [(name, 1, b"") for name in sections]
    names = b"\0" + b"".join(p[0].encode() + b"\0" for p in parts) + b".names\0"
    parts.append((".names", 3, names))
    headers, body, at = bytes(64), b"", 1
    for name, kind, data in parts:
        headers += struct.pack("<IIQQQQIIQQ", at, kind, 0, 0, 64 + len(body),
                               len(data), 2 if kind == 2 else 0, 0, 1, 0)
        body += data
        at += len(name) + 1
    return (b"\x7fELF\2\1\1\x41\x08" + bytes(7) +
            struct.pack("<HHIQQQIHHHHHH", 2, 190, 1, 0, 0, 64 + len(body),
                        arch << 8, 64, 0, 0, 64, len(parts) + 1, len(parts)) +
            body + headers)


def archive(**members):
    out = b"!<arch>\n"
    for name, data in members.items():
        out += f"{name + '.o/':16}{0:<12}{0:<6}{0:<6}{644:<8}{len(data):<10}`\n".encode()
        out += data + b"\n" * (len(data) % 2)
    return out


def main():
    code = machine_code(80, ["a", "b"])
    many = container(
        entry(CODE, 80, code),
        entry(CODE, 90, machine_code(90, ["b"]), SPECIFIC | ZSTD),
        entry(PTX, 75, text("sm_75", "a"), LZ4, b"a.cu",
              b" --generate-line-info "),
        entry(PTX, 120, text("sm_120f, debug", "c"), FAMILY | DEBUG),
        entry(LTO, 90, b"packed in some way", ZSTD),
        entry(INDEX, 0, b"an index"))
    newer = container(entry(PTX, 90, text("sm_90", "d", ".loc 1 1 1;")))
    only = container(entry(CODE, 90, machine_code(90, ["e"])))
    files = {
        "program": b"\x7fELF\2\1\1" + bytes(57) + many + bytes(24) + newer +
                   only + container(entry(CODE, 80, machine_code(80, []))) +
                   container(entry(LTO, 90, b"x", ZSTD)),
        "code.cubin": machine_code(90, ["a"], "nvcc -arch sm_90a -m 64",
                                   [".debug_line", ".debug_info"]),
        "lib.a": archive(one=only, none=b"nothing", two=newer),
        "torn.a": archive(one=only, two=newer)[:-100],
        # The last bytes are missing; behind what is damaged the search goes on.
        "short.fatbin": many[:len(many) - 40],
        "size.fatbin": many[:8] + b"\xff" * 8 + many[16:] + newer,
        "zstd.fatbin": container(entry(PTX, 80, text("sm_80", "a"), ZSTD)
                                 .replace(b"\x28\xb5", b"\x28\xb6")),
        "code.fatbin": container(entry(CODE, 80, code[:200])),
        "head.cubin": code[:30],
        "wheel.whl": b"PK\3\4" + bytes(100),
        "nothing": bytes(1000) + b"\x50\xed\x55\xba" + bytes(1000),
        "empty": b"",
        "newer.ptx": text("sm_100a", "f"),
        "wrong.ptx": text("sm_80", "f", "add;"),
        "other.txt": b"a text",
    }
    for name, data in files.items():
        with open(os.path.join(sys.argv[1], name), "wb") as file:
            file.write(data)


if __name__ == "__main__":
    main()
