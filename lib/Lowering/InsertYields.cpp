//===- InsertYields.cpp - give way in loops that wait ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Lowering/Passes.h"
#include "ptxjit/Lowering/Remarks.h"

#include "ptxjit/Analysis/Waiting.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "insert-yields"

namespace ptxjit {
#define GEN_PASS_DEF_INSERTYIELDSPASS
#include "ptxjit/Lowering/Passes.h.inc"
} // namespace ptxjit

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

namespace {
struct InsertYieldsPass
    : public ptxjit::impl::InsertYieldsPassBase<InsertYieldsPass> {
  using Base::Base;

  void runOnOperation() override {
    unsigned numLoops = 0;
    getOperation().walk([&](scf::WhileOp loop) {
      if (!waitsOnMemory(loop))
        return;
      ++numLoops;
      LDBG() << "may wait on memory: the loop at " << loop.getLoc();
      OpBuilder builder = OpBuilder::atBlockBegin(loop.getAfterBody());
      YieldWarpOp::create(builder, loop.getLoc(), meetsOthers(loop));
    });
    remarkCounts(getOperation(), "ptx-insert-yields",
                 {{"loops that may wait on memory", numLoops}});
  }
};
} // namespace
