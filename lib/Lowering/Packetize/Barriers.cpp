//===- Barriers.cpp - barriers, fences, and giving way --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers of a CTA are calls of the runtime, through the context.
//
//===----------------------------------------------------------------------===//

#include "Collectives.h"
#include "Dispatch.h"
#include "WarpMemory.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using arith::CmpIPredicate;

static Value agreed(WarpBuilder &warp, Value value, Value active) {
  if (warp.shapeOf(value).isUniform())
    return warp.base(value);
  Value buffer = exchangeBuffer(warp, 0);
  storeLanes(warp, buffer, 32,
             [&](unsigned c) { return warp.chunk(value, c); });
  ChunkBuilder s = warp.scalar();
  Value first = s.bitAnd(firstLane(warp, s, active), s.intConstant(32, 31));
  return loadLane(warp, buffer, 32, first);
}

template <typename BarrierLikeOp>
static LogicalResult emitBarrier(WarpBuilder &warp, BarrierLikeOp op) {
  ChunkBuilder s = warp.scalar();
  Value active =
      warp.perThread() ? s.intConstant(32, 1) : warp.activeBits(op.getMask());
  Value votes = s.intConstant(32, 0);
  if (op.getC())
    votes = s.bitAnd(active, warp.laneBits([&](unsigned c) {
      return warp.chunk(op.getC(), c);
    }));
  unsigned mode = unsigned(op.getMode());
  unsigned reduce = op.getReduce() ? unsigned(*op.getReduce()) : 0;
  Value result = warp.callHelper(
      offsetof(PtxjitHelpers, barrier),
      {warp.kernel.strand, agreed(warp, op.getA(), active),
       op.getB() ? agreed(warp, op.getB(), active) : s.intConstant(32, 0),
       s.intConstant(32, mode | reduce << 8), votes, active});
  if (op.getD().empty())
    return success();
  if (ChunkBuilder::widthOf(op.getD().front()) == 1)
    result = s.cmp(CmpIPredicate::ne, result, s.intConstant(32, 0));
  warp.setBase(op.getD().front(), result);
  return success();
}

/// Lets other strands run; `why` is the reason.
static void giveWay(WarpBuilder &warp, PtxjitYield why) {
  ChunkBuilder s = warp.scalar();
  // A CTA that is split at its barriers gives way as a whole.
  Value strand =
      warp.target.fission ? s.intConstant(32, 0) : warp.kernel.strand;
  warp.callHelper(offsetof(PtxjitHelpers, yield),
                  {strand, s.intConstant(32, why)});
}

static LogicalResult emitNanosleep(WarpBuilder &warp, NanosleepOp) {
  giveWay(warp, PTXJIT_YIELD_WAITS);
  return success();
}

static LogicalResult emitYield(WarpBuilder &warp, YieldWarpOp op) {
  giveWay(warp, op.getMeets() ? PTXJIT_YIELD_MEETS : PTXJIT_YIELD_WAITS);
  return success();
}

static LogicalResult emitOrderShared(WarpBuilder &warp, OrderSharedOp) {
  giveWay(warp, PTXJIT_YIELD_ORDER);
  return success();
}

template <typename FenceLikeOp>
static LogicalResult emitFence(WarpBuilder &warp, FenceLikeOp) {
  warp.create<LLVM::FenceOp>(LLVM::AtomicOrdering::seq_cst, "");
  return success();
}

void ptxjit::addBarrierEmitters(Dispatch &dispatch) {
  dispatch.add<emitBarrier<BarOp>>();
  dispatch.add<emitBarrier<BarrierOp>>();
  dispatch.add<emitNanosleep>();
  dispatch.add<emitYield>();
  dispatch.add<emitOrderShared>();
  dispatch.add<emitFence<MembarOp>>();
  dispatch.add<emitFence<FenceOp>>();
}
