//===- WarpMemory.h - memory on the warp's stack ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For what vectors are bad at: lanes that are named by data, and fragments of
// matrices that device functions read.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_WARPMEMORY_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_WARPMEMORY_H

#include "WarpBuilder.h"

namespace ptxjit {

/// Bytes on the warp's stack.
struct StackBuffer {
  mlir::Value pointer;
  int64_t bytes = 0;
};
/// A buffer of that many bytes, aligned to 128, until it is given back.
StackBuffer takeBuffer(WarpBuilder &warp, int64_t bytes);
void giveBack(WarpBuilder &warp, const StackBuffer &buffer);
/// One that is given back when the last copy of the pointer goes.
std::shared_ptr<StackBuffer> shareBuffer(WarpBuilder &warp, int64_t bytes);

/// Memory on the stack that lives as long as the kernel runs.
mlir::Value allocateOnStack(WarpBuilder &warp, mlir::Type type, unsigned align);

/// `offset` bytes behind a pointer.
mlir::Value placeIn(WarpBuilder &warp, mlir::Value buffer, int64_t offset);

/// Memory of 32 elements of 64 bits for values that lanes exchange by number:
/// `which` is below 3. Whoever uses it does not expect it to be kept.
mlir::Value exchangeBuffer(WarpBuilder &warp, unsigned which);

/// Place of element `index` (a constant, or an i32 below 32) of a buffer.
mlir::Value lanePlace(WarpBuilder &warp, mlir::Value buffer, unsigned width,
                      mlir::LLVM::GEPArg index);
void storeLanes(WarpBuilder &warp, mlir::Value buffer, unsigned width,
                llvm::function_ref<mlir::Value(unsigned chunk)> chunkOf);
mlir::Value loadLanes(WarpBuilder &warp, mlir::Value buffer, unsigned width,
                      unsigned c);
mlir::Value loadLane(WarpBuilder &warp, mlir::Value buffer, unsigned width,
                     mlir::Value index);

} // namespace ptxjit

#endif
