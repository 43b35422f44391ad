//===- Accesses.cpp - memory accesses of a warp ---------------------------===//
//
// Uniform addresses become scalar accesses, contiguous ones vector loads and
// stores, all others gathers and scatters.
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"
#include "../CombineAccesses.h"
#include "Alignment.h"
#include "Dispatch.h"
#include "LaneLoops.h"
#include "LocalsByElement.h"
#include "OrderedAccesses.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <numeric>

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using arith::CmpIPredicate;

static bool isContiguous(WarpBuilder &warp, const LaneAddress &address,
                         int64_t stride) {
  if (!address.base || !address.pattern)
    return false;
  // Within each chunk; chunks may lie apart (rows of a tile).
  for (unsigned i = 0; i < 32; ++i) {
    unsigned first = i - i % warp.target.chunk;
    if ((*address.pattern)[i] !=
        (*address.pattern)[first] + stride * int64_t(i - first))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// What lanes read or write is masked in units of 32 bits, if it is that large:
/// not every CPU has masks for less.
static Type maskUnit(WarpBuilder &warp, Type element, unsigned count) {
  int64_t bytes = std::max<int64_t>(
      bytesOf(element), std::min<int64_t>(bytesOf(element) * count, 4));
  return bytes == bytesOf(element) ? element
                                   : Type(warp.b.getIntegerType(bytes * 8));
}

/// Each lane's bit, `times` times.
static Value repeatMask(WarpBuilder &warp, Value mask, unsigned times) {
  if (times == 1)
    return mask;
  SmallVector<int64_t> from;
  for (unsigned i = 0; i < warp.target.chunk * times; ++i)
    from.push_back(i / times);
  return warp.create<vector::ShuffleOp>(mask, mask, from);
}

static Value castTo(OpBuilder &b, Location loc, Type type, Value v) {
  return v.getType() == type ? v
                             : Value(LLVM::BitcastOp::create(b, loc, type, v));
}

/// Lanes' elements, lane after lane, from `start` on, which is a multiple of
/// `align`; zeros where `mask` is false.
static Value loadMasked(WarpBuilder &warp, Value start, Type element,
                        unsigned count, unsigned align, Value mask) {
  Type unit = maskUnit(warp, element, count);
  unsigned each = unsigned(bytesOf(element) * count / bytesOf(unit));
  auto type = VectorType::get(warp.target.chunk * each, unit);
  Value zero =
      warp.create<arith::ConstantOp>(cast<TypedAttr>(warp.b.getZeroAttr(type)));
  auto load = warp.create<LLVM::MaskedLoadOp>(
      type, start, repeatMask(warp, mask, each), zero, align);
  return castTo(warp.b, warp.loc,
                VectorType::get(warp.target.chunk * count, element), load);
}

/// Where chunk `c` of an address that is contiguous begins.
static Value chunkStart(WarpBuilder &warp, const LaneAddress &address,
                        unsigned c) {
  ChunkBuilder s = warp.scalar();
  if (!address.base)
    return warp.toPointer(
        extractLane(warp, address.vectors(c), s.intConstant(32, 0)));
  int64_t at = (*address.pattern)[c * warp.target.chunk];
  return warp.toPointer(
      at ? s.add(address.base, s.intConstant(64, uint64_t(at))) : address.base);
}

/// `flat` gets `count` vectors of chunk `c`'s lanes.
static void loadContiguousChunk(WarpBuilder &warp, const LaneAddress &address,
                                unsigned c, Type element, unsigned count,
                                Value mask, bool invariant,
                                SmallVectorImpl<Value> &flat) {
  unsigned w = warp.target.chunk;
  unsigned align = address.align ? address.align : bytesOf(element) * count;
  Value start = chunkStart(warp, address, c);
  Value all;
  if (warp.needsMask(mask)) {
    all =
        loadMasked(warp, start, element, count, align, warp.maskChunk(mask, c));
  } else {
    auto wide = VectorType::get(w * count, element);
    auto load = warp.create<LLVM::LoadOp>(wide, start, align);
    load.setInvariant(invariant);
    all = load;
  }
  if (count == 1) {
    flat.push_back(all);
    return;
  }
  for (unsigned e = 0; e < count; ++e) {
    SmallVector<int64_t> lanesOf;
    for (unsigned i = 0; i < w; ++i)
      lanesOf.push_back(i * count + e);
    flat.push_back(warp.create<vector::ShuffleOp>(all, all, lanesOf));
  }
}

/// `flat` gets, chunk by chunk, `count` vectors of lanes.
static void loadContiguous(WarpBuilder &warp, const LaneAddress &address,
                           Type element, unsigned count, Value mask,
                           bool invariant, SmallVectorImpl<Value> &flat) {
  for (unsigned c = 0; c < warp.numChunks(); ++c)
    loadContiguousChunk(warp, address, c, element, count, mask, invariant,
                        flat);
}

/// The elements at `offsets`, in order and without repetition, as runs.
static SmallVector<ElementRun, 4> findRuns(ArrayRef<int64_t> offsets,
                                           int64_t size) {
  SmallVector<int64_t> sorted(offsets);
  llvm::sort(sorted);
  SmallVector<ElementRun, 4> runs;
  for (int64_t offset : sorted) {
    if (!runs.empty()) {
      ElementRun &last = runs.back();
      int64_t end = last.begin + last.count * size;
      if (offset == end) {
        ++last.count;
        continue;
      }
      if (offset < end) // once more, or overlapping
        continue;
    }
    runs.push_back({offset, 1});
  }
  return runs;
}

SmallVector<PlacedRun, 4> ptxjit::placeRuns(WarpBuilder &warp,
                                            const LaneAddress &address,
                                            unsigned c, unsigned count,
                                            int64_t size, unsigned most) {
  unsigned w = warp.target.chunk;
  const LanePattern &offset =
      address.groups ? address.groups->offset : *address.pattern;
  SmallVector<PlacedRun, 4> placed;
  uint32_t left = uint32_t((uint64_t(1) << w) - 1);
  while (left) {
    unsigned first = unsigned(llvm::countr_zero(left));
    SmallVector<int64_t> offsets;
    uint32_t members = 0;
    int64_t start = address.groups ? offset[c * w + first] : 0;
    for (unsigned i = first; i < w; ++i) {
      if (address.groups && address.groups->first[c * w + i] !=
                                address.groups->first[c * w + first])
        continue;
      members |= 1u << i;
      for (unsigned e = 0; e < count; ++e)
        offsets.push_back(offset[c * w + i] - start + int64_t(e) * size);
    }
    left &= ~members;
    // Elements that overlap in part have no place in a run.
    if (llvm::any_of(offsets,
                     [&](int64_t o) { return (o - offsets[0]) % size != 0; }))
      return {};
    for (const ElementRun &run : findRuns(offsets, size)) {
      PlacedRun at{run, Value(), start, members};
      if (address.groups)
        at.base = extractLane(warp, address.vectors(c),
                              warp.scalar().intConstant(32, first));
      else
        at.base = address.base;
      placed.push_back(at);
      if (placed.size() > most)
        return {};
    }
  }
  return placed;
}

/// `count` neighbouring elements, `offset` bytes behind a base.
static Value loadRun(WarpBuilder &warp, Value base, int64_t offset,
                     unsigned count, Type element, bool invariant) {
  ChunkBuilder s = warp.scalar();
  Value at = offset ? s.add(base, s.intConstant(64, uint64_t(offset))) : base;
  auto load =
      warp.create<LLVM::LoadOp>(VectorType::get(count, element),
                                warp.toPointer(at), unsigned(bytesOf(element)));
  load.setInvariant(invariant);
  return load;
}

/// Loads at known distances without gathers: each run of neighbours at once,
/// then into place. Broadcasts, rows of tiles, small strides, reversed order.
/// Reads exactly what the lanes read. False if that is not worth it.
static bool loadRuns(WarpBuilder &warp, const LaneAddress &address,
                     Type element, unsigned count, bool invariant,
                     SmallVectorImpl<Value> &flat) {
  unsigned w = warp.target.chunk;
  int64_t size = bytesOf(element);
  if (w == 1)
    return false;
  const LanePattern &offset =
      address.groups ? address.groups->offset : *address.pattern;
  SmallVector<Value> out;
  for (unsigned c = 0; c < warp.numChunks(); ++c) {
    SmallVector<PlacedRun, 4> runs =
        placeRuns(warp, address, c, count, size, std::max(w / 4, 2u));
    if (runs.empty())
      return false;
    SmallVector<Value> parts;
    for (const PlacedRun &run : runs)
      parts.push_back(loadRun(warp, run.base, run.elements.begin,
                              run.elements.count, element, invariant));
    for (unsigned e = 0; e < count; ++e) {
      Value result;
      for (auto [run, part] : llvm::zip(runs, parts)) {
        SmallVector<int32_t> pick, blend;
        for (unsigned i = 0; i < w; ++i) {
          int64_t at = offset[c * w + i] - run.start + int64_t(e) * size -
                       run.elements.begin;
          bool mine =
              (run.lanes >> i & 1) && at >= 0 && at / size < run.elements.count;
          pick.push_back(mine ? int32_t(at / size) : -1);
          blend.push_back(int32_t(mine ? w + i : i));
        }
        Value placed = warp.create<LLVM::ShuffleVectorOp>(part, part, pick);
        result = result ? Value(warp.create<LLVM::ShuffleVectorOp>(
                              result, placed, blend))
                        : placed;
      }
      out.push_back(result);
    }
  }
  flat.append(out.begin(), out.end());
  return true;
}

/// Vectors of each lane: one load a lane, then transposed.
static bool loadLaneVectors(WarpBuilder &warp, const LaneAddress &address,
                            Type element, unsigned count, bool invariant,
                            SmallVectorImpl<Value> &flat) {
  unsigned w = warp.target.chunk;
  if (count == 1 || w == 1)
    return false;
  bool known = address.base && address.pattern && !address.ok;
  for (unsigned c = 0; c < warp.numChunks(); ++c) {
    Value vectors = known ? Value() : address.vectors(c);
    // Halves are joined until one vector holds all lanes' elements.
    SmallVector<Value> parts;
    for (unsigned i = 0; i < w; ++i)
      parts.push_back(
          known ? loadRun(warp, address.base, (*address.pattern)[c * w + i],
                          count, element, invariant)
                : loadRun(warp,
                          extractLane(warp, vectors,
                                      warp.scalar().intConstant(32, i)),
                          0, count, element, invariant));
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
  return true;
}

/// Do the addresses of groups lie as was found, with no value wrapped around?
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
  if (warp.needsMask(mask)) // most are all true most of the time
    regular = s.cmp(CmpIPredicate::eq, warp.activeBits(mask),
                    s.intConstant(32, 0xffffffff));
  if (address.groups && address.groups->mustTest)
    regular = warp.both(regular, groupsHold(warp, address));
  return regular;
}

/// `flat` gets what `first` leaves there if `condition` holds, else what
/// `second` does.
static scf::IfOp loadEither(WarpBuilder &warp, Value condition, Type element,
                            unsigned vectors, function_ref<void()> first,
                            function_ref<void()> second,
                            SmallVectorImpl<Value> &flat) {
  SmallVector<Type> types(vectors, warp.lanes().vec(element));
  auto choice =
      warp.create<scf::IfOp>(types, condition,
                             /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(warp.b);
  warp.b.setInsertionPointToStart(choice.thenBlock());
  first();
  warp.create<scf::YieldOp>(flat);
  flat.clear();
  warp.b.setInsertionPointToStart(choice.elseBlock());
  second();
  warp.create<scf::YieldOp>(flat);
  flat.assign(choice.getResults().begin(), choice.getResults().end());
  return choice;
}

static scf::IfOp storeEither(WarpBuilder &warp, Value condition,
                             function_ref<void()> first,
                             function_ref<void()> second) {
  auto choice = warp.create<scf::IfOp>(condition, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(warp.b);
  warp.b.setInsertionPointToStart(choice.thenBlock());
  first();
  warp.b.setInsertionPointToStart(choice.elseBlock());
  second();
  return choice;
}

/// Are all lanes of chunk `c` active, and do their addresses turn out to follow
/// each other? What no analysis sees often is so: a row that a value from
/// memory selects, the halves of a butterfly. The last lane is asked first:
/// where they do not, that mostly is all it costs.
static Value isConsecutive(WarpBuilder &warp, const LaneAddress &address,
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

/// Can addresses turn out to be contiguous, for all that is known?
static bool mayBeConsecutive(WarpBuilder &warp, const LaneAddress &address) {
  return !warp.perThread() && warp.target.chunk > 1 && !address.base;
}

/// Elements of less than 32 bits, that no CPU gathers: from the dwords that
/// hold them, which never cross a page that they do not touch.
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
      // Lanes that do not read have zeros all the same.
      flat.push_back(v.bitcast(part, element));
    }
  }
}

static void gatherChunk(WarpBuilder &warp, const LaneAddress &address,
                        unsigned c, Type element, unsigned count, Value mask,
                        SmallVectorImpl<Value> &flat) {
  ChunkBuilder v = warp.lanes();
  bool masked = warp.needsMask(mask);
  Value at = address.vectors(c);
  Value m = masked ? warp.maskChunk(mask, c) : v.intConstant(1, 1);
  if (bytesOf(element) < 4 && masked && warp.target.chunk > 1)
    return gatherFromDwords(warp, at, element, count, m, flat);
  for (unsigned e = 0; e < count; ++e) {
    Value where = e ? v.add(at, v.intConstant(64, e * bytesOf(element))) : at;
    flat.push_back(
        warp.create<LLVM::masked_gather>(v.vec(element), warp.toPointer(where),
                                         m, v.zero(element), bytesOf(element)));
  }
}

static void loadGather(WarpBuilder &warp, const LaneAddress &address,
                       Type element, unsigned count, Value mask,
                       SmallVectorImpl<Value> &flat) {
  for (unsigned c = 0; c < warp.numChunks(); ++c)
    gatherChunk(warp, address, c, element, count, mask, flat);
}

/// Lanes of whose addresses nothing is known that would help.
static void loadUnknown(WarpBuilder &warp, const LaneAddress &address,
                        Type element, unsigned count, Value mask,
                        bool invariant, SmallVectorImpl<Value> &flat) {
  if (count > 1 || !mayBeConsecutive(warp, address))
    return loadGather(warp, address, element, count, mask, flat);
  for (unsigned c = 0; c < warp.numChunks(); ++c) {
    SmallVector<Value, 1> loaded;
    loadEither(
        warp, isConsecutive(warp, address, c, bytesOf(element), mask), element,
        1,
        [&] {
          loadContiguousChunk(warp, address, c, element, 1, Value(), invariant,
                              loaded);
        },
        [&] { gatherChunk(warp, address, c, element, 1, mask, loaded); },
        loaded);
    flat.append(loaded);
  }
}

/// The best way for lanes whose addresses do not follow each other.
static void loadApart(WarpBuilder &warp, const LaneAddress &address,
                      Type element, unsigned count, Value mask, bool invariant,
                      SmallVectorImpl<Value> &flat) {
  // The pattern holds only where address.ok does.
  bool known =
      (address.base && address.pattern && !address.ok) || address.groups;
  auto loadKnown = [&] {
    return (known &&
            loadRuns(warp, address, element, count, invariant, flat)) ||
           loadLaneVectors(warp, address, element, count, invariant, flat);
  };
  if (warp.perThread() || (!known && count == 1))
    return loadUnknown(warp, address, element, count, mask, invariant, flat);
  Value regular = isRegular(warp, address, mask);
  if (!regular) {
    if (!loadKnown())
      loadUnknown(warp, address, element, count, mask, invariant, flat);
    return;
  }
  bool better = true;
  scf::IfOp choice = loadEither(
      warp, regular, element, warp.numChunks() * count,
      [&] {
        better = loadKnown();
        if (!better)
          loadGather(warp, address, element, count, mask, flat);
      },
      [&] { loadGather(warp, address, element, count, mask, flat); }, flat);
  if (better)
    return;
  choice.erase();
  flat.clear();
  loadUnknown(warp, address, element, count, mask, invariant, flat);
}

/// Lane after lane in a loop: little code, for what hardly ever happens.
static void loadRarely(WarpBuilder &warp, const LaneAddress &address,
                       Type element, unsigned count, Value mask,
                       SmallVectorImpl<Value> &flat) {
  RareCode rare(warp);
  ChunkBuilder s = warp.scalar(), v = warp.lanes();
  for (unsigned c = 0; c < warp.numChunks(); ++c) {
    Value at = address.vectors(c);
    SmallVector<Value> none(count, v.zero(element));
    flat.append(
        forEachLane(warp, c, mask, none, [&](Value lane, ValueRange elements) {
          Value start = extractLane(warp, at, lane);
          SmallVector<Value> next;
          for (auto [e, vector] : llvm::enumerate(elements)) {
            Value where =
                e ? s.add(start, s.intConstant(64, e * bytesOf(element)))
                  : start;
            Value loaded = warp.create<LLVM::LoadOp>(
                element, warp.toPointer(where), unsigned(bytesOf(element)));
            next.push_back(warp.insertLane(vector, loaded, lane));
          }
          return next;
        }));
  }
}

/// Is it only numbers that wrap around which `address.ok` tests for?
static bool failsRarely(WarpBuilder &warp, const LaneAddress &address) {
  return warp.target.chunk > 1 && !address.mayPart;
}

static Value mostly(WarpBuilder &warp, const LaneAddress &address) {
  ChunkBuilder s = warp.scalar();
  return failsRarely(warp, address)
             ? s.intrinsic("llvm.expect", warp.b.getI1Type(),
                           {address.ok, s.intConstant(1, 1)})
             : address.ok;
}

SmallVector<Value> ptxjit::loadElements(WarpBuilder &warp,
                                        const LaneAddress &address,
                                        Type element, unsigned count,
                                        Value mask, bool invariant) {
  SmallVector<Value> flat;
  bool contiguous = isContiguous(warp, address, bytesOf(element) * count);
  if (!contiguous || !address.ok) {
    auto load = contiguous ? loadContiguous : loadApart;
    load(warp, address, element, count, mask, invariant, flat);
    return flat;
  }
  auto otherwise = failsRarely(warp, address) ? loadRarely : loadGather;
  loadEither(
      warp, mostly(warp, address), element, warp.numChunks() * count,
      [&] {
        loadContiguous(warp, address, element, count, mask, invariant, flat);
      },
      [&] { otherwise(warp, address, element, count, mask, flat); }, flat);
  return flat;
}

static LogicalResult emitLoad(WarpBuilder &warp, LdOp op) {
  if (op.getGranule() && !warp.perThread())
    return emitInterleavedLoad(warp, op);
  LaneAddress address = resolve(warp, op.getA(), op.getSpace(), op.getOffset());
  Type element = op.getD().front().getType();
  unsigned count = op.getD().size();
  Value mask = op.getMask();
  bool isParam = op.getSpace() == Space::Param;
  bool invariant = op.getNc() || isParam || op.getSpace() == Space::Const;
  if (isElementAligned(op))
    address.align = unsigned(bytesOf(element));
  emitAlignmentTest(warp, address, op.getA(), op.getSpace(), op.getOffset(),
                    address.align ? address.align : bytesOf(element) * count,
                    mask);
  if (op.getOrder() && *op.getOrder() != Order::Weak && !isOwned(op.getSpace()))
    return emitOrderedLoad(warp, op, address);

  if (address.base && !address.pattern) {
    // At least one lane wants it, so the scalar may be loaded.
    ChunkBuilder s = warp.scalar();
    for (unsigned e = 0; e < count; ++e) {
      Value at =
          e ? s.add(address.base, s.intConstant(64, e * bytesOf(element)))
            : address.base;
      auto load = warp.create<LLVM::LoadOp>(element, warp.toPointer(at),
                                            bytesOf(element));
      load.setInvariant(invariant);
      warp.setBase(op.getD()[e], load);
    }
    return success();
  }
  SmallVector<Value> flat =
      loadElements(warp, address, element, count, mask, invariant);
  for (unsigned e = 0; e < count; ++e) {
    SmallVector<Value, 8> chunks;
    for (unsigned c = 0; c < warp.numChunks(); ++c)
      chunks.push_back(flat[c * count + e]);
    warp.setChunks(op.getD()[e], chunks);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// `all`: lanes' elements, lane after lane.
static void storeMasked(WarpBuilder &warp, Value all, Value start,
                        unsigned count, unsigned align, Value mask) {
  Type element = ChunkBuilder::elementOf(all),
       unit = maskUnit(warp, element, count);
  unsigned each = unsigned(bytesOf(element) * count / bytesOf(unit));
  auto type = VectorType::get(warp.target.chunk * each, unit);
  warp.create<LLVM::MaskedStoreOp>(castTo(warp.b, warp.loc, type, all), start,
                                   repeatMask(warp, mask, each), align);
}

Value ptxjit::interleave(WarpBuilder &warp, ArrayRef<Value> vectors) {
  unsigned w = warp.target.chunk, count = vectors.size();
  Value all = vectors.front();
  if (count == 1)
    return all;
  SmallVector<int64_t> order(w);
  std::iota(order.begin(), order.end(), 0);
  for (Value next : vectors.drop_front()) {
    for (unsigned i = 0; i < w; ++i)
      order.push_back(int64_t(order.size()));
    all = warp.create<vector::ShuffleOp>(all, next, order);
  }
  order.clear();
  for (unsigned i = 0; i < w; ++i)
    for (unsigned e = 0; e < count; ++e)
      order.push_back(e * w + i);
  return warp.create<vector::ShuffleOp>(all, all, order);
}

/// `elements`: vectors of chunk `c`'s lanes.
static void storeContiguousChunk(WarpBuilder &warp, const LaneAddress &address,
                                 unsigned c, ArrayRef<Value> elements,
                                 Value mask) {
  unsigned count = elements.size();
  unsigned align =
      address.align
          ? address.align
          : bytesOf(ChunkBuilder::elementOf(elements.front())) * count;
  Value start = chunkStart(warp, address, c);
  Value all = interleave(warp, elements);
  if (warp.needsMask(mask))
    storeMasked(warp, all, start, count, align, warp.maskChunk(mask, c));
  else
    warp.create<LLVM::StoreOp>(all, start, align);
}

static void storeContiguous(WarpBuilder &warp, const LaneAddress &address,
                            ArrayRef<Value> flat, Value mask) {
  unsigned count = flat.size() / warp.numChunks();
  for (unsigned c = 0; c < warp.numChunks(); ++c)
    storeContiguousChunk(warp, address, c, flat.slice(c * count, count), mask);
}

/// Stores at known distances without scatters: each run of neighbours at once.
/// False if that is not worth it, or if lanes write over each other.
static bool storeRuns(WarpBuilder &warp, const LaneAddress &address,
                      ArrayRef<Value> flat) {
  unsigned w = warp.target.chunk, count = flat.size() / warp.numChunks();
  int64_t size = bytesOf(ChunkBuilder::elementOf(flat.front()));
  if (w == 1)
    return false;
  const LanePattern &offset =
      address.groups ? address.groups->offset : *address.pattern;
  SmallVector<SmallVector<PlacedRun, 4>> chunks;
  for (unsigned c = 0; c < warp.numChunks(); ++c) {
    chunks.push_back(
        placeRuns(warp, address, c, count, size, std::max(w * count / 4, 2u)));
    unsigned placed = 0;
    for (const PlacedRun &run : chunks.back())
      placed += run.elements.count;
    if (placed != w * count)
      return false;
  }
  ChunkBuilder s = warp.scalar();
  for (auto [c, runs] : llvm::enumerate(chunks)) {
    Value all = interleave(warp, flat.slice(c * count, count));
    for (const PlacedRun &run : runs) {
      SmallVector<int32_t> order(run.elements.count);
      for (unsigned i = 0; i < w * count; ++i) {
        unsigned lane = i / count;
        int64_t at = (offset[c * w + lane] - run.start +
                      int64_t(i % count) * size - run.elements.begin) /
                     size;
        if ((run.lanes >> lane & 1) && at >= 0 && at < run.elements.count)
          order[at] = int32_t(i);
      }
      Value part = warp.create<LLVM::ShuffleVectorOp>(all, all, order);
      Value at =
          s.add(run.base, s.intConstant(64, uint64_t(run.elements.begin)));
      warp.create<LLVM::StoreOp>(part, warp.toPointer(at), unsigned(size));
    }
  }
  return true;
}

/// What one lane has in `elements`.
static void storeLane(WarpBuilder &warp, Value start, ArrayRef<Value> elements,
                      Value lane) {
  ChunkBuilder s = warp.scalar();
  int64_t bytes = bytesOf(ChunkBuilder::elementOf(elements.front()));
  for (auto [e, vector] : llvm::enumerate(elements)) {
    Value where = e ? s.add(start, s.intConstant(64, e * bytes)) : start;
    warp.create<LLVM::StoreOp>(extractLane(warp, vector, lane),
                               warp.toPointer(where), unsigned(bytes));
  }
}

static void storeLanes(WarpBuilder &warp, Value at, unsigned c,
                       ArrayRef<Value> elements, Value mask) {
  forEachLane(warp, c, mask, {}, [&](Value lane, ValueRange) {
    storeLane(warp, extractLane(warp, at, lane), elements, lane);
    return SmallVector<Value>();
  });
}

static void scatterChunk(WarpBuilder &warp, const LaneAddress &address,
                         unsigned c, ArrayRef<Value> elements, Value mask) {
  ChunkBuilder v = warp.lanes();
  int64_t bytes = bytesOf(ChunkBuilder::elementOf(elements.front()));
  Value at = address.vectors(c);
  // No CPU scatters less than 32 bits.
  if (bytes < 4 && warp.needsMask(mask) && warp.target.chunk > 1)
    return storeLanes(warp, at, c, elements, mask);
  Value m =
      warp.needsMask(mask) ? warp.maskChunk(mask, c) : v.intConstant(1, 1);
  for (auto [e, element] : llvm::enumerate(elements)) {
    Value where = e ? v.add(at, v.intConstant(64, e * bytes)) : at;
    warp.create<LLVM::masked_scatter>(element, warp.toPointer(where), m, bytes);
  }
}

static void storeScatter(WarpBuilder &warp, const LaneAddress &address,
                         ArrayRef<Value> flat, Value mask) {
  unsigned count = flat.size() / warp.numChunks();
  for (unsigned c = 0; c < warp.numChunks(); ++c)
    scatterChunk(warp, address, c, flat.slice(c * count, count), mask);
}

/// Lanes of whose addresses nothing is known that would help.
static void storeUnknown(WarpBuilder &warp, const LaneAddress &address,
                         ArrayRef<Value> flat, Value mask) {
  if (!mayBeConsecutive(warp, address))
    return storeScatter(warp, address, flat, mask);
  unsigned count = flat.size() / warp.numChunks();
  int64_t stride = bytesOf(ChunkBuilder::elementOf(flat.front())) * count;
  for (unsigned c = 0; c < warp.numChunks(); ++c) {
    ArrayRef<Value> elements = flat.slice(c * count, count);
    storeEither(
        warp, isConsecutive(warp, address, c, stride, mask),
        [&] { storeContiguousChunk(warp, address, c, elements, Value()); },
        [&] { scatterChunk(warp, address, c, elements, mask); });
  }
}

/// The best way for lanes whose addresses do not follow each other.
static void storeApart(WarpBuilder &warp, const LaneAddress &address,
                       ArrayRef<Value> flat, Value mask) {
  bool known =
      (address.base && address.pattern && !address.ok) || address.groups;
  if (!known || warp.perThread())
    return storeUnknown(warp, address, flat, mask);
  Value regular = isRegular(warp, address, mask);
  if (!regular) {
    if (!storeRuns(warp, address, flat))
      storeUnknown(warp, address, flat, mask);
    return;
  }
  bool better = true;
  scf::IfOp choice = storeEither(
      warp, regular, [&] { better = storeRuns(warp, address, flat); },
      [&] { storeScatter(warp, address, flat, mask); });
  if (better)
    return;
  choice.erase();
  storeUnknown(warp, address, flat, mask);
}

/// As loadRarely.
static void storeRarely(WarpBuilder &warp, const LaneAddress &address,
                        ArrayRef<Value> flat, Value mask) {
  if (!failsRarely(warp, address))
    return storeScatter(warp, address, flat, mask);
  RareCode rare(warp);
  unsigned count = flat.size() / warp.numChunks();
  for (unsigned c = 0; c < warp.numChunks(); ++c)
    storeLanes(warp, address.vectors(c), c, flat.slice(c * count, count), mask);
}

void ptxjit::storeElements(WarpBuilder &warp, const LaneAddress &address,
                           ArrayRef<Value> flat, Value mask) {
  unsigned count = flat.size() / warp.numChunks();
  int64_t stride = bytesOf(ChunkBuilder::elementOf(flat.front())) * count;
  if (!isContiguous(warp, address, stride))
    return storeApart(warp, address, flat, mask);
  if (!address.ok)
    return storeContiguous(warp, address, flat, mask);
  storeEither(
      warp, mostly(warp, address),
      [&] { storeContiguous(warp, address, flat, mask); },
      [&] { storeRarely(warp, address, flat, mask); });
}

static LogicalResult emitStore(WarpBuilder &warp, StOp op) {
  if (op.getGranule() && !warp.perThread())
    return emitInterleavedStore(warp, op);
  LaneAddress address = resolve(warp, op.getA(), op.getSpace(), op.getOffset());
  Value mask = op.getMask();
  ValueRange stored = op.getB();
  int64_t bytes = bytesOf(stored.front().getType());
  if (isElementAligned(op))
    address.align = unsigned(bytes);
  else
    bytes *= int64_t(stored.size());
  emitAlignmentTest(warp, address, op.getA(), op.getSpace(), op.getOffset(),
                    bytes, mask);
  if (op.getOrder() && *op.getOrder() != Order::Weak && !isOwned(op.getSpace()))
    return emitOrderedStore(warp, op, address);
  bool uniform =
      address.base && !address.pattern && llvm::all_of(stored, [&](Value v) {
        return warp.shapeOf(v).isUniform();
      });
  if (uniform) {
    ChunkBuilder s = warp.scalar();
    for (auto [e, value] : llvm::enumerate(stored)) {
      int64_t bytes = bytesOf(value.getType());
      Value at =
          e ? s.add(address.base, s.intConstant(64, e * bytes)) : address.base;
      warp.create<LLVM::StoreOp>(warp.base(value), warp.toPointer(at), bytes);
    }
    return success();
  }
  SmallVector<Value> flat;
  for (unsigned c = 0; c < warp.numChunks(); ++c)
    for (Value value : stored)
      flat.push_back(warp.chunk(value, c));
  storeElements(warp, address, flat, mask);
  return success();
}

void ptxjit::addAccessEmitters(Dispatch &dispatch) {
  dispatch.add<emitLoad>();
  dispatch.add<emitStore>();
}
