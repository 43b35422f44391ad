//===- OrderedAccesses.cpp - volatile and ordered accesses ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ordered accesses are emitted lane after lane and are never merged.
//
//===----------------------------------------------------------------------===//

#include "OrderedAccesses.h"
#include "Accesses.h"
#include "LaneLoops.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

/// How many elements of a lane's ordered access are read or written as one. The
/// ISA promises this of scalars and `.b128` alone. But hardware does it for 16
/// bytes, and programs rely on it: scans with look-back keep a flag beside the
/// value that it describes.
static unsigned elementsTogether(ValueRange elements,
                                 const LaneAddress &address) {
  unsigned most = address.align ? address.align : 16;
  unsigned bytes = unsigned(bytesOf(elements.front().getType()));
  return std::clamp<unsigned>(most / bytes, 1, unsigned(elements.size()));
}

/// Splits a wide integer into values of `types`, the first in its low bits;
/// joinInteger is the inverse.
static SmallVector<Value> splitInteger(const ChunkBuilder &s, Value wide,
                                       TypeRange types) {
  SmallVector<Value> parts;
  for (auto [i, type] : llvm::enumerate(types)) {
    unsigned width = type.getIntOrFloatBitWidth();
    Value shifted = i ? s.shrBy(wide, unsigned(i) * width, false) : wide;
    parts.push_back(s.bitcast(s.resize(shifted, width, false), type));
  }
  return parts;
}

static Value joinInteger(const ChunkBuilder &s, ArrayRef<Value> parts) {
  unsigned width = parts.front().getType().getIntOrFloatBitWidth();
  unsigned whole = width * unsigned(parts.size());
  Value wide;
  for (auto [i, part] : llvm::enumerate(parts)) {
    Value bits =
        s.resize(s.bitcast(part, s.b.getIntegerType(width)), whole, false);
    wide = i ? s.bitOr(wide, s.shlBy(bits, unsigned(i) * width)) : bits;
  }
  return wide;
}

LLVM::AtomicOrdering ptxjit::orderingOf(std::optional<Order> order, bool loads,
                                        bool stores) {
  switch (order.value_or(Order::Relaxed)) {
  case Order::Acquire:
    return loads ? LLVM::AtomicOrdering::acquire
                 : LLVM::AtomicOrdering::monotonic;
  case Order::Release:
    return stores ? LLVM::AtomicOrdering::release
                  : LLVM::AtomicOrdering::monotonic;
  case Order::AcqRel:
    return LLVM::AtomicOrdering::acq_rel;
  case Order::Sc:
    return LLVM::AtomicOrdering::seq_cst;
  default:
    return LLVM::AtomicOrdering::monotonic;
  }
}

LogicalResult ptxjit::emitOrderedLoad(WarpBuilder &warp, LdOp op,
                                      const LaneAddress &address) {
  remarkAccess(warp, op, "lane by lane, in order", SlowBecause::Order);
  ValueRange results = op.getD();
  SmallVector<Type> types(results.getTypes());
  unsigned step = elementsTogether(results, address);
  auto loadPiece = [&](Value start, unsigned first) {
    ChunkBuilder s = warp.scalar();
    int64_t bytes = bytesOf(types.front());
    Value where =
        first ? s.add(start, s.intConstant(64, first * bytes)) : start;
    auto load = warp.create<LLVM::LoadOp>(
        warp.b.getIntegerType(unsigned(step * bytes * 8)),
        warp.toPointer(where), unsigned(step * bytes),
        /*isVolatile=*/op.getOrder() == Order::Volatile);
    load.setOrdering(orderingOf(op.getOrder(), true, false));
    return splitInteger(s, load, ArrayRef(types).slice(first, step));
  };
  auto loaded = forEachLane(warp, op.getMask(), types, [&](LoopLane &lane) {
    SmallVector<Value> elements;
    Value start = lane.get(address);
    for (unsigned e = 0; e < types.size(); e += step)
      llvm::append_range(elements, loadPiece(start, e));
    return elements;
  });
  for (auto [result, chunks] : llvm::zip_equal(results, loaded))
    warp.setChunks(result, chunks);
  return success();
}

LogicalResult ptxjit::emitOrderedStore(WarpBuilder &warp, StOp op,
                                       const LaneAddress &address) {
  remarkAccess(warp, op, "lane by lane, in order", SlowBecause::Order);
  ValueRange stored = op.getB();
  unsigned step = elementsTogether(stored, address);
  int64_t bytes = bytesOf(stored.front().getType());
  forEachLane(warp, op.getMask(), [&](LoopLane &lane) {
    ChunkBuilder s = warp.scalar();
    Value start = lane.get(address);
    for (unsigned e = 0; e < stored.size(); e += step) {
      Value where = e ? s.add(start, s.intConstant(64, e * bytes)) : start;
      SmallVector<Value> parts;
      for (Value value : stored.slice(e, step))
        parts.push_back(lane.get(value));
      auto store = warp.create<LLVM::StoreOp>(
          joinInteger(s, parts), warp.toPointer(where), unsigned(step * bytes),
          /*isVolatile=*/op.getOrder() == Order::Volatile);
      store.setOrdering(orderingOf(op.getOrder(), false, true));
    }
  });
  return success();
}
