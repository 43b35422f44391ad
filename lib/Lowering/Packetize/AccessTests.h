//===- AccessTests.h - run-time tests of addresses --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_ACCESSTESTS_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_ACCESSTESTS_H

#include "Addresses.h"

namespace ptxjit {

/// Scalar i1: may `plan.code` run, rather than `plan.otherwise`? The test of
/// the plan must be Pattern or Regular, which cover all chunks.
mlir::Value testOf(WarpBuilder &warp, const AccessPlan &plan,
                   const LaneAddress &address, mlir::Value mask);

/// Scalar i1: are all lanes active, and do the offsets of the groups hold? Null
/// if neither needs a test.
mlir::Value isRegular(WarpBuilder &warp, const LaneAddress &address,
                      mlir::Value mask);

/// Scalar i1: do the offsets of the groups hold? Null if they need no test.
mlir::Value groupsHold(WarpBuilder &warp, const LaneAddress &address);

/// A test whether the addresses of a chunk's lanes are consecutive.
struct Neighbours {
  mlir::Value holds; ///< scalar i1
  mlir::Value start; ///< i64: the address of the chunk's first lane
  bool masked;       ///< inactive lanes were not asked
  /// The active lanes, `<chunk x i1>`, and those of them that do not follow the
  /// first one. Null where lanes were not compared with that one.
  mlir::Value active = {}, strays = {};
  /// For findNextRow: the place of lane 0, if it were in the row of each lane,
  /// and whether the first row is within the range of places.
  mlir::Value starts = {}, isWithin = {};
};
/// Tests whether the addresses of the active lanes of chunk `c` are `stride`
/// bytes apart from lane to lane. They often are where no analysis sees it: a
/// row that a value from memory selects, the halves of a butterfly, the inside
/// of a tile. Where all lanes are active, the first and the last one are
/// compared first; if they do not fit, no other lane is.
/// \param mayMask  the access can be masked; else all lanes must be active.
/// \param findsStrays  findNextRow may be asked next.
Neighbours areConsecutive(WarpBuilder &warp, const LaneAddress &address,
                          unsigned c, int64_t stride, mlir::Value mask,
                          bool mayMask, bool findsStrays);

/// Tests whether the strays of `first`, the result of areConsecutive, are
/// consecutive themselves: lanes that are numbered along the rows of a tile lie
/// in two rows now and then. `start` is where the chunk's first lane would be
/// in that row.
/// \pre `first` has strays.
Neighbours findNextRow(WarpBuilder &warp, const LaneAddress &address,
                       unsigned c, int64_t stride, const Neighbours &first);

} // namespace ptxjit

#endif
