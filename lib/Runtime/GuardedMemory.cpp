//===- GuardedMemory.cpp - memory between guard pages ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GuardedMemory.h"
#include "Spares.h"

#include <cstring>
#include <memory>
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

namespace {
struct Unmap {
  size_t size;
  void operator()(uint8_t *begin) const {
    munmap(begin - kGuard, size + 2 * kGuard);
  }
};
/// A block without an owner. It is 0 outside of its windows.
struct Spare {
  std::unique_ptr<uint8_t, Unmap> memory;
  GuardedMemory::Windows windows;
};
using SparesOfThread = Spares<Spare, GuardedMemory>;
} // namespace

GuardedMemory::GuardedMemory(const Windows &windows, AddressRange range)
    : windows(windows), range(range) {
  size_t bytes = windows.total();
  if (bytes > SIZE_MAX / 2)
    return;
  size_t page = pageBytes();
  size = (bytes + page - 1) / page * page;
  std::optional<Spare> spare;
  if (range == AddressRange::All)
    spare = SparesOfThread::take([&](const Spare &other) {
      return other.memory.get_deleter().size >= size;
    });
  if (!spare) {
    memory = mapBetweenGuards(size, range);
    return;
  }
  size = spare->memory.get_deleter().size;
  memory = spare->memory.release();
  const Windows &used = spare->windows;
  for (size_t i = 0; i < used.count; ++i)
    std::memset(memory + i * used.stride, 0, used.bytes);
}

GuardedMemory::~GuardedMemory() {
  Spare spare{{memory, Unmap{size}}, windows};
  if (memory && range == AddressRange::All &&
      windows.count * windows.bytes <= kMostKept)
    SparesOfThread::keep(std::move(spare));
}
