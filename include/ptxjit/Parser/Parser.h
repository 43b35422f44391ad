//===- Parser.h - parses PTX text to the ptx dialect ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_PARSER_PARSER_H
#define PTXJIT_PARSER_PARSER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace ptxjit {

/// Where the body of a function ends.
struct BodyEnd {
  uint64_t offset = 0; ///< behind the closing brace
  unsigned line = 0;   ///< from 1 on
};
/// The ends of bodies, by the buffer of a text and the offset of the opening
/// brace in it.
using BodyEnds = llvm::DenseMap<std::pair<unsigned, uint64_t>, BodyEnd>;

/// Which parts of a module to read, and how.
struct ParseOptions {
  /// If false, reads only declarations and signatures (the outline). Bodies are
  /// checked for braces, strings, comments and valid characters only. Functions
  /// with a skipped body have no body in IR and get the unit attribute
  /// `ptx.outlined`.
  bool bodies = true;
  /// If not empty, reads only the bodies of this kernel and of the functions
  /// that it may call; of all functions, if it calls an address without telling
  /// what that may be.
  llvm::StringRef onlyKernel;
  /// Reads the bodies of functions that `onlyKernel` does not call, too: other
  /// modules may.
  bool allFunctions = false;
  /// If not null, gets the ends of the bodies that are skipped.
  BodyEnds *newEnds = nullptr;
  /// If not null, the ends that an earlier, successful parse of the same text
  /// has found. These bodies are not looked at again to skip them.
  const BodyEnds *knownEnds = nullptr;
  /// The address size (32 or 64) of a text without `.address_size`. 0: 32 if a
  /// 32-bit register addresses global memory or a function, else 64.
  unsigned addressSize = 0;
  /// The buffer of the sources that holds the module; 0: the main buffer.
  unsigned buffer = 0;
  /// The number of errors to report before giving up.
  unsigned maxErrors = 20;
};

/// Parses a buffer of `sources` into a module of the `ptx` dialect. Every op
/// has its location in the text, so `sources` should live as long as
/// diagnostics may be printed. On malformed or unsupported input, emits at
/// least one error through the context's diagnostic engine and fails; never
/// aborts.
///
/// ISA: "syntax", "directives".
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
parsePtx(llvm::SourceMgr &sources, mlir::MLIRContext *context,
         const ParseOptions &options = {});

/// Loads the dialects that parsed modules use.
void loadParserDialects(mlir::MLIRContext &context);

} // namespace ptxjit

#endif
