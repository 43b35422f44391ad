//===- Addresses.h - the addresses of a warp access -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_ADDRESSES_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_ADDRESSES_H

#include "WarpBuilder.h"
#include "ptxjit/Lowering/AccessPlan.h"

namespace ptxjit {

/// Addresses that are places of 32 bits behind an origin: offsets in a window,
/// or the indices of an array. A vector of them takes half of the registers
/// that one of addresses takes.
struct LanePlaces {
  /// Makes the origin, i64: the host address of place 0.
  std::function<mlir::Value()> origin;
  unsigned scale; ///< bytes for each place: a power of two
  /// Places are near each other, so their distances are those of the addresses:
  /// none is 2^31 or more.
  bool areNear;
  /// Makes the vector of the lanes' places for a chunk, i32. They are signed.
  std::function<mlir::Value(unsigned chunk)> vectors;
};

/// The host address (i64) of a place (i32).
mlir::Value hostAddressOf(WarpBuilder &warp, const LanePlaces &places,
                          mlir::Value place);

/// The addresses of a memory access, as host addresses: base + pattern(lane).
struct LaneAddress {
  mlir::Value base;                   ///< i64, or null if there is none
  std::optional<LanePattern> pattern; ///< absent, with a base: uniform
  mlir::Value ok;       ///< does the pattern hold? As WarpValues::condition
  bool mayPart = false; ///< `ok` may well be false
  std::optional<LaneGroups> groups; ///< only without a base
  /// Alignment of each lane's address in bytes. 0: the size of all elements
  /// that the lane accesses.
  unsigned align = 0;
  /// Makes the vector of the lanes' addresses for a chunk, i64.
  std::function<mlir::Value(unsigned chunk)> vectors;
  /// The same addresses, where they are made from places.
  std::optional<LanePlaces> places;
};

/// Vectors of pointers to where the lanes of a chunk access, for gathers and
/// scatters.
class LanePointers {
public:
  LanePointers(WarpBuilder &warp, const LaneAddress &address, unsigned c);
  /// The pointers `offset` bytes on. If they are made from places, LLVM sees
  /// how, and the CPU needs no vector of addresses.
  mlir::Value at(int64_t offset) const;

private:
  WarpBuilder &warp;
  const LanePlaces *narrow;
  mlir::Value vector; ///< places or addresses
};

/// What is known of the addresses, without IR.
AccessShape shapeOf(const LaneAddress &address);

/// Does the memory of that space belong to one host thread at a time? The CTAs
/// of a cluster take turns, so shared and local memory needs no atomic order
/// and no locks.
bool isOwned(std::optional<ptx::Space> space);

/// The host address (i64) of offset 0 of the space. Null if addresses of that
/// space are host addresses.
mlir::Value windowBase(WarpBuilder &warp, std::optional<ptx::Space> space);

/// The host addresses `offset` bytes behind `address`, for the lanes of a warp.
LaneAddress resolve(WarpBuilder &warp, mlir::Value address,
                    std::optional<ptx::Space> space, int64_t offset);

/// The addresses `offset` bytes behind `address`, as the threads see them.
/// `inWindow`: they are signed offsets in a window of the space, of which only
/// the low `placeBits` bits count, and not host addresses.
LaneAddress addressInSpace(WarpBuilder &warp, mlir::Value address,
                           int64_t offset, bool inWindow,
                           unsigned placeBits = 64);

/// Returns window + address * scale + places[lane]; `scale` is a power of two.
LaneAddress placeInWindow(WarpBuilder &warp, const LaneAddress &address,
                          mlir::Value window, unsigned scale,
                          const LanePattern &places);

} // namespace ptxjit

#endif
