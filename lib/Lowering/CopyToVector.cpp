//===- CopyToVector.cpp - cp.async per warp -------------------------------===//
//
// ISA: "cp.async". Done at once, lane after lane: rows of 16 bytes move whole,
// where gathers and scatters would take them apart.
//
//===----------------------------------------------------------------------===//

#include "Packetizer.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using arith::CmpIPredicate;

/// Lanes (of one chunk) whose parts lie side by side in the target, in that
/// order, and in the source in any order.
struct Packetizer::CopiedRow {
  Value target, source;
  int64_t targetOffset, sourceOffset;
  SmallVector<unsigned, 4> places; ///< in the source
};

/// How to copy rows of up to 64 bytes instead of the lanes' parts. Nothing if
/// the distances are not known, or if rows are no longer than parts.
SmallVector<Packetizer::CopiedRow, 0>
Packetizer::planRows(const LaneAddress &from, const LaneAddress &to,
                     unsigned bytes) {
  unsigned w = target.chunk;
  auto isKnown = [](const LaneAddress &address) {
    return (address.base && address.pattern) || address.groups;
  };
  if (w == 1 || perThread() || !isKnown(from) || !isKnown(to))
    return {};
  auto offsetOf = [](const LaneAddress &address, unsigned lane) {
    return address.groups ? address.groups->offset[lane]
                          : (*address.pattern)[lane];
  };
  SmallVector<CopiedRow, 0> rows;
  for (unsigned c = 0; c < numChunks(); ++c) {
    auto sources = placeRuns(from, c, 1, bytes, w);
    unsigned copied = 0;
    for (const PlacedRun &run : placeRuns(to, c, 1, bytes, w)) {
      // The lanes in the order of the target.
      SmallVector<unsigned> lanes(run.elements.count);
      for (unsigned i = 0; i < w; ++i) {
        int64_t at = offsetOf(to, c * w + i) - run.start - run.elements.begin;
        if ((run.lanes >> i & 1) && at >= 0 &&
            at / bytes < run.elements.count) {
          lanes[at / bytes] = i;
        }
      }
      copied += run.elements.count;
      unsigned most = 64 / bytes;
      for (unsigned first = 0; first < lanes.size(); first += most) {
        ArrayRef<unsigned> some = ArrayRef(lanes).slice(
            first, std::min<size_t>(most, lanes.size() - first));
        CopiedRow row{run.base,
                      Value(),
                      run.elements.begin + int64_t(first) * bytes,
                      0,
                      {}};
        for (const PlacedRun &source : sources) {
          auto placeOf = [&](unsigned lane) {
            return offsetOf(from, c * w + lane) - source.start -
                   source.elements.begin;
          };
          auto isIn = [&](unsigned lane) {
            return (source.lanes >> lane & 1) && placeOf(lane) >= 0 &&
                   placeOf(lane) / bytes < source.elements.count;
          };
          if (!llvm::all_of(some, isIn))
            continue;
          int64_t least = INT64_MAX, last = 0;
          for (unsigned lane : some) {
            least = std::min(least, placeOf(lane));
            last = std::max(last, placeOf(lane));
          }
          if (last - least >= 64)
            continue;
          row.source = source.base;
          row.sourceOffset = source.elements.begin + least;
          for (unsigned lane : some)
            row.places.push_back(unsigned((placeOf(lane) - least) / bytes));
          break;
        }
        if (!row.source)
          return {};
        rows.push_back(row);
      }
    }
    // Two lanes that write to one place are left to their order.
    if (copied != w)
      return {};
  }
  return rows.size() < shapes.getContext().lanes ? rows
                                                 : SmallVector<CopiedRow, 0>();
}

void Packetizer::copyRow(const CopiedRow &row, unsigned bytes) {
  ChunkBuilder s = scalar();
  unsigned dwords = bytes / 4, count = *llvm::max_element(row.places) + 1;
  auto at = [&](Value base, int64_t offset) {
    return toPointer(s.add(base, s.intConstant(64, uint64_t(offset))));
  };
  Value data = LLVM::LoadOp::create(
      b, loc, VectorType::get(count * dwords, b.getI32Type()),
      at(row.source, row.sourceOffset), bytes);
  SmallVector<int32_t> order;
  for (unsigned place : row.places)
    for (unsigned i = 0; i < dwords; ++i)
      order.push_back(int32_t(place * dwords + i));
  data = LLVM::ShuffleVectorOp::create(b, loc, data, data, order);
  LLVM::StoreOp::create(b, loc, data, at(row.target, row.targetOffset), bytes);
}

/// What lanes read that copy nothing.
Value Packetizer::zeroBytes() {
  if (zeros)
    return zeros;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(context.getParentBlock());
  auto ptr = LLVM::LLVMPointerType::get(b.getContext());
  auto type = VectorType::get(4, b.getI32Type());
  Value one = arith::ConstantIntOp::create(b, loc, 1, 32);
  zeros = LLVM::AllocaOp::create(b, loc, ptr, type, one, 16);
  Value zero =
      arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(type)));
  LLVM::StoreOp::create(b, loc, zero, zeros, 16);
  return zeros;
}

/// The lanes of `partly` (i32, a bit each): byte by byte.
void Packetizer::copyPartly(Value partly, Value to, Value from, Value sizes) {
  ChunkBuilder s = scalar();
  auto ptr = LLVM::LLVMPointerType::get(b.getContext());
  Value zero = s.intConstant(32, 0), one = s.intConstant(32, 1);
  Value any = s.cmp(CmpIPredicate::ne, partly, zero);
  auto some = scf::IfOp::create(b, loc, any, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(some.thenBlock());
  Value end = s.intConstant(32, shapes.getContext().lanes);
  auto lanesLoop = scf::ForOp::create(b, loc, zero, end, one);
  b.setInsertionPointToStart(lanesLoop.getBody());
  Value lane = lanesLoop.getInductionVar();
  Value isMine = s.bitAnd(s.shr(partly, lane, false), one);
  // A lane that has no part copies 0 bytes.
  Value size = s.mul(loadLane(sizes, 32, lane), isMine);
  Value target = loadLane(to, 64, lane), source = loadLane(from, 64, lane);
  auto bytes = scf::ForOp::create(b, loc, zero, size, one);
  b.setInsertionPointToStart(bytes.getBody());
  Value offset = s.resize(bytes.getInductionVar(), 64, false);
  auto at = [&](Value base) {
    return LLVM::IntToPtrOp::create(b, loc, ptr, s.add(base, offset));
  };
  Value byte = LLVM::LoadOp::create(b, loc, b.getI8Type(), at(source), 1);
  LLVM::StoreOp::create(b, loc, byte, at(target), 1);
}

LogicalResult Packetizer::emitCpAsync(CpAsyncOp op) {
  unsigned bytes = unsigned(op.getBytes());
  Value mask = op.getMask();
  LaneAddress from = resolve(op.getSrc(), Space::Global, 0);
  LaneAddress to = resolve(op.getDst(), op.getSpace(), 0);
  emitAlignmentTest(from, op.getSrc(), Space::Global, 0, bytes, mask);
  emitAlignmentTest(to, op.getDst(), op.getSpace(), 0, bytes, mask);
  SmallVector<CopiedRow, 0> rows = planRows(from, to, bytes);
  if (rows.empty()) {
    copyLanes(op, from, to);
    return success();
  }
  ChunkBuilder s = scalar(), v = lanes();
  Value regular = both(isRegular(from, mask), isRegular(to, Value()));
  regular = both(regular, both(from.ok, to.ok));
  if (op.getSize() || op.getIgnore()) {
    Value full = laneBits([&](unsigned c) {
      return v.cmp(CmpIPredicate::eq, copiedSize(op, c),
                   v.intConstant(32, bytes));
    });
    regular = both(
        regular, s.cmp(CmpIPredicate::eq, full, s.intConstant(32, 0xffffffff)));
  }
  if (!regular) {
    for (const CopiedRow &row : rows)
      copyRow(row, bytes);
    return success();
  }
  auto choice = scf::IfOp::create(b, loc, regular, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  for (const CopiedRow &row : rows)
    copyRow(row, bytes);
  b.setInsertionPointToStart(choice.elseBlock());
  copyLanes(op, from, to);
  return success();
}

/// How many bytes the lanes copy; the others become zero.
Value Packetizer::copiedSize(CpAsyncOp op, unsigned c) {
  ChunkBuilder v = lanes();
  Value all = v.intConstant(32, op.getBytes());
  Value size = op.getSize() ? v.umin(chunk(op.getSize(), c), all) : all;
  return op.getIgnore()
             ? v.select(chunk(op.getIgnore(), c), v.intConstant(32, 0), size)
             : size;
}

/// Lane after lane. Addresses go through memory; lanes without a part copy
/// zeros aside.
void Packetizer::copyLanes(CpAsyncOp op, const LaneAddress &from,
                           const LaneAddress &to) {
  unsigned bytes = unsigned(op.getBytes());
  Value mask = op.getMask();
  auto ptr = LLVM::LLVMPointerType::get(b.getContext());
  unsigned numLanes = shapes.getContext().lanes;
  bool isSized = op.getSize() || op.getIgnore();
  ChunkBuilder v = lanes();
  bool masked = needsMask(mask) && !perThread();
  Value aside = exchangeBuffer(2);
  auto integer = [&](Value pointer) {
    return LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), pointer);
  };
  auto sizeOf = [&](unsigned c) { return copiedSize(op, c); };
  MatrixBuffer sources = takeBuffer(32 * 8), targets = takeBuffer(32 * 8);
  storeLanes(targets.pointer, 64, [&](unsigned c) {
    Value at = to.vectors(c);
    return masked ? v.select(maskChunk(mask, c), at, v.splat(integer(aside)))
                  : at;
  });
  storeLanes(sources.pointer, 64, [&](unsigned c) {
    Value at = from.vectors(c), zero;
    if (masked || isSized)
      zero = v.splat(integer(zeroBytes()));
    if (isSized)
      at = v.select(
          v.cmp(CmpIPredicate::eq, sizeOf(c), v.intConstant(32, bytes)), at,
          zero);
    return masked ? v.select(maskChunk(mask, c), at, zero) : at;
  });
  Type row = bytes == 16  ? Type(VectorType::get(4, b.getI32Type()))
             : bytes == 8 ? Type(b.getI64Type())
                          : Type(b.getI32Type());
  for (unsigned lane = 0; lane < numLanes; ++lane) {
    Value source = LLVM::LoadOp::create(b, loc, ptr,
                                        placeIn(sources.pointer, 8 * lane), 8);
    Value target = LLVM::LoadOp::create(b, loc, ptr,
                                        placeIn(targets.pointer, 8 * lane), 8);
    Value data = LLVM::LoadOp::create(b, loc, row, source, bytes);
    LLVM::StoreOp::create(b, loc, data, target, bytes);
  }
  if (isSized) {
    // Those that copy less than all, which is rare.
    MatrixBuffer sizes = takeBuffer(32 * 4);
    storeLanes(sizes.pointer, 32, sizeOf);
    storeLanes(sources.pointer, 64,
               [&](unsigned c) { return from.vectors(c); });
    Value partly = laneBits([&](unsigned c) {
      Value size = sizeOf(c);
      Value some =
          v.bitAnd(v.cmp(CmpIPredicate::ne, size, v.intConstant(32, 0)),
                   v.cmp(CmpIPredicate::ne, size, v.intConstant(32, bytes)));
      return masked ? v.bitAnd(some, maskChunk(mask, c)) : some;
    });
    copyPartly(partly, targets.pointer, sources.pointer, sizes.pointer);
    freeBuffers.push_back(sizes);
  }
  freeBuffers.push_back(sources);
  freeBuffers.push_back(targets);
}
