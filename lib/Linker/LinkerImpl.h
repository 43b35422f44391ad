//===- LinkerImpl.h - shared by the parts of the linker ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LINKER_LINKERIMPL_H
#define PTXJIT_LIB_LINKER_LINKERIMPL_H

#include "ptxjit/Dialect/PtxOps.h"
#include "ptxjit/Linker/Linker.h"

namespace ptxjit {

/// How a symbol of a module takes part in linking, the weakest first. Local
/// symbols belong to their module.
enum class Linkage { Local, Extern, Weak, Common, Visible };
Linkage linkageOf(mlir::Operation *symbol);

/// Does the function have a body (which the parser may have skipped) or an
/// alias?
bool isDefined(ptx::FuncOp func);

/// Chooses one of two symbols of the same name that both take part in linking,
/// and changes it to suit both. Emits an error at `fresh` and fails if they do
/// not agree.
mlir::FailureOr<mlir::Operation *> merge(mlir::Operation *old,
                                         mlir::Operation *fresh);

/// Emits errors and fails if variables are used that are declared but not
/// defined; with `functions`, also for functions. Bodies that were not parsed
/// count as empty.
mlir::LogicalResult checkResolved(mlir::ModuleOp module, bool functions);

/// Sets the attributes of the linked module `whole` (version, target, address
/// size) from those of its parts. Emits an error and fails if they do not
/// agree.
mlir::LogicalResult
mergeHeaders(llvm::MutableArrayRef<mlir::OwningOpRef<mlir::ModuleOp>> modules,
             mlir::ModuleOp whole);

} // namespace ptxjit

#endif
