//===- ShapeText.h - shapes in words ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_ANALYSIS_SHAPETEXT_H
#define PTXJIT_ANALYSIS_SHAPETEXT_H

#include "ptxjit/Analysis/Shape.h"

namespace ptxjit {

/// As "base + 4 * lane", "the same in the CTA", "4 rows of 8 lanes".
std::string describeShape(const Shape &shape);

/// Why a value has not one base for all lanes: where what varies comes from, as
/// "it comes from memory (line 12)". Empty if it has one.
std::string explainVarying(const ShapeAnalysis &shapes, mlir::Value value);

/// Line of a location in its file; 0 if it has none.
unsigned lineOf(mlir::Location location);

} // namespace ptxjit

#endif
