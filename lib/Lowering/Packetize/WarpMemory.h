//===- WarpMemory.h - memory on the warp's stack ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory for what vectors are bad at: lanes whose numbers are data, and
// fragments of matrices that device functions read.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_WARPMEMORY_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_WARPMEMORY_H

#include "WarpBuilder.h"

namespace ptxjit {

/// A buffer on the warp's stack.
struct StackBuffer {
  mlir::Value pointer;
  int64_t bytes = 0;
};
/// Takes a buffer, aligned to 128 bytes, until giveBack.
StackBuffer takeBuffer(WarpBuilder &warp, int64_t bytes);
void giveBack(WarpBuilder &warp, const StackBuffer &buffer);
/// Takes a buffer that is given back when the last copy of the pointer goes.
std::shared_ptr<StackBuffer> shareBuffer(WarpBuilder &warp, int64_t bytes);

/// Allocates stack memory that lives as long as the function runs.
mlir::Value allocateOnStack(WarpBuilder &warp, mlir::Type type, unsigned align);

/// The type that holds a whole value, a scalar or a chunk, in memory: elements
/// of i1 become bytes, or bits where the CPU has mask registers.
mlir::Type storedType(const WarpBuilder &warp, mlir::Type type);
/// The size of that, and the alignment of its place, in bytes.
int64_t storedBytes(const WarpBuilder &warp, mlir::Type type);
unsigned storedAlign(const WarpBuilder &warp, mlir::Type type);
inline constexpr unsigned kMostStoredAlign = 64; ///< a line of the caches
/// Stores or loads a whole value, as its storedType.
void storeWhole(WarpBuilder &warp, mlir::Value value, mlir::Value place);
mlir::Value loadWhole(WarpBuilder &warp, mlir::Type type, mlir::Value place);

/// The place `offset` bytes behind a pointer.
mlir::Value placeIn(WarpBuilder &warp, mlir::Value buffer, int64_t offset);

/// A buffer of 32 elements of 64 bits, in which lanes exchange values by lane
/// number. `which` is 0, 1 or 2. Its contents last only until the next user of
/// the same buffer.
mlir::Value exchangeBuffer(WarpBuilder &warp, unsigned which);

/// The place of element `index` (a constant, or an i32 below 32) of a buffer.
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
