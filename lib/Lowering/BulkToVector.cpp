//===- BulkToVector.cpp - bulk copies and reductions ----------------------===//
//
// Most often one elected thread makes them: each active lane's copy is a loop
// of wide scalar code.
//
//===----------------------------------------------------------------------===//

#include "Packetizer.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using arith::CmpIPredicate;

LogicalResult Packetizer::emitBulk(Operation &op, bool &handled) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case<BulkLoadOp, BulkPeerOp, BulkStoreOp, BulkReducePeerOp,
            BulkReduceStoreOp>([&](auto o) { return emitBulkCopy(o); })
      .Case([&](StBulkOp o) { return emitStBulk(o); })
      .Case([&](ClcTryCancelOp o) { return emitTryCancel(o); })
      .Default([&](Operation *) {
        handled = false;
        return success();
      });
}

/// body(i64 offset) for begin, begin + step, ... < end.
void Packetizer::forEachElement(Value begin, Value end, int64_t step,
                                llvm::function_ref<void(Value offset)> body) {
  Value by = arith::ConstantIntOp::create(b, loc, step, 64);
  auto loop = scf::ForOp::create(b, loc, begin, end, by);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  body(loop.getInductionVar());
}

/// Wide pieces first. Pieces of 16 bytes are what a byte mask speaks of.
void Packetizer::copyBytes(Value to, Value from, Value bytes, Value byteMask) {
  ChunkBuilder s = scalar();
  Value zero = s.intConstant(64, 0);
  auto piece = [&](int64_t size) {
    return [&, size](Value offset) {
      Type type = VectorType::get({size}, b.getI8Type());
      Value data = from ? LLVM::LoadOp::create(
                              b, loc, type, toPointer(s.add(from, offset)), 8)
                              .getResult()
                        : arith::ConstantOp::create(
                              b, loc, cast<TypedAttr>(b.getZeroAttr(type)))
                              .getResult();
      Value where = toPointer(s.add(to, offset));
      if (byteMask)
        LLVM::MaskedStoreOp::create(b, loc, data, where, byteMask, 16);
      else
        LLVM::StoreOp::create(b, loc, data, where, 8);
    };
  };
  if (byteMask) {
    forEachElement(zero, bytes, 16, piece(16));
    return;
  }
  Value wide = s.bitAnd(bytes, s.intConstant(64, ~uint64_t(63)));
  forEachElement(zero, wide, 64, piece(64));
  forEachElement(wide, bytes, 8, piece(8));
}

void Packetizer::reduceElements(Operation *op, Value to, Value from,
                                Value bytes) {
  ScalarType type = cast<ScalarTypeAttr>(*op->getInherentAttr("ty")).getValue();
  AtomicOp kind = cast<AtomicOpAttr>(*op->getInherentAttr("op")).getValue();
  ChunkBuilder s = scalar();
  Type element = getValueType(b.getContext(), type);
  int64_t size = getBitWidth(type) / 8;
  forEachElement(s.intConstant(64, 0), bytes, size, [&](Value offset) {
    Value value = LLVM::LoadOp::create(b, loc, element,
                                       toPointer(s.add(from, offset)), size);
    updateElement(kind, type, toPointer(s.add(to, offset)), value,
                  LLVM::AtomicOrdering::monotonic);
  });
}

/// i64: the bytes of a copy, a multiple of `unit` or the launch fails.
Value Packetizer::sizeOfBulk(Value size, Value lane, uint64_t unit) {
  ChunkBuilder s = scalar();
  Value bytes = s.resize(extractLane(size, lane), 64, false);
  Value odd = s.bitAnd(bytes, s.intConstant(64, unit - 1));
  Value bad = s.cmp(CmpIPredicate::ne, odd, s.intConstant(64, 0));
  auto fails = scf::IfOp::create(b, loc, bad, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(fails.thenBlock());
  emitFault(PTXJIT_KERNEL_ILLEGAL, s.intConstant(32, 0), s.intConstant(64, 0));
  return bytes;
}

/// For each CTA of the cluster whose bit in `chosen` (i64) is set.
void Packetizer::forEachCta(Value chosen,
                            llvm::function_ref<void(Value rank)> body) {
  ChunkBuilder s = scalar();
  Value count = s.resize(clusterSize(), 64, false);
  forEachElement(s.intConstant(64, 0), count, 1, [&](Value rank) {
    Value bit = s.make<arith::ShRUIOp>(chosen, rank);
    auto picked = scf::IfOp::create(b, loc, s.resize(bit, 1, false),
                                    /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(picked.thenBlock());
    body(rank);
  });
}

template <typename BulkLikeOp>
LogicalResult Packetizer::emitBulkCopy(BulkLikeOp op) {
  constexpr bool fromGlobal = std::is_same_v<BulkLikeOp, BulkLoadOp>;
  constexpr bool reduces = std::is_same_v<BulkLikeOp, BulkReducePeerOp> ||
                           std::is_same_v<BulkLikeOp, BulkReduceStoreOp>;
  Space toSpace = op.getMbar() ? Space::SharedCluster : Space::Global;
  Space fromSpace = fromGlobal ? Space::Global : Space::Shared;
  LaneAddress to = resolve(op.getDst(), toSpace, 0),
              from = resolve(op.getSrc(), fromSpace, 0), tracked;
  emitAlignmentTest(to, op.getDst(), toSpace, 0, 16, op.getMask());
  emitAlignmentTest(from, op.getSrc(), fromSpace, 0, 16, op.getMask());
  if (op.getMbar()) {
    tracked = resolve(op.getMbar(), Space::SharedCluster, 0);
    emitAlignmentTest(tracked, op.getMbar(), Space::SharedCluster, 0, 8,
                      op.getMask());
  }
  for (unsigned c = 0; c < numChunks(); ++c) {
    Value toLanes = to.vectors(c), fromLanes = from.vectors(c);
    Value trackedLanes = op.getMbar() ? tracked.vectors(c) : Value();
    Value size = chunk(op.getSize(), c);
    Value ctas = op.getCtas() ? chunk(op.getCtas(), c) : Value();
    Value bytesLanes = op.getBytes() ? chunk(op.getBytes(), c) : Value();
    forEachLane(c, op.getMask(), {}, [&](Value lane, ValueRange) {
      ChunkBuilder s = scalar();
      Value zero = s.intConstant(32, 0);
      Value bytes = sizeOfBulk(size, lane, 16);
      Value source = extractLane(fromLanes, lane);
      Value byteMask = bytesLanes
                           ? LLVM::BitcastOp::create(
                                 b, loc, VectorType::get({16}, b.getI1Type()),
                                 extractLane(bytesLanes, lane))
                                 .getResult()
                           : Value();
      /// Into the memory of one CTA; `move` is where it begins, from that of
      /// the address on.
      auto copyTo = [&](Value move) {
        Value place = extractLane(toLanes, lane);
        if (move)
          place = s.add(place, move);
        if (reduces)
          reduceElements(op, place, source, bytes);
        else
          copyBytes(place, source, bytes, byteMask);
        if (!trackedLanes)
          return;
        Value object = extractLane(trackedLanes, lane);
        if (move)
          object = s.add(object, move);
        Value tx = s.sub(zero, s.resize(bytes, 32, false));
        updateMbarrier(object, zero, zero, tx);
      };
      if (!ctas) {
        copyTo(Value());
        return SmallVector<Value>();
      }
      Value own = s.bitAnd(
          s.sub(extractLane(toLanes, lane), sharedWindow),
          s.intConstant(64, ~((uint64_t(1) << PTXJIT_SHARED_BITS) - 1)));
      forEachCta(s.resize(extractLane(ctas, lane), 64, false), [&](Value rank) {
        copyTo(scalar().sub(rankOffset(rank), own));
      });
      return SmallVector<Value>();
    });
  }
  return success();
}

LogicalResult Packetizer::emitStBulk(StBulkOp op) {
  LaneAddress to = resolve(op.getDst(), op.getSpace(), op.getOffset());
  emitAlignmentTest(to, op.getDst(), op.getSpace(), op.getOffset(), 8,
                    op.getMask());
  for (unsigned c = 0; c < numChunks(); ++c) {
    Value toLanes = to.vectors(c), size = chunk(op.getSize(), c);
    forEachLane(c, op.getMask(), {}, [&](Value lane, ValueRange) {
      copyBytes(extractLane(toLanes, lane), Value(), sizeOfBulk(size, lane, 8),
                Value());
      return SmallVector<Value>();
    });
  }
  return success();
}

/// The answer is no: 16 bytes of zeros. See PtxCluster.td.
LogicalResult Packetizer::emitTryCancel(ClcTryCancelOp op) {
  auto space = op.getSpace();
  LaneAddress to = resolve(op.getDst(), space, 0),
              tracked = resolve(op.getMbar(), space, 0);
  emitAlignmentTest(to, op.getDst(), space, 0, 16, op.getMask());
  emitAlignmentTest(tracked, op.getMbar(), space, 0, 8, op.getMask());
  for (unsigned c = 0; c < numChunks(); ++c) {
    Value toLanes = to.vectors(c), trackedLanes = tracked.vectors(c);
    forEachLane(c, op.getMask(), {}, [&](Value lane, ValueRange) {
      ChunkBuilder s = scalar();
      auto answer = [&](Value move) {
        Value zero = s.intConstant(32, 0);
        copyBytes(s.add(extractLane(toLanes, lane), move), Value(),
                  s.intConstant(64, 16), Value());
        updateMbarrier(s.add(extractLane(trackedLanes, lane), move), zero, zero,
                       s.sub(zero, s.intConstant(32, 16)));
      };
      if (op.getAll())
        forEachCta(s.intConstant(64, ~uint64_t(0)), [&](Value rank) {
          answer(scalar().sub(rankOffset(rank), rankBits));
        });
      else
        answer(s.intConstant(64, 0));
      return SmallVector<Value>();
    });
  }
  return success();
}
