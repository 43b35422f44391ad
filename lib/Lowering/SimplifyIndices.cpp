//===- SimplifyIndices.cpp - indices as they were before compilers --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop that fills a tile computes row = i / 34, column = i % 34, and
// row * 34 + column as the place in the tile. Compilers turn the division into
// a multiplication, and keep the sum. This pass finds the division again, which
// costs little for lanes with consecutive numbers, and computes sums without
// the terms that cancel each other: here the place is i.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Dialect/Constants.h"
#include "ptxjit/Dialect/FormTable.h"
#include "ptxjit/Lowering/Passes.h"
#include "ptxjit/Lowering/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "ptxjit/Dialect/PtxOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace ptxjit {
#define GEN_PASS_DEF_SIMPLIFYINDICESPASS
#include "ptxjit/Lowering/Passes.h.inc"
} // namespace ptxjit

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

/// Erases an op that nothing uses, and what it alone used.
static void eraseDead(Operation *op) {
  llvm::SmallSetVector<Operation *, 8> dead;
  dead.insert(op);
  while (!dead.empty()) {
    Operation *next = dead.pop_back_val();
    if (!isOpTriviallyDead(next))
      continue;
    for (Value operand : next->getOperands())
      if (Operation *source = operand.getDefiningOp())
        dead.insert(source);
    next->erase();
  }
}

//===----------------------------------------------------------------------===//
// Divisions
//===----------------------------------------------------------------------===//

namespace {
/// A product's high half, shifted to the right: floor(x * factor / 2^shift).
struct ScaledProduct {
  Value x;
  APInt factor; ///< of 32 bits
  unsigned shift = 0;
  bool isSigned = false;
};
} // namespace

/// Matches mul.hi of 32 bits by a constant, or its right shift by one.
static std::optional<ScaledProduct> matchScaledProduct(Value value) {
  ScaledProduct found;
  if (auto shift = value.getDefiningOp<ShrOp>()) {
    std::optional<APInt> amount = constantOf(shift.getB());
    if (!amount || amount->uge(32))
      return std::nullopt;
    found.shift = unsigned(amount->getZExtValue());
    found.isSigned = isSignedInt(shift.getTy());
    value = shift.getA();
  }
  auto product = value.getDefiningOp<MulIntOp>();
  if (!product || product.getPart() != Part::Hi ||
      getBitWidth(product.getTy()) != 32 ||
      (found.shift && isSignedInt(product.getTy()) != found.isSigned))
    return std::nullopt;
  found.isSigned = isSignedInt(product.getTy());
  std::optional<APInt> factor = constantOf(product.getB());
  if (!factor)
    return std::nullopt;
  found.x = product.getA();
  found.factor = *factor;
  found.shift += 32;
  return found;
}

/// The divisor D for which floor(x * factor / 2^shift), plus 1 for a negative
/// x, is x / D in all 32-bit numbers x. With e = D * factor - 2^shift it holds
/// for 0 < e and |x| * e <= 2^shift, as in Granlund and Montgomery's proof,
/// since the error of the quotient, |x| * e / (D * 2^shift), is at most 1 / D
/// (less than it for a positive x).
static std::optional<uint32_t> divisorOf(const ScaledProduct &product) {
  uint64_t factor = product.factor.getZExtValue();
  if (factor < 2 || (product.isSigned && product.factor.isNegative()))
    return std::nullopt;
  APInt scale = APInt::getOneBitSet(128, product.shift);
  APInt divisor = (scale + (factor - 1)).udiv(APInt(128, factor));
  APInt error = divisor * factor - scale;
  unsigned bits = product.isSigned ? 31 : 32; // |x| <= 2^31, x < 2^32
  if (divisor.ult(2) || divisor.getActiveBits() > 31 || error.isZero() ||
      error.shl(bits).ugt(scale))
    return std::nullopt;
  return uint32_t(divisor.getZExtValue());
}

/// Matches the sign bit of the high half of x * factor or of x, which is 1 for
/// negative x: the factor is positive.
static bool isSignOf(Value value, const ScaledProduct &product) {
  auto shift = value.getDefiningOp<ShrOp>();
  std::optional<APInt> amount = shift ? constantOf(shift.getB()) : std::nullopt;
  if (!amount || *amount != 31 || isSignedInt(shift.getTy()) ||
      getBitWidth(shift.getTy()) != 32)
    return false;
  if (shift.getA() == product.x)
    return true;
  auto high = shift.getA().getDefiningOp<MulIntOp>();
  std::optional<ScaledProduct> same =
      high ? matchScaledProduct(high.getD()) : std::nullopt;
  return same && same->isSigned && same->x == product.x &&
         same->factor == product.factor;
}

/// Replaces a quotient by a constant by ptx.div. \returns whether it did.
static bool restoreDivision(Operation *op) {
  std::optional<ScaledProduct> product;
  if (auto sum = dyn_cast<AddIntOp>(op);
      sum && !sum.getSat() && getBitWidth(sum.getTy()) == 32) {
    for (auto [x, sign] : {std::pair(sum.getA(), sum.getB()),
                           std::pair(sum.getB(), sum.getA())}) {
      product = matchScaledProduct(x);
      if (product && product->isSigned && isSignOf(sign, *product))
        break;
      product.reset();
    }
  } else if (isa<ShrOp, MulIntOp>(op)) {
    product = matchScaledProduct(op->getResult(0));
    if (product && product->isSigned)
      product.reset();
  }
  std::optional<uint32_t> divisor =
      product ? divisorOf(*product) : std::nullopt;
  if (!divisor)
    return false;
  OpBuilder b(op);
  Value by = arith::ConstantOp::create(
      b, op->getLoc(), b.getIntegerAttr(b.getI32Type(), int64_t(*divisor)));
  auto quotient =
      DivIntOp::create(b, op->getLoc(), b.getI32Type(), product->x, by,
                       product->isSigned ? ScalarType::S32 : ScalarType::U32);
  op->getResult(0).replaceAllUsesWith(quotient.getD());
  eraseDead(op);
  return true;
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

namespace {
/// A value as a sum of multiples of other values, modulo 2^width.
class Sum {
public:
  explicit Sum(Value root)
      : width(root.getType().getIntOrFloatBitWidth()), constant(width, 0) {
    add(root, APInt(width, 1));
  }

  /// Do terms cancel each other, and are there fewer ops without them?
  bool isSimpler() const { return complete && cancelled && numOps() < numSeen; }
  /// Makes the sum of what is left.
  Value make(OpBuilder &b, Location loc) const;

private:
  void add(Value value, const APInt &factor);
  unsigned numOps() const;

  /// The largest number of ops that are looked at.
  static constexpr unsigned kMost = 32;

  unsigned width;
  APInt constant;
  llvm::MapVector<Value, APInt> terms;
  unsigned numSeen = 0; ///< the ops that add and multiply
  bool complete = true;
  bool cancelled = false;
};
} // namespace

void Sum::add(Value value, const APInt &factor) {
  if (std::optional<APInt> number = constantOf(value)) {
    constant += *number * factor;
    return;
  }
  Operation *op = value.getDefiningOp();
  if (numSeen == kMost) {
    complete = false;
    return;
  }
  auto whole = [&](auto op) {
    return !op.getSat() && getBitWidth(op.getTy()) == width;
  };
  auto isLow = [&](auto op) {
    return op.getPart() == Part::Lo && getBitWidth(op.getTy()) == width;
  };
  ++numSeen;
  if (auto sum = dyn_cast_or_null<AddIntOp>(op); sum && whole(sum)) {
    add(sum.getA(), factor);
    return add(sum.getB(), factor);
  }
  if (auto difference = dyn_cast_or_null<SubIntOp>(op);
      difference && whole(difference)) {
    add(difference.getA(), factor);
    return add(difference.getB(), -factor);
  }
  if (auto product = dyn_cast_or_null<MulIntOp>(op); product && isLow(product))
    if (std::optional<APInt> by = constantOf(product.getB()))
      return add(product.getA(), factor * *by);
  if (auto product = dyn_cast_or_null<MadIntOp>(op);
      product && isLow(product) && !product.getSat())
    if (std::optional<APInt> by = constantOf(product.getB())) {
      add(product.getA(), factor * *by);
      return add(product.getC(), factor);
    }
  if (auto shift = dyn_cast_or_null<ShlOp>(op))
    if (std::optional<APInt> by = constantOf(shift.getB());
        by && by->ult(width))
      return add(shift.getA(), factor.shl(unsigned(by->getZExtValue())));
  --numSeen;
  auto [term, isNew] = terms.try_emplace(value, APInt(width, 0));
  term->second += factor;
  cancelled |= !isNew && term->second.isZero();
}

/// How many ops make() makes.
unsigned Sum::numOps() const {
  unsigned numTerms = !constant.isZero(), numProducts = 0;
  for (const auto &[value, factor] : terms) {
    numTerms += !factor.isZero();
    numProducts += !factor.isZero() && !factor.isOne();
  }
  return numProducts + (numTerms ? numTerms - 1 : 0);
}

Value Sum::make(OpBuilder &b, Location loc) const {
  Type type = b.getIntegerType(width);
  ScalarType unsignedType = width == 32 ? ScalarType::U32 : ScalarType::U64;
  auto number = [&](const APInt &value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  };
  Value sum;
  auto plus = [&](Value term) {
    sum = sum ? AddIntOp::create(b, loc, type, sum, term, unsignedType).getD()
              : term;
  };
  for (const auto &[value, factor] : terms) {
    if (factor.isZero())
      continue;
    plus(factor.isOne() ? value
                        : MulIntOp::create(b, loc, type, value, number(factor),
                                           unsignedType, Part::Lo)
                              .getD());
  }
  if (!sum || !constant.isZero())
    plus(number(constant));
  return sum;
}

/// Computes a sum without what cancels. \returns whether anything did.
static bool cancelTerms(Operation *op) {
  if (!isa<AddIntOp, SubIntOp, MadIntOp>(op))
    return false;
  Value result = op->getResult(0);
  if (!result.getType().isInteger(32) && !result.getType().isInteger(64))
    return false;
  Sum sum(result);
  if (!sum.isSimpler())
    return false;
  OpBuilder b(op);
  result.replaceAllUsesWith(sum.make(b, op->getLoc()));
  eraseDead(op);
  return true;
}

namespace {
struct SimplifyIndicesPass
    : public ptxjit::impl::SimplifyIndicesPassBase<SimplifyIndicesPass> {
  using Base::Base;

  void runOnOperation() override {
    FuncOp func = getOperation();
    auto target = requireTarget();
    if (failed(target))
      return signalPassFailure();
    if (target->perThread)
      return;
    unsigned numDivisions = 0, numSums = 0;
    // Ops are visited before what uses them, and only what they use is erased.
    func.walk([&](Operation *op) {
      if (restoreDivision(op))
        ++numDivisions;
      else if (cancelTerms(op))
        ++numSums;
    });
    remarkCounts(func, "ptx-simplify-indices",
                 {{"divisions by constants", numDivisions},
                  {"sums with terms that cancelled each other", numSums}});
  }
};
} // namespace
