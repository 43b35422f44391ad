//===- TensorMemory.h - shapes of accesses of tensor memory -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Lowering and Device share about `tcgen05.ld` and `tcgen05.st`.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DEVICE_TENSORMEMORY_H
#define PTXJIT_DEVICE_TENSORMEMORY_H

#include <stdint.h>

namespace ptxjit::device {

/// Which cells the lanes of a warp access. ISA: "tcgen05-data-movement-shape".
enum CellsShape : uint32_t {
  kCells32x32b,
  kCells16x64b,
  kCells16x128b,
  kCells16x256b,
  kCells16x32bx2,
};

/// How `tcgen05.ld.red` combines the registers of a lane.
enum CellsReduction : uint32_t {
  kCellsMax = 1 << 0, ///< else the least one
  kCellsSigned = 1 << 1,
  kCellsFloat = 1 << 2,
  kCellsAbs = 1 << 3, ///< of magnitudes
  kCellsNaN = 1 << 4, ///< NaN if one is NaN
};

} // namespace ptxjit::device

#endif
