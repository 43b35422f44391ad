//===- FloatToVector.cpp - f32 and f64 arithmetic per chunk ---------------===//
//
// Bit-exact in every rounding mode: to nearest by plain ops, directed modes by
// AVX-512 embedded rounding or the device library. No fast-math anywhere.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Lowering/ChunkBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "ptxjit/Dialect/PtxOps.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using Results = llvm::SmallVectorImpl<Value>;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace {

bool isDirected(std::optional<Rounding> rnd) {
  return rnd && *rnd != Rounding::RN;
}

/// An operation in a directed rounding mode.
Value directed(ChunkBuilder &c, StringRef name, Rounding rnd, ValueRange in) {
  Type element = c.elementOf(in[0]);
  bool isF32 = element.isF32();
  // One 512-bit register, with the mode in the instruction.
  bool embedded = c.target.embeddedRounding && c.lanes == 16 && isF32;
  if (embedded) {
    // _MM_FROUND_NO_EXC (8) with nearest 0, down 1, up 2, zero 3.
    unsigned mode = 8 | (rnd == Rounding::RM ? 1 : rnd == Rounding::RP ? 2 : 3);
    SmallVector<Value> args(in);
    args.push_back(arith::ConstantIntOp::create(c.b, c.loc, mode, 32));
    std::string base = ("llvm.x86.avx512." + name + ".ps.512").str();
    if (name == "fma")
      base = "llvm.x86.avx512.vfmadd.ps.512";
    return c.intrinsic(base, in[0].getType(), args);
  }
  StringRef mode = rnd == Rounding::RM   ? "rm"
                   : rnd == Rounding::RP ? "rp"
                                         : "rz";
  return c.callDevice((name + "_" + mode + (isF32 ? "_f32" : "_f64")).str(),
                      element, in);
}

template <typename OpTy>
LogicalResult finish(ChunkBuilder &c, OpTy op, Value value, Results &out) {
  out.push_back(c.saturate(c.flush(value, op.getFtz()), op.getSat()));
  return success();
}

template <typename OpTy, typename ArithOp>
LogicalResult emitArith(ChunkBuilder &c, Operation *raw, ValueRange in,
                        Results &out) {
  auto op = cast<OpTy>(raw);
  Value a = c.flush(in[0], op.getFtz()), b = c.flush(in[1], op.getFtz());
  StringRef name = std::is_same_v<ArithOp, arith::AddFOp>   ? "add"
                   : std::is_same_v<ArithOp, arith::SubFOp> ? "sub"
                                                            : "mul";
  Value value = isDirected(op.getRnd())
                    ? directed(c, name, *op.getRnd(), {a, b})
                    : c.make<ArithOp>(a, b);
  return finish(c, op, value, out);
}

template <typename OpTy>
LogicalResult emitFma(ChunkBuilder &c, Operation *raw, ValueRange in,
                      Results &out) {
  auto op = cast<OpTy>(raw);
  bool ftz = op.getFtz();
  Value a = c.flush(in[0], ftz), b = c.flush(in[1], ftz),
        d = c.flush(in[2], ftz);
  std::optional<Rounding> rnd = op.getRnd();
  Value value = isDirected(rnd) ? directed(c, "fma", *rnd, {a, b, d})
                                : c.make<math::FmaOp>(a, b, d);
  return finish(c, op, value, out);
}

LogicalResult emitDiv(ChunkBuilder &c, Operation *raw, ValueRange in,
                      Results &out) {
  auto op = cast<DivFloatOp>(raw);
  Value a = c.flush(in[0], op.getFtz()), b = c.flush(in[1], op.getFtz());
  Value value;
  if (isDirected(op.getRnd())) {
    value = directed(c, "div", *op.getRnd(), {a, b});
  } else if (op.getApprox()) {
    // a * (1/b), where a subnormal 1/b counts as 0 (ISA: |b| > 2^126).
    Value one = c.floatConstant(c.elementOf(b), 1.0);
    Value inverse = c.flush(c.make<arith::DivFOp>(one, b), true);
    value = c.make<arith::MulFOp>(a, inverse);
  } else {
    value = c.make<arith::DivFOp>(a, b);
  }
  out.push_back(c.flush(value, op.getFtz()));
  return success();
}

LogicalResult emitRcp(ChunkBuilder &c, Operation *raw, ValueRange in,
                      Results &out) {
  auto op = cast<RcpOp>(raw);
  Value a = c.flush(in[0], op.getFtz());
  Value one = c.floatConstant(c.elementOf(a), 1.0);
  Value value = isDirected(op.getRnd())
                    ? directed(c, "div", *op.getRnd(), {one, a})
                    : c.make<arith::DivFOp>(one, a);
  out.push_back(c.flush(value, op.getFtz()));
  return success();
}

LogicalResult emitSqrt(ChunkBuilder &c, Operation *raw, ValueRange in,
                       Results &out) {
  auto op = cast<SqrtOp>(raw);
  Value a = c.flush(in[0], op.getFtz());
  Value value = isDirected(op.getRnd()) ? directed(c, "sqrt", *op.getRnd(), {a})
                                        : c.make<math::SqrtOp>(a);
  out.push_back(c.flush(value, op.getFtz()));
  return success();
}

LogicalResult emitRsqrt(ChunkBuilder &c, Operation *raw, ValueRange in,
                        Results &out) {
  auto op = cast<RsqrtOp>(raw);
  Value a = c.flush(in[0], op.getFtz());
  Value one = c.floatConstant(c.elementOf(a), 1.0);
  Value value = c.make<arith::DivFOp>(one, c.make<math::SqrtOp>(a));
  out.push_back(c.flush(value, op.getFtz()));
  return success();
}

/// sin, cos, lg2, ex2: in the device library.
template <typename OpTy>
LogicalResult emitApprox(ChunkBuilder &c, Operation *raw, ValueRange in,
                         Results &out) {
  auto op = cast<OpTy>(raw);
  StringRef name = OpTy::getOperationName().drop_front(4); // "ptx."
  Value a = c.flush(in[0], op.getFtz());
  Value value = c.callDevice(name, c.elementOf(a), {a});
  out.push_back(c.flush(value, op.getFtz()));
  return success();
}

LogicalResult emitAbs(ChunkBuilder &c, Operation *raw, ValueRange in,
                      Results &out) {
  auto op = cast<AbsFloatOp>(raw);
  out.push_back(c.flush(c.make<math::AbsFOp>(in[0]), op.getFtz()));
  return success();
}
LogicalResult emitNeg(ChunkBuilder &c, Operation *raw, ValueRange in,
                      Results &out) {
  auto op = cast<NegFloatOp>(raw);
  out.push_back(c.flush(c.make<arith::NegFOp>(in[0]), op.getFtz()));
  return success();
}

/// One NaN: the other operand; +0 is greater than -0. `.NaN`: canonical NaN.
template <typename OpTy>
LogicalResult emitMinMax(ChunkBuilder &c, Operation *raw, ValueRange in,
                         Results &out) {
  auto op = cast<OpTy>(raw);
  bool isMin = std::is_same_v<OpTy, MinFloatOp>;
  Value a = c.flush(in[0], op.getFtz()), b = c.flush(in[1], op.getFtz());
  Value bitsA = c.bitsOf(a), bitsB = c.bitsOf(b);
  // Equal or unordered by <, decide by bits: or-ing signs makes -0 the lesser.
  Value equal = c.cmpf(CmpFPredicate::OEQ, a, b);
  Value zeros = isMin ? c.bitOr(bitsA, bitsB) : c.bitAnd(bitsA, bitsB);
  Value less = c.cmpf(isMin ? CmpFPredicate::OLT : CmpFPredicate::OGT, a, b);
  Value value = c.select(less, a, b);
  value = c.select(equal, c.bitcast(zeros, c.elementOf(a)), value);
  Value nanA = c.cmpf(CmpFPredicate::UNO, a, a);
  Value nanB = c.cmpf(CmpFPredicate::UNO, b, b);
  if (op.getNan()) {
    Value canonical =
        c.bitcast(c.intConstant(32, 0x7fffffff), c.b.getF32Type());
    value = c.select(c.bitOr(nanA, nanB), canonical, value);
  } else {
    value = c.select(nanA, b, c.select(nanB, a, value));
  }
  out.push_back(value);
  return success();
}

LogicalResult emitCopysign(ChunkBuilder &c, Operation *op, ValueRange in,
                           Results &out) {
  // The sign of a on the magnitude of b.
  out.push_back(c.make<math::CopySignOp>(in[1], in[0]));
  return success();
}

LogicalResult emitTestp(ChunkBuilder &c, Operation *raw, ValueRange in,
                        Results &out) {
  auto op = cast<TestpOp>(raw);
  unsigned width = c.widthOf(in[0]);
  Value magnitude =
      c.bitAnd(c.bitsOf(in[0]), c.intConstant(width, ~0ull >> (65 - width)));
  uint64_t infBits = width == 32 ? 0x7f800000ull : 0x7ff0000000000000ull;
  uint64_t leastBits = width == 32 ? 0x00800000ull : 0x0010000000000000ull;
  Value inf = c.intConstant(width, infBits), zero = c.intConstant(width, 0),
        least = c.intConstant(width, leastBits);
  Value result;
  switch (op.getTest()) {
  case FloatTest::Finite:
    result = c.cmp(CmpIPredicate::ult, magnitude, inf);
    break;
  case FloatTest::Infinite:
    result = c.cmp(CmpIPredicate::eq, magnitude, inf);
    break;
  case FloatTest::Number:
    result = c.cmp(CmpIPredicate::ule, magnitude, inf);
    break;
  case FloatTest::NotANumber:
    result = c.cmp(CmpIPredicate::ugt, magnitude, inf);
    break;
  case FloatTest::Normal: // zeros count as normal
    result = c.bitOr(c.cmp(CmpIPredicate::eq, magnitude, zero),
                     c.bitAnd(c.cmp(CmpIPredicate::uge, magnitude, least),
                              c.cmp(CmpIPredicate::ult, magnitude, inf)));
    break;
  case FloatTest::Subnormal:
    result = c.bitAnd(c.cmp(CmpIPredicate::ne, magnitude, zero),
                      c.cmp(CmpIPredicate::ult, magnitude, least));
    break;
  }
  out.push_back(result);
  return success();
}

} // namespace

void ptxjit::addFloatEmitters(EmitterTable &table) {
  table.add<AddFloatOp>(emitArith<AddFloatOp, arith::AddFOp>);
  table.add<SubFloatOp>(emitArith<SubFloatOp, arith::SubFOp>);
  table.add<MulFloatOp>(emitArith<MulFloatOp, arith::MulFOp>);
  table.add<FmaOp>(emitFma<FmaOp>);
  table.add<MadFloatOp>(emitFma<MadFloatOp>);
  table.add<DivFloatOp>(emitDiv);
  table.add<RcpOp>(emitRcp);
  table.add<SqrtOp>(emitSqrt);
  table.add<RsqrtOp>(emitRsqrt);
  table.add<SinOp>(emitApprox<SinOp>);
  table.add<CosOp>(emitApprox<CosOp>);
  table.add<Lg2Op>(emitApprox<Lg2Op>);
  table.add<Ex2Op>(emitApprox<Ex2Op>);
  table.add<AbsFloatOp>(emitAbs);
  table.add<NegFloatOp>(emitNeg);
  table.add<MinFloatOp>(emitMinMax<MinFloatOp>);
  table.add<MaxFloatOp>(emitMinMax<MaxFloatOp>);
  table.add<CopysignOp>(emitCopysign);
  table.add<TestpOp>(emitTestp);
}
