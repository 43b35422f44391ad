//===- MasksToVector.cpp - which lanes take part --------------------------===//
//
// A mask is a vector of i1 a chunk; here are its bits as a word, and the
// questions asked of it. (On CPUs without mask registers the code generator is
// told their form: WideMasks.)
//
//===----------------------------------------------------------------------===//

#include "Packetizer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "ptxjit/Lowering/Packed.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

/// The lanes of chunk `c` that an op with `mask` runs in: masks are computed
/// for whole warps, so the lanes beyond the CTA's last thread are taken out
/// here. A null mask, and a uniform one (which holds where its op is reached),
/// is all threads.
Value Packetizer::maskChunk(Value mask, unsigned c) {
  bool varies = mask && !shapeOf(mask).isUniform();
  if (varies && !shapes.getContext().partialWarp())
    return chunk(mask, c);
  ChunkBuilder v = lanes();
  Value thread = v.add(v.splat(linear), laneNumbers(c));
  Value exists = v.cmp(CmpIPredicate::ult, thread,
                       v.intConstant(32, shapes.getContext().threads()));
  return varies ? v.bitAnd(chunk(mask, c), exists) : exists;
}

/// Does an op with this mask need masked code at all?
bool Packetizer::needsMask(Value mask) {
  bool varies = mask && !shapes.isUniform(mask);
  return varies || shapes.getContext().partialWarp();
}

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

//===----------------------------------------------------------------------===//
// Any and all
//===----------------------------------------------------------------------===//

void Packetizer::emitEntryMask(EntryMaskOp op) {
  if (!shapes.getContext().partialWarp()) {
    setBase(op, arith::ConstantIntOp::create(b, loc, 1, 1));
    return;
  }
  SmallVector<Value, 8> chunks;
  for (unsigned c = 0; c < numChunks(); ++c)
    chunks.push_back(maskChunk(Value(), c));
  setChunks(op, chunks);
}

/// x < y as y > x.
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

/// Does a comparison of what grows from lane to lane, as `i < n`, hold in all
/// lanes? It does if it holds in the last one (or the first): a scalar test,
/// false if lanes wrap around. Null if `test` is something else.
Value Packetizer::allByExtremes(SetpOp test, bool negated) {
  if (test.getBoolop() || isFloat(test.getTy()) || isPacked(test.getTy()))
    return Value();
  CmpIPredicate predicate =
      intPredicate(test.getCmp(), isSignedInt(test.getTy()));
  Value x = test.getA(), y = test.getB();
  if (shapeOf(x).isUniform()) {
    std::swap(x, y);
    predicate = swapOperands(predicate);
  }
  if (negated)
    predicate = arith::invertPredicate(predicate);
  const Shape &shape = shapeOf(x);
  if (predicate == CmpIPredicate::eq || !shape.hasBase() || !shape.pattern ||
      !shapeOf(y).isUniform())
    return Value();
  unsigned width = ChunkBuilder::widthOf(x);
  ChunkBuilder s = scalar();
  auto holdsAt = [&](int64_t offset, CmpIPredicate how) {
    return s.cmp(how, s.add(base(x), s.intConstant(width, uint64_t(offset))),
                 base(y));
  };
  int64_t least = *llvm::min_element(*shape.pattern),
          most = *llvm::max_element(*shape.pattern);
  bool isSigned = predicate < CmpIPredicate::ult;
  Value holds;
  switch (predicate) {
  case CmpIPredicate::ne: // all before it, or all behind
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
  return both(values[x].ok,
              both(wrapTest(base(x), *shape.pattern, width, isSigned), holds));
}

/// As allLanes, but of the vectors, which is exact.
Value Packetizer::allChunks(Value mask, bool negated) {
  ChunkBuilder s = scalar(), v = lanes();
  Value all;
  for (unsigned c = 0; c < numChunks(); ++c) {
    Value m = negated ? v.bitNot(chunk(mask, c)) : chunk(mask, c);
    // Lanes beyond the CTA do not object.
    if (shapes.getContext().partialWarp())
      m = v.bitOr(m, v.bitNot(maskChunk(Value(), c)));
    all = all ? v.bitAnd(all, m) : m;
  }
  Value bits =
      LLVM::BitcastOp::create(b, loc, b.getIntegerType(target.chunk), all);
  return s.cmp(CmpIPredicate::eq, bits, s.intConstant(target.chunk, ~0ull));
}

/// Scalar: is `mask` (or, `negated`, its contrary) true in all lanes?
Value Packetizer::allLanes(Value mask, bool negated) {
  ChunkBuilder s = scalar();
  if (shapeOf(mask).hasBase())
    return negated ? s.bitNot(base(mask)) : base(mask);
  // Not if it comes from another part of the kernel: then it is all there is.
  Operation *op = mask.getDefiningOp();
  if (op && !llvm::all_of(op->getOperands(),
                          [&](Value v) { return values.contains(v); }))
    op = nullptr;
  if (auto flip = dyn_cast_or_null<arith::XOrIOp>(op);
      flip && matchPattern(flip.getRhs(), m_One()))
    return allLanes(flip.getLhs(), !negated);
  if (negated ? isa_and_nonnull<OrOp>(op) : isa_and_nonnull<AndOp>(op))
    return both(allLanes(op->getOperand(0), negated),
                allLanes(op->getOperand(1), negated));
  // The same, but that the second may be meaningless where the first decides.
  if (auto choice = dyn_cast_or_null<arith::SelectOp>(op)) {
    Value second;
    if (negated && matchPattern(choice.getTrueValue(), m_One()))
      second = choice.getFalseValue();
    else if (!negated && matchPattern(choice.getFalseValue(), m_Zero()))
      second = choice.getTrueValue();
    if (second)
      return s.select(allLanes(choice.getCondition(), negated),
                      allLanes(second, negated), s.intConstant(1, 0));
  }
  if (auto test = dyn_cast_or_null<SetpOp>(op);
      test && mask == test.getP().front())
    if (Value known = allByExtremes(test, negated))
      return known;
  return allChunks(mask, negated);
}

void Packetizer::emitAnyAll(Operation &op) {
  Value mask = op.getOperand(0), result;
  if (isa<AllOp>(op))
    result = allLanes(mask, /*negated=*/false);
  else if (shapeOf(mask).hasBase())
    result = base(mask);
  else
    result = scalar().bitNot(allChunks(mask, /*negated=*/true));
  setBase(op.getResult(0), result);
}
