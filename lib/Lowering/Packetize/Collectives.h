//===- Collectives.h - shuffles, votes and reductions -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_COLLECTIVES_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_COLLECTIVES_H

#include "WarpBuilder.h"

namespace ptxjit {

/// Number of the lowest bit that is set; 32 if there is none.
mlir::Value firstLane(WarpBuilder &warp, ChunkBuilder &k, mlir::Value bits);
/// The lane from which `lane` reads, before the test that this is in its
/// segment (ISA: "shfl.sync").
mlir::Value shuffleSource(ChunkBuilder &k, ptx::ShuffleMode mode,
                          mlir::Value lane, mlir::Value amount,
                          mlir::Value minLane, mlir::Value outside);
/// A reduction over lanes. `neutral` is the operand that does not change its
/// result.
struct Reduction {
  uint32_t neutral;
  std::function<mlir::Value(ChunkBuilder &, mlir::Value, mlir::Value)> combine;
};
Reduction reductionOf(ptx::ReduxOp op);

} // namespace ptxjit

#endif
