//===- Audit.cpp - an audit library that finds our libraries --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dynamic linker asks an audit library (LD_AUDIT, see rtld-audit(7)) where
// to look for each library. So even a program whose RPATH would win over
// LD_LIBRARY_PATH finds ours, in the folder PTXJIT_LIBRARIES.
//
//===----------------------------------------------------------------------===//

#include <cstdlib>
#include <cstring>
#include <link.h>
#include <unistd.h>

#define PTXJIT_AUDIT_EXPORT extern "C" __attribute__((visibility("default")))

static const struct {
  const char *name, *file;
} kOurs[] = {
    {"libcuda.so.1", "libcuda.so.1"},
    // A link that not all installations have.
    {"libcuda.so", "libcuda.so.1"},
    {"libcudart.so.13", "libcudart.so.13"},
    {"libcudart.so.12", "libcudart.so.12"},
    {"libgpuocelot.so", "libgpuocelot.so"},
    {"libnvidia-ml.so.1", "libnvidia-ml.so.1"},
    {"libnccl.so.2", "libnccl.so.2"},
    {"libcublas.so.13", "libcublas.so.13"},
    {"libcublas.so.12", "libcublas.so.12"},
    {"libcublasLt.so.13", "libcublasLt.so.13"},
    {"libcublasLt.so.12", "libcublasLt.so.12"},
    {"libcudnn.so.9", "libcudnn.so.9"},
    {"libnvrtc.so.13", "libnvrtc.so.13"},
    {"libnvrtc.so.12", "libnvrtc.so.12"},
    {"libnvJitLink.so.13", "libnvJitLink.so.13"},
    {"libnvJitLink.so.12", "libnvJitLink.so.12"},
};

/// Does our library `path` ask for the one of that name itself? Then it means
/// NVIDIA's, behind it. `cookie` belongs to the library that asks: at first, it
/// is the address of its link map.
static bool isOwnRequest(const uintptr_t *cookie, const char *path) {
  const auto *map =
      cookie ? reinterpret_cast<const link_map *>(*cookie) : nullptr;
  return map && map->l_name && std::strcmp(map->l_name, path) == 0;
}

PTXJIT_AUDIT_EXPORT unsigned la_version(unsigned) { return LAV_CURRENT; }

PTXJIT_AUDIT_EXPORT char *la_objsearch(const char *name, uintptr_t *cookie,
                                       unsigned) {
  // The linker uses the result only during the search, and never frees it.
  static char path[4096];
  const char *folder = std::getenv("PTXJIT_LIBRARIES");
  const char *slash = std::strrchr(name, '/');
  const char *base = slash ? slash + 1 : name;
  for (const auto &ours : kOurs) {
    if (!folder || std::strcmp(base, ours.name) != 0 ||
        std::strlen(folder) + std::strlen(ours.file) + 2 > sizeof(path))
      continue;
    std::strcpy(path, folder);
    std::strcat(path, "/");
    std::strcat(path, ours.file);
    if (access(path, R_OK) == 0 && !isOwnRequest(cookie, path))
      return path;
  }
  return const_cast<char *>(name);
}
