//===- Dispatch.h - the table of emitters -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_DISPATCH_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_DISPATCH_H

#include "ChunkBuilder.h"

#include "llvm/ADT/DenseMap.h"

namespace ptxjit {

class WarpBuilder;

/// Emits an op without effects for one chunk, or on scalars. `operands` are the
/// emitted operands of the op; the emitter appends its results. Fails with a
/// diagnostic at the op.
using LaneEmitter = llvm::LogicalResult (*)(
    ChunkBuilder &, mlir::Operation *, mlir::ValueRange operands,
    llvm::SmallVectorImpl<mlir::Value> &);

/// Emits an op for a whole warp, and sets the values of its results. Fails with
/// a diagnostic at the op.
using WarpEmitter = llvm::LogicalResult (*)(WarpBuilder &, mlir::Operation *);

/// The emitters of all ops, by op type.
class Dispatch {
public:
  /// thread mode, in which some ops have emitters of their own.
  explicit Dispatch(bool perThread);

  LaneEmitter findLaneEmitter(mlir::Operation *op) const {
    return laneEmitters.lookup(op->getName().getTypeID());
  }
  WarpEmitter findWarpEmitter(mlir::Operation *op) const {
    return warpEmitters.lookup(op->getName().getTypeID());
  }

  template <typename OpTy> void add(LaneEmitter emitter) {
    laneEmitters[mlir::TypeID::get<OpTy>()] = emitter;
  }
  /// Adds a function (WarpBuilder &, OpTy); it replaces an earlier one for that
  /// op.
  template <auto emit> void add() { WarpEntry<emit>::addTo(*this); }

private:
  template <auto emit> struct WarpEntry;
  template <typename OpTy, llvm::LogicalResult (*emit)(WarpBuilder &, OpTy)>
  struct WarpEntry<emit> {
    static void addTo(Dispatch &dispatch) {
      dispatch.warpEmitters[mlir::TypeID::get<OpTy>()] =
          [](WarpBuilder &warp, mlir::Operation *op) {
            return emit(warp, llvm::cast<OpTy>(op));
          };
    }
  };

  llvm::DenseMap<mlir::TypeID, LaneEmitter> laneEmitters;
  llvm::DenseMap<mlir::TypeID, WarpEmitter> warpEmitters;
};

// One function per file of emitters.
void addIntegerEmitters(Dispatch &dispatch);
void addByteDotEmitters(Dispatch &dispatch);
void addFloatEmitters(Dispatch &dispatch);
void addComparisonEmitters(Dispatch &dispatch);
void addMoveEmitters(Dispatch &dispatch);
void addConversionEmitters(Dispatch &dispatch);
void addVideoEmitters(Dispatch &dispatch);

void addRegionEmitters(Dispatch &dispatch);

void addAccessEmitters(Dispatch &dispatch);
void addAddressEmitters(Dispatch &dispatch);
void addAsyncCopyEmitters(Dispatch &dispatch);
void addAtomicEmitters(Dispatch &dispatch);
void addBarrierEmitters(Dispatch &dispatch);
void addPrefetchEmitters(Dispatch &dispatch);
void addTurnEmitters(Dispatch &dispatch);
void addBulkCopyEmitters(Dispatch &dispatch);
void addCallEmitters(Dispatch &dispatch);
void addClusterEmitters(Dispatch &dispatch);
void addCollectiveEmitters(Dispatch &dispatch);
void addMaskEmitters(Dispatch &dispatch);
void addMatrixMoveEmitters(Dispatch &dispatch);
void addMatrixProductEmitters(Dispatch &dispatch);
void addMbarrierEmitters(Dispatch &dispatch);
void addSpecialRegisterEmitters(Dispatch &dispatch);
void addTensorCopyEmitters(Dispatch &dispatch);
void addTensorCoreEmitters(Dispatch &dispatch);
void addTensorMemoryEmitters(Dispatch &dispatch);
void addMultimemEmitters(Dispatch &dispatch);
void addTextureEmitters(Dispatch &dispatch);
void addWarpgroupEmitters(Dispatch &dispatch);
// For thread mode.
void addStackEmitters(Dispatch &dispatch);
void addThreadCollectiveEmitters(Dispatch &dispatch);

} // namespace ptxjit

#endif
