//===- WatchedMemory.cpp - memory whose edges are watched -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/WatchedMemory.h"

#include <sys/mman.h>
#include <unistd.h>

using namespace ptxjit;

static constexpr uint64_t kAlignment = 256;
static constexpr uint64_t kHugePage = uint64_t(2) << 20;

static uint64_t roundUp(uint64_t bytes, uint64_t multiple) {
  return (bytes + multiple - 1) / multiple * multiple;
}

/// The byte of the pattern at `offset` from the memory's beginning. It varies,
/// so that a value that a kernel is likely to write does not match it.
static uint8_t patternAt(int64_t offset) {
  return uint8_t((uint64_t(offset) * 0x9e3779b97f4a7c15u) >> 56);
}

/// Bytes of the pattern in front of memory of that size.
static int64_t frontOf(uint64_t bytes) {
  uint64_t used = roundUp(bytes, kAlignment);
  return int64_t(roundUp(used, uint64_t(pageBytes())) - used);
}

void UnmapPages::operator()(char *pages) const { munmap(pages, bytes); }

bool WatchedMemory::allocate(uint64_t bytes, AddressRange range) {
  if (bytes > SIZE_MAX / 4)
    return false;
  // All buffers share the low range, which is small.
  uint64_t guard = range == AddressRange::Low ? 64 << 10 : 8 * kHugePage;
  bool isLarge = bytes >= kHugePage && range == AddressRange::All;
  uint64_t page = uint64_t(pageBytes());
  uint64_t used = roundUp(bytes, kAlignment), pages = roundUp(used, page);
  uint64_t middle = isLarge ? roundUp(pages, kHugePage) : pages;
  uint64_t total = middle + 2 * guard;
  void *mapped = isLarge ? mapAligned(total, kHugePage, PROT_NONE)
                         : mapPages(total, PROT_NONE, range);
  if (!mapped)
    return false;
  all = {static_cast<char *>(mapped), UnmapPages{total}};
  char *end = all.get() + guard + middle;
  // Some emulators refuse a change of no pages.
  if (pages && mprotect(end - pages, pages, PROT_READ | PROT_WRITE) != 0)
    return false;
  if (isLarge)
    madvise(end - pages, pages, MADV_HUGEPAGE);
  begin = end - used;
  size = int64_t(bytes);
  for (int64_t i = -frontOf(bytes); i < 0; ++i)
    begin[i] = char(patternAt(i));
  for (int64_t i = size; i < int64_t(used); ++i)
    begin[i] = char(patternAt(i));
  return true;
}

std::optional<WatchedMemory::Damage>
WatchedMemory::findDamage(const char *begin, uint64_t bytes) {
  auto isWrong = [&](int64_t i) { return uint8_t(begin[i]) != patternAt(i); };
  auto damageAt = [&](int64_t i) {
    return Damage{i, uint8_t(begin[i]), patternAt(i)};
  };
  for (int64_t i = int64_t(bytes); i < int64_t(roundUp(bytes, kAlignment)); ++i)
    if (isWrong(i))
      return damageAt(i);
  for (int64_t i = -1; i >= -frontOf(bytes); --i)
    if (isWrong(i))
      return damageAt(i);
  return std::nullopt;
}
