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

/// A predicate's 32 lanes as an i32; `chunkOf` gives the vectors.
Value Packetizer::laneBits(llvm::function_ref<Value(unsigned)> chunkOf) {
  ChunkBuilder s = scalar();
  Value bits;
  for (unsigned c = 0; c < numChunks(); ++c) {
    Value part = LLVM::BitcastOp::create(b, loc, b.getIntegerType(target.chunk),
                                         chunkOf(c));
    part = s.shlBy(s.resize(part, 32, false), c * target.chunk);
    bits = bits ? s.bitOr(bits, part) : part;
  }
  return bits;
}

Value Packetizer::activeBits(Value mask) {
  if (!needsMask(mask))
    return scalar().intConstant(32, 0xffffffff);
  return laneBits([&](unsigned c) { return maskChunk(mask, c); });
}

/// Chunk `c` of the predicate whose lanes are the bits of `bits`.
Value Packetizer::bitsChunk(Value bits, unsigned c) {
  ChunkBuilder v = lanes();
  LanePattern own;
  for (unsigned i = 0; i < 32; ++i)
    own[i] = int64_t(1) << i;
  Value hit = v.bitAnd(v.splat(bits), patternVector(own, c, 32));
  return v.cmp(CmpIPredicate::ne, hit, v.intConstant(32, 0));
}

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

void Packetizer::storeLanes(Value buffer, unsigned width,
                            llvm::function_ref<Value(unsigned)> chunkOf) {
  auto ptr = LLVM::LLVMPointerType::get(b.getContext());
  for (unsigned c = 0; c < numChunks(); ++c) {
    Value place =
        LLVM::GEPOp::create(b, loc, ptr, b.getIntegerType(width), buffer,
                            LLVM::GEPArg(int32_t(c * target.chunk)));
    LLVM::StoreOp::create(b, loc, chunkOf(c), place, width / 8);
  }
}

Value Packetizer::loadLanes(Value buffer, unsigned width, unsigned c) {
  auto ptr = LLVM::LLVMPointerType::get(b.getContext());
  Value place =
      LLVM::GEPOp::create(b, loc, ptr, b.getIntegerType(width), buffer,
                          LLVM::GEPArg(int32_t(c * target.chunk)));
  return LLVM::LoadOp::create(b, loc, lanes().ints(width), place, width / 8);
}

/// Element `index` (i32 scalar, below 32) of a buffer.
Value Packetizer::lanePlace(Value buffer, unsigned width, Value index) {
  auto ptr = LLVM::LLVMPointerType::get(b.getContext());
  return LLVM::GEPOp::create(b, loc, ptr, b.getIntegerType(width), buffer,
                             LLVM::GEPArg(index));
}

/// Runs `body` once for each lane number, in a loop.
void Packetizer::forEachIndex(llvm::function_ref<void(Value index)> body) {
  Value zero = arith::ConstantIntOp::create(b, loc, 0, 32);
  Value one = arith::ConstantIntOp::create(b, loc, 1, 32);
  Value count = arith::ConstantIntOp::create(b, loc, 32, 32);
  auto loop = scf::ForOp::create(b, loc, zero, count, one);
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
    bool inside = false;
    switch (mode) {
    case ShuffleMode::Up:
      j = lane - amount;
      inside = j >= maxLane;
      break;
    case ShuffleMode::Down:
      j = lane + amount;
      inside = j <= maxLane;
      break;
    case ShuffleMode::Bfly:
      j = lane ^ amount;
      inside = j <= maxLane;
      break;
    case ShuffleMode::Idx:
      j = minLane | (amount & ~segment);
      inside = j <= maxLane;
      break;
    }
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
  auto amount = constantOf(op.getB()), clamp = constantOf(op.getC());
  Value result = op.getD().front();
  Value inside = op.getD().size() > 1 ? op.getD()[1] : Value();
  bool toAll = shapeOf(result).isUniform();
  if (amount && clamp) {
    ShufflePattern pattern =
        computePattern(op.getMode(), unsigned(*amount), unsigned(*clamp));
    SmallVector<Value, 8> chunks, insides;
    uint32_t bits = 0;
    for (unsigned i = 0; i < 32; ++i)
      bits |= uint32_t(pattern.inside[i]) << i;
    for (unsigned c = 0; c < numChunks(); ++c) {
      if (!toAll)
        chunks.push_back(permuteChunk(op.getA(), pattern.source, c));
      if (inside)
        insides.push_back(bitsChunk(scalar().intConstant(32, bits), c));
    }
    if (inside && toAll)
      setBase(inside, arith::ConstantIntOp::create(b, loc, 1, 1));
    else if (inside)
      setChunks(inside, insides);
    if (!toAll)
      setChunks(result, chunks);
    else if (shapeOf(op.getA()).isUniform())
      setBase(result, base(op.getA()));
    else
      setBase(result,
              extractLane(
                  chunk(op.getA(), unsigned(pattern.source[0]) / target.chunk),
                  scalar().intConstant(32, pattern.source[0] % target.chunk)));
    return success();
  }
  emitVariableShuffle(op, result, inside, toAll);
  return success();
}

/// Lane numbers that are data: through memory.
void Packetizer::emitVariableShuffle(ShflOp op, Value result, Value inside,
                                     bool toAll) {
  ChunkBuilder s = scalar(), v = lanes();
  Value buffer = exchangeBuffer(0);
  storeLanes(buffer, 32, [&](unsigned c) { return chunk(op.getA(), c); });
  LanePattern identity;
  for (unsigned i = 0; i < 32; ++i)
    identity[i] = i;
  if (toAll) {
    Value index = s.bitAnd(base(op.getB()), s.intConstant(32, 31));
    setBase(result, LLVM::LoadOp::create(b, loc, b.getI32Type(),
                                         lanePlace(buffer, 32, index)));
    if (inside)
      setBase(inside, arith::ConstantIntOp::create(b, loc, 1, 1));
    return;
  }
  SmallVector<Value, 8> chunks, insides;
  for (unsigned c = 0; c < numChunks(); ++c) {
    Value lane = patternVector(identity, c, 32), low = v.intConstant(32, 31);
    Value amount = v.bitAnd(chunk(op.getB(), c), low);
    Value control = chunk(op.getC(), c);
    Value clamp = v.bitAnd(control, low);
    Value segment = v.bitAnd(v.shrBy(control, 8, false), low);
    Value minLane = v.bitAnd(lane, segment);
    Value outside = v.bitNot(segment);
    Value maxLane = v.bitOr(minLane, v.bitAnd(clamp, outside));
    Value j, in;
    switch (op.getMode()) {
    case ShuffleMode::Up:
      j = v.sub(lane, amount);
      in = v.cmp(CmpIPredicate::sge, j, maxLane);
      break;
    case ShuffleMode::Down:
      j = v.add(lane, amount);
      in = v.cmp(CmpIPredicate::sle, j, maxLane);
      break;
    case ShuffleMode::Bfly:
      j = v.bitXor(lane, amount);
      in = v.cmp(CmpIPredicate::sle, j, maxLane);
      break;
    case ShuffleMode::Idx:
      j = v.bitOr(minLane, v.bitAnd(amount, outside));
      in = v.cmp(CmpIPredicate::sle, j, maxLane);
      break;
    }
    insides.push_back(in);
    Value index = v.resize(v.select(in, j, lane), 64, false);
    Value start =
        v.splat(LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), buffer));
    Value where = v.add(start, v.shlBy(index, 2));
    Value all = v.splat(arith::ConstantIntOp::create(b, loc, 1, 1));
    chunks.push_back(
        LLVM::masked_gather::create(b, loc, v.ints(32), toPointer(where), all,
                                    ValueRange(v.intConstant(32, 0)), 4));
  }
  setChunks(result, chunks);
  if (inside)
    setChunks(inside, insides);
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
    Value for_ = k.bitAnd(yes, members), against = k.bitAnd(no, members);
    Value all = k.cmp(CmpIPredicate::eq, against, zero);
    Value any = k.cmp(CmpIPredicate::ne, for_, zero);
    switch (op.getMode()) {
    case VoteMode::All:
      return all;
    case VoteMode::Any:
      return any;
    case VoteMode::Uni:
      return k.bitOr(all, k.bitNot(any));
    case VoteMode::Ballot:
      return for_;
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
  LanePattern identity;
  for (unsigned i = 0; i < 32; ++i)
    identity[i] = i;
  auto first = [&](ChunkBuilder &k, Value members) {
    Value notZero = arith::ConstantIntOp::create(b, loc, 0, 1);
    return k.intrinsic("llvm.cttz", members.getType(), {members, notZero});
  };
  Value members = memberBits(op.getM());
  Value leader = members ? first(s, s.bitAnd(active, members)) : Value();
  SmallVector<Value, 8> leaders, elected;
  for (unsigned c = 0; c < numChunks(); ++c) {
    leaders.push_back(
        leader ? v.splat(leader)
               : first(v, v.bitAnd(v.splat(active), chunk(op.getM(), c))));
    elected.push_back(v.cmp(CmpIPredicate::eq, patternVector(identity, c, 32),
                            leaders.back()));
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
    Value members =
        s.bitAnd(active, LLVM::LoadOp::create(b, loc, b.getI32Type(),
                                              lanePlace(masks, 32, lane)));
    Value leader = lane;
    if (all) {
      Value notZero = arith::ConstantIntOp::create(b, loc, 0, 1);
      leader = s.intrinsic("llvm.cttz", b.getI32Type(), {members, notZero});
      leader = s.bitAnd(leader, s.intConstant(32, 31));
    }
    Value mine = LLVM::LoadOp::create(b, loc, b.getIntegerType(width),
                                      lanePlace(data, width, leader));
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

/// The operation over the lanes that `members` names, as a scalar.
Value Packetizer::reduceLanes(ReduxOp op, Value members) {
  ChunkBuilder s = scalar(), v = lanes();
  bool isSigned = op.getTy() == ScalarType::S32;
  uint64_t neutral = 0;
  switch (op.getOp()) {
  case AtomicOp::Min:
    neutral = isSigned ? 0x7fffffff : 0xffffffff;
    break;
  case AtomicOp::Max:
    neutral = isSigned ? 0x80000000 : 0;
    break;
  case AtomicOp::And:
    neutral = 0xffffffff;
    break;
  default:
    break;
  }
  auto combine = [&](ChunkBuilder &k, Value x, Value y) -> Value {
    switch (op.getOp()) {
    case AtomicOp::Add:
      return k.add(x, y);
    case AtomicOp::Min:
      return isSigned ? k.make<arith::MinSIOp>(x, y)
                      : k.make<arith::MinUIOp>(x, y);
    case AtomicOp::Max:
      return isSigned ? k.make<arith::MaxSIOp>(x, y)
                      : k.make<arith::MaxUIOp>(x, y);
    case AtomicOp::And:
      return k.bitAnd(x, y);
    case AtomicOp::Or:
      return k.bitOr(x, y);
    default:
      return k.bitXor(x, y);
    }
  };
  Value sum;
  for (unsigned c = 0; c < numChunks(); ++c) {
    Value part = v.select(bitsChunk(members, c), chunk(op.getA(), c),
                          v.intConstant(32, neutral));
    sum = sum ? combine(v, sum, part) : part;
  }
  // Halves onto each other.
  for (unsigned n = target.chunk / 2; n; n /= 2) {
    SmallVector<int32_t> high;
    for (unsigned i = 0; i < target.chunk; ++i)
      high.push_back(int32_t((i + n) % target.chunk));
    Value other = LLVM::ShuffleVectorOp::create(b, loc, sum, sum, high);
    sum = combine(v, sum, other);
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
    Value members = LLVM::LoadOp::create(b, loc, b.getI32Type(),
                                         lanePlace(masks, 32, lane));
    LLVM::StoreOp::create(b, loc, reduceLanes(op, s.bitAnd(active, members)),
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
  Value notZero = arith::ConstantIntOp::create(b, loc, 0, 1);
  Value first = s.intrinsic("llvm.cttz", b.getI32Type(), {active, notZero});
  first = s.bitAnd(first, s.intConstant(32, 31));
  return LLVM::LoadOp::create(b, loc, b.getI32Type(),
                              lanePlace(buffer, 32, first));
}

/// Calls the helper of the runtime at `offset` of its table.
Value Packetizer::callHelper(size_t offset, ArrayRef<Value> operands) {
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
  auto type = LLVM::LLVMFunctionType::get(b.getI32Type(), types);
  return LLVM::CallOp::create(b, loc, type, arguments).getResult();
}

template <typename BarrierLikeOp>
LogicalResult Packetizer::emitBarrier(BarrierLikeOp op) {
  ChunkBuilder s = scalar();
  Value active = activeBits(op.getMask());
  Value votes = s.intConstant(32, 0);
  if (op.getC())
    votes = s.bitAnd(active,
                     laneBits([&](unsigned c) { return chunk(op.getC(), c); }));
  unsigned mode = unsigned(op.getMode());
  unsigned reduce = op.getReduce() ? unsigned(*op.getReduce()) : 0;
  Value result =
      callHelper(offsetof(PtxjitHelpers, barrier),
                 {warp, agreed(op.getA(), active),
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
  if (isa<BarWarpOp>(op))
    return success(); // in lockstep, and in program order
  if (isa<NanosleepOp, YieldWarpOp>(op)) {
    callHelper(offsetof(PtxjitHelpers, yield), {warp});
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
