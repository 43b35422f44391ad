//===- Mbarriers.cpp - mbarrier objects -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// KernelABI.h describes the object. Updates are calls of the runtime. A wait is
// a load and a comparison, once for the warp if all lanes ask the same.
//
//===----------------------------------------------------------------------===//

#include "Mbarriers.h"
#include "Addresses.h"
#include "Alignment.h"
#include "Clusters.h"
#include "Dispatch.h"
#include "LaneLoops.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using arith::CmpIPredicate;

template <typename MbarrierLikeOp>
static LaneAddress mbarrierAddress(WarpBuilder &warp, MbarrierLikeOp op) {
  LaneAddress address = resolve(warp, op.getA(), op.getSpace(), op.getOffset());
  emitAlignmentTest(warp, address, op.getA(), op.getSpace(), op.getOffset(), 8,
                    op.getMask());
  return address;
}

Value ptxjit::updateMbarrier(WarpBuilder &warp, Value address, Value arrivals,
                             Value drops, Value tx) {
  warp.create<LLVM::LoadOp>(warp.b.getI64Type(), warp.toPointer(address), 8,
                            /*isVolatile=*/true);
  return warp.callHelper(offsetof(PtxjitHelpers, mbarrier),
                         {address, arrivals, drops, tx}, warp.b.getI64Type());
}

static LogicalResult emitMbarrierInit(WarpBuilder &warp, MbarrierInitOp op) {
  LaneAddress address = mbarrierAddress(warp, op);
  forEachLane(warp, op.getMask(), [&](LoopLane &lane) {
    ChunkBuilder s = warp.scalar();
    Value pending = s.resize(lane.get(op.getB()), 64, false);
    Value word =
        s.bitOr(pending, s.shlBy(pending, PTXJIT_MBARRIER_EXPECTED_SHIFT));
    auto store =
        warp.create<LLVM::StoreOp>(word, warp.toPointer(lane.get(address)), 8);
    store.setOrdering(LLVM::AtomicOrdering::release);
  });
  return success();
}

static LogicalResult emitMbarrierTx(WarpBuilder &warp, MbarrierTxOp op) {
  LaneAddress address = mbarrierAddress(warp, op);
  forEachLane(warp, op.getMask(), [&](LoopLane &lane) {
    ChunkBuilder s = warp.scalar();
    Value zero = s.intConstant(32, 0), tx = lane.get(op.getB());
    if (op.getTx() == MbarrierTx::Complete)
      tx = s.sub(zero, tx);
    updateMbarrier(warp, lane.get(address), zero, zero, tx);
  });
  return success();
}

static LogicalResult emitMbarrierArrive(WarpBuilder &warp,
                                        MbarrierArriveOp op) {
  LaneAddress address = mbarrierAddress(warp, op);
  bool drops = op.getArrive() == MbarrierArrive::ArriveDrop;
  auto arrive = [&](Value at, Value count, Value tx) {
    Value zero = warp.scalar().intConstant(32, 0);
    return updateMbarrier(warp, at, count, drops ? count : zero,
                          tx ? tx : zero);
  };
  // A warp that arrives at one object does so with one update, and all lanes
  // get the same state. Separate arrivals would return different counts of
  // pending arrivals, but a program may read the count only after
  // `.noComplete`.
  bool uniform = address.base && !address.pattern && !op.getNoComplete() &&
                 (!op.getB() || warp.shapeOf(op.getB()).isUniform());
  if (uniform) {
    ChunkBuilder s = warp.scalar();
    Value here = s.intConstant(32, 1);
    if (!warp.perThread())
      here = s.intrinsic("llvm.ctpop", warp.b.getI32Type(),
                         {warp.activeBits(op.getMask())});
    Value total =
        op.getB() ? s.make<arith::MulIOp>(warp.base(op.getB()), here) : here;
    Value state = op.getExpectTx() ? arrive(address.base, here, total)
                                   : arrive(address.base, total, Value());
    if (!op.getD().empty())
      warp.setBase(op.getD().front(), state);
    return success();
  }
  auto states = forEachLane(
      warp, op.getMask(), {warp.b.getI64Type()}, [&](LoopLane &lane) {
        Value one = warp.scalar().intConstant(32, 1);
        Value given = op.getB() ? lane.get(op.getB()) : one;
        Value at = lane.get(address);
        Value before = op.getExpectTx() ? arrive(at, one, given)
                                        : arrive(at, given, Value());
        return SmallVector<Value>{before};
      });
  if (!op.getD().empty())
    warp.setChunks(op.getD().front(), states.front());
  return success();
}

static LogicalResult emitMbarrierWait(WarpBuilder &warp, MbarrierWaitOp op) {
  LaneAddress address = mbarrierAddress(warp, op);
  auto load = [&](Value at) -> Value {
    auto word =
        warp.create<LLVM::LoadOp>(warp.b.getI64Type(), warp.toPointer(at), 8);
    word.setOrdering(LLVM::AtomicOrdering::acquire);
    return word;
  };
  // The phase in question has ended if its parity is not the present one.
  auto hasEnded = [&](ChunkBuilder &k, Value word, Value asked) {
    Value now = k.shrBy(word, PTXJIT_MBARRIER_PHASE_SHIFT, false);
    asked = op.getParity()
                ? k.bitAnd(k.resize(asked, 64, false), k.intConstant(64, 1))
                : k.shrBy(asked, PTXJIT_MBARRIER_PHASE_SHIFT, false);
    return k.cmp(CmpIPredicate::ne, now, asked);
  };
  if (warp.shapeOf(op.getD()).isUniform()) {
    ChunkBuilder s = warp.scalar();
    warp.setBase(op.getD(),
                 hasEnded(s, load(address.base), warp.base(op.getB())));
    return success();
  }
  ChunkBuilder v = warp.lanes();
  ChunkVectors words, ended;
  if (address.base && !address.pattern)
    words.assign(warp.numChunks(), v.splat(load(address.base)));
  else
    words = forEachLane(warp, op.getMask(), {warp.b.getI64Type()},
                        [&](LoopLane &lane) {
                          return SmallVector<Value>{load(lane.get(address))};
                        })
                .front();
  for (auto [c, word] : llvm::enumerate(words))
    ended.push_back(hasEnded(v, word, warp.chunk(op.getB(), c)));
  warp.setChunks(op.getD(), ended);
  return success();
}

/// Nothing to do: a program cannot tell before it initialises the object again.
static LogicalResult emitMbarrierInval(WarpBuilder &, MbarrierInvalOp) {
  return success();
}

static LogicalResult emitMbarrierPending(WarpBuilder &warp,
                                         MbarrierPendingOp op) {
  return emitByLane(warp, op, [&](ChunkBuilder &k, ValueRange in) {
    uint64_t mask = (uint64_t(1) << PTXJIT_MBARRIER_COUNT_BITS) - 1;
    return k.resize(k.bitAnd(in[0], k.intConstant(64, mask)), 32, false);
  });
}

void ptxjit::addMbarrierEmitters(Dispatch &dispatch) {
  dispatch.add<emitMbarrierInit>();
  dispatch.add<emitMbarrierTx>();
  dispatch.add<emitMbarrierArrive>();
  dispatch.add<emitMbarrierWait>();
  dispatch.add<emitMbarrierInval>();
  dispatch.add<emitMbarrierPending>();
}
