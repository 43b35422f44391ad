//===- ExpandCopies.cpp - copies are made at once, advice vanishes --------===//

#include "ptxjit/Lowering/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "ptxjit/Dialect/FormTable.h"
#include "ptxjit/Dialect/PtxOps.h"

namespace ptxjit {
#define GEN_PASS_DEF_EXPANDCOPIESPASS
#include "ptxjit/Lowering/Passes.h.inc"
} // namespace ptxjit

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

namespace {
/// Loads and stores in place of a `cp.async`.
class CopyExpansion {
public:
  CopyExpansion(CpAsyncOp op) : op(op), b(op), loc(op.getLoc()) {}

  void run() {
    unsigned words = op.getBytes() / 4;
    SmallVector<Value, 4> data =
        op.getSize() || op.getIgnore() ? loadSome(words) : loadAll(words);
    store(data);
    op.erase();
  }

private:
  Value word(uint32_t value) {
    return arith::ConstantIntOp::create(b, loc, value, 32);
  }
  void describe(OperationState &state, Space space, unsigned words) {
    MLIRContext *context = b.getContext();
    state.addAttribute("ty", ScalarTypeAttr::get(context, ScalarType::B32));
    state.addAttribute("space", SpaceAttr::get(context, space));
    if (words > 1)
      state.addAttribute("vec",
                         VectorSizeAttr::get(context, VectorSize(words)));
  }

  SmallVector<Value, 4> load(unsigned words, uint64_t offset) {
    OperationState state(loc, LdOp::getOperationName());
    state.addOperands(op.getSrc());
    state.addAttribute("offset", b.getI64IntegerAttr(offset));
    describe(state, Space::Global, words);
    for (unsigned i = 0; i < words; ++i)
      state.addTypes(b.getI32Type());
    Operation *ld = b.create(state);
    return SmallVector<Value, 4>(ld->getResults());
  }
  SmallVector<Value, 4> loadAll(unsigned words) { return load(words, 0); }

  /// Word by word: those behind `size` are not touched, and the bytes of the
  /// last that lie behind it become 0.
  SmallVector<Value, 4> loadSome(unsigned words) {
    Value size = op.getSize() ? op.getSize() : word(op.getBytes());
    if (op.getIgnore())
      size = arith::SelectOp::create(b, loc, op.getIgnore(), word(0), size);
    SmallVector<Value, 4> data;
    for (unsigned i = 0; i < words; ++i) {
      Value some = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt,
                                         size, word(4 * i));
      auto choice = scf::IfOp::create(b, loc, TypeRange(b.getI32Type()), some,
                                      /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToEnd(choice.thenBlock());
      Value loaded = load(1, 4 * i).front();
      Value rest = arith::SubIOp::create(b, loc, size, word(4 * i));
      scf::YieldOp::create(b, loc, keepBytes(loaded, rest));
      b.setInsertionPointToEnd(choice.elseBlock());
      scf::YieldOp::create(b, loc, word(0));
      data.push_back(choice.getResult(0));
    }
    return data;
  }

  /// The first `count` (at least 1) bytes of a word.
  Value keepBytes(Value value, Value count) {
    for (unsigned n = 1; n < 4; ++n) {
      Value low =
          arith::AndIOp::create(b, loc, value, word((1u << (8 * n)) - 1));
      Value cut = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, count,
                                        word(n));
      value = arith::SelectOp::create(b, loc, cut, low, value);
    }
    return value;
  }

  void store(ArrayRef<Value> data) {
    OperationState state(loc, StOp::getOperationName());
    state.addOperands(op.getDst());
    state.addOperands(data);
    state.addAttribute("operandSegmentSizes",
                       b.getDenseI32ArrayAttr({1, int32_t(data.size()), 0}));
    describe(state, op.getSpace(), data.size());
    b.create(state);
  }

  CpAsyncOp op;
  OpBuilder b;
  Location loc;
};

struct ExpandCopiesPass
    : public ptxjit::impl::ExpandCopiesPassBase<ExpandCopiesPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<Operation *> work;
    getOperation().walk([&](Operation *op) {
      if (isa<AdviceOp, CpAsyncOp>(op))
        work.push_back(op);
    });
    for (Operation *op : work) {
      if (auto copy = dyn_cast<CpAsyncOp>(op)) {
        CopyExpansion(copy).run();
        ++numCopies;
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
