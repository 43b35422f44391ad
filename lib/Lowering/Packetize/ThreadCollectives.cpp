//===- ThreadCollectives.cpp - warp operations in thread mode -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In thread mode the runtime gathers what the threads of a warp bring to an
// operation. Each thread computes its own result from it.
//
//===----------------------------------------------------------------------===//

#include "ThreadCollectives.h"
#include "Collectives.h"
#include "Dispatch.h"
#include "LaneLoops.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using arith::CmpIPredicate;

/// A number for the operation. Threads that meet must all have the same one.
static unsigned kindOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, unsigned>(op)
      .Case<ShflOp>([](ShflOp o) { return 0x100 | unsigned(o.getMode()); })
      .Case<VoteOp>([](VoteOp o) { return 0x200 | unsigned(o.getMode()); })
      .Case<MatchOp>([](MatchOp o) { return 0x300 | unsigned(o.getMode()); })
      .Case<ReduxOp>([](ReduxOp o) { return 0x400 | unsigned(o.getOp()); })
      .Case<ElectOp>([](ElectOp) { return 0x500; })
      .Default([](Operation *) { return 0; });
}

Value Gathered::load(size_t offset, Type type) const {
  auto ptr = LLVM::LLVMPointerType::get(warp.b.getContext());
  Value place = warp.create<LLVM::GEPOp>(ptr, warp.b.getI8Type(), data,
                                         LLVM::GEPArg(int32_t(offset)));
  return warp.create<LLVM::LoadOp>(type, place);
}

Value Gathered::present() const {
  return load(offsetof(PtxjitGathered, present), warp.b.getI32Type());
}

Value Gathered::yes() const {
  return load(offsetof(PtxjitGathered, yes), warp.b.getI32Type());
}

Value Gathered::value(Value index, unsigned width) const {
  auto ptr = LLVM::LLVMPointerType::get(warp.b.getContext());
  Value values = warp.create<LLVM::GEPOp>(
      ptr, warp.b.getI8Type(), data,
      LLVM::GEPArg(int32_t(offsetof(PtxjitGathered, values))));
  Value place = warp.create<LLVM::GEPOp>(ptr, warp.b.getI64Type(), values,
                                         LLVM::GEPArg(index));
  return warp.create<LLVM::LoadOp>(warp.b.getIntegerType(width), place);
}

Value Gathered::isPresent(Value index) const {
  ChunkBuilder s = warp.scalar();
  return s.bitAnd(s.shr(present(), index, false), s.intConstant(32, 1));
}

Gathered ptxjit::gather(WarpBuilder &warp, Operation *op, Value m,
                        Value value) {
  ChunkBuilder s = warp.scalar();
  Value bits = value ? s.resize(s.bitsOf(warp.base(value)), 64, false)
                     : s.intConstant(64, 0);
  Value data =
      warp.callHelper(offsetof(PtxjitHelpers, gather),
                      {warp.kernel.strand, s.intConstant(32, kindOf(op)),
                       m ? warp.base(m) : s.intConstant(32, 0xffffffff), bits},
                      LLVM::LLVMPointerType::get(warp.b.getContext()));
  return {warp, data};
}

static LogicalResult shuffleThread(WarpBuilder &warp, ShflOp op) {
  Gathered gathered = gather(warp, op, op.getM(), op.getA());
  ChunkBuilder s = warp.scalar();
  Value lane = warp.laneOfThread(), low = s.intConstant(32, 31);
  Value amount = s.bitAnd(warp.base(op.getB()), low),
        control = warp.base(op.getC());
  Value segment = s.bitAnd(s.shrBy(control, 8, false), low);
  Value outside = s.bitNot(segment), minLane = s.bitAnd(lane, segment);
  Value maxLane = s.bitOr(minLane, s.bitAnd(s.bitAnd(control, low), outside));
  Value j = shuffleSource(s, op.getMode(), lane, amount, minLane, outside);
  bool up = op.getMode() == ShuffleMode::Up;
  Value inside =
      s.cmp(up ? CmpIPredicate::sge : CmpIPredicate::sle, j, maxLane);
  Value from = s.select(inside, j, lane);
  // The ISA leaves the value of an absent lane open; use the own value.
  Value there =
      s.cmp(CmpIPredicate::ne, gathered.isPresent(from), s.intConstant(32, 0));
  from = s.select(there, from, lane);
  warp.setBase(op.getD().front(), gathered.value(from, 32));
  if (op.getD().size() > 1)
    warp.setBase(op.getD()[1], inside);
  return success();
}

static LogicalResult voteThread(WarpBuilder &warp, VoteOp op) {
  Gathered gathered = gather(warp, op, op.getM(), op.getA());
  ChunkBuilder s = warp.scalar();
  Value yes = gathered.yes();
  Value all = s.cmp(CmpIPredicate::eq, yes, gathered.present());
  Value none = s.cmp(CmpIPredicate::eq, yes, s.intConstant(32, 0));
  switch (op.getMode()) {
  case VoteMode::All:
    warp.setBase(op.getD(), all);
    return success();
  case VoteMode::Any:
    warp.setBase(op.getD(), s.bitNot(none));
    return success();
  case VoteMode::Uni:
    warp.setBase(op.getD(), s.bitOr(all, none));
    return success();
  case VoteMode::Ballot:
    warp.setBase(op.getD(), yes);
    return success();
  }
  llvm_unreachable("all modes handled");
}

/// Folds the values of the lanes that are present, in a loop.
static Value foldLanes(WarpBuilder &warp, const Gathered &gathered, Value start,
                       llvm::function_ref<Value(Value lane, Value sum)> step) {
  ChunkBuilder s = warp.scalar();
  scf::ForOp loop = buildCountedLoop(warp, 32, {start});
  OpBuilder::InsertionGuard guard(warp.b);
  Block *body = loop.getBody();
  if (!body->empty() && body->back().hasTrait<OpTrait::IsTerminator>())
    body->back().erase();
  warp.b.setInsertionPointToEnd(body);
  Value lane = loop.getInductionVar(), sum = loop.getRegionIterArgs().front();
  Value there =
      s.cmp(CmpIPredicate::ne, gathered.isPresent(lane), s.intConstant(32, 0));
  Value next = s.select(there, step(lane, sum), sum);
  warp.create<scf::YieldOp>(next);
  return loop.getResult(0);
}

static LogicalResult matchThread(WarpBuilder &warp, MatchOp op) {
  Gathered gathered = gather(warp, op, op.getM(), op.getA());
  ChunkBuilder s = warp.scalar();
  unsigned width = getBitWidth(op.getTy());
  Value zero = s.intConstant(32, 0), own = warp.base(op.getA());
  Value same = foldLanes(warp, gathered, zero, [&](Value lane, Value sum) {
    Value equal = s.cmp(CmpIPredicate::eq, gathered.value(lane, width), own);
    return s.bitOr(sum, s.shl(s.resize(equal, 32, false), lane));
  });
  Value everybody = s.cmp(CmpIPredicate::eq, same, gathered.present());
  warp.setBase(op.getD()[0], op.getMode() == MatchMode::All
                                 ? s.select(everybody, same, zero)
                                 : same);
  if (op.getD().size() > 1)
    warp.setBase(op.getD()[1], everybody);
  return success();
}

static LogicalResult reduxThread(WarpBuilder &warp, ReduxOp op) {
  Gathered gathered = gather(warp, op, op.getM(), op.getA());
  Reduction reduction = reductionOf(op);
  Value start = warp.scalar().intConstant(32, reduction.neutral);
  warp.setBase(op.getD(),
               foldLanes(warp, gathered, start, [&](Value lane, Value sum) {
                 ChunkBuilder s = warp.scalar();
                 return reduction.combine(s, sum, gathered.value(lane, 32));
               }));
  return success();
}

static LogicalResult electThread(WarpBuilder &warp, ElectOp op) {
  ChunkBuilder s = warp.scalar();
  Value leader =
      firstLane(warp, s, gather(warp, op, op.getM(), Value()).present());
  warp.setBase(op.getD()[0], leader);
  if (op.getD().size() > 1)
    warp.setBase(op.getD()[1],
                 s.cmp(CmpIPredicate::eq, leader, warp.laneOfThread()));
  return success();
}

static LogicalResult meetThread(WarpBuilder &warp, BarWarpOp op) {
  gather(warp, op, op.getA(), Value());
  return success();
}

/// A number for the instruction of the text that the op was made of. Inlining
/// copies ops; each call has copies of its own.
static unsigned numberOf(ActivemaskOp op) {
  llvm::SmallSetVector<Location, 4> places;
  op->getParentOfType<FuncOp>().walk(
      [&](ActivemaskOp each) { places.insert(each.getLoc()); });
  return unsigned(llvm::find(places, op.getLoc()) - places.begin());
}

/// By the ISA any mask that holds the thread is right, since it runs alone. The
/// runtime lets as many threads come together as hardware would.
static LogicalResult activemaskThread(WarpBuilder &warp, ActivemaskOp op) {
  ChunkBuilder s = warp.scalar();
  Value kind = s.intConstant(32, 0x600 + numberOf(op));
  Value data = warp.callHelper(
      offsetof(PtxjitHelpers, gather),
      {warp.kernel.strand, kind, s.intConstant(32, 0), s.intConstant(64, 0)},
      LLVM::LLVMPointerType::get(warp.b.getContext()));
  warp.setBase(op.getD(), Gathered{warp, data}.present());
  return success();
}

void ptxjit::addThreadCollectiveEmitters(Dispatch &dispatch) {
  dispatch.add<shuffleThread>();
  dispatch.add<voteThread>();
  dispatch.add<matchThread>();
  dispatch.add<reduxThread>();
  dispatch.add<electThread>();
  dispatch.add<meetThread>();
  dispatch.add<activemaskThread>();
}
