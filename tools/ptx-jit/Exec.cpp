//===- Exec.cpp - run programs with our libraries in front ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exec.h"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string>
#include <unistd.h>

using namespace ptxjit;

static bool exists(const std::string &path) {
  return access(path.c_str(), R_OK) == 0;
}

/// The first of `places` that contains `file`, as an absolute path; empty if
/// none does. `places` are relative to the folder of this executable.
static std::string findFolder(std::initializer_list<const char *> places,
                              const char *file) {
  char self[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
  if (length <= 0)
    return "";
  std::string program(self, size_t(length));
  std::string folder = program.substr(0, program.rfind('/'));
  for (const char *place : places) {
    char real[PATH_MAX];
    if (exists(folder + place + "/" + file) &&
        realpath((folder + place).c_str(), real))
      return real;
  }
  return "";
}

/// Puts `value` in front of the colon-separated list in variable `name`.
static void prepend(const char *name, const std::string &value) {
  const char *old = std::getenv(name);
  std::string list = old && *old ? value + ":" + old : value;
  setenv(name, list.c_str(), 1);
}

/// Makes programs find our build tools and nvidia-smi in PATH. Frameworks that
/// generate PTX run ptxas on it. Some have variables of their own for it, which
/// are left alone if the user has set them.
static void offerTools() {
  std::string folder = findFolder({"/../libexec/ptx-jit"}, "ptxas");
  if (folder.empty())
    return;
  if (std::getenv("PATH")) // unset, it means the system's folders
    prepend("PATH", folder);
  setenv("PTXJIT_TOOLS", folder.c_str(), 1); // for those with full paths
  for (const char *name : {"TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH"})
    setenv(name, (folder + "/ptxas").c_str(), 0);
}

/// Names the CPU for OpenBLAS, over which our cuBLAS is. On a CPU that is newer
/// than itself OpenBLAS takes the kernels of an old one (SSE3): products take
/// seven times as long.
static void nameCpuForOpenBlas() {
#ifdef __x86_64__
  bool hasAvx512 =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
      __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (hasAvx512)
    setenv("OPENBLAS_CORETYPE", "SkylakeX", 0);
  else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    setenv("OPENBLAS_CORETYPE", "Haswell", 0);
#endif
}

std::string ptxjit::prepareEnvironment() {
  // In an installation and in a build folder.
  std::string libraries =
      findFolder({"/../lib/ptx-jit", "/../lib"}, "libcuda.so.1");
  if (libraries.empty()) {
    std::fprintf(stderr, "ptx-jit: libcuda.so.1 is not beside this program\n");
    return "";
  }
  prepend("LD_LIBRARY_PATH", libraries);
  prepend("LD_AUDIT", libraries + "/libptxjit-audit.so");
  setenv("PTXJIT_LIBRARIES", libraries.c_str(), 1);
  // Triton and Numba take a path from a variable instead of searching.
  setenv("TRITON_LIBCUDA_PATH", libraries.c_str(), 0);
  setenv("NUMBA_CUDA_DRIVER", (libraries + "/libcuda.so.1").c_str(), 0);
  // JAX asks libcupti for its version, and gives up without a profiler.
  setenv("JAX_SKIP_CUDA_CONSTRAINTS_CHECK", "1", 0);
  nameCpuForOpenBlas();
  offerTools();
  return libraries;
}

int ptxjit::execProgram(int argc, char **argv) {
  int first = argc > 0 && std::strcmp(argv[0], "--") == 0;
  if (first >= argc) {
    std::fprintf(stderr,
                 "ptx-jit: expected: ptx-jit exec -- PROGRAM ARGS...\n");
    return 1;
  }
  if (prepareEnvironment().empty())
    return 1;
  execvp(argv[first], argv + first);
  int error = errno;
  std::fprintf(stderr, "ptx-jit: '%s' cannot be started: %s\n", argv[first],
               std::strerror(error));
  return error == ENOENT ? 127 : 126;
}
