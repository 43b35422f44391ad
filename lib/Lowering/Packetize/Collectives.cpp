//===- Collectives.cpp - shuffles, votes and reductions -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collective operations are vector code, since the lanes of a warp run in
// lockstep here.
//
//===----------------------------------------------------------------------===//

#include "Collectives.h"
#include "Dispatch.h"
#include "LaneLoops.h"
#include "WarpMemory.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using arith::CmpIPredicate;

Value ptxjit::firstLane(WarpBuilder &warp, ChunkBuilder &k, Value bits) {
  Value notZero = warp.create<arith::ConstantIntOp>(0, 1);
  return k.intrinsic("llvm.cttz", bits.getType(), {bits, notZero});
}

/// Emits a loop that runs `body` for each lane number.
static void forEachIndex(WarpBuilder &warp,
                         llvm::function_ref<void(Value index)> body) {
  scf::ForOp loop = buildCountedLoop(warp, 32, {});
  OpBuilder::InsertionGuard guard(warp.b);
  warp.b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

static std::optional<uint64_t> constantOf(Value v) {
  APInt value;
  if (v && matchPattern(v, m_ConstantInt(&value)))
    return value.getZExtValue();
  return std::nullopt;
}

/// The membermask as a scalar; all lanes if the form has none. Null if it is
/// not uniform.
static Value memberBits(WarpBuilder &warp, Value m) {
  if (!m)
    return warp.scalar().intConstant(32, 0xffffffff);
  return warp.shapeOf(m).isUniform() ? warp.base(m) : Value();
}

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

namespace {
/// The lane from which each lane reads, and whether it is in its segment.
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

/// Chunk `c` of the shuffled `value`: each lane gets that of the lane in
/// `source`.
static Value permuteChunk(WarpBuilder &warp, Value value,
                          const int (&source)[32], unsigned c) {
  unsigned n = warp.target.chunk;
  SmallVector<unsigned, 4> from;
  for (unsigned i = 0; i < n; ++i)
    if (!llvm::is_contained(from, unsigned(source[c * n + i]) / n))
      from.push_back(unsigned(source[c * n + i]) / n);
  // Shuffle two source chunks at a time, and blend the lanes of each further
  // pair into the result.
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
    Value part = warp.create<LLVM::ShuffleVectorOp>(
        warp.chunk(value, x), warp.chunk(value, y), indices);
    if (!result) {
      result = part;
      continue;
    }
    SmallVector<int32_t> blend;
    for (unsigned i = 0; i < n; ++i)
      blend.push_back(int32_t(mine[i] ? n + i : i));
    result = warp.create<LLVM::ShuffleVectorOp>(result, part, blend);
  }
  return result;
}

static void setShuffled(WarpBuilder &warp, ShflOp op, ArrayRef<Value> chunks,
                        ArrayRef<Value> insides) {
  warp.setChunks(op.getD()[0], chunks);
  if (op.getD().size() > 1)
    warp.setChunks(op.getD()[1], insides);
}

static void emitConstantShuffle(WarpBuilder &warp, ShflOp op, unsigned amount,
                                unsigned control) {
  ShufflePattern pattern = computePattern(op.getMode(), amount, control);
  uint32_t bits = 0;
  for (unsigned i = 0; i < 32; ++i)
    bits |= uint32_t(pattern.inside[i]) << i;
  SmallVector<Value, 8> chunks, insides;
  for (unsigned c = 0; c < warp.numChunks(); ++c) {
    chunks.push_back(permuteChunk(warp, op.getA(), pattern.source, c));
    insides.push_back(warp.bitsChunk(warp.scalar().intConstant(32, bits), c));
  }
  setShuffled(warp, op, chunks, insides);
}

Value ptxjit::shuffleSource(ChunkBuilder &k, ShuffleMode mode, Value lane,
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

namespace {
/// Each lane's source in a shuffle by lane numbers that are data.
struct ShuffleSources {
  Value lane;   ///< from which it reads: its own if that is outside
  Value inside; ///< whether it reads from its segment
};
} // namespace

static ShuffleSources computeSources(WarpBuilder &warp, ShflOp op, unsigned c) {
  ChunkBuilder v = warp.lanes();
  Value lane = warp.laneNumbers(c), low = v.intConstant(32, 31);
  Value amount = v.bitAnd(warp.chunk(op.getB(), c), low);
  Value control = warp.chunk(op.getC(), c);
  Value segment = v.bitAnd(v.shrBy(control, 8, false), low);
  Value outside = v.bitNot(segment);
  Value minLane = v.bitAnd(lane, segment);
  Value maxLane = v.bitOr(minLane, v.bitAnd(v.bitAnd(control, low), outside));
  Value j = shuffleSource(v, op.getMode(), lane, amount, minLane, outside);
  bool up = op.getMode() == ShuffleMode::Up;
  Value inside =
      v.cmp(up ? CmpIPredicate::sge : CmpIPredicate::sle, j, maxLane);
  return {v.select(inside, j, lane), inside};
}

/// Can permutes take any of a warp's lanes by data? Registers have 8 or 16.
static bool permutesByData(const WarpBuilder &warp) {
  unsigned chunk = warp.target.chunk;
  return (chunk == 8 || chunk == 16) && chunk <= warp.target.permutedLanes &&
         warp.numLanes() == 32;
}

/// The lanes of a `value` of 32 bits that a chunk of lane numbers names.
static Value permuteByData(WarpBuilder &warp, Value value, Value lanes) {
  assert(permutesByData(warp) && "the CPU has no such permutes");
  ChunkBuilder v = warp.lanes();
  Type type = warp.chunk(value, 0).getType();
  if (warp.target.chunk == 16)
    return v.intrinsic("llvm.x86.avx512.vpermi2var.d.512", type,
                       {warp.chunk(value, 0), lanes, warp.chunk(value, 1)});
  auto bit = [&](unsigned n) {
    return v.cmp(CmpIPredicate::ne, v.bitAnd(lanes, v.intConstant(32, 1 << n)),
                 v.intConstant(32, 0));
  };
  auto from = [&](unsigned c) {
    return v.intrinsic("llvm.x86.avx2.permd", type,
                       {warp.chunk(value, c), lanes});
  };
  Value odd = bit(3);
  return v.select(bit(4), v.select(odd, from(3), from(2)),
                  v.select(odd, from(1), from(0)));
}

/// The same for any CPU, from a buffer that has the lanes.
static Value gatherLanes(WarpBuilder &warp, Value buffer, Value lanes) {
  ChunkBuilder v = warp.lanes();
  Value start =
      v.splat(warp.create<LLVM::PtrToIntOp>(warp.b.getI64Type(), buffer));
  Value where = v.add(start, v.shlBy(v.resize(lanes, 64, false), 2));
  Value all = v.splat(warp.create<arith::ConstantIntOp>(1, 1));
  return warp.create<LLVM::masked_gather>(v.ints(32), warp.toPointer(where),
                                          all, ValueRange(v.intConstant(32, 0)),
                                          4);
}

static void emitVariableShuffle(WarpBuilder &warp, ShflOp op) {
  Value buffer;
  if (!permutesByData(warp)) {
    buffer = exchangeBuffer(warp, 0);
    storeLanes(warp, buffer, 32,
               [&](unsigned c) { return warp.chunk(op.getA(), c); });
  }
  SmallVector<Value, 8> chunks, insides;
  for (unsigned c = 0; c < warp.numChunks(); ++c) {
    auto [lane, inside] = computeSources(warp, op, c);
    chunks.push_back(buffer ? gatherLanes(warp, buffer, lane)
                            : permuteByData(warp, op.getA(), lane));
    insides.push_back(inside);
  }
  setShuffled(warp, op, chunks, insides);
}

static LogicalResult emitShuffle(WarpBuilder &warp, ShflOp op) {
  auto amount = constantOf(op.getB()), control = constantOf(op.getC());
  Value a = op.getA(), result = op.getD().front();
  if (!warp.shapeOf(result).isUniform()) {
    if (amount && control)
      emitConstantShuffle(warp, op, unsigned(*amount), unsigned(*control));
    else
      emitVariableShuffle(warp, op);
    return success();
  }
  // All lanes read one lane: see inferShfl (CollectiveShapes.cpp).
  ChunkBuilder s = warp.scalar();
  unsigned lane = unsigned(amount.value_or(0)) & 31;
  if (warp.shapeOf(a).isUniform()) {
    warp.setBase(result, warp.base(a));
  } else if (amount) {
    warp.setBase(result,
                 extractLane(warp, warp.chunk(a, lane / warp.target.chunk),
                             s.intConstant(32, lane % warp.target.chunk)));
  } else {
    storeLanes(warp, exchangeBuffer(warp, 0), 32,
               [&](unsigned c) { return warp.chunk(a, c); });
    Value index = s.bitAnd(warp.base(op.getB()), s.intConstant(32, 31));
    warp.setBase(result, loadLane(warp, exchangeBuffer(warp, 0), 32, index));
  }
  if (op.getD().size() > 1)
    warp.setBase(op.getD()[1], warp.create<arith::ConstantIntOp>(1, 1));
  return success();
}

//===----------------------------------------------------------------------===//
// Votes
//===----------------------------------------------------------------------===//

static LogicalResult emitVote(WarpBuilder &warp, VoteOp op) {
  ChunkBuilder s = warp.scalar();
  Value active = warp.activeBits(op.getMask());
  Value yes = s.bitAnd(active, warp.laneBits([&](unsigned c) {
    return warp.chunk(op.getA(), c);
  }));
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
  if (Value members = memberBits(warp, op.getM())) {
    warp.setBase(op.getD(), decide(s, yes, no, members));
    return success();
  }
  ChunkBuilder v = warp.lanes();
  SmallVector<Value, 8> chunks;
  for (unsigned c = 0; c < warp.numChunks(); ++c)
    chunks.push_back(
        decide(v, v.splat(yes), v.splat(no), warp.chunk(op.getM(), c)));
  warp.setChunks(op.getD(), chunks);
  return success();
}

static LogicalResult emitActivemask(WarpBuilder &warp, ActivemaskOp op) {
  warp.setBase(op.getD(), warp.activeBits(op.getMask()));
  return success();
}

static LogicalResult emitElect(WarpBuilder &warp, ElectOp op) {
  ChunkBuilder s = warp.scalar(), v = warp.lanes();
  Value active = warp.activeBits(op.getMask());
  Value members = memberBits(warp, op.getM());
  Value leader =
      members ? firstLane(warp, s, s.bitAnd(active, members)) : Value();
  SmallVector<Value, 8> leaders, elected;
  for (unsigned c = 0; c < warp.numChunks(); ++c) {
    leaders.push_back(leader ? v.splat(leader)
                             : firstLane(warp, v,
                                         v.bitAnd(v.splat(active),
                                                  warp.chunk(op.getM(), c))));
    elected.push_back(
        v.cmp(CmpIPredicate::eq, warp.laneNumbers(c), leaders.back()));
  }
  warp.setChunks(op.getD()[0], leaders);
  if (op.getD().size() > 1)
    warp.setChunks(op.getD()[1], elected);
  return success();
}

//===----------------------------------------------------------------------===//
// Comparisons and reductions over lanes
//===----------------------------------------------------------------------===//

/// Loops over the lanes. Each lane compares its own value (`.any`), or that of
/// the first member (`.all`), with the values of all members.
static LogicalResult emitMatch(WarpBuilder &warp, MatchOp op) {
  ChunkBuilder s = warp.scalar(), v = warp.lanes();
  unsigned width = getBitWidth(op.getTy());
  Value data = exchangeBuffer(warp, 0), masks = exchangeBuffer(warp, 1),
        found = exchangeBuffer(warp, 2);
  storeLanes(warp, data, width,
             [&](unsigned c) { return warp.chunk(op.getA(), c); });
  storeLanes(warp, masks, 32,
             [&](unsigned c) { return warp.chunk(op.getM(), c); });
  Value active = warp.activeBits(op.getMask());
  bool all = op.getMode() == MatchMode::All;
  forEachIndex(warp, [&](Value lane) {
    Value members = s.bitAnd(active, loadLane(warp, masks, 32, lane));
    Value leader =
        all ? s.bitAnd(firstLane(warp, s, members), s.intConstant(32, 31))
            : lane;
    Value mine = loadLane(warp, data, width, leader);
    Value same = warp.laneBits([&](unsigned c) {
      return v.cmp(CmpIPredicate::eq, warp.chunk(op.getA(), c), v.splat(mine));
    });
    same = s.bitAnd(same, members);
    if (all)
      same = s.select(s.cmp(CmpIPredicate::eq, same, members), members,
                      s.intConstant(32, 0));
    warp.create<LLVM::StoreOp>(same, lanePlace(warp, found, 32, lane));
  });
  SmallVector<Value, 8> results, predicates;
  for (unsigned c = 0; c < warp.numChunks(); ++c) {
    results.push_back(loadLanes(warp, found, 32, c));
    predicates.push_back(
        v.cmp(CmpIPredicate::ne, results.back(), v.intConstant(32, 0)));
  }
  warp.setChunks(op.getD()[0], results);
  if (op.getD().size() > 1)
    warp.setChunks(op.getD()[1], predicates);
  return success();
}

Reduction ptxjit::reductionOf(ReduxOp op) {
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

/// Reduces the lanes that `members` names to a scalar.
static Value reduceLanes(WarpBuilder &warp, ReduxOp op, Value members) {
  ChunkBuilder s = warp.scalar(), v = warp.lanes();
  Reduction reduction = reductionOf(op);
  Value sum;
  for (unsigned c = 0; c < warp.numChunks(); ++c) {
    Value part = v.select(warp.bitsChunk(members, c), warp.chunk(op.getA(), c),
                          v.intConstant(32, reduction.neutral));
    sum = sum ? reduction.combine(v, sum, part) : part;
  }
  // Combine the vector with its rotation by half, a quarter, ...
  for (unsigned n = warp.target.chunk / 2; n; n /= 2) {
    SmallVector<int32_t> high;
    for (unsigned i = 0; i < warp.target.chunk; ++i)
      high.push_back(int32_t((i + n) % warp.target.chunk));
    Value other = warp.create<LLVM::ShuffleVectorOp>(sum, sum, high);
    sum = reduction.combine(v, sum, other);
  }
  return extractLane(warp, sum, s.intConstant(32, 0));
}

static LogicalResult emitRedux(WarpBuilder &warp, ReduxOp op) {
  ChunkBuilder s = warp.scalar();
  Value active = warp.activeBits(op.getMask());
  if (Value members = memberBits(warp, op.getM())) {
    warp.setBase(op.getD(), reduceLanes(warp, op, s.bitAnd(active, members)));
    return success();
  }
  Value masks = exchangeBuffer(warp, 1), found = exchangeBuffer(warp, 2);
  storeLanes(warp, masks, 32,
             [&](unsigned c) { return warp.chunk(op.getM(), c); });
  warp.chunk(op.getA(), 0); // make the chunks outside the loop
  forEachIndex(warp, [&](Value lane) {
    Value members = s.bitAnd(active, loadLane(warp, masks, 32, lane));
    warp.create<LLVM::StoreOp>(reduceLanes(warp, op, members),
                               lanePlace(warp, found, 32, lane));
  });
  SmallVector<Value, 8> results;
  for (unsigned c = 0; c < warp.numChunks(); ++c)
    results.push_back(loadLanes(warp, found, 32, c));
  warp.setChunks(op.getD(), results);
  return success();
}

/// Nothing to do: lanes run in lockstep, and memory accesses are in program
/// order.
static LogicalResult emitBarWarp(WarpBuilder &, BarWarpOp) { return success(); }

void ptxjit::addCollectiveEmitters(Dispatch &dispatch) {
  dispatch.add<emitShuffle>();
  dispatch.add<emitVote>();
  dispatch.add<emitMatch>();
  dispatch.add<emitRedux>();
  dispatch.add<emitElect>();
  dispatch.add<emitActivemask>();
  dispatch.add<emitBarWarp>();
}
