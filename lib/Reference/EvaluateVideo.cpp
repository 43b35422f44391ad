//===- EvaluateVideo.cpp - ISA "video instructions" -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes as the ISA's text does, with integers wide enough for all
// intermediate values.
//
//===----------------------------------------------------------------------===//

#include "Evaluate.h"

#include "ptxjit/Dialect/Video.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using namespace ptxjit::reference;

using Wide = __int128;

/// ISA: partSelectSignExtend.
static Wide extract(Bits value, unsigned shift, unsigned width, bool isSigned) {
  Bits bits = value >> shift & ((Bits(1) << width) - 1);
  bool negative = isSigned && bits >> (width - 1) & 1;
  return negative ? Wide(bits) - (Wide(1) << width) : Wide(bits);
}

/// ISA: optSaturate.
static Wide clamp(Wide x, unsigned width, bool isSigned) {
  Wide most = (Wide(1) << (width - isSigned)) - 1;
  Wide least = isSigned ? -most - 1 : 0;
  return x < least ? least : x > most ? most : x;
}

static bool compareParts(Compare compare, Wide a, Wide b) {
  switch (compare) {
  case Compare::EQ:
    return a == b;
  case Compare::NE:
    return a != b;
  case Compare::LT:
    return a < b;
  case Compare::LE:
    return a <= b;
  case Compare::GT:
    return a > b;
  default:
    return a >= b;
  }
}

static Wide operate(const VideoInstruction &video, Wide a, Wide b) {
  switch (video.kind) {
  case VideoKind::Add:
    return a + b;
  case VideoKind::Sub:
    return a - b;
  case VideoKind::Average:
    return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
  case VideoKind::AbsDiff:
    return a < b ? b - a : a - b;
  case VideoKind::Min:
    return std::min(a, b);
  case VideoKind::Max:
    return std::max(a, b);
  case VideoKind::Set:
    return compareParts(video.compare, a, b);
  default:
    break;
  }
  // Shifts: b is unsigned.
  int amount =
      int(video.shiftMode == ShiftMode::Wrap ? b & 31 : std::min(b, Wide(32)));
  return video.kind == VideoKind::ShiftLeft ? a * (Wide(1) << amount)
                                            : a >> amount;
}

static Bits multiplyAdd(const VideoInstruction &video, Wide a, Wide b, Bits c) {
  bool finalSigned =
      video.aSigned || video.bSigned || video.negateProduct || video.negateC;
  Wide product = a * b;
  bool plusOne = video.plusOne || video.negateProduct || video.negateC;
  if (video.negateProduct)
    product = ~product;
  if (video.negateC)
    c = ~c;
  Wide result = product + extract(c, 0, 32, finalSigned) + plusOne;
  result >>= video.scale;
  if (video.saturates)
    result = clamp(result, 32, finalSigned);
  return Bits(result) & 0xffffffff;
}

static Bits scalarVideo(const VideoInstruction &video, ArrayRef<Bits> in) {
  Wide a = extract(in[0], video.a.shift, video.a.width, video.aSigned);
  Wide b = extract(in[1], video.b.shift, video.b.width, video.bSigned);
  if (video.kind == VideoKind::Mad)
    return multiplyAdd(video, a, b, in[2]);
  Wide result = operate(video, a, b);
  if (video.saturates)
    result = clamp(result, video.result.width, video.resultSigned);
  if (video.merges()) {
    Bits field = ((Bits(1) << video.result.width) - 1) << video.result.shift;
    return (in[2] & 0xffffffff & ~field) |
           (Bits(result) << video.result.shift & field);
  }
  if (video.second) {
    // ISA: "The sign of the intermediate result depends on dtype."
    if (!video.resultSigned && result < 0)
      result += Wide(1) << 64;
    Wide c = extract(in[2], 0, 32, video.resultSigned);
    result = *video.second == AtomicOp::Add   ? result + c
             : *video.second == AtomicOp::Min ? std::min(result, c)
                                              : std::max(result, c);
  }
  return Bits(result) & 0xffffffff;
}

static Bits simdVideo(const VideoInstruction &video, ArrayRef<Bits> in) {
  unsigned width = video.laneBits();
  Bits both = (in[0] & 0xffffffff) | in[1] << 32;
  Bits lane = (Bits(1) << width) - 1, d = video.accumulates ? in[2] : 0;
  for (unsigned i = 0; i < video.lanes; ++i) {
    Wide a = extract(both, video.aParts[i] * width, width, video.aSigned);
    Wide b = extract(both, video.bParts[i] * width, width, video.bSigned);
    Wide t = operate(video, a, b);
    if (video.saturates)
      t = clamp(t, width, video.resultSigned);
    bool chosen = video.laneMask >> i & 1;
    if (video.accumulates)
      d += chosen ? Bits(t) : 0;
    else
      d |= (chosen ? Bits(t) & lane : in[2] >> (i * width) & lane)
           << (i * width);
  }
  return d & 0xffffffff;
}

bool reference::evaluateVideo(Operation *op, ArrayRef<Bits> in,
                              SmallVectorImpl<Bits> &out) {
  auto instruction = dyn_cast<VideoOp>(op);
  if (!instruction)
    return false;
  VideoInstruction video = instruction.getVideo();
  out.push_back(video.lanes == 1 ? scalarVideo(video, in)
                                 : simdVideo(video, in));
  return true;
}
