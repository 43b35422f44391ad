//===- PipelinesTest.cpp - what the pipelines take from MLIR --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Lowering/Pipelines.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace ptxjit;

// A pattern under another name would come back into the pipeline unnoticed.
TEST(Pipelines, MlirHasThePatternThatIsLeftOut) {
  MLIRContext context;
  context.loadDialect<scf::SCFDialect>();
  RewritePatternSet patterns(&context);
  populateRegionBranchOpInterfaceCanonicalizationPatterns(
      patterns, scf::WhileOp::getOperationName());
  EXPECT_TRUE(llvm::any_of(patterns.getNativePatterns(), [](auto &pattern) {
    return pattern->getDebugName() == kMergesEqualLoopValues;
  }));
}
