//===- WarpValues.cpp - the values of a warp ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WarpValues.h"
#include "Conditions.h"
#include "Dispatch.h"
#include "LaneLoops.h"
#include "WarpBuilder.h"

using namespace mlir;
using namespace ptxjit;

//===----------------------------------------------------------------------===//
// Setting
//===----------------------------------------------------------------------===//

/// Asserts that an emitter sets the form that the shape of `v` says. Code that
/// relies on the shape would otherwise read values that do not exist.
static void expectForm([[maybe_unused]] Value v, [[maybe_unused]] bool fits,
                       [[maybe_unused]] StringRef form) {
#ifndef NDEBUG
  if (fits)
    return;
  Operation *op = v.getDefiningOp();
  llvm::errs() << "packetize: '"
               << (op ? op->getName().getStringRef() : "a block argument")
               << "' sets " << form << ", which its shape rule does not say\n";
  assert(false && "an emitter's result fits the shape of the value");
#endif
}

void WarpValues::setBase(Value v, Value base) {
  expectForm(v, warp.shapeOf(v).hasBase(), "a base");
  assert(base && base.getType() == v.getType() &&
         "a base has its value's type");
  values[v].base = base;
}

void WarpValues::setCondition(Value v, Value condition) {
  assert((!condition || warp.shapeOf(v).conditional) &&
         "the shape promises the pattern");
  values[v].condition = condition;
}

void WarpValues::setChunks(Value v, ArrayRef<Value> chunks) {
  const Shape &shape = warp.shapeOf(v);
  expectForm(v, !shape.hasBase() || shape.conditional || warp.perThread(),
             "chunks alone");
  assert(chunks.size() == warp.numChunks() &&
         llvm::all_of(chunks,
                      [&](Value chunk) {
                        return chunk.getType() == warp.lanes().vec(v.getType());
                      }) &&
         "chunks have the warp's number, and the value's type");
  values[v].chunks.assign(chunks.begin(), chunks.end());
  if (warp.perThread())
    setBase(
        v, extractLane(warp, chunks.front(), warp.scalar().intConstant(32, 0)));
}

void WarpValues::setSame(Value v, Value other) {
  Packed packed = get(other); // a copy: the map may grow
  values[v] = std::move(packed);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

bool WarpValues::isMade(Value v) const {
  auto found = values.find(v);
  return found != values.end() &&
         (found->second.base || !found->second.chunks.empty());
}

const WarpValues::Packed &WarpValues::get(Value v) const {
  assert(isMade(v) && "the value has no code in this part of the kernel");
  return values.find(v)->second;
}

Value WarpValues::base(Value v) const {
  const Packed &packed = get(v);
  assert(packed.base && "the value varies over the lanes");
  return packed.base;
}

Value WarpValues::condition(Value v) const { return get(v).condition; }

/// Makes all chunks of a value with a base.
SmallVector<Value, 8> WarpValues::makeChunks(Value v, Value base) {
  ChunkBuilder l = warp.lanes();
  Value splat = l.splat(base);
  const LanePattern *pattern = warp.shapeOf(v).pattern;
  unsigned width = pattern ? ChunkBuilder::widthOf(base) : 0;
  SmallVector<Value, 8> chunks;
  for (unsigned i = 0; i < warp.numChunks(); ++i)
    chunks.push_back(
        pattern ? l.add(splat, warp.patternVector(*pattern, i, width)) : splat);
  return chunks;
}

/// The longest chain of ops that rare code makes anew for one chunk.
static constexpr unsigned kRareChain = 8;

Value WarpValues::chunk(Value v, unsigned c) {
  assert(c < warp.numChunks() && "a warp has no such chunk");
  if (inRareCode)
    return remakeChunk(v, c, kRareChain);
  const Packed &packed = get(v);
  if (!packed.chunks.empty())
    return packed.chunks[c];
  // Insert the chunks behind the base, so that they dominate all uses.
  OpBuilder::InsertionGuard guard(warp.b);
  warp.b.setInsertionPointAfterValue(packed.base);
  SmallVector<Value, 8> chunks = makeChunks(v, packed.base);
  values[v].chunks = chunks;
  return chunks[c];
}

/// Like chunk, but makes the chunk where the builder is, by chains of up to
/// `depth` ops. Null if another part of the kernel has made `v`.
Value WarpValues::remakeChunk(Value v, unsigned c, unsigned depth) {
  auto found = values.find(v);
  if (found == values.end())
    return Value();
  const Packed packed = found->second;
  if (packed.base && !packed.condition) {
    ChunkBuilder l = warp.lanes();
    Value splat = l.splat(packed.base);
    const LanePattern *pattern = warp.shapeOf(v).pattern;
    unsigned width = ChunkBuilder::widthOf(packed.base);
    return pattern ? l.add(splat, warp.patternVector(*pattern, c, width))
                   : splat;
  }
  Operation *op = packed.condition && depth ? v.getDefiningOp() : nullptr;
  LaneEmitter emitter = op ? warp.dispatch.findLaneEmitter(op) : nullptr;
  if (!emitter)
    return packed.chunks[c];
  SmallVector<Value> operands, results;
  for (Value operand : op->getOperands()) {
    operands.push_back(remakeChunk(operand, c, depth - 1));
    if (!operands.back())
      return packed.chunks[c];
  }
  ChunkBuilder builder = warp.lanes();
  if (failed(emitter(builder, op, operands, results)))
    return packed.chunks[c];
  return results[cast<OpResult>(v).getResultNumber()];
}

RareCode::RareCode(WarpBuilder &warp)
    : values(warp.values), before(values.inRareCode) {
  values.inRareCode = true;
}
RareCode::~RareCode() { values.inRareCode = before; }

//===----------------------------------------------------------------------===//
// Block boundaries
//===----------------------------------------------------------------------===//

void WarpValues::flattenTypes(Value v, SmallVectorImpl<Type> &types) {
  const Shape &shape = warp.shapeOf(v);
  if (shape.hasBase())
    types.push_back(v.getType());
  if (shape.conditional && shape.hasBase())
    types.push_back(warp.b.getI1Type());
  if (shape.hasBase() && !shape.conditional)
    return;
  types.append(warp.numChunks(), warp.lanes().vec(v.getType()));
}

void WarpValues::flatten(Value v, Value as, SmallVectorImpl<Value> &flat) {
  const Shape &shape = warp.shapeOf(as), &own = warp.shapeOf(v);
  if (shape.conditional && shape.hasBase()) {
    bool holds = own.hasBase() && own.pattern == shape.pattern;
    ChunkBuilder s = warp.scalar();
    Value first = own.hasBase()
                      ? base(v)
                      : extractLane(warp, chunk(v, 0), s.intConstant(32, 0));
    Value ok = holds           ? condition(v)
               : own.hasBase() ? s.intConstant(1, 0)
                               : patternTest(warp, v, first, *shape.pattern);
    flat.push_back(first);
    flat.push_back(ok ? ok : s.intConstant(1, 1));
  } else if (shape.hasBase()) {
    flat.push_back(base(v));
    return;
  }
  for (unsigned c = 0; c < warp.numChunks(); ++c)
    flat.push_back(chunk(v, c));
}

void WarpValues::unflatten(Value v, ValueRange &flat) {
  const Shape &shape = warp.shapeOf(v);
  Packed packed;
  auto take = [&] {
    Value front = flat.front();
    flat = flat.drop_front();
    return front;
  };
  if (shape.hasBase())
    packed.base = take();
  if (shape.conditional && shape.hasBase())
    packed.condition = take();
  if (!shape.hasBase() || shape.conditional)
    for (unsigned c = 0; c < warp.numChunks(); ++c)
      packed.chunks.push_back(take());
  values[v] = std::move(packed);
}
