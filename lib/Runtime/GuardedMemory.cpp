//===- GuardedMemory.cpp - memory between guard pages ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GuardedMemory.h"

#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

using namespace ptxjit;

static constexpr size_t kGuard = size_t(16) << 20;
/// The largest mapping that a thread keeps, and so clears by memset.
static constexpr size_t kMostKept = size_t(2) << 20;

static uint8_t *mapBetweenGuards(size_t size, AddressRange range) {
  void *all = mapPages(size + 2 * kGuard, PROT_NONE, range);
  if (!all)
    return nullptr;
  uint8_t *begin = static_cast<uint8_t *>(all) + kGuard;
  if (mprotect(begin, size, PROT_READ | PROT_WRITE) == 0)
    return begin;
  munmap(all, size + 2 * kGuard);
  return nullptr;
}

static void unmap(uint8_t *begin, size_t size) {
  if (begin)
    munmap(begin - kGuard, size + 2 * kGuard);
}

namespace {
struct Spare {
  uint8_t *memory = nullptr;
  size_t size = 0;
  ~Spare() { unmap(memory, size); }
};
} // namespace

static thread_local Spare spare;

GuardedMemory::GuardedMemory(size_t bytes, AddressRange range) : range(range) {
  if (bytes > SIZE_MAX / 2)
    return;
  size_t page = size_t(sysconf(_SC_PAGESIZE));
  size_t needed = (bytes + page - 1) / page * page;
  if (needed <= spare.size && range == AddressRange::All) {
    memory = std::exchange(spare.memory, nullptr);
    size = std::exchange(spare.size, 0);
    std::memset(memory, 0, needed);
    return;
  }
  memory = mapBetweenGuards(needed, range);
  size = memory ? needed : 0;
}

GuardedMemory::~GuardedMemory() {
  if (range == AddressRange::Low || size > kMostKept || size < spare.size) {
    unmap(memory, size);
    return;
  }
  std::swap(memory, spare.memory);
  std::swap(size, spare.size);
  unmap(memory, size);
}
