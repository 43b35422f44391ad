//===- LaneLoops.cpp - loops over the lanes of a chunk --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneLoops.h"
#include "WarpMemory.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

scf::ForOp ptxjit::buildCountedLoop(WarpBuilder &warp, unsigned count,
                                    ValueRange carried, unsigned by) {
  Value zero = warp.create<arith::ConstantIntOp>(0, 32);
  Value step = warp.create<arith::ConstantIntOp>(by, 32);
  Value end = warp.create<arith::ConstantIntOp>(count, 32);
  return warp.create<scf::ForOp>(zero, end, step, carried);
}

namespace {
/// A loop over lanes, with the buffers of the outside vectors that its body
/// reads.
struct LaneLoop {
  Operation *op;
  Value lane;
  SmallVector<std::pair<Value, StackBuffer>, 4> kept;
};
struct LaneLoops : FamilyState {
  explicit LaneLoops(WarpBuilder &) {}
  LaneLoop *innermost = nullptr;
};
} // namespace

/// Loads an element of a vector from outside the loop over lanes. LLVM would
/// store the whole vector in each iteration; here it is stored once, in front
/// of the loop.
static Value loadFromVector(WarpBuilder &warp, Value vector, LaneLoop &loop) {
  auto type = cast<VectorType>(vector.getType());
  auto *kept = llvm::find_if(
      loop.kept, [&](auto &entry) { return entry.first == vector; });
  if (kept == loop.kept.end()) {
    OpBuilder::InsertionGuard guard(warp.b);
    warp.b.setInsertionPoint(loop.op);
    StackBuffer buffer = takeBuffer(warp, 16 * 8);
    warp.create<LLVM::StoreOp>(vector, buffer.pointer, 8);
    loop.kept.push_back({vector, buffer});
    kept = &loop.kept.back();
  }
  auto ptr = LLVM::LLVMPointerType::get(warp.b.getContext());
  Type element = type.getElementType();
  Value place = warp.create<LLVM::GEPOp>(ptr, element, kept->second.pointer,
                                         LLVM::GEPArg(loop.lane));
  return warp.create<LLVM::LoadOp>(element, place);
}

Value ptxjit::extractLane(WarpBuilder &warp, Value vector, Value lane) {
  auto type = cast<VectorType>(vector.getType());
  LaneLoop *loop = warp.state<LaneLoops>().innermost;
  bool fromOutside =
      loop && lane == loop->lane &&
      !loop->op->isAncestor(vector.getParentBlock()->getParentOp());
  if (fromOutside && warp.target.chunk > 1 &&
      !type.getElementType().isInteger(1))
    return loadFromVector(warp, vector, *loop);
  return warp.create<LLVM::ExtractElementOp>(vector, lane);
}

SmallVector<Value> ptxjit::forEachLane(
    WarpBuilder &warp, unsigned c, Value mask, ValueRange carried,
    llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body,
    unsigned unroll) {
  OpBuilder::InsertionGuard guard(warp.b);
  ChunkBuilder s = warp.scalar();
  auto runBody = [&](Operation *loop, Value first, unsigned lanes,
                     ValueRange args) {
    LaneLoop current{loop, first, {}};
    llvm::SaveAndRestore inside(warp.state<LaneLoops>().innermost, &current);
    SmallVector<Value> values = args;
    for (unsigned i = 0; i < lanes; ++i) {
      current.lane = i ? s.add(first, s.intConstant(32, i)) : first;
      values = body(current.lane, values);
    }
    for (auto &[vector, buffer] : current.kept)
      giveBack(warp, buffer);
    return values;
  };
  if (!warp.needsMask(mask)) {
    assert(warp.target.chunk % unroll == 0 && "no lanes are left over");
    scf::ForOp loop =
        buildCountedLoop(warp, warp.target.chunk, carried, unroll);
    Block *block = loop.getBody();
    if (!block->empty() && block->back().hasTrait<OpTrait::IsTerminator>())
      block->back().erase();
    warp.b.setInsertionPointToEnd(block);
    warp.create<scf::YieldOp>(runBody(loop, loop.getInductionVar(), unroll,
                                      loop.getRegionIterArgs()));
    return SmallVector<Value>(loop.getResults());
  }
  // Loop over the bits that are set. A branch for each bit would often be
  // mispredicted.
  Value bits = warp.create<LLVM::BitcastOp>(
      warp.b.getIntegerType(warp.target.chunk), warp.maskChunk(mask, c));
  SmallVector<Value> inits = {s.resize(bits, 32, false)};
  inits.append(carried.begin(), carried.end());
  SmallVector<Type> types(ValueRange(inits).getTypes());
  auto loop = warp.create<scf::WhileOp>(types, inits);
  SmallVector<Location> places(types.size(), warp.loc);
  Block *test = warp.b.createBlock(&loop.getBefore(), {}, types, places);
  warp.create<scf::ConditionOp>(s.cmp(arith::CmpIPredicate::ne,
                                      test->getArgument(0),
                                      s.intConstant(32, 0)),
                                test->getArguments());
  Block *turn = warp.b.createBlock(&loop.getAfter(), {}, types, places);
  Value left = turn->getArgument(0);
  Value lane = s.intrinsic("llvm.cttz", warp.b.getI32Type(),
                           {left, s.intConstant(1, 1)});
  SmallVector<Value> next = {s.bitAnd(left, s.sub(left, s.intConstant(32, 1)))};
  next.append(runBody(loop, lane, 1, turn->getArguments().drop_front()));
  warp.create<scf::YieldOp>(next);
  return llvm::to_vector_of<Value>(loop.getResults().drop_front());
}
