//===- ExpandInstructions.cpp - replace instructions by simpler ones ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Lowering/Passes.h"
#include "ptxjit/Lowering/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "ptxjit/Dialect/FormTable.h"
#include "ptxjit/Dialect/PtxOps.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "expand-instructions"

namespace ptxjit {
#define GEN_PASS_DEF_EXPANDINSTRUCTIONSPASS
#include "ptxjit/Lowering/Passes.h.inc"
} // namespace ptxjit

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

namespace {
/// Copies those of the attributes `names` that `op` has.
void keepAttributes(Operation *op, OperationState &state,
                    ArrayRef<StringRef> names) {
  for (StringRef name : names)
    if (Attribute value = op->getInherentAttr(name).value_or(Attribute()))
      state.addAttribute(name, value);
}

/// Starts a `ptx.st`, without its attributes.
OperationState makeStore(OpBuilder &b, Location loc, Value address,
                         ValueRange values) {
  OperationState state(loc, StOp::getOperationName());
  state.addOperands(address);
  state.addOperands(values);
  state.addAttribute("operandSegmentSizes",
                     b.getDenseI32ArrayAttr({1, int32_t(values.size()), 0}));
  return state;
}

/// Replaces an asynchronous store, reduction or arrival by synchronous ops.
class AsyncExpansion {
public:
  explicit AsyncExpansion(Operation *op) : op(op), b(op), loc(op->getLoc()) {}

  void run() {
    if (auto st = dyn_cast<StAsyncOp>(op)) {
      store(st.getDst(), st.getB(), st.getMbar());
    } else if (auto st = dyn_cast<StAsyncGlobalOp>(op)) {
      store(st.getDst(), st.getB(), Value());
    } else if (auto red = dyn_cast<RedAsyncOp>(op)) {
      update(red.getDst(), red.getB());
      completeTx(red.getMbar(), getBitWidth(red.getTy()) / 8);
    } else if (auto red = dyn_cast<RedAsyncGlobalOp>(op)) {
      update(red.getDst(), red.getB());
    } else if (auto arrival = dyn_cast<CpAsyncArriveOp>(op);
               arrival && arrival.getNoinc()) {
      arrive(arrival.getA());
    }
    op->erase();
  }

private:
  void releases(OperationState &state) {
    MLIRContext *context = b.getContext();
    state.addAttribute("order", OrderAttr::get(context, Order::Release));
    state.addAttribute("scope", ScopeAttr::get(context, Scope::Sys));
  }
  void store(Value dst, ValueRange values, Value mbar) {
    OperationState state = makeStore(b, loc, dst, values);
    keepAttributes(op, state, {"ty", "vec", "space", "offset"});
    if (!mbar)
      releases(state);
    b.create(state);
    if (mbar)
      completeTx(mbar, values.size() *
                           values.front().getType().getIntOrFloatBitWidth() /
                           8);
  }
  void update(Value dst, Value value) {
    OperationState state(loc, RedOp::getOperationName());
    state.addOperands({dst, value});
    keepAttributes(op, state, {"op", "space", "offset"});
    // `red` adds 64 bits as .u64 only.
    auto type = cast<ScalarTypeAttr>(*op->getInherentAttr("ty")).getValue();
    if (type == ScalarType::S64)
      type = ScalarType::U64;
    state.addAttribute("ty", ScalarTypeAttr::get(b.getContext(), type));
    if (isa<RedAsyncGlobalOp>(op))
      releases(state);
    b.create(state);
  }
  void completeTx(Value mbar, unsigned bytes) {
    OperationState state(loc, MbarrierTxOp::getOperationName());
    Value count = arith::ConstantIntOp::create(b, loc, bytes, 32);
    state.addOperands({mbar, count});
    state.addAttribute(
        "tx", MbarrierTxAttr::get(b.getContext(), MbarrierTx::Complete));
    keepAttributes(op, state, {"space"});
    b.create(state);
  }
  void arrive(Value mbar) {
    OperationState state(loc, MbarrierArriveOp::getOperationName());
    state.addOperands(mbar);
    state.addAttribute("operandSegmentSizes",
                       b.getDenseI32ArrayAttr({1, 0, 0}));
    state.addAttribute("arrive", MbarrierArriveAttr::get(
                                     b.getContext(), MbarrierArrive::Arrive));
    keepAttributes(op, state, {"space", "offset"});
    b.create(state);
  }

  Operation *op;
  OpBuilder b;
  Location loc;
};

/// Replaces `redux` of f32 (min, max) by that of s32, on keys that have the
/// same order. NaN is the least or the greatest key, and comes back canonical.
class ReduxExpansion {
public:
  explicit ReduxExpansion(ReduxOp op) : op(op), b(op), loc(op.getLoc()) {}

  void run() {
    Value bits = arith::BitcastOp::create(b, loc, b.getI32Type(), op.getA());
    if (op.getAbs())
      bits = arith::AndIOp::create(b, loc, bits, word(0x7fffffff));
    Value magnitude = arith::AndIOp::create(b, loc, bits, word(0x7fffffff));
    Value isNaN = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt,
                                        magnitude, word(0x7f800000));
    bool last = (op.getOp() == AtomicOp::Min) != op.getNan();
    Value nan = word(last ? 0x7fffffff : 0x80000000);
    Value key = arith::SelectOp::create(b, loc, isNaN, nan, reorder(bits));
    OperationState state(loc, ReduxOp::getOperationName());
    state.addOperands({key, op.getM()});
    MLIRContext *context = b.getContext();
    state.addAttribute("ty", ScalarTypeAttr::get(context, ScalarType::S32));
    state.addAttribute("op", AtomicOpAttr::get(context, op.getOp()));
    state.addAttribute("sync", b.getUnitAttr());
    state.addTypes(b.getI32Type());
    Value found = b.create(state)->getResult(0);
    Value none =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, found, nan);
    Value result =
        arith::SelectOp::create(b, loc, none, word(0x7fffffff), reorder(found));
    op.getD().replaceAllUsesWith(
        arith::BitcastOp::create(b, loc, b.getF32Type(), result));
    op.erase();
  }

private:
  Value word(uint32_t value) {
    return arith::ConstantIntOp::create(b, loc, value, 32);
  }
  /// Reverses the order of negative numbers; its own inverse.
  Value reorder(Value bits) {
    Value negative =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, bits, word(0));
    Value flipped = arith::XOrIOp::create(b, loc, bits, word(0x7fffffff));
    return arith::SelectOp::create(b, loc, negative, flipped, bits);
  }

  ReduxOp op;
  OpBuilder b;
  Location loc;
};

bool isFloatRedux(Operation *op) {
  auto redux = dyn_cast<ReduxOp>(op);
  return redux && redux.getTy() == ScalarType::F32;
}

struct ExpandInstructionsPass
    : public ptxjit::impl::ExpandInstructionsPassBase<ExpandInstructionsPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<Operation *> work;
    getOperation().walk([&](Operation *op) {
      if (isa<AdviceOp, StAsyncOp, StAsyncGlobalOp, RedAsyncOp,
              RedAsyncGlobalOp, CpAsyncArriveOp>(op) ||
          isFloatRedux(op))
        work.push_back(op);
    });
    remarkCounts(getOperation(), "ptx-expand-instructions",
                 {{"instructions expanded or dropped", work.size()}});
    for (Operation *op : work) {
      LDBG() << "expands " << *op;
      if (auto redux = dyn_cast<ReduxOp>(op)) {
        ReduxExpansion(redux).run();
        continue;
      }
      if (!isa<AdviceOp>(op)) {
        AsyncExpansion(op).run();
        continue;
      }
      OpBuilder builder(op);
      for (Value result : op->getResults())
        result.replaceAllUsesWith(arith::ConstantOp::create(
            builder, op->getLoc(),
            cast<TypedAttr>(builder.getZeroAttr(result.getType()))));
      op->erase();
    }
  }
};
} // namespace
