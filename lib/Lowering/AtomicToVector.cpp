//===- AtomicToVector.cpp - accesses that go lane by lane -----------------===//
//
// Ordered accesses (volatile, relaxed and stronger) and atomics are made for
// one lane after the other and are never merged. Those of memory that nobody
// else has meanwhile are plain.
//
//===----------------------------------------------------------------------===//

#include "Packetizer.h"
#include "ptxjit/Lowering/Packed.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

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

/// An element of a vector from outside the loop over lanes: from memory, where
/// LLVM would write all of it in each turn.
Value Packetizer::loadFromVector(Value vector) {
  LaneLoop &loop = *laneLoop;
  auto type = cast<VectorType>(vector.getType());
  auto *kept = llvm::find_if(
      loop.kept, [&](auto &entry) { return entry.first == vector; });
  if (kept == loop.kept.end()) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(loop.op);
    MatrixBuffer buffer = takeBuffer(16 * 8);
    LLVM::StoreOp::create(b, loc, vector, buffer.pointer, 8);
    loop.kept.push_back({vector, buffer});
    kept = &loop.kept.back();
  }
  auto ptr = LLVM::LLVMPointerType::get(b.getContext());
  Type element = type.getElementType();
  Value place = LLVM::GEPOp::create(b, loc, ptr, element, kept->second.pointer,
                                    LLVM::GEPArg(loop.lane));
  return LLVM::LoadOp::create(b, loc, element, place);
}

Value Packetizer::extractLane(Value vector, Value lane) {
  auto type = cast<VectorType>(vector.getType());
  bool fromOutside =
      laneLoop && lane == laneLoop->lane &&
      !laneLoop->op->isAncestor(vector.getParentBlock()->getParentOp());
  if (fromOutside && target.chunk > 1 && !type.getElementType().isInteger(1))
    return loadFromVector(vector);
  return LLVM::ExtractElementOp::create(b, loc, vector, lane);
}

SmallVector<Value> Packetizer::forEachLane(
    unsigned c, Value mask, ValueRange carried,
    llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  OpBuilder::InsertionGuard guard(b);
  auto runBody = [&](Operation *loop, Value lane, ValueRange args) {
    LaneLoop current{loop, lane, {}};
    llvm::SaveAndRestore inside(laneLoop, &current);
    SmallVector<Value> results = body(lane, args);
    for (auto &[vector, buffer] : current.kept)
      freeBuffers.push_back(buffer);
    return results;
  };
  if (!needsMask(mask)) {
    scf::ForOp loop = buildCountedLoop(target.chunk, carried);
    Block *block = loop.getBody();
    if (!block->empty() && block->back().hasTrait<OpTrait::IsTerminator>())
      block->back().erase();
    b.setInsertionPointToEnd(block);
    scf::YieldOp::create(
        b, loc,
        runBody(loop, loop.getInductionVar(), loop.getRegionIterArgs()));
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
  next.append(runBody(loop, lane, turn->getArguments().drop_front()));
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

/// Elements of a lane's ordered access that are read or written as one. The ISA
/// promises that of scalars and `.b128` alone, but hardware does it for 16
/// bytes, and programs rely on it: a flag beside the value that it is about
/// (look-back in scans).
static unsigned elementsTogether(ValueRange elements,
                                 const LaneAddress &address) {
  unsigned most = address.align ? address.align : 16;
  unsigned bytes = unsigned(bytesOf(elements.front().getType()));
  return std::clamp<unsigned>(most / bytes, 1, unsigned(elements.size()));
}

/// A wide integer as values of `types`, the first in its low bits; and back.
static SmallVector<Value> splitInteger(const ChunkBuilder &s, Value wide,
                                       TypeRange types) {
  SmallVector<Value> parts;
  for (auto [i, type] : llvm::enumerate(types)) {
    unsigned width = type.getIntOrFloatBitWidth();
    Value shifted = i ? s.shrBy(wide, unsigned(i) * width, false) : wide;
    parts.push_back(s.bitcast(s.resize(shifted, width, false), type));
  }
  return parts;
}
static Value joinInteger(const ChunkBuilder &s, ArrayRef<Value> parts) {
  unsigned width = parts.front().getType().getIntOrFloatBitWidth();
  unsigned whole = width * unsigned(parts.size());
  Value wide;
  for (auto [i, part] : llvm::enumerate(parts)) {
    Value bits =
        s.resize(s.bitcast(part, s.b.getIntegerType(width)), whole, false);
    wide = i ? s.bitOr(wide, s.shlBy(bits, unsigned(i) * width)) : bits;
  }
  return wide;
}

LogicalResult Packetizer::emitOrderedLoad(LdOp op, const LaneAddress &address) {
  ValueRange results = op.getD();
  SmallVector<Type> types(results.getTypes());
  unsigned step = elementsTogether(results, address);
  SmallVector<SmallVector<Value, 8>, 4> chunks(results.size());
  auto loadPiece = [&](Value start, unsigned first) {
    ChunkBuilder s = scalar();
    int64_t bytes = bytesOf(types.front());
    Value where =
        first ? s.add(start, s.intConstant(64, first * bytes)) : start;
    auto load = LLVM::LoadOp::create(
        b, loc, b.getIntegerType(unsigned(step * bytes * 8)), toPointer(where),
        unsigned(step * bytes),
        /*isVolatile=*/op.getOrder() == Order::Volatile);
    load.setOrdering(orderingOf(op.getOrder(), true, false));
    return splitInteger(s, load, ArrayRef(types).slice(first, step));
  };
  for (unsigned c = 0; c < numChunks(); ++c) {
    Value at = address.vectors(c);
    SmallVector<Value> carried;
    for (Type type : types)
      carried.push_back(lanes().zero(type));
    SmallVector<Value> loaded =
        forEachLane(c, op.getMask(), carried, [&](Value lane, ValueRange args) {
          SmallVector<Value> next;
          Value start = extractLane(at, lane);
          for (unsigned e = 0; e < types.size(); e += step)
            for (Value part : loadPiece(start, e))
              next.push_back(insertLane(args[next.size()], part, lane));
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
  unsigned step = elementsTogether(stored, address);
  int64_t bytes = bytesOf(stored.front().getType());
  for (Value value : stored)
    (void)chunk(value, 0);
  for (unsigned c = 0; c < numChunks(); ++c) {
    Value at = address.vectors(c);
    forEachLane(c, op.getMask(), {}, [&](Value lane, ValueRange) {
      ChunkBuilder s = scalar();
      Value start = extractLane(at, lane);
      for (unsigned e = 0; e < stored.size(); e += step) {
        Value where = e ? s.add(start, s.intConstant(64, e * bytes)) : start;
        SmallVector<Value> parts;
        for (Value value : stored.slice(e, step))
          parts.push_back(extractLane(chunk(value, c), lane));
        auto store = LLVM::StoreOp::create(
            b, loc, joinInteger(s, parts), toPointer(where),
            unsigned(step * bytes),
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

bool Packetizer::isOwned(std::optional<Space> space) {
  switch (space.value_or(Space::Generic)) {
  case Space::Shared:
  case Space::SharedCta:
  case Space::SharedCluster:
  case Space::Local:
    return true;
  default:
    return false;
  }
}

Value Packetizer::combine(AtomicOp kind, ScalarType type, Value old,
                          Value value) {
  using arith::CmpIPredicate;
  ChunkBuilder s = scalar();
  if (ScalarType part = getPartType(type); isHalf(part))
    return mapParts(s, type, {old, value}, [&](ValueRange v) {
      Value x = widenHalf(s, part, v[0]), y = widenHalf(s, part, v[1]);
      Value d = kind == AtomicOp::Add ? s.make<arith::AddFOp>(x, y)
                                      : minMaxFloat(s, kind == AtomicOp::Min,
                                                    /*propagate=*/false, x, y);
      return narrowHalf(s, part, d);
    });
  bool isSigned = isSignedInt(type);
  auto pick = [&](CmpIPredicate how) { // old if it is so
    return s.select(s.cmp(how, old, value), old, value);
  };
  auto number = [&](uint64_t n) { return s.intConstant(getBitWidth(type), n); };
  switch (kind) {
  case AtomicOp::Add:
    return isFloat(type) ? s.make<arith::AddFOp>(old, value)
                         : s.add(old, value);
  case AtomicOp::Min:
    return pick(isSigned ? CmpIPredicate::slt : CmpIPredicate::ult);
  case AtomicOp::Max:
    return pick(isSigned ? CmpIPredicate::sgt : CmpIPredicate::ugt);
  case AtomicOp::Inc:
    return s.select(s.cmp(CmpIPredicate::uge, old, value), number(0),
                    s.add(old, number(1)));
  case AtomicOp::Dec:
    return s.select(s.bitOr(s.cmp(CmpIPredicate::eq, old, number(0)),
                            s.cmp(CmpIPredicate::ugt, old, value)),
                    value, s.sub(old, number(1)));
  case AtomicOp::And:
    return s.bitAnd(old, value);
  case AtomicOp::Or:
    return s.bitOr(old, value);
  case AtomicOp::Xor:
    return s.bitXor(old, value);
  default:
    return value;
  }
}

Value Packetizer::updateHalf(AtomicOp kind, ScalarType type, Value where,
                             Value value, LLVM::AtomicOrdering ordering) {
  ChunkBuilder s = scalar();
  unsigned width = getBitWidth(type);
  Type bits = b.getIntegerType(width), own = value.getType();
  auto first = LLVM::LoadOp::create(b, loc, bits, where, width / 8);
  first.setOrdering(LLVM::AtomicOrdering::monotonic);
  auto loop = scf::WhileOp::create(b, loc, TypeRange(bits), ValueRange(first));
  OpBuilder::InsertionGuard guard(b);
  Value old = b.createBlock(&loop.getBefore(), {}, TypeRange(bits), {loc})
                  ->getArgument(0);
  Value sum = combine(kind, type, s.bitcast(old, own), value);
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
  if (ordering == LLVM::AtomicOrdering::not_atomic) {
    unsigned bytes = unsigned(bytesOf(value.getType()));
    Value old = LLVM::LoadOp::create(b, loc, value.getType(), where, bytes);
    LLVM::StoreOp::create(b, loc, combine(kind, type, old, value), where,
                          bytes);
    return old;
  }
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

/// Of memory that is owned. \returns what was there.
Value Packetizer::swapIfEqual(Value where, Value expected, Value replacement) {
  ChunkBuilder s = scalar();
  unsigned bytes = unsigned(bytesOf(expected.getType()));
  Value old = LLVM::LoadOp::create(b, loc, expected.getType(), where, bytes);
  Value isEqual = s.cmp(arith::CmpIPredicate::eq, old, expected);
  LLVM::StoreOp::create(b, loc, s.select(isEqual, replacement, old), where,
                        bytes);
  return old;
}

LogicalResult Packetizer::emitAtomic(Operation &op) {
  AtomicUpdate update = describeUpdate(op);
  LaneAddress address = resolve(update.a, update.space, update.offset);
  int64_t size = getBitWidth(update.type) / 8;
  emitAlignmentTest(address, update.a, update.space, update.offset,
                    size * int64_t(update.values.size()), update.mask);
  bool owned = isOwned(update.space);
  LLVM::AtomicOrdering ordering = owned ? LLVM::AtomicOrdering::not_atomic
                                        : orderingOf(update.order, true, true);
  bool loadsWeakly = ordering == LLVM::AtomicOrdering::monotonic ||
                     ordering == LLVM::AtomicOrdering::release;
  /// \returns what was there.
  auto updateOne = [&](Value where, Value value, Value replacement) -> Value {
    if (!replacement)
      return updateElement(update.kind, update.type, where, value, ordering);
    if (owned)
      return swapIfEqual(where, value, replacement);
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
          if (isOwned(op.getSpace())) {
            found = swaps ? swapIfEqual(where, wide(0), wide(2))
                          : updateElement(AtomicOp::Exch, ScalarType::B128,
                                          where, wide(0),
                                          LLVM::AtomicOrdering::not_atomic);
          } else if (swaps) {
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
