//===- NarrowWarps.cpp - fewer than 32 threads together -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Analysis/NarrowWarps.h"
#include "ptxjit/Dialect/FormTable.h"
#include "ptxjit/Dialect/PtxOps.h"

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

//===----------------------------------------------------------------------===//
// What a kernel can tell
//===----------------------------------------------------------------------===//

/// Is the register the same, however many threads run together?
static bool isOfThread(SpecialRegister reg) {
  switch (reg) {
  case SpecialRegister::TidX:
  case SpecialRegister::TidY:
  case SpecialRegister::TidZ:
  case SpecialRegister::NtidX:
  case SpecialRegister::NtidY:
  case SpecialRegister::NtidZ:
  case SpecialRegister::CtaidX:
  case SpecialRegister::CtaidY:
  case SpecialRegister::CtaidZ:
  case SpecialRegister::NctaidX:
  case SpecialRegister::NctaidY:
  case SpecialRegister::NctaidZ:
    return true;
  default:
    return false;
  }
}

/// Do all threads of the CTA meet at the barrier, with no one counted?
template <typename BarOpTy> static bool isWholeCta(BarOpTy op) {
  return op.getMode() == BarrierMode::Sync && !op.getB() && !op.getReduce();
}

/// Accesses that threads of a warp may talk by are not meant, nor is local
/// memory, whose layout has 32 lanes.
template <typename OpTy> static bool isPlainAccess(OpTy op) {
  return isWeak(op.getOrder()) && op.getSpace() != Space::Local;
}

/// Does `op` mean the same for any number of threads together?
static bool isOfThreads(Operation *op) {
  if (auto reg = dyn_cast<SRegOp>(op))
    return isOfThread(reg.getReg());
  if (auto bar = dyn_cast<BarOp>(op))
    return isWholeCta(bar);
  if (auto barrier = dyn_cast<BarrierOp>(op))
    return isWholeCta(barrier);
  if (auto load = dyn_cast<LdOp>(op))
    return isPlainAccess(load);
  if (auto store = dyn_cast<StOp>(op))
    return isPlainAccess(store);
  if (isa<WarpCollectiveOpInterface, CallOp>(op) || op->hasTrait<WholeWarp>() ||
      op->hasTrait<UsesStack>())
    return false;
  return isa<AtomOp, RedOp>(op) || isMemoryEffectFree(op) ||
         op->hasTrait<OpTrait::IsTerminator>() || op->getNumRegions();
}

static bool mayBeNarrow(FuncOp kernel) {
  return !kernel
              .walk([&](Operation *op) {
                return op == kernel || isOfThreads(op)
                           ? WalkResult::advance()
                           : WalkResult::interrupt();
              })
              .wasInterrupted();
}

//===----------------------------------------------------------------------===//
// What is better
//===----------------------------------------------------------------------===//

static bool hasLoop(FuncOp kernel) {
  Region &body = kernel.getBody();
  if (body.hasOneBlock())
    return false;
  DominanceInfo dominance(kernel);
  return !CFGLoopInfo(dominance.getDomTree(&body)).getTopLevelLoops().empty();
}

static bool hasBarrier(FuncOp kernel) {
  return kernel
      .walk([](CtaBarrierOpInterface) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// Does the kernel do little but read and write rows? Then it waits for memory.
static bool streams(FuncOp kernel) {
  constexpr unsigned kManyOps = 256;
  unsigned numOps = 0;
  kernel.walk([&](Operation *) { ++numOps; });
  return numOps < kManyOps && !hasLoop(kernel) && !hasBarrier(kernel);
}

/// The lanes that suit a kernel: two vectors in a block of several rows, or one
/// if rows are as short. Measured on AVX2 (docs/Performance.md): blocks of 32 x
/// 8 gain, those of 16 x 16 mostly. Blocks of one row lose, and so do streams
/// of long rows.
static unsigned lanesFor(FuncOp kernel, const ShapeContext &context,
                         unsigned chunk) {
  unsigned row = context.block[0], lanes = 2 * chunk;
  if (context.threads() == row || (row >= kWarpLanes && streams(kernel)))
    return kWarpLanes;
  if (row % lanes != 0)
    lanes = chunk;
  return row % lanes == 0 ? lanes : kWarpLanes;
}

unsigned ptxjit::chooseLanes(FuncOp kernel, const ShapeContext &context,
                             unsigned chunk, bool always) {
  if (chunk == 1 || context.anyBlock)
    return kWarpLanes;
  unsigned two = 2 * chunk < kWarpLanes ? 2 * chunk : chunk;
  unsigned lanes = always ? two : lanesFor(kernel, context, chunk);
  return lanes < std::min(kWarpLanes, context.threads()) && mayBeNarrow(kernel)
             ? lanes
             : kWarpLanes;
}
