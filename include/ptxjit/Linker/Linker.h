//===- Linker.h - PTX modules that refer to each other ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands between the parser and the passes: what comes out is one module, which
// nobody behind it can tell from one that was written as such.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LINKER_LINKER_H
#define PTXJIT_LINKER_LINKER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "ptxjit/Parser/Parser.h"

namespace ptxjit {

/// Parses the main buffer of `sources`, which holds a PTX module, or several in
/// a linked image (LinkedText.h), and links them. Each module of an image
/// becomes a buffer of its own, so that diagnostics name it.
///
/// A function, variable or kernel whose name is that of something in another
/// module, without being the same, is called `name::N` in the result, N being
/// the number of its module from 1 on; and so in `options.onlyKernel`.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
parseAndLink(llvm::SourceMgr &sources, mlir::MLIRContext *context,
             const ParseOptions &options = {});

/// Makes one module of several, by the rules of linkage:
///
/// - what has none belongs to its module;
/// - `.visible` defines a name, once in all modules;
/// - `.weak` defines it where nobody else does, the first module's for all;
/// - `.common` variables of a name are one, of the largest size;
/// - `.extern` stands for a definition elsewhere of the same signature or size.
///
/// The header is that of the newest version and target, if there is a device
/// that all targets are for. Fails with errors at the declarations that do not
/// agree, and where no module defines what is used.
///
/// ISA: "linking-directives".
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
linkModules(llvm::MutableArrayRef<mlir::OwningOpRef<mlir::ModuleOp>> modules);

/// Moves the places of all ops from the modules of a linked image to the image
/// itself, which has one numbering of lines: line tables know one file. Does
/// nothing where `image` is no linked image.
void placeInImage(mlir::ModuleOp module, llvm::StringRef image,
                  llvm::StringRef imageName);

} // namespace ptxjit

#endif
