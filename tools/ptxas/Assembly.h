//===- Assembly.h - checks texts and links them -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work of ptxas, but for its options and files. What NVIDIA's makes of a
// text is machine code; what this makes of it is the text, once it is known to
// be right.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_PTXAS_ASSEMBLY_H
#define PTXJIT_TOOLS_PTXAS_ASSEMBLY_H

#include "Options.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "ptxjit/Runtime/LinkedText.h"

namespace ptxjit::ptxas {

class Assembly {
public:
  Assembly(const Options &options, Messages &messages);

  /// Reads a text with all its bodies, and says what is wrong with it.
  void add(llvm::StringRef name, llvm::StringRef text);

  /// After the last text. \returns whether they are one module for the device
  /// that is named, which getText() then holds.
  bool finish();
  llvm::StringRef getText() const { return whole; }

private:
  void say(const mlir::Diagnostic &diagnostic);
  void link();
  Place findPlace(mlir::Location loc) const;
  bool fitsDevice();
  bool hasEntries();
  void warn();
  void describe();
  void describeVariables();

  const Options &options;
  Messages &messages;
  mlir::MLIRContext context;
  mlir::ScopedDiagnosticHandler handler;
  llvm::SmallVector<NamedText> texts;
  llvm::SmallVector<mlir::OwningOpRef<mlir::ModuleOp>> modules;
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< of all; null after errors
  std::string whole;
  double milliseconds = 0; ///< that parsing and linking have taken
};

} // namespace ptxjit::ptxas

#endif
