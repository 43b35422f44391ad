//===- CtaSweep.cpp - many CTAs in one call -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CtaSweep.h"
#include "../CtaOrder.h"
#include "Regions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

bool ptxjit::sweepsRows(const ShapeContext &context) {
  // Warps are rows of the block, of which there are several.
  return context.block[0] <= context.lanes &&
         context.threads() > context.lanes &&
         context.lanes % context.block[0] == 0;
}

bool ptxjit::maySweep(const WarpBuilder &warp, ArrayRef<Operation *> ops) {
  if (!warp.target.wholeCta || warp.perThread())
    return false;
  auto visit = [](Operation *op) {
    return needsNoCtaOrder(op) && !isa<scf::WhileOp>(op)
               ? WalkResult::advance()
               : WalkResult::interrupt();
  };
  return llvm::none_of(
      ops, [&](Operation *op) { return op->walk(visit).wasInterrupted(); });
}

/// Emits a loop that counts up by one. \returns its induction variable.
static Value enterLoop(WarpBuilder &warp, Value from, Value to) {
  Value one = warp.create<arith::ConstantIntOp>(1, 32);
  auto loop = warp.create<scf::ForOp>(from, to, one);
  warp.b.setInsertionPointToStart(loop.getBody());
  return loop.getInductionVar();
}

void ptxjit::enterSweptCtas(WarpBuilder &warp) {
  Value zero = warp.create<arith::ConstantIntOp>(0, 32);
  Value numCtas = warp.loadContext(offsetof(PtxjitKernelContext, sweptCtas),
                                   warp.b.getI32Type());
  Value running = warp.contextField(offsetof(PtxjitKernelContext, sweptCta));
  Value number = enterLoop(warp, zero, numCtas);
  warp.create<LLVM::StoreOp>(number, running);
  warp.kernel.ctaid[0] = warp.scalar().add(warp.kernel.ctaid[0], number);
}

LogicalResult ptxjit::emitSweep(WarpBuilder &warp, Value begin, Value end,
                                ArrayRef<Operation *> ops) {
  const ShapeContext &context = warp.shapes.getContext();
  auto enterWarps = [&] {
    warp.enterStrand(context.threads() > context.lanes
                         ? enterLoop(warp, begin, end)
                         : warp.create<arith::ConstantIntOp>(0, 32));
  };
  if (sweepsRows(context)) {
    enterWarps();
    enterSweptCtas(warp);
  } else {
    enterSweptCtas(warp);
    enterWarps();
  }
  return emitScope(warp, ops);
}
