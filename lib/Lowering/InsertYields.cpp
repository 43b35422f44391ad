//===- InsertYields.cpp - let others run in loops that wait ---------------===//

#include "ptxjit/Lowering/Passes.h"

#include "ptxjit/Analysis/Waiting.h"

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
    getOperation().walk([&](scf::WhileOp loop) {
      if (!waitsOnMemory(loop))
        return;
      ++numLoops;
      OpBuilder builder = OpBuilder::atBlockBegin(loop.getAfterBody());
      YieldWarpOp::create(builder, loop.getLoc(), meetsOthers(loop));
    });
  }
};
} // namespace
