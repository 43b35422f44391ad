//===- UnifyExits.cpp - one exit, plain branches --------------------------===//

#include "ptxjit/Lowering/Passes.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

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
    if (func.isDeclaration())
      return;
    for (Block &block : func.getBody())
      if (auto bra = dyn_cast<BraOp>(block.getTerminator())) {
        OpBuilder builder(bra);
        cf::BranchOp::create(builder, bra.getLoc(), bra.getDest());
        bra.erase();
      }
    IRRewriter rewriter(&getContext());
    (void)eraseUnreachableBlocks(rewriter, func.getBody());
    if (func.getEntry())
      unify(func);
  }

  void unify(FuncOp func) {
    SmallVector<Operation *> exits;
    for (Block &block : func.getBody())
      if (isa<RetOp, ExitOp, TrapOp>(block.getTerminator()))
        exits.push_back(block.getTerminator());
    if (exits.size() == 1 && isa<RetOp>(exits.front()))
      return;
    Block *last = new Block;
    func.getBody().push_back(last);
    OpBuilder builder = OpBuilder::atBlockEnd(last);
    RetOp::create(builder, func.getLoc(), /*uni=*/false);
    for (Operation *exit : exits) {
      builder.setInsertionPoint(exit);
      if (isa<TrapOp>(exit))
        RaiseOp::create(builder, exit->getLoc(), Value());
      cf::BranchOp::create(builder, exit->getLoc(), last);
      exit->erase();
    }
    if (exits.empty())
      last->erase();
  }
};
} // namespace
