//===- Clusters.h - ranks and addresses in clusters -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_CLUSTERS_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_CLUSTERS_H

#include "WarpBuilder.h"

namespace ptxjit {

/// Offset of the shared memory of the CTA with that rank in the memory of its
/// cluster, i64.
mlir::Value rankOffset(WarpBuilder &warp, mlir::Value rank);
/// Number of CTAs in a cluster, i32.
mlir::Value clusterSize(WarpBuilder &warp);
/// Emits an op with one result: once on scalars if the result is uniform, else
/// chunk by chunk.
llvm::LogicalResult emitByLane(
    WarpBuilder &warp, mlir::Operation *op,
    llvm::function_ref<mlir::Value(ChunkBuilder &k, mlir::ValueRange)> make);
/// Emits a read of %clusterid and the like.
llvm::LogicalResult emitClusterRegister(WarpBuilder &warp, ptx::SRegOp op);

} // namespace ptxjit

#endif
