//===- Video.h - the meaning of video instructions --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A description of what `ptx.video` does, decoded from its attributes.
// `VideoOp::getVideo` returns it, for the lowering and the reference
// interpreter.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_VIDEO_H
#define PTXJIT_DIALECT_VIDEO_H

#include "ptxjit/Dialect/PtxDialect.h"
#include "llvm/ADT/SmallVector.h"

namespace ptxjit::ptx {

enum class VideoKind {
  Add,
  Sub,
  Average,
  AbsDiff,
  Min,
  Max,
  ShiftLeft,
  ShiftRight,
  Mad,
  Set
};

/// A bit field of a 32-bit register.
struct BitField {
  unsigned shift = 0, width = 32;
};

/// What `ptx.video` does. ISA: "video-instructions".
struct VideoInstruction {
  VideoKind kind;
  /// The parts of a register that are computed separately: 1 for the scalar
  /// instructions, 2 halfwords or 4 bytes for the SIMD ones.
  unsigned lanes = 1;
  bool resultSigned = false, aSigned = false, bSigned = false;
  bool saturates = false;
  ShiftMode shiftMode = ShiftMode::Clamp;
  Compare compare = Compare::EQ;

  // For vmad.
  bool plusOne = false;
  bool negateProduct = false, negateC = false;
  unsigned scale = 0; ///< bits of the right shift

  /// For scalar instructions: the fields that are read and written.
  BitField a, b, result;
  /// For scalar instructions: the operation that combines the result with c
  /// (Add, Min or Max).
  std::optional<AtomicOp> second;
  /// For SIMD instructions: the part that each lane reads. Parts are numbered
  /// through a and b: those of b follow those of a.
  llvm::SmallVector<unsigned, 4> aParts, bParts;
  /// For SIMD instructions: the lanes whose results are added to c (if
  /// `accumulates`) or written; lanes that are not written keep those of c.
  unsigned laneMask = 0;
  bool accumulates = false;

  /// The bits of a lane.
  unsigned laneBits() const { return 32 / lanes; }
  /// Does a scalar instruction replace one part of c?
  bool merges() const { return result.width < 32; }
};

} // namespace ptxjit::ptx

#endif
