//===- PrintShapes.cpp - print ops with the shapes of results -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Analysis/ShapeText.h"
#include "ptxjit/Lowering/Passes.h"

#include "mlir/IR/AsmState.h"
#include "llvm/Support/raw_ostream.h"

namespace ptxjit {
#define GEN_PASS_DEF_PRINTSHAPESPASS
#include "ptxjit/Lowering/Passes.h.inc"
} // namespace ptxjit

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

namespace {
class ShapePrinter {
public:
  ShapePrinter(FuncOp func, const ShapeAnalysis &shapes, raw_ostream &os)
      : shapes(shapes), os(os), names(func, flags()) {}

  void print(Operation &op, unsigned indent) {
    os.indent(indent);
    op.print(os, names);
    printShapes(op.getResults());
    for (Region &region : op.getRegions())
      for (Block &block : region) {
        if (block.getNumArguments()) {
          os.indent(indent + 2) << "^(";
          llvm::interleaveComma(block.getArguments(), os,
                                [&](Value v) { v.printAsOperand(os, names); });
          os << ")";
          printShapes(block.getArguments());
        }
        for (Operation &inner : block)
          print(inner, indent + 2);
      }
  }

private:
  static OpPrintingFlags flags() {
    return OpPrintingFlags().skipRegions().useLocalScope();
  }
  void printShapes(ValueRange values) {
    os << (values.empty() ? "" : "  // ");
    llvm::interleave(
        values, os, [&](Value v) { os << describeShape(shapes.get(v)); }, "; ");
    os << '\n';
  }

  const ShapeAnalysis &shapes;
  raw_ostream &os;
  AsmState names;
};

struct PrintShapesPass
    : public ptxjit::impl::PrintShapesPassBase<PrintShapesPass> {
  using Base::Base;

  void runOnOperation() override {
    FuncOp func = getOperation();
    if (func.isBodiless())
      return;
    auto target = requireTarget();
    if (failed(target))
      return signalPassFailure();
    ShapeAnalysis shapes(func, target->getShapeContext());
    ShapePrinter(func, shapes, llvm::outs()).print(*func, 0);
    markAllAnalysesPreserved();
  }
};
} // namespace
