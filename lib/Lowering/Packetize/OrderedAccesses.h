//===- OrderedAccesses.h - volatile, relaxed and stronger -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_ORDEREDACCESSES_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_ORDEREDACCESSES_H

#include "Addresses.h"

namespace ptxjit {

llvm::LogicalResult emitOrderedLoad(WarpBuilder &warp, ptx::LdOp op,
                                    const LaneAddress &address);
llvm::LogicalResult emitOrderedStore(WarpBuilder &warp, ptx::StOp op,
                                     const LaneAddress &address);

/// What LLVM calls the order of an access.
mlir::LLVM::AtomicOrdering orderingOf(std::optional<ptx::Order> order,
                                      bool loads, bool stores);

} // namespace ptxjit

#endif
