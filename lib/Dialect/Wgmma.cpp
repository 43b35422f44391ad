//===- Wgmma.cpp - decodes warpgroup multiplications ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Dialect/Wgmma.h"
#include "ptxjit/Dialect/PtxOps.h"

using namespace mlir;
using namespace ptxjit::ptx;

unsigned WgmmaMultiply::bits() const { return getElementBits(typeOfA); }

WgmmaMultiply WgmmaOp::getMultiply() {
  WgmmaMultiply multiply;
  MatrixExtents extents = getExtents(getShape());
  multiply.n = extents.n;
  multiply.k = extents.k;
  multiply.typeOfD = getTy();
  multiply.typeOfA = getTy2();
  multiply.typeOfB = getTy3();
  multiply.isSparse = getSparse().has_value();
  multiply.saturates = getSatfinite();

  ValueRange rest = getInputs();
  auto takeMany = [&](unsigned count) {
    ValueRange taken = rest.take_front(count);
    rest = rest.drop_front(count);
    return taken;
  };
  auto take = [&] { return takeMany(1).front(); };
  multiply.c = takeMany(getD().size());
  if (rest.front().getType().isInteger(64))
    multiply.descriptorOfA = take();
  else
    multiply.a = takeMany(4);
  multiply.descriptorOfB = take();
  if (multiply.isSparse) {
    multiply.metadata = take();
    multiply.selector = take();
  }
  multiply.accumulates = take();
  if (rest.empty())
    return multiply;
  multiply.factorOfA = take();
  multiply.factorOfB = take();
  if (rest.size() == 2)
    multiply.layoutOfA = take();
  if (!rest.empty())
    multiply.layoutOfB = take();
  return multiply;
}
