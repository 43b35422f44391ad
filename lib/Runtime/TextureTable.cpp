//===- TextureTable.cpp - the textures that handles refer to --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/TextureTable.h"

#include "ptxjit/Runtime/Memory.h"

#include <deque>
#include <mutex>
#include <sys/mman.h>
#include <unordered_set>

using namespace ptxjit;

namespace {
/// Slots begin at cache lines.
constexpr size_t kSlotBytes = (sizeof(PtxjitTexture) + 63) / 64 * 64;
/// What mapPages() hands out in the low range at least.
constexpr size_t kBlockBytes = 64 << 10;
/// So many slots are used before a destroyed one is used again.
constexpr size_t kLeastFree = 32;

/// Never destroyed: programs destroy textures in exit handlers.
struct Table {
  std::mutex mutex;
  std::deque<uint64_t> free; ///< the next one to be used is in front
  std::unordered_set<uint64_t> alive;

  /// Takes a free slot; 0 if there is none.
  uint64_t take() {
    if (free.size() < kLeastFree)
      addBlock();
    if (free.empty())
      return 0;
    uint64_t slot = free.front();
    free.pop_front();
    return slot;
  }

private:
  void addBlock() {
    void *block =
        mapPages(kBlockBytes, PROT_READ | PROT_WRITE, AddressRange::Low);
    if (!block)
      return;
    // Slots that were never used come first.
    auto begin = reinterpret_cast<uint64_t>(block);
    for (size_t i = kBlockBytes / kSlotBytes; i-- > 0;)
      free.push_front(begin + i * kSlotBytes);
  }
};
} // namespace

static Table &getTable() {
  static auto *table = new Table;
  return *table;
}

static PtxjitTexture &textureAt(uint64_t slot) {
  return *reinterpret_cast<PtxjitTexture *>(slot);
}

uint64_t ptxjit::createTexture(const PtxjitTexture &texture) {
  Table &table = getTable();
  std::lock_guard<std::mutex> lock(table.mutex);
  uint64_t slot = table.take();
  if (!slot)
    return 0;
  textureAt(slot) = texture;
  table.alive.insert(slot);
  return slot;
}

bool ptxjit::destroyTexture(uint64_t handle) {
  Table &table = getTable();
  std::lock_guard<std::mutex> lock(table.mutex);
  if (!table.alive.erase(handle))
    return false;
  textureAt(handle).kind = PTXJIT_OPAQUE_NONE;
  table.free.push_back(handle);
  return true;
}

PtxjitTexture *ptxjit::findTexture(uint64_t handle) {
  Table &table = getTable();
  std::lock_guard<std::mutex> lock(table.mutex);
  return table.alive.count(handle) ? &textureAt(handle) : nullptr;
}
