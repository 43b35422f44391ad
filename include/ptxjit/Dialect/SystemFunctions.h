//===- SystemFunctions.h - functions of the runtime -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_SYSTEMFUNCTIONS_H
#define PTXJIT_DIALECT_SYSTEMFUNCTIONS_H

#include "ptxjit/Dialect/PtxOps.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace ptxjit::ptx {

/// A function that the runtime supplies; programs only declare it.
struct SystemFunction {
  static constexpr int64_t kPointer = 0; ///< stands for the size of an address

  llvm::StringRef name;
  unsigned number; ///< a PtxjitSystemFunction (KernelABI.h)
  llvm::SmallVector<int64_t, 8> params, results; ///< their sizes in bytes

  /// Does `func` have the parameters and results of the function?
  bool isDeclaredBy(FuncOp func) const;
};

/// Does the module use addresses of 4 bytes?
bool hasNarrowAddresses(mlir::Operation *inModule);

/// Null if the runtime has no function of that name.
const SystemFunction *findSystemFunction(llvm::StringRef name);

} // namespace ptxjit::ptx

#endif
