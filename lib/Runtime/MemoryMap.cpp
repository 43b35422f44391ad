//===- MemoryMap.cpp - what lies at an address ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/MemoryMap.h"
#include "ptxjit/Runtime/ReadFile.h"

#include <climits>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <unistd.h>

using namespace ptxjit;

Mapping ptxjit::findMapping(const void *address) {
  const auto wanted = reinterpret_cast<uintptr_t>(address);
  Mapping mapping;
  std::string lines;
  uintptr_t end = wanted; // of what may be read so far
  if (readFile("/proc/self/maps", lines))
    return mapping;
  for (size_t at = 0; at < lines.size();) {
    size_t newline = lines.find('\n', at);
    std::string line = lines.substr(at, newline - at);
    at = newline == lines.npos ? lines.size() : newline + 1;
    // "BEGIN-END rwxp OFFSET DEVICE INODE   FILE"
    unsigned long from, to;
    char mayRead;
    int fileAt = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx %c%*s %*s %*s %*s %n", &from, &to,
                    &mayRead, &fileAt) < 3 ||
        mayRead != 'r' || from > end || to <= end)
      continue;
    // Names like [heap] are not files.
    if (from <= wanted && fileAt && line[size_t(fileAt)] == '/')
      mapping.file = line.substr(size_t(fileAt));
    end = to;
  }
  mapping.bytesBehind = end - wanted;
  return mapping;
}

std::string ptxjit::getProgramPath() {
  char path[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
  return std::string(path, length > 0 ? size_t(length) : 0);
}
