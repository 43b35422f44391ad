//===- ReadFile.cpp - a file's bytes --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/ReadFile.h"

#include <cerrno>
#include <cstdio>
#include <memory>

using namespace ptxjit;

int ptxjit::readFile(const std::string &path, std::string &bytes) {
  bytes.clear();
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(
      std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file)
    return errno;
  char part[1 << 16];
  while (size_t count = std::fread(part, 1, sizeof(part), file.get()))
    bytes.append(part, count);
  if (!std::ferror(file.get()))
    return 0;
  int error = errno;
  bytes.clear();
  return error;
}
