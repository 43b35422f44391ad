//===- Memory.cpp - allocates device memory -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/Memory.h"
#include "PageSize.h"
#include "ptxjit/Runtime/KernelABI.h"

#include <atomic>
#include <cassert>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace ptxjit;

static constexpr size_t kHugePage = size_t(2) << 20;

static size_t roundUp(size_t bytes) {
  return (bytes + kHugePage - 1) / kHugePage * kHugePage;
}

/// Large allocations begin at different places of their first huge page. If
/// all began at one place, then tiles at the same place of several arrays would
/// lie in the same sets of the caches: rows of a power of two of bytes fill
/// few sets anyway. Steps of 1,536 bytes differ from each other modulo 4 KiB
/// (the nearest caches) for 8 allocations, modulo 64 KiB (the next) for all.
static constexpr size_t kPlaceStep = 1536, kPlaces = 32;
/// Bytes behind the huge pages of an allocation, for it to begin late in them.
static constexpr size_t kPlaceRoom = size_t(64) << 10;
static_assert(kPlaceStep * (kPlaces - 1) <= kPlaceRoom);

static size_t takePlace() {
  static std::atomic<size_t> allocations{0};
  return allocations.fetch_add(1, std::memory_order_relaxed) % kPlaces *
         kPlaceStep;
}

static std::atomic<size_t> assumedPage{0};

static size_t systemPageBytes() {
  static const auto bytes = size_t(sysconf(_SC_PAGESIZE));
  return bytes;
}

size_t ptxjit::pageBytes() {
  size_t assumed = assumedPage.load(std::memory_order_relaxed);
  return assumed ? assumed : systemPageBytes();
}

void ptxjit::assumePageBytes(size_t bytes) {
  assert(bytes % systemPageBytes() == 0 && "the system could not protect such");
  assumedPage = bytes;
}

static constexpr int kMapping = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

/// Linux cannot map "below 4 GiB" (MAP_32BIT means 2 GiB, on x86 only), so this
/// tries one place after the other, starting behind the last mapping. Little
/// else lives there: programs that are not position-independent, at the very
/// beginning.
static void *mapLow(size_t bytes, int protection, int flags) {
  constexpr uint64_t kBegin = 64u << 20, kEnd = PTXJIT_LOW_MEMORY_END;
  constexpr uint64_t kStep = 64u << 10;
  static std::atomic<uint64_t> nextPlace{kBegin};
  if (bytes > kEnd - kBegin)
    return nullptr;
  uint64_t at = nextPlace.load(std::memory_order_relaxed);
  for (uint64_t tried = 0; tried <= kEnd - kBegin; tried += kStep) {
    if (at + bytes > kEnd)
      at = kBegin;
    void *wanted = reinterpret_cast<void *>(at);
    void *got =
        mmap(wanted, bytes, protection, flags | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == wanted) {
      uint64_t end = (at + bytes + kStep - 1) / kStep * kStep;
      nextPlace.store(end, std::memory_order_relaxed);
      return got;
    }
    if (got != MAP_FAILED) // older kernels take the address as a hint
      munmap(got, bytes);
    at += kStep;
  }
  return nullptr;
}

void *ptxjit::mapPages(size_t bytes, int protection, AddressRange range,
                       int flags) {
  if (range == AddressRange::Low)
    return mapLow(bytes, protection, kMapping | flags);
  void *p = mmap(nullptr, bytes, protection, kMapping | flags, -1, 0);
  return p == MAP_FAILED ? nullptr : p;
}

/// Bytes behind a small allocation that belong to nobody. Some public programs
/// write a tile beyond the end, which a GPU does not notice, and which must not
/// hit what the host's allocator keeps there.
static constexpr size_t kSlack = 1024;

/// What CUDA asks of memory that textures read (TEXTURE_ALIGNMENT), whose
/// allocations have it.
static constexpr size_t kAlignment = 512;

size_t ptxjit::countPhysicalBytes() {
  static const auto bytes = size_t(sysconf(_SC_PHYS_PAGES)) * systemPageBytes();
  return bytes;
}

void *ptxjit::allocateDevice(size_t bytes, AddressRange range) {
  if (range == AddressRange::Low)
    return mapPages(bytes ? bytes : 1, PROT_READ | PROT_WRITE, range);
  if (bytes < kHugePage) {
    void *p = std::aligned_alloc(kAlignment, (bytes + kSlack + kAlignment - 1) /
                                                 kAlignment * kAlignment);
    if (p)
      std::memset(p, 0, bytes);
    return p;
  }
  if (bytes > countPhysicalBytes())
    return nullptr;
  size_t huge = roundUp(bytes);
  void *pages =
      mapAligned(huge + kPlaceRoom, kHugePage, PROT_READ | PROT_WRITE);
  if (!pages)
    return nullptr;
  // The room stays in small pages, of which few are ever used.
  madvise(pages, huge, MADV_HUGEPAGE);
  return static_cast<char *>(pages) + takePlace();
}

void *ptxjit::mapAligned(size_t bytes, size_t alignment, int protection,
                         void *wanted) {
  // Map more than needed, then unmap both ends.
  size_t size = bytes + alignment;
  void *raw = mmap(wanted, size, protection, kMapping, -1, 0);
  if (raw == MAP_FAILED)
    return nullptr;
  auto begin = reinterpret_cast<uintptr_t>(raw);
  uintptr_t aligned = (begin + alignment - 1) / alignment * alignment;
  if (aligned > begin)
    munmap(raw, aligned - begin);
  // The end is never empty: less than `alignment` was cut off in front.
  munmap(reinterpret_cast<void *>(aligned + bytes),
         begin + size - aligned - bytes);
  return reinterpret_cast<void *>(aligned);
}

DevicePages ptxjit::pagesOfDevice(const void *pointer, size_t bytes) {
  assert(bytes >= kHugePage && "small allocations share pages");
  auto address = reinterpret_cast<uintptr_t>(pointer);
  return {address / kHugePage * kHugePage, roundUp(bytes) + kPlaceRoom};
}

void ptxjit::freeDevice(void *pointer, size_t bytes, AddressRange range) {
  if (!pointer)
    return;
  if (range == AddressRange::Low) {
    munmap(pointer, bytes ? bytes : 1);
  } else if (bytes < kHugePage) {
    std::free(pointer);
  } else {
    DevicePages pages = pagesOfDevice(pointer, bytes);
    munmap(reinterpret_cast<void *>(pages.begin), pages.bytes);
  }
}
