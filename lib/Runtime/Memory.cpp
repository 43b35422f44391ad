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
  size_t size = roundUp(bytes);
  void *p = mapAligned(size, kHugePage, PROT_READ | PROT_WRITE);
  if (p)
    madvise(p, size, MADV_HUGEPAGE);
  return p;
}

void *ptxjit::mapAligned(size_t bytes, size_t alignment, int protection,
                         void *wanted) {
  // More than needed, then the ends that stick out are returned.
  size_t size = bytes + alignment;
  void *raw = mmap(wanted, size, protection,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (raw == MAP_FAILED)
    return nullptr;
  auto begin = reinterpret_cast<uintptr_t>(raw);
  uintptr_t aligned = (begin + alignment - 1) / alignment * alignment;
  if (aligned > begin)
    munmap(raw, aligned - begin);
  // Never empty: at most all of `alignment` but a page lay in front.
  munmap(reinterpret_cast<void *>(aligned + bytes),
         begin + size - aligned - bytes);
  return reinterpret_cast<void *>(aligned);
}

void ptxjit::freeDevice(void *pointer, size_t bytes) {
  if (!pointer)
    return;
  if (bytes < kHugePage)
    std::free(pointer);
  else
    munmap(pointer, roundUp(bytes));
}
