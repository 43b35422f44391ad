//===- WarpBuilder.h - code for one warp ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state that every emitter is handed: the builder, the values of the warp,
// masks, and what the prologue has read of the launch.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_WARPBUILDER_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_WARPBUILDER_H

#include "ChunkBuilder.h"
#include "WarpValues.h"
#include "ptxjit/Analysis/NormalFloats.h"
#include "ptxjit/Analysis/Shape.h"
#include "ptxjit/Lowering/KernelLayout.h"
#include "ptxjit/Runtime/KernelABI.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include <memory>

namespace ptxjit {

class Dispatch;

/// Values of the launch, the CTA and the strand that code is emitted for. They
/// are i64 unless a comment says otherwise.
struct KernelValues {
  mlir::Value context; ///< pointer to the PtxjitKernelContext
  mlir::Value paramsBase, sharedBase, localBase, globalsTable;
  /// Start of the local memory of warp 0.
  mlir::Value localArena;
  /// Address of `.shared` offset 0: the start of the cluster's memory, or of
  /// the CTA's.
  mlir::Value sharedWindow;
  mlir::Value rankBits; ///< the CTA's rank in shared addresses; null if 0
  mlir::Value ctaid[3], nctaid[3]; ///< i32
  mlir::Value strand;              ///< i32: number of the warp (or thread)
  mlir::Value linear;              ///< i32: number of its first thread
  /// In a called function: the addresses of its parameters, then of its
  /// results.
  llvm::SmallVector<mlir::Value> formals;
};

/// State of a family of emitters while one kernel is emitted. The type is
/// defined next to the emitters that own it, and an object is made at its first
/// use (WarpBuilder::state).
class FamilyState {
public:
  virtual ~FamilyState() = default;
  /// Called when the walk enters a block of the kernel, and when it leaves the
  /// innermost one. Overrides may use existing states, but must not make new
  /// ones.
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

  // -- The function, and what it is compiled for
  ptx::FuncOp func;
  const KernelLayout &layout;
  const ShapeAnalysis &shapes;
  const KernelTarget target;
  const Dispatch &dispatch;
  const NormalFloats normals;
  /// Thread mode: every value is a scalar.
  bool perThread() const { return shapes.getContext().lanes == 1; }
  /// Threads of the warp: 32, fewer in a narrow one, or 1.
  unsigned numLanes() const { return shapes.getContext().lanes; }
  unsigned numChunks() const { return numLanes() / target.chunk; }
  const Shape &shapeOf(mlir::Value v) const { return shapes.get(v); }

  // -- Where code goes
  mlir::OpBuilder b;
  /// Location of the op that is being emitted.
  mlir::Location loc;
  template <typename OpTy, typename... Args> OpTy create(Args &&...args) {
    return OpTy::create(b, loc, std::forward<Args>(args)...);
  }
  /// A builder for vectors of one chunk.
  ChunkBuilder lanes() { return ChunkBuilder(b, loc, target, target.chunk); }
  /// A builder for scalars.
  ChunkBuilder scalar() { return ChunkBuilder(b, loc, target, 0); }
  mlir::Value toPointer(mlir::Value address);
  /// Returns x & y; null stands for true.
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
  /// The elements of a lane pattern for chunk `c`, as a constant vector.
  mlir::Value patternVector(const LanePattern &pattern, unsigned c,
                            unsigned width);
  /// The numbers in the warp of the lanes of chunk `c`, i32.
  mlir::Value laneNumbers(unsigned c);
  /// In thread mode, the number of the thread in its warp, i32.
  mlir::Value laneOfThread();

  // -- Masks (Masks.cpp): a vector of i1 per chunk, or a word of 32 bits
  /// May an op with this mask have inactive lanes?
  bool needsMask(mlir::Value mask);
  /// The lanes of chunk `c` in which an op with `mask` runs. Null means all
  /// threads of the CTA.
  mlir::Value maskChunk(mlir::Value mask, unsigned c);
  /// The lanes of all chunks in which it runs, as an i32.
  mlir::Value activeBits(mlir::Value mask);
  /// The bits of all lanes, as an i32. In thread mode all 32 are set.
  mlir::Value allBits();
  /// Packs the 32 lanes of a predicate into an i32; `chunkOf` supplies the
  /// vectors.
  mlir::Value laneBits(llvm::function_ref<mlir::Value(unsigned chunk)> chunkOf);
  /// Unpacks chunk `c` of a predicate whose lanes are the bits of `bits`.
  mlir::Value bitsChunk(mlir::Value bits, unsigned c);

  // -- The launch
  KernelValues kernel;
  /// Reads the fields of the kernel's context that all code needs.
  void buildPrologue(mlir::Value context);
  /// Code from here on is for the strand with that number (i32).
  void enterStrand(mlir::Value number);
  /// Loads a field of the PtxjitKernelContext, which does not change while the
  /// kernel runs.
  mlir::Value loadContext(size_t offset, mlir::Type type);
  /// The extents of a CTA in threads, how many threads it has, and how many
  /// warps of numLanes(), i32: where the block may be any.
  mlir::Value blockExtent(unsigned dim);
  mlir::Value threadCount();
  mlir::Value warpCount();
  /// The address of a field of the PtxjitKernelContext.
  mlir::Value contextField(size_t offset);
  /// Calls the runtime helper at `offset` of the helper table. \param result
  /// its type; null means i32.
  mlir::Value callHelper(size_t offset, llvm::ArrayRef<mlir::Value> operands,
                         mlir::Type result = {});
  /// Calls a helper that does not return.
  void callForGood(size_t offset, llvm::ArrayRef<mlir::Value> operands);

  // -- The walk
  /// Opens and closes a scope of facts that hold in one block and in the blocks
  /// nested in it (FamilyState).
  void enterBlock();
  void leaveBlock();
  /// The ops of the part that is being emitted; null if the kernel is not split
  /// at its barriers.
  const llvm::DenseSet<mlir::Operation *> *part = nullptr;
  /// Number in its team (WarpTeams.h) of the warp that code is emitted for.
  unsigned member = 0;
  /// The ops are emitted more than once, and reported elsewhere.
  bool isRepeated = false;
  /// Size of the frame in which a CTA keeps values of its warps between parts.
  uint64_t frameBytes = 0;

  /// The state of a family in this kernel, made at its first use.
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
  unsigned depth = 0; ///< number of blocks that are open
  llvm::MapVector<mlir::TypeID, std::unique_ptr<FamilyState>> states;
};

} // namespace ptxjit

#endif
