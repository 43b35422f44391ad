//===- Addresses.h - where the lanes of a warp access memory ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_ADDRESSES_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_ADDRESSES_H

#include "WarpBuilder.h"
#include "ptxjit/Lowering/AccessPlan.h"

namespace ptxjit {

/// Where a memory access goes: absolute address = base + pattern(lane).
struct LaneAddress {
  mlir::Value base;                   ///< i64, or null if nothing is known
  std::optional<LanePattern> pattern; ///< none with a base: uniform
  mlir::Value ok;                     ///< as WarpValues::condition
  bool mayPart = false;               ///< `ok` may well be false
  std::optional<LaneGroups> groups;   ///< where there is no base
  /// Each lane's is a multiple of it; 0: of all that the lane accesses.
  unsigned align = 0;
  /// Per chunk the lanes' addresses as i64; made on demand.
  std::function<mlir::Value(unsigned chunk)> vectors;
};

/// What is known of it without code.
AccessShape shapeOf(const LaneAddress &address);

/// Memory that only one thread of the host has at a time: CTAs of a cluster
/// take turns. No order and no lock is needed there.
bool isOwned(std::optional<ptx::Space> space);

/// Where the space's addresses count from (i64); null: they are the host's.
mlir::Value windowBase(WarpBuilder &warp, std::optional<ptx::Space> space);

/// `offset` bytes behind `address`, in the memory of the host.
LaneAddress resolve(WarpBuilder &warp, mlir::Value address,
                    std::optional<ptx::Space> space, int64_t offset);

/// `offset` bytes behind `address`, as the threads see it. `inWindow`: it is a
/// place in a window, of `placeBits` bits, rather than of the host.
LaneAddress addressInSpace(WarpBuilder &warp, mlir::Value address,
                           int64_t offset, bool inWindow,
                           unsigned placeBits = 64);

/// window + address * scale + places[lane].
LaneAddress placeInWindow(WarpBuilder &warp, const LaneAddress &address,
                          mlir::Value window, unsigned scale,
                          const LanePattern &places);

} // namespace ptxjit

#endif
