//===- Memory.cpp - device memory -----------------------------------------===//

#include "ptxjit/Runtime/Memory.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

static constexpr size_t kHugePage = size_t(2) << 20;

static size_t roundUp(size_t bytes) {
  return (bytes + kHugePage - 1) / kHugePage * kHugePage;
}

void *ptxjit::allocateDevice(size_t bytes) {
  if (bytes < kHugePage) {
    void *p = std::aligned_alloc(256, (bytes + 511) / 256 * 256);
    if (p)
      std::memset(p, 0, bytes);
    return p;
  }
  if (bytes > SIZE_MAX / 2)
    return nullptr;
  // One page more than needed, then the ends that stick out are returned.
  size_t size = roundUp(bytes);
  void *raw = mmap(nullptr, size + kHugePage, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (raw == MAP_FAILED)
    return nullptr;
  auto begin = reinterpret_cast<uintptr_t>(raw);
  uintptr_t aligned = (begin + kHugePage - 1) / kHugePage * kHugePage;
  if (aligned > begin)
    munmap(raw, aligned - begin);
  uintptr_t end = begin + size + kHugePage;
  if (end > aligned + size)
    munmap(reinterpret_cast<void *>(aligned + size), end - aligned - size);
  void *p = reinterpret_cast<void *>(aligned);
  madvise(p, size, MADV_HUGEPAGE);
  return p;
}

void ptxjit::freeDevice(void *pointer, size_t bytes) {
  if (!pointer)
    return;
  if (bytes < kHugePage)
    std::free(pointer);
  else
    munmap(pointer, roundUp(bytes));
}
