//===- TensorCopy.cpp - decodes the attributes of tensor copies -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The op definitions of PtxTensorCopy.td, and the descriptions of TensorCopy.h.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Dialect/TensorCopy.h"
#include "ptxjit/Dialect/PtxOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace ptxjit::ptx;

#define GET_OP_CLASSES
#include "ptxjit/Dialect/PtxTensorCopy.cpp.inc"

namespace {
/// Takes operands in the order of the text.
struct OperandReader {
  ValueRange rest;
  ValueRange takeMany(unsigned count) {
    ValueRange taken = rest.take_front(count);
    rest = rest.drop_front(count);
    return taken;
  }
  Value take() { return takeMany(1).front(); }
};
} // namespace

static unsigned countCoordinates(const TensorCopy &copy) {
  bool isByRow =
      copy.mode == TensorMode::Gather4 || copy.mode == TensorMode::Scatter4;
  return isByRow ? 5 : copy.dims;
}

static unsigned countOffsets(const TensorCopy &copy) {
  switch (copy.mode) {
  case TensorMode::Im2col:
    return copy.dims - 2;
  case TensorMode::Im2colW:
  case TensorMode::Im2colW128:
    return 2;
  default:
    return 0;
  }
}

TensorCopy TensorLoadOp::getCopy() {
  TensorCopy copy;
  copy.mode = getMode();
  copy.dims = unsigned(getDim());
  copy.isForPair = getGroup() == CtaGroup::Two;
  OperandReader reader{getInputs()};
  copy.shared = reader.take();
  copy.map = reader.take();
  copy.coordinates = reader.takeMany(countCoordinates(copy));
  copy.mbarrier = reader.take();
  copy.offsets = reader.takeMany(countOffsets(copy));
  if (getMulticast())
    copy.ctas = reader.take();
  return copy;
}

template <typename StoreLikeOp>
static TensorCopy describeStore(StoreLikeOp op) {
  TensorCopy copy;
  copy.mode = op.getMode();
  copy.dims = unsigned(op.getDim());
  OperandReader reader{op.getInputs()};
  copy.map = reader.take();
  copy.coordinates = reader.takeMany(countCoordinates(copy));
  copy.shared = reader.take();
  return copy;
}
TensorCopy TensorStoreOp::getCopy() { return describeStore(*this); }
TensorCopy TensorReduceOp::getCopy() { return describeStore(*this); }
