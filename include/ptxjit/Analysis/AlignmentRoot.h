//===- AlignmentRoot.h - what decides an address's alignment ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_ANALYSIS_ALIGNMENTROOT_H
#define PTXJIT_ANALYSIS_ALIGNMENTROOT_H

#include "ptxjit/Analysis/Shape.h"

namespace ptxjit {

/// Finds the value that `address` differs from by a multiple of `bytes` in
/// every lane, as far back as can be seen: mostly a pointer parameter. All
/// addresses with one root are aligned if one of them is. The root is visible
/// where `address` is made.
/// \param bytes  a power of two.
mlir::Value findAlignmentRoot(mlir::Value address, uint64_t bytes,
                              const ShapeAnalysis &shapes);

} // namespace ptxjit

#endif
