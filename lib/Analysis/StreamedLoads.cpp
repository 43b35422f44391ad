//===- StreamedLoads.cpp - loads that may be fetched early ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Analysis/StreamedLoads.h"
#include "ptxjit/Dialect/FormTable.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

/// A kernel without loops that has fewer ops for each load walks along memory
/// as fast as it comes, and prefetches would only take time.
static constexpr unsigned kFewOps = 20;
/// A kernel whose code has more rows of an array reads most of them again, as
/// an unrolled stencil in three dimensions does: prefetches of all take longer
/// than they save. Rows that are a step apart, as those of other loops, do not
/// count.
static constexpr unsigned kMostRows = 32;

/// Does a CPU see by itself what the kernel loads next, early enough?
static bool isForeseen(FuncOp func, const ShapeContext &context) {
  unsigned ops = 0, loads = 0;
  bool hasLoop = false, runsByTurns = false;
  func.walk([&](Operation *op) {
    ++ops;
    auto load = dyn_cast<LdOp>(op);
    loads += load && load.getSpace() != Space::Param;
    hasLoop |= isa<scf::WhileOp>(op);
    runsByTurns |= isa<NextTurnOp>(op);
  });
  // Warps of a block with several rows walk along as many rows.
  bool hasRows = context.block[0] < context.threads();
  return runsByTurns || (!hasLoop && !hasRows && ops < kFewOps * loads);
}

/// As ParamArray::bytesPerThread.
static uint32_t bytesPerThreadOf(LdOp load) {
  return load->getParentOfType<scf::WhileOp>()
             ? 0
             : uint32_t(bytesOfElement(load.getD().front()) *
                        load.getD().size());
}

StreamedLoads::StreamedLoads(FuncOp func, const ShapeAnalysis &shapes) {
  if (!func.getEntry() || isForeseen(func, shapes.getContext()))
    return;
  llvm::DenseSet<uint32_t> written;
  func.walk([&](StOp store) {
    if (auto param = findParamArray(func, store.getA(), store.getSpace(),
                                    store.getB().front(), shapes))
      written.insert(*param);
  });
  struct Rows {
    SmallVector<LdOp> loads; ///< the first one of each row
    unsigned count = 0;
  };
  llvm::MapVector<uint32_t, Rows> ofArrays;
  llvm::DenseSet<std::pair<Block *, Value>> seen;
  func.walk([&](LdOp load) {
    Value address = load.getA();
    Block *block = load->getBlock();
    auto param = findParamArray(func, address, load.getSpace(),
                                load.getD().front(), shapes);
    if (!param || written.contains(*param) || !isWeak(load.getOrder()) ||
        shapes.isUniform(address) || !seen.insert({block, address}).second)
      return;
    Rows &rows = ofArrays[*param];
    rows.loads.push_back(load);
    auto sum = address.getDefiningOp<AddIntOp>();
    bool isStepOn = sum && (seen.contains({block, sum.getA()}) ||
                            seen.contains({block, sum.getB()}));
    rows.count += !isStepOn;
  });
  for (auto &[param, rows] : ofArrays)
    if (rows.count <= kMostRows)
      for (LdOp load : rows.loads) {
        // The least stands for all loads; that of a loop is 0.
        uint32_t bytes = bytesPerThreadOf(load);
        if (ParamArray *array = add(load, param, bytes))
          array->bytesPerThread = std::min(array->bytesPerThread, bytes);
      }
}
