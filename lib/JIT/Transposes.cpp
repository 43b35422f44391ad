//===- Transposes.cpp - vectors of four elements for each lane ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `ld.v4` loads four elements of lane 0, then those of lane 1, and so on, where
// compiled code wants a vector for each element. LLVM makes each of these four
// vectors by itself: with AVX2 by three permutations across both halves of a
// register and as many blends, with AVX-512 by four permutations, two blends
// and an insertion. A transpose needs 12 shuffles for all four with AVX2, most
// of which stay within the halves, and 8 with AVX-512, which takes any elements
// of two registers. This pass runs behind the optimizer, which would join the
// steps again.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/JIT/Compiler.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/MC/MCSubtargetInfo.h"

using namespace llvm;

namespace {

constexpr unsigned kElements = 4;
using Registers = std::array<Value *, kElements>;

// Masks of shuffles of two registers: a half of each, or pairs of elements from
// the low and from the high part of each half.
constexpr int kLowHalves[] = {0, 1, 2, 3, 8, 9, 10, 11},
              kHighHalves[] = {4, 5, 6, 7, 12, 13, 14, 15},
              kUnpackLow[] = {0, 8, 1, 9, 4, 12, 5, 13},
              kUnpackHigh[] = {2, 10, 3, 11, 6, 14, 7, 15},
              kUnpackLowPairs[] = {0, 1, 8, 9, 4, 5, 12, 13},
              kUnpackHighPairs[] = {2, 3, 10, 11, 6, 7, 14, 15};

/// The masks for 16 lanes, where a register has the elements of four lanes:
/// those of eight lanes, a half for each of two elements; and the steps back.
constexpr int kFirstPair[] = {0, 4, 8, 12, 16, 20, 24, 28,
                              1, 5, 9, 13, 17, 21, 25, 29},
              kSecondPair[] = {2, 6, 10, 14, 18, 22, 26, 30,
                               3, 7, 11, 15, 19, 23, 27, 31},
              kLowEights[] = {0,  1,  2,  3,  4,  5,  6,  7,
                              16, 17, 18, 19, 20, 21, 22, 23},
              kHighEights[] = {8,  9,  10, 11, 12, 13, 14, 15,
                               24, 25, 26, 27, 28, 29, 30, 31},
              kLowLanes[] = {0, 8,  16, 24, 1, 9,  17, 25,
                             2, 10, 18, 26, 3, 11, 19, 27},
              kHighLanes[] = {4, 12, 20, 28, 5, 13, 21, 29,
                              6, 14, 22, 30, 7, 15, 23, 31};

/// Shuffles the first two registers and the last two by the masks of `first`,
/// then what each of these masks has made by those of `second`.
Registers shuffleTwice(IRBuilder<> &builder, const Registers &from,
                       std::array<ArrayRef<int>, 2> first,
                       std::array<ArrayRef<int>, 2> second) {
  auto shuffle = [&](Value *a, Value *b, ArrayRef<int> mask) {
    return builder.CreateShuffleVector(a, b, mask);
  };
  Value *low0 = shuffle(from[0], from[1], first[0]);
  Value *low1 = shuffle(from[0], from[1], first[1]);
  Value *high0 = shuffle(from[2], from[3], first[0]);
  Value *high1 = shuffle(from[2], from[3], first[1]);
  return {shuffle(low0, high0, second[0]), shuffle(low0, high0, second[1]),
          shuffle(low1, high1, second[0]), shuffle(low1, high1, second[1])};
}

/// Transposes the 4 x 4 elements in the low halves of four registers, and those
/// in the high halves. Twice is the identity.
Registers transposeHalves(IRBuilder<> &builder, const Registers &rows) {
  return shuffleTwice(builder, rows, {kUnpackLow, kUnpackHigh},
                      {kUnpackLowPairs, kUnpackHighPairs});
}

/// From registers with the elements of two lanes each, to registers with one
/// element of all eight lanes.
Registers deinterleave8(IRBuilder<> &builder, const Registers &lanes) {
  // Row i has lanes i and i + 4.
  Registers rows = {
      builder.CreateShuffleVector(lanes[0], lanes[2], kLowHalves),
      builder.CreateShuffleVector(lanes[0], lanes[2], kHighHalves),
      builder.CreateShuffleVector(lanes[1], lanes[3], kLowHalves),
      builder.CreateShuffleVector(lanes[1], lanes[3], kHighHalves)};
  return transposeHalves(builder, rows);
}

/// The inverse of deinterleave8.
Registers interleave8(IRBuilder<> &builder, const Registers &elements) {
  Registers rows = transposeHalves(builder, elements);
  return {builder.CreateShuffleVector(rows[0], rows[1], kLowHalves),
          builder.CreateShuffleVector(rows[2], rows[3], kLowHalves),
          builder.CreateShuffleVector(rows[0], rows[1], kHighHalves),
          builder.CreateShuffleVector(rows[2], rows[3], kHighHalves)};
}

/// From registers with the elements of four lanes each, to registers with one
/// element of all sixteen lanes.
Registers deinterleave16(IRBuilder<> &builder, const Registers &lanes) {
  return shuffleTwice(builder, lanes, {kFirstPair, kSecondPair},
                      {kLowEights, kHighEights});
}

/// The inverse of deinterleave16.
Registers interleave16(IRBuilder<> &builder, const Registers &elements) {
  return shuffleTwice(builder, elements, {kLowEights, kHighEights},
                      {kLowLanes, kHighLanes});
}

/// Makes the transposes of vectors of `lanes` lanes, 8 or 16.
class Transposer {
public:
  explicit Transposer(unsigned lanes) : lanes(lanes) {}

  void run(Function &function) {
    for (BasicBlock &block : function)
      for (Instruction &instruction : block)
        if (auto *shuffle = dyn_cast<ShuffleVectorInst>(&instruction)) {
          if (pickedElement(*shuffle))
            picks[allOf(*shuffle)].push_back(shuffle);
          else if (interleaves(*shuffle))
            interleaved.push_back(shuffle);
        }
    for (auto &[all, shuffles] : picks)
      // One element alone needs fewer shuffles than the transpose.
      if (shuffles.size() > 1)
        replacePicks(all, shuffles);
    for (ShuffleVectorInst *shuffle : interleaved) {
      IRBuilder<> builder(shuffle);
      Registers elements = split(builder, {shuffle->getOperand(0), nullptr});
      Registers all = lanes == 8 ? interleave8(builder, elements)
                                 : interleave16(builder, elements);
      replace(shuffle, join(builder, all));
    }
  }

private:
  /// A vector with all elements, or two with a half of them each.
  using All = std::pair<Value *, Value *>;

  bool hasElements(const Value &value, unsigned count) const {
    auto *type = dyn_cast<FixedVectorType>(value.getType());
    return type && type->getNumElements() == count &&
           type->getScalarSizeInBits() == 32;
  }
  bool isAll(const Value &value) const {
    return hasElements(value, lanes * kElements);
  }
  All allOf(const ShuffleVectorInst &shuffle) const {
    Value *first = shuffle.getOperand(0);
    return {first, isAll(*first) ? nullptr : shuffle.getOperand(1)};
  }

  /// The element whose values in all lanes the shuffle picks; none if it does
  /// something else.
  std::optional<unsigned>
  pickedElement(const ShuffleVectorInst &shuffle) const {
    ArrayRef<int> mask = shuffle.getShuffleMask();
    const Value &first = *shuffle.getOperand(0);
    bool isWhole = isAll(first) || hasElements(first, lanes * kElements / 2);
    if (mask.size() != lanes || !isWhole || mask[0] < 0 ||
        mask[0] >= int(kElements))
      return std::nullopt;
    for (unsigned i = 1; i < lanes; ++i)
      if (mask[i] != mask[0] + int(kElements * i))
        return std::nullopt;
    return unsigned(mask[0]);
  }

  /// Does the shuffle put the elements of each lane side by side?
  bool interleaves(const ShuffleVectorInst &shuffle) const {
    ArrayRef<int> mask = shuffle.getShuffleMask();
    if (!isAll(shuffle) || !isAll(*shuffle.getOperand(0)))
      return false;
    for (unsigned i = 0; i < mask.size(); ++i)
      if (mask[i] != int(i % kElements * lanes + i / kElements))
        return false;
    return true;
  }

  Registers split(IRBuilder<> &builder, All all) const {
    Registers parts;
    unsigned inFirst = all.second ? kElements / 2 : kElements;
    for (unsigned part = 0; part < kElements; ++part) {
      SmallVector<int> mask;
      for (unsigned i = 0; i < lanes; ++i)
        mask.push_back(int(part % inFirst * lanes + i));
      parts[part] = builder.CreateShuffleVector(
          part < inFirst ? all.first : all.second, mask);
    }
    return parts;
  }

  Value *join(IRBuilder<> &builder, const Registers &parts) const {
    SmallVector<int> both;
    for (unsigned i = 0; i < 2 * lanes; ++i)
      both.push_back(int(i));
    Value *low = builder.CreateShuffleVector(parts[0], parts[1], both);
    Value *high = builder.CreateShuffleVector(parts[2], parts[3], both);
    for (unsigned i = 0; i < 2 * lanes; ++i)
      both.push_back(int(2 * lanes + i));
    return builder.CreateShuffleVector(low, high, both);
  }

  /// The first place where `all` is there; none if that is not known.
  static std::optional<BasicBlock::iterator> placeBehind(All all) {
    auto *made = dyn_cast<Instruction>(all.first);
    if (made && all.second) {
      auto *other = dyn_cast<Instruction>(all.second);
      if (!other || other->getParent() != made->getParent())
        return std::nullopt;
      if (made->comesBefore(other))
        made = other;
    }
    return made ? made->getInsertionPointAfterDef() : std::nullopt;
  }

  void replacePicks(All all, ArrayRef<ShuffleVectorInst *> shuffles) {
    std::optional<BasicBlock::iterator> at = placeBehind(all);
    if (!at)
      return;
    IRBuilder<> builder((*at)->getParent(), *at);
    Registers registers = split(builder, all);
    Registers elements = lanes == 8 ? deinterleave8(builder, registers)
                                    : deinterleave16(builder, registers);
    for (ShuffleVectorInst *shuffle : shuffles)
      replace(shuffle, elements[*pickedElement(*shuffle)]);
  }

  static void replace(ShuffleVectorInst *shuffle, Value *by) {
    shuffle->replaceAllUsesWith(by);
    shuffle->eraseFromParent();
  }

  unsigned lanes;
  MapVector<All, SmallVector<ShuffleVectorInst *, kElements>> picks;
  SmallVector<ShuffleVectorInst *> interleaved;
};

} // namespace

void ptxjit::makeTransposes(Module &module, TargetMachine &machine) {
  const MCSubtargetInfo &cpu = *machine.getMCSubtargetInfo();
  if (!machine.getTargetTriple().isX86() || !cpu.checkFeatures("+avx2"))
    return;
  // AVX-512 permutes the elements of two registers at once, so that LLVM needs
  // no help with eight lanes.
  unsigned lanes = cpu.checkFeatures("+avx512f") ? 16 : 8;
  for (Function &function : module)
    if (!function.isDeclaration())
      Transposer(lanes).run(function);
}
