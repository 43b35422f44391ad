//===- LaneLoops.h - loops over the lanes of a warp -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_LANELOOPS_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_LANELOOPS_H

#include "Addresses.h"
#include "WarpMemory.h"

namespace ptxjit {

/// Builds for (i32 i = 0; i < count; i += by), with `carried` as iteration
/// arguments.
mlir::scf::ForOp buildCountedLoop(WarpBuilder &warp, unsigned count,
                                  mlir::ValueRange carried, unsigned by = 1);

/// Builds a loop over the numbers (i32) of the CTA's warps.
mlir::scf::ForOp buildWarpLoop(WarpBuilder &warp);

/// The lane for which the body of a loop over lanes is emitted. What the lanes
/// have is stored once, in front of the loop, and the body loads from there:
/// LLVM would store a whole vector for each lane that is extracted.
class LoopLane {
public:
  LoopLane(WarpBuilder &warp, mlir::Operation *loop) : warp(warp), loop(loop) {}

  /// Its number in the warp, i32; 0 in thread mode.
  mlir::Value number;

  // What the lane has, as a scalar.
  mlir::Value get(mlir::Value v);
  mlir::Value get(const LaneAddress &address);
  /// \param chunkOf  makes the vector of a chunk. The object must live as long
  /// as the loop is built: it stands for what has been stored.
  mlir::Value get(const std::function<mlir::Value(unsigned c)> &chunkOf);

  /// Gives back the memory, behind the loop.
  void end();

private:
  /// Loads from the buffer of `key`, which is made at first.
  mlir::Value load(const void *key,
                   llvm::function_ref<mlir::Value(unsigned c)> chunkOf);

  WarpBuilder &warp;
  struct Kept {
    const void *key;
    mlir::Type element;
    StackBuffer buffer;
  };
  mlir::Operation *loop; ///< null: there is one lane, and no loop
  llvm::SmallVector<Kept, 4> kept;
};

/// A vector for each chunk.
using ChunkVectors = llvm::SmallVector<mlir::Value, 8>;

/// Runs `body` for each active lane of the warp, in order. It returns a scalar
/// for each of `results`. \returns those of all lanes; inactive ones have 0.
/// \param unroll  lanes of an iteration if all are active; divides 32.
llvm::SmallVector<ChunkVectors, 2> forEachLane(
    WarpBuilder &warp, mlir::Value mask, mlir::TypeRange results,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(LoopLane &lane)> body,
    unsigned unroll = 1);
/// The same without results.
void forEachLane(WarpBuilder &warp, mlir::Value mask,
                 llvm::function_ref<void(LoopLane &lane)> body,
                 unsigned unroll = 1);
/// The same for the lanes whose bits are set in `bits` (i32).
void forEachLaneOf(WarpBuilder &warp, mlir::Value bits,
                   llvm::function_ref<void(LoopLane &lane)> body);

/// Runs `body` for all lanes of the warp, in any order, with their elements of
/// `vectors`. Each turn of the loop takes the first four lanes of each chunk,
/// and turns the vectors round in registers: what has just been stored as a
/// vector is slow to load lane by lane.
void forEachFourLanes(
    WarpBuilder &warp, llvm::ArrayRef<ChunkVectors> vectors,
    llvm::function_ref<void(llvm::ArrayRef<mlir::Value> elements)> body);

/// Element `lane` (i32) of a vector.
mlir::Value extractLane(WarpBuilder &warp, mlir::Value vector,
                        mlir::Value lane);

} // namespace ptxjit

#endif
