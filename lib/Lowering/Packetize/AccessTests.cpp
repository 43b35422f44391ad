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

namespace {
/// Values of the lanes of a chunk, whose distances tell whether the addresses
/// are consecutive.
struct ComparedPlaces {
  ComparedPlaces(WarpBuilder &warp, const LaneAddress &address, unsigned c,
                 int64_t stride);
  Value addressOf(WarpBuilder &warp, Value place) const;
  Value isWithin(WarpBuilder &warp, Value start) const;

  const LanePlaces *narrow = nullptr; ///< null: they are the addresses
  int64_t step;                       ///< from lane to lane
  Value vector;
  unsigned bits;
};
} // namespace

/// Steps of bytes that are no whole number of places need the addresses.
ComparedPlaces::ComparedPlaces(WarpBuilder &warp, const LaneAddress &address,
                               unsigned c, int64_t stride)
    : step(stride) {
  if (address.places && stride % address.places->scale == 0) {
    narrow = &*address.places;
    step /= narrow->scale;
  }
  vector = narrow ? narrow->vectors(c) : address.vectors(c);
  bits = ChunkBuilder::widthOf(vector);
}

/// The host address of one of them.
Value ComparedPlaces::addressOf(WarpBuilder &warp, Value place) const {
  return narrow ? hostAddressOf(warp, *narrow, place) : place;
}

/// Scalar i1: does no place between that of the chunk's first lane, `start`,
/// and that of the last one wrap around? Their addresses would not be
/// consecutive. Null if none can.
Value ComparedPlaces::isWithin(WarpBuilder &warp, Value start) const {
  if (!narrow || narrow->areNear)
    return Value();
  ChunkBuilder s = warp.scalar();
  int64_t last = INT32_MAX - step * int64_t(warp.target.chunk - 1);
  return s.cmp(CmpIPredicate::sle, start, s.intConstant(bits, uint64_t(last)));
}

Value ptxjit::groupsHold(WarpBuilder &warp, const LaneAddress &address) {
  if (!address.groups || !address.groups->mustTest)
    return Value();
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
    // Distances of groups are those in bytes.
    bool isNarrow = address.places && address.places->areNear;
    Value at = isNarrow ? address.places->vectors(c) : address.vectors(c);
    Value start = warp.create<LLVM::ShuffleVectorOp>(at, at, firsts);
    return v.cmp(CmpIPredicate::eq, at,
                 v.add(start, warp.patternVector(distance, c,
                                                 ChunkBuilder::widthOf(at))));
  });
  return s.cmp(CmpIPredicate::eq, holds, s.intConstant(32, 0xffffffff));
}

Value ptxjit::isRegular(WarpBuilder &warp, const LaneAddress &address,
                        Value mask) {
  ChunkBuilder s = warp.scalar();
  Value regular;
  if (warp.needsMask(mask)) // most masks are all true most of the time
    regular = s.cmp(CmpIPredicate::eq, warp.activeBits(mask), warp.allBits());
  return warp.both(regular, groupsHold(warp, address));
}

/// The first lane of a chunk that is in its mask, i32; any lane if none is.
static Value firstLane(WarpBuilder &warp, Value mask) {
  ChunkBuilder s = warp.scalar();
  unsigned w = warp.target.chunk;
  Value bits = s.resize(
      warp.create<LLVM::BitcastOp>(warp.b.getIntegerType(w), mask), 32, false);
  Value first = s.intrinsic("llvm.cttz", warp.b.getI32Type(),
                            {bits, s.intConstant(1, 0)});
  return s.bitAnd(first, s.intConstant(32, w - 1));
}

/// The value of the first lane in `mask`; of any lane if none is.
static Value firstOf(WarpBuilder &warp, Value values, Value mask) {
  ChunkBuilder s = warp.scalar(), v = warp.lanes();
  // LLVM moves lanes through memory for the CPUs that have no instruction for
  // it, and crashes if they have SVE.
  if (!warp.target.compresses)
    return extractLane(warp, values, firstLane(warp, mask));
  Value front = v.intrinsic("llvm.experimental.vector.compress",
                            values.getType(), {values, mask, values});
  return extractLane(warp, front, s.intConstant(32, 0));
}

/// Whether the lanes of `mask` are consecutive, by one register of places.
/// \param starts  for each lane, the place of lane 0 in its row.
static Neighbours findRow(WarpBuilder &warp, const ComparedPlaces &places,
                          Value starts, Value mask) {
  ChunkBuilder s = warp.scalar(), v = warp.lanes();
  Value start = firstOf(warp, starts, mask);
  Value strays =
      v.bitAnd(mask, v.cmp(CmpIPredicate::ne, starts, v.splat(start)));
  Type allLanes = warp.b.getIntegerType(warp.target.chunk);
  Value none =
      s.cmp(CmpIPredicate::eq, warp.create<LLVM::BitcastOp>(allLanes, strays),
            s.intConstant(warp.target.chunk, 0));
  Value within = places.isWithin(warp, start);
  return {warp.both(none, within),
          places.addressOf(warp, start),
          true,
          mask,
          strays,
          starts,
          within};
}

Neighbours ptxjit::areConsecutive(WarpBuilder &warp, const LaneAddress &address,
                                  unsigned c, int64_t stride, Value mask,
                                  bool mayMask, bool findsStrays) {
  ChunkBuilder s = warp.scalar(), v = warp.lanes();
  unsigned w = warp.target.chunk;
  ComparedPlaces places(warp, address, c, stride);
  LanePattern behind{};
  for (unsigned i = 0; i < 32; ++i)
    behind[i] = places.step * int64_t(i % w);
  Value at = places.vector;
  unsigned bits = places.bits;
  auto distance = [&](int64_t steps) {
    return s.intConstant(bits, uint64_t(steps));
  };
  // Lanes that are off may have no address.
  auto startBy = [&](Value lane, Value behindBy) -> Value {
    Value own = warp.create<LLVM::FreezeOp>(extractLane(warp, at, lane));
    return s.sub(own, behindBy);
  };
  auto straysFrom = [&](Value start) {
    return v.bitXor(v.sub(at, v.splat(start)),
                    warp.patternVector(behind, c, bits));
  };
  // NEON has the largest of its lanes in one instruction, their union in five.
  auto kind = w == 4 && bits == 32 ? vector::CombiningKind::MAXUI
                                   : vector::CombiningKind::OR;
  auto areZero = [&](Value strays) {
    Value any = warp.create<vector::ReductionOp>(kind, strays);
    return s.cmp(CmpIPredicate::eq, any, distance(0));
  };
  bool masked = warp.needsMask(mask);
  if ((masked || findsStrays) && mayMask && warp.target.scatters &&
      bits == 32) {
    Value starts = warp.create<LLVM::FreezeOp>(
        v.sub(at, warp.patternVector(behind, c, bits)));
    return findRow(warp, places, starts,
                   masked ? warp.maskChunk(mask, c) : v.intConstant(1, 1));
  }
  if (masked && mayMask) {
    Value first = firstLane(warp, warp.maskChunk(mask, c));
    Value start = startBy(
        first, s.mul(s.resize(first, bits, false), distance(places.step)));
    Value strays = v.select(warp.maskChunk(mask, c), straysFrom(start),
                            v.intConstant(bits, 0));
    return {warp.both(areZero(strays), places.isWithin(warp, start)),
            places.addressOf(warp, start), true};
  }
  // So few lanes are compared as fast as the first and the last one.
  if (w == 4 && !masked) {
    Value start = startBy(s.intConstant(32, 0), distance(0));
    return {warp.both(areZero(straysFrom(start)), places.isWithin(warp, start)),
            places.addressOf(warp, start), false};
  }
  Value likely;
  if (masked) {
    Value bits = warp.create<LLVM::BitcastOp>(warp.b.getIntegerType(w),
                                              warp.maskChunk(mask, c));
    likely = s.cmp(CmpIPredicate::eq, bits, s.intConstant(w, ~uint64_t(0)));
  }
  Value start = startBy(s.intConstant(32, 0), distance(0));
  Value end =
      startBy(s.intConstant(32, w - 1), distance(places.step * (w - 1)));
  Value fits = s.cmp(CmpIPredicate::eq, start, end);
  likely = warp.both(likely, warp.both(fits, places.isWithin(warp, start)));
  Value firstAddress = places.addressOf(warp, start);
  auto inAll =
      warp.create<scf::IfOp>(warp.b.getI1Type(), likely,
                             /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(warp.b);
  warp.b.setInsertionPointToStart(inAll.thenBlock());
  warp.create<scf::YieldOp>(areZero(straysFrom(start)));
  warp.b.setInsertionPointToStart(inAll.elseBlock());
  warp.create<scf::YieldOp>(s.intConstant(1, 0));
  return {inAll.getResult(0), firstAddress, false};
}

Neighbours ptxjit::findNextRow(WarpBuilder &warp, const LaneAddress &address,
                               unsigned c, int64_t stride,
                               const Neighbours &first) {
  assert(first.strays && "the lanes were compared with the first active one");
  ComparedPlaces places(warp, address, c, stride);
  Neighbours next = findRow(warp, places, first.starts, first.strays);
  next.holds = warp.both(next.holds, first.isWithin);
  return next;
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
