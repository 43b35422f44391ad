//===- AtomicToVector.cpp - accesses that go lane by lane -----------------===//
//
// Ordered accesses (volatile, relaxed and stronger) and atomics are made for
// one lane after the other and are never merged.
//
//===----------------------------------------------------------------------===//

#include "Packetizer.h"
#include "ptxjit/Lowering/Packed.h"

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
  Value m = needsMask(mask) ? maskChunk(mask, c) : Value();
  scf::ForOp loop = buildCountedLoop(target.chunk, carried);
  OpBuilder::InsertionGuard guard(b);
  Block *block = loop.getBody();
  if (!block->empty() && block->back().hasTrait<OpTrait::IsTerminator>())
    block->back().erase();
  b.setInsertionPointToEnd(block);
  Value lane = loop.getInductionVar();
  ValueRange args = loop.getRegionIterArgs();
  SmallVector<Value> next;
  if (!m) {
    next = body(lane, args);
  } else {
    auto choice =
        scf::IfOp::create(b, loc, args.getTypes(), extractLane(m, lane),
                          /*addThenBlock=*/true,
                          /*addElseBlock=*/true);
    auto fill = [&](Block *side, bool active) {
      if (!side->empty())
        side->back().erase();
      b.setInsertionPointToEnd(side);
      SmallVector<Value> out =
          active ? body(lane, args) : SmallVector<Value>(args);
      scf::YieldOp::create(b, loc, out);
    };
    fill(choice.thenBlock(), true);
    fill(choice.elseBlock(), false);
    b.setInsertionPointAfter(choice);
    next.assign(choice.getResults().begin(), choice.getResults().end());
  }
  scf::YieldOp::create(b, loc, next);
  return SmallVector<Value>(loop.getResults());
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

LogicalResult Packetizer::emitOrderedLoad(LdOp op, const LaneAddress &address) {
  ValueRange results = op.getD();
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

/// old + value of f16, bf16 and pairs of them, by compare-and-swap.
Value Packetizer::emitHalfAdd(ScalarType type, Value where, Value value,
                              LLVM::AtomicOrdering ordering) {
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
        Value x = s.make<arith::AddFOp>(widenHalf(s, part, v[0]),
                                        widenHalf(s, part, v[1]));
        return narrowHalf(s, part, x);
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

LogicalResult Packetizer::emitAtomic(Operation &op) {
  auto atom = dyn_cast<AtomOp>(op);
  auto red = dyn_cast<RedOp>(op);
  Value a = atom ? atom.getA() : red.getA(),
        x = atom ? atom.getB() : red.getB();
  Value swap = atom ? atom.getC() : Value();
  Value mask = atom ? atom.getMask() : red.getMask();
  AtomicOp kind = atom ? atom.getOp() : red.getOp();
  ScalarType type = atom ? atom.getTy() : red.getTy();
  std::optional<Order> order = atom ? atom.getOrder() : red.getOrder();
  LaneAddress address = resolve(a, atom ? atom.getSpace() : red.getSpace(),
                                atom ? atom.getOffset() : red.getOffset());
  emitAlignmentTest(address, a, atom ? atom.getSpace() : red.getSpace(),
                    atom ? atom.getOffset() : red.getOffset(),
                    getBitWidth(type) / 8, mask);
  LLVM::AtomicOrdering ordering = orderingOf(order, true, true);
  SmallVector<Value, 8> chunks;
  for (unsigned c = 0; c < numChunks(); ++c) {
    Value at = address.vectors(c);
    Value operand = chunk(x, c);
    Value replacement = swap ? chunk(swap, c) : Value();
    Value start = lanes().zero(x.getType());
    SmallVector<Value> old =
        forEachLane(c, mask, {start}, [&](Value lane, ValueRange args) {
          Value where = toPointer(extractLane(at, lane));
          Value value = extractLane(operand, lane);
          Value before;
          if (kind == AtomicOp::Cas) {
            auto cas = LLVM::AtomicCmpXchgOp::create(
                b, loc, where, value, extractLane(replacement, lane), ordering,
                ordering == LLVM::AtomicOrdering::monotonic ||
                        ordering == LLVM::AtomicOrdering::release
                    ? LLVM::AtomicOrdering::monotonic
                    : LLVM::AtomicOrdering::acquire);
            before = LLVM::ExtractValueOp::create(b, loc, cas, 0);
          } else if (isHalf(getPartType(type))) {
            before = emitHalfAdd(type, where, value, ordering);
          } else {
            before = LLVM::AtomicRMWOp::create(b, loc, binOpOf(kind, type),
                                               where, value, ordering);
          }
          return SmallVector<Value>{insertLane(args[0], before, lane)};
        });
    chunks.push_back(old.front());
  }
  if (atom)
    setChunks(atom.getD(), chunks);
  return success();
}
