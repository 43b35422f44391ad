//===- MbarrierToVector.cpp - mbarrier objects ----------------------------===//
//
// What the object holds: KernelABI.h. Updates are the runtime's; a wait is a
// load and a comparison, once for all lanes where they ask the same.
//
//===----------------------------------------------------------------------===//

#include "Packetizer.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using arith::CmpIPredicate;

LogicalResult Packetizer::emitMbarrier(Operation &op, bool &handled) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](MbarrierInitOp o) { return emitMbarrierInit(o); })
      .Case([&](MbarrierTxOp o) { return emitMbarrierTx(o); })
      .Case([&](MbarrierArriveOp o) { return emitMbarrierArrive(o); })
      .Case([&](MbarrierWaitOp o) { return emitMbarrierWait(o); })
      // Only initialising it again would tell.
      .Case([&](MbarrierInvalOp) { return success(); })
      .Case([&](MbarrierPendingOp o) {
        return emitByLane(*o, [&](ChunkBuilder &k, ValueRange in) {
          uint64_t mask = (uint64_t(1) << PTXJIT_MBARRIER_COUNT_BITS) - 1;
          return k.resize(k.bitAnd(in[0], k.intConstant(64, mask)), 32, false);
        });
      })
      .Default([&](Operation *) {
        handled = false;
        return success();
      });
}

template <typename MbarrierLikeOp>
LaneAddress Packetizer::mbarrierAddress(MbarrierLikeOp op) {
  LaneAddress address = resolve(op.getA(), op.getSpace(), op.getOffset());
  emitAlignmentTest(address, op.getA(), op.getSpace(), op.getOffset(), 8,
                    op.getMask());
  return address;
}

/// \returns the state before. The load is where a bad address shows.
Value Packetizer::updateMbarrier(Value address, Value arrivals, Value drops,
                                 Value tx) {
  LLVM::LoadOp::create(b, loc, b.getI64Type(), toPointer(address), 8,
                       /*isVolatile=*/true);
  return callHelper(offsetof(PtxjitHelpers, mbarrier),
                    {address, arrivals, drops, tx}, b.getI64Type());
}

LogicalResult Packetizer::emitMbarrierInit(MbarrierInitOp op) {
  LaneAddress address = mbarrierAddress(op);
  for (unsigned c = 0; c < numChunks(); ++c) {
    Value at = address.vectors(c), count = chunk(op.getB(), c);
    forEachLane(c, op.getMask(), {}, [&](Value lane, ValueRange) {
      ChunkBuilder s = scalar();
      Value pending = s.resize(extractLane(count, lane), 64, false);
      Value word =
          s.bitOr(pending, s.shlBy(pending, PTXJIT_MBARRIER_EXPECTED_SHIFT));
      auto store = LLVM::StoreOp::create(b, loc, word,
                                         toPointer(extractLane(at, lane)), 8);
      store.setOrdering(LLVM::AtomicOrdering::release);
      return SmallVector<Value>();
    });
  }
  return success();
}

LogicalResult Packetizer::emitMbarrierTx(MbarrierTxOp op) {
  LaneAddress address = mbarrierAddress(op);
  for (unsigned c = 0; c < numChunks(); ++c) {
    Value at = address.vectors(c), bytes = chunk(op.getB(), c);
    forEachLane(c, op.getMask(), {}, [&](Value lane, ValueRange) {
      ChunkBuilder s = scalar();
      Value zero = s.intConstant(32, 0), tx = extractLane(bytes, lane);
      if (op.getTx() == MbarrierTx::Complete)
        tx = s.sub(zero, tx);
      updateMbarrier(extractLane(at, lane), zero, zero, tx);
      return SmallVector<Value>();
    });
  }
  return success();
}

LogicalResult Packetizer::emitMbarrierArrive(MbarrierArriveOp op) {
  LaneAddress address = mbarrierAddress(op);
  bool drops = op.getArrive() == MbarrierArrive::ArriveDrop;
  auto arrive = [&](Value at, Value count, Value tx) {
    Value zero = scalar().intConstant(32, 0);
    return updateMbarrier(at, count, drops ? count : zero, tx ? tx : zero);
  };
  // A warp that arrives at one object does it with one update; the state is the
  // same for all, but for the arrivals that it lacks, which only `noComplete`
  // may tell.
  bool uniform = address.base && !address.pattern && !op.getNoComplete() &&
                 (!op.getB() || shapeOf(op.getB()).isUniform());
  if (uniform) {
    ChunkBuilder s = scalar();
    Value here = s.intConstant(32, 1);
    if (!perThread())
      here =
          s.intrinsic("llvm.ctpop", b.getI32Type(), {activeBits(op.getMask())});
    Value total =
        op.getB() ? s.make<arith::MulIOp>(base(op.getB()), here) : here;
    Value state = op.getExpectTx() ? arrive(address.base, here, total)
                                   : arrive(address.base, total, Value());
    if (!op.getD().empty())
      setBase(op.getD().front(), state);
    return success();
  }
  SmallVector<Value, 8> states;
  for (unsigned c = 0; c < numChunks(); ++c) {
    Value at = address.vectors(c);
    Value operand = op.getB() ? chunk(op.getB(), c) : Value();
    SmallVector<Value> state = forEachLane(
        c, op.getMask(), {lanes().zero(b.getI64Type())},
        [&](Value lane, ValueRange args) {
          Value one = scalar().intConstant(32, 1);
          Value given = operand ? extractLane(operand, lane) : one;
          Value before = op.getExpectTx()
                             ? arrive(extractLane(at, lane), one, given)
                             : arrive(extractLane(at, lane), given, Value());
          return SmallVector<Value>{insertLane(args[0], before, lane)};
        });
    states.push_back(state.front());
  }
  if (!op.getD().empty())
    setChunks(op.getD().front(), states);
  return success();
}

LogicalResult Packetizer::emitMbarrierWait(MbarrierWaitOp op) {
  LaneAddress address = mbarrierAddress(op);
  auto load = [&](Value at) -> Value {
    auto word = LLVM::LoadOp::create(b, loc, b.getI64Type(), toPointer(at), 8);
    word.setOrdering(LLVM::AtomicOrdering::acquire);
    return word;
  };
  // The parity of the phase now is not that of the one in question.
  auto hasEnded = [&](ChunkBuilder &k, Value word, Value asked) {
    Value now = k.shrBy(word, PTXJIT_MBARRIER_PHASE_SHIFT, false);
    asked = op.getParity()
                ? k.bitAnd(k.resize(asked, 64, false), k.intConstant(64, 1))
                : k.shrBy(asked, PTXJIT_MBARRIER_PHASE_SHIFT, false);
    return k.cmp(CmpIPredicate::ne, now, asked);
  };
  if (shapeOf(op.getD()).isUniform()) {
    ChunkBuilder s = scalar();
    setBase(op.getD(), hasEnded(s, load(address.base), base(op.getB())));
    return success();
  }
  SmallVector<Value, 8> ended;
  Value only = address.base && !address.pattern ? load(address.base) : Value();
  for (unsigned c = 0; c < numChunks(); ++c) {
    ChunkBuilder v = lanes();
    if (only) {
      ended.push_back(hasEnded(v, v.splat(only), chunk(op.getB(), c)));
      continue;
    }
    Value at = address.vectors(c);
    SmallVector<Value> words = forEachLane(
        c, op.getMask(), {v.zero(b.getI64Type())},
        [&](Value lane, ValueRange args) {
          Value word = load(extractLane(at, lane));
          return SmallVector<Value>{insertLane(args[0], word, lane)};
        });
    ended.push_back(hasEnded(v, words.front(), chunk(op.getB(), c)));
  }
  setChunks(op.getD(), ended);
  return success();
}
