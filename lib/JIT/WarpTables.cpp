//===- WarpTables.cpp - vectors that the number of a warp decides ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads of a block have the same numbers in each launch, so what depends
// on nothing else is known: how often each thread goes round a loop that fills
// a tile, for example. Code for all warps computes it anew for each warp. Where
// vectors are short, this pass lets it load the vector from a table instead,
// and also what a scalar tells of such vectors. It runs behind the optimizer
// and behind RareVectors.cpp.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/JIT/LanePasses.h"

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// The most warps of a block.
constexpr uint64_t kMostTurns = 256;
/// A load with its address takes three instructions. Fewer vectors than this
/// are computed as fast.
constexpr unsigned kFewestVectors = 6;
/// The most bytes of all tables of a function.
constexpr uint64_t kMostBytes = 4096;

class WarpTables {
public:
  explicit WarpTables(Function &function)
      : function(function), layout(function.getParent()->getDataLayout()),
        dominators(function), loops(dominators) {}
  void run() {
    for (Loop *loop : loops.getLoopsInPreorder())
      visit(*loop);
  }

private:
  bool findWarp(const Loop &loop);
  void visit(Loop &loop);
  bool dependsOnWarp(const Instruction &instruction) const;
  Constant *evaluate(const Instruction &instruction, unsigned turn) const;
  void note(Instruction &instruction);
  unsigned countVectors(const Instruction &root) const;
  bool isWanted(const Instruction &instruction) const;
  bool replace(Instruction &root);

  Function &function;
  const DataLayout &layout;
  DominatorTree dominators;
  LoopInfo loops;
  uint64_t bytes = 0; ///< of tables

  // Of one loop:
  PHINode *warp = nullptr; ///< from 0 to `turns` - 1
  unsigned turns = 0;
  /// What `warp` decides, and its value in each turn.
  DenseMap<const Value *, SmallVector<Constant *>> known;
};

} // namespace

/// Finds the number of the warp in a loop that runs over all of them.
bool WarpTables::findWarp(const Loop &loop) {
  BasicBlock *latch = loop.getLoopLatch();
  auto *branch = latch ? dyn_cast<BranchInst>(latch->getTerminator()) : nullptr;
  Value *next;
  const APInt *end;
  if (!branch || !branch->isConditional() ||
      branch->getSuccessor(0) != loop.getHeader() ||
      !match(branch->getCondition(),
             m_SpecificICmp(CmpInst::ICMP_SLT, m_Value(next), m_APInt(end))) ||
      !end->isStrictlyPositive() || end->ugt(kMostTurns) || end->isOne())
    return false;
  for (PHINode &phi : loop.getHeader()->phis()) {
    BinaryOperator *step;
    Value *start, *by;
    if (matchSimpleRecurrence(&phi, step, start, by) && step == next &&
        step->getOpcode() == Instruction::Add && match(start, m_Zero()) &&
        match(by, m_One())) {
      warp = &phi;
      turns = unsigned(end->getZExtValue());
      return true;
    }
  }
  return false;
}

/// Is the instruction a function of values that the warp decides?
bool WarpTables::dependsOnWarp(const Instruction &instruction) const {
  bool isPlain =
      isa<BinaryOperator, CastInst, CmpInst, SelectInst, ShuffleVectorInst,
          InsertElementInst, ExtractElementInst, IntrinsicInst>(instruction) &&
      !instruction.mayReadOrWriteMemory() &&
      instruction.getType()->isIntOrIntVectorTy();
  return isPlain && all_of(instruction.operands(), [&](const Use &use) {
           return isa<Constant>(use) || isa<Function>(use) ||
                  known.contains(use);
         });
}

/// \returns the value in one turn; null if LLVM does not know it.
Constant *WarpTables::evaluate(const Instruction &instruction,
                               unsigned turn) const {
  SmallVector<Constant *> operands;
  for (const Use &use : instruction.operands()) {
    auto found = known.find(use);
    operands.push_back(found == known.end() ? cast<Constant>(use)
                                            : found->second[turn]);
  }
  Constant *value;
  if (auto *test = dyn_cast<CmpInst>(&instruction))
    value = ConstantFoldCompareInstOperands(test->getPredicate(), operands[0],
                                            operands[1], layout);
  else
    value = ConstantFoldInstOperands(const_cast<Instruction *>(&instruction),
                                     operands, layout);
  return value;
}

void WarpTables::note(Instruction &instruction) {
  SmallVector<Constant *> values;
  for (unsigned turn = 0; turn < turns; ++turn) {
    values.push_back(evaluate(instruction, turn));
    if (!values.back())
      return;
  }
  known[&instruction] = std::move(values);
}

/// The instructions on vectors that `root` needs, with itself.
unsigned WarpTables::countVectors(const Instruction &root) const {
  SmallPtrSet<const Value *, 32> seen;
  SmallVector<const Instruction *> open = {&root};
  unsigned vectors = 0;
  while (!open.empty()) {
    const Instruction *next = open.pop_back_val();
    if (!seen.insert(next).second || next == warp)
      continue;
    vectors += next->getType()->isVectorTy();
    for (const Value *operand : next->operands())
      if (known.contains(operand))
        open.push_back(cast<Instruction>(operand));
  }
  return vectors;
}

/// Does other code need the value, and does it take many instructions?
bool WarpTables::isWanted(const Instruction &instruction) const {
  Type *element = instruction.getType()->getScalarType();
  bool fits = instruction.getType()->isVectorTy() ? !element->isIntegerTy(1)
                                                  : element->isIntegerTy(1);
  return fits &&
         any_of(instruction.users(),
                [&](const User *user) { return !known.contains(user); }) &&
         countVectors(instruction) >= kFewestVectors;
}

/// Loads `root` from a table.
bool WarpTables::replace(Instruction &root) {
  Type *type = root.getType();
  bool isFlag = type->isIntegerTy(1);
  Type *kept = isFlag ? Type::getInt8Ty(function.getContext()) : type;
  uint64_t size = layout.getTypeStoreSize(kept) * turns;
  SmallVector<Constant *> rows = known[&root];
  if (bytes + size > kMostBytes || any_of(rows, [](Constant *row) {
        return row->containsUndefOrPoisonElement() || isa<UndefValue>(row) ||
               row->containsConstantExpression();
      }))
    return false;
  bytes += size;
  if (isFlag)
    for (Constant *&row : rows)
      row = ConstantInt::get(kept, row->isOneValue());
  auto *all = ArrayType::get(kept, turns);
  auto *table = new GlobalVariable(
      *function.getParent(), all, /*isConstant=*/true,
      GlobalValue::PrivateLinkage, ConstantArray::get(all, rows), "warps");
  table->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  IRBuilder<> builder(&root);
  Value *number = builder.CreateZExt(warp, builder.getInt64Ty());
  Value *value = builder.CreateLoad(
      kept,
      builder.CreateInBoundsGEP(all, table, {builder.getInt64(0), number}));
  if (isFlag)
    value = builder.CreateICmpNE(value, builder.getInt8(0));
  root.replaceAllUsesWith(value);
  return true;
}

void WarpTables::visit(Loop &loop) {
  known.clear();
  if (!findWarp(loop))
    return;
  SmallVector<Constant *> numbers;
  for (unsigned turn = 0; turn < turns; ++turn)
    numbers.push_back(ConstantInt::get(warp->getType(), turn));
  known[warp] = std::move(numbers);
  // Blocks come behind those that dominate them.
  SmallVector<Instruction *> found;
  for (DomTreeNode *node : depth_first(dominators.getNode(loop.getHeader())))
    if (loop.contains(node->getBlock()))
      for (Instruction &instruction : *node->getBlock())
        if (dependsOnWarp(instruction)) {
          note(instruction);
          if (known.contains(&instruction))
            found.push_back(&instruction);
        }
  SmallVector<WeakTrackingVH> dead;
  for (Instruction *instruction : reverse(found))
    if (isWanted(*instruction) && replace(*instruction))
      dead.push_back(instruction);
  RecursivelyDeleteTriviallyDeadInstructions(dead);
}

void ptxjit::tabulateWarps(Module &module, TargetMachine &machine) {
  if (!machine.getTargetTriple().isAArch64())
    return;
  for (Function &function : module)
    if (!function.isDeclaration())
      WarpTables(function).run();
}
