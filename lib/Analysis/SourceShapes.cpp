//===- SourceShapes.cpp - shapes of registers, addresses, masks -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeRules.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

/// The limit of CTAs in y and z; the runtime refuses larger grids.
static constexpr int64_t kMostCtas = 65535;
/// The end of all `.shared` addresses: 16 CTAs in a cluster, 24 bits of offset.
static constexpr int64_t kSharedEnd = int64_t(16) << 24;

static Shape inferTid(unsigned dim, ShapeInference &inference) {
  const ShapeContext &context = inference.getContext();
  if (context.anyBlock && context.lanes == 1)
    return Shape::uniform(Uniformity::Warp, 0, context.block[dim] - 1);
  assert((!context.anyBlock || context.block[1] == 1) &&
         "lanes of any block have no pattern but those of one row");
  Shape shape;
  unsigned warps = context.warps(), lanes = context.lanes;
  LanePattern pattern{};
  unsigned first = getTid(context, dim, 0);
  for (unsigned i = 0; i < 32; ++i)
    pattern[i] = int64_t(getTid(context, dim, i % lanes)) - first;
  bool same = true, baseSame = true;
  shape.min = INT64_MAX;
  shape.max = INT64_MIN;
  shape.setKnown(63, first);
  for (unsigned w = 0; w < warps; ++w) {
    unsigned base = getTid(context, dim, w * lanes);
    baseSame &= base == first;
    if (base != first)
      shape.setKnown(
          std::min<unsigned>(shape.knownBits, llvm::countr_zero(base ^ first)),
          first);
    for (unsigned i = 0; i < lanes; ++i) {
      int64_t tid = getTid(context, dim, w * lanes + i);
      shape.min = std::min(shape.min, tid);
      shape.max = std::max(shape.max, tid);
      same &= tid - base == pattern[i];
    }
  }
  if (!same)
    return shape;
  shape.uniformity = baseSame ? Uniformity::Grid : Uniformity::Warp;
  shape.pattern = inference.intern(pattern);
  return shape;
}

static Shape inferSReg(SRegOp op, ShapeInference &inference) {
  const ShapeContext &context = inference.getContext();
  SpecialRegister reg = op.getReg();
  auto dimOf = [&](SpecialRegister x) { return unsigned(reg) - unsigned(x); };
  switch (reg) {
  case SpecialRegister::TidX:
  case SpecialRegister::TidY:
  case SpecialRegister::TidZ:
    return inferTid(dimOf(SpecialRegister::TidX), inference);
  case SpecialRegister::NtidX:
  case SpecialRegister::NtidY:
  case SpecialRegister::NtidZ: {
    int64_t n = context.block[dimOf(SpecialRegister::NtidX)];
    return context.anyBlock ? Shape::uniform(Uniformity::Grid, 1, n)
                            : Shape::known(n);
  }
  case SpecialRegister::CtaidX:
  case SpecialRegister::CtaidY:
  case SpecialRegister::CtaidZ: {
    int64_t limit = int64_t(1) << 31;
    if (context.smallGrid && !context.anyBlock)
      limit /= context.block[dimOf(SpecialRegister::CtaidX)];
    if (reg != SpecialRegister::CtaidX)
      limit = std::min(limit, kMostCtas);
    return Shape::uniform(Uniformity::Cta, 0, limit - 1);
  }
  case SpecialRegister::NctaidX:
  case SpecialRegister::NctaidY:
  case SpecialRegister::NctaidZ:
    return Shape::uniform(Uniformity::Grid, 1,
                          reg == SpecialRegister::NctaidX ? INT32_MAX
                                                          : kMostCtas);
  case SpecialRegister::LaneId: {
    LanePattern pattern;
    for (unsigned i = 0; i < 32; ++i)
      pattern[i] = i;
    Shape shape = Shape::uniform(Uniformity::Grid, 0, 31);
    shape.setKnown(63, 0);
    shape.pattern = inference.intern(pattern);
    return shape;
  }
  case SpecialRegister::WarpId:
    return Shape::uniform(Uniformity::Warp, 0, 31);
  case SpecialRegister::NWarpId: {
    int64_t n = (context.threads() + 31) / 32;
    return context.anyBlock ? Shape::uniform(Uniformity::Grid, 1, n)
                            : Shape::known(n);
  }
  case SpecialRegister::LanemaskEq:
  case SpecialRegister::LanemaskLe:
  case SpecialRegister::LanemaskLt:
  case SpecialRegister::LanemaskGe:
  case SpecialRegister::LanemaskGt:
    return Shape();
  default:
    return Shape::uniform(Uniformity::Warp);
  }
}

/// Addresses in the shared, local and param windows are small numbers. Their
/// bounds show that sums with an index do not wrap around in 32 bits.
static Shape inferAddressOf(AddressOfOp op, ShapeInference &inference) {
  VarOp var = inference.variables.find(op);
  bool inWindow =
      var && var.getSpace() != Space::Global && var.getSpace() != Space::Const;
  // The high bits of a shared address are the rank of the CTA in its cluster.
  Shape shape = inWindow && var.getSpace() == Space::Shared
                    ? Shape::uniform(Uniformity::Cta, 0, kSharedEnd)
                : inWindow ? Shape::uniform(Uniformity::Grid, 0, 1 << 24)
                           : Shape::uniform(Uniformity::Grid);
  if (var && var.getAlign() > 0)
    shape.setKnown(llvm::countr_zero(uint64_t(var.getAlign())), 0);
  return shape;
}

static Shape inferParamAddress(ParamAddressOp, ShapeInference &) {
  return Shape::uniform(Uniformity::Grid, 0, 1 << 16);
}
static Shape inferUndef(UndefOp, ShapeInference &) { return Shape::known(0); }

static Shape inferTurn(TurnOp, ShapeInference &) {
  return Shape::uniform(Uniformity::Grid);
}

static Shape inferEntryMask(EntryMaskOp, ShapeInference &inference) {
  return inference.getContext().partialWarp()
             ? Shape()
             : Shape::uniform(Uniformity::Grid);
}

void ptxjit::attachSourceRules(MLIRContext &context) {
  attachShapeRules<inferSReg, inferAddressOf, inferParamAddress, inferUndef,
                   inferTurn, inferEntryMask>(context);
}
