//===- Video.h - what a video instruction does ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The meaning of the attributes of `ptx.video`, for all that carry it out:
// `VideoOp::getVideo`.
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

/// A field of a 32-bit register.
struct BitField {
  unsigned shift = 0, width = 32;
};

/// What `ptx.video` does. ISA: "video-instructions".
struct VideoInstruction {
  VideoKind kind;
  unsigned lanes = 1; ///< 1: scalar, 2: halfwords, 4: bytes
  bool resultSigned = false, aSigned = false, bSigned = false;
  bool saturates = false;
  ShiftMode shiftMode = ShiftMode::Clamp;
  Compare compare = Compare::EQ;

  // Of vmad.
  bool plusOne = false;
  bool negateProduct = false, negateC = false;
  unsigned scale = 0; ///< bits of the right shift

  /// Of scalar ones: what is read and written.
  BitField a, b, result;
  /// Of scalar ones: how the result and c are combined, unless merged.
  std::optional<AtomicOp> second; // Add, Min, Max
  /// Of SIMD ones: for each lane a part of {a, b}, counted through both.
  llvm::SmallVector<unsigned, 4> aParts, bParts;
  /// Of SIMD ones: lanes that are added to c, or written (others are c's).
  unsigned laneMask = 0;
  bool accumulates = false;

  /// Bits of a lane.
  unsigned laneBits() const { return 32 / lanes; }
  /// Scalar: the result is one part of c.
  bool merges() const { return result.width < 32; }
};

} // namespace ptxjit::ptx

#endif
