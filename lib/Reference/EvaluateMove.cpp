//===- EvaluateMove.cpp - ISA "data movement and conversion" --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluate.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "ptxjit/Dialect/FormTable.h"
#include "llvm/ADT/APInt.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using namespace ptxjit::reference;
using llvm::APInt;

/// ISA: bytes 0-3 are a, 4-7 are b.
static Bits permute(PrmtOp op, ArrayRef<Bits> in) {
  uint64_t pair = (in[1] << 32) | (in[0] & 0xffffffffu);
  auto byte = [&](unsigned i) { return pair >> (8 * (i & 7)) & 0xff; };
  unsigned s = in[2] & 3;
  Bits d = 0;
  for (unsigned i = 0; i < 4; ++i) {
    Bits b;
    if (!op.getMode()) {
      unsigned nibble = in[2] >> (4 * i) & 0xf;
      b = byte(nibble & 7);
      if (nibble & 8)
        b = b & 0x80 ? 0xff : 0;
    } else {
      switch (*op.getMode()) {
      case PermuteMode::F4E:
        b = byte(s + i);
        break;
      case PermuteMode::B4E:
        b = byte(s - i);
        break;
      case PermuteMode::RC8:
        b = byte(s);
        break;
      case PermuteMode::ECL:
        b = byte(std::max(i, s));
        break;
      case PermuteMode::ECR:
        b = byte(std::min(i, s));
        break;
      case PermuteMode::RC16:
        b = byte((s & 1) * 2 + (i & 1));
        break;
      }
    }
    d |= b << (8 * i);
  }
  return d;
}

/// ISA: "clusterlaunchcontrol.query_cancel", for the answers that Async.cpp
/// stores.
static void queryCancel(ClcQueryOp op, ArrayRef<Bits> in,
                        SmallVectorImpl<Bits> &out) {
  Bits words[4] = {in[0] & 0xffffffff, in[0] >> 32, in[1] & 0xffffffff,
                   in[1] >> 32};
  switch (op.getQuery()) {
  case ClcQuery::IsCanceled:
    out.push_back(words[0] & 1);
    return;
  case ClcQuery::All:
    out.append({words[1], words[2], words[3], words[0]});
    return;
  default:
    out.push_back(words[unsigned(op.getQuery()) - unsigned(ClcQuery::X) + 1]);
  }
}

bool reference::evaluateMove(Operation *op, ArrayRef<Bits> in,
                             SmallVectorImpl<Bits> &out) {
  if (isa<MovVectorOp, MovWideOp>(op)) {
    if (in.size() == op->getNumResults())
      out.append(in.begin(), in.end());
    else
      out.append({in[0] | in[1] << 32, in[2] | in[3] << 32});
    return true;
  }
  if (auto query = dyn_cast<ClcQueryOp>(op)) {
    queryCancel(query, in, out);
    return true;
  }
  auto give = [&](Bits value) {
    out.push_back(value);
    return true;
  };
  auto widthOf = [](Value v) { return v.getType().getIntOrFloatBitWidth(); };
  auto maskOf = [](unsigned n) { return n >= 64 ? ~0ull : (1ull << n) - 1; };
  if (isa<MovOp, arith::BitcastOp, arith::ExtUIOp>(op))
    return give(in[0]);
  if (isa<arith::TruncIOp>(op))
    return give(in[0] & maskOf(widthOf(op->getResult(0))));
  if (isa<arith::ExtSIOp>(op)) {
    APInt x(widthOf(op->getOperand(0)), in[0]);
    return give(x.sext(widthOf(op->getResult(0))).getZExtValue());
  }
  if (isa<arith::XOrIOp>(op))
    return give(in[0] ^ in[1]);
  if (isa<arith::AddIOp>(op))
    return give((in[0] + in[1]) & maskOf(widthOf(op->getResult(0))));
  if (isa<arith::MulIOp>(op))
    return give((in[0] * in[1]) & maskOf(widthOf(op->getResult(0))));
  if (isa<PackOp>(op)) {
    Bits d = 0;
    unsigned at = 0;
    for (auto [value, bits] : llvm::zip(op->getOperands(), in)) {
      d |= bits << at;
      at += widthOf(value);
    }
    return give(d);
  }
  if (isa<UnpackOp>(op)) {
    unsigned at = 0;
    for (Value v : op->getResults()) {
      out.push_back(in[0] >> at & maskOf(widthOf(v)));
      at += widthOf(v);
    }
    return true;
  }
  if (auto prmt = dyn_cast<PrmtOp>(op))
    return give(permute(prmt, in));
  return false;
}
