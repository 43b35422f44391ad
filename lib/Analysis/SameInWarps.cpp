//===- SameInWarps.cpp - values that all warps of a CTA share -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts with all values, and removes those that may differ until none is left
// to remove.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Analysis/SameInWarps.h"
#include "ptxjit/Dialect/FormTable.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

unsigned ptxjit::warpsOfRow(const ShapeContext &context) {
  unsigned row = context.block[0];
  return row % context.lanes == 0 ? row / context.lanes : 1;
}

SameInWarps::SameInWarps(FuncOp func, const ShapeAnalysis &shapes,
                         unsigned stride)
    : shapes(shapes), stride(stride) {
  assert((stride == 1 || stride == warpsOfRow(shapes.getContext())) &&
         "the number in a row is the same");
  assert(!shapes.getContext().partialWarp() &&
         "the lanes of all warps have threads");
  for (bool changed = true; changed;) {
    changed = false;
    func.walk([&](Operation *op) { changed |= visit(op); });
  }
}

/// Does the op compute the same from the same operands, whichever warp runs it?
/// A load does if no warp writes in between, and if it is no load of the
/// thread's own memory.
static bool dependsOnOperandsAlone(Operation *op) {
  if (op->getNumRegions() || op->hasTrait<OpTrait::IsTerminator>() ||
      !op->getNumResults() || !op->getNumOperands())
    return false;
  if (auto load = dyn_cast<LdOp>(op)) {
    auto space = load.getSpace();
    return isWeak(load.getOrder()) && !load.getGranule() &&
           (space == Space::Global || space == Space::Shared ||
            space == Space::Const || space == Space::Param);
  }
  if (!isMemoryEffectFree(op))
    return false;
  auto dependent = dyn_cast<WarpDependentOpInterface>(op);
  return !dependent || !dependent.dependsOnWarp();
}

bool SameInWarps::contains(Operation *op) const {
  return dependsOnOperandsAlone(op) &&
         llvm::all_of(op->getOperands(), [&](Value v) { return contains(v); });
}

/// Is `v` the same, whatever it was made from?
bool SameInWarps::isKnown(Value v) const {
  auto reg = v.getDefiningOp<SRegOp>();
  bool isColumn = stride > 1 && reg && reg.getReg() == SpecialRegister::TidX;
  return isColumn || shapes.get(v).isSameInWarps();
}

/// \returns whether `v` was removed.
bool SameInWarps::keepIf(Value v, bool same) {
  return !same && !isKnown(v) && differing.insert(v).second;
}

/// Do all warps leave the lead in the same iteration, or nearly so? They do if
/// they compare their counters with the same bound. (A row of a sparse matrix
/// has a bound of its own; the warp with the shortest row would send all others
/// to the loop behind the lead.)
static bool isGridLoop(scf::WhileOp loop, const SameInWarps &same) {
  if (!loop->hasAttr(kLeadAttr))
    return false;
  auto all = loop.getConditionOp().getCondition().getDefiningOp<AllOp>();
  auto test = all ? all.getOperand().getDefiningOp<SetpOp>() : SetpOp();
  return test && (same.contains(test.getA()) || same.contains(test.getB()));
}

bool ptxjit::isJointLoop(scf::WhileOp loop, const SameInWarps &same) {
  return same.contains(loop.getConditionOp().getCondition()) ||
         isGridLoop(loop, same);
}

bool SameInWarps::visit(Operation *op) {
  bool changed = false;
  if (auto ifOp = dyn_cast<scf::IfOp>(op)) {
    for (auto [i, result] : llvm::enumerate(ifOp.getResults()))
      changed |= keepIf(result, contains(ifOp.getCondition()) &&
                                    contains(ifOp.thenYield().getOperand(i)) &&
                                    contains(ifOp.elseYield().getOperand(i)));
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    bool joint = isJointLoop(loop, *this);
    for (auto [arg, init, next] :
         llvm::zip(loop.getBeforeArguments(), loop.getInits(),
                   loop.getYieldOp().getOperands()))
      changed |= keepIf(arg, joint && contains(init) && contains(next));
    for (auto [arg, result, from] :
         llvm::zip(loop.getAfterArguments(), loop.getResults(),
                   loop.getConditionOp().getArgs())) {
      changed |= keepIf(arg, joint && contains(from));
      changed |= keepIf(result, joint && contains(from));
    }
  } else if (!op->hasTrait<OpTrait::IsTerminator>()) {
    if (auto each = dyn_cast<EachLaneOp>(op))
      for (Value arg : each.getBody().getArguments())
        changed |= keepIf(arg, false);
    bool same = contains(op);
    for (Value result : op->getResults())
      changed |= keepIf(result, same);
  }
  return changed;
}
