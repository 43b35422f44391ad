//===- GuardedMemory.cpp - memory between guard pages ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GuardedMemory.h"
#include "ptxjit/Runtime/PerThread.h"

#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

using namespace ptxjit;

static constexpr size_t kGuard = size_t(16) << 20;
/// The most bytes of windows that a thread keeps, and so clears by memset.
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
/// A mapping without an owner. It is 0 outside of its windows.
struct Spare {
  uint8_t *memory = nullptr;
  size_t size = 0;
  GuardedMemory::Windows windows{};
  ~Spare() { unmap(memory, size); }
};
} // namespace

static Spare &spareOfThread() { return perThread<Spare, GuardedMemory>(); }

GuardedMemory::GuardedMemory(const Windows &windows, AddressRange range)
    : windows(windows), range(range) {
  size_t bytes = windows.total();
  if (bytes > SIZE_MAX / 2)
    return;
  size_t page = size_t(sysconf(_SC_PAGESIZE));
  size_t needed = (bytes + page - 1) / page * page;
  Spare &spare = spareOfThread();
  if (needed <= spare.size && range == AddressRange::All) {
    memory = std::exchange(spare.memory, nullptr);
    size = std::exchange(spare.size, 0);
    for (size_t i = 0; i < spare.windows.count; ++i)
      std::memset(memory + i * spare.windows.stride, 0, spare.windows.bytes);
    return;
  }
  memory = mapBetweenGuards(needed, range);
  size = memory ? needed : 0;
}

GuardedMemory::~GuardedMemory() {
  Spare &spare = spareOfThread();
  if (range == AddressRange::Low || windows.count * windows.bytes > kMostKept ||
      size < spare.size) {
    unmap(memory, size);
    return;
  }
  std::swap(memory, spare.memory);
  std::swap(size, spare.size);
  spare.windows = windows;
  unmap(memory, size);
}
