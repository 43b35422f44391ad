//===- Assembly.h - checks texts and joins them -----------------*- C++ -*-===//
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
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

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
  /// A text that is parsed: inputs, each from a line on.
  struct Source {
    llvm::StringRef text;
    llvm::ArrayRef<std::string> names;
    std::vector<unsigned> firstLines;
  };

  void parse(Source parts);
  Place findPlace(mlir::Location loc) const;
  bool fitsDevice();
  bool hasEntries();
  void warn();
  void describe();
  void describeVariables();

  const Options &options;
  Messages &messages;
  mlir::MLIRContext context;
  std::vector<std::string> names, texts;
  std::string whole;
  Source source; ///< what was parsed last, of `texts` or `whole`
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< of it; null after errors
  double milliseconds = 0;                  ///< that parsing has taken
};

} // namespace ptxjit::ptxas

#endif
