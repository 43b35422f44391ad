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

/// Whether warps are rows of the block, of which there are several.
static bool hasRows(const ShapeContext &context) {
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

LogicalResult ptxjit::emitSweep(WarpBuilder &warp, Value begin, Value end,
                                Block &body) {
  assert(maySweep(warp, body) && "the CTAs of a sweep would meet");
  Type i32 = warp.b.getI32Type();
  Value zero = warp.create<arith::ConstantIntOp>(0, 32);
  Value one = warp.create<arith::ConstantIntOp>(1, 32);
  Value numCtas =
      warp.loadContext(offsetof(PtxjitKernelContext, sweptCtas), i32);
  Value running = warp.contextField(offsetof(PtxjitKernelContext, sweptCta));
  Value firstCta = warp.kernel.ctaid[0];
  auto enterLoop = [&](Value from, Value to) -> Value {
    auto loop = warp.create<scf::ForOp>(from, to, one);
    warp.b.setInsertionPointToStart(loop.getBody());
    return loop.getInductionVar();
  };
  auto enterCtas = [&] {
    Value number = enterLoop(zero, numCtas);
    warp.create<LLVM::StoreOp>(number, running);
    warp.kernel.ctaid[0] = warp.scalar().add(firstCta, number);
  };
  auto enterWarps = [&] {
    const ShapeContext &context = warp.shapes.getContext();
    warp.enterStrand(context.threads() > context.lanes ? enterLoop(begin, end)
                                                       : zero);
  };
  if (hasRows(warp.shapes.getContext())) {
    enterWarps();
    enterCtas();
  } else {
    enterCtas();
    enterWarps();
  }
  return emitBlock(warp, body);
}
