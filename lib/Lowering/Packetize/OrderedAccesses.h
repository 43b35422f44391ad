//===- OrderedAccesses.h - volatile and ordered accesses --------*- C++ -*-===//
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

/// The LLVM ordering of an access that loads, stores or both. Without an order
/// it is monotonic.
mlir::LLVM::AtomicOrdering orderingOf(std::optional<ptx::Order> order,
                                      bool loads, bool stores);

} // namespace ptxjit

#endif
