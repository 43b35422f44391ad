//===- ExpandGuards.cpp - guards to selects and conditionals --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Lowering/Passes.h"
#include "ptxjit/Lowering/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "expand-guards"

namespace ptxjit {
#define GEN_PASS_DEF_EXPANDGUARDSPASS
#include "ptxjit/Lowering/Passes.h.inc"
} // namespace ptxjit

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

namespace {
struct ExpandGuardsPass
    : public ptxjit::impl::ExpandGuardsPassBase<ExpandGuardsPass> {
  void runOnOperation() override {
    numSelects = 0;
    SmallVector<GuardOp> guards;
    getOperation().walk([&](GuardOp op) { guards.push_back(op); });
    for (GuardOp guard : guards)
      expand(guard);
    remarkCounts(
        getOperation(), "ptx-expand-guards",
        {{"guards turned into selects", numSelects},
         {"guards turned into conditionals", guards.size() - numSelects}});
  }

  void expand(GuardOp guard) {
    LDBG() << "guard at " << guard.getLoc();
    Block &body = guard.getBody().front();
    bool pure = true;
    for (Operation &op : body)
      if (!isa<ReadOp, WriteOp>(op) && !isMemoryEffectFree(&op))
        pure = false;
    SmallVector<WriteOp> writes(body.getOps<WriteOp>());
    OpBuilder builder(guard);
    Location loc = guard.getLoc();
    Value p = guard.getPredicate();
    if (pure) {
      for (WriteOp write : writes) {
        builder.setInsertionPoint(write);
        Value old = ReadOp::create(builder, loc, write.getValue().getType(),
                                   write.getSlot());
        Value keep =
            arith::SelectOp::create(builder, loc, p, write.getValue(), old);
        write.getValueMutable().assign(keep);
      }
      guard->getBlock()->getOperations().splice(guard->getIterator(),
                                                body.getOperations());
      ++numSelects;
      guard.erase();
      return;
    }
    // The conditional yields the new values. The slots are written outside, so
    // that they can be promoted.
    SmallVector<Type> types;
    for (WriteOp write : writes)
      types.push_back(write.getValue().getType());
    SmallVector<Value> olds;
    for (WriteOp write : writes)
      olds.push_back(ReadOp::create(builder, loc, write.getValue().getType(),
                                    write.getSlot()));
    for (ReadOp read : llvm::make_early_inc_range(body.getOps<ReadOp>()))
      read->moveBefore(guard);
    auto ifOp = scf::IfOp::create(builder, loc, types, p,
                                  /*withElseRegion=*/!types.empty());
    Block *then = ifOp.thenBlock();
    if (types.empty())
      then->getTerminator()->erase();
    SmallVector<Value> news;
    builder.setInsertionPointAfter(ifOp);
    for (auto [i, write] : llvm::enumerate(writes)) {
      news.push_back(write.getValue());
      write->remove();
      builder.insert(write);
      write.getValueMutable().assign(ifOp.getResult(i));
    }
    then->getOperations().splice(then->end(), body.getOperations());
    builder.setInsertionPointToEnd(then);
    scf::YieldOp::create(builder, loc, news);
    if (!types.empty()) {
      builder.setInsertionPointToEnd(ifOp.elseBlock());
      scf::YieldOp::create(builder, loc, olds);
    }
    guard.erase();
  }

  unsigned numSelects = 0; ///< guards that became selects
};
} // namespace
