//===- SystemFunctions.cpp - functions of the runtime ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Dialect/SystemFunctions.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLExtras.h"

#include <vector>

using namespace ptxjit;
using namespace ptxjit::ptx;

/// How the table writes the size of an address, and a missing result.
static constexpr int64_t POINTER = SystemFunction::kPointer, NOTHING = -1;

static SystemFunction make(llvm::StringRef name, unsigned number,
                           int64_t result, llvm::ArrayRef<int64_t> params) {
  SystemFunction function{
      name, number, llvm::SmallVector<int64_t, 8>(params), {}};
  if (result != NOTHING)
    function.results.push_back(result);
  return function;
}

static std::vector<SystemFunction> makeAll() {
  std::vector<SystemFunction> all;
#define SYSTEM_FUNCTION(id, name, result, ...)                                 \
  all.push_back(make(#name, unsigned(all.size()), result, {__VA_ARGS__}));
#include "ptxjit/Runtime/SystemFunctions.def"
#undef SYSTEM_FUNCTION
  return all;
}

const SystemFunction *ptxjit::ptx::findSystemFunction(llvm::StringRef name) {
  static const std::vector<SystemFunction> functions = makeAll();
  name.consume_back("_ptsz");
  auto it = llvm::find_if(
      functions, [&](const SystemFunction &f) { return f.name == name; });
  return it == functions.end() ? nullptr : &*it;
}

bool ptxjit::ptx::hasNarrowAddresses(mlir::Operation *inModule) {
  auto module = inModule->getParentOfType<mlir::ModuleOp>();
  auto size = module->getAttrOfType<mlir::IntegerAttr>(kAddressSizeAttr);
  return size && size.getInt() == 32;
}

bool SystemFunction::isDeclaredBy(FuncOp func) const {
  int64_t pointer = hasNarrowAddresses(func) ? 4 : 8;
  auto areOf = [&](mlir::ArrayAttr formals, llvm::ArrayRef<int64_t> bytes) {
    return llvm::equal(formals.getAsRange<ParamAttr>(), bytes,
                       [&](ParamAttr formal, int64_t n) {
                         return formal.getBytes() ==
                                (n == kPointer ? pointer : n);
                       });
  };
  return areOf(func.getParams(), params) && areOf(func.getResults(), results);
}
