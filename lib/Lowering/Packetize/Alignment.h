//===- Alignment.h - tests that addresses are aligned -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_ALIGNMENT_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_ALIGNMENT_H

#include "Addresses.h"

namespace ptxjit {

/// Emits a test that fails the launch if the address of an active lane is not a
/// multiple of `bytes`. Only lanes in `namingLanes` are tested. \param a  the
/// value from which `address` was resolved.
void emitAlignmentTest(WarpBuilder &warp, const LaneAddress &address,
                       mlir::Value a, std::optional<ptx::Space> space,
                       int64_t offset, int64_t bytes, mlir::Value mask,
                       uint32_t namingLanes = 0xffffffff);

} // namespace ptxjit

#endif
