//===- Moves.cpp - moves per chunk ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dispatch.h"

#include "ptxjit/Dialect/PtxOps.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using Results = llvm::SmallVectorImpl<Value>;
using arith::CmpIPredicate;

namespace {

LogicalResult emitPack(ChunkBuilder &c, Operation *op, ValueRange in,
                       Results &out) {
  unsigned width = op->getResult(0).getType().getIntOrFloatBitWidth();
  Value packed;
  unsigned at = 0;
  for (Value element : in) {
    Value part = c.resize(element, width, false);
    if (at)
      part = c.shlBy(part, at);
    packed = packed ? c.bitOr(packed, part) : part;
    at += c.widthOf(element);
  }
  out.push_back(packed);
  return success();
}

LogicalResult emitUnpack(ChunkBuilder &c, Operation *op, ValueRange in,
                         Results &out) {
  unsigned at = 0;
  for (Type type : op->getResultTypes()) {
    Value part = at ? c.shrBy(in[0], at, false) : in[0];
    out.push_back(c.resize(part, type.getIntOrFloatBitWidth(), false));
    at += type.getIntOrFloatBitWidth();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// prmt
//===----------------------------------------------------------------------===//

/// Byte number `index` (a value) of the 64-bit pair, in the low 8 bits.
Value pickByte(ChunkBuilder &c, Value pair, Value index) {
  Value shift = c.shlBy(c.resize(index, 64, false), 3);
  return c.bitAnd(c.resize(c.shr(pair, shift, false), 32, false),
                  c.intConstant(32, 0xff));
}

LogicalResult emitPrmt(ChunkBuilder &c, Operation *raw, ValueRange in,
                       Results &out) {
  auto op = cast<PrmtOp>(raw);
  Value pair = c.bitOr(c.resize(in[0], 64, false),
                       c.shlBy(c.resize(in[1], 64, false), 32));
  Value selector = in[2], result;
  Value mode = c.bitAnd(selector, c.intConstant(32, 3));
  for (unsigned i = 0; i < 4; ++i) {
    Value byte;
    Value lane = c.intConstant(32, i), seven = c.intConstant(32, 7);
    if (!op.getMode()) {
      Value nibble = c.shrBy(selector, 4 * i, false);
      byte = pickByte(c, pair, c.bitAnd(nibble, seven));
      // Bit 3 selects the sign of the byte, eight times.
      Value sign = c.bitAnd(c.shrBy(c.shlBy(byte, 24), 31, true),
                            c.intConstant(32, 0xff));
      Value replicate =
          c.cmp(CmpIPredicate::ne, c.bitAnd(nibble, c.intConstant(32, 8)),
                c.intConstant(32, 0));
      byte = c.select(replicate, sign, byte);
    } else {
      Value index;
      switch (*op.getMode()) {
      case PermuteMode::F4E:
        index = c.add(mode, lane);
        break;
      case PermuteMode::B4E:
        index = c.bitAnd(c.sub(mode, lane), seven);
        break;
      case PermuteMode::RC8:
        index = mode;
        break;
      case PermuteMode::ECL:
        index = c.make<arith::MaxUIOp>(mode, lane);
        break;
      case PermuteMode::ECR:
        index = c.make<arith::MinUIOp>(mode, lane);
        break;
      case PermuteMode::RC16:
        index = c.add(c.shlBy(c.bitAnd(mode, c.intConstant(32, 1)), 1),
                      c.intConstant(32, i & 1));
        break;
      }
      byte = pickByte(c, pair, index);
    }
    if (i)
      byte = c.shlBy(byte, 8 * i);
    result = result ? c.bitOr(result, byte) : byte;
  }
  out.push_back(result);
  return success();
}

//===----------------------------------------------------------------------===//
// arith ops that parser and structuring made
//===----------------------------------------------------------------------===//

LogicalResult emitTrunc(ChunkBuilder &c, Operation *op, ValueRange in,
                        Results &out) {
  out.push_back(
      c.resize(in[0], op->getResult(0).getType().getIntOrFloatBitWidth(), 0));
  return success();
}
LogicalResult emitExtU(ChunkBuilder &c, Operation *op, ValueRange in,
                       Results &out) {
  return emitTrunc(c, op, in, out);
}
LogicalResult emitExtS(ChunkBuilder &c, Operation *op, ValueRange in,
                       Results &out) {
  out.push_back(c.resize(
      in[0], op->getResult(0).getType().getIntOrFloatBitWidth(), true));
  return success();
}
LogicalResult emitBitcast(ChunkBuilder &c, Operation *op, ValueRange in,
                          Results &out) {
  out.push_back(c.bitcast(in[0], op->getResult(0).getType()));
  return success();
}
LogicalResult emitSelect(ChunkBuilder &c, Operation *, ValueRange in,
                         Results &out) {
  out.push_back(c.select(in[0], in[1], in[2]));
  return success();
}
LogicalResult emitCmpI(ChunkBuilder &c, Operation *op, ValueRange in,
                       Results &out) {
  out.push_back(c.cmp(cast<arith::CmpIOp>(op).getPredicate(), in[0], in[1]));
  return success();
}
template <typename OpTy>
LogicalResult emitSame(ChunkBuilder &c, Operation *, ValueRange in,
                       Results &out) {
  out.push_back(c.make<OpTy>(in[0], in[1]));
  return success();
}
LogicalResult emitUndef(ChunkBuilder &c, Operation *op, ValueRange,
                        Results &out) {
  out.push_back(c.zero(op->getResult(0).getType()));
  return success();
}

/// Moves values one by one, or joins four words to two halves.
LogicalResult emitMovMany(ChunkBuilder &c, Operation *op, ValueRange in,
                          Results &out) {
  if (in.size() == op->getNumResults()) {
    out.append(in.begin(), in.end());
    return success();
  }
  for (unsigned half = 0; half < 4; half += 2) {
    Value high = c.shlBy(c.resize(in[half + 1], 64, false), 32);
    out.push_back(c.bitOr(c.resize(in[half], 64, false), high));
  }
  return success();
}

/// The answer is a bit, then three words (see PtxCluster.td).
LogicalResult emitClcQuery(ChunkBuilder &c, Operation *raw, ValueRange in,
                           Results &out) {
  auto op = cast<ClcQueryOp>(raw);
  auto word = [&](unsigned i) {
    Value half = in[i / 2];
    return c.resize(i % 2 ? c.shrBy(half, 32, false) : half, 32, false);
  };
  switch (op.getQuery()) {
  case ClcQuery::IsCanceled:
    out.push_back(c.resize(in[0], 1, false));
    break;
  case ClcQuery::All:
    for (unsigned i : {1, 2, 3, 0}) // the fourth is not defined
      out.push_back(word(i));
    break;
  default:
    out.push_back(word(unsigned(op.getQuery()) - unsigned(ClcQuery::X) + 1));
  }
  return success();
}
} // namespace

void ptxjit::addMoveEmitters(Dispatch &dispatch) {
  dispatch.add<MovWideOp>(emitMovMany);
  dispatch.add<MovVectorOp>(emitMovMany);
  dispatch.add<ClcQueryOp>(emitClcQuery);
  dispatch.add<PackOp>(emitPack);
  dispatch.add<UnpackOp>(emitUnpack);
  dispatch.add<PrmtOp>(emitPrmt);
  dispatch.add<UndefOp>(emitUndef);
  dispatch.add<arith::TruncIOp>(emitTrunc);
  dispatch.add<arith::ExtUIOp>(emitExtU);
  dispatch.add<arith::ExtSIOp>(emitExtS);
  dispatch.add<arith::BitcastOp>(emitBitcast);
  dispatch.add<arith::SelectOp>(emitSelect);
  dispatch.add<arith::CmpIOp>(emitCmpI);
  dispatch.add<arith::AndIOp>(emitSame<arith::AndIOp>);
  dispatch.add<arith::OrIOp>(emitSame<arith::OrIOp>);
  dispatch.add<arith::XOrIOp>(emitSame<arith::XOrIOp>);
  dispatch.add<arith::AddIOp>(emitSame<arith::AddIOp>);
  dispatch.add<arith::SubIOp>(emitSame<arith::SubIOp>);
  dispatch.add<arith::MulIOp>(emitSame<arith::MulIOp>);
}
