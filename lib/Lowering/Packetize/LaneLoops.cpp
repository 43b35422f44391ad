//===- LaneLoops.cpp - loops over the lanes of a warp ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop over lanes is one for the whole warp, however many chunks it has, and
// ends with its test. So its body is emitted once, and LLVM need not rotate it.
//
//===----------------------------------------------------------------------===//

#include "LaneLoops.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using arith::CmpIPredicate;

scf::ForOp ptxjit::buildCountedLoop(WarpBuilder &warp, unsigned count,
                                    ValueRange carried, unsigned by) {
  Value zero = warp.create<arith::ConstantIntOp>(0, 32);
  Value step = warp.create<arith::ConstantIntOp>(by, 32);
  Value end = warp.create<arith::ConstantIntOp>(count, 32);
  return warp.create<scf::ForOp>(zero, end, step, carried);
}

scf::ForOp ptxjit::buildWarpLoop(WarpBuilder &warp) {
  const ShapeContext &context = warp.shapes.getContext();
  if (!context.anyBlock)
    return buildCountedLoop(warp, context.warps(), {});
  Value zero = warp.create<arith::ConstantIntOp>(0, 32);
  Value one = warp.create<arith::ConstantIntOp>(1, 32);
  return warp.create<scf::ForOp>(zero, warp.warpCount(), one);
}

Value ptxjit::extractLane(WarpBuilder &warp, Value vector, Value lane) {
  return warp.create<LLVM::ExtractElementOp>(vector, lane);
}

//===----------------------------------------------------------------------===//
// What a lane has
//===----------------------------------------------------------------------===//

/// Bytes of a buffer for the lanes of a warp.
static constexpr int64_t kBufferBytes = 32 * 8;

/// Predicates are in memory as bytes.
static Value toMemory(ChunkBuilder builder, Value v) {
  bool isPredicate = ChunkBuilder::elementOf(v).isInteger(1);
  return isPredicate ? builder.resize(v, 8, false) : v;
}
static Value fromMemory(ChunkBuilder builder, Value v, Type element) {
  return element.isInteger(1) ? builder.resize(v, 1, false)
                              : builder.bitcast(v, element);
}
static unsigned bitsInMemory(Type element) {
  return std::max(element.getIntOrFloatBitWidth(), 8u);
}

/// The place of a lane in a buffer.
static Value placeOf(WarpBuilder &warp, const StackBuffer &buffer, Type element,
                     Value lane) {
  return lanePlace(warp, buffer.pointer, element.getIntOrFloatBitWidth(),
                   LLVM::GEPArg(lane));
}

Value LoopLane::load(const void *key,
                     llvm::function_ref<Value(unsigned)> chunkOf) {
  auto *found =
      llvm::find_if(kept, [&](const Kept &entry) { return entry.key == key; });
  if (found == kept.end()) {
    OpBuilder::InsertionGuard guard(warp.b);
    warp.b.setInsertionPoint(loop);
    ChunkVectors chunks;
    for (unsigned c = 0; c < warp.numChunks(); ++c)
      chunks.push_back(chunkOf(c));
    Type element = ChunkBuilder::elementOf(chunks.front());
    unsigned width = element.getIntOrFloatBitWidth();
    assert(width >= 8 && "bits have no address");
    kept.push_back({key, element, takeBuffer(warp, kBufferBytes)});
    found = &kept.back();
    storeLanes(warp, found->buffer.pointer, width,
               [&](unsigned c) { return chunks[c]; });
  }
  return warp.create<LLVM::LoadOp>(
      found->element, placeOf(warp, found->buffer, found->element, number));
}

Value LoopLane::get(Value v) {
  const Shape &shape = warp.shapeOf(v);
  if (shape.isUniform() || warp.perThread())
    return warp.base(v);
  Value own = load(v.getAsOpaquePointer(), [&](unsigned c) {
    return toMemory(warp.lanes(), warp.chunk(v, c));
  });
  return fromMemory(warp.scalar(), own, v.getType());
}

Value LoopLane::get(const LaneAddress &address) {
  if (address.base && !address.pattern)
    return address.base;
  if (!address.base || address.ok || warp.perThread())
    return get(address.vectors);
  const LanePattern &pattern = *address.pattern;
  int64_t stride = pattern[1] - pattern[0];
  if (!isContiguous(shapeOf(address), stride, warp.numLanes()))
    return get(address.vectors);
  ChunkBuilder s = warp.scalar();
  Value distance =
      s.mul(s.resize(number, 64, false), s.intConstant(64, uint64_t(stride)));
  Value first = s.add(address.base, s.intConstant(64, uint64_t(pattern[0])));
  return s.add(first, distance);
}

Value LoopLane::get(const std::function<Value(unsigned)> &chunkOf) {
  if (!loop)
    return extractLane(warp, chunkOf(0), number);
  return load(&chunkOf, chunkOf);
}

void LoopLane::end() {
  for (const Kept &entry : kept)
    giveBack(warp, entry.buffer);
  kept.clear();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Emits do { lane = laneOf(state); state = body(state); } while
/// (mayGoOn(state)), with an i32 as state that is `start` at first.
static void buildLoop(WarpBuilder &warp, Value start,
                      llvm::function_ref<Value(Operation *, Value)> body,
                      llvm::function_ref<Value(Value)> mayGoOn) {
  Type i32 = warp.b.getI32Type();
  auto loop = warp.create<scf::WhileOp>(TypeRange(i32), ValueRange(start));
  OpBuilder::InsertionGuard guard(warp.b);
  Block *turn =
      warp.b.createBlock(&loop.getBefore(), {}, TypeRange(i32), {warp.loc});
  Value next = body(loop, turn->getArgument(0));
  warp.create<scf::ConditionOp>(mayGoOn(next), ValueRange(next));
  Block *again =
      warp.b.createBlock(&loop.getAfter(), {}, TypeRange(i32), {warp.loc});
  warp.create<scf::YieldOp>(again->getArguments());
}

/// Emits a loop over the bits that are set. A branch for each bit would often
/// be mispredicted.
static void loopOverBits(WarpBuilder &warp, Value bits,
                         llvm::function_ref<void(LoopLane &)> body) {
  ChunkBuilder s = warp.scalar();
  Value none = s.intConstant(32, 0);
  auto isAny = [&](Value left) { return s.cmp(CmpIPredicate::ne, left, none); };
  auto any = warp.create<scf::IfOp>(isAny(bits), /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(warp.b);
  warp.b.setInsertionPointToStart(any.thenBlock());
  auto emitTurn = [&](Operation *loop, Value left) {
    LoopLane lane(warp, loop);
    lane.number = s.intrinsic("llvm.cttz", warp.b.getI32Type(),
                              {left, s.intConstant(1, 1)});
    body(lane);
    lane.end();
    return s.bitAnd(left, s.sub(left, s.intConstant(32, 1)));
  };
  buildLoop(warp, bits, emitTurn, isAny);
}

/// Emits a loop over all lanes of the warp.
static void loopOverAll(WarpBuilder &warp, unsigned unroll,
                        llvm::function_ref<void(LoopLane &)> body) {
  assert(warp.numLanes() % unroll == 0 && "no lanes are left over");
  ChunkBuilder s = warp.scalar();
  auto emitTurn = [&](Operation *loop, Value first) {
    LoopLane lane(warp, loop);
    for (unsigned i = 0; i < unroll; ++i) {
      lane.number = i ? s.add(first, s.intConstant(32, i)) : first;
      body(lane);
    }
    lane.end();
    return s.add(first, s.intConstant(32, unroll));
  };
  buildLoop(warp, s.intConstant(32, 0), emitTurn, [&](Value next) {
    return s.cmp(CmpIPredicate::ne, next, s.intConstant(32, warp.numLanes()));
  });
}

/// Emits `body` for the one lane of a thread.
static SmallVector<ChunkVectors, 2>
runForThread(WarpBuilder &warp, Value mask, TypeRange results,
             llvm::function_ref<SmallVector<Value>(LoopLane &)> body) {
  ChunkBuilder s = warp.scalar(), v = warp.lanes();
  LoopLane lane(warp, /*loop=*/nullptr);
  lane.number = s.intConstant(32, 0);
  SmallVector<Value> values;
  if (!warp.needsMask(mask)) {
    values = body(lane);
  } else {
    bool yields = !results.empty();
    Value active =
        s.cmp(CmpIPredicate::ne, warp.activeBits(mask), s.intConstant(32, 0));
    auto choice = warp.create<scf::IfOp>(results, active,
                                         /*addThenBlock=*/true,
                                         /*addElseBlock=*/yields);
    OpBuilder::InsertionGuard guard(warp.b);
    warp.b.setInsertionPointToStart(choice.thenBlock());
    warp.create<scf::YieldOp>(body(lane));
    if (yields) {
      warp.b.setInsertionPointToStart(choice.elseBlock());
      SmallVector<Value> zeros;
      for (Type type : results)
        zeros.push_back(s.zero(type));
      warp.create<scf::YieldOp>(zeros);
    }
    values.append(choice.result_begin(), choice.result_end());
  }
  SmallVector<ChunkVectors, 2> chunks;
  for (Value value : values)
    chunks.push_back({v.splat(value)});
  return chunks;
}

SmallVector<ChunkVectors, 2>
ptxjit::forEachLane(WarpBuilder &warp, Value mask, TypeRange results,
                    llvm::function_ref<SmallVector<Value>(LoopLane &lane)> body,
                    unsigned unroll) {
  if (warp.perThread())
    return runForThread(warp, mask, results, body);
  bool masked = warp.needsMask(mask);
  SmallVector<StackBuffer, 2> buffers;
  for (Type type : results) {
    buffers.push_back(takeBuffer(warp, kBufferBytes));
    if (masked)
      storeLanes(warp, buffers.back().pointer, bitsInMemory(type),
                 [&](unsigned) {
                   return toMemory(warp.lanes(), warp.lanes().zero(type));
                 });
  }
  auto emitLane = [&](LoopLane &lane) {
    for (auto [buffer, result] : llvm::zip_equal(buffers, body(lane))) {
      Value value = toMemory(warp.scalar(), result);
      warp.create<LLVM::StoreOp>(
          value, placeOf(warp, buffer, value.getType(), lane.number));
    }
  };
  if (masked)
    loopOverBits(warp, warp.activeBits(mask), emitLane);
  else
    loopOverAll(warp, unroll, emitLane);
  SmallVector<ChunkVectors, 2> loaded;
  for (auto [type, buffer] : llvm::zip(results, buffers)) {
    ChunkVectors &chunks = loaded.emplace_back();
    for (unsigned c = 0; c < warp.numChunks(); ++c)
      chunks.push_back(fromMemory(
          warp.lanes(), loadLanes(warp, buffer.pointer, bitsInMemory(type), c),
          type));
    giveBack(warp, buffer);
  }
  return loaded;
}

void ptxjit::forEachLane(WarpBuilder &warp, Value mask,
                         llvm::function_ref<void(LoopLane &lane)> body,
                         unsigned unroll) {
  forEachLane(
      warp, mask, TypeRange(),
      [&](LoopLane &lane) {
        body(lane);
        return SmallVector<Value>();
      },
      unroll);
}

void ptxjit::forEachLaneOf(WarpBuilder &warp, Value bits,
                           llvm::function_ref<void(LoopLane &lane)> body) {
  assert(!warp.perThread() && "a thread has no lanes to choose from");
  loopOverBits(warp, bits, body);
}

void ptxjit::forEachFourLanes(
    WarpBuilder &warp, ArrayRef<ChunkVectors> vectors,
    llvm::function_ref<void(ArrayRef<Value> elements)> body) {
  constexpr unsigned four = 4;
  unsigned w = warp.target.chunk;
  assert(w % four == 0 && !warp.perThread() && "each turn has whole fours");
  SmallVector<Value> carried;
  for (const ChunkVectors &chunks : vectors)
    llvm::append_range(carried, chunks);
  scf::ForOp loop = buildCountedLoop(warp, w / four, carried);
  OpBuilder::InsertionGuard guard(warp.b);
  warp.b.setInsertionPointToStart(loop.getBody());
  auto now = loop.getRegionIterArgs();
  for (unsigned c = 0; c < warp.numChunks(); ++c)
    for (unsigned i = 0; i < four; ++i) {
      SmallVector<Value> elements;
      for (unsigned k = 0; k < vectors.size(); ++k)
        elements.push_back(extractLane(warp, now[k * warp.numChunks() + c],
                                       warp.scalar().intConstant(32, i)));
      body(elements);
    }
  SmallVector<int32_t> onwards;
  for (unsigned i = 0; i < w; ++i)
    onwards.push_back(int32_t((i + four) % w));
  SmallVector<Value> next;
  for (Value v : now)
    next.push_back(warp.create<LLVM::ShuffleVectorOp>(v, v, onwards));
  warp.create<scf::YieldOp>(next);
}
