//===- CollectiveToVector.cpp - what lanes and warps do together ----------===//
//
// Shuffles, votes and the like are vector code: the warp is in lockstep here.
// Barriers of a CTA are calls of the runtime, through the context.
//
//===----------------------------------------------------------------------===//

#include "Packetizer.h"

#include "mlir/IR/Matchers.h"
#include "ptxjit/Runtime/KernelABI.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Lanes as bits, lanes in memory
//===----------------------------------------------------------------------===//

/// Memory of 32 elements of 64 bits for values that lanes exchange by number.
Value Packetizer::exchangeBuffer(unsigned which) {
  Value &buffer = exchangeBuffers[which];
  if (!buffer) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(context.getParentBlock());
    auto ptr = LLVM::LLVMPointerType::get(b.getContext());
    Value one = arith::ConstantIntOp::create(b, loc, 1, 32);
    buffer = LLVM::AllocaOp::create(
        b, loc, ptr, LLVM::LLVMArrayType::get(b.getI64Type(), 32), one, 64);
  }
  return buffer;
}

/// Place of element `index` (a constant, or an i32 below 32) of a buffer.
Value Packetizer::lanePlace(Value buffer, unsigned width, LLVM::GEPArg index) {
  auto ptr = LLVM::LLVMPointerType::get(b.getContext());
  return LLVM::GEPOp::create(b, loc, ptr, b.getIntegerType(width), buffer,
                             index);
}

void Packetizer::storeLanes(Value buffer, unsigned width,
                            llvm::function_ref<Value(unsigned)> chunkOf) {
  for (unsigned c = 0; c < numChunks(); ++c)
    LLVM::StoreOp::create(b, loc, chunkOf(c),
                          lanePlace(buffer, width, int32_t(c * target.chunk)),
                          width / 8);
}

Value Packetizer::loadLanes(Value buffer, unsigned width, unsigned c) {
  return LLVM::LoadOp::create(
      b, loc, lanes().ints(width),
      lanePlace(buffer, width, int32_t(c * target.chunk)), width / 8);
}

Value Packetizer::loadLane(Value buffer, unsigned width, Value index) {
  return LLVM::LoadOp::create(b, loc, b.getIntegerType(width),
                              lanePlace(buffer, width, index));
}

/// Number of the lowest bit, 32 if there is none.
Value Packetizer::firstLane(ChunkBuilder &k, Value bits) {
  Value notZero = arith::ConstantIntOp::create(b, loc, 0, 1);
  return k.intrinsic("llvm.cttz", bits.getType(), {bits, notZero});
}

/// Runs `body` once for each lane number, in a loop.
void Packetizer::forEachIndex(llvm::function_ref<void(Value index)> body) {
  scf::ForOp loop = buildCountedLoop(32, {});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

static std::optional<uint64_t> constantOf(Value v) {
  APInt value;
  if (v && matchPattern(v, m_ConstantInt(&value)))
    return value.getZExtValue();
  return std::nullopt;
}

/// The membermask, or all lanes where an old form has none; scalar if uniform.
Value Packetizer::memberBits(Value m) {
  if (!m)
    return scalar().intConstant(32, 0xffffffff);
  return shapeOf(m).isUniform() ? base(m) : Value();
}

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

namespace {
/// Where each lane reads, and whether that is inside its segment.
struct ShufflePattern {
  int source[32];
  bool inside[32];
};

/// ISA: the pseudo code of "shfl.sync".
ShufflePattern computePattern(ShuffleMode mode, unsigned b, unsigned c) {
  ShufflePattern pattern;
  int amount = b & 31, clamp = c & 31, segment = c >> 8 & 31;
  for (int lane = 0; lane < 32; ++lane) {
    int maxLane = (lane & segment) | (clamp & ~segment);
    int minLane = lane & segment, j = lane;
    switch (mode) {
    case ShuffleMode::Up:
      j = lane - amount;
      break;
    case ShuffleMode::Down:
      j = lane + amount;
      break;
    case ShuffleMode::Bfly:
      j = lane ^ amount;
      break;
    case ShuffleMode::Idx:
      j = minLane | (amount & ~segment);
      break;
    }
    bool inside = mode == ShuffleMode::Up ? j >= maxLane : j <= maxLane;
    pattern.source[lane] = inside ? j : lane;
    pattern.inside[lane] = inside;
  }
  return pattern;
}
} // namespace

/// Chunk `c` of `value`'s lanes, each from the lane that `source` names.
Value Packetizer::permuteChunk(Value value, const int (&source)[32],
                               unsigned c) {
  unsigned n = target.chunk;
  SmallVector<unsigned, 4> from;
  for (unsigned i = 0; i < n; ++i)
    if (!llvm::is_contained(from, unsigned(source[c * n + i]) / n))
      from.push_back(unsigned(source[c * n + i]) / n);
  // Two at a time; each further one takes the places that are still missing.
  Value result;
  for (unsigned pair = 0; pair < from.size(); pair += 2) {
    unsigned x = from[pair], y = pair + 1 < from.size() ? from[pair + 1] : x;
    SmallVector<int32_t> indices;
    SmallVector<bool> mine;
    for (unsigned i = 0; i < n; ++i) {
      unsigned s = unsigned(source[c * n + i]);
      mine.push_back(s / n == x || s / n == y);
      indices.push_back(s / n == x   ? int32_t(s % n)
                        : s / n == y ? int32_t(n + s % n)
                                     : 0);
    }
    Value part = LLVM::ShuffleVectorOp::create(b, loc, chunk(value, x),
                                               chunk(value, y), indices);
    if (!result) {
      result = part;
      continue;
    }
    SmallVector<int32_t> blend;
    for (unsigned i = 0; i < n; ++i)
      blend.push_back(int32_t(mine[i] ? n + i : i));
    result = LLVM::ShuffleVectorOp::create(b, loc, result, part, blend);
  }
  return result;
}

LogicalResult Packetizer::emitShuffle(ShflOp op) {
  auto amount = constantOf(op.getB()), control = constantOf(op.getC());
  Value a = op.getA(), result = op.getD().front();
  if (!shapeOf(result).isUniform()) {
    if (amount && control)
      emitConstantShuffle(op, unsigned(*amount), unsigned(*control));
    else
      emitVariableShuffle(op);
    return success();
  }
  // One lane to all: see ShapeAnalysis::transferCollective.
  ChunkBuilder s = scalar();
  unsigned lane = unsigned(amount.value_or(0)) & 31;
  if (shapeOf(a).isUniform()) {
    setBase(result, base(a));
  } else if (amount) {
    setBase(result, extractLane(chunk(a, lane / target.chunk),
                                s.intConstant(32, lane % target.chunk)));
  } else {
    storeLanes(exchangeBuffer(0), 32, [&](unsigned c) { return chunk(a, c); });
    Value index = s.bitAnd(base(op.getB()), s.intConstant(32, 31));
    setBase(result, loadLane(exchangeBuffer(0), 32, index));
  }
  if (op.getD().size() > 1)
    setBase(op.getD()[1], arith::ConstantIntOp::create(b, loc, 1, 1));
  return success();
}

void Packetizer::setShuffled(ShflOp op, ArrayRef<Value> chunks,
                             ArrayRef<Value> insides) {
  setChunks(op.getD()[0], chunks);
  if (op.getD().size() > 1)
    setChunks(op.getD()[1], insides);
}

void Packetizer::emitConstantShuffle(ShflOp op, unsigned amount,
                                     unsigned control) {
  ShufflePattern pattern = computePattern(op.getMode(), amount, control);
  uint32_t bits = 0;
  for (unsigned i = 0; i < 32; ++i)
    bits |= uint32_t(pattern.inside[i]) << i;
  SmallVector<Value, 8> chunks, insides;
  for (unsigned c = 0; c < numChunks(); ++c) {
    chunks.push_back(permuteChunk(op.getA(), pattern.source, c));
    insides.push_back(bitsChunk(scalar().intConstant(32, bits), c));
  }
  setShuffled(op, chunks, insides);
}

/// The lane that a lane reads, before the test that it is in its segment.
Value Packetizer::shuffleSource(ChunkBuilder &k, ShuffleMode mode, Value lane,
                                Value amount, Value minLane, Value outside) {
  switch (mode) {
  case ShuffleMode::Up:
    return k.sub(lane, amount);
  case ShuffleMode::Down:
    return k.add(lane, amount);
  case ShuffleMode::Bfly:
    return k.bitXor(lane, amount);
  case ShuffleMode::Idx:
    return k.bitOr(minLane, k.bitAnd(amount, outside));
  }
  llvm_unreachable("all modes handled");
}

/// Lane numbers that are data: through memory.
void Packetizer::emitVariableShuffle(ShflOp op) {
  ChunkBuilder v = lanes();
  Value buffer = exchangeBuffer(0);
  storeLanes(buffer, 32, [&](unsigned c) { return chunk(op.getA(), c); });
  Value start =
      v.splat(LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), buffer));
  Value all = v.splat(arith::ConstantIntOp::create(b, loc, 1, 1));
  Value low = v.intConstant(32, 31);
  SmallVector<Value, 8> chunks, insides;
  for (unsigned c = 0; c < numChunks(); ++c) {
    Value lane = laneNumbers(c);
    Value amount = v.bitAnd(chunk(op.getB(), c), low);
    Value control = chunk(op.getC(), c);
    Value segment = v.bitAnd(v.shrBy(control, 8, false), low);
    Value outside = v.bitNot(segment);
    Value minLane = v.bitAnd(lane, segment);
    Value maxLane = v.bitOr(minLane, v.bitAnd(v.bitAnd(control, low), outside));
    Value j = shuffleSource(v, op.getMode(), lane, amount, minLane, outside);
    bool up = op.getMode() == ShuffleMode::Up;
    insides.push_back(
        v.cmp(up ? CmpIPredicate::sge : CmpIPredicate::sle, j, maxLane));
    Value index = v.resize(v.select(insides.back(), j, lane), 64, false);
    Value where = v.add(start, v.shlBy(index, 2));
    chunks.push_back(
        LLVM::masked_gather::create(b, loc, v.ints(32), toPointer(where), all,
                                    ValueRange(v.intConstant(32, 0)), 4));
  }
  setShuffled(op, chunks, insides);
}

//===----------------------------------------------------------------------===//
// Votes
//===----------------------------------------------------------------------===//

LogicalResult Packetizer::emitVote(VoteOp op) {
  ChunkBuilder s = scalar();
  Value active = activeBits(op.getMask());
  Value yes = s.bitAnd(
      active, laneBits([&](unsigned c) { return chunk(op.getA(), c); }));
  Value no = s.bitAnd(active, s.bitNot(yes));
  auto decide = [&](ChunkBuilder &k, Value yes, Value no, Value members) {
    Value zero = k.intConstant(32, 0);
    Value pro = k.bitAnd(yes, members), against = k.bitAnd(no, members);
    Value all = k.cmp(CmpIPredicate::eq, against, zero);
    Value any = k.cmp(CmpIPredicate::ne, pro, zero);
    switch (op.getMode()) {
    case VoteMode::All:
      return all;
    case VoteMode::Any:
      return any;
    case VoteMode::Uni:
      return k.bitOr(all, k.bitNot(any));
    case VoteMode::Ballot:
      return pro;
    }
    llvm_unreachable("all modes handled");
  };
  if (Value members = memberBits(op.getM())) {
    setBase(op.getD(), decide(s, yes, no, members));
    return success();
  }
  ChunkBuilder v = lanes();
  SmallVector<Value, 8> chunks;
  for (unsigned c = 0; c < numChunks(); ++c)
    chunks.push_back(decide(v, v.splat(yes), v.splat(no), chunk(op.getM(), c)));
  setChunks(op.getD(), chunks);
  return success();
}

LogicalResult Packetizer::emitActivemask(ActivemaskOp op) {
  SmallVector<Value, 8> chunks(numChunks(),
                               lanes().splat(activeBits(op.getMask())));
  setChunks(op.getD(), chunks);
  return success();
}

LogicalResult Packetizer::emitElect(ElectOp op) {
  ChunkBuilder s = scalar(), v = lanes();
  Value active = activeBits(op.getMask());
  Value members = memberBits(op.getM());
  Value leader = members ? firstLane(s, s.bitAnd(active, members)) : Value();
  SmallVector<Value, 8> leaders, elected;
  for (unsigned c = 0; c < numChunks(); ++c) {
    leaders.push_back(
        leader ? v.splat(leader)
               : firstLane(v, v.bitAnd(v.splat(active), chunk(op.getM(), c))));
    elected.push_back(v.cmp(CmpIPredicate::eq, laneNumbers(c), leaders.back()));
  }
  setChunks(op.getD()[0], leaders);
  if (op.getD().size() > 1)
    setChunks(op.getD()[1], elected);
  return success();
}

//===----------------------------------------------------------------------===//
// Comparisons and reductions over lanes
//===----------------------------------------------------------------------===//

/// Loop over lanes: each compares its own (any) or its group's first (all)
/// value with everybody's.
LogicalResult Packetizer::emitMatch(MatchOp op) {
  ChunkBuilder s = scalar(), v = lanes();
  unsigned width = getBitWidth(op.getTy());
  Value data = exchangeBuffer(0), masks = exchangeBuffer(1),
        found = exchangeBuffer(2);
  storeLanes(data, width, [&](unsigned c) { return chunk(op.getA(), c); });
  storeLanes(masks, 32, [&](unsigned c) { return chunk(op.getM(), c); });
  Value active = activeBits(op.getMask());
  bool all = op.getMode() == MatchMode::All;
  forEachIndex([&](Value lane) {
    Value members = s.bitAnd(active, loadLane(masks, 32, lane));
    Value leader =
        all ? s.bitAnd(firstLane(s, members), s.intConstant(32, 31)) : lane;
    Value mine = loadLane(data, width, leader);
    Value same = laneBits([&](unsigned c) {
      return v.cmp(CmpIPredicate::eq, chunk(op.getA(), c), v.splat(mine));
    });
    same = s.bitAnd(same, members);
    if (all)
      same = s.select(s.cmp(CmpIPredicate::eq, same, members), members,
                      s.intConstant(32, 0));
    LLVM::StoreOp::create(b, loc, same, lanePlace(found, 32, lane));
  });
  SmallVector<Value, 8> results, predicates;
  for (unsigned c = 0; c < numChunks(); ++c) {
    results.push_back(loadLanes(found, 32, c));
    predicates.push_back(
        v.cmp(CmpIPredicate::ne, results.back(), v.intConstant(32, 0)));
  }
  setChunks(op.getD()[0], results);
  if (op.getD().size() > 1)
    setChunks(op.getD()[1], predicates);
  return success();
}

Packetizer::Reduction Packetizer::reductionOf(ReduxOp op) {
  bool isSigned = op.getTy() == ScalarType::S32;
  switch (op.getOp()) {
  case AtomicOp::Add:
    return {0, [](ChunkBuilder &k, Value x, Value y) { return k.add(x, y); }};
  case AtomicOp::Min:
    return {isSigned ? 0x7fffffffu : 0xffffffffu,
            [=](ChunkBuilder &k, Value x, Value y) {
              return isSigned ? k.make<arith::MinSIOp>(x, y)
                              : k.make<arith::MinUIOp>(x, y);
            }};
  case AtomicOp::Max:
    return {isSigned ? 0x80000000u : 0, [=](ChunkBuilder &k, Value x, Value y) {
              return isSigned ? k.make<arith::MaxSIOp>(x, y)
                              : k.make<arith::MaxUIOp>(x, y);
            }};
  case AtomicOp::And:
    return {0xffffffffu,
            [](ChunkBuilder &k, Value x, Value y) { return k.bitAnd(x, y); }};
  case AtomicOp::Or:
    return {0, [](ChunkBuilder &k, Value x, Value y) { return k.bitOr(x, y); }};
  default:
    return {0,
            [](ChunkBuilder &k, Value x, Value y) { return k.bitXor(x, y); }};
  }
}

/// The operation over the lanes that `members` names, as a scalar.
Value Packetizer::reduceLanes(ReduxOp op, Value members) {
  ChunkBuilder s = scalar(), v = lanes();
  Reduction reduction = reductionOf(op);
  Value sum;
  for (unsigned c = 0; c < numChunks(); ++c) {
    Value part = v.select(bitsChunk(members, c), chunk(op.getA(), c),
                          v.intConstant(32, reduction.neutral));
    sum = sum ? reduction.combine(v, sum, part) : part;
  }
  // Halves onto each other.
  for (unsigned n = target.chunk / 2; n; n /= 2) {
    SmallVector<int32_t> high;
    for (unsigned i = 0; i < target.chunk; ++i)
      high.push_back(int32_t((i + n) % target.chunk));
    Value other = LLVM::ShuffleVectorOp::create(b, loc, sum, sum, high);
    sum = reduction.combine(v, sum, other);
  }
  return extractLane(sum, s.intConstant(32, 0));
}

LogicalResult Packetizer::emitRedux(ReduxOp op) {
  ChunkBuilder s = scalar();
  Value active = activeBits(op.getMask());
  if (Value members = memberBits(op.getM())) {
    setBase(op.getD(), reduceLanes(op, s.bitAnd(active, members)));
    return success();
  }
  Value masks = exchangeBuffer(1), found = exchangeBuffer(2);
  storeLanes(masks, 32, [&](unsigned c) { return chunk(op.getM(), c); });
  chunk(op.getA(), 0); // made outside the loop
  forEachIndex([&](Value lane) {
    Value members = s.bitAnd(active, loadLane(masks, 32, lane));
    LLVM::StoreOp::create(b, loc, reduceLanes(op, members),
                          lanePlace(found, 32, lane));
  });
  SmallVector<Value, 8> results;
  for (unsigned c = 0; c < numChunks(); ++c)
    results.push_back(loadLanes(found, 32, c));
  setChunks(op.getD(), results);
  return success();
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

/// A value that all active lanes agree on, as a scalar: that of the first one.
Value Packetizer::agreed(Value value, Value active) {
  if (shapeOf(value).isUniform())
    return base(value);
  Value buffer = exchangeBuffer(0);
  storeLanes(buffer, 32, [&](unsigned c) { return chunk(value, c); });
  ChunkBuilder s = scalar();
  Value first = s.bitAnd(firstLane(s, active), s.intConstant(32, 31));
  return loadLane(buffer, 32, first);
}

/// Calls the helper of the runtime at `offset` of its table.
Value Packetizer::callHelper(size_t offset, ArrayRef<Value> operands,
                             Type result) {
  auto ptr = LLVM::LLVMPointerType::get(b.getContext());
  Value table = loadContext(offsetof(PtxjitKernelContext, helpers), ptr);
  Value place = LLVM::GEPOp::create(b, loc, ptr, b.getI8Type(), table,
                                    LLVM::GEPArg(int32_t(offset)));
  auto helper = LLVM::LoadOp::create(b, loc, ptr, place);
  helper.setInvariant(true);
  SmallVector<Type> types = {ptr};
  SmallVector<Value> arguments = {helper, context};
  for (Value operand : operands) {
    types.push_back(operand.getType());
    arguments.push_back(operand);
  }
  auto type =
      LLVM::LLVMFunctionType::get(result ? result : b.getI32Type(), types);
  return LLVM::CallOp::create(b, loc, type, arguments).getResult();
}

template <typename BarrierLikeOp>
LogicalResult Packetizer::emitBarrier(BarrierLikeOp op) {
  ChunkBuilder s = scalar();
  Value active = perThread() ? s.intConstant(32, 1) : activeBits(op.getMask());
  Value votes = s.intConstant(32, 0);
  if (op.getC())
    votes = s.bitAnd(active,
                     laneBits([&](unsigned c) { return chunk(op.getC(), c); }));
  unsigned mode = unsigned(op.getMode());
  unsigned reduce = op.getReduce() ? unsigned(*op.getReduce()) : 0;
  Value result =
      callHelper(offsetof(PtxjitHelpers, barrier),
                 {strand, agreed(op.getA(), active),
                  op.getB() ? agreed(op.getB(), active) : s.intConstant(32, 0),
                  s.intConstant(32, mode | reduce << 8), votes, active});
  if (op.getD().empty())
    return success();
  if (ChunkBuilder::widthOf(op.getD().front()) == 1)
    result = s.cmp(CmpIPredicate::ne, result, s.intConstant(32, 0));
  setBase(op.getD().front(), result);
  return success();
}

LogicalResult Packetizer::emitCollective(Operation &op, bool &handled) {
  if (auto bar = dyn_cast<BarOp>(op))
    return emitBarrier(bar);
  if (auto barrier = dyn_cast<BarrierOp>(op))
    return emitBarrier(barrier);
  if (perThread() && emitThreadCollective(op))
    return success();
  if (isa<BarWarpOp>(op))
    return success(); // in lockstep, and in program order
  if (isa<NanosleepOp, YieldWarpOp>(op)) {
    auto yield = dyn_cast<YieldWarpOp>(op);
    Value meets = scalar().intConstant(32, yield && yield.getMeets());
    callHelper(offsetof(PtxjitHelpers, yield), {strand, meets});
    return success();
  }
  if (auto shuffle = dyn_cast<ShflOp>(op))
    return emitShuffle(shuffle);
  if (auto vote = dyn_cast<VoteOp>(op))
    return emitVote(vote);
  if (auto match = dyn_cast<MatchOp>(op))
    return emitMatch(match);
  if (auto redux = dyn_cast<ReduxOp>(op))
    return emitRedux(redux);
  if (auto elect = dyn_cast<ElectOp>(op))
    return emitElect(elect);
  if (auto mask = dyn_cast<ActivemaskOp>(op))
    return emitActivemask(mask);
  handled = false;
  return success();
}
