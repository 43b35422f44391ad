//===- GuardedMemory.cpp - memory between guard pages ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GuardedMemory.h"
#include "ptxjit/Runtime/PerThread.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace ptxjit;

static constexpr size_t kGuard = size_t(16) << 20;
/// The most blocks that a thread keeps: of clusters that wait for each other it
/// runs several at once. The most bytes of windows of one, since these are
/// cleared by memset.
static constexpr size_t kMostKept = 8, kMostBytesKept = size_t(2) << 20;

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
/// A block that its thread keeps for the next one that fits.
class Spare {
public:
  Spare(uint8_t *memory, size_t size, const GuardedMemory::Windows &windows)
      : memory(memory), size(size), windows(windows) {}
  Spare(Spare &&other) noexcept
      : memory(std::exchange(other.memory, nullptr)), size(other.size),
        windows(other.windows) {}
  Spare &operator=(Spare &&other) noexcept {
    std::swap(memory, other.memory);
    std::swap(size, other.size);
    std::swap(windows, other.windows);
    return *this;
  }
  ~Spare() { unmap(memory, size); }

  size_t getSize() const { return size; }
  /// Clears the windows, and gives the block away.
  uint8_t *take() {
    for (size_t i = 0; i < windows.count; ++i)
      std::memset(memory + i * windows.stride, 0, windows.bytes);
    return std::exchange(memory, nullptr);
  }

private:
  uint8_t *memory;
  size_t size;
  GuardedMemory::Windows windows; ///< which were in use
};
} // namespace

static std::vector<Spare> &sparesOfThread() {
  return perThread<std::vector<Spare>, GuardedMemory>();
}

GuardedMemory::GuardedMemory(const Windows &windows, AddressRange range)
    : windows(windows), range(range) {
  size_t bytes = windows.total();
  if (bytes > SIZE_MAX / 2)
    return;
  size_t page = size_t(sysconf(_SC_PAGESIZE));
  size_t needed = (bytes + page - 1) / page * page;
  std::vector<Spare> &spares = sparesOfThread();
  auto fits = [&](const Spare &spare) { return spare.getSize() >= needed; };
  auto found = std::find_if(spares.begin(), spares.end(), fits);
  if (found != spares.end() && range == AddressRange::All) {
    memory = found->take();
    size = found->getSize();
    spares.erase(found);
    return;
  }
  memory = mapBetweenGuards(needed, range);
  size = memory ? needed : 0;
}

GuardedMemory::~GuardedMemory() {
  if (!memory || range == AddressRange::Low ||
      windows.count * windows.bytes > kMostBytesKept) {
    unmap(memory, size);
    return;
  }
  std::vector<Spare> &spares = sparesOfThread();
  if (spares.size() == kMostKept)
    spares.erase(spares.begin());
  spares.emplace_back(memory, size, windows);
}
