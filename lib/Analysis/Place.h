//===- Place.h - where an op stands, for reasons ----------------*- C++ -*-===//
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

/// " at line N" of the PTX, or nothing.
inline std::string placeOf(mlir::Operation *op) {
  if (auto place = op->getLoc()->findInstanceOf<mlir::FileLineColLoc>())
    return " at line " + std::to_string(place.getLine());
  return "";
}

} // namespace ptxjit

#endif
