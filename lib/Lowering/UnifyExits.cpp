//===- UnifyExits.cpp - one exit, plain branches --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Lowering/Passes.h"
#include "ptxjit/Lowering/Remarks.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "unify-exits"

namespace ptxjit {
#define GEN_PASS_DEF_UNIFYEXITSPASS
#include "ptxjit/Lowering/Passes.h.inc"
} // namespace ptxjit

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

namespace {
struct UnifyExitsPass
    : public ptxjit::impl::UnifyExitsPassBase<UnifyExitsPass> {
  void runOnOperation() override {
    FuncOp func = getOperation();
    if (func.isBodiless())
      return;
    for (Block &block : func.getBody())
      lowerBranch(block.getTerminator());
    IRRewriter rewriter(&getContext());
    (void)eraseUnreachableBlocks(rewriter, func.getBody());
    unify(func);
  }

  static void lowerBranch(Operation *branch) {
    OpBuilder b(branch);
    if (auto bra = dyn_cast<BraOp>(branch)) {
      cf::BranchOp::create(b, bra.getLoc(), bra.getDest());
      bra.erase();
    } else if (auto cond = dyn_cast<cf::CondBranchOp>(branch);
               cond && cond.getTrueDest() == cond.getFalseDest()) {
      cf::BranchOp::create(b, cond.getLoc(), cond.getTrueDest());
      cond.erase();
    } else if (auto brx = dyn_cast<BrxOp>(branch)) {
      // An index beyond the list is undefined; it takes the last label.
      SmallVector<Block *> targets(brx.getTargets());
      Block *last = targets.pop_back_val();
      SmallVector<int32_t> cases =
          llvm::to_vector(llvm::seq<int32_t>(0, int32_t(targets.size())));
      SmallVector<ValueRange> none(targets.size());
      cf::SwitchOp::create(b, brx.getLoc(), brx.getA(), last, ValueRange(),
                           cases, targets, none);
      brx.erase();
    }
  }

  void unify(FuncOp func) {
    SmallVector<Operation *> exits;
    for (Block &block : func.getBody())
      if (block.getTerminator()->hasTrait<OpTrait::ReturnLike>())
        exits.push_back(block.getTerminator());
    remarkCounts(func, "ptx-unify-exits", {{"exits", exits.size()}});
    if (exits.size() == 1 && isa<RetOp>(exits.front()))
      return;
    Block *last = new Block;
    func.getBody().push_back(last);
    OpBuilder builder = OpBuilder::atBlockEnd(last);
    RetOp::create(builder, func.getLoc(), /*uni=*/false);
    for (Operation *exit : exits) {
      LDBG() << "exit at " << exit->getLoc();
      builder.setInsertionPoint(exit);
      if (isa<TrapOp>(exit))
        RaiseOp::create(builder, exit->getLoc(), Value());
      // `exit` and `trap` in a called function end its callers, too.
      if (!func.getEntry() && !isa<RetOp>(exit))
        LeaveOp::create(builder, exit->getLoc());
      cf::BranchOp::create(builder, exit->getLoc(), last);
      exit->erase();
    }
    if (exits.empty())
      last->erase();
  }
};
} // namespace
