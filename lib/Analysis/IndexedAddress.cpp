//===- IndexedAddress.cpp - addresses made from indices -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Analysis/IndexedAddress.h"

#include "ShapeRules.h"
#include "ptxjit/Dialect/FormTable.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

namespace {

constexpr unsigned kLargestScale = 16;

/// Goes from an address to its index, from sum to sum.
class IndexFinder {
public:
  explicit IndexFinder(const ShapeAnalysis &shapes) : shapes(shapes) {}
  std::optional<IndexedAddress> find(Value address);

private:
  bool isShared(Value v) const;
  Value next(Operation *op);
  Value nextOfSum(Value a, Value b);
  Value nextOfProduct(Value a, Value b, Part part, ScalarType type);
  Value nextOfExtension(Value narrow, ScalarType type);
  bool scaleBy(uint64_t factor);

  const ShapeAnalysis &shapes;
  IndexedAddress found;
};

} // namespace

/// Is it the same in all lanes of the warp?
bool IndexFinder::isShared(Value v) const {
  return shapes.isUniform(v) && !shapes.get(v).conditional;
}

/// The varying one of two summands; the other one has to be the same in the
/// warp, and becomes a term.
Value IndexFinder::nextOfSum(Value a, Value b) {
  if (isShared(a))
    std::swap(a, b);
  if (!isShared(b))
    return Value();
  found.terms.push_back({b, found.scale});
  return a;
}

bool IndexFinder::scaleBy(uint64_t factor) {
  if (!llvm::isPowerOf2_64(factor) || factor > kLargestScale / found.scale)
    return false;
  found.scale *= unsigned(factor);
  return true;
}

Value IndexFinder::nextOfProduct(Value a, Value b, Part part, ScalarType type) {
  APInt factor;
  if (part == Part::Hi || !matchPattern(b, m_ConstantInt(&factor)) ||
      !scaleBy(factor.getZExtValue()))
    return Value();
  return part == Part::Wide ? nextOfExtension(a, type) : a;
}

/// The end: the index is `narrow`, if it has 32 bits.
Value IndexFinder::nextOfExtension(Value narrow, ScalarType type) {
  if (getBitWidth(type) == 32 && narrow.getType().isInteger(32)) {
    found.index = narrow;
    found.isSigned = isSignedInt(type) || shapes.get(narrow).min >= 0;
  }
  return Value();
}

/// The operand that `op` takes its index from. Null at the end.
Value IndexFinder::next(Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<AddIntOp>([&](AddIntOp o) {
        return o.getSat() ? Value() : nextOfSum(o.getA(), o.getB());
      })
      .Case<MulIntOp>([&](MulIntOp o) {
        return nextOfProduct(o.getA(), o.getB(), o.getPart(), o.getTy());
      })
      .Case<MadIntOp>([&](MadIntOp o) {
        if (o.getSat() || !isShared(o.getC()))
          return Value();
        found.terms.push_back({o.getC(), found.scale});
        return nextOfProduct(o.getA(), o.getB(), o.getPart(), o.getTy());
      })
      .Case<ShlOp>([&](ShlOp o) {
        APInt amount;
        bool isKnown =
            matchPattern(o.getB(), m_ConstantInt(&amount)) && amount.ult(64);
        return isKnown && scaleBy(uint64_t(1) << amount.getZExtValue())
                   ? o.getA()
                   : Value();
      })
      .Case<CvtOp>([&](CvtOp o) {
        bool isWide = !o.getSat() && isWholeInt(o.getTy()) &&
                      getBitWidth(o.getTy()) == 64 && isWholeInt(o.getTy2());
        return isWide ? nextOfExtension(o.getA(), o.getTy2()) : Value();
      })
      .Case<CvtaOp>([&](CvtaOp o) {
        // Such addresses are the same with and without the space.
        return o.getSpace() == Space::Global ? o.getA() : Value();
      })
      .Default([](Operation *) { return Value(); });
}

std::optional<IndexedAddress> IndexFinder::find(Value address) {
  while (address && address.getType().isInteger(64)) {
    Operation *op = address.getDefiningOp();
    address = op ? next(op) : Value();
  }
  if (!found.index)
    return std::nullopt;
  return found;
}

std::optional<IndexedAddress> ptxjit::findIndex(Value address,
                                                const ShapeAnalysis &shapes) {
  return IndexFinder(shapes).find(address);
}
