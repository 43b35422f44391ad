//===- Linker.h - links PTX modules into one --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The linker stands between the parser and the passes. It merges the IR of PTX
// modules that refer to each other into one module, which looks like a module
// that was written as one.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LINKER_LINKER_H
#define PTXJIT_LINKER_LINKER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "ptxjit/Parser/Parser.h"

namespace ptxjit {

/// Parses the main buffer of `sources`, which holds one PTX module or a linked
/// image of several (LinkedText.h), and links the modules. Each module of an
/// image becomes a buffer of its own, so that diagnostics name the module.
///
/// A function, variable or kernel that belongs to one module, but whose name
/// other modules have as well, is called `name::N` in the result. N is the
/// number of its module, counted from 1. `options.onlyKernel` uses these names.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
parseAndLink(llvm::SourceMgr &sources, mlir::MLIRContext *context,
             const ParseOptions &options = {});

/// Links several modules into one, by the rules of linkage:
///
/// - a symbol without linkage belongs to its module;
/// - `.visible` defines a name; only one module may do so;
/// - `.weak` defines a name if no `.visible` or `.common` symbol does; the
///   first weak definition is used in all modules;
/// - `.common` variables of one name become one variable of the largest size;
/// - `.extern` stands for a definition in another module that has the same
///   signature or size.
///
/// The result has the newest version and target of all modules. Emits errors
/// and fails if declarations of a name do not agree, if a used name is not
/// defined in any module, or if no device can run all the targets.
///
/// ISA: "linking-directives".
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
linkModules(llvm::MutableArrayRef<mlir::OwningOpRef<mlir::ModuleOp>> modules);

/// Changes the locations of all ops from lines of a linked image's modules to
/// lines of the whole image, because a line table knows only one file. Does
/// nothing if `image` is not a linked image.
void placeInImage(mlir::ModuleOp module, llvm::StringRef image,
                  llvm::StringRef imageName);

} // namespace ptxjit

#endif
