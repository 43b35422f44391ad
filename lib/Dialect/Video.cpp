//===- Video.cpp - what a video instruction does --------------------------===//

#include "ptxjit/Dialect/Video.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace ptxjit::ptx;
using llvm::StringRef;

static VideoKind kindOf(StringRef name) {
  return llvm::StringSwitch<VideoKind>(name)
      .Case("vadd", VideoKind::Add)
      .Case("vsub", VideoKind::Sub)
      .Case("vavrg", VideoKind::Average)
      .Case("vabsdiff", VideoKind::AbsDiff)
      .Case("vmin", VideoKind::Min)
      .Case("vmax", VideoKind::Max)
      .Case("vshl", VideoKind::ShiftLeft)
      .Case("vshr", VideoKind::ShiftRight)
      .Case("vmad", VideoKind::Mad)
      .Default(VideoKind::Set);
}

/// ".b2" and ".h1"; nothing is the whole register.
static BitField fieldOf(StringRef selector) {
  if (!selector.consume_front("."))
    return {};
  unsigned width = selector.front() == 'b' ? 8 : 16;
  return {unsigned(selector.back() - '0') * width, width};
}

/// ".h10": the digits from the last on.
static void readParts(StringRef selector, unsigned lanes, unsigned first,
                      SmallVectorImpl<unsigned> &parts) {
  for (unsigned i = 0; i < lanes; ++i)
    parts.push_back(selector.empty()
                        ? first + i
                        : unsigned(selector[selector.size() - 1 - i] - '0'));
}

static unsigned readMask(StringRef selector, unsigned lanes) {
  if (selector.empty())
    return (1u << lanes) - 1;
  unsigned mask = 0;
  for (char digit : selector.drop_front(2))
    mask |= 1u << (digit - '0');
  return mask;
}

static void readModifiers(ArrayRef<StringRef> tokens, VideoInstruction &video) {
  SmallVector<bool, 3> isSigned;
  for (StringRef token : tokens) {
    if (token == "u32" || token == "s32") {
      isSigned.push_back(token == "s32");
    } else if (token == "add" && video.lanes > 1) {
      video.accumulates = true;
    } else if (token == "add" || token == "min" || token == "max") {
      video.second = *symbolizeAtomicOp(token);
    } else if (token == "wrap") {
      video.shiftMode = ShiftMode::Wrap;
    } else if (token == "shr7" || token == "shr15") {
      video.scale = token == "shr7" ? 7 : 15;
    } else if (auto compare = symbolizeCompare(token)) {
      video.compare = *compare;
    }
    video.saturates |= token == "sat";
    video.plusOne |= token == "po";
  }
  // vset has no type of its result.
  if (video.kind == VideoKind::Set)
    isSigned.insert(isSigned.begin(), false);
  video.resultSigned = isSigned[0];
  video.aSigned = isSigned[1];
  video.bSigned = isSigned[2];
}

VideoInstruction ptxjit::ptx::decodeVideo(VideoOp op) {
  SmallVector<StringRef, 8> tokens;
  op.getInstruction().split(tokens, '.');
  StringRef name = tokens.front();
  VideoInstruction video;
  video.lanes = name.consume_back("4") ? 4 : name.consume_back("2") ? 2 : 1;
  video.kind = kindOf(name);
  readModifiers(ArrayRef(tokens).drop_front(), video);
  StringRef notes[4];
  if (ArrayAttr list = op.getNotesAttr())
    for (auto [note, attr] : llvm::zip(notes, list))
      note = cast<StringAttr>(attr).getValue();
  video.negateProduct =
      notes[1].consume_front("-") != notes[2].consume_front("-");
  video.negateC = notes[3].consume_front("-");
  if (video.lanes == 1) {
    video.result = fieldOf(notes[0]);
    video.a = fieldOf(notes[1]);
    video.b = fieldOf(notes[2]);
    return video;
  }
  video.laneMask = readMask(notes[0], video.lanes);
  readParts(notes[1], video.lanes, 0, video.aParts);
  readParts(notes[2], video.lanes, video.lanes, video.bParts);
  return video;
}
