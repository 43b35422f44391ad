//===- AccessTests.h - what compiled code asks of addresses -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_ACCESSTESTS_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_ACCESSTESTS_H

#include "Addresses.h"

namespace ptxjit {

/// Scalar i1: may the plan's code run, rather than what it does otherwise? The
/// plan has a test, of all chunks together.
mlir::Value testOf(WarpBuilder &warp, const AccessPlan &plan,
                   const LaneAddress &address, mlir::Value mask);

/// Is it true that all lanes are active, and their addresses as was found? Null
/// if nothing needs a test.
mlir::Value isRegular(WarpBuilder &warp, const LaneAddress &address,
                      mlir::Value mask);

/// Are all lanes of chunk `c` active, and do their addresses turn out to follow
/// each other, `stride` bytes apart? What no analysis sees often is so: a row
/// that a value from memory selects, the halves of a butterfly. The last lane
/// is asked first: where they do not, that mostly is all it costs.
mlir::Value isConsecutive(WarpBuilder &warp, const LaneAddress &address,
                          unsigned c, int64_t stride, mlir::Value mask);

} // namespace ptxjit

#endif
