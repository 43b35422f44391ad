//===- CombineAccesses.cpp - combine neighbouring accesses ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CombineAccesses.h"
#include "Elements.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "ptxjit/Analysis/ShapeText.h"
#include "ptxjit/Dialect/FormTable.h"
#include "ptxjit/Lowering/Passes.h"
#include "ptxjit/Lowering/Remarks.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "combine-accesses"

namespace ptxjit {
#define GEN_PASS_DEF_COMBINEACCESSESPASS
#include "ptxjit/Lowering/Passes.h.inc"
} // namespace ptxjit

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

static constexpr char kElementAligned[] = "ptx.element_aligned";

bool ptxjit::isElementAligned(Operation *access) {
  return access->hasAttr(kElementAligned);
}

namespace {

size_t countOf(LdOp op) { return op.getD().size(); }
size_t countOf(StOp op) { return op.getB().size(); }

template <typename OpTy> bool isPlain(OpTy op) {
  Type element = elementOf(op);
  Space space = op.getSpace().value_or(Space::Generic);
  return countOf(op) == 1 && isWeak(op.getOrder()) && !op.getGranule() &&
         element.isIntOrFloat() && element.getIntOrFloatBitWidth() >= 8 &&
         element.getIntOrFloatBitWidth() <= 64 &&
         (space == Space::Generic || space == Space::Global ||
          space == Space::Shared || space == Space::SharedCta);
}

bool isInvariant(LdOp op) { return op.getNc(); }
bool isInvariant(StOp) { return false; }

template <typename OpTy> bool areAlike(OpTy x, OpTy y) {
  return x.getA() == y.getA() && x.getMask() == y.getMask() &&
         x.getSpace() == y.getSpace() && isInvariant(x) == isInvariant(y) &&
         elementOf(x) == elementOf(y);
}

class Combination {
public:
  Combination(const ShapeAnalysis &shapes, unsigned chunk)
      : shapes(shapes), chunk(chunk) {}

  void run(Block &block);
  unsigned numVectors = 0; ///< made of accesses

private:
  template <typename OpTy> void combineAlike(SmallVector<OpTy> &ops);
  template <typename OpTy> bool areApart(OpTy op, int64_t bytes);
  template <typename OpTy> unsigned recordOf(OpTy op);
  template <typename OpTy> unsigned findCount(MutableArrayRef<OpTy> ops);
  void combine(MutableArrayRef<LdOp> ops);
  void combine(MutableArrayRef<StOp> ops);
  void closeLoads();
  void closeStores();
  void closeAll() {
    closeLoads();
    closeStores();
  }

  const ShapeAnalysis &shapes;
  unsigned chunk; ///< lanes of a vector
  /// Open accesses. No op stands between them across which they could not be
  /// moved.
  SmallVector<LdOp> loads;
  SmallVector<StOp> stores; ///< all alike (areAlike)
};

void Combination::run(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    for (Region &region : op.getRegions()) {
      closeAll();
      for (Block &inner : region)
        run(inner);
    }
    if (auto load = dyn_cast<LdOp>(op); load && isPlain(load)) {
      closeStores();
      if (loads.size() == 256) // combining compares each with each
        closeLoads();
      loads.push_back(load);
    } else if (auto store = dyn_cast<StOp>(op); store && isPlain(store)) {
      closeLoads();
      if (!stores.empty() && !areAlike(stores.front(), store))
        closeStores();
      stores.push_back(store);
    } else if (!isMemoryEffectFree(&op)) {
      closeAll();
    }
  }
  closeAll();
}

/// Are the vectors of different lanes, of `bytes` bytes each, disjoint? If they
/// overlap, as in rows side by side, the single elements are contiguous
/// accesses, which a vector would lose. Lanes may load the same vector, but not
/// whole rows of lanes: their elements are one load each.
template <typename OpTy> bool Combination::areApart(OpTy op, int64_t bytes) {
  const Shape &shape = shapes.get(op.getA());
  if (shape.isUniform())
    return false;
  if (!shape.hasBase() && !shape.hasGroups())
    return true;
  unsigned numSame = 0; // neighbours with the same vector
  unsigned lanes = shapes.getContext().lanes;
  for (unsigned i = 0; i < lanes; ++i)
    for (unsigned j = 0; j < i; ++j) {
      if (shape.hasGroups() && (*shape.groups)[i] != (*shape.groups)[j])
        continue;
      int64_t distance =
          shape.pattern ? (*shape.pattern)[i] - (*shape.pattern)[j] : 0;
      bool isSame = std::is_same_v<OpTy, LdOp> && distance == 0;
      if (std::abs(distance) < bytes && !isSame)
        return false;
      numSame += isSame && i == j + 1;
    }
  return numSame <= lanes / 4;
}

/// The elements between the addresses of neighbouring lanes, as of an array of
/// records that are all of one type. 0: the lanes of a vector do not lie so, or
/// lie too far apart.
template <typename OpTy> unsigned Combination::recordOf(OpTy op) {
  const Shape &shape = shapes.get(op.getA());
  if (chunk == 1 || !shape.hasBase() || !shape.pattern)
    return 0;
  int64_t size = bytesOf(elementOf(op));
  int64_t stride = (*shape.pattern)[1] - (*shape.pattern)[0];
  for (unsigned i = 1; i < kWarpLanes; ++i)
    if (i % chunk && (*shape.pattern)[i] - (*shape.pattern)[i - 1] != stride)
      return 0;
  return stride > 0 && stride <= kMostVectorBytes && stride % size == 0
             ? unsigned(stride / size)
             : 0;
}

/// How many of `ops`, which are in the order of their offsets, become one
/// vector; 1 if none do.
template <typename OpTy>
unsigned Combination::findCount(MutableArrayRef<OpTy> ops) {
  OpTy first = ops.front();
  int64_t size = bytesOf(elementOf(first));
  unsigned most = unsigned(kMostVectorBytes / size), count = 1;
  while (count < ops.size() && count < most &&
         int64_t(ops[count].getOffset()) ==
             int64_t(first.getOffset()) + int64_t(count) * size)
    ++count;
  unsigned record = recordOf(first);
  bool isMasked = first.getMask() || shapes.getContext().partialWarp();
  // CPUs mask elements of 32 bits and more.
  if (record > 1 && record <= count && (!isMasked || record * size == 4))
    return record;
  if (size < 4)
    return 1;
  count = llvm::bit_floor(count);
  while (count > 1 && !areApart(first, count * size))
    count /= 2;
  return count;
}

void Combination::closeLoads() {
  SmallVector<LdOp> open = std::move(loads);
  loads.clear();
  while (!open.empty()) {
    SmallVector<LdOp> alike;
    LdOp first = open.front();
    llvm::copy_if(open, std::back_inserter(alike),
                  [&](LdOp op) { return areAlike(first, op); });
    llvm::erase_if(open,
                   [&](LdOp op) { return llvm::is_contained(alike, op); });
    combineAlike(alike);
  }
}

void Combination::closeStores() {
  SmallVector<StOp> open = std::move(stores);
  stores.clear();
  // Stores that overlap keep their order.
  for (StOp x : open)
    for (StOp y : open)
      if (x != y && std::abs(int64_t(x.getOffset()) - int64_t(y.getOffset())) <
                        bytesOf(elementOf(x)))
        return;
  combineAlike(open);
}

/// Reports what all ops but the first become. The vector itself is reported
/// where it is emitted.
template <typename OpTy> void tell(MutableArrayRef<OpTy> ops) {
  if (!wantsRemarks(ops.front()))
    return;
  std::string line = std::to_string(lineOf(ops.front().getLoc()));
  for (OpTy op : ops.drop_front())
    remarkDecision(
        op, {kAccessRemark, "part of the vector of line " + line, "", ""});
}

template <typename OpTy>
void Combination::combineAlike(SmallVector<OpTy> &ops) {
  if (ops.size() < 2)
    return;
  llvm::stable_sort(
      ops, [](OpTy x, OpTy y) { return x.getOffset() < y.getOffset(); });
  MutableArrayRef<OpTy> left = ops;
  while (left.size() > 1) {
    unsigned count = findCount(left);
    if (count > 1) {
      tell(left.take_front(count));
      LDBG() << count << " accesses at " << left.front().getLoc();
      combine(left.take_front(count));
      ++numVectors;
    }
    left = left.drop_front(count);
  }
}

/// Null for vectors that PTX does not have, such as the three bytes of a pixel.
VectorSizeAttr vectorOf(MLIRContext *context, size_t count) {
  std::optional<VectorSize> size = symbolizeVectorSize(uint32_t(count));
  return size ? VectorSizeAttr::get(context, *size) : VectorSizeAttr();
}

template <typename OpTy> OpTy earliest(MutableArrayRef<OpTy> ops) {
  return *llvm::min_element(
      ops, [](OpTy x, OpTy y) { return x->isBeforeInBlock(y); });
}
template <typename OpTy> OpTy latest(MutableArrayRef<OpTy> ops) {
  return *llvm::max_element(
      ops, [](OpTy x, OpTy y) { return x->isBeforeInBlock(y); });
}

void Combination::combine(MutableArrayRef<LdOp> ops) {
  LdOp first = ops.front();
  OpBuilder b(earliest(ops));
  OperationState state(b.getInsertionPoint()->getLoc(),
                       LdOp::getOperationName());
  state.addOperands(first->getOperands());
  state.addTypes(SmallVector<Type>(ops.size(), elementOf(first)));
  state.addAttributes(first->getAttrs());
  state.propertiesAttr = first->getPropertiesAsAttribute();
  auto combined = cast<LdOp>(b.create(state));
  combined.setVecAttr(vectorOf(b.getContext(), ops.size()));
  combined->setAttr(kElementAligned, b.getUnitAttr());
  for (auto [op, result] : llvm::zip(ops, combined.getD())) {
    op.getD().front().replaceAllUsesWith(result);
    op->erase();
  }
}

void Combination::combine(MutableArrayRef<StOp> ops) {
  StOp first = ops.front();
  SmallVector<Value> values;
  for (StOp op : ops)
    values.push_back(op.getB().front());
  OpBuilder b(latest(ops));
  b.setInsertionPointAfter(latest(ops));
  auto combined = cast<StOp>(b.clone(*first));
  combined.getBMutable().assign(values);
  combined.setVecAttr(vectorOf(b.getContext(), ops.size()));
  combined->setAttr(kElementAligned, b.getUnitAttr());
  for (StOp op : ops)
    op->erase();
}

struct CombineAccessesPass
    : public ptxjit::impl::CombineAccessesPassBase<CombineAccessesPass> {
  using Base::Base;

  void runOnOperation() override {
    FuncOp func = getOperation();
    if (func.isBodiless())
      return;
    auto target = requireTarget();
    if (failed(target))
      return signalPassFailure();
    ShapeAnalysis shapes(func, target->getShapeContext());
    Combination combination(shapes, target->chunk);
    for (Block &body : func.getBody())
      combination.run(body);
    remarkCounts(func, "ptx-combine-accesses",
                 {{"vectors made of accesses", combination.numVectors}});
  }
};

} // namespace
