//===- NarrowLanes.cpp - integers that need fewer bits than they have -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of bytes compute in 32 bits, and store 8 bits of what comes out. A
// sum of products of bytes, shifted right by 8, needs 16 of these bits, and
// vectors of 16 bits have twice as many lanes. LLVM narrows an expression in
// front of a `trunc` if its upper bits are known to be zero, or if all bits
// that it needs are in the result; this pass does it if nobody asks for the
// upper bits. It runs behind the optimizer, which has brought such expressions
// into one form.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/JIT/LanePasses.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/ConstantFold.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace ptxjit;

namespace {

/// CPUs multiply and shift vectors of 16 bits, but not all those of 8.
constexpr unsigned kLeastWidth = 16;

/// The expression in front of one `trunc`.
class Expression {
public:
  explicit Expression(TruncInst &end) : end(end) {}

  /// Finds out how many bits it needs. \returns false if it has to stay.
  bool analyse() {
    unsigned have = end.getSrcTy()->getScalarSizeInBits(),
             stay = end.getDestTy()->getScalarSizeInBits();
    width = kLeastWidth;
    while (width <= stay)
      width *= 2;
    for (; width < have; width *= 2) {
      inner.clear();
      if (need(end.getOperand(0), stay))
        return !inner.empty() && isUsedHereAlone();
    }
    return false;
  }

  /// Makes it of `width` bits, and the old one unused.
  void rewrite() {
    Value *narrow = rebuild(end.getOperand(0));
    IRBuilder<> builder(&end);
    Value *result = builder.CreateTrunc(narrow, end.getDestTy());
    result->takeName(&end);
    end.replaceAllUsesWith(result);
  }

private:
  Type *narrowType(const Value &value) const {
    return value.getType()->getWithNewBitWidth(width);
  }

  /// \returns null for what only the linker knows.
  Constant *narrowed(Constant *constant) const {
    return ConstantFoldCastInstruction(Instruction::Trunc, constant,
                                       narrowType(*constant));
  }

  /// Does `value` have as few bits as asked for without more instructions?
  bool isLeaf(const Value &value) const {
    if (auto *extension = dyn_cast<CastInst>(&value);
        isa_and_nonnull<ZExtInst, SExtInst>(extension))
      return extension->getSrcTy()->getScalarSizeInBits() <= width;
    if (auto *constant = dyn_cast<Constant>(&value))
      return narrowed(const_cast<Constant *>(constant));
    // A splat is made of a narrow scalar as well.
    return getSplatValue(&value);
  }

  /// Adds `value`, of which the lower `bits` bits are asked for, to the
  /// expression. \returns false if `width` bits do not do.
  bool need(Value *value, unsigned bits) {
    if (bits > width)
      return false;
    if (isLeaf(*value))
      return true;
    auto *instruction = dyn_cast<BinaryOperator>(value);
    if (!instruction)
      return false;
    unsigned &known = inner[instruction];
    if (known >= bits)
      return true;
    known = bits;
    Value *left = instruction->getOperand(0),
          *right = instruction->getOperand(1);
    const APInt *distance;
    switch (instruction->getOpcode()) {
    case Instruction::Add:
    case Instruction::Sub:
    case Instruction::Mul:
    case Instruction::And:
    case Instruction::Or:
    case Instruction::Xor:
      return need(left, bits) && need(right, bits);
    case Instruction::Shl:
      return match(right, m_APInt(distance)) && distance->ult(width) &&
             need(left, bits);
    case Instruction::LShr:
    case Instruction::AShr:
      return match(right, m_APInt(distance)) && distance->ult(width) &&
             need(left, std::min(bits + unsigned(distance->getZExtValue()),
                                 allBitsOf(*instruction)));
    default:
      return false;
    }
  }

  /// How many bits of what is shifted to the right have all that the result can
  /// have: none is 1 above them.
  unsigned allBitsOf(const Instruction &shift) const {
    KnownBits shifted = computeKnownBits(shift.getOperand(0),
                                         shift.getModule()->getDataLayout());
    return shift.getOpcode() == Instruction::LShr ? shifted.countMaxActiveBits()
                                                  : shifted.getBitWidth();
  }

  /// Else both widths would be computed.
  bool isUsedHereAlone() const {
    return all_of(inner, [&](const auto &entry) {
      return all_of(entry.first->users(), [&](User *user) {
        return user == &end || inner.contains(cast<Instruction>(user));
      });
    });
  }

  Value *rebuild(Value *value) {
    if (Value *known = made.lookup(value))
      return known;
    return made[value] = isLeaf(*value)
                             ? narrowLeaf(value)
                             : narrowInner(cast<BinaryOperator>(value));
  }

  Value *narrowLeaf(Value *value) {
    if (auto *constant = dyn_cast<Constant>(value))
      return narrowed(constant);
    auto *instruction = cast<Instruction>(value);
    IRBuilder<> builder(instruction->getParent(),
                        *instruction->getInsertionPointAfterDef());
    if (auto *cast = dyn_cast<CastInst>(value))
      return builder.CreateIntCast(cast->getOperand(0), narrowType(*value),
                                   isa<SExtInst>(cast));
    Value *scalar = getSplatValue(value);
    return builder.CreateVectorSplat(
        cast<VectorType>(value->getType())->getElementCount(),
        builder.CreateTrunc(scalar, builder.getIntNTy(width)));
  }

  /// The flags do not hold for fewer bits.
  Value *narrowInner(BinaryOperator *operation) {
    Value *left = rebuild(operation->getOperand(0)),
          *right = rebuild(operation->getOperand(1));
    IRBuilder<> builder(operation);
    return builder.CreateBinOp(operation->getOpcode(), left, right);
  }

  TruncInst &end;
  unsigned width = 0;
  /// What is computed, and how many bits of it are asked for.
  MapVector<Instruction *, unsigned> inner;
  DenseMap<Value *, Value *> made;
};

} // namespace

/// Removes the old expressions.
static void eraseUnused(ArrayRef<TruncInst *> ends) {
  SmallVector<WeakTrackingVH> dead(ends.begin(), ends.end());
  RecursivelyDeleteTriviallyDeadInstructions(dead);
}

void ptxjit::narrowLanes(Module &module) {
  for (Function &function : module) {
    SmallVector<TruncInst *> ends, replaced;
    for (Instruction &instruction : instructions(function))
      if (auto *end = dyn_cast<TruncInst>(&instruction);
          end && isa<FixedVectorType>(end->getType()))
        ends.push_back(end);
    for (TruncInst *end : ends)
      if (Expression expression(*end); expression.analyse()) {
        expression.rewrite();
        replaced.push_back(end);
      }
    eraseUnused(replaced);
  }
}
