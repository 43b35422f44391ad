//===- CompareIntegers.h - comparisons of known integers --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_ANALYSIS_COMPAREINTEGERS_H
#define PTXJIT_LIB_ANALYSIS_COMPAREINTEGERS_H

#include "ptxjit/Dialect/PtxOps.h"
#include <optional>

namespace ptxjit {

/// The result of `setp` for two numbers, as T compares them. Nothing for the
/// comparisons of floating point.
template <typename T>
std::optional<bool> compareIntegers(ptx::Compare cmp, const T &a, const T &b) {
  using ptx::Compare;
  switch (cmp) {
  case Compare::EQ:
    return a == b;
  case Compare::NE:
    return a != b;
  case Compare::LT:
  case Compare::LO:
    return a < b;
  case Compare::LE:
  case Compare::LS:
    return a <= b;
  case Compare::GT:
  case Compare::HI:
    return a > b;
  case Compare::GE:
  case Compare::HS:
    return a >= b;
  default:
    return std::nullopt;
  }
}

} // namespace ptxjit

#endif
