//===- EvaluateLogic.cpp - comparison, selection, logic, shifts -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluate.h"

#include "ptxjit/Dialect/FormTable.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using namespace ptxjit::reference;
using llvm::APFloat;
using llvm::APInt;

static uint64_t maskOf(unsigned width) {
  return width >= 64 ? ~0ull : (1ull << width) - 1;
}

bool reference::compare(Compare cmp, ScalarType type, bool ftz, Bits a,
                        Bits b) {
  if (!isFloat(type) && type != ScalarType::BF16) {
    unsigned n = getBitWidth(type);
    APInt x(n, a, false, true), y(n, b, false, true);
    bool s = isSignedInt(type);
    switch (cmp) {
    case Compare::EQ:
      return x == y;
    case Compare::NE:
      return x != y;
    case Compare::LT:
      return s ? x.slt(y) : x.ult(y);
    case Compare::LE:
      return s ? x.sle(y) : x.ule(y);
    case Compare::GT:
      return s ? x.sgt(y) : x.ugt(y);
    case Compare::GE:
      return s ? x.sge(y) : x.uge(y);
    case Compare::LO:
      return x.ult(y);
    case Compare::LS:
      return x.ule(y);
    case Compare::HI:
      return x.ugt(y);
    default:
      return x.uge(y);
    }
  }
  if (ftz)
    a = flush(type, a), b = flush(type, b);
  auto r = makeFloat(type, a).compare(makeFloat(type, b));
  bool lt = r == APFloat::cmpLessThan, gt = r == APFloat::cmpGreaterThan,
       eq = r == APFloat::cmpEqual, un = r == APFloat::cmpUnordered;
  switch (cmp) {
  case Compare::EQ:
    return eq;
  case Compare::NE: // ordered: false for NaN
    return lt || gt;
  case Compare::LT:
    return lt;
  case Compare::LE:
    return lt || eq;
  case Compare::GT:
    return gt;
  case Compare::GE:
    return gt || eq;
  case Compare::EQU:
    return eq || un;
  case Compare::NEU:
    return !eq;
  case Compare::LTU:
    return lt || un;
  case Compare::LEU:
    return !gt;
  case Compare::GTU:
    return gt || un;
  case Compare::GEU:
    return !lt;
  case Compare::NUM:
    return !un;
  default:
    return un;
  }
}

static bool combine(std::optional<BoolOp> op, bool t, bool c) {
  if (!op)
    return t;
  return *op == BoolOp::And ? t && c : *op == BoolOp::Or ? t || c : t != c;
}

static Bits shift(Operation *raw, Bits a, Bits amount) {
  if (auto op = dyn_cast<ShlOp>(raw)) {
    unsigned n = getBitWidth(op.getTy());
    return amount >= n ? 0 : (a << amount) & maskOf(n);
  }
  auto op = cast<ShrOp>(raw);
  unsigned n = getBitWidth(op.getTy());
  APInt x(n, a, false, true);
  unsigned by = unsigned(std::min<uint64_t>(amount, n));
  return (isSignedInt(op.getTy()) ? x.ashr(by) : x.lshr(by)).getZExtValue();
}

/// ISA: shifts {b, a} as 64 bits. Left returns the upper word, right the lower
/// one.
static Bits funnel(ShfOp op, ArrayRef<Bits> in) {
  uint64_t pair = (in[1] << 32) | (in[0] & 0xffffffffu);
  unsigned n = op.getMode() == ShiftMode::Wrap
                   ? in[2] & 31
                   : unsigned(std::min<uint64_t>(in[2], 32));
  if (op.getDir() == Direction::Left)
    return (pair << n) >> 32;
  return (pair >> n) & 0xffffffffu;
}

/// Returns the value that `set` gives for true.
static Bits trueOf(ScalarType type) {
  switch (type) {
  case ScalarType::F32:
    return 0x3f800000u;
  case ScalarType::F16:
    return 0x3c00u;
  case ScalarType::BF16:
    return 0x3f80u;
  default:
    return maskOf(getBitWidth(type));
  }
}

bool reference::evaluateLogic(Operation *raw, ArrayRef<Bits> in,
                              SmallVectorImpl<Bits> &out) {
  auto give = [&](Bits value) {
    out.push_back(value);
    return true;
  };
  if (auto op = dyn_cast<SetpOp>(raw);
      op && getPartType(op.getTy()) != op.getTy()) {
    for (unsigned i = 0; i < op.getP().size(); ++i) // p: low, q: high
      out.push_back(combine(
          op.getBoolop(),
          reference::compare(op.getCmp(), getPartType(op.getTy()), op.getFtz(),
                             in[0] >> 16 * i, in[1] >> 16 * i),
          in.size() > 2 && in[2]));
    return true;
  }
  if (auto op = dyn_cast<SetpOp>(raw)) {
    bool t =
        reference::compare(op.getCmp(), op.getTy(), op.getFtz(), in[0], in[1]);
    bool c = in.size() > 2 && in[2];
    out.push_back(combine(op.getBoolop(), t, c));
    if (op.getP().size() > 1)
      out.push_back(combine(op.getBoolop(), !t, c));
    return true;
  }
  if (auto op = dyn_cast<SetOp>(raw)) {
    ScalarType part = getPartType(op.getTy2());
    auto decide = [&](unsigned shift) {
      bool t = reference::compare(op.getCmp(), part, op.getFtz(),
                                  in[0] >> shift, in[1] >> shift);
      return combine(op.getBoolop(), t, in.size() > 2 && in[2]);
    };
    if (part != op.getTy2()) { // both halves; true is 0xffff in integers
      Bits one = trueOf(getPartType(op.getTy())) & 0xffff;
      return give((decide(0) ? one : 0) | (decide(16) ? one << 16 : 0));
    }
    return give(decide(0) ? trueOf(op.getTy()) : 0);
  }
  if (isa<SelpOp>(raw))
    return give(in[2] ? in[0] : in[1]);
  if (auto op = dyn_cast<SlctOp>(raw))
    return give(
        reference::compare(Compare::GE, op.getTy2(), op.getFtz(), in[2], 0)
            ? in[0]
            : in[1]);
  if (isa<AndOp>(raw))
    return give(in[0] & in[1]);
  if (isa<OrOp>(raw))
    return give(in[0] | in[1]);
  if (isa<XorOp>(raw))
    return give(in[0] ^ in[1]);
  if (auto op = dyn_cast<NotOp>(raw))
    return give(~in[0] & maskOf(getBitWidth(op.getTy())));
  if (isa<CnotOp>(raw))
    return give(in[0] == 0);
  if (isa<Lop3Op, Lop3PredOp>(raw)) {
    Bits d = 0;
    for (unsigned i = 0; i < 32; ++i) {
      unsigned index =
          (in[0] >> i & 1) << 2 | (in[1] >> i & 1) << 1 | (in[2] >> i & 1);
      d |= (in[3] >> index & 1) << i;
    }
    out.push_back(d);
    if (raw->getNumResults() > 1)
      out.push_back(combine(cast<Lop3PredOp>(raw).getBoolop(), d != 0, in[4]));
    return true;
  }
  if (isa<ShlOp, ShrOp>(raw))
    return give(shift(raw, in[0], in[1]));
  if (auto op = dyn_cast<ShfOp>(raw))
    return give(funnel(op, in));
  return false;
}
