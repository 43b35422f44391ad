//===- Assembly.h - checks and links PTX texts ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work of ptxas without its options and files. NVIDIA's ptxas makes machine
// code of a text. This one makes nothing: it returns the text once it is
// checked.
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
  Assembly(const tools::CommandLine &options, tools::Messages &messages);

  /// Parses a text with all its bodies and reports its errors.
  void add(llvm::StringRef name, llvm::StringRef text);

  /// Call this after the last text. \returns whether all texts form one module
  /// for the device that the options name; if so getText() returns that module.
  bool finish();
  llvm::StringRef getText() const { return whole; }

private:
  void say(const mlir::Diagnostic &diagnostic);
  void link();
  tools::Place findPlace(mlir::Location loc) const;
  bool fitsDevice();
  bool hasEntries();
  void warn();
  void describe();
  void describeVariables();

  const tools::CommandLine &options;
  tools::Messages &messages;
  mlir::MLIRContext context;
  mlir::ScopedDiagnosticHandler handler;
  llvm::SmallVector<NamedText> texts;
  llvm::SmallVector<mlir::OwningOpRef<mlir::ModuleOp>> modules;
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< all texts; null after errors
  std::string whole;
  double milliseconds = 0; ///< spent on parsing and linking
};

} // namespace ptxjit::ptxas

#endif
