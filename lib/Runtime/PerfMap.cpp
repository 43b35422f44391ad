//===- PerfMap.cpp - names of compiled code for profilers -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PerfMap.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <unistd.h>

using namespace ptxjit;

/// Opens the map of this process; null if it is not wanted or cannot be opened.
/// Other users can write to /tmp, so links are not followed.
static FILE *openMap() {
  const char *wanted = std::getenv("PTXJIT_PERF");
  if (!wanted || std::strcmp(wanted, "1") != 0)
    return nullptr;
  char path[64];
  std::snprintf(path, sizeof(path), "/tmp/perf-%ld.map", long(getpid()));
  int file =
      open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
  return file < 0 ? nullptr : fdopen(file, "a");
}

void ptxjit::writePerfMap(const PtxjitImage &image, const uint32_t block[3]) {
  static std::mutex mutex;
  static FILE *map = openMap();
  if (!map)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  std::fprintf(map, "%llx %llx ptx:%s[%u,%u,%u]\n",
               (unsigned long long)image.codeBegin,
               (unsigned long long)image.codeBytes, image.kernel, block[0],
               block[1], block[2]);
  std::fflush(map);
}
