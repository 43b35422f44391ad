//===- Clusters.h - clusters, and whose address it is -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_CLUSTERS_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_CLUSTERS_H

#include "WarpBuilder.h"

namespace ptxjit {

/// i64: where the memory of a CTA begins in its cluster's.
mlir::Value rankOffset(WarpBuilder &warp, mlir::Value rank);
/// i32: CTAs of a cluster.
mlir::Value clusterSize(WarpBuilder &warp);
/// Of an op with one result: once if that is the same in all lanes.
llvm::LogicalResult emitByLane(
    WarpBuilder &warp, mlir::Operation *op,
    llvm::function_ref<mlir::Value(ChunkBuilder &k, mlir::ValueRange)> make);
/// %clusterid and the like.
llvm::LogicalResult emitClusterRegister(WarpBuilder &warp, ptx::SRegOp op);

} // namespace ptxjit

#endif
