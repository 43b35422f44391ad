//===- TensorCore.cpp - multiplications in tensor memory ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes and tests multiplications, and finds out which lanes of tensor memory
// hold which rows and columns of D ("data path layout organization").
//
//===----------------------------------------------------------------------===//

#include "TensorCore.h"

#include <algorithm>
#include <cassert>
#include <cstring>

using namespace ptxjit;
using namespace ptxjit::device;

static constexpr uint32_t kBlockLanes = 16, kPartitionLanes = 32;

void TensorCore::pairWith(TensorCore &other) {
  first = other.first = this;
  second = other.second = &other;
}

void TensorCore::reset() {
  memory.reset();
  pending.entryCount = 0;
  pending.packedK = 0;
}

char *TensorCore::getScratch(const KernelCall &caller) {
  if (!scratch.allocate())
    FaultScope::leave(LaunchStatus::OutOfResources, 0, caller);
  return static_cast<char *>(scratch.get());
}

//===----------------------------------------------------------------------===//
// Issue
//===----------------------------------------------------------------------===//

/// Decodes one multiplication.
class TensorCore::Issue {
public:
  Issue(TensorCore &core, const PtxjitTensorMultiply &multiply,
        const KernelCall &caller)
      : core(core), multiply(multiply), caller(caller) {}

  /// Sets `run`, with one entry, and the other members of `Pending`.
  void decode(Pending &to);

private:
  bool has(unsigned flag) const { return multiply.flags & flag; }
  /// Calls f(core) for the CTA, or for both of the pair.
  template <typename F> void forEachCta(F f) {
    if (!has(PTXJIT_MULTIPLY_PAIR))
      return f(core);
    f(*core.first);
    f(*core.second);
  }
  void check(const char *problem) {
    if (problem)
      FaultScope::leaveIllegal(problem, caller);
  }
  /// The column of an address, of `count` columns that have to be allocated.
  uint16_t columnsAt(uint32_t address, uint32_t count);
  /// A matrix of `rows` rows in each CTA.
  TensorMatrix matrixAt(uint64_t descriptor, bool transposes, uint32_t rows,
                        uint32_t k, TensorElement type, TensorPacking packing);
  void decodeA(TensorRun &run);
  void decodeScales(TensorRun &run);
  void decodeZeroColumns(TensorRun &run);
  uint32_t flagsOf() const;

  TensorCore &core;
  const PtxjitTensorMultiply &multiply;
  const KernelCall &caller;
  TensorInstruction instruction;
};

uint16_t TensorCore::Issue::columnsAt(uint32_t address, uint32_t count) {
  uint32_t column = address & 0xffff;
  forEachCta([&](TensorCore &cta) {
    checkColumns(cta.memory, column, count, caller);
  });
  return uint16_t(column);
}

TensorMatrix TensorCore::Issue::matrixAt(uint64_t descriptor, bool transposes,
                                         uint32_t rows, uint32_t k,
                                         TensorElement type,
                                         TensorPacking packing) {
  TensorMatrix matrix;
  check(decodeMatrix(descriptor, transposes,
                     /*mayBeAbsolute=*/instruction.k == 96, matrix));
  bool hasWideAtoms = matrix.atomLog == 5;
  if (transposes && hasWideAtoms != (type == TensorElement::TF32))
    check("a transposed matrix has a swizzling mode that its type lacks");
  uint32_t along = transposes ? rows : k, lines = transposes ? k : rows;
  uint64_t end =
      endOf(matrix, lines, along / elementsOfUnit(type, packing) * 16);
  forEachCta([&](TensorCore &cta) {
    if (end > cta.sharedEnd)
      FaultScope::leave(LaunchStatus::IllegalAddress, end, caller);
  });
  return matrix;
}

static TensorPacking packingOf(const PtxjitTensorMultiply &multiply,
                               TensorElement type, bool isInMemory) {
  bool isPadded = bitsOf(type) < 8 && (multiply.kind == PTXJIT_KIND_F8F6F4 ||
                                       multiply.kind == PTXJIT_KIND_MXF8F6F4);
  if (!isPadded)
    return TensorPacking::Plain;
  return isInMemory ? TensorPacking::Bytes : TensorPacking::Padded;
}

void TensorCore::Issue::decodeA(TensorRun &run) {
  bool isInMemory = has(PTXJIT_MULTIPLY_A_IN_MEMORY);
  uint32_t rows = has(PTXJIT_MULTIPLY_PAIR) ? instruction.m / 2 : instruction.m;
  uint32_t k = has(PTXJIT_MULTIPLY_SPARSE) ? instruction.k / 2 : instruction.k;
  run.packingA = packingOf(multiply, instruction.typeA, isInMemory);
  TensorEntry &entry = run.entries[0];
  if (!isInMemory) {
    entry.a = matrixAt(multiply.a, instruction.transposesA, rows, k,
                       instruction.typeA, run.packingA);
    return;
  }
  if (uint32_t(multiply.a) >> 16 &&
      uint32_t(multiply.a) >> 16 != multiply.d >> 16)
    check("A and D begin at different lanes of tensor memory");
  entry.columnOfA =
      columnsAt(uint32_t(multiply.a),
                k / elementsOfUnit(instruction.typeA, run.packingA) * 4);
}

/// ISA: "block scaling".
void TensorCore::Issue::decodeScales(TensorRun &run) {
  if (!multiply.scaleBlock)
    return;
  bool isPair = has(PTXJIT_MULTIPLY_PAIR);
  uint32_t rows = isPair ? instruction.m / 2 : instruction.m;
  bool isSplit = isPair && instruction.m == 128;
  run.scaleBlock = uint16_t(instruction.k / instruction.scales);
  run.scaleModulus = uint16_t(isSplit ? instruction.n / 2 : instruction.n);
  run.scaleGroupA = 4;
  run.scaleGroupB = instruction.n > 128 ? 8 : 4;
  auto columnsFor = [&](uint32_t count, uint32_t id, uint32_t group) {
    uint32_t last = (id + instruction.scales - 1) / 4;
    return last * group + (count + kPartitionLanes - 1) / kPartitionLanes;
  };
  // Bits 30 and 31 of an address may say which byte is the first one.
  constexpr uint32_t address = 0x3fffffff;
  TensorEntry &entry = run.entries[0];
  entry.scaleIdA = uint8_t(instruction.scaleIdA);
  entry.scaleIdB = uint8_t(instruction.scaleIdB);
  entry.scaleA =
      columnsAt(multiply.scaleA & address,
                columnsFor(rows, instruction.scaleIdA, run.scaleGroupA));
  entry.scaleB = columnsAt(
      multiply.scaleB & address,
      columnsFor(run.scaleModulus, instruction.scaleIdB, run.scaleGroupB));
}

/// ISA: "zero-column mask descriptor". A submask has runs of zeros and ones in
/// turn; a one stands for a column of zeros. The examples of the ISA say which
/// field is the length of which run.
void TensorCore::Issue::decodeZeroColumns(TensorRun &run) {
  uint64_t fields = multiply.zeroColumns;
  std::fill(std::begin(run.zeroColumns), std::end(run.zeroColumns), 0);
  if (fields >> 36 & 7)
    check("a reserved bit of a zero-column mask descriptor is set");
  uint32_t shift = uint32_t(fields >> 56 & 63);
  if (shift > (instruction.m == 32 ? 16u : 32u))
    check("a zero-column mask descriptor shifts by too many columns");
  run.firstColumn = uint16_t(shift);
  if (!(fields >> 39 & 1))
    return;
  uint32_t ones = uint32_t(fields >> 40 & 0xff) + 1;
  uint32_t zeros = uint32_t(fields >> 48 & 0xff) + 1;
  uint32_t masks = 128 / instruction.m, columns = instruction.n / masks;
  for (uint32_t mask = 0; mask < masks; ++mask) {
    uint32_t at = uint32_t(fields >> (8 * mask) & 0xff);
    bool startsWithOnes = fields >> (32 + mask) & 1;
    // Counted from the start of a run of ones.
    at += startsWithOnes ? 0 : ones;
    for (uint32_t n = 0; n < columns; ++n)
      if ((at + n) % (ones + zeros) < ones) {
        uint32_t column = mask * columns + n;
        run.zeroColumns[column / 64] |= uint64_t(1) << (column % 64);
      }
  }
}

uint32_t TensorCore::Issue::flagsOf() const {
  uint32_t flags = 0;
  auto addIf = [&](bool condition, uint32_t flag) {
    if (condition)
      flags |= flag;
  };
  addIf(has(PTXJIT_MULTIPLY_ACCUMULATES), kTensorAccumulates);
  addIf(instruction.negatesA != instruction.negatesB, kTensorNegates);
  addIf(has(PTXJIT_MULTIPLY_SPARSE), kTensorSparse);
  addIf(instruction.saturates, kTensorSaturates);
  addIf(instruction.hasHalfSums, kTensorHalfSums);
  addIf(has(PTXJIT_MULTIPLY_A_IN_MEMORY), kTensorAInMemory);
  addIf(has(PTXJIT_MULTIPLY_SHIFTS), kTensorShiftsRows);
  addIf(instruction.isUE4M3, kTensorUE4M3);
  return flags;
}

/// The groups of lanes that have columns of their own. ISA: layouts B, E and G.
static uint32_t countGroups(const TensorInstruction &instruction,
                            uint8_t flags) {
  bool isSparse = flags & PTXJIT_MULTIPLY_SPARSE;
  if (flags & PTXJIT_MULTIPLY_PAIR)
    return instruction.m == 128 && !isSparse ? 2 : 1;
  return flags & PTXJIT_MULTIPLY_STATIONARY ? 128 / instruction.m : 1;
}
/// Layouts C and F: D has 16 lanes of each 32.
static bool isScattered(const TensorInstruction &instruction, uint8_t flags) {
  uint32_t rows =
      flags & PTXJIT_MULTIPLY_PAIR ? instruction.m / 2 : instruction.m;
  return rows == 64 && countGroups(instruction, flags) == 1;
}

void TensorCore::Issue::decode(Pending &to) {
  if (has(PTXJIT_MULTIPLY_PAIR) && !core.first)
    check("a multiplication of two CTAs is issued in a cluster that has no "
          "pairs of CTAs");
  check(decodeInstruction(multiply, instruction));
  uint32_t lane = multiply.d >> 16;
  if (lane != 0 && !(lane == 16 && isScattered(instruction, multiply.flags)))
    check("D begins at a lane of tensor memory that its layout lacks");
  TensorRun &run = to.run;
  TensorEntry &entry = run.entries[0];
  bool isPair = has(PTXJIT_MULTIPLY_PAIR),
       isSparse = has(PTXJIT_MULTIPLY_SPARSE);
  run.scaleBlock = 0;
  run.firstColumn = 0;
  run.columns = uint16_t(instruction.n);
  run.halfColumns = uint16_t(isPair ? instruction.n / 2 : 2 * instruction.n);
  run.k = uint16_t(instruction.k);
  run.inputShift = multiply.inputShift;
  run.typeA = instruction.typeA;
  run.typeB = instruction.typeB;
  run.packingB = packingOf(multiply, instruction.typeB, false);
  run.flags = flagsOf();
  decodeA(run);
  decodeZeroColumns(run);
  entry.b =
      matrixAt(multiply.b, instruction.transposesB,
               (isPair ? instruction.n / 2 : instruction.n) + run.firstColumn,
               instruction.k, instruction.typeB, run.packingB);
  if (isSparse)
    // Two columns of metadata, or the one that the selector names.
    entry.metadata =
        uint16_t(columnsAt(multiply.metadata + instruction.selector,
                           bitsOf(instruction.typeA) < 16 ? 2 : 1));
  decodeScales(run);
  run.sums = columnsAt(
      multiply.d, instruction.n / countGroups(instruction, multiply.flags));
  to.kernel = reinterpret_cast<TensorKernel>(multiply.kernel);
  to.instruction = instruction;
  to.flags = multiply.flags;
  to.lane = uint16_t(lane);
  std::copy(std::begin(multiply.disabledLanes),
            std::end(multiply.disabledLanes), to.disabledLanes);
  forEachCta([&](TensorCore &cta) { cta.getScratch(caller); });
  to.entryCount = 1;
}

/// Whether `next` adds to the sums of `run` in the same way.
static bool continuesRun(const TensorRun &run, const TensorRun &next) {
  constexpr uint32_t ends = kTensorHalfSums | kTensorSaturates;
  uint32_t flags = (run.flags ^ next.flags) & ~kTensorAccumulates;
  return flags == 0 && !(run.flags & ends) && next.has(kTensorAccumulates) &&
         next.inputShift == 0 && run.k == next.k && run.typeA == next.typeA &&
         run.typeB == next.typeB && run.sums == next.sums &&
         run.columns == next.columns && run.firstColumn == next.firstColumn &&
         run.scaleBlock == next.scaleBlock &&
         run.entries[0].b.alongRows == next.entries[0].b.alongRows &&
         std::equal(std::begin(run.zeroColumns), std::end(run.zeroColumns),
                    next.zeroColumns);
}

/// Whether `next` adds to what is pending.
bool TensorCore::Pending::continuesWith(const Pending &next) const {
  return !isEmpty() && kernel == next.kernel && lane == next.lane &&
         ((flags ^ next.flags) & ~PTXJIT_MULTIPLY_ACCUMULATES) == 0 &&
         instruction.m == next.instruction.m &&
         instruction.scales == next.instruction.scales &&
         std::equal(std::begin(disabledLanes), std::end(disabledLanes),
                    next.disabledLanes) &&
         continuesRun(run, next.run);
}

void TensorCore::issue(const PtxjitTensorMultiply &multiply,
                       const KernelCall &caller) {
  Pending next;
  Issue(*this, multiply, caller).decode(next);
  TensorCore &owner = multiply.flags & PTXJIT_MULTIPLY_PAIR ? *first : *this;
  Pending &pending = owner.pending;
  if (pending.continuesWith(next)) {
    uint32_t k = next.run.k;
    if (pending.entryCount == kTensorEntries ||
        (pending.entryCount + 1) * k > kTensorMostK)
      owner.packPending();
    if (!pending.isEmpty() &&
        pending.packedK + (pending.entryCount + 1) * k <= kTensorMostPackedK) {
      pending.run.entries[pending.entryCount++] = next.run.entries[0];
      return;
    }
  }
  owner.flush();
  pending = next;
  for (Pending::Kept &kept : pending.kept)
    kept = {0, next.run.flags, next.run.inputShift};
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// Whether the device library can keep what it has read: there is memory for
/// one group of lanes in each CTA.
bool TensorCore::canPack() const {
  return countGroups(pending.instruction, pending.flags) == 1;
}

void TensorCore::packPending() {
  if (!pending.entryCount)
    return;
  if (!canPack())
    return flush();
  uint32_t k = pending.entryCount * pending.run.k;
  runPending(TensorAction::Pack);
  bool keeps = pending.kept[0].packedSteps || pending.kept[1].packedSteps;
  pending.packedK = keeps ? pending.packedK + k : 0;
}

/// Does what is pending, but for what the device library keeps if `action` is
/// Pack.
void TensorCore::runPending(TensorAction action) {
  assert(pending.packedK + pending.entryCount * pending.run.k <=
         kTensorMostPackedK);
  pending.run.entryCount = pending.entryCount;
  if (pending.flags & PTXJIT_MULTIPLY_PAIR) {
    runIn(*first, 0, action);
    runIn(*second, 1, action);
  } else {
    runIn(*this, 0, action);
  }
  pending.entryCount = 0;
  if (action == TensorAction::Multiply)
    pending.packedK = 0;
}

/// Does the part of the run whose sums are in `core`, the `half`th of a pair.
void TensorCore::runIn(TensorCore &core, uint32_t half, TensorAction action) {
  TensorRun part = pending.run;
  Pending::Kept &kept = pending.kept[half];
  bool isPair = pending.flags & PTXJIT_MULTIPLY_PAIR;
  auto window = [](const TensorCore &cta) {
    return reinterpret_cast<const char *>(cta.shared);
  };
  part.cells = reinterpret_cast<uint32_t *>(core.memory.cell(0, 0));
  part.scratch = static_cast<char *>(core.scratch.get());
  part.sharedA = window(core);
  part.sharedB[0] = window(isPair ? *first : core);
  part.sharedB[1] = window(isPair ? *second : core);
  part.action = action;
  part.packedSteps = kept.packedSteps;
  part.flags = kept.flags;
  part.inputShift = kept.inputShift;
  uint32_t groups = countGroups(pending.instruction, pending.flags);
  part.columns = uint16_t(pending.run.columns / groups);
  for (uint32_t group = 0; group < groups; ++group) {
    TensorRun ofGroup = part;
    describeGroup(ofGroup, group, half);
    runGroup(ofGroup);
    // Nothing is kept of several groups.
    kept = {ofGroup.packedSteps, ofGroup.flags, ofGroup.inputShift};
  }
}

/// Sets what differs between the groups of lanes that have columns of their
/// own.
void TensorCore::describeGroup(TensorRun &part, uint32_t group, uint32_t half) {
  const TensorRun &run = pending.run;
  bool isPair = pending.flags & PTXJIT_MULTIPLY_PAIR;
  uint32_t rows = isPair ? pending.instruction.m / 2 : pending.instruction.m;
  uint32_t apart =
      isScattered(pending.instruction, pending.flags) ? 32 : kBlockLanes;
  uint32_t skipped = group * part.columns;
  part.firstColumn = uint16_t(run.firstColumn + skipped);
  for (uint32_t n = 0; skipped && n < part.columns; ++n) {
    uint64_t bit = run.zeroColumns[(skipped + n) / 64] >> (skipped + n) % 64;
    uint64_t &word = part.zeroColumns[n / 64];
    word = (word & ~(uint64_t(1) << n % 64)) | (bit & 1) << n % 64;
  }
  part.blockCount = rows / kBlockLanes;
  assert(part.blockCount % kTensorEvenBlocks == 0);
  for (uint32_t i = 0; i < part.blockCount; ++i) {
    uint32_t lane = pending.lane + group * rows + i * apart;
    uint32_t disabled =
        pending.disabledLanes[4 * half + lane / 32] >> lane % 32;
    part.blocks[i] = {uint16_t(lane), uint16_t(i * kBlockLanes),
                      uint16_t(~disabled)};
  }
}

/// Whether the copies of the scale factors of B are the same in all partitions
/// that the blocks of the run are in.
static bool haveSameScales(const TensorRun &run) {
  uint32_t first = run.blocks[0].lane / kPartitionLanes;
  uint32_t last = run.blocks[run.blockCount - 1].lane / kPartitionLanes;
  uint32_t count = (run.scaleModulus + kPartitionLanes - 1) / kPartitionLanes;
  uint32_t scales = run.k / run.scaleBlock;
  for (uint32_t i = 0; i < run.entryCount; ++i) {
    const TensorEntry &entry = run.entries[i];
    uint32_t groups = (entry.scaleIdB + scales - 1) / 4 + 1;
    for (uint32_t group = 0; group < groups; ++group)
      for (uint32_t column = 0; column < count; ++column) {
        const uint32_t *lanes =
            run.cells +
            (entry.scaleB + group * run.scaleGroupB + column) * kTensorLanes;
        for (uint32_t other = first + 1; other <= last; ++other)
          if (std::memcmp(lanes + first * kPartitionLanes,
                          lanes + other * kPartitionLanes,
                          4 * kPartitionLanes) != 0)
            return false;
      }
  }
  return true;
}

/// Runs blocks that multiply the same columns of B. Each partition has a copy
/// of the scale factors of B, which programs may make differ.
void TensorCore::runGroup(TensorRun &run) {
  if (!run.scaleBlock || haveSameScales(run)) {
    pending.kernel(&run);
    return;
  }
  run.action = TensorAction::Multiply;
  if (run.packedSteps) {
    TensorRun packed = run.withoutEntries();
    pending.kernel(&packed);
    run.haveSums();
  }
  constexpr uint32_t each = kPartitionLanes / kBlockLanes;
  for (uint32_t i = 0; i < run.blockCount; i += each) {
    TensorRun part = run;
    part.blockCount = std::min(each, run.blockCount - i);
    std::copy_n(run.blocks + i, part.blockCount, part.blocks);
    pending.kernel(&part);
  }
  run.haveSums();
}
