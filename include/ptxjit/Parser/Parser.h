//===- Parser.h - PTX text to the ptx dialect -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_PARSER_PARSER_H
#define PTXJIT_PARSER_PARSER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class SourceMgr;
}

namespace ptxjit {

/// How deep to read a module.
struct ParseOptions {
  /// Off: declarations and signatures only (the outline). Of bodies only
  /// braces, strings, comments and characters are looked at. Functions then
  /// look like declarations with the unit attribute `ptx.outlined`.
  bool bodies = true;
  /// If not empty, only this kernel's body is read, and those of `.func`s.
  llvm::StringRef onlyKernel;
  /// 32 or 64: of texts that do not say (`.address_size`). 0: 32 if any
  /// register of that width addresses global memory or a function, else 64.
  unsigned addressSize = 0;
  /// Which buffer of the sources holds the module; 0: the main one.
  unsigned buffer = 0;
  /// How many errors to report before giving up.
  unsigned maxErrors = 20;
};

/// Parses a buffer of `sources` into a module of the `ptx` dialect.
/// Every op carries its place in the text, so `sources` should live as long as
/// diagnostics may be printed. On malformed or unsupported input emits at least
/// one error through the context's diagnostic engine and fails; never aborts.
///
/// ISA: "syntax", "directives".
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
parsePtx(llvm::SourceMgr &sources, mlir::MLIRContext *context,
         const ParseOptions &options = {});

/// Loads the dialects that parsed modules are made of.
void loadParserDialects(mlir::MLIRContext &context);

} // namespace ptxjit

#endif
