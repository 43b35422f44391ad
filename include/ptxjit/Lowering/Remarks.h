//===- Remarks.h - remarks about the choices of passes ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes report what they decided and counted as MLIR's optimization remarks.
// They are silent unless the context has a remark engine (ptx-jit --explain and
// --remarks, ptx-opt --remarks).
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LOWERING_REMARKS_H
#define PTXJIT_LOWERING_REMARKS_H

#include "mlir/IR/Operation.h"

namespace ptxjit {

// Categories.
inline constexpr llvm::StringLiteral kAccessRemark = "access";
inline constexpr llvm::StringLiteral kBranchRemark = "branch";
inline constexpr llvm::StringLiteral kModeRemark = "mode";
inline constexpr llvm::StringLiteral kOrderRemark = "order";
inline constexpr llvm::StringLiteral kStatisticsRemark = "statistics";

// Keys of a remark's arguments.
inline constexpr llvm::StringLiteral kRemarkCode = "Code";
inline constexpr llvm::StringLiteral kRemarkShape = "Shape";
inline constexpr llvm::StringLiteral kRemarkReason = "Reason";

/// Does the context have a remark engine? Ask before computing anything costly
/// for a remark.
bool wantsRemarks(mlir::Operation *op);

/// A decision that a pass has taken for an op.
struct Decision {
  llvm::StringRef category; ///< one of the constants above
  std::string code;         ///< the code that the op became
  std::string shape = {};   ///< the shape of its address or predicate
  std::string reason = {}; ///< why there is no better code; empty if it is good
  bool missed = false;     ///< the code is slower than one would hope
};
void remarkDecision(mlir::Operation *op, const Decision &decision);

/// Reports what a pass counted while it worked on `op`. \param pass  the flag
/// of the pass, e.g. "ptx-linearize". \param counts  pairs of what was counted,
/// e.g. "loops masked", and its number.
void remarkCounts(
    mlir::Operation *op, llvm::StringLiteral pass,
    std::initializer_list<std::pair<llvm::StringLiteral, uint64_t>> counts);

} // namespace ptxjit

#endif
