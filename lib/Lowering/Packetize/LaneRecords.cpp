//===- LaneRecords.cpp - records that helpers get of each lane ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneRecords.h"

using namespace mlir;
using namespace ptxjit;

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
  forEachLane(warp, mask, [&](LoopLane &lane) {
    ChunkBuilder s = warp.scalar();
    for (const Field &field : fields)
      if (field.lanes)
        store(record, field,
              s.resize(lane.get(field.lanes), field.bits, false));
    warp.callHelper(helper, {warp.kernel.strand, lane.number, record});
  });
}
