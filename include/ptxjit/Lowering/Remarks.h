//===- Remarks.h - what the passes tell of their choices --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's optimization remarks: whoever wants them sets the context's engine
// (ptx-jit --explain and --remarks, ptx-opt --remarks).
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

/// Does anybody listen? What is told costs time to find out.
bool wantsRemarks(mlir::Operation *op);

/// What was decided for an op.
struct Decision {
  llvm::StringRef category; ///< of the constants above
  std::string code;         ///< what it became
  std::string shape = {};   ///< what is known of its address or predicate
  std::string reason = {};  ///< why that is not better; empty if it is good
  bool missed = false;      ///< code that is slower than one would hope
};
void remarkDecision(mlir::Operation *op, const Decision &decision);

/// What a pass has counted while it worked on `op`. \param pass  its flag, as
/// "ptx-linearize". Each count says in words of what, as "loops masked".
void remarkCounts(
    mlir::Operation *op, llvm::StringLiteral pass,
    std::initializer_list<std::pair<llvm::StringLiteral, uint64_t>> counts);

} // namespace ptxjit

#endif
