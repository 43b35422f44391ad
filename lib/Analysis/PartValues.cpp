//===- PartValues.cpp - values that live from part to part ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Analysis/PartValues.h"

#include "FlowNetwork.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

/// Values among which the cut chooses, which bounds compile time.
static constexpr unsigned kMostValues = 4096;

PartValues::PartValues(FuncOp func, const CtaLevel &levels,
                       const ShapeAnalysis &shapes)
    : levels(levels), shapes(shapes) {
  cut(func);
}

//===----------------------------------------------------------------------===//
// What is computed again
//===----------------------------------------------------------------------===//

bool PartValues::isScalar(Value v) const {
  const Shape &shape = shapes.get(v);
  return shape.hasBase() && !shape.conditional;
}

/// Is the value a scalar, unless a number wraps around? Its vectors are made
/// where a test has found that. Kept in the frame, they are always made.
bool PartValues::isScalarMostly(Value v) const {
  const Shape &shape = shapes.get(v);
  return shape.hasBase() && !shape.parted;
}

/// Has each lane the same value in all warps, made by ops that code hoists out
/// of the loop over the warps?
bool PartValues::isSameInWarps(Value v) const {
  const ShapeContext &context = shapes.getContext();
  if (context.anyBlock || context.partialWarp())
    return false;
  if (levels.contains(v) || shapes.get(v).isSameInWarps())
    return true;
  auto [known, isNew] = same.try_emplace(v, false);
  if (!isNew)
    return known->second;
  Operation *op = v.getDefiningOp();
  auto dependent = dyn_cast_or_null<WarpDependentOpInterface>(op);
  bool isSame = mayRecompute(v) && !(dependent && dependent.dependsOnWarp()) &&
                llvm::all_of(op->getOperands(), [&](Value operand) {
                  return isSameInWarps(operand);
                });
  same[v] = isSame;
  return isSame;
}

/// Is the value computed again wherever it is needed, from nothing that is
/// kept? True for scalars, predicates and thread numbers, and for values that
/// are scalars unless they wrap around.
bool PartValues::isFree(Value v) const {
  Operation *op = v.getDefiningOp();
  if (!op || op->getNumRegions() || !isMemoryEffectFree(op))
    return false;
  if (op->getNumOperands() == 0) // thread numbers, constants
    return true;
  if (auto known = free.find(v); known != free.end())
    return known->second;
  // A predicate costs an op for each vector, and masks are packed in the frame.
  bool cheap = (isScalarMostly(v) || v.getType().isInteger(1)) &&
               llvm::all_of(op->getOperands(), [&](Value operand) {
                 return levels.contains(operand) || isFree(operand);
               });
  free[v] = cheap;
  return cheap;
}

/// Is the value made by an op that takes about as long as a load?
bool PartValues::mayRecompute(Value v) const {
  Operation *op = v.getDefiningOp();
  if (isa_and_nonnull<MulIntOp, MadIntOp>(op))
    return v.getType().getIntOrFloatBitWidth() <= 32;
  return isa_and_nonnull<AddFloatOp, SubFloatOp, MulFloatOp, FmaOp, AbsFloatOp,
                         NegFloatOp, MinFloatOp, MaxFloatOp, AddIntOp, SubIntOp,
                         AbsIntOp, NegIntOp, MinIntOp, MaxIntOp, AndOp, OrOp,
                         XorOp, NotOp, ShlOp, ShrOp, SetpOp, SelpOp, MovOp>(op);
}

/// The size of a lane's value in bytes.
static uint64_t widthOf(Value v) {
  return v.getType().isIntOrFloat()
             ? llvm::divideCeil(v.getType().getIntOrFloatBitWidth(), 8)
             : 8;
}

/// The size in the frame.
uint64_t PartValues::bytesOf(Value v) const {
  if (levels.contains(v) || v.use_empty())
    return 0;
  return isScalar(v) ? widthOf(v) : shapes.getContext().lanes * widthOf(v);
}

/// How long a warp's op that makes the value takes: the bytes that are loaded
/// in that time. An op that is done once for all warps takes each a part of it.
uint64_t PartValues::costOf(Value v) const {
  const ShapeContext &context = shapes.getContext();
  uint64_t width = std::max<uint64_t>(widthOf(v), 4);
  uint64_t cost = isScalar(v) ? width : context.lanes * width;
  return isSameInWarps(v) ? llvm::divideCeil(cost, context.warps()) : cost;
}

/// Does an op of another part use the value?
bool PartValues::leavesItsPart(Value v) const {
  Operation *op = v.getDefiningOp();
  if (!op)
    op = v.getParentBlock()->getParentOp();
  return llvm::any_of(v.getUsers(), [&](Operation *user) {
    return !levels.isInSamePart(op, user);
  });
}

void PartValues::cut(FuncOp func) {
  llvm::SetVector<Value> values;
  auto add = [&](Value v) {
    if (!levels.contains(v) && !isFree(v))
      values.insert(v);
  };
  func.walk([&](Operation *op) {
    for (Value v : op->getResults())
      if (leavesItsPart(v))
        add(v);
  });
  size_t numNeeded = values.size();
  for (size_t i = 0; i < values.size() && values.size() <= kMostValues; ++i)
    if (mayRecompute(values[i]))
      llvm::for_each(values[i].getDefiningOp()->getOperands(), add);
  if (values.empty() || values.size() > kMostValues)
    return;

  // From the source to a value that is computed again flows its cost, through a
  // value that is kept what a store and a load take.
  constexpr uint64_t kKept = 3;
  DenseMap<Value, unsigned> numbers;
  for (auto [i, v] : llvm::enumerate(values))
    numbers[v] = unsigned(i);
  auto in = [&](Value v) { return 2 * numbers.at(v) + 2; };
  auto out = [&](Value v) { return in(v) + 1; };
  constexpr unsigned source = 0, sink = 1;
  FlowNetwork network(unsigned(2 * values.size() + 2));
  for (auto [i, v] : llvm::enumerate(values)) {
    uint64_t kept = std::max<uint64_t>(bytesOf(v), 1) * kKept;
    network.addEdge(in(v), out(v), kept);
    if (i < numNeeded)
      network.addEdge(out(v), sink, FlowNetwork::kUnlimited);
    if (!mayRecompute(v)) {
      network.addEdge(source, in(v), FlowNetwork::kUnlimited);
      continue;
    }
    network.addEdge(source, in(v), costOf(v));
    for (Value operand : v.getDefiningOp()->getOperands())
      if (numbers.contains(operand))
        network.addEdge(out(operand), in(v), FlowNetwork::kUnlimited);
  }
  llvm::BitVector side = network.cut(source, sink);
  for (Value v : values)
    if (mayRecompute(v) && side[in(v)])
      cheaper.insert(v);
}

bool PartValues::isRecomputed(Value v) const {
  return cheaper.contains(v) || isFree(v);
}

bool PartValues::isNeeded(
    Value value, llvm::function_ref<bool(Operation *)> isElsewhere) const {
  llvm::SetVector<Value> values;
  values.insert(value);
  for (size_t i = 0; i < values.size(); ++i)
    for (Operation *user : values[i].getUsers()) {
      if (isElsewhere(user))
        return true;
      for (Value result : user->getResults())
        if (isRecomputed(result))
          values.insert(result);
    }
  return false;
}

//===----------------------------------------------------------------------===//
// The size of what is kept
//===----------------------------------------------------------------------===//

namespace {
/// The ops of a block, numbered from 1; its arguments come at 0.
struct BlockPlaces {
  explicit BlockPlaces(Block &block) : block(block) {
    for (Operation &op : block)
      places[&op] = count++;
  }
  /// The place of the op of the block that `op` is or is nested in.
  unsigned of(Operation *op) const {
    Operation *top = block.findAncestorOpInBlock(*op);
    return top ? places.lookup(top) : 0;
  }
  Block &block;
  llvm::DenseMap<Operation *, unsigned> places;
  unsigned count = 1;
};
} // namespace

/// Counts what lives across the borders of a block, and of blocks in it, each
/// value from where it is made to the last op that needs it.
/// \param outside  the bytes that live across the block as a whole.
uint64_t PartValues::countLiveBytes(Block &block, uint64_t outside) const {
  BlockPlaces places(block);
  // By how much the sum grows at each place.
  SmallVector<int64_t> changes(places.count + 1);
  auto add = [&](Value v, unsigned made) {
    uint64_t bytes = isRecomputed(v) ? 0 : bytesOf(v);
    unsigned end = 0;
    if (bytes)
      isNeeded(v, [&](Operation *user) {
        bool isInside = user->getBlock() != &block;
        end = std::max(end, places.of(user) + isInside);
        return false;
      });
    if (end > made) {
      changes[made + 1] += int64_t(bytes);
      changes[end] -= int64_t(bytes);
    }
  };
  for (Value v : block.getArguments())
    add(v, 0);
  for (Operation &op : block)
    for (Value v : op.getResults())
      add(v, places.of(&op));
  uint64_t live = outside, most = 0;
  for (auto [i, op] : llvm::enumerate(block)) {
    live += uint64_t(changes[i + 1]);
    if (CtaLevel::isBorder(&op))
      most = std::max(most, live);
    if (levels.isSplit(&op))
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          most = std::max(most, countLiveBytes(inner, live));
  }
  return most;
}

uint64_t PartValues::countLiveBytes(FuncOp func) const {
  uint64_t most = 0;
  for (Block &block : func.getBody())
    most = std::max(most, countLiveBytes(block, 0));
  return most;
}
