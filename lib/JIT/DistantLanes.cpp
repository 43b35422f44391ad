//===- DistantLanes.cpp - lanes at equal distances in memory --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AArch64 loads a lane of a vector (ld1) from a register, without an offset,
// and LLVM adds the offset of each lane to the base of them all. The same
// instruction can step that register to the next lane. So this pass computes
// each address from the one in front of it, by a distance that instruction
// selection finds in a register and cannot add up again.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/JIT/LanePasses.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// The loads of the lanes of a vector, from lane 0 on.
using LaneLoads = SmallVector<LoadInst *, 16>;

/// Fewer lanes have no address between the first and the last one.
constexpr unsigned kFewestLanes = 4;

class LaneSteps {
public:
  explicit LaneSteps(Function &function)
      : function(function), layout(function.getParent()->getDataLayout()) {}
  void run();

private:
  struct Place {
    Value *base;
    int64_t offset;
  };
  static Place placeOf(LoadInst *load);
  std::optional<int64_t> findDistance(const LaneLoads &loads) const;
  void step(const LaneLoads &loads, int64_t distance);
  Value *inRegister(int64_t distance);

  Function &function;
  const DataLayout &layout;
  DenseMap<int64_t, Instruction *> registers;
  SmallVector<WeakTrackingVH> dead;
};

} // namespace

/// \returns the loads of all lanes of a vector whose last element `last`
/// inserts, if each is a load that nothing else uses; else none.
static LaneLoads loadsOf(InsertElementInst *last) {
  auto *type = dyn_cast<FixedVectorType>(last->getType());
  if (!type || type->getNumElements() < kFewestLanes)
    return {};
  LaneLoads loads(type->getNumElements());
  Value *vector = last;
  for (LoadInst *&lane : reverse(loads)) {
    Value *rest, *element;
    uint64_t number = uint64_t(&lane - loads.begin());
    if (!match(vector, m_InsertElt(m_Value(rest), m_Value(element),
                                   m_SpecificInt(number))))
      return {};
    lane = dyn_cast<LoadInst>(element);
    if (!lane || !lane->isSimple() || !lane->hasOneUse() ||
        lane->getParent() != last->getParent())
      return {};
    vector = rest;
  }
  return loads;
}

LaneSteps::Place LaneSteps::placeOf(LoadInst *load) {
  Value *address, *base;
  const APInt *offset;
  if (!match(load->getPointerOperand(), m_IntToPtr(m_Value(address))))
    return {nullptr, 0};
  if (match(address, m_Add(m_Value(base), m_APInt(offset))))
    return {base, offset->getSExtValue()};
  return {address, 0};
}

/// \returns the distance between neighbours, if it is the same for all of them.
std::optional<int64_t> LaneSteps::findDistance(const LaneLoads &loads) const {
  Place first = placeOf(loads[0]), second = placeOf(loads[1]);
  int64_t distance = second.offset - first.offset;
  for (auto [i, load] : enumerate(loads)) {
    Place place = placeOf(load);
    if (!place.base || place.base != first.base ||
        place.offset != first.offset + int64_t(i) * distance)
      return std::nullopt;
  }
  int64_t size = int64_t(layout.getTypeStoreSize(loads[0]->getType()));
  return distance && distance != size ? std::optional(distance) : std::nullopt;
}

/// \returns a value that is `distance`, which later passes do not know. It is
/// what LLVM's ConstantHoisting makes for the same reason.
Value *LaneSteps::inRegister(int64_t distance) {
  Instruction *&known = registers[distance];
  if (!known) {
    Type *type = Type::getInt64Ty(function.getContext());
    known = CastInst::Create(Instruction::BitCast,
                             ConstantInt::getSigned(type, distance), type, "",
                             function.getEntryBlock().getFirstInsertionPt());
  }
  return known;
}

/// The first lane has the base of other vectors and an offset; the second one
/// begins the steps.
void LaneSteps::step(const LaneLoads &loads, int64_t distance) {
  auto *front = *llvm::min_element(
      loads, [](LoadInst *a, LoadInst *b) { return a->comesBefore(b); });
  Place second = placeOf(loads[1]);
  IRBuilder<> builder(front);
  Value *address =
      builder.CreateAdd(second.base, builder.getInt64(uint64_t(second.offset)));
  Value *by = inRegister(distance);
  for (LoadInst *load : drop_begin(loads)) {
    dead.push_back(load->getPointerOperand());
    load->setOperand(
        LoadInst::getPointerOperandIndex(),
        builder.CreateIntToPtr(address, load->getPointerOperandType()));
    if (load != loads.back())
      address = builder.CreateAdd(address, by);
  }
}

void LaneSteps::run() {
  SmallVector<std::pair<LaneLoads, int64_t>> found;
  for (Instruction &instruction : instructions(function)) {
    auto *last = dyn_cast<InsertElementInst>(&instruction);
    LaneLoads loads = last ? loadsOf(last) : LaneLoads();
    if (loads.empty())
      continue;
    if (std::optional<int64_t> distance = findDistance(loads))
      found.emplace_back(std::move(loads), *distance);
  }
  for (auto &[loads, distance] : found)
    step(loads, distance);
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(dead);
}

void ptxjit::stepThroughLanes(Module &module, TargetMachine &machine) {
  if (!machine.getTargetTriple().isAArch64())
    return;
  for (Function &function : module)
    if (!function.isDeclaration())
      LaneSteps(function).run();
}
