//===- Atomics.cpp - atomic updates of memory -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic updates are emitted lane after lane and are never merged. In memory
// that no other host thread has meanwhile (isOwned) they are plain loads and
// stores.
//
//===----------------------------------------------------------------------===//

#include "Atomics.h"
#include "Accesses.h"
#include "Addresses.h"
#include "Alignment.h"
#include "Dispatch.h"
#include "LaneLoops.h"
#include "OrderedAccesses.h"

#include "MinMax.h"
#include "Packed.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

/// Joins two halves to one value of 128 bits; splitHalves is the inverse.
static Value joinHalves(WarpBuilder &warp, Value low, Value high) {
  ChunkBuilder s = warp.scalar();
  return s.bitOr(s.resize(low, 128, false),
                 s.shlBy(s.resize(high, 128, false), 64));
}

static SmallVector<Value> splitHalves(WarpBuilder &warp, Value wide) {
  ChunkBuilder s = warp.scalar();
  return {s.resize(wide, 64, false),
          s.resize(s.shrBy(wide, 64, false), 64, false)};
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

static Value combine(WarpBuilder &warp, AtomicOp kind, ScalarType type,
                     Value old, Value value) {
  using arith::CmpIPredicate;
  ChunkBuilder s = warp.scalar();
  if (ScalarType part = getPartType(type); isHalf(part))
    return mapParts(s, type, {old, value}, [&](ValueRange v) {
      Value x = widenHalf(s, part, v[0]), y = widenHalf(s, part, v[1]);
      Value d = kind == AtomicOp::Add ? s.make<arith::AddFOp>(x, y)
                                      : minMaxFloat(s, kind == AtomicOp::Min,
                                                    /*propagate=*/false, x, y);
      return narrowHalf(s, part, d);
    });
  bool isSigned = isSignedInt(type);
  auto pick = [&](CmpIPredicate how) { // old where `how` holds
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

static Value updateHalf(WarpBuilder &warp, AtomicOp kind, ScalarType type,
                        Value where, Value value,
                        LLVM::AtomicOrdering ordering) {
  ChunkBuilder s = warp.scalar();
  unsigned width = getBitWidth(type);
  Type bits = warp.b.getIntegerType(width), own = value.getType();
  auto first = warp.create<LLVM::LoadOp>(bits, where, width / 8);
  first.setOrdering(LLVM::AtomicOrdering::monotonic);
  auto loop = warp.create<scf::WhileOp>(TypeRange(bits), ValueRange(first));
  OpBuilder::InsertionGuard guard(warp.b);
  Value old =
      warp.b.createBlock(&loop.getBefore(), {}, TypeRange(bits), {warp.loc})
          ->getArgument(0);
  Value sum = combine(warp, kind, type, s.bitcast(old, own), value);
  bool acquires = ordering == LLVM::AtomicOrdering::acquire ||
                  ordering == LLVM::AtomicOrdering::acq_rel ||
                  ordering == LLVM::AtomicOrdering::seq_cst;
  auto cas = warp.create<LLVM::AtomicCmpXchgOp>(
      where, old, s.bitsOf(sum), ordering,
      acquires ? LLVM::AtomicOrdering::acquire
               : LLVM::AtomicOrdering::monotonic);
  Value seen = warp.create<LLVM::ExtractValueOp>(cas, 0);
  Value done = warp.create<LLVM::ExtractValueOp>(cas, 1);
  warp.create<scf::ConditionOp>(s.bitNot(done), ValueRange(seen));
  Block *after =
      warp.b.createBlock(&loop.getAfter(), {}, TypeRange(bits), {warp.loc});
  warp.create<scf::YieldOp>(after->getArguments());
  warp.b.setInsertionPointAfter(loop);
  return s.bitcast(loop.getResult(0), own);
}

Value ptxjit::updateElement(WarpBuilder &warp, AtomicOp kind, ScalarType type,
                            Value where, Value value,
                            LLVM::AtomicOrdering ordering) {
  if (ordering == LLVM::AtomicOrdering::not_atomic) {
    unsigned bytes = unsigned(bytesOf(value.getType()));
    Value old = warp.create<LLVM::LoadOp>(value.getType(), where, bytes);
    warp.create<LLVM::StoreOp>(combine(warp, kind, type, old, value), where,
                               bytes);
    return old;
  }
  if (isHalf(getPartType(type)))
    return updateHalf(warp, kind, type, where, value, ordering);
  return warp.create<LLVM::AtomicRMWOp>(binOpOf(kind, type), where, value,
                                        ordering);
}

namespace {
/// What all ops that update memory have in common.
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
              [](auto o) { return AtomicUpdate::of(o, o.getTy()); });
  update.results = op.getResults();
  if (auto atom = dyn_cast<AtomOp>(op))
    update.swap = atom.getC();
  if (auto vector = dyn_cast<AtomVectorOp>(op))
    update.values = vector.getB();
  if (auto vector = dyn_cast<RedVectorOp>(op))
    update.values = vector.getB();
  return update;
}

/// Compares and swaps in owned memory. \returns the old value.
static Value swapIfEqual(WarpBuilder &warp, Value where, Value expected,
                         Value replacement) {
  ChunkBuilder s = warp.scalar();
  unsigned bytes = unsigned(bytesOf(expected.getType()));
  Value old = warp.create<LLVM::LoadOp>(expected.getType(), where, bytes);
  Value isEqual = s.cmp(arith::CmpIPredicate::eq, old, expected);
  warp.create<LLVM::StoreOp>(s.select(isEqual, replacement, old), where, bytes);
  return old;
}

/// Emits a short update by all lanes, whose addresses have nothing in common.
/// \param updateOne  emits that of one element.
static void
updateInFours(WarpBuilder &warp, const AtomicUpdate &update,
              const LaneAddress &address,
              llvm::function_ref<void(Value where, Value value)> updateOne) {
  SmallVector<ChunkVectors> vectors(1);
  for (unsigned c = 0; c < warp.numChunks(); ++c)
    vectors[0].push_back(address.places ? address.places->vectors(c)
                                        : address.vectors(c));
  SmallVector<unsigned> places; // of the values in `vectors`; 0: uniform
  for (Value value : update.values) {
    bool isUniform = warp.shapeOf(value).isUniform();
    places.push_back(isUniform ? 0 : unsigned(vectors.size()));
    if (isUniform)
      continue;
    ChunkVectors &chunks = vectors.emplace_back();
    for (unsigned c = 0; c < warp.numChunks(); ++c)
      chunks.push_back(warp.chunk(value, c));
  }
  int64_t size = getBitWidth(update.type) / 8;
  forEachFourLanes(warp, vectors, [&](ArrayRef<Value> elements) {
    ChunkBuilder s = warp.scalar();
    Value begin = address.places
                      ? hostAddressOf(warp, *address.places, elements[0])
                      : elements[0];
    for (auto [e, value] : llvm::enumerate(update.values)) {
      Value where =
          e ? s.add(begin, s.intConstant(64, uint64_t(e) * uint64_t(size)))
            : begin;
      updateOne(warp.toPointer(where),
                places[e] ? elements[places[e]] : warp.base(value));
    }
  });
}

/// Emits any of the ops that describeUpdate knows.
static LogicalResult emitUpdate(WarpBuilder &warp, Operation *op) {
  remarkAccess(warp, op, "update, lane by lane", SlowBecause::Order);
  AtomicUpdate update = describeUpdate(*op);
  LaneAddress address = resolve(warp, update.a, update.space, update.offset);
  int64_t size = getBitWidth(update.type) / 8;
  emitAlignmentTest(warp, address, update.a, update.space, update.offset,
                    size * int64_t(update.values.size()), update.mask);
  bool owned = isOwned(update.space);
  LLVM::AtomicOrdering ordering = owned ? LLVM::AtomicOrdering::not_atomic
                                        : orderingOf(update.order, true, true);
  bool loadsWeakly = ordering == LLVM::AtomicOrdering::monotonic ||
                     ordering == LLVM::AtomicOrdering::release;
  /// \returns the old value.
  auto updateOne = [&](Value where, Value value, Value replacement) -> Value {
    if (!replacement)
      return updateElement(warp, update.kind, update.type, where, value,
                           ordering);
    if (owned)
      return swapIfEqual(warp, where, value, replacement);
    auto cas = warp.create<LLVM::AtomicCmpXchgOp>(
        where, value, replacement, ordering,
        loadsWeakly ? LLVM::AtomicOrdering::monotonic
                    : LLVM::AtomicOrdering::acquire);
    return warp.create<LLVM::ExtractValueOp>(cas, 0);
  };
  // In owned memory an update is so short that the loop would cost as much.
  bool isShort = owned && op->use_empty() && !update.swap;
  unsigned unroll = isShort ? std::min(4u, warp.target.chunk) : 1;
  if (isShort && warp.target.chunk == 16 && !address.base &&
      !warp.needsMask(update.mask)) {
    updateInFours(warp, update, address, [&](Value where, Value value) {
      updateOne(where, value, Value());
    });
    return success();
  }
  auto updateLane = [&](LoopLane &lane) {
    ChunkBuilder s = warp.scalar();
    Value begin = lane.get(address);
    Value swap = update.swap ? lane.get(update.swap) : Value();
    SmallVector<Value> old;
    for (auto [e, value] : llvm::enumerate(update.values)) {
      Value where = e ? s.add(begin, s.intConstant(64, e * size)) : begin;
      old.push_back(updateOne(warp.toPointer(where), lane.get(value), swap));
    }
    return old;
  };
  if (op->use_empty()) {
    auto updateOnly = [&](LoopLane &lane) { (void)updateLane(lane); };
    forEachLane(warp, update.mask, updateOnly, unroll);
    return success();
  }
  auto old =
      forEachLane(warp, update.mask, update.results.getTypes(), updateLane);
  for (auto [result, chunks] : llvm::zip_equal(update.results, old))
    warp.setChunks(result, chunks);
  return success();
}

static LogicalResult emitAtomicWide(WarpBuilder &warp, AtomWideOp op) {
  remarkAccess(warp, op, "update, lane by lane", SlowBecause::Order);
  LaneAddress address = resolve(warp, op.getA(), op.getSpace(), op.getOffset());
  emitAlignmentTest(warp, address, op.getA(), op.getSpace(), op.getOffset(), 16,
                    op.getMask());
  LLVM::AtomicOrdering ordering = orderingOf(op.getOrder(), true, true);
  bool swaps = op.getOp() == AtomicOp::Cas;
  auto updateLane = [&](LoopLane &lane) {
    auto wide = [&](OperandRange halves) {
      return joinHalves(warp, lane.get(halves[0]), lane.get(halves[1]));
    };
    Value where = warp.toPointer(lane.get(address)), found;
    if (isOwned(op.getSpace())) {
      found = swaps ? swapIfEqual(warp, where, wide(op.getB()), wide(op.getC()))
                    : updateElement(warp, AtomicOp::Exch, ScalarType::B128,
                                    where, wide(op.getB()),
                                    LLVM::AtomicOrdering::not_atomic);
    } else if (swaps) {
      auto cas = warp.create<LLVM::AtomicCmpXchgOp>(
          where, wide(op.getB()), wide(op.getC()), ordering,
          LLVM::AtomicOrdering::monotonic);
      found = warp.create<LLVM::ExtractValueOp>(cas, 0);
    } else {
      found = warp.create<LLVM::AtomicRMWOp>(LLVM::AtomicBinOp::xchg, where,
                                             wide(op.getB()), ordering);
    }
    return splitHalves(warp, found);
  };
  Type i64 = warp.b.getI64Type();
  auto old = forEachLane(warp, op.getMask(), {i64, i64}, updateLane);
  for (auto [result, chunks] : llvm::zip(op.getD(), old))
    warp.setChunks(result, chunks);
  return success();
}

template <typename AtomicLikeOp>
static LogicalResult emitAtomic(WarpBuilder &warp, AtomicLikeOp op) {
  return emitUpdate(warp, op);
}

void ptxjit::addAtomicEmitters(Dispatch &dispatch) {
  dispatch.add<emitAtomic<AtomOp>>();
  dispatch.add<emitAtomic<RedOp>>();
  dispatch.add<emitAtomic<AtomVectorOp>>();
  dispatch.add<emitAtomic<RedVectorOp>>();
  dispatch.add<emitAtomicWide>();
}
