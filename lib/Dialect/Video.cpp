//===- Video.cpp - decodes the attributes of ptx.video --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The op definition of PtxVideo.td, and the description of Video.h.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Dialect/Video.h"
#include "ptxjit/Dialect/PtxOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;
using namespace ptxjit::ptx;

#define GET_OP_CLASSES
#include "ptxjit/Dialect/PtxVideo.cpp.inc"

namespace {
/// The facts that an opcode states.
struct OpcodeMeaning {
  VideoKind kind;
  unsigned lanes;
};
} // namespace

static OpcodeMeaning meaningOf(VideoOpcode opcode) {
  switch (opcode) {
  case VideoOpcode::VADD:
    return {VideoKind::Add, 1};
  case VideoOpcode::VADD2:
    return {VideoKind::Add, 2};
  case VideoOpcode::VADD4:
    return {VideoKind::Add, 4};
  case VideoOpcode::VSUB:
    return {VideoKind::Sub, 1};
  case VideoOpcode::VSUB2:
    return {VideoKind::Sub, 2};
  case VideoOpcode::VSUB4:
    return {VideoKind::Sub, 4};
  case VideoOpcode::VAVRG2:
    return {VideoKind::Average, 2};
  case VideoOpcode::VAVRG4:
    return {VideoKind::Average, 4};
  case VideoOpcode::VABSDIFF:
    return {VideoKind::AbsDiff, 1};
  case VideoOpcode::VABSDIFF2:
    return {VideoKind::AbsDiff, 2};
  case VideoOpcode::VABSDIFF4:
    return {VideoKind::AbsDiff, 4};
  case VideoOpcode::VMIN:
    return {VideoKind::Min, 1};
  case VideoOpcode::VMIN2:
    return {VideoKind::Min, 2};
  case VideoOpcode::VMIN4:
    return {VideoKind::Min, 4};
  case VideoOpcode::VMAX:
    return {VideoKind::Max, 1};
  case VideoOpcode::VMAX2:
    return {VideoKind::Max, 2};
  case VideoOpcode::VMAX4:
    return {VideoKind::Max, 4};
  case VideoOpcode::VSHL:
    return {VideoKind::ShiftLeft, 1};
  case VideoOpcode::VSHR:
    return {VideoKind::ShiftRight, 1};
  case VideoOpcode::VMAD:
    return {VideoKind::Mad, 1};
  case VideoOpcode::VSET:
    return {VideoKind::Set, 1};
  case VideoOpcode::VSET2:
    return {VideoKind::Set, 2};
  case VideoOpcode::VSET4:
    return {VideoKind::Set, 4};
  }
  llvm_unreachable("all opcodes are listed");
}

static void readTypes(VideoOp op, VideoInstruction &video) {
  auto isSigned = [](ScalarType type) { return type == ScalarType::S32; };
  if (!op.getTy3()) { // vset has no result type
    video.aSigned = isSigned(op.getTy());
    video.bSigned = isSigned(op.getTy2());
    return;
  }
  video.resultSigned = isSigned(op.getTy());
  video.aSigned = isSigned(op.getTy2());
  video.bSigned = isSigned(*op.getTy3());
}

namespace {
/// Operand numbers: all video instructions have their operands in this order.
enum TextOperand { kResult, kA, kB, kC };
} // namespace

static ArrayRef<unsigned> partsOf(VideoOp op, TextOperand operand) {
  std::optional<ArrayAttr> selectors = op.getSelectors();
  return selectors ? cast<SelectorAttr>((*selectors)[operand]).getParts()
                   : ArrayRef<unsigned>();
}

/// For scalar instructions: the selected part, or the whole register.
static BitField fieldOf(VideoOp op, TextOperand operand) {
  ArrayRef<unsigned> parts = partsOf(op, operand);
  if (parts.empty())
    return {};
  unsigned width = cast<SelectorAttr>((*op.getSelectors())[operand]).getWidth();
  return {parts.front() * width, width};
}

/// For SIMD instructions: appends the part of {a, b} that each lane reads, from
/// the lowest lane on; the text begins with the highest one. Without a selector
/// these are the parts from `first` on.
static void readParts(VideoOp op, TextOperand operand, unsigned lanes,
                      unsigned first, SmallVectorImpl<unsigned> &parts) {
  ArrayRef<unsigned> named = partsOf(op, operand);
  for (unsigned lane = 0; lane < lanes; ++lane)
    parts.push_back(named.empty() ? first + lane : named[lanes - 1 - lane]);
}

/// For SIMD instructions: the lanes of the result that the text selects, or
/// all.
static unsigned readLaneMask(VideoOp op, unsigned lanes) {
  ArrayRef<unsigned> named = partsOf(op, kResult);
  unsigned mask = 0;
  for (unsigned lane : named)
    mask |= 1u << lane;
  return named.empty() ? (1u << lanes) - 1 : mask;
}

VideoInstruction VideoOp::getVideo() {
  VideoInstruction video;
  OpcodeMeaning meaning = meaningOf(getOpcode());
  video.kind = meaning.kind;
  video.lanes = meaning.lanes;
  readTypes(*this, video);
  video.saturates = getSat();
  video.shiftMode = getMode().value_or(ShiftMode::Clamp);
  video.compare = getCmp().value_or(Compare::EQ);
  video.plusOne = getPo();
  video.scale = getScale() ? unsigned(*getScale()) : 0;
  if (std::optional<ArrayRef<bool>> negated = getNegated()) {
    video.negateProduct = (*negated)[kA] != (*negated)[kB];
    video.negateC = (*negated)[kC];
  }
  if (video.lanes == 1) {
    video.second = getSecond();
    video.result = fieldOf(*this, kResult);
    video.a = fieldOf(*this, kA);
    video.b = fieldOf(*this, kB);
    return video;
  }
  video.accumulates = getSecond().has_value();
  video.laneMask = readLaneMask(*this, video.lanes);
  readParts(*this, kA, video.lanes, 0, video.aParts);
  readParts(*this, kB, video.lanes, video.lanes, video.bParts);
  return video;
}
