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

} // namespace ptxjit::device

#endif
