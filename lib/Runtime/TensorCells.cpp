//===- TensorCells.cpp - copies and shifts of tensor memory ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ISA: "tcgen05.cp", "tcgen05.shift". Both are done when they are issued.
//
//===----------------------------------------------------------------------===//

#include "TensorCore.h"

#include <cstring>

using namespace ptxjit;
using namespace ptxjit::device;

static constexpr uint32_t kUnitBytes = 16, kUnitColumns = 4;

namespace {
// The values of PtxjitCellCopy.
enum CopyShape : uint8_t { R128B256, R4B256, R128B128, R64B128, R32B128 };
enum CopySpread : uint8_t { Once, All, Alternating, Adjacent };

/// What a copy reads, and which lanes get a row.
struct CellCopy {
  uint32_t rows, bytes;
  /// Row i goes to lane lanes[j] + i % 32 of each j < copies, or if `apart` is
  /// set, to lane 32 * i.
  uint32_t copies = 1;
  bool isApart = false;

  explicit CellCopy(const PtxjitCellCopy &copy);
  uint32_t laneOf(const PtxjitCellCopy &copy, uint32_t row,
                  uint32_t which) const;
};
} // namespace

CellCopy::CellCopy(const PtxjitCellCopy &copy) {
  constexpr uint32_t allRows[] = {128, 4, 128, 64, 32};
  rows = allRows[copy.shape];
  bytes = copy.shape == R128B256 || copy.shape == R4B256 ? 2 * kUnitBytes
                                                         : kUnitBytes;
  copies = copy.spread == All ? 4 : copy.spread == Once ? 1 : 2;
  isApart = copy.shape == R4B256;
}

/// The lane of copy `which` of a row. ISA: "tcgen05.cp", `.multicast`.
uint32_t CellCopy::laneOf(const PtxjitCellCopy &copy, uint32_t row,
                          uint32_t which) const {
  if (isApart)
    return (copy.address >> 16) + 32 * row;
  switch (copy.spread) {
  case All:
  case Alternating: // warps 0 and 2, and warps 1 and 3 get the same rows
    return row + which * (copy.spread == All ? 32 : 64);
  case Adjacent: // warps 0 and 1, and warps 2 and 3
    return row % 32 + row / 32 * 64 + which * 32;
  default:
    return row;
  }
}

/// ISA: "optional decompression". Elements of 4 bits go to bits 2 to 5 of a
/// byte, those of 6 bits to bits 0 to 5.
static void decompress(uint8_t *to, const uint8_t *from, uint8_t packed) {
  for (uint32_t e = 0; e < kUnitBytes; ++e) {
    if (packed == 2) {
      to[e] = uint8_t((from[e / 2] >> (e % 2 * 4) & 15) << 2);
      continue;
    }
    uint32_t bit = 6 * e, low = from[bit / 8];
    uint32_t high = bit % 8 > 2 ? from[bit / 8 + 1] : 0;
    to[e] = uint8_t((low | high << 8) >> bit % 8 & 63);
  }
}

void TensorCore::copyOwn(const PtxjitCellCopy &copy, const KernelCall &caller) {
  TensorMatrix matrix;
  if (const char *problem = decodeMatrix(copy.matrix, /*alongRows=*/false,
                                         /*mayBeAbsolute=*/false, matrix))
    FaultScope::leaveIllegal(problem, caller);
  CellCopy shape(copy);
  uint64_t end = endOf(matrix, shape.rows, shape.bytes);
  if (end > sharedEnd)
    FaultScope::leave(LaunchStatus::IllegalAddress, end, caller);
  uint32_t lane = copy.address >> 16, column = copy.address & 0xffff;
  if (lane > (shape.isApart ? 31u : 0u))
    FaultScope::leaveIllegal("a copy to tensor memory begins at a lane that "
                             "its shape lacks",
                             caller);
  checkColumns(memory, column, shape.bytes / 4, caller);
  for (uint32_t row = 0; row < shape.rows; ++row)
    for (uint32_t byte = 0; byte < shape.bytes; byte += kUnitBytes) {
      uint8_t unit[kUnitBytes];
      const uint8_t *from = shared + matrix.swizzle(matrix.place(row, byte));
      if (copy.packed)
        decompress(unit, from, copy.packed);
      else
        std::memcpy(unit, from, kUnitBytes);
      for (uint32_t which = 0; which < shape.copies; ++which)
        for (uint32_t c = 0; c < kUnitColumns; ++c)
          std::memcpy(memory.cell(shape.laneOf(copy, row, which),
                                  column + byte / 4 + c),
                      unit + 4 * c, 4);
    }
}

void TensorCore::copy(const PtxjitCellCopy &copy, const KernelCall &caller) {
  settle();
  if (!copy.isForPair)
    return copyOwn(copy, caller);
  if (!first)
    FaultScope::leaveIllegal("a copy of two CTAs is issued in a cluster that "
                             "has no pairs of CTAs",
                             caller);
  first->copyOwn(copy, caller);
  second->copyOwn(copy, caller);
}

/// Which way the rows move is chosen: lane i gets what lane i + 1 has, so that
/// a copy of 4x256b can bring the next row to the last lane.
void TensorCore::shiftOwn(uint32_t lane, uint32_t column,
                          const KernelCall &caller) {
  constexpr uint32_t columns = 8, lanes = 32;
  checkColumns(memory, column, columns, caller);
  for (uint32_t c = 0; c < columns; ++c)
    std::memmove(memory.cell(lane, column + c),
                 memory.cell(lane + 1, column + c), 4 * (lanes - 1));
}

void TensorCore::shift(uint32_t address, bool isForPair,
                       const KernelCall &caller) {
  settle();
  uint32_t lane = address >> 16, column = address & 0xffff;
  if (lane % 32 || lane >= TensorMemory::kLanes)
    FaultScope::leaveIllegal("the lane of a shift of tensor memory is no "
                             "multiple of 32, or out of range",
                             caller);
  if (!isForPair)
    return shiftOwn(lane, column, caller);
  if (!first)
    FaultScope::leaveIllegal("a shift of two CTAs is issued in a cluster that "
                             "has no pairs of CTAs",
                             caller);
  first->shiftOwn(lane, column, caller);
  second->shiftOwn(lane, column, caller);
}
