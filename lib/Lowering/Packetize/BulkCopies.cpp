//===- BulkCopies.cpp - bulk copies and reductions ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mostly one elected thread issues a bulk copy. So the copy of each active lane
// is a loop of wide scalar code.
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"
#include "Addresses.h"
#include "Alignment.h"
#include "Atomics.h"
#include "Clusters.h"
#include "Dispatch.h"
#include "Faults.h"
#include "LaneLoops.h"
#include "Mbarriers.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using arith::CmpIPredicate;

/// Emits body(i64 offset) for begin, begin + step, ... < end.
static void forEachElement(WarpBuilder &warp, Value begin, Value end,
                           int64_t step,
                           llvm::function_ref<void(Value offset)> body) {
  Value by = warp.create<arith::ConstantIntOp>(step, 64);
  auto loop = warp.create<scf::ForOp>(begin, end, by);
  OpBuilder::InsertionGuard guard(warp.b);
  warp.b.setInsertionPoint(loop.getBody()->getTerminator());
  body(loop.getInductionVar());
}

/// Copies `bytes` bytes, or writes zeros if `from` is null; wide pieces first.
/// `byteMask` (null: none) applies to each piece of 16 bytes.
static void copyBytes(WarpBuilder &warp, Value to, Value from, Value bytes,
                      Value byteMask) {
  ChunkBuilder s = warp.scalar();
  Value zero = s.intConstant(64, 0);
  auto piece = [&](int64_t size) {
    return [&, size](Value offset) {
      Type type = VectorType::get({size}, warp.b.getI8Type());
      Value data = from ? warp.create<LLVM::LoadOp>(
                                  type, warp.toPointer(s.add(from, offset)), 8)
                              .getResult()
                        : warp.create<arith::ConstantOp>(
                                  cast<TypedAttr>(warp.b.getZeroAttr(type)))
                              .getResult();
      Value where = warp.toPointer(s.add(to, offset));
      if (byteMask)
        warp.create<LLVM::MaskedStoreOp>(data, where, byteMask, 16);
      else
        warp.create<LLVM::StoreOp>(data, where, 8);
    };
  };
  if (byteMask) {
    forEachElement(warp, zero, bytes, 16, piece(16));
    return;
  }
  Value wide = s.bitAnd(bytes, s.intConstant(64, ~uint64_t(63)));
  forEachElement(warp, zero, wide, 64, piece(64));
  forEachElement(warp, wide, bytes, 8, piece(8));
}

static void reduceElements(WarpBuilder &warp, Operation *op, Value to,
                           Value from, Value bytes) {
  ScalarType type = cast<ScalarTypeAttr>(*op->getInherentAttr("ty")).getValue();
  AtomicOp kind = cast<AtomicOpAttr>(*op->getInherentAttr("op")).getValue();
  ChunkBuilder s = warp.scalar();
  Type element = getValueType(warp.b.getContext(), type);
  int64_t size = getBitWidth(type) / 8;
  forEachElement(warp, s.intConstant(64, 0), bytes, size, [&](Value offset) {
    Value value = warp.create<LLVM::LoadOp>(
        element, warp.toPointer(s.add(from, offset)), size);
    updateElement(warp, kind, type, warp.toPointer(s.add(to, offset)), value,
                  LLVM::AtomicOrdering::monotonic);
  });
}

/// The size of a copy in bytes, i64. The launch fails if it is no multiple of
/// `unit`.
static Value sizeOfBulk(WarpBuilder &warp, Value size, uint64_t unit) {
  ChunkBuilder s = warp.scalar();
  Value bytes = s.resize(size, 64, false);
  Value odd = s.bitAnd(bytes, s.intConstant(64, unit - 1));
  Value bad = s.cmp(CmpIPredicate::ne, odd, s.intConstant(64, 0));
  auto fails = warp.create<scf::IfOp>(bad, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(warp.b);
  warp.b.setInsertionPointToStart(fails.thenBlock());
  emitFault(warp, PTXJIT_KERNEL_ILLEGAL, s.intConstant(32, 0),
            s.intConstant(64, 0));
  return bytes;
}

/// Emits `body` for each CTA of the cluster whose bit in `chosen` (i64) is set.
static void forEachCta(WarpBuilder &warp, Value chosen,
                       llvm::function_ref<void(Value rank)> body) {
  ChunkBuilder s = warp.scalar();
  Value count = s.resize(clusterSize(warp), 64, false);
  forEachElement(warp, s.intConstant(64, 0), count, 1, [&](Value rank) {
    Value bit = s.make<arith::ShRUIOp>(chosen, rank);
    auto picked = warp.create<scf::IfOp>(s.resize(bit, 1, false),
                                         /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(warp.b);
    warp.b.setInsertionPointToStart(picked.thenBlock());
    body(rank);
  });
}

template <typename BulkLikeOp>
static LogicalResult emitBulkCopy(WarpBuilder &warp, BulkLikeOp op) {
  constexpr bool fromGlobal = std::is_same_v<BulkLikeOp, BulkLoadOp>;
  constexpr bool reduces = std::is_same_v<BulkLikeOp, BulkReducePeerOp> ||
                           std::is_same_v<BulkLikeOp, BulkReduceStoreOp>;
  Space toSpace = op.getMbar() ? Space::SharedCluster : Space::Global;
  Space fromSpace = fromGlobal ? Space::Global : Space::Shared;
  LaneAddress to = resolve(warp, op.getDst(), toSpace, 0),
              from = resolve(warp, op.getSrc(), fromSpace, 0), tracked;
  emitAlignmentTest(warp, to, op.getDst(), toSpace, 0, 16, op.getMask());
  emitAlignmentTest(warp, from, op.getSrc(), fromSpace, 0, 16, op.getMask());
  if (op.getMbar()) {
    tracked = resolve(warp, op.getMbar(), Space::SharedCluster, 0);
    emitAlignmentTest(warp, tracked, op.getMbar(), Space::SharedCluster, 0, 8,
                      op.getMask());
  }
  forEachLane(warp, op.getMask(), [&](LoopLane &lane) {
    ChunkBuilder s = warp.scalar();
    Value zero = s.intConstant(32, 0);
    Value bytes = sizeOfBulk(warp, lane.get(op.getSize()), 16);
    Value source = lane.get(from);
    Value byteMask;
    if (op.getBytes())
      byteMask = warp.create<LLVM::BitcastOp>(
          VectorType::get({16}, warp.b.getI1Type()), lane.get(op.getBytes()));
    /// Copies into the memory of one CTA. `move` is the distance to it from
    /// the CTA that the address means; null: none.
    auto copyTo = [&](Value move) {
      Value place = lane.get(to);
      if (move)
        place = s.add(place, move);
      if (reduces)
        reduceElements(warp, op, place, source, bytes);
      else
        copyBytes(warp, place, source, bytes, byteMask);
      if (!op.getMbar())
        return;
      Value object = lane.get(tracked);
      if (move)
        object = s.add(object, move);
      Value tx = s.sub(zero, s.resize(bytes, 32, false));
      updateMbarrier(warp, object, zero, zero, tx);
    };
    if (!op.getCtas())
      return copyTo(Value());
    Value own =
        s.bitAnd(s.sub(lane.get(to), warp.kernel.sharedWindow),
                 s.intConstant(64, ~((uint64_t(1) << PTXJIT_SHARED_BITS) - 1)));
    forEachCta(warp, s.resize(lane.get(op.getCtas()), 64, false),
               [&](Value rank) {
                 copyTo(warp.scalar().sub(rankOffset(warp, rank), own));
               });
  });
  return success();
}

static LogicalResult emitStBulk(WarpBuilder &warp, StBulkOp op) {
  LaneAddress to = resolve(warp, op.getDst(), op.getSpace(), op.getOffset());
  emitAlignmentTest(warp, to, op.getDst(), op.getSpace(), op.getOffset(), 8,
                    op.getMask());
  forEachLane(warp, op.getMask(), [&](LoopLane &lane) {
    copyBytes(warp, lane.get(to), Value(),
              sizeOfBulk(warp, lane.get(op.getSize()), 8), Value());
  });
  return success();
}

/// The runtime knows which clusters have not started.
static LogicalResult emitTryCancel(WarpBuilder &warp, ClcTryCancelOp op) {
  auto space = op.getSpace();
  LaneAddress to = resolve(warp, op.getDst(), space, 0),
              tracked = resolve(warp, op.getMbar(), space, 0);
  emitAlignmentTest(warp, to, op.getDst(), space, 0, 16, op.getMask());
  emitAlignmentTest(warp, tracked, op.getMbar(), space, 0, 8, op.getMask());
  forEachLane(warp, op.getMask(), [&](LoopLane &lane) {
    warp.callHelper(offsetof(PtxjitHelpers, cancelCluster),
                    {lane.get(to), lane.get(tracked),
                     warp.scalar().intConstant(32, op.getAll())});
  });
  return success();
}

void ptxjit::addBulkCopyEmitters(Dispatch &dispatch) {
  dispatch.add<emitBulkCopy<BulkLoadOp>>();
  dispatch.add<emitBulkCopy<BulkPeerOp>>();
  dispatch.add<emitBulkCopy<BulkStoreOp>>();
  dispatch.add<emitBulkCopy<BulkReducePeerOp>>();
  dispatch.add<emitBulkCopy<BulkReduceStoreOp>>();
  dispatch.add<emitStBulk>();
  dispatch.add<emitTryCancel>();
}
