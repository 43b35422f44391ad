//===- Alignment.h - tests that addresses are aligned -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_ALIGNMENT_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_ALIGNMENT_H

#include "Addresses.h"

namespace ptxjit {

/// Fails the launch if an active lane's address is no multiple of `bytes`; only
/// those in `namingLanes` count. \param a  what `address` was resolved from.
void emitAlignmentTest(WarpBuilder &warp, const LaneAddress &address,
                       mlir::Value a, std::optional<ptx::Space> space,
                       int64_t offset, int64_t bytes, mlir::Value mask,
                       uint32_t namingLanes = 0xffffffff);

} // namespace ptxjit

#endif
