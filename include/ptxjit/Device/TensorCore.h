//===- TensorCore.h - runs of multiplications in tensor memory --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Runtime and Device share about `tcgen05.mma`. Runtime decodes and tests
// descriptors, and finds out which lanes of tensor memory hold which rows
// (lib/Runtime/TensorCore.cpp). Device multiplies (lib/Device/TensorCore.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DEVICE_TENSORCORE_H
#define PTXJIT_DEVICE_TENSORCORE_H

#include <stdint.h>

namespace ptxjit::device {

/// The type of an element of A or B.
enum class TensorElement : uint8_t {
  F16,
  BF16,
  TF32,
  E4M3,
  E5M2,
  E2M3,
  E3M2,
  E2M1,
  U8,
  S8,
};

/// How the elements of A or B are packed, in units of 16 bytes of shared
/// memory, or in columns of tensor memory. ISA: "packing formats".
enum class TensorPacking : uint8_t {
  Plain, ///< the elements follow each other; 4-bit ones two in a byte
  /// 16 elements of 4 or 6 bits follow each other, in a unit of 16 bytes.
  Padded,
  Bytes, ///< each element of 4 or 6 bits is in a byte, 4 bits in bits 2 to 5
};

/// The bits of a code.
inline uint32_t bitsOf(TensorElement type) {
  switch (type) {
  case TensorElement::F16:
  case TensorElement::BF16:
    return 16;
  case TensorElement::TF32:
    return 32;
  case TensorElement::E2M3:
  case TensorElement::E3M2:
    return 6;
  case TensorElement::E2M1:
    return 4;
  default:
    return 8;
  }
}

/// The elements in a unit of 16 bytes.
inline uint32_t elementsOfUnit(TensorElement type, TensorPacking packing) {
  return packing == TensorPacking::Plain ? 128 / bitsOf(type) : 16;
}

/// A matrix in shared memory. ISA: "shared memory descriptor", "canonical
/// layouts". Addresses are those of the CTA's window, in bytes. Its *rows* are
/// those of A, or the columns of B.
struct TensorMatrix {
  uint32_t start;
  uint32_t leading;   ///< "leading dimension byte offset"
  uint32_t stride;    ///< "stride dimension byte offset"
  uint32_t phase;     ///< what to subtract to count the rows of the pattern
  uint8_t widthLog;   ///< of the bytes of a row of the pattern; 4: no swizzle
  uint8_t atomLog;    ///< of the bytes that a swizzle keeps together, 4 or 5
  uint8_t alongRows;  ///< 1: elements of different rows follow each other
  uint8_t isAbsolute; ///< 1: `leading` is an address, for bytes beyond a row

  /// The log2 of the lines that follow each other in an atom: 8, but 4 of k
  /// where a swizzle keeps 32 bytes together.
  uint32_t linesLog() const { return alongRows && atomLog == 5 ? 2 : 3; }

  /// Where byte `byte` of line `line` lies, before it is swizzled. A line is a
  /// row, or if elements follow each other along the rows, the elements of a k.
  uint32_t place(uint32_t line, uint32_t byte) const {
    bool swaps = alongRows && widthLog == 4;
    uint32_t nextLines = swaps ? leading : stride;
    uint32_t nextBytes = swaps ? stride : leading;
    uint32_t lines = linesLog(), inWidth = (1u << widthLog) - 1;
    uint32_t inAtom = (line & ((1u << lines) - 1)) << widthLog;
    uint32_t lineAt = (line >> lines) * nextLines + inAtom;
    if (isAbsolute) {
      // The bytes beyond a row are in the same row of another matrix.
      uint32_t across = (start & inWidth) + byte;
      uint32_t first = across > inWidth ? leading : start & ~inWidth;
      return first + (across & inWidth) + lineAt;
    }
    return start + lineAt + (byte >> widthLog) * nextBytes + (byte & inWidth);
  }
  /// ISA: "swizzling modes". Exchanges the units of a row of the pattern.
  uint32_t swizzle(uint32_t address) const {
    uint32_t units = (1u << widthLog) - (1u << atomLog);
    return address ^ ((address - phase) >> (7 - atomLog) & units);
  }
};

/// One multiplication.
struct TensorEntry {
  TensorMatrix a; ///< unless A is in tensor memory
  TensorMatrix b;
  uint16_t columnOfA; ///< its first column in tensor memory
  uint16_t metadata;  ///< first column of a sparse A's metadata
  /// First columns of the scale factors.
  uint16_t scaleA, scaleB;
  uint8_t scaleIdA, scaleIdB; ///< byte of the first factor in its column
};

/// 16 lanes of D.
struct TensorBlock {
  uint16_t lane;      ///< the first one
  uint16_t row;       ///< of A in shared memory, that of the first lane
  uint16_t isWritten; ///< a bit for each lane
};

enum TensorFlags : uint32_t {
  kTensorAccumulates = 1 << 0, ///< else D = A * B
  kTensorNegates = 1 << 1,     ///< A or B is negated, not both
  kTensorSparse = 1 << 2,
  kTensorSaturates = 1 << 3,
  kTensorHalfSums = 1 << 4,   ///< D is f16
  kTensorAInMemory = 1 << 5,  ///< A is in tensor memory
  kTensorShiftsRows = 1 << 6, ///< lane L multiplies the row of lane L + 1
  kTensorUE4M3 = 1 << 7,      ///< scale factors are ue4m3, else ue8m0
};

inline constexpr unsigned kTensorLanes = 128;
inline constexpr unsigned kTensorBlocks = 8;
/// A run has a multiple of this number of blocks.
inline constexpr unsigned kTensorEvenBlocks = 2;
/// Multiplications of a run, and the elements of k that they have at most.
inline constexpr unsigned kTensorEntries = 16;
inline constexpr unsigned kTensorMostK = 128;
inline constexpr unsigned kTensorMostColumns = 256;
/// Bytes of memory that the functions need to work.
inline constexpr unsigned kTensorScratchBytes = 640 << 10;

/// What to do with a run.
enum class TensorAction : uint8_t {
  Multiply,
  /// Read A and B, since memory may change then. Functions that cannot keep
  /// them multiply.
  Pack,
};
/// Elements of k that functions keep at most.
inline constexpr unsigned kTensorMostPackedK = 256;

/// Multiplications that add to the same sums one after the other: the blocks of
/// a CTA that multiply the same columns of B.
struct TensorRun {
  uint32_t *cells; ///< of tensor memory: lane 0 of column 0
  /// Address 0 of the windows of shared memory: for A, and for the first and
  /// the second half of the columns of B.
  const char *sharedA, *sharedB[2];
  char *scratch; ///< kTensorScratchBytes, aligned to 128 bytes
  uint16_t sums; ///< column of D that holds column `firstColumn` of B
  uint16_t firstColumn, columns; ///< of B, multiples of 8
  uint16_t halfColumns;          ///< columns of B in `sharedB[0]`
  uint16_t k;                    ///< of one multiplication
  uint16_t scaleBlock; ///< elements of k that have a factor in common; 0: none
  /// Columns from those of factors 0 to 3 to those of factors 4 to 7.
  uint16_t scaleGroupA, scaleGroupB;
  uint16_t scaleModulus; ///< columns of B whose factors a copy has
  uint8_t inputShift;    ///< D / 2^n is added to
  TensorAction action;
  /// Steps of earlier entries that are in `scratch`; set by Pack, read by the
  /// next one. Multiply adds them, too.
  uint32_t packedSteps;
  TensorElement typeA, typeB;
  TensorPacking packingA, packingB;
  uint32_t flags; ///< TensorFlags
  /// Bit n: column firstColumn + n of B is 0.
  uint64_t zeroColumns[4];
  uint32_t blockCount, entryCount;
  TensorBlock blocks[kTensorBlocks];
  TensorEntry entries[kTensorEntries];

  bool has(TensorFlags flag) const { return flags & flag; }
  /// Says that D has the sums of all entries so far, which later ones add to.
  void haveSums() {
    flags |= kTensorAccumulates;
    inputShift = 0;
    packedSteps = 0;
  }
  /// The run that multiplies what was packed, and no more.
  TensorRun withoutEntries() const {
    TensorRun packed = *this;
    packed.entryCount = 0;
    packed.action = TensorAction::Multiply;
    return packed;
  }
};

/// A function of the device library that does a run. It sets `packedSteps`, and
/// if it multiplies although it is to pack, `flags` and `inputShift` for the
/// entries that follow.
using TensorKernel = void (*)(TensorRun *run);

} // namespace ptxjit::device

#endif
