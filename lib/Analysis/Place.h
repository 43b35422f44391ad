//===- Place.h - source lines of ops, for messages --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_ANALYSIS_PLACE_H
#define PTXJIT_LIB_ANALYSIS_PLACE_H

#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"
#include <string>

namespace ptxjit {

/// " at line N" for the op's line in the PTX; empty if it has none.
inline std::string placeOf(mlir::Operation *op) {
  if (auto place = op->getLoc()->findInstanceOf<mlir::FileLineColLoc>())
    return " at line " + std::to_string(place.getLine());
  return "";
}

} // namespace ptxjit

#endif
