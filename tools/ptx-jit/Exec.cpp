//===- Exec.cpp - run programs with our libraries in front ----------------===//

#include "Exec.h"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>

using namespace ptxjit;

static bool exists(const std::string &path) {
  return access(path.c_str(), R_OK) == 0;
}

/// The folder with libcuda.so.1: beside this program's, as built or as
/// installed.
static std::string findLibraries() {
  char self[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
  if (length <= 0)
    return "";
  std::string program(self, size_t(length));
  std::string folder = program.substr(0, program.rfind('/'));
  for (const char *place : {"/../lib/ptx-jit", "/../lib"}) {
    char real[PATH_MAX];
    if (exists(folder + place + "/libcuda.so.1") &&
        realpath((folder + place).c_str(), real))
      return real;
  }
  return "";
}

/// Puts `value` in front of a list of paths in the environment.
static void prepend(const char *name, const std::string &value) {
  const char *old = std::getenv(name);
  std::string list = old && *old ? value + ":" + old : value;
  setenv(name, list.c_str(), 1);
}

int ptxjit::execProgram(int argc, char **argv) {
  int first = argc > 0 && std::strcmp(argv[0], "--") == 0;
  if (first >= argc) {
    std::fprintf(stderr,
                 "ptx-jit: expected: ptx-jit exec -- PROGRAM ARGS...\n");
    return 1;
  }
  std::string libraries = findLibraries();
  if (libraries.empty()) {
    std::fprintf(stderr, "ptx-jit: libcuda.so.1 is not beside this program\n");
    return 1;
  }
  prepend("LD_LIBRARY_PATH", libraries);
  prepend("LD_AUDIT", libraries + "/libptxjit-audit.so");
  setenv("PTXJIT_LIBRARIES", libraries.c_str(), 1);
  // What asks for a file instead of searching.
  setenv("TRITON_LIBCUDA_PATH", libraries.c_str(), 0);
  setenv("NUMBA_CUDA_DRIVER", (libraries + "/libcuda.so.1").c_str(), 0);
  execvp(argv[first], argv + first);
  int error = errno;
  std::fprintf(stderr, "ptx-jit: '%s' cannot be started: %s\n", argv[first],
               std::strerror(error));
  return error == ENOENT ? 127 : 126;
}
