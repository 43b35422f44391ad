//===- MemoryProbe.cpp - asks which addresses can be accessed -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryProbe.h"

#include <algorithm>
#include <fcntl.h>
#include <unistd.h>

using namespace ptxjit::reference;

MemoryProbe::MemoryProbe() {
  if (pipe2(pipe, O_CLOEXEC) != 0)
    pipe[0] = pipe[1] = -1;
}

MemoryProbe::~MemoryProbe() {
  for (int end : pipe)
    if (end >= 0)
      close(end);
}

/// Writes a byte to the pipe and reads it back. For inaccessible memory the
/// system returns EFAULT.
bool MemoryProbe::ask(uint64_t address) {
  auto *byte = reinterpret_cast<char *>(address);
  if (pipe[0] < 0)
    return true;
  if (write(pipe[1], byte, 1) != 1)
    return false;
  if (read(pipe[0], byte, 1) == 1)
    return true;
  char taken; // readable only: empty the pipe
  (void)!read(pipe[0], &taken, 1);
  return false;
}

bool MemoryProbe::isAccessible(uint64_t address, uint64_t bytes) {
  uint64_t end = address + bytes;
  if (!bytes || end < address)
    return !bytes;
  for (uint64_t page = address >> kPageBits; page << kPageBits < end; ++page) {
    if (pages.contains(page))
      continue;
    if (!ask(std::max(address, page << kPageBits)))
      return false;
    pages.insert(page);
  }
  return true;
}
