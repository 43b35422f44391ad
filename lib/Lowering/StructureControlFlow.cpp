//===- StructureControlFlow.cpp - control flow to regions -----------------===//

#include "ptxjit/Lowering/Passes.h"

#include "mlir/Conversion/ControlFlowToSCF/ControlFlowToSCF.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"

namespace ptxjit {
#define GEN_PASS_DEF_STRUCTURECONTROLFLOWPASS
#include "ptxjit/Lowering/Passes.h.inc"
} // namespace ptxjit

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

namespace {
class Lifting : public ControlFlowToSCFTransformation {
public:
  /// Not poison: these values pass through selects of masked lanes.
  Value getUndefValue(Location loc, OpBuilder &builder, Type type) override {
    return UndefOp::create(builder, loc, type);
  }
  FailureOr<Operation *> createUnreachableTerminator(Location loc,
                                                     OpBuilder &builder,
                                                     Region &) override {
    return RetOp::create(builder, loc, /*uni=*/false).getOperation();
  }
};

struct StructureControlFlowPass
    : public ptxjit::impl::StructureControlFlowPassBase<
          StructureControlFlowPass> {
  void runOnOperation() override {
    FuncOp func = getOperation();
    if (func.isBodiless())
      return;
    Lifting lifting;
    DominanceInfo dominance(func);
    if (failed(transformCFGToSCF(func.getBody(), lifting, dominance)))
      return signalPassFailure();
    SmallVector<scf::IndexSwitchOp> switches;
    func.walk([&](scf::IndexSwitchOp op) { switches.push_back(op); });
    for (scf::IndexSwitchOp op : switches)
      expand(op);
  }

  /// switch -> if (v == c0) {...} else if (v == c1) {...} else {...}
  void expand(scf::IndexSwitchOp op) {
    OpBuilder builder(op);
    Location loc = op.getLoc();
    // The selector is an index made from an i32; compare that.
    Value selector = op.getArg();
    if (auto cast = selector.getDefiningOp<arith::IndexCastUIOp>())
      selector = cast.getIn();
    scf::IfOp first;
    for (auto [i, value] : llvm::enumerate(op.getCases())) {
      Value c = arith::ConstantOp::create(
          builder, loc, builder.getIntegerAttr(selector.getType(), value));
      Value eq = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       selector, c);
      auto ifOp = scf::IfOp::create(builder, loc, op.getResultTypes(), eq,
                                    /*addThenBlock=*/false,
                                    /*addElseBlock=*/false);
      ifOp.getThenRegion().takeBody(op.getCaseRegions()[i]);
      if (first)
        scf::YieldOp::create(builder, loc, ifOp.getResults());
      else
        first = ifOp;
      if (i + 1 == op.getCases().size()) {
        ifOp.getElseRegion().takeBody(op.getDefaultRegion());
      } else {
        Block &block = ifOp.getElseRegion().emplaceBlock();
        builder.setInsertionPointToEnd(&block);
      }
    }
    if (!first) { // no case: the default always runs
      Block &body = op.getDefaultRegion().front();
      Operation *yield = body.getTerminator();
      op->replaceAllUsesWith(yield->getOperands());
      yield->erase();
      op->getBlock()->getOperations().splice(op->getIterator(),
                                             body.getOperations());
      op.erase();
      return;
    }
    op->replaceAllUsesWith(first.getResults());
    op.erase();
  }
};
} // namespace
