//===- DeviceHeap.cpp - the heap behind kernels' malloc -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/DeviceHeap.h"

#include <cstdlib>
#include <mutex>
#include <unordered_map>

using namespace ptxjit;

namespace {
struct Block {
  size_t size;
  AddressRange range;
};
struct Heap {
  std::mutex mutex;
  std::unordered_map<void *, Block> blocks;
  size_t used = 0, limit = size_t(8) << 20;
};
} // namespace

static Heap &getHeap() {
  static Heap *heap = new Heap; // kernels may run while the process exits
  return *heap;
}

void *heap::allocate(size_t bytes, AddressRange range) {
  Heap &heap = getHeap();
  size_t size = bytes < 16 ? 16 : bytes;
  std::lock_guard<std::mutex> lock(heap.mutex);
  if (size > heap.limit - heap.used)
    return nullptr;
  void *block = range == AddressRange::All ? std::malloc(size)
                                           : allocateDevice(size, range);
  if (!block)
    return nullptr;
  heap.blocks.emplace(block, Block{size, range});
  heap.used += size;
  return block;
}

bool heap::release(void *pointer) {
  Heap &heap = getHeap();
  std::lock_guard<std::mutex> lock(heap.mutex);
  auto it = heap.blocks.find(pointer);
  if (it == heap.blocks.end())
    return false;
  auto [size, range] = it->second;
  heap.used -= size;
  heap.blocks.erase(it);
  if (range == AddressRange::All)
    std::free(pointer);
  else
    freeDevice(pointer, size, range);
  return true;
}

void heap::setLimit(size_t bytes) {
  Heap &heap = getHeap();
  std::lock_guard<std::mutex> lock(heap.mutex);
  heap.limit = bytes < heap.used ? heap.used : bytes;
}

size_t heap::getUsed() {
  Heap &heap = getHeap();
  std::lock_guard<std::mutex> lock(heap.mutex);
  return heap.used;
}
