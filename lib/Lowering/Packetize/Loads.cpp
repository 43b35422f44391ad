//===- Loads.cpp - loads of a warp ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AccessTests.h"
#include "Accesses.h"
#include "LaneLoops.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <numeric>

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

//===----------------------------------------------------------------------===//
// A chunk
//===----------------------------------------------------------------------===//

/// Loads the elements of the lanes, lane after lane, from `start` on, which is
/// a multiple of `align`. They are zero in lanes where `mask` is false.
static Value loadMasked(WarpBuilder &warp, Value start, Type element,
                        unsigned count, unsigned align, Value mask) {
  Type unit = maskUnit(warp, element, count);
  unsigned each = unsigned(bytesOf(element) * count / bytesOf(unit));
  auto type = VectorType::get(warp.target.chunk * each, unit);
  Value zero =
      warp.create<arith::ConstantOp>(cast<TypedAttr>(warp.b.getZeroAttr(type)));
  auto load = warp.create<LLVM::MaskedLoadOp>(
      type, start, repeatMask(warp, mask, each), zero, align);
  return castTo(warp, VectorType::get(warp.target.chunk * count, element),
                load);
}

namespace {
/// Elements in a vector, the first one of them at `first`.
struct PartOfVector {
  Value vector;
  int64_t first;
};
} // namespace

/// Does chunk `other` load what lies beside the elements of chunk `c`, before
/// them if it is an earlier one?
static bool isBeside(WarpBuilder &warp, const WarpAccess &access, unsigned c,
                     unsigned other) {
  const LaneAddress &address = access.address;
  if (!address.base || !address.pattern || other >= warp.numChunks())
    return false;
  int64_t w = warp.target.chunk;
  int64_t bytes = w * access.count * bytesOf(access.element);
  int64_t distance = (*address.pattern)[other * w] - (*address.pattern)[c * w];
  return distance == (other > c ? bytes : -bytes);
}

/// Loads `wide` in a vector of twice as many bytes or less, which one permute
/// takes apart. LLVM takes it apart by a dozen shuffles of 16 bytes. The rest
/// of the vector is what another chunk loads, or else masked off: a Zen 5 does
/// not fetch memory early for masked loads.
static PartOfVector loadForPermutes(WarpBuilder &warp, const WarpAccess &access,
                                    unsigned c, VectorType wide, Value start) {
  int64_t count = wide.getNumElements();
  auto whole = VectorType::get(int64_t(llvm::PowerOf2Ceil(uint64_t(count))),
                               wide.getElementType());
  int64_t rest = whole.getNumElements() - count;
  assert(rest <= count && bytesOf(access.element) == 1 &&
         "a chunk has more elements than the rest");
  auto load = [&](Value from) -> Value {
    auto op = warp.create<LLVM::LoadOp>(whole, from, 1);
    op.setInvariant(access.invariant);
    return op;
  };
  if (isBeside(warp, access, c, c + 1))
    return {load(start), 0};
  if (c > 0 && isBeside(warp, access, c, c - 1))
    return {load(placeIn(warp, start, -rest)), rest};
  SmallVector<bool> isInside(size_t(whole.getNumElements()));
  std::fill_n(isInside.begin(), count, true);
  auto maskType = VectorType::get(whole.getShape(), warp.b.getI1Type());
  Value mask = warp.create<arith::ConstantOp>(
      DenseElementsAttr::get(maskType, isInside));
  Value zero = warp.create<arith::ConstantOp>(
      cast<TypedAttr>(warp.b.getZeroAttr(whole)));
  return {warp.create<LLVM::MaskedLoadOp>(whole, start, mask, zero, 1), 0};
}

/// Appends a vector of lanes for each element to `flat`.
/// \param start  a pointer to that of the first lane of chunk `c`.
/// \param mask  the lanes of the chunk that load, `<chunk x i1>`; null: all.
static void loadContiguous(WarpBuilder &warp, const WarpAccess &access,
                           unsigned c, Value start, Value mask,
                           SmallVectorImpl<Value> &flat) {
  unsigned w = warp.target.chunk, count = access.count;
  const LaneAddress &address = access.address;
  unsigned align =
      address.align ? address.align : bytesOf(access.element) * count;
  Value all;
  int64_t first = 0;
  if (mask) {
    all = loadMasked(warp, start, access.element, count, align, mask);
  } else {
    auto wide = VectorType::get(w * count, access.element);
    // LLVM knows vectors whose sizes are powers of two.
    if (warp.target.bytePermutes && bytesOf(access.element) == 1 &&
        !llvm::isPowerOf2_32(w * count)) {
      PartOfVector part = loadForPermutes(warp, access, c, wide, start);
      all = part.vector;
      first = part.first;
    } else {
      auto load = warp.create<LLVM::LoadOp>(wide, start, align);
      load.setInvariant(access.invariant);
      all = load;
    }
  }
  if (count == 1) {
    flat.push_back(all);
    return;
  }
  for (unsigned e = 0; e < count; ++e) {
    SmallVector<int64_t> lanesOf;
    for (unsigned i = 0; i < w; ++i)
      lanesOf.push_back(first + i * count + e);
    flat.push_back(warp.create<vector::ShuffleOp>(all, all, lanesOf));
  }
}

/// Loads `count` consecutive elements, `offset` bytes behind a base.
static Value loadVector(WarpBuilder &warp, const WarpAccess &access, Value base,
                        int64_t offset, unsigned count) {
  ChunkBuilder s = warp.scalar();
  Value at = offset ? s.add(base, s.intConstant(64, uint64_t(offset))) : base;
  auto load = warp.create<LLVM::LoadOp>(VectorType::get(count, access.element),
                                        warp.toPointer(at),
                                        unsigned(bytesOf(access.element)));
  load.setInvariant(access.invariant);
  return load;
}

/// Like loadVector. A number of elements for which CPUs have no vector is
/// loaded as two vectors that overlap.
static Value loadRun(WarpBuilder &warp, const WarpAccess &access, Value base,
                     int64_t offset, unsigned count) {
  unsigned half = unsigned(llvm::PowerOf2Ceil(count) / 2),
           behind = count - half;
  if (llvm::isPowerOf2_32(count) || count < 8)
    return loadVector(warp, access, base, offset, count);
  Value low = loadVector(warp, access, base, offset, half);
  Value high = loadVector(warp, access, base,
                          offset + behind * bytesOf(access.element), half);
  SmallVector<int32_t> order;
  for (unsigned i = 0; i < count; ++i)
    order.push_back(int32_t(i < half ? i : half + i - behind));
  return warp.create<LLVM::ShuffleVectorOp>(low, high, order);
}

/// Loads the elements of a run whose lanes of chunk `c` are active; no two
/// lanes have the same element.
static Value loadMaskedRun(WarpBuilder &warp, const WarpAccess &access,
                           unsigned c, Value base, const AccessRun &run) {
  ChunkBuilder s = warp.scalar();
  Value at = s.add(base, s.intConstant(64, uint64_t(run.begin)));
  Value mask = maskOfRun(warp, access, c, run);
  auto type = VectorType::get(cast<VectorType>(mask.getType()).getNumElements(),
                              access.element);
  Value zero =
      warp.create<arith::ConstantOp>(cast<TypedAttr>(warp.b.getZeroAttr(type)));
  return warp.create<LLVM::MaskedLoadOp>(type, warp.toPointer(at), mask, zero,
                                         unsigned(bytesOf(access.element)));
}

/// Loads each run at once and shuffles its elements into place. This serves
/// broadcasts, rows of tiles, small strides and reversed order. It reads the
/// elements that the lanes read, and those in small gaps between them.
static void loadRuns(WarpBuilder &warp, const WarpAccess &access, unsigned c,
                     SmallVectorImpl<Value> &flat) {
  const LaneAddress &address = access.address;
  unsigned w = warp.target.chunk;
  int64_t size = bytesOf(access.element);
  const LanePattern &offset =
      address.groups ? address.groups->offset : *address.pattern;
  Access described = describeAccess(warp, access, /*isStore=*/false);
  SmallVector<AccessRun, 4> runs =
      findRuns(described.address, w, c, size, access.count,
               mostRuns(described, w), mostGap(described));
  assert(!runs.empty() && "the plan has found runs");
  SmallVector<Value> bases, parts;
  for (const AccessRun &run : runs)
    bases.push_back(baseOf(warp, address, c, run));
  for (auto [run, base] : llvm::zip(runs, bases))
    parts.push_back(isMasked(warp, access)
                        ? loadMaskedRun(warp, access, c, base, run)
                        : loadRun(warp, access, base, run.begin, run.count));
  for (unsigned e = 0; e < access.count; ++e) {
    Value result;
    for (auto [run, part] : llvm::zip(runs, parts)) {
      SmallVector<int32_t> pick, blend;
      for (unsigned i = 0; i < w; ++i) {
        auto place =
            placeInRun(run, i, offset[c * w + i] + int64_t(e) * size, size);
        pick.push_back(place ? int32_t(*place) : -1);
        blend.push_back(int32_t(place ? w + i : i));
      }
      Value placed = warp.create<LLVM::ShuffleVectorOp>(part, part, pick);
      result =
          result
              ? Value(warp.create<LLVM::ShuffleVectorOp>(result, placed, blend))
              : placed;
    }
    flat.push_back(result);
  }
}

/// Loads one vector per lane, then transposes.
static void loadLaneVectors(WarpBuilder &warp, const WarpAccess &access,
                            unsigned c, SmallVectorImpl<Value> &flat) {
  const LaneAddress &address = access.address;
  unsigned w = warp.target.chunk, count = access.count;
  bool known = address.base && address.pattern && !address.ok;
  Value vectors = known ? Value() : address.vectors(c);
  // Join pairs of vectors until one vector holds the elements of all lanes.
  SmallVector<Value> parts;
  for (unsigned i = 0; i < w; ++i)
    parts.push_back(known
                        ? loadRun(warp, access, address.base,
                                  (*address.pattern)[c * w + i], count)
                        : loadRun(warp, access,
                                  extractLane(warp, vectors,
                                              warp.scalar().intConstant(32, i)),
                                  0, count));
  for (unsigned n = count; parts.size() > 1; n *= 2) {
    SmallVector<int32_t> both(2 * n);
    std::iota(both.begin(), both.end(), 0);
    SmallVector<Value> joined;
    for (unsigned i = 0; i < parts.size(); i += 2)
      joined.push_back(
          warp.create<LLVM::ShuffleVectorOp>(parts[i], parts[i + 1], both));
    parts = joined;
  }
  for (unsigned e = 0; e < count; ++e) {
    SmallVector<int32_t> lanesOf;
    for (unsigned i = 0; i < w; ++i)
      lanesOf.push_back(int32_t(i * count + e));
    flat.push_back(
        warp.create<LLVM::ShuffleVectorOp>(parts[0], parts[0], lanesOf));
  }
}

/// Gathers elements of less than 32 bits, for which no CPU has a gather, from
/// the dwords that hold them. An aligned dword never reaches into a page that
/// its elements do not touch.
static void gatherFromDwords(WarpBuilder &warp, Value at, Type element,
                             unsigned count, Value mask,
                             SmallVectorImpl<Value> &flat) {
  ChunkBuilder v = warp.lanes();
  unsigned bits = unsigned(bytesOf(element)) * 8, left = count;
  bool isPart = bits * count < 32;
  Value shift;
  if (isPart) {
    Value low = v.bitAnd(at, v.intConstant(64, 3));
    shift = v.shlBy(v.resize(low, 32, false), 3);
    at = v.bitAnd(at, v.intConstant(64, ~uint64_t(3)));
  }
  for (unsigned dword = 0; left; ++dword) {
    Value where = dword ? v.add(at, v.intConstant(64, 4 * dword)) : at;
    Value x = warp.create<LLVM::masked_gather>(
        v.ints(32), warp.toPointer(where), mask, v.intConstant(32, 0), 4);
    if (isPart)
      x = v.shr(x, shift, /*isSigned=*/false);
    for (unsigned e = 0; e < 32 / bits && left; ++e, --left) {
      Value part = v.resize(e ? v.shrBy(x, e * bits, false) : x, bits, false);
      // Inactive lanes have zeros all the same.
      flat.push_back(v.bitcast(part, element));
    }
  }
}

/// Loads each element by itself, all of them at known distances from one base,
/// so that no lane needs an address.
static void loadAtDistances(WarpBuilder &warp, const WarpAccess &access,
                            unsigned c, SmallVectorImpl<Value> &flat) {
  ChunkBuilder s = warp.scalar();
  unsigned w = warp.target.chunk;
  int64_t size = bytesOf(access.element);
  for (unsigned e = 0; e < access.count; ++e) {
    SmallVector<Value> elements;
    for (unsigned i = 0; i < w; ++i) {
      int64_t offset = (*access.address.pattern)[c * w + i] + e * size;
      Value at =
          s.add(access.address.base, s.intConstant(64, uint64_t(offset)));
      auto load = warp.create<LLVM::LoadOp>(access.element, warp.toPointer(at),
                                            unsigned(size));
      load.setInvariant(access.invariant);
      elements.push_back(load);
    }
    flat.push_back(warp.create<vector::FromElementsOp>(
        VectorType::get(w, access.element), elements));
  }
}

static void gather(WarpBuilder &warp, const WarpAccess &access, unsigned c,
                   bool fromDwords, SmallVectorImpl<Value> &flat) {
  const LaneAddress &address = access.address;
  bool known = address.base && address.pattern && !address.ok;
  // CPUs with vectors of four lanes have no gather (NEON).
  if (warp.target.chunk == 4 && known && !isMasked(warp, access))
    return loadAtDistances(warp, access, c, flat);
  ChunkBuilder v = warp.lanes();
  Type element = access.element;
  Value mask = warp.needsMask(access.mask) ? warp.maskChunk(access.mask, c)
                                           : v.intConstant(1, 1);
  if (fromDwords)
    return gatherFromDwords(warp, address.vectors(c), element, access.count,
                            mask, flat);
  LanePointers pointers(warp, address, c);
  for (unsigned e = 0; e < access.count; ++e)
    flat.push_back(warp.create<LLVM::masked_gather>(
        v.vec(element), pointers.at(e * bytesOf(element)), mask,
        v.zero(element), bytesOf(element)));
}

/// Loads in a loop over the lanes of the warp. \returns as loadElements.
static SmallVector<Value> loadLaneByLane(WarpBuilder &warp,
                                         const WarpAccess &access) {
  Type element = access.element;
  SmallVector<Type> types(access.count, element);
  auto loaded = forEachLane(warp, access.mask, types, [&](LoopLane &lane) {
    ChunkBuilder s = warp.scalar();
    Value start = lane.get(access.address);
    SmallVector<Value> elements;
    for (unsigned e = 0; e < access.count; ++e) {
      Value where =
          e ? s.add(start, s.intConstant(64, e * bytesOf(element))) : start;
      elements.push_back(warp.create<LLVM::LoadOp>(
          element, warp.toPointer(where), unsigned(bytesOf(element))));
    }
    return elements;
  });
  SmallVector<Value> flat;
  for (unsigned c = 0; c < warp.numChunks(); ++c)
    for (const ChunkVectors &chunks : loaded)
      flat.push_back(chunks[c]);
  return flat;
}

static void loadChunk(WarpBuilder &warp, const WarpAccess &access,
                      AccessCode code, unsigned c,
                      SmallVectorImpl<Value> &flat) {
  switch (code) {
  case AccessCode::Contiguous:
    return loadContiguous(warp, access, c, chunkStart(warp, access.address, c),
                          maskOfChunk(warp, access, c), flat);
  case AccessCode::Runs:
    return loadRuns(warp, access, c, flat);
  case AccessCode::LaneVectors:
    return loadLaneVectors(warp, access, c, flat);
  case AccessCode::Gather:
    return gather(warp, access, c, /*fromDwords=*/false, flat);
  case AccessCode::GatherDwords:
    return gather(warp, access, c, /*fromDwords=*/true, flat);
  case AccessCode::LaneByLane:
  case AccessCode::Scalar:
    llvm_unreachable("not loaded chunk by chunk");
  }
}

//===----------------------------------------------------------------------===//
// The warp
//===----------------------------------------------------------------------===//

static SmallVector<Value>
loadChunks(WarpBuilder &warp, const WarpAccess &access, AccessCode code) {
  if (code == AccessCode::LaneByLane)
    return loadLaneByLane(warp, access);
  SmallVector<Value> flat;
  for (unsigned c = 0; c < warp.numChunks(); ++c)
    loadChunk(warp, access, code, c, flat);
  return flat;
}

/// Emits a conditional that yields `vectors` vectors: those of `first` if
/// `condition` holds, else those of `second`.
static SmallVector<Value>
loadEither(WarpBuilder &warp, Value condition, const WarpAccess &access,
           unsigned vectors, function_ref<SmallVector<Value>()> first,
           function_ref<SmallVector<Value>()> second) {
  SmallVector<Type> types(vectors, warp.lanes().vec(access.element));
  auto choice =
      warp.create<scf::IfOp>(types, condition,
                             /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(warp.b);
  warp.b.setInsertionPointToStart(choice.thenBlock());
  warp.create<scf::YieldOp>(first());
  warp.b.setInsertionPointToStart(choice.elseBlock());
  warp.create<scf::YieldOp>(second());
  return SmallVector<Value>(choice.getResults());
}

/// Loads a chunk whose active lanes lie in two rows.
static void loadTwoRows(WarpBuilder &warp, const WarpAccess &access, unsigned c,
                        const Neighbours &first, const Neighbours &next,
                        SmallVectorImpl<Value> &flat) {
  ChunkBuilder v = warp.lanes();
  Value ofNext = next.active,
        ofFirst = v.bitAnd(first.active, v.bitNot(ofNext));
  SmallVector<Value> near, far;
  loadContiguous(warp, access, c, warp.toPointer(first.start), ofFirst, near);
  loadContiguous(warp, access, c, warp.toPointer(next.start), ofNext, far);
  for (auto [a, b] : llvm::zip(near, far))
    flat.push_back(v.select(ofNext, b, a));
}

/// Loads a chunk whose lanes are not consecutive.
static void loadStrays(WarpBuilder &warp, const WarpAccess &access,
                       const AccessPlan &plan, unsigned c,
                       const Neighbours &first, SmallVectorImpl<Value> &flat) {
  if (!plan.mayBeTwoRows || !first.strays)
    return loadChunk(warp, access, plan.otherwise, c, flat);
  int64_t stride = bytesOf(access.element) * access.count;
  Neighbours next = findNextRow(warp, access.address, c, stride, first);
  flat.append(loadEither(
      warp, next.holds, access, access.count,
      [&] {
        SmallVector<Value> loaded;
        loadTwoRows(warp, access, c, first, next, loaded);
        return loaded;
      },
      [&] {
        SmallVector<Value> loaded;
        loadChunk(warp, access, plan.otherwise, c, loaded);
        return loaded;
      }));
}

/// Tests for each chunk whether the addresses of its lanes are consecutive.
static SmallVector<Value> loadNeighbours(WarpBuilder &warp,
                                         const WarpAccess &access,
                                         const AccessPlan &plan) {
  int64_t stride = bytesOf(access.element) * access.count;
  SmallVector<Value> flat;
  for (unsigned c = 0; c < warp.numChunks(); ++c) {
    Neighbours found =
        areConsecutive(warp, access.address, c, stride, access.mask,
                       /*mayMask=*/stride >= 4, plan.mayBeTwoRows);
    auto loadTogether = [&] {
      SmallVector<Value> loaded;
      loadContiguous(warp, access, c, warp.toPointer(found.start),
                     found.masked ? maskOfChunk(warp, access, c) : Value(),
                     loaded);
      return loaded;
    };
    auto loadApart = [&] {
      SmallVector<Value> loaded;
      loadStrays(warp, access, plan, c, found, loaded);
      return loaded;
    };
    flat.append(loadEither(warp, found.holds, access, access.count,
                           loadTogether, loadApart));
  }
  return flat;
}

/// Loads where the test of the plan has failed.
static SmallVector<Value> loadOtherwise(WarpBuilder &warp,
                                        const WarpAccess &access,
                                        const AccessPlan &plan) {
  auto load = [&](AccessCode code) { return loadChunks(warp, access, code); };
  if (plan.failsRarely) {
    RareCode rare(warp);
    return load(plan.otherwise);
  }
  Value holds = plan.otherwise == AccessCode::Runs
                    ? groupsHold(warp, access.address)
                    : Value();
  if (!holds)
    return load(plan.otherwise);
  return loadEither(
      warp, holds, access, warp.numChunks() * access.count,
      [&] { return load(AccessCode::Runs); },
      [&] { return load(AccessCode::Gather); });
}

SmallVector<Value> ptxjit::loadElements(WarpBuilder &warp,
                                        const WarpAccess &access,
                                        const AccessPlan &plan) {
  if (plan.test == AccessTest::None)
    return loadChunks(warp, access, plan.code);
  if (plan.test == AccessTest::Neighbours)
    return loadNeighbours(warp, access, plan);
  auto otherwise = [&] { return loadOtherwise(warp, access, plan); };
  return loadEither(
      warp, testOf(warp, plan, access.address, access.mask), access,
      warp.numChunks() * access.count,
      [&] { return loadChunks(warp, ofPreferred(plan, access), plan.code); },
      otherwise);
}
