//===- WarpBuilder.h - code for one warp ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every emitter is handed: the builder, the values of the warp, masks, and
// what the prologue has read of the launch.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_WARPBUILDER_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_WARPBUILDER_H

#include "ChunkBuilder.h"
#include "WarpValues.h"
#include "ptxjit/Analysis/Shape.h"
#include "ptxjit/Lowering/KernelLayout.h"
#include "ptxjit/Runtime/KernelABI.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include <memory>

namespace ptxjit {

class Dispatch;

/// What code reads of the launch, the CTA and the strand it runs for. i64
/// unless said.
struct KernelValues {
  mlir::Value context; ///< pointer to the PtxjitKernelContext
  mlir::Value paramsBase, sharedBase, localBase, globalsTable;
  /// Where the first warp's local memory begins.
  mlir::Value localArena;
  /// What `.shared` addresses count from: the cluster's memory, or the CTA's.
  mlir::Value sharedWindow;
  mlir::Value rankBits;            ///< of shared addresses, or null: 0
  mlir::Value ctaid[3], nctaid[3]; ///< i32
  mlir::Value strand;              ///< i32: number of the warp (or thread)
  mlir::Value linear;              ///< i32: its first thread
  /// Of a function that is called: addresses of its results and parameters.
  llvm::SmallVector<mlir::Value> formals;
};

/// What a family of instructions knows while a kernel is emitted. A state type
/// is written beside the emitters that own it, and is made at their first use
/// (WarpBuilder::state).
class FamilyState {
public:
  virtual ~FamilyState() = default;
  /// The walk enters a block of the kernel, or leaves the innermost one. They
  /// may use states that have been made, but make none.
  virtual void enterBlock() {}
  virtual void leaveBlock() {}
};

class WarpBuilder {
public:
  WarpBuilder(ptx::FuncOp func, const KernelLayout &layout,
              const ShapeAnalysis &shapes, const KernelTarget &target,
              const Dispatch &dispatch);
  WarpBuilder(const WarpBuilder &) = delete;
  WarpBuilder &operator=(const WarpBuilder &) = delete;

  // -- What is compiled, and for what
  ptx::FuncOp func;
  const KernelLayout &layout;
  const ShapeAnalysis &shapes;
  const KernelTarget target;
  const Dispatch &dispatch;
  /// One thread at a time: every value is a scalar.
  bool perThread() const { return shapes.getContext().lanes == 1; }
  unsigned numChunks() const {
    return shapes.getContext().lanes / target.chunk;
  }
  const Shape &shapeOf(mlir::Value v) const { return shapes.get(v); }

  // -- Where code goes
  mlir::OpBuilder b;
  /// Of the op that is being emitted.
  mlir::Location loc;
  template <typename OpTy, typename... Args> OpTy create(Args &&...args) {
    return OpTy::create(b, loc, std::forward<Args>(args)...);
  }
  /// Builds vectors of a chunk's lanes.
  ChunkBuilder lanes() { return ChunkBuilder(b, loc, target, target.chunk); }
  /// Builds scalars.
  ChunkBuilder scalar() { return ChunkBuilder(b, loc, target, 0); }
  mlir::Value toPointer(mlir::Value address);
  mlir::Value insertLane(mlir::Value vector, mlir::Value element,
                         mlir::Value lane);
  /// x & y; null stands for true.
  mlir::Value both(mlir::Value x, mlir::Value y);

  // -- Values (see WarpValues)
  WarpValues values;
  bool isMade(mlir::Value v) const { return values.isMade(v); }
  mlir::Value base(mlir::Value v) const { return values.base(v); }
  mlir::Value chunk(mlir::Value v, unsigned c) { return values.chunk(v, c); }
  void setBase(mlir::Value v, mlir::Value base) { values.setBase(v, base); }
  void setChunks(mlir::Value v, llvm::ArrayRef<mlir::Value> chunks) {
    values.setChunks(v, chunks);
  }

  // -- Lanes
  /// A lane pattern's part for chunk `c`, as a constant vector.
  mlir::Value patternVector(const LanePattern &pattern, unsigned c,
                            unsigned width);
  /// The numbers of chunk `c`'s lanes in the warp, i32.
  mlir::Value laneNumbers(unsigned c);
  /// i32: in its warp, where threads run one by one.
  mlir::Value laneOfThread();

  // -- Masks (Masks.cpp): a vector of i1 a chunk, or a word of 32 bits
  /// Does an op with this mask need masked code at all?
  bool needsMask(mlir::Value mask);
  /// The lanes of chunk `c` that an op with `mask` (null: all) runs in.
  mlir::Value maskChunk(mlir::Value mask, unsigned c);
  /// The same as bits, of all chunks.
  mlir::Value activeBits(mlir::Value mask);
  /// A predicate's 32 lanes as an i32; `chunkOf` gives the vectors.
  mlir::Value laneBits(llvm::function_ref<mlir::Value(unsigned chunk)> chunkOf);
  /// Chunk `c` of the predicate whose lanes are the bits of `bits`.
  mlir::Value bitsChunk(mlir::Value bits, unsigned c);

  // -- The launch
  KernelValues kernel;
  /// Reads what the kernel's context holds.
  void buildPrologue(mlir::Value context);
  /// Code from here on is for the strand of that number (i32).
  void enterStrand(mlir::Value number);
  /// A field of the PtxjitKernelContext, which does not change.
  mlir::Value loadContext(size_t offset, mlir::Type type);
  /// Calls the helper of the runtime at `offset` of its table. \param result
  /// i32 if null.
  mlir::Value callHelper(size_t offset, llvm::ArrayRef<mlir::Value> operands,
                         mlir::Type result = {});

  // -- The walk
  /// What is known in one block, and those inside, alone.
  void enterBlock();
  void leaveBlock();
  /// The ops of the part that is emitted; null where nothing is split.
  const llvm::DenseSet<mlir::Operation *> *part = nullptr;
  /// That a CTA keeps for its warps between parts.
  uint64_t frameBytes = 0;

  /// The family's own state, for this kernel.
  template <typename StateTy> StateTy &state() {
    std::unique_ptr<FamilyState> &state = states[mlir::TypeID::get<StateTy>()];
    if (!state) {
      state = std::make_unique<StateTy>(*this);
      for (unsigned i = 0; i < depth; ++i)
        state->enterBlock();
    }
    return static_cast<StateTy &>(*state);
  }

private:
  unsigned depth = 0; ///< of blocks
  llvm::MapVector<mlir::TypeID, std::unique_ptr<FamilyState>> states;
};

} // namespace ptxjit

#endif
