//===- ShapeText.h - shapes described in words ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_ANALYSIS_SHAPETEXT_H
#define PTXJIT_ANALYSIS_SHAPETEXT_H

#include "ptxjit/Analysis/Shape.h"

namespace ptxjit {

/// Describes a shape: "base + 4 * lane", "the same in the CTA", "4 groups of
/// lanes, each base + lane".
std::string describeShape(const Shape &shape);

/// Explains why the lanes have no common base for `value`, by the op where the
/// variation begins: "it comes from memory (line 12)". Empty if they have one.
std::string explainVarying(const ShapeAnalysis &shapes, mlir::Value value);

/// The line of a location in its file; 0 if it has none.
unsigned lineOf(mlir::Location location);

} // namespace ptxjit

#endif
