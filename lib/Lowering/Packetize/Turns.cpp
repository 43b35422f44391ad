//===- Turns.cpp - kernels that run turn by turn --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Turns.h"
#include "../Linearize.h"
#include "Dispatch.h"
#include "WarpMemory.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

namespace {
struct TurnState : FamilyState {
  explicit TurnState(WarpBuilder &) {}
  Value number;  ///< of the turn, i64
  Value hasNext; ///< pointer to an i1
};
} // namespace

std::optional<TurnForms> ptxjit::findTurnForms(Block &body) {
  TurnForms forms;
  for (Operation &op : body.without_terminator()) {
    if (!op.hasAttr(kInTurnsAttr)) {
      assert(!forms.choice && "the forms are whole kernels");
      forms.front.push_back(&op);
      continue;
    }
    forms.choice = cast<scf::IfOp>(op);
  }
  if (!forms.choice)
    return std::nullopt;
  forms.inTurn = forms.whole = forms.front;
  for (Operation &op : forms.choice.thenBlock()->without_terminator())
    forms.inTurn.push_back(&op);
  for (Operation &op : forms.choice.elseBlock()->without_terminator())
    forms.whole.push_back(&op);
  return forms;
}

LogicalResult ptxjit::emitTurnLoop(WarpBuilder &warp,
                                   function_ref<LogicalResult()> emitTurn) {
  ChunkBuilder s = warp.scalar();
  Type i1 = warp.b.getI1Type(), i64 = warp.b.getI64Type();
  TurnState &turn = warp.state<TurnState>();
  turn.hasNext = allocateOnStack(warp, i1, /*align=*/1);
  auto loop = warp.create<scf::WhileOp>(TypeRange(i64),
                                        ValueRange(s.intConstant(64, 0)));
  OpBuilder::InsertionGuard guard(warp.b);
  Block *before = warp.b.createBlock(&loop.getBefore(), {}, i64, warp.loc);
  turn.number = before->getArgument(0);
  warp.create<LLVM::StoreOp>(s.intConstant(1, 0), turn.hasNext);
  if (failed(emitTurn()))
    return failure();
  warp.b.setInsertionPointToEnd(before);
  Value hasNext = warp.create<LLVM::LoadOp>(i1, turn.hasNext);
  Value next = s.add(turn.number, s.intConstant(64, 1));
  warp.create<scf::ConditionOp>(hasNext, ValueRange(next));
  Block *after = warp.b.createBlock(&loop.getAfter(), {}, i64, warp.loc);
  warp.create<scf::YieldOp>(after->getArguments());
  return success();
}

static LogicalResult emitTurn(WarpBuilder &warp, TurnOp op) {
  Value number = warp.state<TurnState>().number;
  warp.setBase(op, warp.scalar().resize(
                       number, op.getType().getIntOrFloatBitWidth(), false));
  return success();
}

static LogicalResult emitNextTurn(WarpBuilder &warp, NextTurnOp) {
  warp.create<LLVM::StoreOp>(warp.scalar().intConstant(1, 1),
                             warp.state<TurnState>().hasNext);
  return success();
}

void ptxjit::addTurnEmitters(Dispatch &dispatch) {
  dispatch.add<emitTurn>();
  dispatch.add<emitNextTurn>();
}
