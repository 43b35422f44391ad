//===- LinkerImpl.h - what the parts of the linker share --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LINKER_LINKERIMPL_H
#define PTXJIT_LIB_LINKER_LINKERIMPL_H

#include "ptxjit/Dialect/PtxOps.h"
#include "ptxjit/Linker/Linker.h"

namespace ptxjit {

/// How a name of a module takes part in linking, the weakest first.
enum class Linkage { Local, Extern, Weak, Common, Visible };
Linkage linkageOf(mlir::Operation *symbol);

/// Is there a body, though the parser may have skipped it?
bool isDefined(ptx::FuncOp func);

/// Of two symbols of one name that both take part in linking, the one that
/// stays, changed to suit both. Fails with an error at `fresh` if they do not
/// agree.
mlir::FailureOr<mlir::Operation *> merge(mlir::Operation *old,
                                         mlir::Operation *fresh);

/// Fails where a variable is used that no module defines, and so of functions
/// if these are asked for. Bodies that were not read use nothing.
mlir::LogicalResult checkResolved(mlir::ModuleOp module, bool functions);

/// The attributes of a linked module, from those of its parts.
mlir::LogicalResult
mergeHeaders(llvm::MutableArrayRef<mlir::OwningOpRef<mlir::ModuleOp>> modules,
             mlir::ModuleOp whole);

} // namespace ptxjit

#endif
