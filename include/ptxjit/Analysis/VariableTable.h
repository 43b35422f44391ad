//===- VariableTable.h - variables by name ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_ANALYSIS_VARIABLETABLE_H
#define PTXJIT_ANALYSIS_VARIABLETABLE_H

#include "ptxjit/Dialect/PtxOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

namespace ptxjit {

/// Finds the variables whose addresses ops take. Modules have thousands of
/// variables, and MLIR's own lookup goes through all symbols each time; here
/// the first one does.
class VariableTable {
public:
  /// \returns null if it is the address of a function. \pre `op` is in the same
  /// module as those that were asked for before, which has not changed.
  ptx::VarOp find(ptx::AddressOfOp op) {
    if (variables.empty())
      for (auto var :
           op->getParentOfType<mlir::ModuleOp>().getOps<ptx::VarOp>())
        variables[var.getSymNameAttr()] = var;
    return variables.lookup(op.getSymbolAttr().getAttr());
  }

private:
  llvm::DenseMap<mlir::StringAttr, ptx::VarOp> variables;
};

} // namespace ptxjit

#endif
