//===- CtaSweep.cpp - many CTAs in one call -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CtaSweep.h"
#include "Dispatch.h"
#include "Regions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

/// \param space  of an access; none: any.
static bool isOutsideCta(std::optional<Space> space) {
  return !space || space == Space::Param || space == Space::Global ||
         space == Space::Const || space == Space::Generic;
}

/// Whether the op may run for a warp of the next CTA before it has run for the
/// other warps of this one.
static bool maySweepOver(Operation *op) {
  if (auto ld = dyn_cast<LdOp>(op))
    return isOutsideCta(ld.getSpace()) && !ld.getOrder();
  if (auto st = dyn_cast<StOp>(op))
    return isOutsideCta(st.getSpace()) && !st.getOrder();
  if (auto address = dyn_cast<AddressOfOp>(op)) {
    auto module = op->getParentOfType<ModuleOp>();
    auto var = module.lookupSymbol<VarOp>(address.getSymbol());
    return var && isOutsideCta(var.getSpace());
  }
  return isa<scf::IfOp, scf::YieldOp>(op) ||
         (isMemoryEffectFree(op) && !op->getNumRegions());
}

bool ptxjit::sweepsRows(const ShapeContext &context) {
  // Warps are rows of the block, of which there are several.
  return context.block[0] <= context.lanes &&
         context.threads() > context.lanes &&
         context.lanes % context.block[0] == 0;
}

bool ptxjit::maySweep(const WarpBuilder &warp, Block &body) {
  if (!warp.target.wholeCta || warp.perThread())
    return false;
  for (Operation &top : body.without_terminator())
    if (top.walk([](Operation *op) {
             return maySweepOver(op) ? WalkResult::advance()
                                     : WalkResult::interrupt();
           })
            .wasInterrupted())
      return false;
  return true;
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
                                Block &body) {
  assert(maySweep(warp, body) && "the CTAs of a sweep would meet");
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
  return emitBlock(warp, body);
}
