//===- Constants.h - the numbers of constant values -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_CONSTANTS_H
#define PTXJIT_DIALECT_CONSTANTS_H

#include "mlir/IR/Matchers.h"

#include <optional>

namespace ptxjit {

/// The number that an integer value is; nothing if it is no constant.
inline std::optional<llvm::APInt> constantOf(mlir::Value value) {
  llvm::APInt constant;
  if (mlir::matchPattern(value, mlir::m_ConstantInt(&constant)))
    return constant;
  return std::nullopt;
}

} // namespace ptxjit

#endif
