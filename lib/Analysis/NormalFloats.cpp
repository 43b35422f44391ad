//===- NormalFloats.cpp - values that are no subnormal floats -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts with all values, and removes those that may be subnormal until none is
// left to remove.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Analysis/NormalFloats.h"
#include "ptxjit/Dialect/FormTable.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

/// How many ops isNonNegative looks through.
static constexpr unsigned kMostSteps = 4;

static bool is32Bits(Value v) {
  return v.getType().isF32() || v.getType().isInteger(32);
}

/// The value of a constant, as f32.
static std::optional<APFloat> constantOf(Value v) {
  FloatAttr number;
  if (v.getType().isF32() && matchPattern(v, m_Constant(&number)))
    return number.getValue();
  return std::nullopt;
}

/// Is `v` an f32 that is not less than 0? NaN counts as such.
static bool isNonNegative(Value v, unsigned steps = kMostSteps) {
  if (std::optional<APFloat> number = constantOf(v))
    return number->isNaN() || !number->isNegative();
  Operation *op = v.getDefiningOp();
  if (!op || !steps || !v.getType().isF32())
    return false;
  auto holds = [&](Value x) { return isNonNegative(x, steps - 1); };
  return TypeSwitch<Operation *, bool>(op)
      .Case<Ex2Op, SqrtOp, AbsFloatOp>([](auto) { return true; })
      .Case<RcpOp, RsqrtOp>([&](auto) { return holds(op->getOperand(0)); })
      .Case<MulFloatOp, DivFloatOp>([&](auto) {
        return op->getOperand(0) == op->getOperand(1) ||
               llvm::all_of(op->getOperands(), holds);
      })
      .Case<AddFloatOp>(
          [&](auto) { return llvm::all_of(op->getOperands(), holds); })
      .Default(false);
}

/// Is `op` a sum of a number that is no less than 2^-125 and of one that is not
/// negative?
static bool isLargeSum(Operation *op) {
  auto add = dyn_cast<AddFloatOp>(op);
  if (!add || add.getTy() != ScalarType::F32)
    return false;
  auto isLarge = [](Value v) {
    std::optional<APFloat> number = constantOf(v);
    return number && *number >= APFloat(0x1p-125f);
  };
  return (isLarge(add.getA()) && isNonNegative(add.getB())) ||
         (isLarge(add.getB()) && isNonNegative(add.getA()));
}

/// Does the op replace its result, if that is subnormal, or convert what has no
/// subnormal f32?
static bool makesNormal(Operation *op) {
  if (auto cvt = dyn_cast<CvtOp>(op); cvt && cvt.getTy() == ScalarType::F32)
    return cvt.getFtz() || cvt.getTy2() == ScalarType::F16 ||
           !isFloat(cvt.getTy2());
  return TypeSwitch<Operation *, bool>(op)
      .Case<AddFloatOp, SubFloatOp, MulFloatOp, FmaOp, MadFloatOp, DivFloatOp,
            RcpOp, SinOp, CosOp, Lg2Op, Ex2Op, AbsFloatOp, NegFloatOp,
            MinFloatOp, MaxFloatOp>(
          [](auto op) { return op.getFtz() && op.getTy() == ScalarType::F32; })
      // Roots of the least numbers are normal.
      .Case<SqrtOp, RsqrtOp>(
          [](auto op) { return op.getTy() == ScalarType::F32; })
      .Default(false);
}

/// The operands of which the result of `op` is one, or differs in the sign;
/// none for other ops.
static SmallVector<Value, 3> sourcesOf(Operation *op) {
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return {select.getTrueValue(), select.getFalseValue()};
  if (auto shfl = dyn_cast<ShflOp>(op))
    return {shfl->getOperand(0)};
  bool isF32 = op->getNumResults() && op->getResult(0).getType().isF32();
  if (isa<arith::BitcastOp>(op) ||
      (isF32 && isa<AbsFloatOp, NegFloatOp, MinFloatOp, MaxFloatOp>(op)))
    return SmallVector<Value, 3>(op->getOperands());
  return {};
}

bool NormalFloats::isNormalResult(Operation *op) const {
  if (!is32Bits(op->getResult(0)))
    return false;
  if (op->hasTrait<OpTrait::ConstantLike>()) {
    APInt bits;
    if (std::optional<APFloat> number = constantOf(op->getResult(0)))
      bits = number->bitcastToAPInt();
    else if (!matchPattern(op->getResult(0), m_ConstantInt(&bits)))
      return false;
    return !APFloat(APFloat::IEEEsingle(), bits).isDenormal();
  }
  if (isa<UndefOp>(op) || makesNormal(op) || isLargeSum(op))
    return true;
  SmallVector<Value, 3> sources = sourcesOf(op);
  return !sources.empty() &&
         llvm::all_of(sources, [&](Value v) { return contains(v); });
}

void NormalFloats::assume(ValueRange values) {
  for (Value v : llvm::make_filter_range(values, is32Bits))
    normal.insert(v);
}

bool NormalFloats::keepIf(Value value, bool isNormal) {
  return !isNormal && normal.erase(value);
}

/// \returns whether a value was removed.
bool NormalFloats::visit(Operation *op) {
  bool changed = false;
  if (auto ifOp = dyn_cast<scf::IfOp>(op)) {
    for (OpResult v : ifOp.getResults()) {
      unsigned i = v.getResultNumber();
      changed |= keepIf(v, contains(ifOp.thenYield().getOperand(i)) &&
                               contains(ifOp.elseYield().getOperand(i)));
    }
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    for (auto [arg, init, next] :
         llvm::zip(loop.getBeforeArguments(), loop.getInits(),
                   loop.getYieldOp().getOperands()))
      changed |= keepIf(arg, contains(init) && contains(next));
    for (auto [arg, result, from] :
         llvm::zip(loop.getAfterArguments(), loop.getResults(),
                   loop.getConditionOp().getArgs())) {
      changed |= keepIf(arg, contains(from));
      changed |= keepIf(result, contains(from));
    }
  } else if (op->getNumResults()) {
    bool isNormal = isNormalResult(op);
    for (Value v : op->getResults())
      changed |= keepIf(v, isNormal);
  }
  return changed;
}

NormalFloats::NormalFloats(FuncOp func) {
  func.walk([&](Operation *op) {
    assume(op->getResults());
    // Of what comes from outside nothing is known.
    if (isa<scf::WhileOp>(op))
      for (Region &region : op->getRegions())
        assume(region.getArguments());
  });
  for (bool changed = true; changed;) {
    changed = false;
    func.walk([&](Operation *op) { changed |= visit(op); });
  }
}
