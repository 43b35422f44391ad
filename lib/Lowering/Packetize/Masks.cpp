//===- Masks.cpp - masks of active lanes ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A mask is a vector of i1 per chunk. This file converts masks to words of 32
// bits and back, and tests them. (CPUs without mask registers get another form
// of them in JIT/WideMasks.cpp.)
//
//===----------------------------------------------------------------------===//

#include "Masks.h"
#include "Conditions.h"
#include "Dispatch.h"

#include "Packed.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

/// Masks are computed for whole warps, so the lanes beyond the last thread of
/// the CTA are removed here. A null mask means all threads. So does a uniform
/// mask, because its op is reached only if the mask is true.
Value WarpBuilder::maskChunk(Value mask, unsigned c) {
  bool varies = mask && !shapeOf(mask).isUniform();
  if (varies && !shapes.getContext().partialWarp())
    return chunk(mask, c);
  ChunkBuilder v = lanes();
  Value thread = v.add(v.splat(kernel.linear), laneNumbers(c));
  const ShapeContext &context = shapes.getContext();
  Value count = context.anyBlock ? v.splat(threadCount())
                                 : v.intConstant(32, context.threads());
  Value exists = v.cmp(CmpIPredicate::ult, thread, count);
  return varies ? v.bitAnd(chunk(mask, c), exists) : exists;
}

bool WarpBuilder::needsMask(Value mask) {
  bool varies = mask && !shapes.isUniform(mask);
  return varies || shapes.getContext().partialWarp();
}

Value WarpBuilder::laneBits(llvm::function_ref<Value(unsigned)> chunkOf) {
  ChunkBuilder s = scalar();
  Value bits;
  for (unsigned c = 0; c < numChunks(); ++c) {
    Value chunk = chunkOf(c);
    assert(chunk.getType() == VectorType::get(target.chunk, b.getI1Type()) &&
           "a mask has a bit for each lane of the chunk");
    Value part = create<LLVM::BitcastOp>(b.getIntegerType(target.chunk), chunk);
    part = s.shlBy(s.resize(part, 32, false), c * target.chunk);
    bits = bits ? s.bitOr(bits, part) : part;
  }
  return bits;
}

Value WarpBuilder::allBits() {
  unsigned bits = perThread() ? 32 : numLanes();
  return scalar().intConstant(32, llvm::maskTrailingOnes<uint32_t>(bits));
}

Value WarpBuilder::activeBits(Value mask) {
  if (!needsMask(mask))
    return allBits();
  return laneBits([&](unsigned c) { return maskChunk(mask, c); });
}

Value WarpBuilder::bitsChunk(Value bits, unsigned c) {
  ChunkBuilder v = lanes();
  LanePattern own;
  for (unsigned i = 0; i < 32; ++i)
    own[i] = int64_t(1) << i;
  Value hit = v.bitAnd(v.splat(bits), patternVector(own, c, 32));
  return v.cmp(CmpIPredicate::ne, hit, v.intConstant(32, 0));
}

//===----------------------------------------------------------------------===//
// Any and all
//===----------------------------------------------------------------------===//

static LogicalResult emitEntryMask(WarpBuilder &warp, EntryMaskOp op) {
  if (!warp.shapes.getContext().partialWarp()) {
    warp.setBase(op, warp.create<arith::ConstantIntOp>(1, 1));
    return success();
  }
  SmallVector<Value, 8> chunks;
  for (unsigned c = 0; c < warp.numChunks(); ++c)
    chunks.push_back(warp.maskChunk(Value(), c));
  warp.setChunks(op, chunks);
  return success();
}

/// The predicate for swapped operands: x < y is y > x.
static CmpIPredicate swapOperands(CmpIPredicate predicate) {
  switch (predicate) {
  case CmpIPredicate::slt:
    return CmpIPredicate::sgt;
  case CmpIPredicate::sle:
    return CmpIPredicate::sge;
  case CmpIPredicate::sgt:
    return CmpIPredicate::slt;
  case CmpIPredicate::sge:
    return CmpIPredicate::sle;
  case CmpIPredicate::ult:
    return CmpIPredicate::ugt;
  case CmpIPredicate::ule:
    return CmpIPredicate::uge;
  case CmpIPredicate::ugt:
    return CmpIPredicate::ult;
  case CmpIPredicate::uge:
    return CmpIPredicate::ule;
  default:
    return predicate;
  }
}

/// Scalar i1: does `test` hold in all lanes (or, `negated`, in none)? Decides
/// comparisons such as `i < n`, of a value that is base + pattern with a
/// uniform one: it suffices to compare the lanes with the least and the largest
/// offset. The result is false if lanes wrap around, and null if `test` is
/// another kind of comparison.
static Value allByExtremes(WarpBuilder &warp, SetpOp test, bool negated) {
  if (test.getBoolop() || isFloat(test.getTy()) || isPacked(test.getTy()))
    return Value();
  CmpIPredicate predicate =
      intPredicate(test.getCmp(), isSignedInt(test.getTy()));
  Value x = test.getA(), y = test.getB();
  if (warp.shapeOf(x).isUniform()) {
    std::swap(x, y);
    predicate = swapOperands(predicate);
  }
  if (negated)
    predicate = arith::invertPredicate(predicate);
  const Shape &shape = warp.shapeOf(x);
  if (predicate == CmpIPredicate::eq || !shape.hasBase() || !shape.pattern ||
      !warp.shapeOf(y).isUniform())
    return Value();
  unsigned width = ChunkBuilder::widthOf(x);
  ChunkBuilder s = warp.scalar();
  auto holdsAt = [&](int64_t offset, CmpIPredicate how) {
    return s.cmp(how,
                 s.add(warp.base(x), s.intConstant(width, uint64_t(offset))),
                 warp.base(y));
  };
  int64_t least = *llvm::min_element(*shape.pattern),
          most = *llvm::max_element(*shape.pattern);
  bool isSigned = predicate < CmpIPredicate::ult;
  Value holds;
  switch (predicate) {
  case CmpIPredicate::ne: // all less, or all greater
    isSigned = isSignedInt(test.getTy());
    holds = s.bitOr(
        holdsAt(most, isSigned ? CmpIPredicate::slt : CmpIPredicate::ult),
        holdsAt(least, isSigned ? CmpIPredicate::sgt : CmpIPredicate::ugt));
    break;
  case CmpIPredicate::slt:
  case CmpIPredicate::sle:
  case CmpIPredicate::ult:
  case CmpIPredicate::ule:
    holds = holdsAt(most, predicate);
    break;
  default:
    holds = holdsAt(least, predicate);
    break;
  }
  return warp.both(
      warp.values.condition(x),
      warp.both(wrapTest(warp, warp.base(x), *shape.pattern, width, isSigned),
                holds));
}

/// Like allLanes, but tests the vectors, which is exact.
static Value allChunks(WarpBuilder &warp, Value mask, bool negated) {
  ChunkBuilder s = warp.scalar(), v = warp.lanes();
  Value all;
  for (unsigned c = 0; c < warp.numChunks(); ++c) {
    Value m = negated ? v.bitNot(warp.chunk(mask, c)) : warp.chunk(mask, c);
    // Ignore the lanes beyond the last thread of the CTA.
    if (warp.shapes.getContext().partialWarp())
      m = v.bitOr(m, v.bitNot(warp.maskChunk(Value(), c)));
    all = all ? v.bitAnd(all, m) : m;
  }
  Value bits = warp.create<LLVM::BitcastOp>(
      warp.b.getIntegerType(warp.target.chunk), all);
  return s.cmp(CmpIPredicate::eq, bits,
               s.intConstant(warp.target.chunk, ~0ull));
}

/// Scalar i1: is `mask` true in all lanes (or, `negated`, false in all)? The
/// answer may also be false if values wrap around between lanes.
static Value allLanes(WarpBuilder &warp, Value mask, bool negated) {
  ChunkBuilder s = warp.scalar();
  if (warp.shapeOf(mask).hasBase())
    return negated ? s.bitNot(warp.base(mask)) : warp.base(mask);
  // In a split kernel, another part may have made the operands of the mask.
  // Then only the mask itself is available.
  Operation *op = mask.getDefiningOp();
  if (op &&
      !llvm::all_of(op->getOperands(), [&](Value v) { return warp.isMade(v); }))
    op = nullptr;
  if (auto flip = dyn_cast_or_null<arith::XOrIOp>(op);
      flip && matchPattern(flip.getRhs(), m_One()))
    return allLanes(warp, flip.getLhs(), !negated);
  if (negated ? isa_and_nonnull<OrOp>(op) : isa_and_nonnull<AndOp>(op))
    return warp.both(allLanes(warp, op->getOperand(0), negated),
                     allLanes(warp, op->getOperand(1), negated));
  // The same for a select between two predicates. Where the first one decides,
  // the second one may be poison.
  if (auto choice = dyn_cast_or_null<arith::SelectOp>(op)) {
    Value second;
    if (negated && matchPattern(choice.getTrueValue(), m_One()))
      second = choice.getFalseValue();
    else if (!negated && matchPattern(choice.getFalseValue(), m_Zero()))
      second = choice.getTrueValue();
    if (second)
      return s.select(allLanes(warp, choice.getCondition(), negated),
                      allLanes(warp, second, negated), s.intConstant(1, 0));
  }
  if (auto test = dyn_cast_or_null<SetpOp>(op);
      test && mask == test.getP().front())
    if (Value known = allByExtremes(warp, test, negated))
      return known;
  return allChunks(warp, mask, negated);
}

static LogicalResult emitAll(WarpBuilder &warp, AllOp op) {
  warp.setBase(op, allLanes(warp, op.getOperand(), /*negated=*/false));
  return success();
}

static LogicalResult emitAny(WarpBuilder &warp, AnyOp op) {
  Value mask = op.getOperand();
  warp.setBase(
      op, warp.shapeOf(mask).hasBase()
              ? warp.base(mask)
              : warp.scalar().bitNot(allChunks(warp, mask, /*negated=*/true)));
  return success();
}

void ptxjit::ifActive(WarpBuilder &warp, Value mask,
                      llvm::function_ref<void()> body) {
  if (!mask || warp.perThread() || warp.shapeOf(mask).isUniform())
    return body();
  ChunkBuilder s = warp.scalar();
  Value any =
      s.cmp(CmpIPredicate::ne, warp.activeBits(mask), s.intConstant(32, 0));
  auto active = warp.create<scf::IfOp>(any, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(warp.b);
  warp.b.setInsertionPointToStart(active.thenBlock());
  body();
}

void ptxjit::addMaskEmitters(Dispatch &dispatch) {
  dispatch.add<emitEntryMask>();
  dispatch.add<emitAny>();
  dispatch.add<emitAll>();
}
