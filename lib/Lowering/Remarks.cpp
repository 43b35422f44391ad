//===- Remarks.cpp - remarks about the choices of passes ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Lowering/Remarks.h"

#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace ptxjit;
using mlir::remark::RemarkOpts;
using mlir::remark::detail::Remark;

bool ptxjit::wantsRemarks(Operation *op) {
  return op->getContext()->getRemarkEngine();
}

/// The name of the function that an op is, or is in.
static StringRef functionOf(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto symbol =
            op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
      return symbol;
  return "";
}

void ptxjit::remarkDecision(Operation *op, const Decision &decision) {
  if (!wantsRemarks(op))
    return;
  RemarkOpts options = RemarkOpts::name(decision.category)
                           .category(decision.category)
                           .function(functionOf(op));
  auto flight = decision.missed ? remark::missed(op->getLoc(), options)
                                : remark::passed(op->getLoc(), options);
  flight << Remark::Arg(kRemarkCode, decision.code);
  if (!decision.shape.empty())
    flight << Remark::Arg(kRemarkShape, decision.shape);
  if (!decision.reason.empty())
    flight << Remark::Arg(kRemarkReason, decision.reason);
}

void ptxjit::remarkCounts(
    Operation *op, llvm::StringLiteral pass,
    std::initializer_list<std::pair<llvm::StringLiteral, uint64_t>> counts) {
  if (!wantsRemarks(op))
    return;
  auto flight = remark::analysis(op->getLoc(), RemarkOpts::name(pass)
                                                   .category(kStatisticsRemark)
                                                   .function(functionOf(op)));
  for (auto &[what, count] : counts)
    flight << Remark::Arg(what, count);
}
