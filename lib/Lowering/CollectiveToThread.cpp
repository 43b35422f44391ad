//===- CollectiveToThread.cpp - warp operations of single threads ---------===//
//
// Where each thread is a strand of its own, the runtime gathers what the
// threads of a warp have brought, and each computes its own result from it.
//
//===----------------------------------------------------------------------===//

#include "Packetizer.h"

#include "ptxjit/Runtime/KernelABI.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using arith::CmpIPredicate;

/// What tells apart the operations that threads may not mix in one meeting.
static unsigned kindOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, unsigned>(op)
      .Case<ShflOp>([](ShflOp o) { return 0x100 | unsigned(o.getMode()); })
      .Case<VoteOp>([](VoteOp o) { return 0x200 | unsigned(o.getMode()); })
      .Case<MatchOp>([](MatchOp o) { return 0x300 | unsigned(o.getMode()); })
      .Case<ReduxOp>([](ReduxOp o) { return 0x400 | unsigned(o.getOp()); })
      .Case<ElectOp>([](ElectOp) { return 0x500; })
      .Default([](Operation *) { return 0; });
}

Value Packetizer::laneOfThread() {
  ChunkBuilder s = scalar();
  return s.bitAnd(linear, s.intConstant(32, 31));
}

Value Packetizer::Gathered::load(size_t offset, Type type) const {
  auto ptr = LLVM::LLVMPointerType::get(p.b.getContext());
  Value place = LLVM::GEPOp::create(p.b, p.loc, ptr, p.b.getI8Type(), data,
                                    LLVM::GEPArg(int32_t(offset)));
  return LLVM::LoadOp::create(p.b, p.loc, type, place);
}
Value Packetizer::Gathered::present() const {
  return load(offsetof(PtxjitGathered, present), p.b.getI32Type());
}
Value Packetizer::Gathered::yes() const {
  return load(offsetof(PtxjitGathered, yes), p.b.getI32Type());
}
/// What lane `index` (i32, below 32) has brought.
Value Packetizer::Gathered::value(Value index, unsigned width) const {
  auto ptr = LLVM::LLVMPointerType::get(p.b.getContext());
  Value values = LLVM::GEPOp::create(
      p.b, p.loc, ptr, p.b.getI8Type(), data,
      LLVM::GEPArg(int32_t(offsetof(PtxjitGathered, values))));
  Value place = LLVM::GEPOp::create(p.b, p.loc, ptr, p.b.getI64Type(), values,
                                    LLVM::GEPArg(index));
  return LLVM::LoadOp::create(p.b, p.loc, p.b.getIntegerType(width), place);
}
Value Packetizer::Gathered::isPresent(Value index) const {
  ChunkBuilder s = p.scalar();
  return s.bitAnd(s.shr(present(), index, false), s.intConstant(32, 1));
}

/// Waits for the members of `m` (null: the warp) with `value` (null: none).
Packetizer::Gathered Packetizer::gather(Operation *op, Value m, Value value) {
  ChunkBuilder s = scalar();
  Value bits =
      value ? s.resize(s.bitsOf(base(value)), 64, false) : s.intConstant(64, 0);
  Value data = callHelper(offsetof(PtxjitHelpers, gather),
                          {strand, s.intConstant(32, kindOf(op)),
                           m ? base(m) : s.intConstant(32, 0xffffffff), bits},
                          LLVM::LLVMPointerType::get(b.getContext()));
  return {*this, data};
}

void Packetizer::shuffleThread(ShflOp op) {
  Gathered gathered = gather(op, op.getM(), op.getA());
  ChunkBuilder s = scalar();
  Value lane = laneOfThread(), low = s.intConstant(32, 31);
  Value amount = s.bitAnd(base(op.getB()), low), control = base(op.getC());
  Value segment = s.bitAnd(s.shrBy(control, 8, false), low);
  Value outside = s.bitNot(segment), minLane = s.bitAnd(lane, segment);
  Value maxLane = s.bitOr(minLane, s.bitAnd(s.bitAnd(control, low), outside));
  Value j = shuffleSource(s, op.getMode(), lane, amount, minLane, outside);
  bool up = op.getMode() == ShuffleMode::Up;
  Value inside =
      s.cmp(up ? CmpIPredicate::sge : CmpIPredicate::sle, j, maxLane);
  Value from = s.select(inside, j, lane);
  // A lane that is not there: the ISA leaves it open; the own value.
  Value there =
      s.cmp(CmpIPredicate::ne, gathered.isPresent(from), s.intConstant(32, 0));
  from = s.select(there, from, lane);
  setBase(op.getD().front(), gathered.value(from, 32));
  if (op.getD().size() > 1)
    setBase(op.getD()[1], inside);
}

void Packetizer::voteThread(VoteOp op) {
  Gathered gathered = gather(op, op.getM(), op.getA());
  ChunkBuilder s = scalar();
  Value yes = gathered.yes();
  Value all = s.cmp(CmpIPredicate::eq, yes, gathered.present());
  Value none = s.cmp(CmpIPredicate::eq, yes, s.intConstant(32, 0));
  switch (op.getMode()) {
  case VoteMode::All:
    return setBase(op.getD(), all);
  case VoteMode::Any:
    return setBase(op.getD(), s.bitNot(none));
  case VoteMode::Uni:
    return setBase(op.getD(), s.bitOr(all, none));
  case VoteMode::Ballot:
    return setBase(op.getD(), yes);
  }
}

/// Folds what the lanes that are present have brought, in a loop.
Value Packetizer::foldLanes(
    const Gathered &gathered, Value start,
    llvm::function_ref<Value(Value lane, Value sum)> step) {
  ChunkBuilder s = scalar();
  scf::ForOp loop = buildCountedLoop(32, {start});
  OpBuilder::InsertionGuard guard(b);
  Block *body = loop.getBody();
  if (!body->empty() && body->back().hasTrait<OpTrait::IsTerminator>())
    body->back().erase();
  b.setInsertionPointToEnd(body);
  Value lane = loop.getInductionVar(), sum = loop.getRegionIterArgs().front();
  Value there =
      s.cmp(CmpIPredicate::ne, gathered.isPresent(lane), s.intConstant(32, 0));
  Value next = s.select(there, step(lane, sum), sum);
  scf::YieldOp::create(b, loc, next);
  return loop.getResult(0);
}

void Packetizer::matchThread(MatchOp op) {
  Gathered gathered = gather(op, op.getM(), op.getA());
  ChunkBuilder s = scalar();
  unsigned width = getBitWidth(op.getTy());
  Value zero = s.intConstant(32, 0), own = base(op.getA());
  Value same = foldLanes(gathered, zero, [&](Value lane, Value sum) {
    Value equal = s.cmp(CmpIPredicate::eq, gathered.value(lane, width), own);
    return s.bitOr(sum, s.shl(s.resize(equal, 32, false), lane));
  });
  Value everybody = s.cmp(CmpIPredicate::eq, same, gathered.present());
  setBase(op.getD()[0], op.getMode() == MatchMode::All
                            ? s.select(everybody, same, zero)
                            : same);
  if (op.getD().size() > 1)
    setBase(op.getD()[1], everybody);
}

void Packetizer::reduxThread(ReduxOp op) {
  Gathered gathered = gather(op, op.getM(), op.getA());
  Reduction reduction = reductionOf(op);
  Value start = scalar().intConstant(32, reduction.neutral);
  setBase(op.getD(), foldLanes(gathered, start, [&](Value lane, Value sum) {
            ChunkBuilder s = scalar();
            return reduction.combine(s, sum, gathered.value(lane, 32));
          }));
}

void Packetizer::electThread(ElectOp op) {
  ChunkBuilder s = scalar();
  Value leader = firstLane(s, gather(op, op.getM(), Value()).present());
  setBase(op.getD()[0], leader);
  if (op.getD().size() > 1)
    setBase(op.getD()[1], s.cmp(CmpIPredicate::eq, leader, laneOfThread()));
}

bool Packetizer::emitThreadCollective(Operation &op) {
  return llvm::TypeSwitch<Operation *, bool>(&op)
      .Case<ShflOp>([&](ShflOp o) { return shuffleThread(o), true; })
      .Case<VoteOp>([&](VoteOp o) { return voteThread(o), true; })
      .Case<MatchOp>([&](MatchOp o) { return matchThread(o), true; })
      .Case<ReduxOp>([&](ReduxOp o) { return reduxThread(o), true; })
      .Case<ElectOp>([&](ElectOp o) { return electThread(o), true; })
      .Case<BarWarpOp>(
          [&](BarWarpOp o) { return gather(o, o.getA(), Value()), true; })
      .Case<ActivemaskOp>([&](ActivemaskOp o) {
        // Any set that holds the thread is right; it runs alone.
        ChunkBuilder s = scalar();
        setBase(o.getD(), s.shl(s.intConstant(32, 1), laneOfThread()));
        return true;
      })
      .Default([](Operation *) { return false; });
}
