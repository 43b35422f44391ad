//===- LaneRecords.cpp - records that helpers get of each lane ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneRecords.h"

using namespace mlir;
using namespace ptxjit;

Value ptxjit::laneInStrand(WarpBuilder &warp, unsigned c, Value lane) {
  ChunkBuilder s = warp.scalar();
  return s.add(lane, s.intConstant(32, c * warp.target.chunk));
}

LaneRecords::LaneRecords(WarpBuilder &warp, size_t bytes) : warp(warp) {
  assert(bytes <= 32 * sizeof(uint64_t) && "no buffer is as large");
  (void)bytes;
}

void LaneRecords::addConstant(size_t offset, unsigned bits, uint64_t value) {
  fields.push_back(
      {offset, bits, nullptr, warp.scalar().intConstant(bits, value)});
}
void LaneRecords::addPointer(size_t offset, Value pointer) {
  fields.push_back({offset, 64, nullptr, pointer});
}
void LaneRecords::addOperand(size_t offset, unsigned bits, Value operand) {
  addLanes(offset, bits,
           [this, operand](unsigned c) { return warp.chunk(operand, c); });
}
void LaneRecords::addLanes(size_t offset, unsigned bits,
                           std::function<Value(unsigned c)> chunk) {
  fields.push_back({offset, bits, std::move(chunk), Value()});
}

void LaneRecords::store(Value record, const Field &field, Value value) {
  warp.create<LLVM::StoreOp>(
      value, placeIn(warp, record, int64_t(field.offset)), field.bits / 8);
}

void LaneRecords::callForEach(size_t helper, Value mask) {
  Value record = exchangeBuffer(warp, 0);
  for (const Field &field : fields)
    if (!field.lanes)
      store(record, field, field.value);
  for (unsigned c = 0; c < warp.numChunks(); ++c) {
    SmallVector<Value> chunks;
    for (const Field &field : fields)
      chunks.push_back(field.lanes ? field.lanes(c) : Value());
    forEachLane(warp, c, mask, {}, [&](Value lane, ValueRange) {
      ChunkBuilder s = warp.scalar();
      for (auto [field, chunk] : llvm::zip(fields, chunks))
        if (chunk)
          store(record, field,
                s.resize(extractLane(warp, chunk, lane), field.bits, false));
      warp.callHelper(
          helper, {warp.kernel.strand, laneInStrand(warp, c, lane), record});
      return SmallVector<Value>();
    });
  }
}
