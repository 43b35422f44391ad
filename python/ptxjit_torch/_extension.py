# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The module in C++: built for the torch that is installed, when it is first needed,
and kept in the user's cache folder."""
from __future__ import annotations

import hashlib
import importlib.machinery
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from types import ModuleType

import torch
from torch.utils import cpp_extension

_NAME = "_ptxjit_torch"
_SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "csrc")
_MAIN = "Operators.cpp"


def _cache_folder() -> str:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(
        os.path.expanduser("~"), ".cache")
    return os.path.join(base, "ptx-jit", "torch")


def _make_folder(folder: str) -> None:
    """Makes the cache folder. The one around it is that of compiled kernels, which is not
    used if others may use it."""
    os.makedirs(os.path.dirname(folder), mode=0o700, exist_ok=True)
    os.makedirs(folder, mode=0o700, exist_ok=True)


def _key() -> str:
    """Names all that the module depends on."""
    digest = hashlib.sha256()
    for part in (torch.__version__, torch.__file__, sys.version,
                 sysconfig.get_paths()["include"]):
        digest.update(part.encode() + b"\0")
    for name in sorted(os.listdir(_SOURCES)):
        with open(os.path.join(_SOURCES, name), "rb") as stream:
            digest.update(stream.read())
    return digest.hexdigest()[:16]


def _command(output: str) -> list[str]:
    compiler = shutil.which(os.environ.get("CXX", "c++"))
    if not compiler:
        raise OSError("there is no C++ compiler")
    includes = [*cpp_extension.include_paths(),
                sysconfig.get_paths()["include"]]
    libraries = [f"-L{path}" for path in cpp_extension.library_paths()]
    return [compiler, "-O2", "-fPIC", "-shared", "-std=c++20",
            "-fvisibility=hidden", f"-DTORCH_EXTENSION_NAME={_NAME}",
            *(f"-isystem{path}" for path in includes),
            os.path.join(_SOURCES, _MAIN), "-o", output,
            *libraries, "-lc10", "-ltorch_cpu", "-ltorch_python"]


def _build(path: str) -> None:
    """Compiles the module. Another process may do the same at the same time."""
    print(f"ptxjit_torch: compiling for torch {torch.__version__} (once, about "
          "a minute)", file=sys.stderr)
    folder = os.path.dirname(path)
    _make_folder(folder)
    handle, made = tempfile.mkstemp(suffix=".so", dir=folder)
    os.close(handle)
    try:
        result = subprocess.run(_command(made), capture_output=True, text=True)
        if result.returncode:
            lines = [line for line in result.stderr.splitlines()
                     if "error" in line]
            raise OSError(lines[0] if lines else "the C++ compiler fails")
        os.chmod(made, 0o755)
        os.replace(made, path)
    finally:
        if os.path.exists(made):
            os.remove(made)


def load() -> ModuleType:
    """The module. Raises OSError or ImportError if there can be none."""
    path = os.path.join(_cache_folder(), f"{_NAME}-{_key()}.so")
    if not os.path.exists(path):
        _build(path)
    loader = importlib.machinery.ExtensionFileLoader(_NAME, path)
    spec = importlib.util.spec_from_file_location(_NAME, path, loader=loader)
    assert spec
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module
