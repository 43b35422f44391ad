//===- InsertYields.cpp - let others run in loops that wait ---------------===//

#include "ptxjit/Lowering/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "ptxjit/Dialect/PtxOps.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace ptxjit {
#define GEN_PASS_DEF_INSERTYIELDSPASS
#include "ptxjit/Lowering/Passes.h.inc"
} // namespace ptxjit

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

/// May other threads change what this op reads, and is the program aware of it?
static bool readsOthers(Operation *op) {
  if (isa<AtomOp>(op))
    return true;
  auto ld = dyn_cast<LdOp>(op);
  return ld && ld.getOrder() && *ld.getOrder() != Order::Weak;
}

/// The values that `value` is made of, one step back, inside `loop`.
static void collectSources(Value value, scf::WhileOp loop,
                           SmallVectorImpl<Value> &sources) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    unsigned n = argument.getArgNumber();
    auto owner = dyn_cast<scf::WhileOp>(argument.getOwner()->getParentOp());
    if (!owner)
      return;
    if (argument.getOwner() == owner.getAfterBody()) {
      sources.push_back(owner.getConditionOp().getArgs()[n]);
      return;
    }
    sources.push_back(owner.getYieldOp().getOperand(n));
    if (owner != loop)
      sources.push_back(owner.getInits()[n]);
    return;
  }
  auto result = cast<OpResult>(value);
  Operation *op = result.getOwner();
  llvm::append_range(sources, op->getOperands());
  if (auto inner = dyn_cast<scf::WhileOp>(op)) {
    sources.push_back(inner.getConditionOp().getCondition());
    sources.push_back(
        inner.getConditionOp().getArgs()[result.getResultNumber()]);
  } else if (isa<scf::IfOp>(op)) {
    for (Region &region : op->getRegions())
      if (!region.empty())
        sources.push_back(region.front().getTerminator()->getOperand(
            result.getResultNumber()));
  }
}

/// Does whether `loop` goes on depend on what other threads write?
static bool waitsOnMemory(scf::WhileOp loop) {
  llvm::SmallPtrSet<Value, 32> seen;
  SmallVector<Value> work = {loop.getConditionOp().getCondition()};
  while (!work.empty()) {
    Value value = work.pop_back_val();
    Operation *op = value.getDefiningOp();
    Operation *home = op ? op : value.getParentBlock()->getParentOp();
    bool inside = home == loop || loop->isProperAncestor(home);
    if (!inside || !seen.insert(value).second)
      continue;
    if (op && readsOthers(op))
      return true;
    collectSources(value, loop, work);
  }
  return false;
}

namespace {
struct InsertYieldsPass
    : public ptxjit::impl::InsertYieldsPassBase<InsertYieldsPass> {
  using Base::Base;

  void runOnOperation() override {
    getOperation().walk([&](scf::WhileOp loop) {
      if (!waitsOnMemory(loop))
        return;
      ++numLoops;
      OpBuilder builder = OpBuilder::atBlockBegin(loop.getAfterBody());
      YieldWarpOp::create(builder, loop.getLoc());
    });
  }
};
} // namespace
