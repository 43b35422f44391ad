//===- Compilation.h - one run of the compiler ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_JIT_COMPILATION_H
#define PTXJIT_LIB_JIT_COMPILATION_H

#include "ParsedModule.h"
#include "ptxjit/Analysis/ExecutionMode.h"
#include "ptxjit/JIT/Compiler.h"
#include "ptxjit/JIT/Remarks.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include <chrono>

namespace ptxjit {

/// Measures the stages of a compilation.
class Stopwatch {
public:
  /// \returns the milliseconds since the last call, or since the beginning.
  double lap() {
    auto now = std::chrono::steady_clock::now();
    double ms = std::chrono::duration<double, std::milli>(now - last).count();
    last = now;
    return ms;
  }

private:
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
};

/// A compiled kernel of the C interface, with the memory it points to.
struct ImageStorage : PtxjitImage {
  ImageStorage() : PtxjitImage{} {}

  std::string reasonText, kernelName, symbolName, featureNames;
  llvm::SmallVector<char> objectFile;
  std::vector<PtxjitLine> lineTable;
  std::vector<PtxjitParamArray> paramArrays;
  std::unique_ptr<LoadedCode> code;
  VariableList variables;
};

/// A kernel's vector code has so many ops that LLVM would take minutes. The
/// kernel can be compiled for one thread at a time.
class CodeTooLarge : public llvm::ErrorInfo<CodeTooLarge> {
public:
  static char ID;
  void log(llvm::raw_ostream &os) const override {
    os << "the vector code is too large";
  }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }
};

/// One run of the compiler, which may stop behind a stage to show its result.
/// It is abandoned, and so must be on the heap, if the run ends with
/// CompilerGaveUp.
class Compilation {
public:
  Compilation(const PtxjitModule &module, llvm::StringRef kernel,
              const PtxjitSpecialization &spec, PtxjitSink diagnostics)
      : spec(spec), module(module), kernel(kernel), diagnostics(diagnostics) {}

  // What is wanted.
  PtxjitSpecialization spec;
  /// Stage whose text is wanted; empty: compile to machine code in `object`.
  llvm::StringRef stopAt;
  /// Is filled in as far as it is known without loading the code; may be null.
  ImageStorage *image = nullptr;
  /// LLVM failed before, with other code for the kernel.
  bool isFallback = false;
  /// Vector code was too large: code for one thread at a time.
  bool isTooLarge = false;
  /// The code need not run on this machine.
  bool isTranslation = false;

  /// \returns CodeTooLarge if vector code is, and `isTooLarge` may be set.
  llvm::Error run();

  // What was made.
  std::string text;
  llvm::SmallVector<char> object;
  uint64_t stackBytes = 0; ///< of the object's functions (generateCode)
  PtxjitCompileTimes times{};

  /// The symbol of the kernel's code in `object`.
  std::string symbol() const { return "ptxjit_kernel." + kernel.str(); }
  llvm::StringRef kernelName() const { return kernel; }

private:
  bool stop(llvm::StringRef stage, mlir::ModuleOp ir);
  bool showRemarks();
  void tell(const char *stage);
  void injectFailure(llvm::StringRef stage);

  llvm::Error runStages(Session &session, mlir::ModuleOp ir,
                        const CpuTarget &cpu, bool isScalar, bool &stopped);
  llvm::Error runLLVM(mlir::ModuleOp ir, const CpuTarget &cpu);
  bool chooseScalar(mlir::ModuleOp ir);
  ModeChoice chooseMode(ptx::FuncOp func, const KernelTarget &target);
  bool narrow(mlir::ModuleOp ir, KernelTarget &target);
  void describeMode(mlir::ModuleOp ir, const ModeChoice &choice);
  void describeMemory(mlir::ModuleOp ir, ptx::FuncOp func,
                      const CpuTarget &cpu);
  void describeCode(mlir::ModuleOp ir);

  const PtxjitModule &module;
  llvm::StringRef kernel;
  PtxjitSink diagnostics;
  RemarkList remarks; ///< filled for the stages made of remarks
  /// Whether the kernel may be compiled for one thread at a time.
  bool mayBeScalar = false;
  /// Whether it is.
  bool perThread = false;
};

/// Sets who is told of the stages of compilations that make images; null:
/// nobody.
void setStageListener(PtxjitStageFn function);

} // namespace ptxjit

#endif
