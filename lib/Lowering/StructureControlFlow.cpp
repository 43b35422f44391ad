//===- StructureControlFlow.cpp - control flow to regions -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Lowering/Passes.h"
#include "ptxjit/Lowering/Remarks.h"

#include "mlir/Conversion/ControlFlowToSCF/ControlFlowToSCF.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "structure-control-flow"

namespace ptxjit {
#define GEN_PASS_DEF_STRUCTURECONTROLFLOWPASS
#include "ptxjit/Lowering/Passes.h.inc"
} // namespace ptxjit

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

/// Makes room for `count` more operands of a terminator. The upstream
/// transformation appends operands while it walks the uses of a value. If that
/// moves the operands of a terminator, it reads freed memory (LLVM 22; found by
/// random programs, test/Execution/tangled-loops.ptx).
static void reserveOperands(Operation *terminator, unsigned count, Value any) {
  unsigned old = terminator->getNumOperands();
  SmallVector<Value> room(count, any);
  terminator->insertOperands(old, room);
  terminator->eraseOperands(old, count);
}

/// Estimates the most operands that a terminator may be given: the values that
/// live across blocks, those that the transformation makes of them, and its own
/// selectors of entries and exits. The sum over all blocks is bounded, since
/// each block has to pay.
static unsigned estimateOperands(Region &region) {
  unsigned count = 0, blocks = 0;
  for (Block &block : region) {
    auto crosses = [&](Value value) {
      return llvm::any_of(value.getUsers(), [&](Operation *user) {
        return user->getBlock() != &block;
      });
    };
    ++blocks;
    count += llvm::count_if(block.getArguments(), crosses);
    for (Operation &op : block)
      count += llvm::count_if(op.getResults(), crosses);
  }
  constexpr unsigned mostInAll = 4u << 20;
  return std::min(3 * count + 2 * blocks + 64, mostInAll / blocks + 64);
}

/// Moves constants to the entry block, which dominates all others. Elsewhere a
/// constant may become an argument of a loop, where it is no longer known to be
/// constant.
static void hoistConstants(FuncOp func) {
  SmallVector<arith::ConstantOp> constants;
  func.walk([&](arith::ConstantOp op) { constants.push_back(op); });
  Block &entry = func.getBody().front();
  for (arith::ConstantOp op : llvm::reverse(constants))
    op->moveBefore(&entry, entry.begin());
}

namespace {
class Lifting : public ControlFlowToSCFTransformation {
public:
  explicit Lifting(unsigned room) : room(room) {}

  void createCFGSwitchOp(Location loc, OpBuilder &builder, Value flag,
                         ArrayRef<unsigned> caseValues,
                         BlockRange caseDestinations,
                         ArrayRef<ValueRange> caseArguments, Block *defaultDest,
                         ValueRange defaultArgs) override {
    ControlFlowToSCFTransformation::createCFGSwitchOp(
        loc, builder, flag, caseValues, caseDestinations, caseArguments,
        defaultDest, defaultArgs);
    Operation *created = &*std::prev(builder.getInsertionPoint());
    reserveOperands(created, room, flag);
  }

  /// Undefined values are not poison, since they pass through selects of masked
  /// lanes.
  Value getUndefValue(Location loc, OpBuilder &builder, Type type) override {
    return UndefOp::create(builder, loc, type);
  }
  FailureOr<Operation *> createUnreachableTerminator(Location loc,
                                                     OpBuilder &builder,
                                                     Region &) override {
    return RetOp::create(builder, loc, /*uni=*/false).getOperation();
  }

private:
  unsigned room;
};

struct StructureControlFlowPass
    : public ptxjit::impl::StructureControlFlowPassBase<
          StructureControlFlowPass> {
  void runOnOperation() override {
    FuncOp func = getOperation();
    if (func.isBodiless())
      return;
    hoistConstants(func);
    unsigned room = estimateOperands(func.getBody());
    OpBuilder builder = OpBuilder::atBlockBegin(&func.getBody().front());
    Value any = arith::ConstantIntOp::create(builder, func.getLoc(), 0, 1);
    for (Block &block : func.getBody())
      if (isa<BranchOpInterface>(block.getTerminator()))
        reserveOperands(block.getTerminator(), room, any);
    any.getDefiningOp()->erase();
    LDBG() << func.getSymName() << ": at most " << room << " block operands";
    Lifting lifting(room);
    DominanceInfo dominance(func);
    if (failed(transformCFGToSCF(func.getBody(), lifting, dominance)))
      return signalPassFailure();
    SmallVector<scf::IndexSwitchOp> switches;
    func.walk([&](scf::IndexSwitchOp op) { switches.push_back(op); });
    for (scf::IndexSwitchOp op : switches)
      expand(op);
    countRegions(func);
  }

  static void countRegions(FuncOp func) {
    unsigned numIfs = 0, numLoops = 0;
    func.walk([&](Operation *op) {
      numIfs += isa<scf::IfOp>(op);
      numLoops += isa<scf::WhileOp>(op);
    });
    remarkCounts(func, "ptx-structure-control-flow",
                 {{"conditionals", numIfs}, {"loops", numLoops}});
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
