//===- TensorMemory.h - the tensor memory of a CTA --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_TENSORMEMORY_H
#define PTXJIT_LIB_RUNTIME_TENSORMEMORY_H

#include "FaultScope.h"
#include "SpareBuffer.h"
#include <cstdint>
#include <string>

namespace ptxjit {

/// The 32-bit cells of a CTA in 128 lanes and 512 columns, and which columns
/// are allocated. ISA: "tensor-memory". The lanes of a column follow each other
/// in memory, so that what a warp loads into a register is contiguous.
class TensorMemory {
public:
  static constexpr uint32_t kLanes = 128, kColumns = 512;
  static constexpr uint32_t kUnit = 32; ///< columns are allocated in units

  /// Prepares for the next CTA.
  void reset();

  /// Allocates `columns`, a power of two from 32 to 512, and clears them.
  /// \returns the first one; -1 if not as many are free side by side.
  int32_t allocate(uint32_t columns);
  /// \returns whether these columns were allocated together.
  bool deallocate(uint32_t first, uint32_t columns);
  /// Allows no more allocations.
  void relinquish() { isRelinquished = true; }
  bool hasRelinquished() const { return isRelinquished; }

  /// Whether all columns from `first` on are allocated.
  bool isAllocated(uint32_t first, uint32_t columns) const;
  /// Whether anything is allocated.
  bool isUsed() const { return used; }
  /// Says what is still allocated; empty if nothing is.
  std::string describeLeak() const;

  uint8_t *cell(uint32_t lane, uint32_t column) {
    return static_cast<uint8_t *>(cells.get()) + 4 * (column * kLanes + lane);
  }

private:
  static constexpr uint32_t kUnits = kColumns / kUnit;

  /// Null until something is allocated.
  SpareBuffer<size_t(kColumns) * kLanes * 4> cells;
  uint32_t used = 0; ///< a bit for each unit
  /// The units that were allocated from this one on; else 0.
  uint8_t sizes[kUnits] = {};
  bool isRelinquished = false;
};

/// Fails the launch, on behalf of `caller`, unless `columns` can be allocated.
void checkAllocation(const TensorMemory &memory, uint32_t columns,
                     const KernelCall &caller);
/// Fails it unless `count` columns from `first` on are allocated.
void checkColumns(const TensorMemory &memory, uint32_t first, uint32_t count,
                  const KernelCall &caller);
/// The cell at an address in tensor memory, whose upper half is the lane. Fails
/// the launch unless a warp, the `warp`th of its warpgroup, may access `rows`
/// lanes (16 or 32) and `columns` columns there. Lanes of the first warp stand
/// for those of any.
uint8_t *findCells(TensorMemory &memory, uint32_t address, uint32_t columns,
                   uint32_t rows, uint32_t warp, const KernelCall &caller);

} // namespace ptxjit

#endif
