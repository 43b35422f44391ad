//===- Compiler.h - kernel to machine code ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages of the compiler in order, from parsed module to an object and to
// runnable code. Compiled code has no undefined symbols: all data is reached
// through the kernel context.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_JIT_COMPILER_H
#define PTXJIT_JIT_COMPILER_H

#include "ptxjit/Lowering/Pipelines.h"
#include "ptxjit/Runtime/CompilerABI.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

namespace llvm {
class MachineFunctionPass;
}

namespace ptxjit {

/// The CPU that code is made for.
struct CpuTarget {
  std::string name;     ///< LLVM CPU name
  std::string features; ///< LLVM feature string
  unsigned chunk = 8;   ///< lanes per vector
  bool avx512 = false;
  bool dotProducts = false; ///< VNNI and BF16 of AVX-512
};

/// This machine (`name` empty), or a named LLVM CPU. `chunk` 0 is the CPU's
/// own.
llvm::Expected<CpuTarget> selectCpu(llvm::StringRef name, unsigned chunk);

std::unique_ptr<llvm::TargetMachine> createTargetMachine(const CpuTarget &cpu,
                                                         bool quick);

/// Links in the functions of the device library that `module` declares, and
/// what they call; gives all functions the target's attributes.
llvm::Error linkDeviceLibrary(llvm::Module &module, const CpuTarget &cpu);

/// Our own pass list: vector code straight from the packetiser needs flags
/// removed and scalars cleaned, not loop transformations.
llvm::Error optimize(llvm::Module &module, llvm::TargetMachine &machine,
                     bool quick);

/// Takes masked loads, stores, gathers and scatters that the CPU does not have
/// apart, lane by lane.
void expandMaskedMemory(llvm::Module &module, llvm::TargetMachine &machine);

/// Where the CPU has no mask registers: masks that live across blocks become
/// vectors of i32.
void widenMasks(llvm::Module &module, llvm::TargetMachine &machine);

/// Gives loads that became part of other instructions their own lines back.
llvm::MachineFunctionPass *createLoadLinesPass();

/// Object or assembly, after expandMaskedMemory and widenMasks.
llvm::Error generateCode(llvm::Module &module, llvm::TargetMachine &machine,
                         bool assembly, llvm::SmallVectorImpl<char> &out);

/// The object's line table: places in the PTX by offset in the code. Code of
/// the device library has line 0.
llvm::Expected<std::vector<PtxjitLine>> readLines(llvm::StringRef object);

/// Fails if the object refers to anything outside itself.
llvm::Error checkSelfContained(llvm::StringRef object);

/// Code in memory; unmapped on destruction.
class LoadedCode {
public:
  static llvm::Expected<std::unique_ptr<LoadedCode>>
  load(llvm::ArrayRef<char> object, llvm::StringRef symbol);
  ~LoadedCode();
  PtxjitKernelEntry entry = nullptr;
  /// All machine code of the object.
  uint64_t codeBegin = 0, codeBytes = 0;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// LLVM could not go on, or the compiler crashed. What ran is abandoned:
/// nothing that it may still point to may be freed.
class CompilerGaveUp : public llvm::ErrorInfo<CompilerGaveUp> {
public:
  static char ID;
  explicit CompilerGaveUp(std::string why) : why(std::move(why)) {}
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  std::string why; ///< LLVM's reason, or "signal N"
};

/// Runs `body` on a thread with a large stack. An LLVM fatal error inside, or a
/// crash if there is a guard, ends `body` there (its memory is abandoned, not
/// freed) and is returned as CompilerGaveUp; the process lives.
llvm::Error runProtected(llvm::function_ref<llvm::Error()> body);

/// See PtxjitCompiler::setGuard.
void setCrashGuard(PtxjitGuardFn guard);

} // namespace ptxjit

#endif
