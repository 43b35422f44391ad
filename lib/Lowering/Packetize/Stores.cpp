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

/// Stores `elements`, which has a vector of the lanes of chunk `c` for each
/// element.
static void storeContiguous(WarpBuilder &warp, const WarpAccess &access,
                            unsigned c, ArrayRef<Value> elements) {
  const LaneAddress &address = access.address;
  unsigned align =
      address.align ? address.align : bytesOf(access.element) * access.count;
  Value start = chunkStart(warp, address, c);
  Value all = interleave(warp, elements);
  if (warp.needsMask(access.mask))
    storeMasked(warp, all, start, access.count, align,
                warp.maskChunk(access.mask, c));
  else
    warp.create<LLVM::StoreOp>(all, start, align);
}

/// Stores each run at once.
static void storeRuns(WarpBuilder &warp, const WarpAccess &access, unsigned c,
                      ArrayRef<Value> elements) {
  const LaneAddress &address = access.address;
  unsigned w = warp.target.chunk, count = access.count;
  int64_t size = bytesOf(access.element);
  const LanePattern &offset =
      address.groups ? address.groups->offset : *address.pattern;
  Access described = describeAccess(warp, access, /*isStore=*/true);
  SmallVector<AccessRun, 4> runs =
      findRuns(described.address, w, c, size, count, mostRuns(described, w));
  assert(!runs.empty() && "the plan has found runs");
  SmallVector<Value> bases;
  for (const AccessRun &run : runs)
    bases.push_back(baseOf(warp, address, c, run));
  ChunkBuilder s = warp.scalar();
  Value all = interleave(warp, elements);
  for (auto [run, base] : llvm::zip(runs, bases)) {
    SmallVector<int32_t> order(run.count);
    for (unsigned i = 0; i < w * count; ++i) {
      unsigned lane = i / count;
      int64_t at = offset[c * w + lane] + int64_t(i % count) * size;
      if (auto place = placeInRun(run, lane, at, size))
        order[*place] = int32_t(i);
    }
    Value part = warp.create<LLVM::ShuffleVectorOp>(all, all, order);
    Value at = s.add(base, s.intConstant(64, uint64_t(run.begin)));
    warp.create<LLVM::StoreOp>(part, warp.toPointer(at), unsigned(size));
  }
}

static void scatter(WarpBuilder &warp, const WarpAccess &access, unsigned c,
                    ArrayRef<Value> elements) {
  ChunkBuilder v = warp.lanes();
  int64_t bytes = bytesOf(access.element);
  Value at = access.address.vectors(c);
  Value mask = warp.needsMask(access.mask) ? warp.maskChunk(access.mask, c)
                                           : v.intConstant(1, 1);
  for (auto [e, element] : llvm::enumerate(elements)) {
    Value where = e ? v.add(at, v.intConstant(64, e * bytes)) : at;
    warp.create<LLVM::masked_scatter>(element, warp.toPointer(where), mask,
                                      bytes);
  }
}

static void storeLaneByLane(WarpBuilder &warp, const WarpAccess &access,
                            unsigned c, ArrayRef<Value> elements) {
  ChunkBuilder s = warp.scalar();
  int64_t bytes = bytesOf(access.element);
  Value at = access.address.vectors(c);
  forEachLane(warp, c, access.mask, {}, [&](Value lane, ValueRange) {
    Value start = extractLane(warp, at, lane);
    for (auto [e, vector] : llvm::enumerate(elements)) {
      Value where = e ? s.add(start, s.intConstant(64, e * bytes)) : start;
      warp.create<LLVM::StoreOp>(extractLane(warp, vector, lane),
                                 warp.toPointer(where), unsigned(bytes));
    }
    return SmallVector<Value>();
  });
}

static void storeChunk(WarpBuilder &warp, const WarpAccess &access,
                       AccessCode code, unsigned c, ArrayRef<Value> flat) {
  ArrayRef<Value> elements = flat.slice(c * access.count, access.count);
  switch (code) {
  case AccessCode::Contiguous:
    return storeContiguous(warp, access, c, elements);
  case AccessCode::Runs:
    return storeRuns(warp, access, c, elements);
  case AccessCode::Gather:
    return scatter(warp, access, c, elements);
  case AccessCode::LaneByLane:
    return storeLaneByLane(warp, access, c, elements);
  case AccessCode::Scalar:
  case AccessCode::LaneVectors:
  case AccessCode::GatherDwords:
    llvm_unreachable("chunks are not stored like that");
  }
}

//===----------------------------------------------------------------------===//
// The warp
//===----------------------------------------------------------------------===//

static void storeChunks(WarpBuilder &warp, const WarpAccess &access,
                        AccessCode code, ArrayRef<Value> flat) {
  for (unsigned c = 0; c < warp.numChunks(); ++c)
    storeChunk(warp, access, code, c, flat);
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

/// Tests for each chunk whether the addresses of its lanes are consecutive.
static void storeNeighbours(WarpBuilder &warp, const WarpAccess &access,
                            const AccessPlan &plan, ArrayRef<Value> flat) {
  WarpAccess unmasked = access;
  unmasked.mask = Value();
  int64_t stride = bytesOf(access.element) * access.count;
  for (unsigned c = 0; c < warp.numChunks(); ++c)
    storeEither(
        warp, isConsecutive(warp, access.address, c, stride, access.mask),
        [&] { storeChunk(warp, unmasked, plan.code, c, flat); },
        [&] { storeChunk(warp, access, plan.otherwise, c, flat); });
}

void ptxjit::storeElements(WarpBuilder &warp, const WarpAccess &access,
                           const AccessPlan &plan, ArrayRef<Value> flat) {
  assert(flat.size() == warp.numChunks() * access.count &&
         "a vector for each chunk and element");
  if (plan.test == AccessTest::None)
    return storeChunks(warp, access, plan.code, flat);
  if (plan.test == AccessTest::Neighbours)
    return storeNeighbours(warp, access, plan, flat);
  storeEither(
      warp, testOf(warp, plan, access.address, access.mask),
      [&] { storeChunks(warp, access, plan.code, flat); },
      [&] {
        if (!plan.failsRarely)
          return storeChunks(warp, access, plan.otherwise, flat);
        RareCode rare(warp);
        storeChunks(warp, access, plan.otherwise, flat);
      });
}
