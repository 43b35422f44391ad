//===- TensorMemory.cpp - registers of tensor memory ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves registers between a buffer, where the 32 lanes of each follow each
// other, and cells of tensor memory, where the lanes of each column do. Shapes
// whose registers are columns need no such moves.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Device/TensorMemory.h"
#include "Device.h"

using namespace ptxjit::device;

namespace {

/// A cell, relative to the address.
struct Cell {
  uint32_t row, column;
};

/// The cell of register `r` of lane `l`. ISA: "tcgen05-data-movement-shape";
/// docs/TensorCores.md. The halves of 16x32bx2 both begin at column 0.
inline Cell cellOf(uint32_t shape, uint32_t r, uint32_t l) {
  uint32_t group = l / 4, inGroup = l % 4;
  switch (shape) {
  case kCells16x64b:
    return {group + 8 * (l & 1), 2 * r + (l >> 1 & 1)};
  case kCells16x128b:
    return {group + 8 * (r & 1), 4 * (r >> 1) + inGroup};
  case kCells16x256b:
    return {group + 8 * (r >> 1 & 1), 8 * (r >> 2) + 2 * inGroup + (r & 1)};
  case kCells16x32bx2:
    return {l & 15, r};
  default:
    return {l, r};
  }
}

/// Calls move(register, cell, next) for each register: its place in the buffer,
/// its cell, and the cell of the next column.
template <typename Move>
inline void forEachCell(uint32_t *buffer, uint32_t *cells, uint32_t *second,
                        uint32_t shape, uint32_t registers, bool isPacked,
                        Move move) {
  constexpr uint32_t lanes = 128;
  for (uint32_t r = 0; r < registers; ++r)
    for (uint32_t l = 0; l < 32; ++l) {
      Cell cell = cellOf(shape, r, l);
      uint32_t *half = shape == kCells16x32bx2 && l >= 16 ? second : cells;
      uint32_t *at = half + cell.column * (isPacked ? 2 : 1) * lanes + cell.row;
      move(buffer + 32 * r + l, at, at + lanes);
    }
}

/// What a register is compared as.
inline uint32_t keyOf(uint32_t bits, uint32_t how) {
  return how & kCellsAbs ? bits & 0x7fffffff : bits;
}

/// Whether x is less than y. -0 is less than +0.
inline bool isLess(uint32_t x, uint32_t y, uint32_t how) {
  if (how & kCellsFloat) {
    // Magnitudes of negative numbers count backwards.
    auto order = [](uint32_t bits) {
      return int32_t(bits >> 31 ? bits ^ 0x7fffffff : bits);
    };
    return order(x) < order(y);
  }
  return how & kCellsSigned ? int32_t(x) < int32_t(y) : x < y;
}

inline uint32_t combine(uint32_t x, uint32_t y, uint32_t how) {
  if (how & kCellsFloat) {
    constexpr uint32_t infinity = 0x7f800000, nan = 0x7fffffff;
    bool isNaNX = (x & nan) > infinity, isNaNY = (y & nan) > infinity;
    if (isNaNX && isNaNY)
      return nan;
    if (isNaNX || isNaNY)
      return how & kCellsNaN ? nan : isNaNX ? y : x;
  }
  bool takesY = how & kCellsMax ? isLess(x, y, how) : isLess(y, x, how);
  return takesY ? y : x;
}

} // namespace

// `cells` are those at the address, `second` those of the second half of
// 16x32bx2. `packed` is 1 if a register has the lower halves of two columns.
PTXJIT_EXPORT void ptxjit_cells_load(uint32_t *buffer, uint32_t *cells,
                                     uint32_t *second, uint32_t shape,
                                     uint32_t registers, uint32_t packed) {
  if (packed)
    forEachCell(buffer, cells, second, shape, registers, true,
                [](uint32_t *to, uint32_t *low, uint32_t *high) {
                  *to = (*low & 0xffff) | *high << 16;
                });
  else
    forEachCell(buffer, cells, second, shape, registers, false,
                [](uint32_t *to, uint32_t *from, uint32_t *) { *to = *from; });
}
PTXJIT_EXPORT void ptxjit_cells_store(uint32_t *buffer, uint32_t *cells,
                                      uint32_t *second, uint32_t shape,
                                      uint32_t registers, uint32_t packed) {
  if (packed)
    forEachCell(buffer, cells, second, shape, registers, true,
                [](uint32_t *from, uint32_t *low, uint32_t *high) {
                  *low = *from & 0xffff;
                  *high = *from >> 16;
                });
  else
    forEachCell(buffer, cells, second, shape, registers, false,
                [](uint32_t *from, uint32_t *to, uint32_t *) { *to = *from; });
}

// Combines the registers of each lane, and puts the result behind them.
PTXJIT_EXPORT void ptxjit_cells_reduce(uint32_t *buffer, uint32_t registers,
                                       uint32_t how) {
  for (uint32_t lane = 0; lane < 32; ++lane) {
    uint32_t result = keyOf(buffer[lane], how);
    for (uint32_t r = 1; r < registers; ++r)
      result = combine(result, keyOf(buffer[32 * r + lane], how), how);
    buffer[32 * registers + lane] = result;
  }
}

#define PTXJIT_CELL_FUNCTION(name, signature)                                  \
  static_assert(hasSignature(&ptxjit_cells_##name, signature));
#include "ptxjit/Device/Functions.def"
