//===- HoistLoads.cpp - loads of neighbours in front of stores ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread that copies a row element by element stores each before it loads the
// next one. Where lanes have rows far apart, four loads of neighbours are one
// vector for each lane instead of four gathers, if no store between them may
// change what they load. That is asked at run time.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "ptxjit/Analysis/Shape.h"
#include "ptxjit/Dialect/FormTable.h"
#include "ptxjit/Lowering/Passes.h"
#include "ptxjit/Lowering/Remarks.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace ptxjit {
#define GEN_PASS_DEF_HOISTLOADSPASS
#include "ptxjit/Lowering/Passes.h.inc"
} // namespace ptxjit

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

/// Stores that are compared with the loads, and ops that are looked at.
static constexpr size_t kMostStores = 8, kMostOps = 64;

static int64_t bytesOf(StOp store) {
  return bytesOf(elementOf(store)) * int64_t(store.getB().size());
}

namespace {

/// Ops of a block from the first to the last load of a vector.
class Segment {
public:
  explicit Segment(LdOp first) : loads({first}) {}

  /// Finds the other loads. \returns whether they fill a vector with stores in
  /// between, of which the code can tell whether they change it.
  bool find();
  /// Makes code for both cases.
  /// \param replaced  gets the ops that are gone.
  void build(llvm::SmallPtrSetImpl<Operation *> &replaced);

private:
  bool visit(Operation &op);
  bool fillVector() const;
  bool sortOps();
  Value areApart(OpBuilder &b);

  SmallVector<LdOp> loads; ///< of one address, with different offsets
  SmallVector<StOp> stores;
  size_t numBetween = 0;           ///< stores in front of the last load
  SmallVector<Operation *> others; ///< pure ops that need no load: they move
  SmallVector<Operation *> kept;   ///< the rest, in order
};

struct HoistLoadsPass
    : public ptxjit::impl::HoistLoadsPassBase<HoistLoadsPass> {
  using Base::Base;
  void runOnOperation() override;
};

} // namespace

/// May be part of a vector, wherever it lies.
static bool isPlain(LdOp load) {
  return load.getD().size() == 1 && load.getSpace() == Space::Global &&
         isWeak(load.getOrder()) && !load.getGranule() && !load.getMask() &&
         load.getA().getType().isInteger(64) &&
         elementOf(load).isIntOrFloat() && bytesOf(elementOf(load)) >= 4;
}

/// Takes the op into the segment. \returns false if the segment ends before it.
bool Segment::visit(Operation &op) {
  LdOp first = loads.front();
  if (auto load = dyn_cast<LdOp>(op)) {
    if (!isWeak(load.getOrder()))
      return false;
    if (isPlain(load) && load.getA() == first.getA() &&
        load.getNc() == first.getNc() && elementOf(load) == elementOf(first)) {
      loads.push_back(load);
      numBetween = stores.size();
    }
    return !fillVector();
  }
  if (auto store = dyn_cast<StOp>(op)) {
    stores.push_back(store);
    return isWeak(store.getOrder()) && !store.getMask() &&
           store.getA().getType().isInteger(64) && stores.size() <= kMostStores;
  }
  return isMemoryEffectFree(&op) && !op.getNumRegions() &&
         !op.hasTrait<OpTrait::IsTerminator>();
}

/// Do the loads fill a vector without gaps?
bool Segment::fillVector() const {
  int64_t size = bytesOf(elementOf(loads.front()));
  SmallVector<int64_t> offsets;
  for (LdOp load : loads)
    offsets.push_back(load.getOffset());
  llvm::sort(offsets);
  for (size_t i = 1; i < offsets.size(); ++i)
    if (offsets[i] != offsets[i - 1] + size)
      return false;
  return int64_t(offsets.size()) * size == kMostVectorBytes;
}

bool Segment::find() {
  Operation *op = loads.front()->getNextNode();
  for (size_t i = 0; op && i < kMostOps; ++i, op = op->getNextNode())
    if (!visit(*op))
      break;
  return numBetween && fillVector() && sortOps();
}

/// Tells which ops depend on the loads. \returns whether no address of a store
/// does.
bool Segment::sortOps() {
  stores.truncate(numBetween);
  llvm::SmallPtrSet<Operation *, 16> stay;
  Operation *end = loads.back()->getNextNode();
  for (Operation *op = loads.front(); op != end; op = op->getNextNode()) {
    bool depends = llvm::any_of(op->getOperands(), [&](Value operand) {
      return stay.contains(operand.getDefiningOp());
    });
    if (!depends && isMemoryEffectFree(op)) {
      others.push_back(op);
      continue;
    }
    stay.insert(op);
    kept.push_back(op);
  }
  return llvm::none_of(stores, [&](StOp store) {
    return stay.contains(store.getA().getDefiningOp());
  });
}

/// Whether no store of this thread changes what the loads behind it read: its
/// bytes do not overlap those of the vector.
Value Segment::areApart(OpBuilder &b) {
  int64_t low = loads.front().getOffset();
  for (LdOp load : loads)
    low = std::min<int64_t>(low, load.getOffset());
  Location loc = loads.front().getLoc();
  Type i64 = b.getI64Type();
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, loc, value, 64);
  };
  Value all;
  for (StOp store : stores) {
    // They overlap if the store begins at most its size less one in front of
    // the vector, and not behind it.
    int64_t before = bytesOf(store) - 1;
    Value distance = SubIntOp::create(b, loc, i64, store.getA(),
                                      loads.front().getA(), ScalarType::U64);
    distance = AddIntOp::create(b, loc, i64, distance,
                                number(store.getOffset() - low + before),
                                ScalarType::U64);
    Value apart =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, distance,
                              number(kMostVectorBytes + before));
    all = all ? Value(arith::AndIOp::create(b, loc, all, apart)) : apart;
  }
  return all;
}

/// Clones ops into an empty block that yields `results` of theirs.
static void cloneInto(Block &block, ArrayRef<Operation *> order,
                      ValueRange results, Location loc) {
  OpBuilder b = OpBuilder::atBlockEnd(&block);
  IRMapping mapping;
  for (Operation *op : order)
    b.clone(*op, mapping);
  SmallVector<Value> yielded;
  for (Value result : results)
    yielded.push_back(mapping.lookup(result));
  scf::YieldOp::create(b, loc, yielded);
}

void Segment::build(llvm::SmallPtrSetImpl<Operation *> &replaced) {
  for (Operation *op : others)
    op->moveBefore(loads.front());
  SmallVector<Operation *> early;
  for (LdOp load : loads)
    early.push_back(load);
  SmallVector<Value> results;
  for (Operation *op : kept) {
    auto load = dyn_cast<LdOp>(op);
    if (!load || !llvm::is_contained(loads, load))
      early.push_back(op);
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !llvm::is_contained(kept, user);
          }))
        results.push_back(result);
  }
  OpBuilder b(loads.front());
  Location loc = loads.front().getLoc();
  Value all = AllOp::create(b, loc, b.getI1Type(), areApart(b));
  auto choice = scf::IfOp::create(b, loc, ValueRange(results).getTypes(), all,
                                  /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  cloneInto(*choice.thenBlock(), early, results, loc);
  cloneInto(*choice.elseBlock(), kept, results, loc);
  for (auto [from, to] : llvm::zip(results, choice.getResults()))
    from.replaceUsesWithIf(to, [&](OpOperand &use) {
      return !llvm::is_contained(kept, use.getOwner());
    });
  for (Operation *op : llvm::reverse(kept))
    op->erase();
  replaced.insert_range(kept);
}

void HoistLoadsPass::runOnOperation() {
  FuncOp func = getOperation();
  auto target = requireTarget();
  if (failed(target))
    return signalPassFailure();
  if (!func.isStructured() || target->perThread || target->chunk == 1)
    return;
  // Shapes are those of the ops that are there now.
  ShapeAnalysis shapes(func, target->getShapeContext());
  SmallVector<LdOp> candidates;
  func.walk([&](LdOp load) {
    if (!isPlain(load))
      return;
    const Shape &shape = shapes.get(load.getA());
    if (!shape.isUniform() && !shape.hasBase())
      candidates.push_back(load);
  });
  unsigned numVectors = 0;
  llvm::SmallPtrSet<Operation *, 16> replaced;
  for (LdOp load : candidates) {
    if (replaced.contains(load.getOperation()))
      continue;
    Segment segment(load);
    if (!segment.find())
      continue;
    segment.build(replaced);
    ++numVectors;
  }
  remarkCounts(func, "ptx-hoist-loads",
               {{"vectors loaded before stores", numVectors}});
}
