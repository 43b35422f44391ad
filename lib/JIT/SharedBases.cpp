//===- SharedBases.cpp - indices at known distances -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The warps of a team have indices that differ by a constant: the first one has
// x, whose lower bits are zero, the others x | 32, x | 64 and so on. Extended
// to 64 bits they still do, since no bit is carried. LLVM computes an address
// for each, because in general 32 bits may wrap around in between. This pass
// lets them share one, from which CPUs reach the others by an offset, and makes
// one test of several bounds. It runs behind the optimizer, whose loop passes
// would take the indices apart again: in front of a loop they add the constant
// to what does not change, so that each address has a base of its own.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/JIT/LanePasses.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Local.h"

#include <map>

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace ptxjit;

namespace {

/// The bits of some values, none of which two of them have, and those of a
/// constant that none of them has.
struct Place {
  SmallVector<Value *, 4> parts;
  uint64_t constant = 0;

  /// May places with the same parts be compared by their constants?
  bool isOrdered() const { return !parts.empty() && !(constant >> 31); }
};

/// An index of 32 bits that is extended to 64, and shifted to the left.
struct ScaledIndex {
  Value *index;
  unsigned shift = 0;
  bool isSigned = false;
};

class BaseSharer {
public:
  explicit BaseSharer(Function &function)
      : function(function), dominators(function) {}

  void run() {
    for (BasicBlock &block : function)
      joinInductions(block);
    for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function))
      for (Instruction &instruction : *block)
        if (instruction.getOpcode() == Instruction::Add)
          shareAddress(instruction);
    for (Instruction &instruction : instructions(function))
      if (isEndOfAnds(instruction))
        joinBounds(instruction);
    RecursivelyDeleteTriviallyDeadInstructions(dead);
  }

private:
  void joinInductions(BasicBlock &block);
  void shareAddress(Instruction &sum);
  static bool isEndOfAnds(const Instruction &instruction);
  void joinBounds(Instruction &all);
  void replace(Instruction &old, Value *by) {
    old.replaceAllUsesWith(by);
    dead.push_back(&old);
  }

  /// An address that is there already.
  struct Address {
    Instruction *sum;
    uint64_t distance; ///< in bytes, that its constants make
  };
  /// What it is computed from but for constants: what is added, the shift, the
  /// sign, and the parts of the index.
  using Origin = std::tuple<Value *, unsigned, bool, SmallVector<Value *, 4>>;
  bool takeApart(Instruction &sum, Origin &origin, uint64_t &distance);

  Function &function;
  DominatorTree dominators;
  std::map<Origin, SmallVector<Address>> addresses;
  SmallVector<WeakTrackingVH> dead;
};

} // namespace

/// Takes apart what `or disjoint` joins.
static Place placeOf(Value *value) {
  Place place;
  SmallVector<Value *> open = {value};
  while (!open.empty()) {
    Value *next = open.pop_back_val(), *left, *right;
    const APInt *number;
    if (match(next, m_APInt(number)))
      place.constant |= number->getZExtValue();
    else if (match(next, m_DisjointOr(m_Value(left), m_Value(right))))
      open.append({left, right});
    else
      place.parts.push_back(next);
  }
  llvm::sort(place.parts); // to be compared
  return place;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Computes as x | c an induction variable that begins with x0 | c and has the
/// step of x, if neither changes the bits of c.
void BaseSharer::joinInductions(BasicBlock &block) {
  struct Induction {
    PHINode *phi;
    BinaryOperator *next;
    Value *step;
    Place start;
  };
  const DataLayout &layout = function.getParent()->getDataLayout();
  auto zerosOf = [&](Value *value) {
    return computeKnownBits(value, layout).countMinTrailingZeros();
  };
  SmallVector<Induction> firsts;
  for (PHINode &phi : block.phis()) {
    BinaryOperator *next;
    Value *start, *step;
    if (!phi.getType()->isIntegerTy(32) ||
        !matchSimpleRecurrence(&phi, next, start, step) ||
        next->getOpcode() != Instruction::Add)
      continue;
    Place place = placeOf(start);
    auto *first = find_if(firsts, [&](const Induction &other) {
      return other.step == step && other.start.parts == place.parts;
    });
    if (first == firsts.end()) {
      firsts.push_back({&phi, next, step, place});
      continue;
    }
    unsigned zeros = zerosOf(step);
    for (Value *part : place.parts)
      zeros = std::min(zeros, zerosOf(part));
    bool keepsBits = !first->start.constant && place.isOrdered() &&
                     place.constant >> zeros == 0;
    if (!keepsBits || !dominators.dominates(first->next, next))
      continue;
    Value *constant = ConstantInt::get(phi.getType(), place.constant);
    IRBuilder<> builder(&block, block.getFirstInsertionPt());
    Value *now =
        builder.CreateOr(first->phi, constant, "", /*IsDisjoint=*/true);
    builder.SetInsertPoint(next);
    replace(*next, builder.CreateOr(first->next, constant, "",
                                    /*IsDisjoint=*/true));
    replace(phi, now);
  }
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

static std::optional<ScaledIndex> matchScaledIndex(Value *value) {
  ScaledIndex found;
  const APInt *by;
  Value *unshifted;
  if (match(value, m_Shl(m_Value(unshifted), m_APInt(by))) && by->ult(32)) {
    found.shift = unsigned(by->getZExtValue());
    value = unshifted;
  }
  if (!match(value, m_ZExtOrSExt(m_Value(found.index))) ||
      !found.index->getType()->isIntegerTy(32))
    return std::nullopt;
  found.isSigned = isa<SExtInst>(value);
  return found;
}

/// If `base` is the sum of a value and a constant that was made in front of the
/// block, makes it that value. \returns the constant, or 0.
static uint64_t takeConstant(Value *&base, const BasicBlock *block) {
  auto *sum = dyn_cast<Instruction>(base);
  const APInt *number;
  Value *value;
  if (!sum || sum->getParent() == block ||
      !match(sum, m_Add(m_Value(value), m_APInt(number))))
    return 0;
  base = value;
  return number->getZExtValue();
}

/// Takes an address apart: something and a scaled index, or any two values.
/// \returns false if nothing is known of its distance to others.
bool BaseSharer::takeApart(Instruction &sum, Origin &origin,
                           uint64_t &distance) {
  Value *base = sum.getOperand(0), *other = sum.getOperand(1);
  std::optional<ScaledIndex> scaled = matchScaledIndex(other);
  if (!scaled) {
    std::swap(base, other);
    scaled = matchScaledIndex(other);
  }
  distance = takeConstant(base, sum.getParent());
  if (!scaled) {
    distance += takeConstant(other, sum.getParent());
    origin = {std::min(base, other), 0, false, {std::max(base, other)}};
    return sum.getType()->isIntegerTy(64) && !isa<Constant>(base) &&
           !isa<Constant>(other);
  }
  Place place = placeOf(scaled->index);
  distance += place.constant << scaled->shift;
  origin = {base, scaled->shift, scaled->isSigned, place.parts};
  return place.isOrdered();
}

/// Computes an address from one that is there already and lies at a known
/// distance.
void BaseSharer::shareAddress(Instruction &sum) {
  Origin origin;
  uint64_t distance = 0;
  if (!takeApart(sum, origin, distance))
    return;
  auto &known = addresses[origin];
  auto *first = find_if(known, [&](const Address &address) {
    return dominators.dominates(address.sum, &sum);
  });
  if (first == known.end()) {
    known.push_back({&sum, distance});
    return;
  }
  IRBuilder<> builder(&sum);
  replace(sum, builder.CreateAdd(first->sum,
                                 builder.getInt64(distance - first->distance)));
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

static bool isAnd(const Value *value) {
  return value->getType()->isIntegerTy(1) &&
         match(value, m_And(m_Value(), m_Value()));
}

/// The end has all terms.
bool BaseSharer::isEndOfAnds(const Instruction &instruction) {
  return isAnd(&instruction) &&
         none_of(instruction.users(),
                 [](const User *user) { return isAnd(user); });
}

static SmallVector<Value *> termsOf(Value *all) {
  SmallVector<Value *> open = {all}, terms;
  while (!open.empty()) {
    Value *next = open.pop_back_val(), *left, *right;
    if (isAnd(next) && match(next, m_And(m_Value(left), m_Value(right))))
      open.append({right, left});
    else
      terms.push_back(next);
  }
  return terms;
}

/// Of x | a < n and x | b < n, drops the one with the smaller constant.
void BaseSharer::joinBounds(Instruction &all) {
  struct Bound {
    Value *bound;
    Place place;
    unsigned number; ///< in `kept`
  };
  SmallVector<Value *> terms = termsOf(&all), kept;
  SmallVector<Bound> bounds;
  for (Value *term : terms) {
    Value *index, *bound;
    if (match(term, m_SpecificICmp(CmpInst::ICMP_SLT, m_Value(index),
                                   m_Value(bound)))) {
      Place place = placeOf(index);
      auto *same = find_if(bounds, [&](const Bound &other) {
        return other.bound == bound && other.place.parts == place.parts;
      });
      if (place.isOrdered() && same != bounds.end()) {
        if (same->place.constant < place.constant) {
          same->place = place;
          kept[same->number] = term;
        }
        continue;
      }
      if (place.isOrdered())
        bounds.push_back({bound, place, unsigned(kept.size())});
    }
    kept.push_back(term);
  }
  if (kept.size() == terms.size())
    return;
  IRBuilder<> builder(&all);
  replace(all, builder.CreateAnd(kept));
}

void ptxjit::shareBases(Module &module, TargetMachine &machine) {
  if (!machine.getTargetTriple().isAArch64())
    return;
  for (Function &function : module)
    if (!function.isDeclaration())
      BaseSharer(function).run();
}
