//===- Video.cpp - video instructions per chunk ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands are widened so that nothing can overflow: the lanes of SIMD
// instructions to 32 bits, scalars to 64, those of products and left shifts to
// 128.
//
//===----------------------------------------------------------------------===//

#include "Dispatch.h"

#include "ptxjit/Dialect/PtxOps.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using arith::CmpIPredicate;

namespace {
using Results = SmallVectorImpl<Value>;

/// A constant of 32, 64 or 128 bits.
Value number(ChunkBuilder &c, unsigned width, int64_t value) {
  if (width <= 64)
    return c.intConstant(width, uint64_t(value));
  return c.resize(c.intConstant(64, uint64_t(value)), width, true);
}

/// A field of a 32-bit value, extended to `width` bits.
Value extract(ChunkBuilder &c, Value x, BitField field, bool isSigned,
              unsigned width) {
  if (field.width < 32) {
    x = field.shift ? c.shrBy(x, field.shift, false) : x;
    x = c.resize(x, field.width, false);
  }
  return c.resize(x, width, isSigned);
}

Value clamp(ChunkBuilder &c, Value x, unsigned bits, bool isSigned) {
  unsigned width = c.widthOf(x);
  int64_t most = (int64_t(1) << (bits - isSigned)) - 1;
  int64_t least = isSigned ? -most - 1 : 0;
  x = c.make<arith::MaxSIOp>(x, number(c, width, least));
  return c.make<arith::MinSIOp>(x, number(c, width, most));
}

CmpIPredicate predicateOf(Compare compare) {
  switch (compare) {
  case Compare::EQ:
    return CmpIPredicate::eq;
  case Compare::NE:
    return CmpIPredicate::ne;
  case Compare::LT:
    return CmpIPredicate::slt;
  case Compare::LE:
    return CmpIPredicate::sle;
  case Compare::GT:
    return CmpIPredicate::sgt;
  default:
    return CmpIPredicate::sge;
  }
}

/// Applies the operation to widened parts.
Value operate(ChunkBuilder &c, const VideoInstruction &video, Value a,
              Value b) {
  unsigned width = c.widthOf(a);
  switch (video.kind) {
  case VideoKind::Add:
    return c.add(a, b);
  case VideoKind::Sub:
    return c.sub(a, b);
  case VideoKind::Average: {
    // Half of an odd sum is rounded away from zero.
    Value sum = c.add(a, b);
    Value positive =
        c.bitXor(c.shrBy(sum, width - 1, false), c.intConstant(width, 1));
    return c.shrBy(c.add(sum, positive), 1, true);
  }
  case VideoKind::AbsDiff:
    return c.sub(c.make<arith::MaxSIOp>(a, b), c.make<arith::MinSIOp>(a, b));
  case VideoKind::Min:
    return c.make<arith::MinSIOp>(a, b);
  case VideoKind::Max:
    return c.make<arith::MaxSIOp>(a, b);
  case VideoKind::Set:
    return c.resize(c.cmp(predicateOf(video.compare), a, b), width, false);
  case VideoKind::ShiftLeft:
  case VideoKind::ShiftRight: {
    Value amount = video.shiftMode == ShiftMode::Wrap
                       ? c.bitAnd(b, number(c, width, 31))
                       : c.make<arith::MinUIOp>(b, number(c, width, 32));
    return video.kind == VideoKind::ShiftLeft
               ? c.make<arith::ShLIOp>(a, amount)
               : c.make<arith::ShRSIOp>(a, amount);
  }
  case VideoKind::Mad:
    break;
  }
  llvm_unreachable("vmad has three operands");
}

/// ISA: "vmad".
Value multiplyAdd(ChunkBuilder &c, const VideoInstruction &video, Value a,
                  Value b, Value addend) {
  unsigned width = c.widthOf(a);
  bool finalSigned =
      video.aSigned || video.bSigned || video.negateProduct || video.negateC;
  Value product = c.make<arith::MulIOp>(a, b);
  if (video.negateProduct)
    product = c.sub(number(c, width, 0), product);
  if (video.negateC)
    addend = c.bitNot(addend);
  Value sum = c.add(product, c.resize(addend, width, finalSigned));
  if (video.plusOne || video.negateC)
    sum = c.add(sum, number(c, width, 1));
  if (video.scale)
    sum = c.shrBy(sum, video.scale, true);
  if (video.saturates)
    sum = clamp(c, sum, 32, finalSigned);
  return c.resize(sum, 32, false);
}

Value emitScalar(ChunkBuilder &c, const VideoInstruction &video,
                 ValueRange in) {
  bool isWide =
      video.kind == VideoKind::Mad || video.kind == VideoKind::ShiftLeft;
  unsigned width = isWide ? 128 : 64;
  Value a = extract(c, in[0], video.a, video.aSigned, width);
  Value b = extract(c, in[1], video.b, video.bSigned, width);
  if (video.kind == VideoKind::Mad)
    return multiplyAdd(c, video, a, b, in[2]);
  Value result = operate(c, video, a, b);
  if (video.saturates)
    result = clamp(c, result, video.result.width, video.resultSigned);
  if (video.merges()) {
    uint64_t field = ((uint64_t(1) << video.result.width) - 1)
                     << video.result.shift;
    Value placed = c.resize(result, 32, false);
    if (video.result.shift)
      placed = c.shlBy(placed, video.result.shift);
    return c.bitOr(c.bitAnd(placed, c.intConstant(32, field)),
                   c.bitAnd(in[2], c.intConstant(32, ~field & 0xffffffff)));
  }
  if (video.second) {
    // The intermediate result has the sign of the destination, too.
    bool s = video.resultSigned;
    Value addend = c.resize(in[2], width, s);
    if (*video.second == AtomicOp::Add)
      result = c.add(result, addend);
    else if (*video.second == AtomicOp::Min)
      result = s ? c.make<arith::MinSIOp>(result, addend)
                 : c.make<arith::MinUIOp>(result, addend);
    else
      result = s ? c.make<arith::MaxSIOp>(result, addend)
                 : c.make<arith::MaxUIOp>(result, addend);
  }
  return c.resize(result, 32, false);
}

Value emitSimd(ChunkBuilder &c, const VideoInstruction &video, ValueRange in) {
  unsigned bits = video.laneBits();
  auto part = [&](unsigned index, bool isSigned) {
    BitField field{index % video.lanes * bits, bits};
    return extract(c, in[index / video.lanes], field, isSigned, 32);
  };
  Value d = in[2];
  uint64_t written = 0;
  Value placed;
  for (unsigned i = 0; i < video.lanes; ++i) {
    if (!(video.laneMask >> i & 1))
      continue;
    Value t = operate(c, video, part(video.aParts[i], video.aSigned),
                      part(video.bParts[i], video.bSigned));
    if (video.saturates)
      t = clamp(c, t, bits, video.resultSigned);
    if (video.accumulates) {
      d = c.add(d, t);
      continue;
    }
    uint64_t lane = (uint64_t(1) << bits) - 1;
    t = c.bitAnd(t, c.intConstant(32, lane));
    t = i ? c.shlBy(t, i * bits) : t;
    placed = placed ? c.bitOr(placed, t) : t;
    written |= lane << (i * bits);
  }
  if (video.accumulates)
    return d;
  Value kept = c.bitAnd(d, c.intConstant(32, ~written & 0xffffffff));
  return c.bitOr(kept, placed);
}

LogicalResult emitVideo(ChunkBuilder &c, Operation *op, ValueRange in,
                        Results &out) {
  VideoInstruction video = cast<VideoOp>(op).getVideo();
  out.push_back(video.lanes == 1 ? emitScalar(c, video, in)
                                 : emitSimd(c, video, in));
  return success();
}
} // namespace

void ptxjit::addVideoEmitters(Dispatch &dispatch) {
  dispatch.add<VideoOp>(emitVideo);
}
