//===- MemoryShapes.cpp - shapes of loads and of addresses ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeRange.h"
#include "ShapeRules.h"
#include "ptxjit/Dialect/FormTable.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

static Shape inferLd(LdOp op, ShapeInference &inference) {
  const Shape &address = inference.get(op.getA());
  // A local address is different memory in each thread. An ordered load is
  // executed once for each lane.
  bool isOrdered = !isWeak(op.getOrder());
  if (!address.isUniform() || op.getSpace() == Space::Local || isOrdered)
    return Shape();
  if (op.getSpace() == Space::Param || op.getSpace() == Space::Const)
    return Shape::uniform(address.uniformity);
  return Shape::uniform(std::max(address.uniformity, Uniformity::Warp));
}

static Shape inferCvta(CvtaOp op, ShapeInference &inference) {
  // Each lane has its own window of local memory.
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

/// The shape of a lane-wise op whose result also depends on the CTA or the
/// thread's stack, which are not in IR. \param least  the result is the same at
/// most for this set of threads.
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
