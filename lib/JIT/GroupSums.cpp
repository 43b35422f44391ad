//===- GroupSums.cpp - more sums than registers ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread that keeps 64 sums in registers, as tiled matrix products do, is a
// warp with 128 vectors or more. Step by step of k, each sum would be loaded
// and stored for each product. This pass reorders such code: of as many sums as
// the CPU has registers for, all products are made, then those of the next
// ones. The products of one sum keep their order, so results are the same bits.
// Sums that share factors come together, as tiles of a matrix of sums: three
// rows of eight sums need eleven factors for 24 products.
// Meanwhile the other sums are in memory. This pass puts them there, since
// LLVM's register allocator would choose among sums and factors as it likes.
//
// It runs behind the optimizer, on stretches of code that write no memory.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/JIT/Compiler.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
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

/// A load or store of memory that code names by a pointer of the launch's
/// context, as the frame of values that live across barriers. Only such code
/// reaches that memory: PTX computes its addresses as numbers.
struct FrameAccess {
  const Value *frame = nullptr; ///< null: it is another access
  const Value *base = nullptr;
  int64_t offset = 0; ///< from the base, in bytes
  uint64_t bytes = 0;

  FrameAccess(const Instruction &instruction, const DataLayout &layout);
  bool isSamePlace(const FrameAccess &other) const {
    return frame && base == other.base && offset == other.offset &&
           bytes == other.bytes;
  }
  bool mayOverlap(const FrameAccess &other) const {
    if (!frame || !other.frame)
      return false;
    return base != other.base ||
           (offset < other.offset + int64_t(other.bytes) &&
            other.offset < offset + int64_t(bytes));
  }
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
  bool tileSums();
  void divideSums();
  void take(Instruction *term);
  void takeGroup(ArrayRef<Sum> group);
  void findFrameAccesses();
  StoreInst *findStoreBack(Value *begin, Instruction *end) const;
  void keepInMemory(const Sum &sum, const DominatorTree &dominators);
  bool contains(const Value *value) const {
    auto *instruction = dyn_cast<Instruction>(value);
    return instruction && numbers.contains(instruction);
  }

  ArrayRef<Instruction *> instructions;
  const TargetTransformInfo &costs;
  unsigned numRegisters = 0; ///< of the CPU
  std::vector<Sum> sums;     ///< in the order of their first terms
  /// How many of `sums` each group has, in turn.
  SmallVector<unsigned> groups;
  DenseMap<Instruction *, unsigned> sumOfTerm;
  /// The places of `instructions`.
  DenseMap<const Instruction *, unsigned> numbers;
  BitVector taken;
  std::vector<Instruction *> order;
  /// Those of the block.
  DenseMap<const Instruction *, FrameAccess> frameAccesses;
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

FrameAccess::FrameAccess(const Instruction &instruction,
                         const DataLayout &layout) {
  const Value *pointer = getLoadStorePointerOperand(&instruction);
  // What never changes, as the table of helpers, is no frame.
  if (!pointer || instruction.hasMetadata(LLVMContext::MD_invariant_load))
    return;
  auto *field = dyn_cast<LoadInst>(getUnderlyingObject(pointer));
  if (!field || !field->hasMetadata(LLVMContext::MD_invariant_load))
    return;
  frame = field;
  APInt distance(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  base = pointer->stripAndAccumulateConstantOffsets(layout, distance,
                                                    /*AllowNonInbounds=*/true);
  offset = distance.getSExtValue();
  bytes = layout.getTypeStoreSize(getLoadStoreType(&instruction));
}

void Stretch::findFrameAccesses() {
  const BasicBlock &block = *instructions.front()->getParent();
  for (const Instruction &instruction : block) {
    FrameAccess access(instruction, block.getDataLayout());
    if (access.frame)
      frameAccesses.try_emplace(&instruction, access);
  }
}

/// Is the sum in the frame before its first term, and does it go back to the
/// same place? Then it is in memory already.
/// \returns the store, which may come right behind the last term; else null.
StoreInst *Stretch::findStoreBack(Value *begin, Instruction *end) const {
  auto *load = dyn_cast<LoadInst>(begin);
  auto *store =
      end->hasOneUse() ? dyn_cast<StoreInst>(end->user_back()) : nullptr;
  if (!load || !load->hasOneUse() || !store)
    return nullptr;
  // Those of other blocks are not among them.
  auto ofLoad = frameAccesses.find(load), ofStore = frameAccesses.find(store);
  if (ofLoad == frameAccesses.end() || ofStore == frameAccesses.end() ||
      !ofLoad->second.isSamePlace(ofStore->second))
    return nullptr;
  for (const auto &[other, access] : frameAccesses)
    if (other != load && other != store && access.mayOverlap(ofStore->second))
      return nullptr;
  return store;
}

/// No vector register is larger.
static constexpr Align kLine = Align::Constant<64>();

/// Keeps a sum in memory, but for the time between its first and last term.
void Stretch::keepInMemory(const Sum &sum, const DominatorTree &dominators) {
  Instruction *first = sum.terms.front(), *last = sum.terms.back();
  Use &addend = cast<CallInst>(first)->getArgOperandUse(2);
  if (StoreInst *store = findStoreBack(addend, last)) {
    store->setOperand(store->getPointerOperandIndex(),
                      cast<LoadInst>(addend)->getPointerOperand());
    store->moveAfter(last);
    return;
  }
  Function &function = *first->getFunction();
  const DataLayout &layout = function.getDataLayout();
  Type *type = first->getType();
  auto *slot = new AllocaInst(type, layout.getAllocaAddrSpace(), nullptr,
                              std::min(layout.getPrefTypeAlign(type), kLine),
                              "sum", function.getEntryBlock().begin());
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

namespace {
/// The columns and rows of a tile of sums.
struct TileShape {
  unsigned columns = 1, rows = 1;
};
} // namespace

/// Finds the tiles of a matrix of sums for which factors are stored and loaded
/// least, if `registers` hold the sums of a tile, the factors of its shorter
/// side, one of the longer side, and one more.
static TileShape chooseTile(unsigned columns, unsigned rows,
                            unsigned registers) {
  // A factor that several tiles need is stored once, and loaded for each one
  // but the first.
  auto accesses = [](unsigned factors, unsigned tiles) {
    return tiles > 1 ? factors * tiles : 0;
  };
  TileShape best;
  unsigned fewest = ~0u;
  for (unsigned c = 1; c <= columns; ++c)
    for (unsigned r = 1; r <= rows && c * r + std::min(c, r) + 2 <= registers;
         ++r) {
      unsigned count = accesses(rows, divideCeil(columns, c)) +
                       accesses(columns, divideCeil(rows, r));
      if (count < fewest) {
        fewest = count;
        best = {c, r};
      }
    }
  return best;
}

/// Orders sums that are a matrix, in which the sums of a row share their first
/// factors and those of a column their second ones, tile by tile. Each tile is
/// a group.
/// \returns false if the sums are no matrix.
bool Stretch::tileSums() {
  DenseMap<Value *, unsigned> rows, columns;
  std::vector<std::pair<unsigned, unsigned>> places; // row and column
  for (const Sum &sum : sums) {
    auto *term = cast<CallInst>(sum.terms.front());
    unsigned row =
        rows.try_emplace(term->getArgOperand(0), rows.size()).first->second;
    unsigned column =
        columns.try_emplace(term->getArgOperand(1), columns.size())
            .first->second;
    places.push_back({row, column});
  }
  bool isMatrix = rows.size() * columns.size() == sums.size() &&
                  all_of(sums, [&](const Sum &sum) {
                    return sum.registers == sums.front().registers;
                  });
  if (!isMatrix)
    return false;
  TileShape tile = chooseTile(unsigned(columns.size()), unsigned(rows.size()),
                              numRegisters / sums.front().registers);
  std::vector<std::array<unsigned, 5>> keys; // the last one is the sum
  for (auto [i, place] : enumerate(places)) {
    auto [row, column] = place;
    // The factors of the shorter side stay in registers meanwhile.
    bool byRows = tile.rows < tile.columns;
    keys.push_back({row / tile.rows, column / tile.columns,
                    byRows ? column : row, byRows ? row : column, unsigned(i)});
  }
  llvm::sort(keys);
  std::vector<Sum> tiled;
  for (auto [i, key] : enumerate(keys)) {
    bool isSameTile = i && std::equal(&key[0], &key[2], &keys[i - 1][0]);
    if (!isSameTile)
      groups.push_back(0);
    ++groups.back();
    tiled.push_back(std::move(sums[key.back()]));
  }
  sums = std::move(tiled);
  return true;
}

/// Divides sums that are no matrix as they come. A quarter of the registers is
/// left for the factors.
void Stretch::divideSums() {
  unsigned most = numRegisters * 3 / 4, used = 0;
  for (const Sum &sum : sums) {
    if (groups.empty() || used + sum.registers > most) {
      groups.push_back(0);
      used = 0;
    }
    ++groups.back();
    used += sum.registers;
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
  findFrameAccesses();
  if (!tileSums())
    divideSums();
  ArrayRef<Sum> left = sums;
  for (unsigned count : groups) {
    takeGroup(left.take_front(count));
    left = left.drop_front(count);
  }
  for (auto [number, instruction] : enumerate(instructions))
    if (!taken[unsigned(number)])
      order.push_back(instruction);
  LDBG() << sums.size() << " sums in " << groups.size() << " groups";
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

bool ptxjit::groupSums(Module &module, TargetMachine &machine) {
  bool changed = false;
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
      changed = true;
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
  return changed;
}
