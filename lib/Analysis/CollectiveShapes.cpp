//===- CollectiveShapes.cpp - shapes of operations of several threads -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeRules.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

/// The shape of a result that is the same in all lanes of the warp, if
/// `isSame`.
static Shape ofWarp(bool isSame) {
  return isSame ? Shape::uniform(Uniformity::Warp) : Shape();
}

static bool isUniformOrAbsent(Value value, ShapeInference &inference) {
  return !value || inference.get(value).isUniform();
}

static Shape inferBar(BarOp, ShapeInference &) { return ofWarp(true); }
static Shape inferBarrier(BarrierOp, ShapeInference &) { return ofWarp(true); }
static Shape inferAny(AnyOp, ShapeInference &) { return ofWarp(true); }
static Shape inferAll(AllOp, ShapeInference &) { return ofWarp(true); }

/// The lanes that execute it together see the same mask.
static Shape inferActivemask(ActivemaskOp, ShapeInference &) {
  return ofWarp(true);
}

/// The result is uniform if all lanes of the warp read the same lane.
static Shape inferShfl(ShflOp op, ShapeInference &inference) {
  auto clamp = constantOf(op.getC());
  return ofWarp(op.getMode() == ShuffleMode::Idx && clamp &&
                (clamp->getZExtValue() & 0x1f1f) == 0x1f &&
                inference.get(op.getB()).isUniform());
}

static Shape inferVote(VoteOp op, ShapeInference &inference) {
  return ofWarp(isUniformOrAbsent(op.getM(), inference));
}

static Shape inferRedux(ReduxOp op, ShapeInference &inference) {
  return ofWarp(isUniformOrAbsent(op.getM(), inference));
}

/// The result is uniform if one arrival serves for all lanes. (All lanes are in
/// the same phase: by the ISA, no thread arrives in a phase before a thread has
/// seen the phase before it end.)
static Shape inferArrive(MbarrierArriveOp op, ShapeInference &inference) {
  return ofWarp(inference.get(op.getA()).isUniform() && !op.getNoComplete() &&
                isUniformOrAbsent(op.getB(), inference));
}

/// The result is uniform if one test serves for all lanes.
static Shape inferWait(MbarrierWaitOp op, ShapeInference &inference) {
  return ofWarp(inference.get(op.getA()).isUniform() &&
                inference.get(op.getB()).isUniform());
}

void ptxjit::attachCollectiveRules(MLIRContext &context) {
  attachShapeRules<inferActivemask, inferBar, inferBarrier, inferAny, inferAll,
                   inferShfl, inferVote, inferRedux, inferArrive, inferWait>(
      context);
}
