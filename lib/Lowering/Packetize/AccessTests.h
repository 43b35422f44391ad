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

/// Scalar i1: are all lanes of chunk `c` active, and are their addresses
/// consecutive, `stride` bytes apart? They often are where no analysis sees it:
/// a row that a value from memory selects, or the halves of a butterfly. The
/// last lane is compared first; if it does not fit, no other lane is.
mlir::Value isConsecutive(WarpBuilder &warp, const LaneAddress &address,
                          unsigned c, int64_t stride, mlir::Value mask);

} // namespace ptxjit

#endif
