//===- TensorMemory.cpp - the tensor memory of a CTA ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorMemory.h"

#include <algorithm>
#include <cstring>
#include <iterator>

using namespace ptxjit;

void TensorMemory::reset() {
  if (!used && !isRelinquished)
    return; // most kernels have no tensor memory, and CTAs may be small
  used = 0;
  std::fill(std::begin(sizes), std::end(sizes), 0);
  isRelinquished = false;
}

int32_t TensorMemory::allocate(uint32_t columns) {
  uint32_t units = columns / kUnit, mask = (1u << units) - 1;
  uint32_t first = 0;
  while (first + units <= kUnits && (used >> first & mask))
    ++first;
  if (first + units > kUnits)
    return -1;
  if (!cells.allocate())
    return -1;
  used |= mask << first;
  sizes[first] = uint8_t(units);
  std::memset(cell(0, first * kUnit), 0, size_t(columns) * kLanes * 4);
  return int32_t(first * kUnit);
}

bool TensorMemory::deallocate(uint32_t first, uint32_t columns) {
  uint32_t unit = first / kUnit;
  if (first % kUnit || first >= kColumns || columns == 0 ||
      sizes[unit] * kUnit != columns)
    return false;
  used &= ~(((1u << sizes[unit]) - 1) << unit);
  sizes[unit] = 0;
  return true;
}

bool TensorMemory::isAllocated(uint32_t first, uint32_t columns) const {
  for (uint32_t unit = first / kUnit; unit <= (first + columns - 1) / kUnit;
       ++unit)
    if (unit >= kUnits || !(used >> unit & 1))
      return false;
  return true;
}

std::string TensorMemory::describeLeak() const {
  for (uint32_t unit = 0; unit < kUnits; ++unit)
    if (sizes[unit])
      return "columns " + std::to_string(unit * kUnit) + " to " +
             std::to_string((unit + sizes[unit]) * kUnit - 1) +
             " of tensor memory were not deallocated";
  return "";
}

void ptxjit::checkAllocation(const TensorMemory &memory, uint32_t columns,
                             const KernelCall &caller) {
  bool isPowerOfTwo = columns && !(columns & (columns - 1));
  if (!isPowerOfTwo || columns < TensorMemory::kUnit ||
      columns > TensorMemory::kColumns)
    FaultScope::leaveIllegal("the number of columns of tensor memory is not a "
                             "power of two from 32 to 512",
                             caller);
  if (memory.hasRelinquished())
    FaultScope::leaveIllegal(
        "the CTA has relinquished its permit to allocate tensor memory",
        caller);
}

void ptxjit::checkColumns(const TensorMemory &memory, uint32_t first,
                          uint32_t count, const KernelCall &caller) {
  if (first + count > TensorMemory::kColumns)
    FaultScope::leaveIllegal("a column of tensor memory is out of range",
                             caller);
  if (!memory.isAllocated(first, count))
    FaultScope::leaveIllegal("a column of tensor memory is not allocated",
                             caller);
}

uint8_t *ptxjit::findCells(TensorMemory &memory, uint32_t address,
                           uint32_t columns, uint32_t rows, uint32_t warp,
                           const KernelCall &caller) {
  uint32_t lane = address >> 16, column = address & 0xffff;
  // The ISA wants the warp's own lanes. Mosaic, which was written on devices,
  // names those of the first warp in all.
  if (lane / 32 == 0)
    lane += warp * 32;
  if (lane / 32 != warp)
    FaultScope::leaveIllegal(
        "these lanes of tensor memory belong to another warp", caller);
  if (lane % 32 != 0 && (rows != 16 || lane % 32 != 16))
    FaultScope::leaveIllegal("the lane of an address in tensor memory is no "
                             "multiple of the shape's rows",
                             caller);
  checkColumns(memory, column, columns, caller);
  return memory.cell(lane, column);
}
