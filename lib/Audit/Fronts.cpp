//===- Fronts.cpp - what programs see of files ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions in front of those of the program's C library. They only choose
// another path: the functions behind them do the rest, and set the program's
// errno. They may be called between fork() and exec().
//
// - Some programs look for /dev/nvidia0 before they load libcuda.so.1.
//   Functions that tell whether a file exists look at another device instead.
//   Opening such a file fails as before.
// - Some start NVIDIA's ptxas and nvlink by their full paths. They get ours,
//   from the folder PTXJIT_TOOLS.
//
//===----------------------------------------------------------------------===//

#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <link.h>
#include <unistd.h>

#define PTXJIT_AUDIT_EXPORT extern "C" __attribute__((visibility("default")))

static const char *existing(const char *path) {
  if (path && (std::strcmp(path, "/dev/nvidia0") == 0 ||
               std::strcmp(path, "/dev/nvidiactl") == 0))
    return "/dev/null";
  return path;
}

/// Did the user name this very file?
static bool isChosen(const char *path) {
  for (const char *name :
       {"TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH"}) {
    const char *chosen = std::getenv(name);
    if (chosen && std::strcmp(chosen, path) == 0)
      return true;
  }
  return false;
}

namespace {
/// The program to start in place of another one.
class Program {
public:
  explicit Program(const char *path) : path(path) {
    const char *folder = std::getenv("PTXJIT_TOOLS");
    const char *slash = path ? std::strrchr(path, '/') : nullptr;
    if (!folder || !slash || isChosen(path) ||
        std::strlen(folder) + std::strlen(slash) >= sizeof(ours) ||
        (std::strcmp(slash, "/ptxas") != 0 &&
         std::strcmp(slash, "/nvlink") != 0))
      return;
    std::strcpy(ours, folder);
    std::strcat(ours, slash);
    if (access(ours, X_OK) == 0)
      this->path = ours;
  }
  const char *get() const { return path; }

private:
  const char *path;
  char ours[4096];
};
} // namespace

// Each has the function of the program's C library, and ours in front of it.
#define FRONT(name, parameters, arguments)                                     \
  static int(*name##Behind) parameters;                                        \
  static int name##Front parameters { return name##Behind arguments; }
FRONT(stat, (const char *path, void *out), (existing(path), out))
FRONT(stat64, (const char *path, void *out), (existing(path), out))
FRONT(lstat, (const char *path, void *out), (existing(path), out))
FRONT(lstat64, (const char *path, void *out), (existing(path), out))
FRONT(access, (const char *path, int mode), (existing(path), mode))
// By these names, programs that were linked before glibc 2.33 call them.
FRONT(__xstat, (int version, const char *path, void *out),
      (version, existing(path), out))
FRONT(__xstat64, (int version, const char *path, void *out),
      (version, existing(path), out))
FRONT(execv, (const char *path, char *const *argv), (Program(path).get(), argv))
FRONT(execvp, (const char *path, char *const *argv),
      (Program(path).get(), argv))
FRONT(execve, (const char *path, char *const *argv, char *const *environment),
      (Program(path).get(), argv, environment))
FRONT(posix_spawn,
      (pid_t * pid, const char *path, const void *actions,
       const void *attributes, char *const *argv, char *const *environment),
      (pid, Program(path).get(), actions, attributes, argv, environment))
FRONT(posix_spawnp,
      (pid_t * pid, const char *path, const void *actions,
       const void *attributes, char *const *argv, char *const *environment),
      (pid, Program(path).get(), actions, attributes, argv, environment))
#undef FRONT

PTXJIT_AUDIT_EXPORT unsigned la_objopen(link_map *, Lmid_t space, uintptr_t *) {
  return space == LM_ID_BASE ? LA_FLG_BINDTO | LA_FLG_BINDFROM : 0;
}

PTXJIT_AUDIT_EXPORT uintptr_t la_symbind64(Elf64_Sym *symbol, unsigned,
                                           uintptr_t *, uintptr_t *, unsigned *,
                                           const char *name) {
#define FRONT(function)                                                        \
  if (std::strcmp(name, #function) == 0) {                                     \
    function##Behind =                                                         \
        reinterpret_cast<decltype(function##Behind)>(symbol->st_value);        \
    return reinterpret_cast<uintptr_t>(&function##Front);                      \
  }
  FRONT(stat)
  FRONT(stat64)
  FRONT(lstat)
  FRONT(lstat64)
  FRONT(access)
  FRONT(__xstat)
  FRONT(__xstat64)
  FRONT(execv)
  FRONT(execvp)
  FRONT(execve)
  FRONT(posix_spawn)
  FRONT(posix_spawnp)
#undef FRONT
  return symbol->st_value;
}
