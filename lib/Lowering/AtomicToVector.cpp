//===- AtomicToVector.cpp - accesses that go lane by lane -----------------===//
//
// Ordered accesses (volatile, relaxed and stronger) and atomics are made for
// one lane after the other and are never merged.
//
//===----------------------------------------------------------------------===//

#include "Packetizer.h"
#include "ptxjit/Lowering/Packed.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

static int64_t bytesOf(Type element) {
  return element.getIntOrFloatBitWidth() / 8;
}

/// for (i32 i = 0; i < count; ++i)
scf::ForOp Packetizer::buildCountedLoop(unsigned count, ValueRange carried) {
  Value zero = arith::ConstantIntOp::create(b, loc, 0, 32);
  Value one = arith::ConstantIntOp::create(b, loc, 1, 32);
  Value end = arith::ConstantIntOp::create(b, loc, count, 32);
  return scf::ForOp::create(b, loc, zero, end, one, carried);
}

SmallVector<Value> Packetizer::forEachLane(
    unsigned c, Value mask, ValueRange carried,
    llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  OpBuilder::InsertionGuard guard(b);
  if (!needsMask(mask)) {
    scf::ForOp loop = buildCountedLoop(target.chunk, carried);
    Block *block = loop.getBody();
    if (!block->empty() && block->back().hasTrait<OpTrait::IsTerminator>())
      block->back().erase();
    b.setInsertionPointToEnd(block);
    scf::YieldOp::create(
        b, loc, body(loop.getInductionVar(), loop.getRegionIterArgs()));
    return SmallVector<Value>(loop.getResults());
  }
  // From bit to bit that is set: a test for each would be guessed wrong often.
  ChunkBuilder s = scalar();
  Value bits = LLVM::BitcastOp::create(b, loc, b.getIntegerType(target.chunk),
                                       maskChunk(mask, c));
  SmallVector<Value> inits = {s.resize(bits, 32, false)};
  inits.append(carried.begin(), carried.end());
  SmallVector<Type> types(ValueRange(inits).getTypes());
  auto loop = scf::WhileOp::create(b, loc, types, inits);
  SmallVector<Location> places(types.size(), loc);
  Block *test = b.createBlock(&loop.getBefore(), {}, types, places);
  scf::ConditionOp::create(b, loc,
                           s.cmp(arith::CmpIPredicate::ne, test->getArgument(0),
                                 s.intConstant(32, 0)),
                           test->getArguments());
  Block *turn = b.createBlock(&loop.getAfter(), {}, types, places);
  Value left = turn->getArgument(0);
  Value lane =
      s.intrinsic("llvm.cttz", b.getI32Type(), {left, s.intConstant(1, 1)});
  SmallVector<Value> next = {s.bitAnd(left, s.sub(left, s.intConstant(32, 1)))};
  next.append(body(lane, turn->getArguments().drop_front()));
  scf::YieldOp::create(b, loc, next);
  return llvm::to_vector_of<Value>(loop.getResults().drop_front());
}

static LLVM::AtomicOrdering orderingOf(std::optional<Order> order, bool loads,
                                       bool stores) {
  switch (order.value_or(Order::Relaxed)) {
  case Order::Acquire:
    return loads ? LLVM::AtomicOrdering::acquire
                 : LLVM::AtomicOrdering::monotonic;
  case Order::Release:
    return stores ? LLVM::AtomicOrdering::release
                  : LLVM::AtomicOrdering::monotonic;
  case Order::AcqRel:
    return LLVM::AtomicOrdering::acq_rel;
  case Order::Sc:
    return LLVM::AtomicOrdering::seq_cst;
  default:
    return LLVM::AtomicOrdering::monotonic;
  }
}

/// Two halves as one value, and back.
Value Packetizer::joinHalves(Value low, Value high) {
  ChunkBuilder s = scalar();
  return s.bitOr(s.resize(low, 128, false),
                 s.shlBy(s.resize(high, 128, false), 64));
}
SmallVector<Value> Packetizer::splitHalves(Value wide) {
  ChunkBuilder s = scalar();
  return {s.resize(wide, 64, false),
          s.resize(s.shrBy(wide, 64, false), 64, false)};
}

LogicalResult Packetizer::emitOrderedLoad(LdOp op, const LaneAddress &address) {
  ValueRange results = op.getD();
  bool isWide = op.getTy() == ScalarType::B128;
  SmallVector<SmallVector<Value, 8>, 4> chunks(results.size());
  for (unsigned c = 0; c < numChunks(); ++c) {
    Value at = address.vectors(c);
    SmallVector<Value> carried;
    for (Value r : results)
      carried.push_back(lanes().zero(r.getType()));
    SmallVector<Value> loaded =
        forEachLane(c, op.getMask(), carried, [&](Value lane, ValueRange args) {
          SmallVector<Value> next;
          ChunkBuilder s = scalar();
          Value start = extractLane(at, lane);
          if (isWide) {
            auto load = LLVM::LoadOp::create(
                b, loc, b.getIntegerType(128), toPointer(start), 16,
                /*isVolatile=*/op.getOrder() == Order::Volatile);
            load.setOrdering(orderingOf(op.getOrder(), true, false));
            for (auto [arg, half] : llvm::zip(args, splitHalves(load)))
              next.push_back(insertLane(arg, half, lane));
            return next;
          }
          for (auto [e, arg] : llvm::enumerate(args)) {
            Type element = results[e].getType();
            Value where =
                e ? s.add(start, s.intConstant(64, e * bytesOf(element)))
                  : start;
            auto load = LLVM::LoadOp::create(
                b, loc, element, toPointer(where), bytesOf(element),
                /*isVolatile=*/op.getOrder() == Order::Volatile);
            load.setOrdering(orderingOf(op.getOrder(), true, false));
            next.push_back(insertLane(arg, load, lane));
          }
          return next;
        });
    for (auto [list, value] : llvm::zip(chunks, loaded))
      list.push_back(value);
  }
  for (auto [result, list] : llvm::zip(results, chunks))
    setChunks(result, list);
  return success();
}

LogicalResult Packetizer::emitOrderedStore(StOp op,
                                           const LaneAddress &address) {
  ValueRange stored = op.getB();
  for (Value value : stored)
    (void)chunk(value, 0);
  for (unsigned c = 0; c < numChunks(); ++c) {
    Value at = address.vectors(c);
    forEachLane(c, op.getMask(), {}, [&](Value lane, ValueRange) {
      ChunkBuilder s = scalar();
      Value start = extractLane(at, lane);
      if (op.getTy() == ScalarType::B128) {
        Value wide = joinHalves(extractLane(chunk(stored[0], c), lane),
                                extractLane(chunk(stored[1], c), lane));
        auto store = LLVM::StoreOp::create(b, loc, wide, toPointer(start), 16,
                                           /*isVolatile=*/op.getOrder() ==
                                               Order::Volatile);
        store.setOrdering(orderingOf(op.getOrder(), false, true));
        return SmallVector<Value>();
      }
      for (auto [e, value] : llvm::enumerate(stored)) {
        int64_t bytes = bytesOf(value.getType());
        Value where = e ? s.add(start, s.intConstant(64, e * bytes)) : start;
        auto store = LLVM::StoreOp::create(
            b, loc, extractLane(chunk(value, c), lane), toPointer(where), bytes,
            /*isVolatile=*/op.getOrder() == Order::Volatile);
        store.setOrdering(orderingOf(op.getOrder(), false, true));
      }
      return SmallVector<Value>();
    });
  }
  return success();
}

static LLVM::AtomicBinOp binOpOf(AtomicOp op, ScalarType type) {
  switch (op) {
  case AtomicOp::Add:
    return isFloat(type) ? LLVM::AtomicBinOp::fadd : LLVM::AtomicBinOp::add;
  case AtomicOp::Min:
    return isSignedInt(type) ? LLVM::AtomicBinOp::min : LLVM::AtomicBinOp::umin;
  case AtomicOp::Max:
    return isSignedInt(type) ? LLVM::AtomicBinOp::max : LLVM::AtomicBinOp::umax;
  case AtomicOp::Inc:
    return LLVM::AtomicBinOp::uinc_wrap;
  case AtomicOp::Dec:
    return LLVM::AtomicBinOp::udec_wrap;
  case AtomicOp::And:
    return LLVM::AtomicBinOp::_and;
  case AtomicOp::Or:
    return LLVM::AtomicBinOp::_or;
  case AtomicOp::Xor:
    return LLVM::AtomicBinOp::_xor;
  default:
    return LLVM::AtomicBinOp::xchg;
  }
}

Value Packetizer::updateHalf(AtomicOp kind, ScalarType type, Value where,
                             Value value, LLVM::AtomicOrdering ordering) {
  ChunkBuilder s = scalar();
  unsigned width = getBitWidth(type);
  Type bits = b.getIntegerType(width), own = value.getType();
  ScalarType part = getPartType(type);
  auto first = LLVM::LoadOp::create(b, loc, bits, where, width / 8);
  first.setOrdering(LLVM::AtomicOrdering::monotonic);
  auto loop = scf::WhileOp::create(b, loc, TypeRange(bits), ValueRange(first));
  OpBuilder::InsertionGuard guard(b);
  Value old = b.createBlock(&loop.getBefore(), {}, TypeRange(bits), {loc})
                  ->getArgument(0);
  Value sum =
      mapParts(s, type, {s.bitcast(old, own), value}, [&](ValueRange v) {
        Value x = widenHalf(s, part, v[0]), y = widenHalf(s, part, v[1]);
        Value d = kind == AtomicOp::Add
                      ? s.make<arith::AddFOp>(x, y)
                      : minMaxFloat(s, kind == AtomicOp::Min,
                                    /*propagate=*/false, x, y);
        return narrowHalf(s, part, d);
      });
  bool acquires = ordering == LLVM::AtomicOrdering::acquire ||
                  ordering == LLVM::AtomicOrdering::acq_rel ||
                  ordering == LLVM::AtomicOrdering::seq_cst;
  auto cas =
      LLVM::AtomicCmpXchgOp::create(b, loc, where, old, s.bitsOf(sum), ordering,
                                    acquires ? LLVM::AtomicOrdering::acquire
                                             : LLVM::AtomicOrdering::monotonic);
  Value seen = LLVM::ExtractValueOp::create(b, loc, cas, 0);
  Value done = LLVM::ExtractValueOp::create(b, loc, cas, 1);
  scf::ConditionOp::create(b, loc, s.bitNot(done), ValueRange(seen));
  Block *after = b.createBlock(&loop.getAfter(), {}, TypeRange(bits), {loc});
  scf::YieldOp::create(b, loc, after->getArguments());
  b.setInsertionPointAfter(loop);
  return s.bitcast(loop.getResult(0), own);
}

Value Packetizer::updateElement(AtomicOp kind, ScalarType type, Value where,
                                Value value, LLVM::AtomicOrdering ordering) {
  if (isHalf(getPartType(type)))
    return updateHalf(kind, type, where, value, ordering);
  return LLVM::AtomicRMWOp::create(b, loc, binOpOf(kind, type), where, value,
                                   ordering);
}

namespace {
/// What the ops that update memory have in common.
struct AtomicUpdate {
  Value a, mask, swap;
  ValueRange values, results;
  AtomicOp kind;
  ScalarType type;
  std::optional<Order> order;
  std::optional<Space> space;
  int64_t offset;

  template <typename OpTy> static AtomicUpdate of(OpTy op, ScalarType type) {
    return {op.getA(),
            op.getMask(),
            Value(),
            op.getOperands().slice(1, 1),
            {},
            op.getOp(),
            type,
            op.getOrder(),
            op.getSpace(),
            int64_t(op.getOffset())};
  }
};
} // namespace

static AtomicUpdate describeUpdate(Operation &op) {
  AtomicUpdate update =
      llvm::TypeSwitch<Operation *, AtomicUpdate>(&op)
          .Case<AtomOp, RedOp, AtomVectorOp, RedVectorOp>(
              [](auto o) { return AtomicUpdate::of(o, o.getTy()); })
          .Case([](MultimemRedOp o) {
            // Formats without a type of their own are not added.
            return AtomicUpdate::of(o, o.getTy().value_or(ScalarType::B32));
          });
  update.results = op.getResults();
  if (auto atom = dyn_cast<AtomOp>(op))
    update.swap = atom.getC();
  if (auto vector = dyn_cast<AtomVectorOp>(op))
    update.values = vector.getB();
  if (auto vector = dyn_cast<RedVectorOp>(op))
    update.values = vector.getB();
  if (auto vector = dyn_cast<MultimemRedOp>(op))
    update.values = vector.getB();
  return update;
}

LogicalResult Packetizer::emitAtomic(Operation &op) {
  AtomicUpdate update = describeUpdate(op);
  LaneAddress address = resolve(update.a, update.space, update.offset);
  int64_t size = getBitWidth(update.type) / 8;
  emitAlignmentTest(address, update.a, update.space, update.offset,
                    size * int64_t(update.values.size()), update.mask);
  LLVM::AtomicOrdering ordering = orderingOf(update.order, true, true);
  bool loadsWeakly = ordering == LLVM::AtomicOrdering::monotonic ||
                     ordering == LLVM::AtomicOrdering::release;
  /// \returns what was there.
  auto updateOne = [&](Value where, Value value, Value replacement) -> Value {
    if (!replacement)
      return updateElement(update.kind, update.type, where, value, ordering);
    auto cas = LLVM::AtomicCmpXchgOp::create(
        b, loc, where, value, replacement, ordering,
        loadsWeakly ? LLVM::AtomicOrdering::monotonic
                    : LLVM::AtomicOrdering::acquire);
    return LLVM::ExtractValueOp::create(b, loc, cas, 0);
  };
  SmallVector<SmallVector<Value, 8>, 4> old(update.values.size());
  for (unsigned c = 0; c < numChunks(); ++c) {
    Value at = address.vectors(c);
    SmallVector<Value> operands, start;
    for (Value value : update.values) {
      operands.push_back(chunk(value, c));
      start.push_back(lanes().zero(value.getType()));
    }
    Value swap = update.swap ? chunk(update.swap, c) : Value();
    SmallVector<Value> before =
        forEachLane(c, update.mask, start, [&](Value lane, ValueRange args) {
          ChunkBuilder s = scalar();
          Value begin = extractLane(at, lane);
          SmallVector<Value> next;
          for (auto [e, arg] : llvm::enumerate(args)) {
            Value where = e ? s.add(begin, s.intConstant(64, e * size)) : begin;
            Value found =
                updateOne(toPointer(where), extractLane(operands[e], lane),
                          swap ? extractLane(swap, lane) : Value());
            next.push_back(insertLane(arg, found, lane));
          }
          return next;
        });
    for (auto [list, value] : llvm::zip(old, before))
      list.push_back(value);
  }
  for (auto [result, list] : llvm::zip(update.results, old))
    setChunks(result, list);
  return success();
}

LogicalResult Packetizer::emitAtomicWide(AtomWideOp op) {
  LaneAddress address = resolve(op.getA(), op.getSpace(), op.getOffset());
  emitAlignmentTest(address, op.getA(), op.getSpace(), op.getOffset(), 16,
                    op.getMask());
  LLVM::AtomicOrdering ordering = orderingOf(op.getOrder(), true, true);
  bool swaps = op.getOp() == AtomicOp::Cas;
  SmallVector<SmallVector<Value, 8>, 2> old(2);
  for (unsigned c = 0; c < numChunks(); ++c) {
    Value at = address.vectors(c);
    SmallVector<Value, 4> halves;
    for (Value half : llvm::concat<Value>(llvm::to_vector(op.getB()),
                                          llvm::to_vector(op.getC())))
      halves.push_back(chunk(half, c));
    Value zero = lanes().zero(b.getI64Type());
    SmallVector<Value> before = forEachLane(
        c, op.getMask(), {zero, zero}, [&](Value lane, ValueRange args) {
          auto wide = [&](unsigned first) {
            return joinHalves(extractLane(halves[first], lane),
                              extractLane(halves[first + 1], lane));
          };
          Value where = toPointer(extractLane(at, lane)), found;
          if (swaps) {
            auto cas = LLVM::AtomicCmpXchgOp::create(
                b, loc, where, wide(0), wide(2), ordering,
                LLVM::AtomicOrdering::monotonic);
            found = LLVM::ExtractValueOp::create(b, loc, cas, 0);
          } else {
            found = LLVM::AtomicRMWOp::create(b, loc, LLVM::AtomicBinOp::xchg,
                                              where, wide(0), ordering);
          }
          SmallVector<Value> next;
          for (auto [arg, half] : llvm::zip(args, splitHalves(found)))
            next.push_back(insertLane(arg, half, lane));
          return next;
        });
    for (auto [list, value] : llvm::zip(old, before))
      list.push_back(value);
  }
  for (auto [result, list] : llvm::zip(op.getD(), old))
    setChunks(result, list);
  return success();
}
