//===- AlignmentRoot.cpp - what decides an address's alignment ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Analysis/AlignmentRoot.h"

#include "ptxjit/Dialect/FormTable.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

namespace {
class RootFinder {
public:
  RootFinder(uint64_t bytes, const ShapeAnalysis &shapes)
      : bytes(bytes), shapes(shapes) {
    assert(llvm::isPowerOf2_64(bytes) && "a size of an access");
  }
  Value find(Value v);

private:
  Value findOfSum(Value sum, Value x, Value y);
  Value findOfArgument(BlockArgument arg);
  Value findOfResult(OpResult result);
  Value common(Value v, ValueRange sources);
  bool isMultiple(Value v, unsigned depth = 8) const;
  bool isMultipleByShape(Value v) const;
  bool isProductMultiple(Value x, Value y, unsigned depth) const;

  uint64_t bytes;
  const ShapeAnalysis &shapes;
  /// Values that are being looked into: carried by loops.
  SmallVector<Value> open;
  unsigned left = 200; ///< values that may still be looked into
};
} // namespace

//===----------------------------------------------------------------------===//
// Multiples
//===----------------------------------------------------------------------===//

bool RootFinder::isMultipleByShape(Value v) const {
  const Shape &shape = shapes.get(v);
  auto fits = [&](int64_t n) { return uint64_t(n) % bytes == 0; };
  return shape.hasBase() && !shape.conditional &&
         (uint64_t(1) << std::min(shape.baseAlign(), 62u)) >= bytes &&
         (!shape.pattern || llvm::all_of(*shape.pattern, fits));
}

/// Is it an addition or subtraction modulo 2^n of whole integers?
template <typename OpTy> static bool isModular(OpTy op) {
  return !op.getSat() && !isPacked(op.getTy());
}

bool RootFinder::isProductMultiple(Value x, Value y, unsigned depth) const {
  return isMultiple(x, depth) || isMultiple(y, depth);
}

/// Is `v` a multiple of `bytes` in every lane? Wrapping around keeps that.
bool RootFinder::isMultiple(Value v, unsigned depth) const {
  APInt number;
  if (matchPattern(v, m_ConstantInt(&number)))
    return number.urem(bytes) == 0;
  if (isMultipleByShape(v))
    return true;
  Operation *op = v.getDefiningOp();
  if (!op || !depth--)
    return false;
  auto is = [&](Value x) { return isMultiple(x, depth); };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<AddIntOp, SubIntOp>(
          [&](auto o) { return isModular(o) && is(o.getA()) && is(o.getB()); })
      .Case<OrOp, XorOp>([&](auto o) { return is(o.getA()) && is(o.getB()); })
      .Case<AndOp>([&](AndOp o) { return is(o.getA()) || is(o.getB()); })
      .Case<MulIntOp>([&](MulIntOp o) {
        return o.getPart() != Part::Hi &&
               isProductMultiple(o.getA(), o.getB(), depth);
      })
      .Case<MadIntOp>([&](MadIntOp o) {
        return o.getPart() != Part::Hi && !o.getSat() &&
               isProductMultiple(o.getA(), o.getB(), depth) && is(o.getC());
      })
      .Case<ShlOp>([&](ShlOp o) {
        APInt by;
        return is(o.getA()) || (matchPattern(o.getB(), m_ConstantInt(&by)) &&
                                by.uge(llvm::Log2_64(bytes)));
      })
      .Default([](Operation *) { return false; });
}

//===----------------------------------------------------------------------===//
// Roots
//===----------------------------------------------------------------------===//

Value RootFinder::findOfSum(Value sum, Value x, Value y) {
  if (isMultiple(y))
    return find(x);
  return isMultiple(x) ? find(y) : sum;
}

/// The root that all `sources` of `v` have, apart from `v` itself; else `v`.
/// It may be a value that is still open, whose own root is then decided there.
Value RootFinder::common(Value v, ValueRange sources) {
  open.push_back(v);
  Value root;
  for (Value source : sources) {
    Value found = find(source);
    if (found == v)
      continue;
    if (root && found != root) {
      root = v;
      break;
    }
    root = found;
  }
  open.pop_back();
  return root ? root : v;
}

Value RootFinder::findOfArgument(BlockArgument arg) {
  Operation *parent = arg.getOwner()->getParentOp();
  unsigned i = arg.getArgNumber();
  if (auto each = dyn_cast<EachLaneOp>(parent))
    return find(each.getInputs()[i]);
  auto loop = dyn_cast<scf::WhileOp>(parent);
  if (!loop)
    return arg;
  if (arg.getOwner() == loop.getAfterBody())
    return common(arg, loop.getConditionOp().getArgs()[i]);
  return common(arg, {loop.getInits()[i], loop.getYieldOp().getOperand(i)});
}

Value RootFinder::findOfResult(OpResult result) {
  unsigned i = result.getResultNumber();
  return llvm::TypeSwitch<Operation *, Value>(result.getOwner())
      // Low bits that are all 0 change those of the other operand no more than
      // in a sum.
      .Case<OrOp, XorOp>(
          [&](auto op) { return findOfSum(result, op.getA(), op.getB()); })
      .Case<AddIntOp>([&](auto op) {
        return isModular(op) ? findOfSum(result, op.getA(), op.getB())
                             : Value(result);
      })
      .Case<SubIntOp>([&](auto op) {
        return isModular(op) && isMultiple(op.getB()) ? find(op.getA())
                                                      : Value(result);
      })
      .Case<MadIntOp>([&](MadIntOp op) {
        return op.getPart() != Part::Hi && !op.getSat() &&
                       isProductMultiple(op.getA(), op.getB(), 8)
                   ? find(op.getC())
                   : Value(result);
      })
      .Case<CvtaOp>([&](CvtaOp op) {
        return op.getSpace() == Space::Global ? find(op.getA()) : Value(result);
      })
      .Case<scf::WhileOp>([&](scf::WhileOp op) {
        return common(result, op.getConditionOp().getArgs()[i]);
      })
      .Case<scf::IfOp>([&](scf::IfOp op) {
        return common(result, {op.thenYield().getOperand(i),
                               op.elseYield().getOperand(i)});
      })
      .Case<arith::SelectOp>([&](arith::SelectOp op) {
        return common(result, {op.getTrueValue(), op.getFalseValue()});
      })
      .Default([&](Operation *) { return Value(result); });
}

Value RootFinder::find(Value v) {
  if (!left || llvm::is_contained(open, v))
    return v;
  --left;
  if (auto arg = dyn_cast<BlockArgument>(v))
    return findOfArgument(arg);
  return findOfResult(cast<OpResult>(v));
}

Value ptxjit::findAlignmentRoot(Value address, uint64_t bytes,
                                const ShapeAnalysis &shapes) {
  Value root = RootFinder(bytes, shapes).find(address);
  // A value inside of a loop or a branch is not there behind it.
  bool isVisible =
      root.getParentRegion()->isAncestor(address.getParentRegion());
  return isVisible ? root : address;
}
