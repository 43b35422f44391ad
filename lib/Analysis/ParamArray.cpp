//===- ParamArray.cpp - arrays behind pointer parameters ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Analysis/ParamArray.h"
#include "ptxjit/Analysis/AlignmentRoot.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

std::optional<uint32_t> ptxjit::findParamArray(FuncOp func, Value address,
                                               std::optional<Space> space,
                                               uint64_t bytes,
                                               const ShapeAnalysis &shapes) {
  if (space && *space != Space::Global && *space != Space::Generic)
    return std::nullopt;
  auto load = findAlignmentRoot(address, bytes, shapes).getDefiningOp<LdOp>();
  if (!load || load.getSpace() != Space::Param || load.getD().size() != 1 ||
      !load.getD().front().getType().isInteger(64))
    return std::nullopt;
  auto formal = load.getA().getDefiningOp<ParamAddressOp>();
  if (!formal || formal.getIsResult())
    return std::nullopt;
  auto param = cast<ParamAttr>(func.getParams()[formal.getIndex()]);
  return uint32_t(param.getOffset() + int64_t(load.getOffset()));
}
