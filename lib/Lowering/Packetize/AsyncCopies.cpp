//===- AsyncCopies.cpp - cp.async per warp --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ISA: "cp.async". A copy is done when it is issued, lane after lane. Rows of
// 16 bytes are moved whole, where gathers and scatters would take them apart.
//
//===----------------------------------------------------------------------===//

#include "AccessTests.h"
#include "Accesses.h"
#include "Addresses.h"
#include "Alignment.h"
#include "Dispatch.h"
#include "LaneLoops.h"
#include "WarpMemory.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using arith::CmpIPredicate;

namespace {
/// Lanes of one chunk whose parts are consecutive in the target, in that order,
/// and close together in the source, in any order.
struct CopiedRow {
  unsigned chunk;
  AccessRun target, source;           ///< the runs that hold the row
  int64_t targetOffset, sourceOffset; ///< of the row, from their bases
  SmallVector<unsigned, 4> places;    ///< of the parts in the source
};
} // namespace

/// The distances between lanes; null if they are not known.
static const LanePattern *offsetsOf(const LaneAddress &address) {
  if (address.groups)
    return &address.groups->offset;
  return address.base && address.pattern ? &*address.pattern : nullptr;
}

/// The lanes whose parts a run of the target holds, in the order of the run.
static SmallVector<unsigned>
lanesOf(const AccessRun &run, ArrayRef<int64_t> offsets, unsigned bytes) {
  SmallVector<unsigned> lanes(run.count);
  for (auto [i, offset] : llvm::enumerate(offsets))
    if (auto place = placeInRun(run, unsigned(i), offset, bytes))
      lanes[*place] = unsigned(i);
  return lanes;
}

/// Finds the parts of `lanes` in a run of the source, and enters them in `row`.
/// False if the run does not hold them all, or if they span more than 64 bytes.
static bool findSource(const AccessRun &run, ArrayRef<int64_t> offsets,
                       ArrayRef<unsigned> lanes, unsigned bytes,
                       CopiedRow &row) {
  SmallVector<unsigned, 4> places;
  for (unsigned lane : lanes) {
    auto place = placeInRun(run, lane, offsets[lane], bytes);
    if (!place)
      return false;
    places.push_back(*place);
  }
  unsigned least = *llvm::min_element(places);
  if ((*llvm::max_element(places) - least) * bytes >= 64)
    return false;
  row.source = run;
  row.sourceOffset = run.begin + int64_t(least) * bytes;
  for (unsigned place : places)
    row.places.push_back(place - least);
  return true;
}

/// Plans to copy rows of up to 64 bytes instead of the parts of the lanes.
/// Empty if the distances are not known. Rows may be as short as parts.
static SmallVector<CopiedRow, 0> planRows(const AccessShape &from,
                                          ArrayRef<int64_t> fromOffsets,
                                          const AccessShape &to,
                                          ArrayRef<int64_t> toOffsets,
                                          unsigned w, unsigned bytes) {
  SmallVector<CopiedRow, 0> rows;
  for (unsigned c = 0; c < 32 / w; ++c) {
    auto sources = findRuns(from, w, c, bytes, 1, w);
    unsigned copied = 0;
    for (const AccessRun &run : findRuns(to, w, c, bytes, 1, w)) {
      SmallVector<unsigned> lanes =
          lanesOf(run, toOffsets.slice(c * w, w), bytes);
      copied += run.count;
      unsigned most = 64 / bytes;
      for (unsigned first = 0; first < lanes.size(); first += most) {
        ArrayRef<unsigned> some = ArrayRef(lanes).slice(
            first, std::min<size_t>(most, lanes.size() - first));
        CopiedRow row{c, run, {}, run.begin + int64_t(first) * bytes, 0, {}};
        bool found = llvm::any_of(sources, [&](const AccessRun &source) {
          return findSource(source, fromOffsets.slice(c * w, w), some, bytes,
                            row);
        });
        if (!found)
          return {};
        rows.push_back(row);
      }
    }
    // If two lanes write to one place, copy in the order of lanes.
    if (copied != w)
      return {};
  }
  return rows;
}

static SmallVector<CopiedRow, 0> planRows(WarpBuilder &warp,
                                          const LaneAddress &from,
                                          const LaneAddress &to,
                                          unsigned bytes) {
  const LanePattern *fromOffsets = offsetsOf(from), *toOffsets = offsetsOf(to);
  if (warp.target.chunk == 1 || !fromOffsets || !toOffsets)
    return {};
  auto rows = planRows(shapeOf(from), *fromOffsets, shapeOf(to), *toOffsets,
                       warp.target.chunk, bytes);
  // Part by part, known distances still save the address of each lane, unless
  // its group has an address of its own.
  if (rows.size() >= 32 && to.groups)
    return {};
  return rows;
}

static void copyRow(WarpBuilder &warp, const CopiedRow &row,
                    const LaneAddress &from, const LaneAddress &to,
                    unsigned bytes) {
  ChunkBuilder s = warp.scalar();
  unsigned dwords = bytes / 4, count = *llvm::max_element(row.places) + 1;
  auto at = [&](Value base, int64_t offset) {
    return warp.toPointer(s.add(base, s.intConstant(64, uint64_t(offset))));
  };
  Value data = warp.create<LLVM::LoadOp>(
      VectorType::get(count * dwords, warp.b.getI32Type()),
      at(baseOf(warp, from, row.chunk, row.source), row.sourceOffset), bytes);
  SmallVector<int32_t> order;
  for (unsigned place : row.places)
    for (unsigned i = 0; i < dwords; ++i)
      order.push_back(int32_t(place * dwords + i));
  data = warp.create<LLVM::ShuffleVectorOp>(data, data, order);
  Value target = baseOf(warp, to, row.chunk, row.target);
  warp.create<LLVM::StoreOp>(data, at(target, row.targetOffset), bytes);
}

namespace {
struct ZeroBytes : FamilyState {
  explicit ZeroBytes(WarpBuilder &) {}
  Value pointer; ///< null until needed
};
} // namespace

/// A buffer of zeros, from which lanes read that copy nothing.
static Value zeroBytes(WarpBuilder &warp) {
  Value &zeros = warp.state<ZeroBytes>().pointer;
  if (zeros)
    return zeros;
  auto type = VectorType::get(4, warp.b.getI32Type());
  zeros = allocateOnStack(warp, type, 16);
  OpBuilder::InsertionGuard guard(warp.b);
  warp.b.setInsertionPointAfterValue(zeros);
  Value zero =
      warp.create<arith::ConstantOp>(cast<TypedAttr>(warp.b.getZeroAttr(type)));
  warp.create<LLVM::StoreOp>(zero, zeros, 16);
  return zeros;
}

/// Emits a loop over the lanes of the warp.
static void loopOverLanes(WarpBuilder &warp,
                          llvm::function_ref<void(Value lane)> body) {
  ChunkBuilder s = warp.scalar();
  unsigned numLanes = warp.shapes.getContext().lanes;
  auto loop = warp.create<scf::ForOp>(
      s.intConstant(32, 0), s.intConstant(32, numLanes), s.intConstant(32, 1));
  OpBuilder::InsertionGuard guard(warp.b);
  warp.b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

/// Copies byte by byte in the lanes whose bit in `partly` (i32) is set.
static void copyPartly(WarpBuilder &warp, Value partly, Value to, Value from,
                       Value sizes) {
  ChunkBuilder s = warp.scalar();
  auto ptr = LLVM::LLVMPointerType::get(warp.b.getContext());
  Value zero = s.intConstant(32, 0), one = s.intConstant(32, 1);
  Value any = s.cmp(CmpIPredicate::ne, partly, zero);
  auto some = warp.create<scf::IfOp>(any, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(warp.b);
  warp.b.setInsertionPointToStart(some.thenBlock());
  loopOverLanes(warp, [&](Value lane) {
    Value isMine = s.bitAnd(s.shr(partly, lane, false), one);
    // A lane that is not in `partly` copies 0 bytes.
    Value size = s.mul(loadLane(warp, sizes, 32, lane), isMine);
    Value target = loadLane(warp, to, 64, lane),
          source = loadLane(warp, from, 64, lane);
    auto bytes = warp.create<scf::ForOp>(zero, size, one);
    warp.b.setInsertionPointToStart(bytes.getBody());
    Value offset = s.resize(bytes.getInductionVar(), 64, false);
    auto at = [&](Value base) {
      return warp.create<LLVM::IntToPtrOp>(ptr, s.add(base, offset));
    };
    Value byte = warp.create<LLVM::LoadOp>(warp.b.getI8Type(), at(source), 1);
    warp.create<LLVM::StoreOp>(byte, at(target), 1);
  });
}

/// How many bytes the lanes copy; the remaining bytes become zero.
static Value copiedSize(WarpBuilder &warp, CpAsyncOp op, unsigned c) {
  ChunkBuilder v = warp.lanes();
  Value all = v.intConstant(32, op.getBytes());
  Value size = op.getSize() ? v.umin(warp.chunk(op.getSize(), c), all) : all;
  return op.getIgnore() ? v.select(warp.chunk(op.getIgnore(), c),
                                   v.intConstant(32, 0), size)
                        : size;
}

/// Copies the part of each lane from and to the addresses (i64) in two buffers,
/// in a loop where that is rare.
static void copyParts(WarpBuilder &warp, Value sources, Value targets,
                      unsigned bytes, bool isRare) {
  Type part = bytes == 16  ? Type(VectorType::get(4, warp.b.getI32Type()))
              : bytes == 8 ? Type(warp.b.getI64Type())
                           : Type(warp.b.getI32Type());
  auto copy = [&](Value lane) {
    Value source = warp.toPointer(loadLane(warp, sources, 64, lane));
    Value target = warp.toPointer(loadLane(warp, targets, 64, lane));
    Value data = warp.create<LLVM::LoadOp>(part, source, bytes);
    warp.create<LLVM::StoreOp>(data, target, bytes);
  };
  if (isRare)
    return loopOverLanes(warp, copy);
  for (unsigned lane = 0; lane < warp.shapes.getContext().lanes; ++lane)
    copy(warp.scalar().intConstant(32, lane));
}

/// Copies lane after lane. Addresses go through memory. Inactive lanes copy
/// zeros to a spare buffer.
static void copyLanes(WarpBuilder &warp, CpAsyncOp op, const LaneAddress &from,
                      const LaneAddress &to, bool isRare) {
  unsigned bytes = unsigned(op.getBytes());
  Value mask = op.getMask();
  bool isSized = op.getSize() || op.getIgnore();
  ChunkBuilder v = warp.lanes();
  bool masked = warp.needsMask(mask) && !warp.perThread();
  Value aside = exchangeBuffer(warp, 2);
  auto integer = [&](Value pointer) {
    return warp.create<LLVM::PtrToIntOp>(warp.b.getI64Type(), pointer);
  };
  auto sizeOf = [&](unsigned c) { return copiedSize(warp, op, c); };
  StackBuffer sources = takeBuffer(warp, 32 * 8),
              targets = takeBuffer(warp, 32 * 8);
  storeLanes(warp, targets.pointer, 64, [&](unsigned c) {
    Value at = to.vectors(c);
    return masked
               ? v.select(warp.maskChunk(mask, c), at, v.splat(integer(aside)))
               : at;
  });
  storeLanes(warp, sources.pointer, 64, [&](unsigned c) {
    Value at = from.vectors(c), zero;
    if (masked || isSized)
      zero = v.splat(integer(zeroBytes(warp)));
    if (isSized)
      at = v.select(
          v.cmp(CmpIPredicate::eq, sizeOf(c), v.intConstant(32, bytes)), at,
          zero);
    return masked ? v.select(warp.maskChunk(mask, c), at, zero) : at;
  });
  copyParts(warp, sources.pointer, targets.pointer, bytes, isRare);
  if (isSized) {
    // Lanes that copy only some of the bytes, which is rare.
    StackBuffer sizes = takeBuffer(warp, 32 * 4);
    storeLanes(warp, sizes.pointer, 32, sizeOf);
    storeLanes(warp, sources.pointer, 64,
               [&](unsigned c) { return from.vectors(c); });
    Value partly = warp.laneBits([&](unsigned c) {
      Value size = sizeOf(c);
      Value some =
          v.bitAnd(v.cmp(CmpIPredicate::ne, size, v.intConstant(32, 0)),
                   v.cmp(CmpIPredicate::ne, size, v.intConstant(32, bytes)));
      return masked ? v.bitAnd(some, warp.maskChunk(mask, c)) : some;
    });
    copyPartly(warp, partly, targets.pointer, sources.pointer, sizes.pointer);
    giveBack(warp, sizes);
  }
  giveBack(warp, sources);
  giveBack(warp, targets);
}

static LogicalResult emitCpAsync(WarpBuilder &warp, CpAsyncOp op) {
  unsigned bytes = unsigned(op.getBytes());
  Value mask = op.getMask();
  LaneAddress from = resolve(warp, op.getSrc(), Space::Global, 0);
  LaneAddress to = resolve(warp, op.getDst(), op.getSpace(), 0);
  emitAlignmentTest(warp, from, op.getSrc(), Space::Global, 0, bytes, mask);
  emitAlignmentTest(warp, to, op.getDst(), op.getSpace(), 0, bytes, mask);
  SmallVector<CopiedRow, 0> rows = planRows(warp, from, to, bytes);
  if (rows.empty()) {
    remarkAccess(warp, op, "copy, lane by lane", SlowBecause::Address);
    copyLanes(warp, op, from, to, /*isRare=*/false);
    return success();
  }
  remarkAccess(warp, op,
               rows.size() < 32
                   ? "copy in " + std::to_string(rows.size()) + " rows"
                   : "copy, lane by lane, known distances apart",
               SlowBecause::No);
  ChunkBuilder s = warp.scalar(), v = warp.lanes();
  Value regular =
      warp.both(isRegular(warp, from, mask), isRegular(warp, to, Value()));
  regular = warp.both(regular, warp.both(from.ok, to.ok));
  if (op.getSize() || op.getIgnore()) {
    Value full = warp.laneBits([&](unsigned c) {
      return v.cmp(CmpIPredicate::eq, copiedSize(warp, op, c),
                   v.intConstant(32, bytes));
    });
    regular = warp.both(
        regular, s.cmp(CmpIPredicate::eq, full, s.intConstant(32, 0xffffffff)));
  }
  if (!regular) {
    for (const CopiedRow &row : rows)
      copyRow(warp, row, from, to, bytes);
    return success();
  }
  auto choice = warp.create<scf::IfOp>(regular, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(warp.b);
  warp.b.setInsertionPointToStart(choice.thenBlock());
  for (const CopiedRow &row : rows)
    copyRow(warp, row, from, to, bytes);
  warp.b.setInsertionPointToStart(choice.elseBlock());
  copyLanes(warp, op, from, to, /*isRare=*/true);
  return success();
}

void ptxjit::addAsyncCopyEmitters(Dispatch &dispatch) {
  dispatch.add<emitCpAsync>();
}
