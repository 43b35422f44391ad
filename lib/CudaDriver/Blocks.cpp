//===- Blocks.cpp - memory that other processes can get -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"
#include "FreeRanges.h"
#include "ptxjit/Runtime/Memory.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <vector>

using namespace ptxjit;
using namespace ptxjit::cuda;

/// From here on a block has pages of its own.
static constexpr size_t kLarge = size_t(2) << 20;
/// A chunk begins at a multiple of its size. It is never unmapped, since other
/// processes may have its pages.
static constexpr size_t kChunk = 2 * kLarge;
/// How many chunks without blocks keep their pages: the last ones. The system
/// gets those of others back.
static constexpr size_t kSpareChunks = 16;
/// Bytes behind a block that belong to nobody: see allocateDevice().
static constexpr size_t kSlack = 1024;

namespace {
struct Chunks {
  std::mutex mutex;
  FreeRanges free;
  std::map<uint64_t, unsigned> blocks; ///< how many, by the chunk's address
  std::vector<uint64_t> spare;         ///< without blocks, with their pages
};
} // namespace

static Chunks &getChunks() {
  static Chunks *chunks = new Chunks;
  return *chunks;
}

static uint64_t roundUp(uint64_t bytes, uint64_t multiple) {
  return (bytes + multiple - 1) / multiple * multiple;
}

/// Bytes that a small block takes.
static uint64_t sizeOf(size_t bytes) {
  return roundUp(bytes + kSlack, kBlockAlignment);
}

static uint64_t chunkOf(uint64_t address) { return address / kChunk * kChunk; }

bool cuda::isInChunk(size_t bytes) { return bytes < kLarge; }

void *cuda::allocateBlock(size_t bytes) {
  if (!isInChunk(bytes))
    return allocateDevice(bytes);
  void *block;
  {
    Chunks &chunks = getChunks();
    std::lock_guard<std::mutex> lock(chunks.mutex);
    std::optional<uint64_t> found = chunks.free.take(sizeOf(bytes));
    if (!found) {
      void *fresh = mapAligned(kChunk, kChunk, PROT_READ | PROT_WRITE);
      if (!fresh)
        return nullptr;
      // Its end stays unused, so that it never becomes one range with a chunk
      // behind it.
      chunks.free.give(reinterpret_cast<uint64_t>(fresh),
                       kChunk - kBlockAlignment);
      found = chunks.free.take(sizeOf(bytes));
    }
    uint64_t chunk = chunkOf(*found);
    if (chunks.blocks[chunk]++ == 0)
      chunks.spare.erase(
          std::remove(chunks.spare.begin(), chunks.spare.end(), chunk),
          chunks.spare.end());
    block = reinterpret_cast<void *>(*found);
  }
  std::memset(block, 0, bytes);
  return block;
}

void cuda::freeBlock(void *block, size_t bytes) {
  if (!isInChunk(bytes))
    return freeDevice(block, bytes);
  Chunks &chunks = getChunks();
  std::lock_guard<std::mutex> lock(chunks.mutex);
  auto address = reinterpret_cast<uint64_t>(block);
  uint64_t chunk = chunkOf(address);
  chunks.free.give(address, sizeOf(bytes));
  // Blocks are cleared when they are allocated, so contents do not matter.
  if (--chunks.blocks[chunk])
    return;
  chunks.spare.push_back(chunk);
  if (chunks.spare.size() <= kSpareChunks)
    return;
  madvise(reinterpret_cast<void *>(chunks.spare.front()), kChunk,
          MADV_DONTNEED);
  chunks.spare.erase(chunks.spare.begin());
}

DevicePages cuda::pagesOf(const void *block, size_t bytes) {
  return isInChunk(bytes)
             ? DevicePages{chunkOf(reinterpret_cast<uint64_t>(block)), kChunk}
             : pagesOfDevice(block, bytes);
}
