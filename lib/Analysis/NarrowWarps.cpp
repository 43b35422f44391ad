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
#include "mlir/Interfaces/ControlFlowInterfaces.h"
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

/// Vector registers of AArch64.
static constexpr unsigned kNeonRegisters = 32;

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

namespace {
/// Finds values that differ from thread to thread, as far as operands tell.
class ThreadValues {
public:
  explicit ThreadValues(FuncOp kernel);
  bool contains(Value v) const { return values.contains(v); }

private:
  void visit(Operation &op);
  void visitEdges(Operation &branch);
  bool add(Value v) { return values.insert(v).second; }

  DenseSet<Value> values;
  bool changed = true;
};
} // namespace

ThreadValues::ThreadValues(FuncOp kernel) {
  while (changed) {
    changed = false;
    for (Block &block : kernel.getBody())
      for (Operation &op : block)
        visit(op);
  }
}

void ThreadValues::visit(Operation &op) {
  auto reg = dyn_cast<SRegOp>(op);
  bool isOwn =
      isa<AtomOp>(op) ||
      (reg && (reg.getReg() == SpecialRegister::TidX ||
               reg.getReg() == SpecialRegister::TidY ||
               reg.getReg() == SpecialRegister::TidZ)) ||
      llvm::any_of(op.getOperands(), [&](Value v) { return contains(v); });
  if (!isOwn)
    return;
  for (Value result : op.getResults())
    changed |= add(result);
  visitEdges(op);
}

void ThreadValues::visitEdges(Operation &branch) {
  auto edges = dyn_cast<BranchOpInterface>(branch);
  if (!edges)
    return;
  for (unsigned i = 0; i < branch.getNumSuccessors(); ++i) {
    SuccessorOperands from = edges.getSuccessorOperands(i);
    for (auto [number, arg] :
         llvm::enumerate(branch.getSuccessor(i)->getArguments()))
      if (contains(from[unsigned(number)]))
        changed |= add(arg);
  }
}

/// Do the floats that threads keep in an innermost loop, what they carry round
/// it and what they have from in front of it, need more vectors than there are
/// registers? Places in memory are not counted, which mostly are a scalar.
static bool crowdsRegisters(FuncOp kernel, unsigned chunk) {
  Region &body = kernel.getBody();
  if (body.hasOneBlock())
    return false;
  DominanceInfo dominance(kernel);
  CFGLoopInfo loops(dominance.getDomTree(&body));
  ThreadValues ofThreads(kernel);
  unsigned most = 0;
  for (CFGLoop *loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost())
      continue;
    DenseSet<Value> kept;
    auto keep = [&](Value v) {
      if (isa<FloatType>(v.getType()) && ofThreads.contains(v))
        kept.insert(v);
    };
    for (Value arg : loop->getHeader()->getArguments())
      keep(arg);
    for (Block *block : loop->getBlocks())
      for (Operation &op : *block)
        for (Value operand : op.getOperands())
          if (!loop->contains(operand.getParentBlock()))
            keep(operand);
    most = std::max(most, unsigned(kept.size()));
  }
  return most * (kWarpLanes / chunk) > kNeonRegisters;
}

/// The lanes that suit a kernel: two vectors in a block of several rows, or one
/// if rows are as short. Measured on AVX2 (docs/Performance.md): blocks of 32 x
/// 8 gain, those of 16 x 16 mostly. Blocks of one row lose, and so do streams
/// of long rows. A warp of the ISA is eight vectors of four lanes (NEON), which
/// gain by other limits: it has too few registers in some loops, and in
/// straight code the tests and addresses of a narrow warp weigh too much.
static unsigned lanesFor(FuncOp kernel, const ShapeContext &context,
                         unsigned chunk) {
  bool isShort = chunk == 4;
  unsigned row = context.block[0],
           lanes = isShort && !hasLoop(kernel) ? 4 * chunk : 2 * chunk;
  if (context.threads() == row) {
    if (!isShort || !crowdsRegisters(kernel, chunk))
      return kWarpLanes;
  } else if (row >= kWarpLanes && streams(kernel)) {
    return kWarpLanes;
  }
  while (row % lanes != 0 && lanes > chunk)
    lanes /= 2;
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
