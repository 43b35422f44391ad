//===- Transposes.cpp - vectors of four elements for each lane ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `ld.v4` loads four elements of lane 0, then those of lane 1, and so on, where
// compiled code wants a vector for each element. With AVX2, LLVM makes each of
// these four vectors by itself, by three permutations across both halves of a
// register and as many blends. A transpose needs 12 shuffles for all four, most
// of which stay within the halves. This pass runs behind the optimizer, which
// would join the steps again.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/JIT/Compiler.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/MC/MCSubtargetInfo.h"

using namespace llvm;

namespace {

constexpr unsigned kLanes = 8, kElements = 4;
using Registers = std::array<Value *, kElements>;

// Masks of shuffles of two registers: a half of each, or pairs of elements from
// the low and from the high part of each half.
constexpr int kLowHalves[] = {0, 1, 2, 3, 8, 9, 10, 11},
              kHighHalves[] = {4, 5, 6, 7, 12, 13, 14, 15},
              kUnpackLow[] = {0, 8, 1, 9, 4, 12, 5, 13},
              kUnpackHigh[] = {2, 10, 3, 11, 6, 14, 7, 15},
              kUnpackLowPairs[] = {0, 1, 8, 9, 4, 5, 12, 13},
              kUnpackHighPairs[] = {2, 3, 10, 11, 6, 7, 14, 15};

bool isAll(const Value &value) {
  auto *type = dyn_cast<FixedVectorType>(value.getType());
  return type && type->getNumElements() == kLanes * kElements &&
         type->getScalarSizeInBits() == 32;
}

/// The element whose values in all lanes the shuffle picks; none if it does
/// something else.
std::optional<unsigned> pickedElement(const ShuffleVectorInst &shuffle) {
  ArrayRef<int> mask = shuffle.getShuffleMask();
  if (mask.size() != kLanes || !isAll(*shuffle.getOperand(0)) || mask[0] < 0 ||
      mask[0] >= int(kElements))
    return std::nullopt;
  for (unsigned i = 1; i < kLanes; ++i)
    if (mask[i] != mask[0] + int(kElements * i))
      return std::nullopt;
  return unsigned(mask[0]);
}

/// Does the shuffle put the elements of each lane side by side?
bool interleaves(const ShuffleVectorInst &shuffle) {
  ArrayRef<int> mask = shuffle.getShuffleMask();
  if (!isAll(shuffle) || !isAll(*shuffle.getOperand(0)))
    return false;
  for (unsigned i = 0; i < mask.size(); ++i)
    if (mask[i] != int(i % kElements * kLanes + i / kElements))
      return false;
  return true;
}

Registers split(IRBuilder<> &builder, Value *all) {
  Registers parts;
  for (unsigned part = 0; part < kElements; ++part) {
    SmallVector<int> mask;
    for (unsigned i = 0; i < kLanes; ++i)
      mask.push_back(int(part * kLanes + i));
    parts[part] = builder.CreateShuffleVector(all, mask);
  }
  return parts;
}

Value *join(IRBuilder<> &builder, const Registers &parts) {
  SmallVector<int> both;
  for (unsigned i = 0; i < 2 * kLanes; ++i)
    both.push_back(int(i));
  Value *low = builder.CreateShuffleVector(parts[0], parts[1], both);
  Value *high = builder.CreateShuffleVector(parts[2], parts[3], both);
  for (unsigned i = 0; i < 2 * kLanes; ++i)
    both.push_back(int(2 * kLanes + i));
  return builder.CreateShuffleVector(low, high, both);
}

/// Transposes the 4 x 4 elements in the low halves of four registers, and those
/// in the high halves. Twice is the identity.
Registers transposeHalves(IRBuilder<> &builder, const Registers &rows) {
  auto shuffle = [&](Value *a, Value *b, ArrayRef<int> mask) {
    return builder.CreateShuffleVector(a, b, mask);
  };
  Value *low01 = shuffle(rows[0], rows[1], kUnpackLow);
  Value *high01 = shuffle(rows[0], rows[1], kUnpackHigh);
  Value *low23 = shuffle(rows[2], rows[3], kUnpackLow);
  Value *high23 = shuffle(rows[2], rows[3], kUnpackHigh);
  return {shuffle(low01, low23, kUnpackLowPairs),
          shuffle(low01, low23, kUnpackHighPairs),
          shuffle(high01, high23, kUnpackLowPairs),
          shuffle(high01, high23, kUnpackHighPairs)};
}

/// From registers with the elements of two lanes each, to registers with one
/// element of all lanes.
Registers deinterleave(IRBuilder<> &builder, const Registers &lanes) {
  // Row i has lanes i and i + 4.
  Registers rows = {
      builder.CreateShuffleVector(lanes[0], lanes[2], kLowHalves),
      builder.CreateShuffleVector(lanes[0], lanes[2], kHighHalves),
      builder.CreateShuffleVector(lanes[1], lanes[3], kLowHalves),
      builder.CreateShuffleVector(lanes[1], lanes[3], kHighHalves)};
  return transposeHalves(builder, rows);
}

/// The inverse of deinterleave.
Registers interleave(IRBuilder<> &builder, const Registers &elements) {
  Registers rows = transposeHalves(builder, elements);
  return {builder.CreateShuffleVector(rows[0], rows[1], kLowHalves),
          builder.CreateShuffleVector(rows[2], rows[3], kLowHalves),
          builder.CreateShuffleVector(rows[0], rows[1], kHighHalves),
          builder.CreateShuffleVector(rows[2], rows[3], kHighHalves)};
}

class Transposer {
public:
  void run(Function &function) {
    for (BasicBlock &block : function)
      for (Instruction &instruction : block)
        if (auto *shuffle = dyn_cast<ShuffleVectorInst>(&instruction)) {
          if (pickedElement(*shuffle))
            picks[shuffle->getOperand(0)].push_back(shuffle);
          else if (interleaves(*shuffle))
            interleaved.push_back(shuffle);
        }
    for (auto &[all, shuffles] : picks)
      // One element alone needs fewer shuffles than the transpose.
      if (shuffles.size() > 1)
        replacePicks(all, shuffles);
    for (ShuffleVectorInst *shuffle : interleaved) {
      IRBuilder<> builder(shuffle);
      Registers elements = split(builder, shuffle->getOperand(0));
      replace(shuffle, join(builder, interleave(builder, elements)));
    }
  }

private:
  void replacePicks(Value *all, ArrayRef<ShuffleVectorInst *> shuffles) {
    auto *made = dyn_cast<Instruction>(all);
    std::optional<BasicBlock::iterator> at =
        made ? made->getInsertionPointAfterDef() : std::nullopt;
    if (!at)
      return;
    IRBuilder<> builder((*at)->getParent(), *at);
    Registers elements = deinterleave(builder, split(builder, all));
    for (ShuffleVectorInst *shuffle : shuffles)
      replace(shuffle, elements[*pickedElement(*shuffle)]);
  }

  static void replace(ShuffleVectorInst *shuffle, Value *by) {
    shuffle->replaceAllUsesWith(by);
    shuffle->eraseFromParent();
  }

  MapVector<Value *, SmallVector<ShuffleVectorInst *, kElements>> picks;
  SmallVector<ShuffleVectorInst *> interleaved;
};

} // namespace

void ptxjit::makeTransposes(Module &module, TargetMachine &machine) {
  const MCSubtargetInfo &cpu = *machine.getMCSubtargetInfo();
  // AVX-512 permutes the elements of two registers at once.
  if (!machine.getTargetTriple().isX86() || !cpu.checkFeatures("+avx2") ||
      cpu.checkFeatures("+avx512f"))
    return;
  for (Function &function : module)
    if (!function.isDeclaration())
      Transposer().run(function);
}
