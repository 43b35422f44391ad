//===- MemoryShapes.cpp - shapes of loads and of addresses ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeRange.h"
#include "ShapeRules.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

static Shape inferLd(LdOp op, ShapeInference &inference) {
  const Shape &address = inference.get(op.getA());
  // The same local address is other memory in each thread; an ordered load is
  // made once per lane.
  bool isOrdered = op.getOrder() && *op.getOrder() != Order::Weak;
  if (!address.isUniform() || op.getSpace() == Space::Local || isOrdered)
    return Shape();
  if (op.getSpace() == Space::Param || op.getSpace() == Space::Const)
    return Shape::uniform(address.uniformity);
  return Shape::uniform(std::max(address.uniformity, Uniformity::Warp));
}

static Shape inferCvta(CvtaOp op, ShapeInference &inference) {
  // The window of a thread's local memory moves with the lane.
  if (op.getSpace() == Space::Local)
    return Shape();
  Shape shape = inference.get(op.getA());
  if (op.getSpace() == Space::Global)
    return shape;
  setFullRange(shape, widthOf(op.getD()));
  shape.setKnown(0, 0);
  shape.uniformity = std::max(shape.uniformity, Uniformity::Cta);
  return shape;
}

/// What an op makes of its operands and of what it knows of the CTA, or of the
/// thread's stack, which is not in IR.
static Shape mergeAt(Operation *op, Uniformity least,
                     ShapeInference &inference) {
  Shape shape = inference.merge(op->getOperands());
  shape.uniformity = std::max(shape.uniformity, least);
  return shape;
}
static Shape inferMapa(MapaOp op, ShapeInference &inference) {
  return mergeAt(op, Uniformity::Cta, inference);
}
static Shape inferGetCtaRank(GetCtaRankOp op, ShapeInference &inference) {
  return mergeAt(op, Uniformity::Cta, inference);
}
static Shape inferIsSpacep(IsSpacepOp op, ShapeInference &inference) {
  return mergeAt(op, Uniformity::Warp, inference);
}

void ptxjit::attachMemoryRules(MLIRContext &context) {
  attachShapeRules<inferLd, inferCvta, inferMapa, inferGetCtaRank,
                   inferIsSpacep>(context);
}
