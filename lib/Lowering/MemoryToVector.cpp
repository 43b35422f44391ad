//===- MemoryToVector.cpp - memory accesses of a warp ---------------------===//
//
// Uniform addresses become scalar accesses, contiguous ones vector loads and
// stores, all others gathers and scatters.
//
//===----------------------------------------------------------------------===//

#include "CombineAccesses.h"
#include "Packetizer.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "ptxjit/Runtime/KernelABI.h"

#include "llvm/Support/SaveAndRestore.h"
#include <numeric>

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

Value Packetizer::toPointer(Value address) {
  auto ptr = LLVM::LLVMPointerType::get(b.getContext());
  Type type = ptr;
  if (isa<VectorType>(address.getType()))
    type = VectorType::get(target.chunk, ptr);
  return LLVM::IntToPtrOp::create(b, loc, type, address);
}
Value Packetizer::insertLane(Value vector, Value element, Value lane) {
  return LLVM::InsertElementOp::create(b, loc, vector, element, lane);
}

Value Packetizer::windowBase(std::optional<Space> space) {
  switch (space.value_or(Space::Generic)) {
  case Space::Shared:
  case Space::SharedCta:
  case Space::SharedCluster:
    return sharedWindow;
  case Space::Param:
  case Space::ParamEntry:
  case Space::ParamFunc:
    return paramsBase;
  case Space::Local:
    return localBase;
  default:
    return Value();
  }
}

/// Can the values of lanes lie apart by more, or less, than their pattern says,
/// because 32 bits wrapped around? Not in windows (resolve), which are small,
/// unless lanes are 2^30 bytes apart.
static bool wrapsAround(const Shape &shape, unsigned width, bool inWindow) {
  if (!shape.pattern || width == 64)
    return false;
  auto isNear = [](int64_t p) { return std::abs(p) < int64_t(1) << 30; };
  return !(inWindow && llvm::all_of(*shape.pattern, isNear)) &&
         ShapeAnalysis::mayWrap(shape, width, /*isSigned=*/inWindow);
}

/// `offset` bytes behind `address`, as the threads see it. `inWindow`: it is a
/// place in a window, of `placeBits` bits, rather than of the host.
LaneAddress Packetizer::addressInSpace(Value address, int64_t offset,
                                       bool inWindow, unsigned placeBits) {
  const Shape &shape = shapeOf(address);
  unsigned width = ChunkBuilder::widthOf(address);
  bool wraps = wrapsAround(shape, width, inWindow);
  auto extend = [=](ChunkBuilder c, Value x) {
    if (placeBits < width)
      x = c.resize(x, placeBits, false);
    return c.resize(x, 64, /*isSigned=*/inWindow);
  };
  LaneAddress out;
  if (shape.hasBase()) {
    ChunkBuilder s = scalar();
    out.base = extend(s, base(address));
    if (offset)
      out.base = s.add(out.base, s.intConstant(64, uint64_t(offset)));
    if (shape.pattern)
      out.pattern = *shape.pattern;
    out.ok = values[address].ok;
    out.mayPart = shape.parted;
    if (wraps)
      out.ok = both(out.ok, wrapTest(base(address), *shape.pattern, width,
                                     /*isSigned=*/inWindow));
  }
  if (shape.hasGroups() && !perThread())
    out.groups = {*shape.groups, shape.pattern ? *shape.pattern : LanePattern{},
                  shape.conditional || wraps};
  out.vectors = [=](unsigned c) {
    ChunkBuilder v = lanes();
    return v.add(extend(v, chunk(address, c)),
                 v.intConstant(64, uint64_t(offset)));
  };
  return out;
}

/// window + address * scale + places[lane].
LaneAddress Packetizer::placeInWindow(const LaneAddress &address, Value window,
                                      unsigned scale,
                                      const LanePattern &places) {
  LaneAddress out = address;
  out.groups.reset();
  unsigned shift = llvm::Log2_32(scale);
  if (address.base) {
    ChunkBuilder s = scalar();
    out.base = s.add(window, s.shlBy(address.base, shift));
    out.pattern.emplace(places);
    for (unsigned i = 0; address.pattern && i < 32; ++i)
      (*out.pattern)[i] += (*address.pattern)[i] * scale;
  }
  out.vectors = [=](unsigned c) {
    ChunkBuilder v = lanes();
    Value at = v.add(v.splat(window), patternVector(places, c, 64));
    return v.add(v.shlBy(address.vectors(c), shift), at);
  };
  return out;
}

/// Places in windows are of 32 bits, and are taken as signed: a base in front
/// of the window and an offset that leads back into it add up, as they do where
/// addresses wrap around.
LaneAddress Packetizer::resolve(Value address, std::optional<Space> space,
                                int64_t offset) {
  Value window = windowBase(space);
  unsigned placeBits = ChunkBuilder::widthOf(address);
  if (auto widened = address.getDefiningOp<arith::ExtUIOp>();
      widened && window) {
    // Another part of the kernel may have made it, and this one be given the
    // widened value alone.
    if (isMade(widened.getIn()))
      address = widened.getIn();
    placeBits = ChunkBuilder::widthOf(widened.getIn());
  }
  LaneAddress at =
      addressInSpace(address, offset, /*inWindow=*/bool(window), placeBits);
  if (!window)
    return at;
  if (space == Space::Local && !perThread()) {
    LanePattern frames;
    for (unsigned i = 0; i < 32; ++i)
      frames[i] = i * layout.localBytes;
    return placeInWindow(at, window, 1, frames);
  }
  LaneAddress out = at;
  if (at.base)
    out.base = scalar().add(at.base, window);
  out.vectors = [=](unsigned c) {
    ChunkBuilder v = lanes();
    return v.add(at.vectors(c), v.splat(window));
  };
  return out;
}

bool Packetizer::isContiguous(const LaneAddress &address, int64_t stride) {
  if (!address.base || !address.pattern)
    return false;
  // Within each chunk; chunks may lie apart (rows of a tile).
  for (unsigned i = 0; i < 32; ++i) {
    unsigned first = i - i % target.chunk;
    if ((*address.pattern)[i] !=
        (*address.pattern)[first] + stride * int64_t(i - first))
      return false;
  }
  return true;
}

static int64_t bytesOf(Type element) {
  return element.getIntOrFloatBitWidth() / 8;
}

//===----------------------------------------------------------------------===//
// Alignment
//===----------------------------------------------------------------------===//

/// ISA: "addresses as operands": an access must be aligned to its size. LLVM
/// reduces most tests to one of a pointer parameter, outside all loops.
void Packetizer::emitAlignmentTest(const LaneAddress &address, Value a,
                                   std::optional<Space> space, int64_t offset,
                                   int64_t bytes, Value mask,
                                   uint32_t namingLanes) {
  Space where = space.value_or(Space::Generic);
  bool paramOrConst = where == Space::Param || where == Space::ParamEntry ||
                      where == Space::Const;
  if (bytes < 2 || paramOrConst)
    return;
  auto isMultiple = [&](int64_t n) { return n % bytes == 0; };
  bool sameInAllLanes =
      address.base &&
      (!address.pattern || llvm::all_of(*address.pattern, isMultiple));
  // Windows begin on boundaries that serve every size.
  if (isOwned(space) && sameInAllLanes && isMultiple(offset) &&
      (int64_t(1) << std::min(shapeOf(a).baseAlign(), 16u)) >= bytes)
    return;
  // Once is enough for all accesses at constant distances.
  Value lanesTested = sameInAllLanes ? Value() : mask;
  if (!tested.insert(a, lanesTested, where, offset & (bytes - 1), bytes,
                     namingLanes))
    return;
  ChunkBuilder s = scalar(), v = lanes();
  Value bad, badLanes;
  if (sameInAllLanes) {
    Value low = s.bitAnd(address.base, s.intConstant(64, uint64_t(bytes) - 1));
    bad = s.cmp(CmpIPredicate::ne, low, s.intConstant(64, 0));
  } else {
    badLanes = laneBits([&](unsigned c) {
      Value low =
          v.bitAnd(address.vectors(c), v.intConstant(64, uint64_t(bytes) - 1));
      Value odd = v.cmp(CmpIPredicate::ne, low, v.intConstant(64, 0));
      return needsMask(mask) ? v.bitAnd(maskChunk(mask, c), odd) : odd;
    });
    if (!perThread())
      badLanes = s.bitAnd(badLanes, s.intConstant(32, namingLanes));
    bad = s.cmp(CmpIPredicate::ne, badLanes, s.intConstant(32, 0));
  }
  Value expected = arith::ConstantIntOp::create(b, loc, 0, 1);
  bad = s.intrinsic("llvm.expect", b.getI1Type(), {bad, expected});
  auto fails = scf::IfOp::create(b, loc, bad, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(fails.thenBlock());
  emitFault(PTXJIT_KERNEL_MISALIGNED_ADDRESS,
            badLanes ? badLanes : activeBits(mask), address.base);
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// What lanes read or write is masked in units of 32 bits, if it is that large:
/// not every CPU has masks for less.
Type Packetizer::maskUnit(Type element, unsigned count) {
  int64_t bytes = std::max<int64_t>(
      bytesOf(element), std::min<int64_t>(bytesOf(element) * count, 4));
  return bytes == bytesOf(element) ? element
                                   : Type(b.getIntegerType(bytes * 8));
}

/// Each lane's bit, `times` times.
Value Packetizer::repeatMask(Value mask, unsigned times) {
  if (times == 1)
    return mask;
  SmallVector<int64_t> from;
  for (unsigned i = 0; i < target.chunk * times; ++i)
    from.push_back(i / times);
  return vector::ShuffleOp::create(b, loc, mask, mask, from);
}

static Value castTo(OpBuilder &b, Location loc, Type type, Value v) {
  return v.getType() == type ? v
                             : Value(LLVM::BitcastOp::create(b, loc, type, v));
}

/// Lanes' elements, lane after lane, from `start` on, which is a multiple of
/// `align`; zeros where `mask` is false.
Value Packetizer::loadMasked(Value start, Type element, unsigned count,
                             unsigned align, Value mask) {
  Type unit = maskUnit(element, count);
  unsigned each = unsigned(bytesOf(element) * count / bytesOf(unit));
  auto type = VectorType::get(target.chunk * each, unit);
  Value zero =
      arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(type)));
  auto load = LLVM::MaskedLoadOp::create(b, loc, type, start,
                                         repeatMask(mask, each), zero, align);
  return castTo(b, loc, VectorType::get(target.chunk * count, element), load);
}

/// Where chunk `c` of an address that is contiguous begins.
Value Packetizer::chunkStart(const LaneAddress &address, unsigned c) {
  ChunkBuilder s = scalar();
  if (!address.base)
    return toPointer(extractLane(address.vectors(c), s.intConstant(32, 0)));
  int64_t at = (*address.pattern)[c * target.chunk];
  return toPointer(at ? s.add(address.base, s.intConstant(64, uint64_t(at)))
                      : address.base);
}

/// `flat` gets `count` vectors of chunk `c`'s lanes.
void Packetizer::loadContiguousChunk(const LaneAddress &address, unsigned c,
                                     Type element, unsigned count, Value mask,
                                     bool invariant,
                                     SmallVectorImpl<Value> &flat) {
  unsigned w = target.chunk;
  unsigned align = address.align ? address.align : bytesOf(element) * count;
  Value start = chunkStart(address, c);
  Value all;
  if (needsMask(mask)) {
    all = loadMasked(start, element, count, align, maskChunk(mask, c));
  } else {
    auto wide = VectorType::get(w * count, element);
    auto load = LLVM::LoadOp::create(b, loc, wide, start, align);
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
    flat.push_back(vector::ShuffleOp::create(b, loc, all, all, lanesOf));
  }
}

/// `flat` gets, chunk by chunk, `count` vectors of lanes.
void Packetizer::loadContiguous(const LaneAddress &address, Type element,
                                unsigned count, Value mask, bool invariant,
                                SmallVectorImpl<Value> &flat) {
  for (unsigned c = 0; c < numChunks(); ++c)
    loadContiguousChunk(address, c, element, count, mask, invariant, flat);
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

/// Runs of what the lanes of chunk `c` access, at most `most` of them: of all
/// lanes together, or of each group. Empty if there are more.
SmallVector<Packetizer::PlacedRun, 4>
Packetizer::placeRuns(const LaneAddress &address, unsigned c, unsigned count,
                      int64_t size, unsigned most) {
  unsigned w = target.chunk;
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
        at.base =
            extractLane(address.vectors(c), scalar().intConstant(32, first));
      else
        at.base = address.base;
      placed.push_back(at);
      if (placed.size() > most)
        return {};
    }
  }
  return placed;
}

/// Loads at known distances without gathers: each run of neighbours at once,
/// then into place. Broadcasts, rows of tiles, small strides, reversed order.
/// Reads exactly what the lanes read. False if that is not worth it.
bool Packetizer::loadRuns(const LaneAddress &address, Type element,
                          unsigned count, bool invariant,
                          SmallVectorImpl<Value> &flat) {
  unsigned w = target.chunk;
  int64_t size = bytesOf(element);
  if (w == 1)
    return false;
  const LanePattern &offset =
      address.groups ? address.groups->offset : *address.pattern;
  SmallVector<Value> out;
  for (unsigned c = 0; c < numChunks(); ++c) {
    SmallVector<PlacedRun, 4> runs =
        placeRuns(address, c, count, size, std::max(w / 4, 2u));
    if (runs.empty())
      return false;
    SmallVector<Value> parts;
    for (const PlacedRun &run : runs)
      parts.push_back(loadRun(run.base, run.elements.begin, run.elements.count,
                              element, invariant));
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
        Value placed = LLVM::ShuffleVectorOp::create(b, loc, part, part, pick);
        result = result ? Value(LLVM::ShuffleVectorOp::create(b, loc, result,
                                                              placed, blend))
                        : placed;
      }
      out.push_back(result);
    }
  }
  flat.append(out.begin(), out.end());
  return true;
}

/// `count` neighbouring elements, `offset` bytes behind a base.
Value Packetizer::loadRun(Value base, int64_t offset, unsigned count,
                          Type element, bool invariant) {
  ChunkBuilder s = scalar();
  Value at = offset ? s.add(base, s.intConstant(64, uint64_t(offset))) : base;
  auto load = LLVM::LoadOp::create(b, loc, VectorType::get(count, element),
                                   toPointer(at), unsigned(bytesOf(element)));
  load.setInvariant(invariant);
  return load;
}

/// Vectors of each lane: one load a lane, then transposed.
bool Packetizer::loadLaneVectors(const LaneAddress &address, Type element,
                                 unsigned count, bool invariant,
                                 SmallVectorImpl<Value> &flat) {
  unsigned w = target.chunk;
  if (count == 1 || w == 1)
    return false;
  bool known = address.base && address.pattern && !address.ok;
  for (unsigned c = 0; c < numChunks(); ++c) {
    Value vectors = known ? Value() : address.vectors(c);
    // Halves are joined until one vector holds all lanes' elements.
    SmallVector<Value> parts;
    for (unsigned i = 0; i < w; ++i)
      parts.push_back(
          known ? loadRun(address.base, (*address.pattern)[c * w + i], count,
                          element, invariant)
                : loadRun(extractLane(vectors, scalar().intConstant(32, i)), 0,
                          count, element, invariant));
    for (unsigned n = count; parts.size() > 1; n *= 2) {
      SmallVector<int32_t> both(2 * n);
      std::iota(both.begin(), both.end(), 0);
      SmallVector<Value> joined;
      for (unsigned i = 0; i < parts.size(); i += 2)
        joined.push_back(LLVM::ShuffleVectorOp::create(b, loc, parts[i],
                                                       parts[i + 1], both));
      parts = joined;
    }
    for (unsigned e = 0; e < count; ++e) {
      SmallVector<int32_t> lanesOf;
      for (unsigned i = 0; i < w; ++i)
        lanesOf.push_back(int32_t(i * count + e));
      flat.push_back(
          LLVM::ShuffleVectorOp::create(b, loc, parts[0], parts[0], lanesOf));
    }
  }
  return true;
}

/// Do the addresses of groups lie as was found, with no value wrapped around?
Value Packetizer::groupsHold(const LaneAddress &address) {
  ChunkBuilder v = lanes(), s = scalar();
  unsigned w = target.chunk;
  const LaneGroups &groups = *address.groups;
  Value holds = laneBits([&](unsigned c) {
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
    Value start = LLVM::ShuffleVectorOp::create(b, loc, at, at, firsts);
    return v.cmp(CmpIPredicate::eq, at,
                 v.add(start, patternVector(distance, c, 64)));
  });
  return s.cmp(CmpIPredicate::eq, holds, s.intConstant(32, 0xffffffff));
}

/// Is it true that all lanes are active, and their addresses as was found? Null
/// if nothing needs a test.
Value Packetizer::isRegular(const LaneAddress &address, Value mask) {
  ChunkBuilder s = scalar();
  Value regular;
  if (needsMask(mask)) // most are all true most of the time
    regular = s.cmp(CmpIPredicate::eq, activeBits(mask),
                    s.intConstant(32, 0xffffffff));
  if (address.groups && address.groups->mustTest)
    regular = both(regular, groupsHold(address));
  return regular;
}

/// `flat` gets what `first` leaves there if `condition` holds, else what
/// `second` does.
scf::IfOp Packetizer::loadEither(Value condition, Type element,
                                 unsigned vectors, function_ref<void()> first,
                                 function_ref<void()> second,
                                 SmallVectorImpl<Value> &flat) {
  SmallVector<Type> types(vectors, lanes().vec(element));
  auto choice = scf::IfOp::create(b, loc, types, condition,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  first();
  scf::YieldOp::create(b, loc, flat);
  flat.clear();
  b.setInsertionPointToStart(choice.elseBlock());
  second();
  scf::YieldOp::create(b, loc, flat);
  flat.assign(choice.getResults().begin(), choice.getResults().end());
  return choice;
}

scf::IfOp Packetizer::storeEither(Value condition, function_ref<void()> first,
                                  function_ref<void()> second) {
  auto choice = scf::IfOp::create(b, loc, condition, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  first();
  b.setInsertionPointToStart(choice.elseBlock());
  second();
  return choice;
}

/// Are all lanes of chunk `c` active, and do their addresses turn out to follow
/// each other? What no analysis sees often is so: a row that a value from
/// memory selects, the halves of a butterfly. The last lane is asked first:
/// where they do not, that mostly is all it costs.
Value Packetizer::isConsecutive(const LaneAddress &address, unsigned c,
                                int64_t stride, Value mask) {
  ChunkBuilder s = scalar(), v = lanes();
  unsigned w = target.chunk;
  LanePattern behind{};
  for (unsigned i = 0; i < 32; ++i)
    behind[i] = stride * int64_t(i % w);
  Value at = address.vectors(c);
  Value start = extractLane(at, s.intConstant(32, 0));
  Value last = extractLane(at, s.intConstant(32, w - 1));
  Value likely = s.cmp(CmpIPredicate::eq, s.sub(last, start),
                       s.intConstant(64, uint64_t(behind[w - 1])));
  if (needsMask(mask)) {
    Value bits = LLVM::BitcastOp::create(b, loc, b.getIntegerType(w),
                                         maskChunk(mask, c));
    likely = both(
        s.cmp(CmpIPredicate::eq, bits, s.intConstant(w, ~uint64_t(0))), likely);
  }
  auto inAll = scf::IfOp::create(b, loc, b.getI1Type(), likely,
                                 /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(inAll.thenBlock());
  Value strays =
      v.bitXor(v.sub(at, v.splat(start)), patternVector(behind, c, 64));
  Value any =
      vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, strays);
  scf::YieldOp::create(b, loc,
                       s.cmp(CmpIPredicate::eq, any, s.intConstant(64, 0)));
  b.setInsertionPointToStart(inAll.elseBlock());
  scf::YieldOp::create(b, loc, s.intConstant(1, 0));
  return inAll.getResult(0);
}

/// Can addresses turn out to be contiguous, for all that is known?
bool Packetizer::mayBeConsecutive(const LaneAddress &address) {
  return !perThread() && target.chunk > 1 && !address.base;
}

/// Lanes of whose addresses nothing is known that would help.
void Packetizer::loadUnknown(const LaneAddress &address, Type element,
                             unsigned count, Value mask, bool invariant,
                             SmallVectorImpl<Value> &flat) {
  if (count > 1 || !mayBeConsecutive(address))
    return loadGather(address, element, count, mask, flat);
  for (unsigned c = 0; c < numChunks(); ++c) {
    SmallVector<Value, 1> loaded;
    loadEither(
        isConsecutive(address, c, bytesOf(element), mask), element, 1,
        [&] {
          loadContiguousChunk(address, c, element, 1, Value(), invariant,
                              loaded);
        },
        [&] { gatherChunk(address, c, element, 1, mask, loaded); }, loaded);
    flat.append(loaded);
  }
}

/// The best way for lanes whose addresses do not follow each other.
void Packetizer::loadApart(const LaneAddress &address, Type element,
                           unsigned count, Value mask, bool invariant,
                           SmallVectorImpl<Value> &flat) {
  // The pattern holds only where address.ok does.
  bool known =
      (address.base && address.pattern && !address.ok) || address.groups;
  auto loadKnown = [&] {
    return (known && loadRuns(address, element, count, invariant, flat)) ||
           loadLaneVectors(address, element, count, invariant, flat);
  };
  if (perThread() || (!known && count == 1))
    return loadUnknown(address, element, count, mask, invariant, flat);
  Value regular = isRegular(address, mask);
  if (!regular) {
    if (!loadKnown())
      loadUnknown(address, element, count, mask, invariant, flat);
    return;
  }
  bool better = true;
  scf::IfOp choice = loadEither(
      regular, element, numChunks() * count,
      [&] {
        better = loadKnown();
        if (!better)
          loadGather(address, element, count, mask, flat);
      },
      [&] { loadGather(address, element, count, mask, flat); }, flat);
  if (better)
    return;
  choice.erase();
  flat.clear();
  loadUnknown(address, element, count, mask, invariant, flat);
}

/// Elements of less than 32 bits, that no CPU gathers: from the dwords that
/// hold them, which never cross a page that they do not touch.
void Packetizer::gatherFromDwords(Value at, Type element, unsigned count,
                                  Value mask, SmallVectorImpl<Value> &flat) {
  ChunkBuilder v = lanes();
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
    Value x = LLVM::masked_gather::create(b, loc, v.ints(32), toPointer(where),
                                          mask, v.intConstant(32, 0), 4);
    if (isPart)
      x = v.shr(x, shift, /*isSigned=*/false);
    for (unsigned e = 0; e < 32 / bits && left; ++e, --left) {
      Value part = v.resize(e ? v.shrBy(x, e * bits, false) : x, bits, false);
      // Lanes that do not read have zeros all the same.
      flat.push_back(v.bitcast(part, element));
    }
  }
}

void Packetizer::gatherChunk(const LaneAddress &address, unsigned c,
                             Type element, unsigned count, Value mask,
                             SmallVectorImpl<Value> &flat) {
  ChunkBuilder v = lanes();
  bool masked = needsMask(mask);
  Value at = address.vectors(c);
  Value m = masked ? maskChunk(mask, c) : v.intConstant(1, 1);
  if (bytesOf(element) < 4 && masked && target.chunk > 1)
    return gatherFromDwords(at, element, count, m, flat);
  for (unsigned e = 0; e < count; ++e) {
    Value where = e ? v.add(at, v.intConstant(64, e * bytesOf(element))) : at;
    flat.push_back(
        LLVM::masked_gather::create(b, loc, v.vec(element), toPointer(where), m,
                                    v.zero(element), bytesOf(element)));
  }
}

void Packetizer::loadGather(const LaneAddress &address, Type element,
                            unsigned count, Value mask,
                            SmallVectorImpl<Value> &flat) {
  for (unsigned c = 0; c < numChunks(); ++c)
    gatherChunk(address, c, element, count, mask, flat);
}

/// Lane after lane in a loop: little code, for what hardly ever happens.
void Packetizer::loadRarely(const LaneAddress &address, Type element,
                            unsigned count, Value mask,
                            SmallVectorImpl<Value> &flat) {
  llvm::SaveAndRestore rare(inRareCode, true);
  ChunkBuilder s = scalar(), v = lanes();
  for (unsigned c = 0; c < numChunks(); ++c) {
    Value at = address.vectors(c);
    SmallVector<Value> none(count, v.zero(element));
    flat.append(
        forEachLane(c, mask, none, [&](Value lane, ValueRange elements) {
          Value start = extractLane(at, lane);
          SmallVector<Value> next;
          for (auto [e, vector] : llvm::enumerate(elements)) {
            Value where =
                e ? s.add(start, s.intConstant(64, e * bytesOf(element)))
                  : start;
            Value loaded = LLVM::LoadOp::create(
                b, loc, element, toPointer(where), unsigned(bytesOf(element)));
            next.push_back(insertLane(vector, loaded, lane));
          }
          return next;
        }));
  }
}

/// Is it only numbers that wrap around which `address.ok` tests for?
bool Packetizer::failsRarely(const LaneAddress &address) {
  return target.chunk > 1 && !address.mayPart;
}
Value Packetizer::mostly(const LaneAddress &address) {
  ChunkBuilder s = scalar();
  return failsRarely(address) ? s.intrinsic("llvm.expect", b.getI1Type(),
                                            {address.ok, s.intConstant(1, 1)})
                              : address.ok;
}

/// \returns chunk by chunk `count` vectors of lanes.
SmallVector<Value> Packetizer::loadElements(const LaneAddress &address,
                                            Type element, unsigned count,
                                            Value mask, bool invariant) {
  SmallVector<Value> flat;
  bool contiguous = isContiguous(address, bytesOf(element) * count);
  if (!contiguous || !address.ok) {
    auto load =
        contiguous ? &Packetizer::loadContiguous : &Packetizer::loadApart;
    (this->*load)(address, element, count, mask, invariant, flat);
    return flat;
  }
  auto otherwise =
      failsRarely(address) ? &Packetizer::loadRarely : &Packetizer::loadGather;
  loadEither(
      mostly(address), element, numChunks() * count,
      [&] { loadContiguous(address, element, count, mask, invariant, flat); },
      [&] { (this->*otherwise)(address, element, count, mask, flat); }, flat);
  return flat;
}

LogicalResult Packetizer::emitLoad(LdOp op) {
  if (op.getGranule() && !perThread())
    return emitInterleavedLoad(op);
  LaneAddress address = resolve(op.getA(), op.getSpace(), op.getOffset());
  Type element = op.getD().front().getType();
  unsigned count = op.getD().size();
  Value mask = op.getMask();
  bool isParam = op.getSpace() == Space::Param;
  bool invariant = op.getNc() || isParam || op.getSpace() == Space::Const;
  if (isElementAligned(op))
    address.align = unsigned(bytesOf(element));
  emitAlignmentTest(address, op.getA(), op.getSpace(), op.getOffset(),
                    address.align ? address.align : bytesOf(element) * count,
                    mask);
  if (op.getOrder() && *op.getOrder() != Order::Weak && !isOwned(op.getSpace()))
    return emitOrderedLoad(op, address);

  if (address.base && !address.pattern) {
    // At least one lane wants it, so the scalar may be loaded.
    ChunkBuilder s = scalar();
    for (unsigned e = 0; e < count; ++e) {
      Value at =
          e ? s.add(address.base, s.intConstant(64, e * bytesOf(element)))
            : address.base;
      auto load = LLVM::LoadOp::create(b, loc, element, toPointer(at),
                                       bytesOf(element));
      load.setInvariant(invariant);
      setBase(op.getD()[e], load);
    }
    return success();
  }
  SmallVector<Value> flat =
      loadElements(address, element, count, mask, invariant);
  for (unsigned e = 0; e < count; ++e) {
    SmallVector<Value, 8> chunks;
    for (unsigned c = 0; c < numChunks(); ++c)
      chunks.push_back(flat[c * count + e]);
    setChunks(op.getD()[e], chunks);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// `all`: lanes' elements, lane after lane.
void Packetizer::storeMasked(Value all, Value start, unsigned count,
                             unsigned align, Value mask) {
  Type element = ChunkBuilder::elementOf(all), unit = maskUnit(element, count);
  unsigned each = unsigned(bytesOf(element) * count / bytesOf(unit));
  auto type = VectorType::get(target.chunk * each, unit);
  LLVM::MaskedStoreOp::create(b, loc, castTo(b, loc, type, all), start,
                              repeatMask(mask, each), align);
}

/// `elements`: vectors of chunk `c`'s lanes.
void Packetizer::storeContiguousChunk(const LaneAddress &address, unsigned c,
                                      ArrayRef<Value> elements, Value mask) {
  unsigned count = elements.size();
  unsigned align =
      address.align
          ? address.align
          : bytesOf(ChunkBuilder::elementOf(elements.front())) * count;
  Value start = chunkStart(address, c);
  Value all = interleave(elements);
  if (needsMask(mask))
    storeMasked(all, start, count, align, maskChunk(mask, c));
  else
    LLVM::StoreOp::create(b, loc, all, start, align);
}

void Packetizer::storeContiguous(const LaneAddress &address,
                                 ArrayRef<Value> flat, Value mask) {
  unsigned count = flat.size() / numChunks();
  for (unsigned c = 0; c < numChunks(); ++c)
    storeContiguousChunk(address, c, flat.slice(c * count, count), mask);
}

/// One vector of what lane 0 has in all of `vectors`, then lane 1, ...
Value Packetizer::interleave(ArrayRef<Value> vectors) {
  unsigned w = target.chunk, count = vectors.size();
  Value all = vectors.front();
  if (count == 1)
    return all;
  SmallVector<int64_t> order(w);
  std::iota(order.begin(), order.end(), 0);
  for (Value next : vectors.drop_front()) {
    for (unsigned i = 0; i < w; ++i)
      order.push_back(int64_t(order.size()));
    all = vector::ShuffleOp::create(b, loc, all, next, order);
  }
  order.clear();
  for (unsigned i = 0; i < w; ++i)
    for (unsigned e = 0; e < count; ++e)
      order.push_back(e * w + i);
  return vector::ShuffleOp::create(b, loc, all, all, order);
}

/// Stores at known distances without scatters: each run of neighbours at once.
/// False if that is not worth it, or if lanes write over each other.
bool Packetizer::storeRuns(const LaneAddress &address, ArrayRef<Value> flat) {
  unsigned w = target.chunk, count = flat.size() / numChunks();
  int64_t size = bytesOf(ChunkBuilder::elementOf(flat.front()));
  if (w == 1)
    return false;
  const LanePattern &offset =
      address.groups ? address.groups->offset : *address.pattern;
  SmallVector<SmallVector<PlacedRun, 4>> chunks;
  for (unsigned c = 0; c < numChunks(); ++c) {
    chunks.push_back(
        placeRuns(address, c, count, size, std::max(w * count / 4, 2u)));
    unsigned placed = 0;
    for (const PlacedRun &run : chunks.back())
      placed += run.elements.count;
    if (placed != w * count)
      return false;
  }
  ChunkBuilder s = scalar();
  for (auto [c, runs] : llvm::enumerate(chunks)) {
    Value all = interleave(flat.slice(c * count, count));
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
      Value part = LLVM::ShuffleVectorOp::create(b, loc, all, all, order);
      Value at =
          s.add(run.base, s.intConstant(64, uint64_t(run.elements.begin)));
      LLVM::StoreOp::create(b, loc, part, toPointer(at), unsigned(size));
    }
  }
  return true;
}

/// Lanes of whose addresses nothing is known that would help.
void Packetizer::storeUnknown(const LaneAddress &address, ArrayRef<Value> flat,
                              Value mask) {
  if (!mayBeConsecutive(address))
    return storeScatter(address, flat, mask);
  unsigned count = flat.size() / numChunks();
  int64_t stride = bytesOf(ChunkBuilder::elementOf(flat.front())) * count;
  for (unsigned c = 0; c < numChunks(); ++c) {
    ArrayRef<Value> elements = flat.slice(c * count, count);
    storeEither(
        isConsecutive(address, c, stride, mask),
        [&] { storeContiguousChunk(address, c, elements, Value()); },
        [&] { scatterChunk(address, c, elements, mask); });
  }
}

/// The best way for lanes whose addresses do not follow each other.
void Packetizer::storeApart(const LaneAddress &address, ArrayRef<Value> flat,
                            Value mask) {
  bool known =
      (address.base && address.pattern && !address.ok) || address.groups;
  if (!known || perThread())
    return storeUnknown(address, flat, mask);
  Value regular = isRegular(address, mask);
  if (!regular) {
    if (!storeRuns(address, flat))
      storeUnknown(address, flat, mask);
    return;
  }
  bool better = true;
  scf::IfOp choice = storeEither(
      regular, [&] { better = storeRuns(address, flat); },
      [&] { storeScatter(address, flat, mask); });
  if (better)
    return;
  choice.erase();
  storeUnknown(address, flat, mask);
}

/// Lane after lane in a loop.
void Packetizer::storeLanes(Value at, unsigned c, ArrayRef<Value> elements,
                            Value mask) {
  forEachLane(c, mask, {}, [&](Value lane, ValueRange) {
    storeLane(extractLane(at, lane), elements, lane);
    return SmallVector<Value>();
  });
}

/// As loadRarely.
void Packetizer::storeRarely(const LaneAddress &address, ArrayRef<Value> flat,
                             Value mask) {
  if (!failsRarely(address))
    return storeScatter(address, flat, mask);
  llvm::SaveAndRestore rare(inRareCode, true);
  unsigned count = flat.size() / numChunks();
  for (unsigned c = 0; c < numChunks(); ++c)
    storeLanes(address.vectors(c), c, flat.slice(c * count, count), mask);
}

void Packetizer::scatterChunk(const LaneAddress &address, unsigned c,
                              ArrayRef<Value> elements, Value mask) {
  ChunkBuilder v = lanes();
  int64_t bytes = bytesOf(ChunkBuilder::elementOf(elements.front()));
  Value at = address.vectors(c);
  // No CPU scatters less than 32 bits.
  if (bytes < 4 && needsMask(mask) && target.chunk > 1)
    return storeLanes(at, c, elements, mask);
  Value m = needsMask(mask) ? maskChunk(mask, c) : v.intConstant(1, 1);
  for (auto [e, element] : llvm::enumerate(elements)) {
    Value where = e ? v.add(at, v.intConstant(64, e * bytes)) : at;
    LLVM::masked_scatter::create(b, loc, element, toPointer(where), m, bytes);
  }
}

void Packetizer::storeScatter(const LaneAddress &address, ArrayRef<Value> flat,
                              Value mask) {
  unsigned count = flat.size() / numChunks();
  for (unsigned c = 0; c < numChunks(); ++c)
    scatterChunk(address, c, flat.slice(c * count, count), mask);
}

/// What one lane has in `elements`.
void Packetizer::storeLane(Value start, ArrayRef<Value> elements, Value lane) {
  ChunkBuilder s = scalar();
  int64_t bytes = bytesOf(ChunkBuilder::elementOf(elements.front()));
  for (auto [e, vector] : llvm::enumerate(elements)) {
    Value where = e ? s.add(start, s.intConstant(64, e * bytes)) : start;
    LLVM::StoreOp::create(b, loc, extractLane(vector, lane), toPointer(where),
                          unsigned(bytes));
  }
}

/// `flat` has, chunk by chunk, the vectors of lanes for each element.
void Packetizer::storeElements(const LaneAddress &address, ArrayRef<Value> flat,
                               Value mask) {
  unsigned count = flat.size() / numChunks();
  int64_t stride = bytesOf(ChunkBuilder::elementOf(flat.front())) * count;
  if (!isContiguous(address, stride))
    return storeApart(address, flat, mask);
  if (!address.ok)
    return storeContiguous(address, flat, mask);
  storeEither(
      mostly(address), [&] { storeContiguous(address, flat, mask); },
      [&] { storeRarely(address, flat, mask); });
}

LogicalResult Packetizer::emitStore(StOp op) {
  if (op.getGranule() && !perThread())
    return emitInterleavedStore(op);
  LaneAddress address = resolve(op.getA(), op.getSpace(), op.getOffset());
  Value mask = op.getMask();
  ValueRange stored = op.getB();
  int64_t bytes = bytesOf(stored.front().getType());
  if (isElementAligned(op))
    address.align = unsigned(bytes);
  else
    bytes *= int64_t(stored.size());
  emitAlignmentTest(address, op.getA(), op.getSpace(), op.getOffset(), bytes,
                    mask);
  if (op.getOrder() && *op.getOrder() != Order::Weak && !isOwned(op.getSpace()))
    return emitOrderedStore(op, address);
  bool uniform =
      address.base && !address.pattern &&
      llvm::all_of(stored, [&](Value v) { return shapeOf(v).isUniform(); });
  if (uniform) {
    ChunkBuilder s = scalar();
    for (auto [e, value] : llvm::enumerate(stored)) {
      int64_t bytes = bytesOf(value.getType());
      Value at =
          e ? s.add(address.base, s.intConstant(64, e * bytes)) : address.base;
      LLVM::StoreOp::create(b, loc, base(value), toPointer(at), bytes);
    }
    return success();
  }
  SmallVector<Value> flat;
  for (unsigned c = 0; c < numChunks(); ++c)
    for (Value value : stored)
      flat.push_back(chunk(value, c));
  storeElements(address, flat, mask);
  return success();
}
