//===- AccessTests.cpp - run-time tests of addresses ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AccessTests.h"
#include "LaneLoops.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using arith::CmpIPredicate;

/// Scalar i1: do the addresses in all groups have the offsets that the analysis
/// found?
static Value groupsHold(WarpBuilder &warp, const LaneAddress &address) {
  ChunkBuilder v = warp.lanes(), s = warp.scalar();
  unsigned w = warp.target.chunk;
  const LaneGroups &groups = *address.groups;
  Value holds = warp.laneBits([&](unsigned c) {
    SmallVector<int32_t> firsts;
    LanePattern distance{};
    for (unsigned i = 0; i < w; ++i) {
      unsigned first = 0;
      while (groups.first[c * w + first] != groups.first[c * w + i])
        ++first;
      firsts.push_back(int32_t(first));
      distance[c * w + i] =
          groups.offset[c * w + i] - groups.offset[c * w + first];
    }
    Value at = address.vectors(c);
    Value start = warp.create<LLVM::ShuffleVectorOp>(at, at, firsts);
    return v.cmp(CmpIPredicate::eq, at,
                 v.add(start, warp.patternVector(distance, c, 64)));
  });
  return s.cmp(CmpIPredicate::eq, holds, s.intConstant(32, 0xffffffff));
}

Value ptxjit::isRegular(WarpBuilder &warp, const LaneAddress &address,
                        Value mask) {
  ChunkBuilder s = warp.scalar();
  Value regular;
  if (warp.needsMask(mask)) // most masks are all true most of the time
    regular = s.cmp(CmpIPredicate::eq, warp.activeBits(mask),
                    s.intConstant(32, 0xffffffff));
  if (address.groups && address.groups->mustTest)
    regular = warp.both(regular, groupsHold(warp, address));
  return regular;
}

Value ptxjit::isConsecutive(WarpBuilder &warp, const LaneAddress &address,
                            unsigned c, int64_t stride, Value mask) {
  ChunkBuilder s = warp.scalar(), v = warp.lanes();
  unsigned w = warp.target.chunk;
  LanePattern behind{};
  for (unsigned i = 0; i < 32; ++i)
    behind[i] = stride * int64_t(i % w);
  Value at = address.vectors(c);
  Value start = extractLane(warp, at, s.intConstant(32, 0));
  Value last = extractLane(warp, at, s.intConstant(32, w - 1));
  Value likely = s.cmp(CmpIPredicate::eq, s.sub(last, start),
                       s.intConstant(64, uint64_t(behind[w - 1])));
  if (warp.needsMask(mask)) {
    Value bits = warp.create<LLVM::BitcastOp>(warp.b.getIntegerType(w),
                                              warp.maskChunk(mask, c));
    likely = warp.both(
        s.cmp(CmpIPredicate::eq, bits, s.intConstant(w, ~uint64_t(0))), likely);
  }
  auto inAll =
      warp.create<scf::IfOp>(warp.b.getI1Type(), likely,
                             /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(warp.b);
  warp.b.setInsertionPointToStart(inAll.thenBlock());
  Value strays =
      v.bitXor(v.sub(at, v.splat(start)), warp.patternVector(behind, c, 64));
  Value any =
      warp.create<vector::ReductionOp>(vector::CombiningKind::OR, strays);
  warp.create<scf::YieldOp>(
      s.cmp(CmpIPredicate::eq, any, s.intConstant(64, 0)));
  warp.b.setInsertionPointToStart(inAll.elseBlock());
  warp.create<scf::YieldOp>(s.intConstant(1, 0));
  return inAll.getResult(0);
}

Value ptxjit::testOf(WarpBuilder &warp, const AccessPlan &plan,
                     const LaneAddress &address, Value mask) {
  if (plan.test == AccessTest::Regular)
    return isRegular(warp, address, mask);
  assert(plan.test == AccessTest::Pattern && "each chunk is asked by itself");
  if (!plan.failsRarely)
    return address.ok;
  ChunkBuilder s = warp.scalar();
  return s.intrinsic("llvm.expect", warp.b.getI1Type(),
                     {address.ok, s.intConstant(1, 1)});
}
