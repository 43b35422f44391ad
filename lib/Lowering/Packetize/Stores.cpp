//===- Stores.cpp - stores of a warp --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AccessTests.h"
#include "Accesses.h"
#include "LaneLoops.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// A chunk
//===----------------------------------------------------------------------===//

/// Stores `all`, the elements of the lanes, lane after lane.
static void storeMasked(WarpBuilder &warp, Value all, Value start,
                        unsigned count, unsigned align, Value mask) {
  Type element = ChunkBuilder::elementOf(all),
       unit = maskUnit(warp, element, count);
  unsigned each = unsigned(bytesOf(element) * count / bytesOf(unit));
  auto type = VectorType::get(warp.target.chunk * each, unit);
  warp.create<LLVM::MaskedStoreOp>(castTo(warp, type, all), start,
                                   repeatMask(warp, mask, each), align);
}

static unsigned vectorBytes(Value vector) {
  auto type = cast<VectorType>(vector.getType());
  return unsigned(type.getNumElements() * bytesOf(type.getElementType()));
}

/// Stores `elements`, which has a vector of the lanes of a chunk for each
/// element.
/// \param mask  the lanes of the chunk that store, `<chunk x i1>`; null: all.
static void storeContiguous(WarpBuilder &warp, const WarpAccess &access,
                            Value start, Value mask, ArrayRef<Value> elements,
                            bool pastCaches = false) {
  const LaneAddress &address = access.address;
  unsigned align =
      address.align ? address.align : bytesOf(access.element) * access.count;
  Value all = interleave(warp, elements);
  if (mask)
    storeMasked(warp, all, start, access.count, align, mask);
  else if (pastCaches)
    warp.create<LLVM::StoreOp>(all, start, vectorBytes(all))
        .setNontemporal(true);
  else
    warp.create<LLVM::StoreOp>(all, start, align);
}

/// In a shuffle: the element may be anything.
static constexpr int32_t kNoLane = -1;

/// Stores each run at once, without the elements in gaps.
static void storeRuns(WarpBuilder &warp, const WarpAccess &access, unsigned c,
                      ArrayRef<Value> elements) {
  const LaneAddress &address = access.address;
  unsigned w = warp.target.chunk, count = access.count;
  int64_t size = bytesOf(access.element);
  const LanePattern &offset =
      address.groups ? address.groups->offset : *address.pattern;
  Access described = describeAccess(warp, access, /*isStore=*/true);
  SmallVector<AccessRun, 4> runs =
      findRuns(described.address, w, c, size, count, mostRuns(described, w),
               mostGap(described));
  assert(!runs.empty() && "the plan has found runs");
  SmallVector<Value> bases;
  for (const AccessRun &run : runs)
    bases.push_back(baseOf(warp, address, c, run));
  ChunkBuilder s = warp.scalar();
  Value all = interleave(warp, elements);
  for (auto [run, base] : llvm::zip(runs, bases)) {
    SmallVector<int32_t> order(run.count, kNoLane);
    for (unsigned i = 0; i < w * count; ++i) {
      unsigned lane = i / count;
      int64_t at = offset[c * w + lane] + int64_t(i % count) * size;
      if (auto place = placeInRun(run, lane, at, size))
        order[*place] = int32_t(i);
    }
    bool masked = isMasked(warp, access) || llvm::is_contained(order, kNoLane);
    if (masked)
      order.resize(llvm::PowerOf2Ceil(run.count), kNoLane);
    Value part = warp.create<LLVM::ShuffleVectorOp>(all, all, order);
    Value at = s.add(base, s.intConstant(64, uint64_t(run.begin)));
    if (masked)
      warp.create<LLVM::MaskedStoreOp>(part, warp.toPointer(at),
                                       maskOfRun(warp, access, c, run),
                                       unsigned(size));
    else
      warp.create<LLVM::StoreOp>(part, warp.toPointer(at), unsigned(size));
  }
}

static void scatter(WarpBuilder &warp, const WarpAccess &access, unsigned c,
                    ArrayRef<Value> elements) {
  ChunkBuilder v = warp.lanes();
  int64_t bytes = bytesOf(access.element);
  Value mask = warp.needsMask(access.mask) ? warp.maskChunk(access.mask, c)
                                           : v.intConstant(1, 1);
  LanePointers pointers(warp, access.address, c);
  for (auto [e, element] : llvm::enumerate(elements))
    warp.create<LLVM::masked_scatter>(element, pointers.at(int64_t(e) * bytes),
                                      mask, bytes);
}

/// Stores in a loop over the lanes of the warp. `flat` is as for storeElements.
/// \param bits  the lanes, i32; null: those of the access.
static void storeLaneByLane(WarpBuilder &warp, const WarpAccess &access,
                            ArrayRef<Value> flat, Value bits = {}) {
  int64_t bytes = bytesOf(access.element);
  SmallVector<std::function<Value(unsigned)>> elements;
  for (unsigned e = 0; e < access.count; ++e)
    elements.push_back(
        [&access, flat, e](unsigned c) { return flat[c * access.count + e]; });
  auto storeLane = [&](LoopLane &lane) {
    ChunkBuilder s = warp.scalar();
    Value start = lane.get(access.address);
    for (auto [e, element] : llvm::enumerate(elements)) {
      Value where = e ? s.add(start, s.intConstant(64, e * bytes)) : start;
      warp.create<LLVM::StoreOp>(lane.get(element), warp.toPointer(where),
                                 unsigned(bytes));
    }
  };
  if (bits)
    forEachLaneOf(warp, bits, storeLane);
  else
    forEachLane(warp, access.mask, storeLane, /*unroll=*/4);
}

static void storeChunk(WarpBuilder &warp, const WarpAccess &access,
                       AccessCode code, unsigned c, ArrayRef<Value> flat) {
  ArrayRef<Value> elements = flat.slice(c * access.count, access.count);
  switch (code) {
  case AccessCode::Contiguous:
    return storeContiguous(warp, access, chunkStart(warp, access.address, c),
                           maskOfChunk(warp, access, c), elements);
  case AccessCode::Runs:
    return storeRuns(warp, access, c, elements);
  case AccessCode::Gather:
    return scatter(warp, access, c, elements);
  case AccessCode::LaneByLane:
  case AccessCode::Scalar:
  case AccessCode::LaneVectors:
  case AccessCode::GatherDwords:
    llvm_unreachable("not stored chunk by chunk");
  }
}

//===----------------------------------------------------------------------===//
// The warp
//===----------------------------------------------------------------------===//

static void storeChunks(WarpBuilder &warp, const WarpAccess &access,
                        AccessCode code, ArrayRef<Value> flat) {
  if (code == AccessCode::LaneByLane)
    return storeLaneByLane(warp, access, flat);
  for (unsigned c = 0; c < warp.numChunks(); ++c)
    storeChunk(warp, access, code, c, flat);
}

/// Bytes of a line of the caches.
static constexpr int64_t kLine = 64;

/// Do the lanes of the warp fill whole lines, if the first one begins one?
static bool fillsLines(WarpBuilder &warp, const WarpAccess &access) {
  int64_t each = bytesOf(access.element) * access.count;
  AccessShape shape = shapeOf(access.address);
  return each * warp.numLanes() % kLine == 0 &&
         each * warp.target.chunk >= 16 && warp.target.chunk > 1 &&
         shape.pattern && !warp.needsMask(access.mask) &&
         isContiguous(shape, each, warp.numLanes());
}

/// Scalar i1: should the lines that the warp writes go past the caches?
static Value isStreamed(WarpBuilder &warp, const WarpAccess &access) {
  ChunkBuilder s = warp.scalar();
  const LaneAddress &address = access.address;
  Value first =
      s.add(address.base, s.intConstant(64, uint64_t((*address.pattern)[0])));
  Value low = s.bitAnd(first, s.intConstant(64, kLine - 1));
  Value bits = warp.loadContext(offsetof(PtxjitKernelContext, largeArrays),
                                warp.b.getI64Type());
  Value own =
      s.bitAnd(bits, s.intConstant(64, uint64_t(1) << *access.writtenArray));
  return warp.both(s.cmp(CmpIPredicate::eq, low, s.intConstant(64, 0)),
                   s.cmp(CmpIPredicate::ne, own, s.intConstant(64, 0)));
}

static void storeEither(WarpBuilder &warp, Value condition,
                        function_ref<void()> first,
                        function_ref<void()> second) {
  auto choice = warp.create<scf::IfOp>(condition, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(warp.b);
  warp.b.setInsertionPointToStart(choice.thenBlock());
  first();
  warp.b.setInsertionPointToStart(choice.elseBlock());
  second();
}

/// Stores by the plan's first choice.
static void storePreferred(WarpBuilder &warp, const WarpAccess &access,
                           AccessCode code, ArrayRef<Value> flat) {
  if (!access.writtenArray || warp.target.plainStores ||
      code != AccessCode::Contiguous || !fillsLines(warp, access))
    return storeChunks(warp, access, code, flat);
  storeEither(
      warp, isStreamed(warp, access),
      [&] {
        for (unsigned c = 0; c < warp.numChunks(); ++c)
          storeContiguous(warp, access, chunkStart(warp, access.address, c),
                          /*mask=*/Value(),
                          flat.slice(c * access.count, access.count),
                          /*pastCaches=*/true);
      },
      [&] { storeChunks(warp, access, code, flat); });
}

/// Stores a chunk whose lanes are not consecutive.
static void storeStrays(WarpBuilder &warp, const WarpAccess &access,
                        const AccessPlan &plan, unsigned c,
                        const Neighbours &first, ArrayRef<Value> flat) {
  auto storeApart = [&] { storeChunk(warp, access, plan.otherwise, c, flat); };
  if (!plan.mayBeTwoRows || !first.strays)
    return storeApart();
  ArrayRef<Value> elements = flat.slice(c * access.count, access.count);
  int64_t stride = bytesOf(access.element) * access.count;
  Neighbours next = findNextRow(warp, access.address, c, stride, first);
  auto storeRow = [&](const Neighbours &row, Value mask) {
    storeContiguous(warp, access, warp.toPointer(row.start), mask, elements);
  };
  auto storeTwoRows = [&] {
    ChunkBuilder v = warp.lanes();
    storeRow(first, v.bitAnd(first.active, v.bitNot(next.active)));
    storeRow(next, next.active);
  };
  storeEither(warp, next.holds, storeTwoRows, storeApart);
}

/// Tests for each chunk whether the addresses of its lanes are consecutive.
/// Lanes that are stored one by one are collected, and stored behind the
/// chunks.
static void storeNeighbours(WarpBuilder &warp, const WarpAccess &access,
                            const AccessPlan &plan, ArrayRef<Value> flat) {
  ChunkBuilder s = warp.scalar();
  int64_t stride = bytesOf(access.element) * access.count;
  bool collects = plan.otherwise == AccessCode::LaneByLane;
  Value none = s.intConstant(32, 0), left = none,
        active = collects ? warp.activeBits(access.mask) : Value();
  for (unsigned c = 0; c < warp.numChunks(); ++c) {
    Neighbours found =
        areConsecutive(warp, access.address, c, stride, access.mask,
                       /*mayMask=*/stride >= 4, plan.mayBeTwoRows && !collects);
    auto storeTogether = [&] {
      storeContiguous(warp, access, warp.toPointer(found.start),
                      found.masked ? maskOfChunk(warp, access, c) : Value(),
                      flat.slice(c * access.count, access.count));
    };
    auto storeApart = [&] {
      if (!collects)
        storeStrays(warp, access, plan, c, found, flat);
    };
    storeEither(warp, found.holds, storeTogether, storeApart);
    if (!collects)
      continue;
    uint64_t lanes = ((uint64_t(1) << warp.target.chunk) - 1)
                     << (c * warp.target.chunk);
    Value own = s.bitAnd(active, s.intConstant(32, lanes));
    left = s.bitOr(left, s.select(found.holds, none, own));
  }
  if (collects)
    storeLaneByLane(warp, access, flat, left);
}

/// Stores where the test of the plan has failed.
static void storeOtherwise(WarpBuilder &warp, const WarpAccess &access,
                           const AccessPlan &plan, ArrayRef<Value> flat) {
  auto store = [&](AccessCode code) { storeChunks(warp, access, code, flat); };
  if (plan.failsRarely) {
    RareCode rare(warp);
    return store(plan.otherwise);
  }
  Value holds = plan.otherwise == AccessCode::Runs
                    ? groupsHold(warp, access.address)
                    : Value();
  if (!holds)
    return store(plan.otherwise);
  storeEither(
      warp, holds, [&] { store(AccessCode::Runs); },
      [&] {
        store(warp.target.scatters ? AccessCode::Gather
                                   : AccessCode::LaneByLane);
      });
}

void ptxjit::storeElements(WarpBuilder &warp, const WarpAccess &access,
                           const AccessPlan &plan, ArrayRef<Value> flat) {
  assert(flat.size() == warp.numChunks() * access.count &&
         "a vector for each chunk and element");
  if (plan.test == AccessTest::None)
    return storePreferred(warp, access, plan.code, flat);
  if (plan.test == AccessTest::Neighbours)
    return storeNeighbours(warp, access, plan, flat);
  storeEither(
      warp, testOf(warp, plan, access.address, access.mask),
      [&] { storePreferred(warp, ofPreferred(plan, access), plan.code, flat); },
      [&] { storeOtherwise(warp, access, plan, flat); });
}
