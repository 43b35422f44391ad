# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lit suite: IR, diagnostics and execution tests."""
import os
import shutil
import subprocess
import sys

import lit.formats

config.name = "ptx-jit"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".ptx", ".ll", ".test"]
config.excludes = ["Inputs", "Unit", "Forms"]
config.test_source_root = os.path.join(config.ptxjit_src_root, "test")
config.test_exec_root = os.path.join(config.ptxjit_obj_root, "test")

sys.path.insert(0, config.test_source_root)
from emulation import make_wrappers, raise_time_limit

tools = make_wrappers(config)
config.environment["PATH"] = os.pathsep.join(
    [tools, config.llvm_tools_dir, os.environ["PATH"]])
config.environment["PTXJIT_CACHE"] = "off"  # but for the tests of the cache
for name in ("ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions += [
    ("%python", config.python),
    ("%src", config.ptxjit_src_root),
    ("%obj", config.ptxjit_obj_root),
    *((f"%{tool}", os.path.join(config.ptxjit_obj_root, "libexec", "ptx-jit",
                                tool))
      for tool in ("ptxas", "nvlink", "fatbinary", "cuobjdump")),
    ("%our-nvcc", os.path.join(config.ptxjit_obj_root, "libexec", "ptx-jit",
                               "nvcc")),
    ("%llvm-tools", config.llvm_tools_dir),
]

config.available_features.add(config.architecture.lower())
if config.emulator:
    config.available_features.add("emulated")
with open("/proc/cpuinfo") as f:
    cpuinfo = f.read()
if config.architecture == "X86":
    for feature in ("avx2", "avx512f", "avx512_bf16"):
        if feature in cpuinfo:
            config.available_features.add(feature)

# Tests of programs that CUDA's own compiler makes.
nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
if nvcc:
    config.available_features.add("nvcc")
    config.substitutions.append(("%nvcc", nvcc))

# cuBLAS is built where OpenBLAS is found.
if os.path.exists(os.path.join(config.ptxjit_obj_root, "lib", "libcublas.so.13")):
    config.available_features.add("openblas")
# Likewise, cuDNN where oneDNN is found.
if os.path.exists(os.path.join(config.ptxjit_obj_root, "lib", "libcudnn.so.9")):
    config.available_features.add("onednn")

# Tests of NCCL between machines. Open MPI's own mpirun refuses root, and more
# processes than cores, unless it is told otherwise.
mpirun = shutil.which("mpirun")
plugin = os.path.join(config.ptxjit_obj_root, "lib", "libptxjit-nccl-mpi.so")
if mpirun and os.path.exists(plugin):
    config.available_features.add("mpirun")
    version = subprocess.run([mpirun, "--version"], capture_output=True,
                             text=True).stdout
    if "Open MPI" in version:
        mpirun += " --allow-run-as-root --oversubscribe"
    config.substitutions.append(("%mpirun", mpirun))

# Tests of kernels that Triton makes, with PTXJIT_TRITON_PYTHON or our Python.
for python in (os.environ.get("PTXJIT_TRITON_PYTHON"), config.python):
    if python and subprocess.run([python, "-c", "import triton, numpy"],
                                 capture_output=True).returncode == 0:
        config.available_features.add("triton")
        config.substitutions.append(("%triton-python", python))
        # With a torch, too, that has no CUDA device.
        if subprocess.run([python, "-c", "import torch; "
                           "exit(torch.cuda.is_available())"],
                          capture_output=True).returncode == 0:
            config.available_features.add("triton-torch")
        break

# Tests of a torch that was built for CUDA, with PTXJIT_TRITON_PYTHON or our Python.
for python in (os.environ.get("PTXJIT_TRITON_PYTHON"), config.python):
    if python and subprocess.run([python, "-c", "import torch; "
                                  "exit(not torch.version.cuda)"],
                                 capture_output=True).returncode == 0:
        config.available_features.add("torch-cuda")
        config.substitutions.append(("%torch-python", python))
        break

# Tests of JAX with its CUDA plug-in, with PTXJIT_JAX_PYTHON or our Python.
for python in (os.environ.get("PTXJIT_JAX_PYTHON"), config.python):
    if python and subprocess.run([python, "-c", "import jax, jax_plugins.xla_cuda13"],
                                 capture_output=True).returncode == 0:
        config.available_features.add("jax-cuda")
        config.substitutions.append(("%jax-python", python))
        break

# Tests that make packages. The wheel is installed in a new environment.
if all(map(shutil.which, ("readelf", "strip", "dpkg"))) and subprocess.run(
        [config.python, "-c", "import ensurepip, venv"],
        capture_output=True).returncode == 0:
    config.available_features.add("wheel-tools")
if all(map(shutil.which, ("dpkg-deb", "dpkg-shlibdeps", "cpack"))):
    config.available_features.add("deb-tools")

# Programs with kernels that are compiled ahead of time: for this machine, and for
# AArch64, if the library has been built for it.
def link_flags(build):
    return (f"-I{config.ptxjit_src_root}/include -L{build}/lib "
            f"-Wl,-rpath,{build}/lib")


compilers = [shutil.which("cc"), shutil.which("c++")]
if all(compilers) and not config.emulator:
    config.available_features.add("cc")
    for name, compiler in zip(("%ahead-cc", "%ahead-cxx"), compilers):
        config.substitutions.append(
            (name, f"{compiler} -fPIE -pie {link_flags(config.ptxjit_obj_root)}"))
# No machine has these instructions together with the others that kernels need.
config.substitutions.append(
    ("%other-cpu", "bdver4" if config.architecture == "X86" else "a64fx"))
sysroot = os.path.join(config.ptxjit_src_root, "build", "sysroot", "arm64")
cross = os.path.join(config.ptxjit_src_root, "build", "aarch64-linux")
if (config.architecture == "X86" and shutil.which("qemu-aarch64") and
        os.path.exists(os.path.join(cross, "lib", "libptxjit-runtime.so"))):
    config.available_features.add("aarch64-runtime")
    config.substitutions += [
        ("%aarch64-cc", f"{config.llvm_tools_dir}/clang --target=aarch64-linux-gnu "
                        f"--sysroot={sysroot} -fuse-ld=lld {link_flags(cross)}"),
        ("%aarch64-run", f"qemu-aarch64 -cpu max -L {sysroot}"),
        ("%aarch64-short-run",
         f"qemu-aarch64 -cpu max,sve-max-vq=1 -L {sysroot}"),
        ("%aarch64-lib", os.path.join(cross, "lib")),
    ]

# Builds with assertions have debug lines.
help_text = subprocess.run([os.path.join(tools, "ptx-opt"), "--help"],
                           capture_output=True, text=True).stdout
if "--ptx-debug-only" in help_text:
    config.available_features.add("assertions")

# A sanitized library can only be loaded by a program that is sanitized, too, and one
# of another architecture by none of this machine's.
if "-fsanitize" not in config.cxx_flags and not config.emulator:
    config.available_features.add("plain-library")

try:
    import psutil  # what lit's time limits need

    lit_config.maxIndividualTestTime = 600
except ImportError:
    pass
raise_time_limit(config, lit_config)
