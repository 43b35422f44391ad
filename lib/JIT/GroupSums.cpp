//===- GroupSums.cpp - more sums than registers ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread that keeps 64 sums in registers, as tiled matrix products do, is a
// warp with 128 vectors or more. Step by step of k, each sum would be loaded
// and stored for each product. This pass reorders such code: of as many sums as
// the CPU has registers for, all products are made, then those of the next
// ones. The products of one sum keep their order, so results are the same bits.
// Meanwhile the other sums are in memory. This pass puts them there, since
// LLVM's register allocator would choose among sums and factors as it likes.
//
// It runs behind the optimizer, on stretches of code that write no memory.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/JIT/Compiler.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "group-sums"

using namespace llvm;

namespace {

/// Products that are added to one another, one after the other.
struct Sum {
  SmallVector<Instruction *, 8> terms;
  unsigned registers; ///< that hold the sum
};

/// A stretch of a block whose instructions may be put in any order that has
/// operands before uses.
class Stretch {
public:
  Stretch(ArrayRef<Instruction *> instructions,
          const TargetTransformInfo &costs)
      : instructions(instructions), costs(costs) {}
  /// Are there so many sums that reordering pays?
  bool findSums();
  /// Reorders the instructions. \pre findSums()
  void group(const DominatorTree &dominators);

private:
  /// The sum that `value` is the latest term of, if nothing else needs it.
  std::optional<unsigned> findSumOf(Value *value) const;
  unsigned registersOf(Type *type) const;
  void take(Instruction *term);
  void takeGroup(ArrayRef<Sum> group);
  void keepInMemory(const Sum &sum, const DominatorTree &dominators);
  bool contains(const Value *value) const {
    auto *instruction = dyn_cast<Instruction>(value);
    return instruction && numbers.contains(instruction);
  }

  ArrayRef<Instruction *> instructions;
  const TargetTransformInfo &costs;
  unsigned numRegisters = 0; ///< of the CPU
  std::vector<Sum> sums;     ///< in the order of their first terms
  DenseMap<Instruction *, unsigned> sumOfTerm;
  /// The places of `instructions`.
  DenseMap<const Instruction *, unsigned> numbers;
  BitVector taken;
  std::vector<Instruction *> order;
};

} // namespace

/// The operand of `instruction` that is a sum, if it adds to one.
static Value *addendOf(Instruction *instruction) {
  auto *call = dyn_cast<IntrinsicInst>(instruction);
  if (!call || (call->getIntrinsicID() != Intrinsic::fma &&
                call->getIntrinsicID() != Intrinsic::fmuladd))
    return nullptr;
  return call->getType()->isVectorTy() ? call->getArgOperand(2) : nullptr;
}

unsigned Stretch::registersOf(Type *type) const {
  TypeSize width =
      costs.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector);
  uint64_t bits = type->getPrimitiveSizeInBits().getFixedValue();
  return unsigned(divideCeil(bits, width.getFixedValue()));
}

std::optional<unsigned> Stretch::findSumOf(Value *value) const {
  auto *term = dyn_cast<Instruction>(value);
  if (!term || !term->hasOneUse())
    return std::nullopt;
  auto it = sumOfTerm.find(term);
  return it == sumOfTerm.end() ? std::nullopt : std::optional(it->second);
}

bool Stretch::findSums() {
  for (Instruction *instruction : instructions) {
    Value *addend = addendOf(instruction);
    if (!addend)
      continue;
    std::optional<unsigned> sum = findSumOf(addend);
    if (!sum) {
      sum = unsigned(sums.size());
      sums.push_back({{}, registersOf(instruction->getType())});
    }
    sums[*sum].terms.push_back(instruction);
    sumOfTerm[instruction] = *sum;
  }
  erase_if(sums, [](const Sum &sum) { return sum.terms.size() < 2; });
  unsigned total = 0;
  size_t terms = 0;
  for (const Sum &sum : sums) {
    total += sum.registers;
    terms += sum.terms.size();
  }
  numRegisters = costs.getNumberOfRegisters(
      costs.getRegisterClassForType(/*Vector=*/true));
  // Each sum is stored and loaded once.
  constexpr size_t kFewTerms = 4;
  return total > numRegisters && terms >= kFewTerms * sums.size();
}

/// Appends a term, and what it needs, in the order in which they were.
void Stretch::take(Instruction *term) {
  SmallVector<unsigned> needed;
  auto need = [&](Instruction *instruction) {
    auto it = numbers.find(instruction);
    if (it == numbers.end() || taken[it->second])
      return;
    taken.set(it->second);
    needed.push_back(it->second);
  };
  need(term);
  for (size_t i = 0; i < needed.size(); ++i)
    for (Value *operand : instructions[needed[i]]->operands())
      if (auto *instruction = dyn_cast<Instruction>(operand))
        need(instruction);
  llvm::sort(needed);
  for (unsigned number : needed)
    order.push_back(instructions[number]);
}

/// Stores `value` where it is defined, to be read elsewhere.
static void storeAtDefinition(Value *value, AllocaInst *slot) {
  Instruction *place = slot->getNextNode();
  if (auto *instruction = dyn_cast<Instruction>(value))
    place = isa<PHINode>(instruction)
                ? &*instruction->getParent()->getFirstInsertionPt()
                : instruction->getNextNode();
  new StoreInst(value, slot, place->getIterator());
}

/// Lets a sum that goes through a loop stay in `slot` from turn to turn.
/// \param begin  the sum before its first term in a turn, `end` behind the
/// last.
/// \returns false if `begin` is something else, or needed elsewhere.
static bool foldLoop(Value *begin, Instruction *end, AllocaInst *slot,
                     const DominatorTree &dominators) {
  auto *phi = dyn_cast<PHINode>(begin);
  if (!phi || !phi->hasOneUse() || !is_contained(phi->incoming_values(), end))
    return false;
  // A new sum must not begin where the old one may still be read.
  for (auto [value, block] : zip(phi->incoming_values(), phi->blocks()))
    if (value != end && dominators.dominates(end->getParent(), block))
      return false;
  for (auto [value, block] : zip(phi->incoming_values(), phi->blocks()))
    if (value != end)
      new StoreInst(value, slot, block->getTerminator()->getIterator());
  phi->replaceAllUsesWith(PoisonValue::get(phi->getType()));
  phi->eraseFromParent();
  return true;
}

/// No vector register is larger.
static constexpr Align kLine = Align::Constant<64>();

/// Keeps a sum in memory, but for the time between its first and last term.
void Stretch::keepInMemory(const Sum &sum, const DominatorTree &dominators) {
  Instruction *first = sum.terms.front(), *last = sum.terms.back();
  Function &function = *first->getFunction();
  const DataLayout &layout = function.getDataLayout();
  Type *type = first->getType();
  auto *slot = new AllocaInst(type, layout.getAllocaAddrSpace(), nullptr,
                              std::min(layout.getPrefTypeAlign(type), kLine),
                              "sum", function.getEntryBlock().begin());
  Use &addend = cast<CallInst>(first)->getArgOperandUse(2);
  if (!isa<Constant>(addend) && !contains(addend)) {
    if (!foldLoop(addend, last, slot, dominators))
      storeAtDefinition(addend, slot);
    addend.set(new LoadInst(type, slot, "", first->getIterator()));
  }
  SmallVector<Use *> outside;
  for (Use &use : last->uses())
    if (!contains(use.getUser()))
      outside.push_back(&use);
  if (outside.empty() && slot->use_empty()) {
    slot->eraseFromParent();
    return;
  }
  new StoreInst(last, slot, std::next(last->getIterator()));
  for (Use *use : outside) {
    auto *user = cast<Instruction>(use->getUser());
    if (auto *phi = dyn_cast<PHINode>(user))
      user = phi->getIncomingBlock(*use)->getTerminator();
    use->set(new LoadInst(type, slot, "", user->getIterator()));
  }
}

/// Takes the first terms of all sums, then the second ones, and so on. Terms of
/// different sums may share a factor, and need not wait for each other.
void Stretch::takeGroup(ArrayRef<Sum> group) {
  for (size_t i = 0, count = 1; i < count; ++i)
    for (const Sum &sum : group) {
      count = std::max(count, sum.terms.size());
      if (i < sum.terms.size())
        take(sum.terms[i]);
    }
}

void Stretch::group(const DominatorTree &dominators) {
  for (auto [number, instruction] : enumerate(instructions))
    numbers[instruction] = unsigned(number);
  taken.resize(unsigned(instructions.size()));
  // The other registers hold the factors.
  unsigned most = numRegisters * 3 / 4;
  ArrayRef<Sum> left = sums;
  while (!left.empty()) {
    size_t count = 0;
    for (unsigned used = 0; count < left.size(); ++count) {
      used += left[count].registers;
      if (used > most && count)
        break;
    }
    takeGroup(left.take_front(count));
    left = left.drop_front(count);
  }
  for (auto [number, instruction] : enumerate(instructions))
    if (!taken[unsigned(number)])
      order.push_back(instruction);
  LDBG() << sums.size() << " sums";
  Instruction *end = instructions.back()->getNextNode();
  for (Instruction *instruction : order)
    instruction->moveBefore(end->getIterator());
  for (const Sum &sum : sums)
    keepInMemory(sum, dominators);
}

/// Whether nothing may be moved across `instruction`.
static bool isFixed(const Instruction &instruction) {
  // Arithmetic in other rounding modes. LLVM does not know that it ends.
  auto *call = dyn_cast<CallInst>(&instruction);
  auto *assembly =
      call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
  if (assembly && !assembly->hasSideEffects())
    return call->mayWriteToMemory();
  return instruction.mayWriteToMemory() || instruction.mayHaveSideEffects() ||
         instruction.isTerminator() || isa<PHINode, AllocaInst>(instruction);
}

void ptxjit::groupSums(Module &module, TargetMachine &machine) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    TargetTransformInfo costs = machine.getTargetTransformInfo(function);
    std::optional<DominatorTree> dominators; // made when it is needed
    auto group = [&](ArrayRef<Instruction *> instructions) {
      Stretch stretch(instructions, costs);
      if (!stretch.findSums())
        return;
      if (!dominators)
        dominators.emplace(function);
      stretch.group(*dominators);
    };
    for (BasicBlock &block : function) {
      SmallVector<Instruction *> stretch;
      for (Instruction &instruction : make_early_inc_range(block)) {
        if (!isFixed(instruction)) {
          stretch.push_back(&instruction);
          continue;
        }
        group(stretch);
        stretch.clear();
      }
    }
  }
}
