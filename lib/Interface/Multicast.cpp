//===- Multicast.cpp - addresses that stand for several memories ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/Multicast.h"
#include "Impl.h"

#include <sys/mman.h>

using namespace ptxjit;

static constexpr size_t kLargestAccess = 16;

struct PTXJIT_LOCAL Multicast::Impl {
  void *range; ///< addresses without memory
  size_t bytes;

  explicit Impl(size_t bytes)
      : range(mmap(nullptr, bytes, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)),
        bytes(bytes) {}
  Impl(const Impl &) = delete;
  Impl &operator=(const Impl &) = delete;
  ~Impl() {
    if (range == MAP_FAILED)
      return;
    dropMulticast(address());
    munmap(range, bytes);
  }
  uint64_t address() const { return reinterpret_cast<uint64_t>(range); }
};

static bool isWhole(uint64_t number) { return number % kLargestAccess == 0; }

Result<Multicast> Multicast::create(const std::vector<void *> &memories,
                                    size_t bytes) {
  if (memories.empty() || memories.size() > Replicas::kMost)
    return Error(ErrorCode::InvalidArgument,
                 "an address stands for 1 to " +
                     std::to_string(Replicas::kMost) + " memories");
  if (!bytes || !isWhole(bytes))
    return Error(ErrorCode::InvalidArgument,
                 "the size must be a positive multiple of " +
                     std::to_string(kLargestAccess));
  auto impl = std::make_shared<Impl>(bytes);
  if (impl->range == MAP_FAILED)
    return Error(ErrorCode::OutOfMemory, "there are not enough addresses");
  std::vector<MulticastPiece> pieces;
  for (void *memory : memories) {
    auto place = reinterpret_cast<uint64_t>(memory);
    if (!place || !isWhole(place))
      return Error(ErrorCode::InvalidArgument,
                   "memory must begin at a multiple of " +
                       std::to_string(kLargestAccess));
    pieces.push_back({impl->address(), bytes, place});
  }
  setMulticast(impl->address(), bytes, /*mayWrite=*/true, pieces);
  Multicast multicast;
  multicast.impl = std::move(impl);
  return multicast;
}

uint64_t Multicast::getAddress() const { return impl ? impl->address() : 0; }
