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

/// `i < n`, i growing from lane to lane, holds in all lanes if it does in the
/// last: a scalar test, false if lanes wrap around. Null if `mask` is not so.
Value Packetizer::allByExtremes(Value mask) {
  bool negated = false;
  if (auto flip = mask.getDefiningOp<arith::XOrIOp>();
      flip && matchPattern(flip.getRhs(), m_One())) {
    negated = true;
    mask = flip.getLhs();
  }
  auto test = mask.getDefiningOp<SetpOp>();
  if (!test || test.getBoolop() || mask != test.getP().front() ||
      isFloat(test.getTy()) || isPacked(test.getTy()))
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
  if (predicate == CmpIPredicate::eq || predicate == CmpIPredicate::ne ||
      !shape.hasBase() || !shape.pattern || !shapeOf(y).isUniform())
    return Value();
  bool isLess =
      predicate == CmpIPredicate::slt || predicate == CmpIPredicate::sle ||
      predicate == CmpIPredicate::ult || predicate == CmpIPredicate::ule;
  int64_t extreme = isLess ? *llvm::max_element(*shape.pattern)
                           : *llvm::min_element(*shape.pattern);
  unsigned width = ChunkBuilder::widthOf(x);
  bool isSigned = predicate < CmpIPredicate::ult;
  ChunkBuilder s = scalar();
  Value last = s.add(base(x), s.intConstant(width, uint64_t(extreme)));
  Value holds = both(wrapTest(base(x), *shape.pattern, width, isSigned),
                     s.cmp(predicate, last, base(y)));
  return both(values[x].ok, holds);
}

void Packetizer::emitAnyAll(Operation &op) {
  Value mask = op.getOperand(0);
  bool any = isa<AnyOp>(op);
  if (shapeOf(mask).hasBase()) {
    setBase(op.getResult(0), base(mask));
    return;
  }
  if (Value known = any ? Value() : allByExtremes(mask)) {
    setBase(op.getResult(0), known);
    return;
  }
  ChunkBuilder v = lanes();
  Value all;
  bool partial = shapes.getContext().partialWarp();
  for (unsigned c = 0; c < numChunks(); ++c) {
    Value m = chunk(mask, c);
    // Lanes beyond the CTA neither want nor object.
    if (partial)
      m = any ? v.bitAnd(m, maskChunk(Value(), c))
              : v.bitOr(m, v.bitNot(maskChunk(Value(), c)));
    all = !all ? m : any ? v.bitOr(all, m) : v.bitAnd(all, m);
  }
  ChunkBuilder s = scalar();
  Value bits =
      LLVM::BitcastOp::create(b, loc, b.getIntegerType(target.chunk), all);
  Value result =
      any ? s.cmp(CmpIPredicate::ne, bits, s.intConstant(target.chunk, 0))
          : s.cmp(CmpIPredicate::eq, bits, s.intConstant(target.chunk, ~0ull));
  setBase(op.getResult(0), result);
}
