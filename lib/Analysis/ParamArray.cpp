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
                                               Value element,
                                               const ShapeAnalysis &shapes) {
  if (space && *space != Space::Global && *space != Space::Generic)
    return std::nullopt;
  auto load = findAlignmentRoot(address, bytesOfElement(element), shapes)
                  .getDefiningOp<LdOp>();
  if (!load || load.getSpace() != Space::Param || load.getD().size() != 1 ||
      !load.getD().front().getType().isInteger(64))
    return std::nullopt;
  auto formal = load.getA().getDefiningOp<ParamAddressOp>();
  if (!formal || formal.getIsResult())
    return std::nullopt;
  auto param = cast<ParamAttr>(func.getParams()[formal.getIndex()]);
  return uint32_t(param.getOffset() + int64_t(load.getOffset()));
}

std::optional<unsigned> ParamArrayAccesses::arrayOf(Operation *access) const {
  auto found = accesses.find(access);
  return found == accesses.end() ? std::nullopt : std::optional(found->second);
}

ParamArray *ParamArrayAccesses::add(Operation *access, uint32_t param,
                                    uint32_t bytesPerThread) {
  auto *found = llvm::find_if(
      arrays, [&](const ParamArray &array) { return array.param == param; });
  bool isNew = found == arrays.end();
  if (isNew && arrays.size() == kMostParamArrays)
    return nullptr;
  if (isNew) {
    arrays.push_back({param, bytesPerThread});
    found = &arrays.back();
  }
  accesses[access] = unsigned(found - arrays.begin());
  return found;
}
