#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packs an installed tree and the Python packages as a wheel.

    pack-wheel.py SOURCE_ROOT TREE VERSION OUTPUT_FOLDER

Adds to the tree the libraries that it needs and that not every Linux has, with
their licences. The tag of the wheel tells the oldest glibc that has all symbols
which the tree uses. Two runs make the same bytes. Prints the path of the wheel.
"""
import base64
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys
import zipfile

# What every Linux with Python has, by the policy of manylinux (PEP 600).
SYSTEM = re.compile(r"(linux-vdso|ld-linux-x86-64|libc|libm|libdl|librt|"
                    r"libpthread|libgcc_s|libstdc\+\+|libz)\.so\b")
# Where the libraries of a tree look for others.
PRIVATE = "lib/ptx-jit"
TREE_IN_WHEEL = "ptxjit/_tree"
PACKAGES = ("ptxjit", "ptxjit_torch")
# For programs in C and C++, which need the links that a wheel does not have.
LEFT_OUT = ("include", "lib/cmake", "lib/libptxjit-runtime.*")
# Debian packages of what our programs and libraries have inside.
INSIDE = {"LLVM": "llvm-22-dev", "lz4": "liblz4-dev", "xxHash": "libxxhash-dev",
          "zstd": "libzstd-dev"}


def run(*command):
    return subprocess.run(command, check=True, text=True,
                          capture_output=True).stdout


def walk(folder):
    """The files below a folder, as relative paths, sorted."""
    return sorted(os.path.relpath(os.path.join(inner, name), folder)
                  for inner, _, names in os.walk(folder) for name in names)


def is_elf(path):
    with open(path, "rb") as stream:
        return stream.read(4) == b"\x7fELF"


#===------------------------------------------------------------------------===#
# Libraries
#===------------------------------------------------------------------------===#


def resolve_links(tree):
    """Wheels have no links. Leaves each library one file, with the name that
    others load it by, and removes the links that only compilers use."""
    for name in walk(tree):
        path = os.path.join(tree, name)
        if os.path.islink(path):
            os.remove(path)
    for name in walk(tree):
        path = os.path.join(tree, name)
        if ".so" not in name or not is_elf(path):
            continue
        soname = re.search(r"SONAME.*\[(.*)\]", run("readelf", "-d", path))
        if soname:
            os.rename(path, os.path.join(os.path.dirname(path),
                                         soname.group(1)))


def find_needed(tree):
    """The libraries outside of the tree that it needs: paths by names."""
    needed = {}
    for name in walk(tree):
        path = os.path.join(tree, name)
        if not is_elf(path):
            continue
        for line in run("ldd", path).splitlines():
            library, _, place = line.strip().partition(" => ")
            place = place.split(" (")[0]
            if SYSTEM.match(os.path.basename(library.split(" (")[0])):
                continue
            if not os.path.isfile(place):
                raise SystemExit(f"pack-wheel.py: {name}: {line.strip()}")
            if not os.path.realpath(place).startswith(tree + os.sep):
                needed[library] = os.path.realpath(place)
    return needed


def licence_of_package(package):
    return f"/usr/share/doc/{package}/copyright"


def find_licence(library):
    """The file with the licence of a library, which is of a Debian package."""
    return licence_of_package(run("dpkg", "-S", library).split(":")[0])


def add_needed(tree):
    """Copies libraries into the tree. Returns their licences by names."""
    licences = {}
    for library, path in sorted(find_needed(tree).items()):
        copy = os.path.join(tree, PRIVATE, library)
        shutil.copyfile(path, copy)
        subprocess.run(["strip", "--strip-unneeded", copy], check=True)
        os.chmod(copy, 0o644)
        licences[f"{library}.txt"] = find_licence(path)
    # A copy has no RUNPATH, and so would not find another copy.
    for library in licences:
        copy = os.path.join(tree, PRIVATE, library[:-len(".txt")])
        inner = [name for name in re.findall(r"NEEDED.*\[(.*)\]",
                                             run("readelf", "-d", copy))
                 if not SYSTEM.match(name)]
        if inner:
            raise SystemExit(f"pack-wheel.py: {copy} needs {inner}")
    return licences


def find_glibc(tree):
    """The version of glibc that the tree needs, as in the tags of wheels."""
    newest = (2, 17)
    for name in walk(tree):
        path = os.path.join(tree, name)
        if is_elf(path):
            for major, minor in re.findall(r"Name: GLIBC_(\d+)\.(\d+)",
                                           run("readelf", "-VW", path)):
                newest = max(newest, (int(major), int(minor)))
    return "{}_{}".format(*newest)


#===------------------------------------------------------------------------===#
# The wheel
#===------------------------------------------------------------------------===#


class Wheel:
    """A wheel that is being written (the binary distribution format of PyPA)."""

    def __init__(self, folder, version, tag):
        self.path = os.path.join(folder, f"ptx_jit-{version}-{tag}.whl")
        self.info = f"ptx_jit-{version}.dist-info"
        self.archive = zipfile.ZipFile(self.path, "w", zipfile.ZIP_DEFLATED)
        self.record = []

    def add(self, name, data, mode=0o644):
        entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = (0o100000 | mode) << 16
        self.archive.writestr(entry, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
        self.record.append(
            f"{name},sha256={digest.rstrip(b'=').decode()},{len(data)}")

    def add_file(self, name, path):
        with open(path, "rb") as stream:
            self.add(name, stream.read(), os.stat(path).st_mode & 0o777)

    def finish(self):
        name = f"{self.info}/RECORD"
        self.add(name, "\n".join([*self.record, f"{name},,", ""]).encode())
        self.archive.close()


def make_metadata(source, version):
    with open(os.path.join(source, "docs/Python.md")) as stream:
        description = stream.read()
    return f"""Metadata-Version: 2.1
Name: ptx-jit
Version: {version}
Summary: Runs NVIDIA PTX on the CPU
License: Apache-2.0 WITH LLVM-exception
Requires-Python: >=3.9
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Description-Content-Type: text/markdown

{description}"""


def main():
    source, tree, version, folder = sys.argv[1:]
    tree = os.path.realpath(tree)
    for pattern in LEFT_OUT:
        for path in glob.glob(os.path.join(tree, pattern)):
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
    resolve_links(tree)
    licences = add_needed(tree)
    for name, package in INSIDE.items():
        licences[f"{name}.txt"] = licence_of_package(package)
    licences["LICENSE"] = os.path.join(source, "LICENSE")
    tag = f"py3-none-manylinux_{find_glibc(tree)}_x86_64"
    wheel = Wheel(folder, version, tag)
    for package in PACKAGES:
        folder = os.path.join(source, "python", package)
        for name in walk(folder):
            if name.endswith((".py", "py.typed", ".cpp", ".h")):
                wheel.add_file(f"{package}/{name}", os.path.join(folder, name))
    for name in walk(tree):
        wheel.add_file(f"{TREE_IN_WHEEL}/{name}", os.path.join(tree, name))
    for name, path in sorted(licences.items()):
        wheel.add_file(f"{wheel.info}/licenses/{name}", path)
    for name, text in (
            ("METADATA", make_metadata(source, version)),
            ("WHEEL", "Wheel-Version: 1.0\nGenerator: ptx-jit\n"
             f"Root-Is-Purelib: false\nTag: {tag}\n"),
            ("entry_points.txt",
             "[console_scripts]\nptx-jit = ptxjit.__main__:main\n"
             "[torch.backends]\nptxjit_torch = ptxjit_torch:autoload\n"
             "[triton.backends]\nptxjit = ptxjit.triton\n")):
        wheel.add(f"{wheel.info}/{name}", text.encode())
    wheel.finish()
    print(wheel.path)


if __name__ == "__main__":
    main()
