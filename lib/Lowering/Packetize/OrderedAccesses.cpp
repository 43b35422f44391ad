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
  SmallVector<SmallVector<Value, 8>, 4> chunks(results.size());
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
  for (unsigned c = 0; c < warp.numChunks(); ++c) {
    Value at = address.vectors(c);
    SmallVector<Value> carried;
    for (Type type : types)
      carried.push_back(warp.lanes().zero(type));
    SmallVector<Value> loaded = forEachLane(
        warp, c, op.getMask(), carried, [&](Value lane, ValueRange args) {
          SmallVector<Value> next;
          Value start = extractLane(warp, at, lane);
          for (unsigned e = 0; e < types.size(); e += step)
            for (Value part : loadPiece(start, e))
              next.push_back(warp.insertLane(args[next.size()], part, lane));
          return next;
        });
    for (auto [list, value] : llvm::zip(chunks, loaded))
      list.push_back(value);
  }
  for (auto [result, list] : llvm::zip(results, chunks))
    warp.setChunks(result, list);
  return success();
}

LogicalResult ptxjit::emitOrderedStore(WarpBuilder &warp, StOp op,
                                       const LaneAddress &address) {
  remarkAccess(warp, op, "lane by lane, in order", SlowBecause::Order);
  ValueRange stored = op.getB();
  unsigned step = elementsTogether(stored, address);
  int64_t bytes = bytesOf(stored.front().getType());
  for (Value value : stored)
    (void)warp.chunk(value, 0);
  for (unsigned c = 0; c < warp.numChunks(); ++c) {
    Value at = address.vectors(c);
    forEachLane(warp, c, op.getMask(), {}, [&](Value lane, ValueRange) {
      ChunkBuilder s = warp.scalar();
      Value start = extractLane(warp, at, lane);
      for (unsigned e = 0; e < stored.size(); e += step) {
        Value where = e ? s.add(start, s.intConstant(64, e * bytes)) : start;
        SmallVector<Value> parts;
        for (Value value : stored.slice(e, step))
          parts.push_back(extractLane(warp, warp.chunk(value, c), lane));
        auto store = warp.create<LLVM::StoreOp>(
            joinInteger(s, parts), warp.toPointer(where),
            unsigned(step * bytes),
            /*isVolatile=*/op.getOrder() == Order::Volatile);
        store.setOrdering(orderingOf(op.getOrder(), false, true));
      }
      return SmallVector<Value>();
    });
  }
  return success();
}
