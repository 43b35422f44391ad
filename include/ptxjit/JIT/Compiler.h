//===- Compiler.h - the stages from LLVM IR to machine code -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages of the compiler behind Lowering, in order: from LLVM IR to an
// object and to runnable code. Compiled code has no undefined symbols; it
// reaches all data through the kernel context.
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
class FunctionPass;
class MachineFunctionPass;
} // namespace llvm

namespace ptxjit {

/// The variants of the device library, by what instructions they use.
enum class DeviceLevel : uint8_t {
  V3,         ///< x86-64-v3: AVX2 and FMA
  V4,         ///< x86-64-v4: AVX-512
  V4Dot,      ///< the same with VNNI and BF16
  Neon,       ///< AArch64
  NeonDot,    ///< the same with dot products
  NeonMatrix, ///< with products of matrices, of f16 and of bf16, too
};

/// The CPU that code is generated for: x86-64 with AVX2, or AArch64.
struct CpuTarget {
  llvm::Triple triple;
  std::string name;        ///< LLVM CPU name
  std::string features;    ///< LLVM feature string
  unsigned chunk = 8;      ///< lanes per vector
  unsigned vectorBits = 0; ///< of a vector register
  /// The registers of SVE that code uses, in bits; 0: none. Such code is for
  /// machines of that length only.
  unsigned sveBits = 0;
  DeviceLevel device = DeviceLevel::V3;
  bool embeddedRounding = false; ///< AVX-512's rounding modes in instructions
  bool scatters = false;         ///< stores lanes to places apart at once
  bool compresses = false;       ///< moves the active lanes to the front
  bool slowGathers = false;      ///< gathers as slowly as it loads each lane
  bool plainStores = false;      ///< needs no hint to store past the caches
  bool fetchesAhead = false;     ///< gains by prefetches of large arrays
  bool pairSums = false;         ///< pmaddwd
  bool byteSums = false;         ///< VNNI, of AVX-512 or of AVX
  bool bytePermutes = false;     ///< vpermb
  unsigned permutedLanes = 0;    ///< 16: vpermi2d, 8: vpermd, 0: neither
  bool neonDots = false;         ///< NEON's dot products of bytes
  bool neonMixedDots = false;    ///< those of unsigned bytes by signed ones
  bool dotProducts = false;  ///< the device library's level has those of bytes
  bool fastProducts = false; ///< the CPU has products of bf16 of its own
  bool halfProducts = false; ///< it has exact ones of f16 and of bf16
  bool tiles = false;        ///< AMX for BF16 and bytes, beside fastProducts
  /// What code for this CPU may use: bits whose meaning depends on the
  /// architecture.
  uint32_t extensions = 0;
  /// Those names of Runtime/CpuFeatures.def that it has, separated by commas.
  std::string testable;

  /// Whether code for this CPU runs on `host`.
  bool runsOn(const CpuTarget &host) const {
    return triple.getArch() == host.triple.getArch() &&
           !(extensions & ~host.extensions) &&
           (!sveBits || sveBits == host.sveBits);
  }
};

/// Selects this machine (`given` empty or "native") or a named LLVM CPU, also
/// of another architecture. A name that several have is the host's. Behind the
/// name may follow changes of its features: "sapphirerapids,-amx-tile".
/// `chunk` 0 is the CPU's own.
llvm::Expected<CpuTarget> selectCpu(llvm::StringRef given, unsigned chunk);

/// Whether this machine runs code for `cpu`.
bool runsHere(const CpuTarget &cpu);

/// What LLVM does for code. Its time grows with the code, that of some passes
/// with the square of it.
enum class Effort : uint8_t {
  Quick, ///< the first tier: hardly any passes, fast code generation
  Lean,  ///< large code: passes of linear time, fast code generation
  Full,
};

/// The most effort with which code of that size takes a few seconds.
/// \param perThread  whether it is scalar code, for one thread at a time.
Effort chooseEffort(const llvm::Module &module, bool perThread);

std::unique_ptr<llvm::TargetMachine> createTargetMachine(const CpuTarget &cpu,
                                                         Effort effort);
/// The same, but one that another compilation may have used, and that the next
/// one may use when the last pointer goes.
std::shared_ptr<llvm::TargetMachine> borrowTargetMachine(const CpuTarget &cpu,
                                                         Effort effort);

/// Links in the device functions that `module` declares, and their callees.
/// Gives all functions the target's attributes.
llvm::Error linkDeviceLibrary(llvm::Module &module, const CpuTarget &cpu);

/// Runs our own pass list: vector code of the packetizer needs flags removed
/// and scalars cleaned, not loop transformations.
llvm::Error optimize(llvm::Module &module, llvm::TargetMachine &machine,
                     Effort effort);

/// Reorders code with more sums than the CPU has registers, so that each stays
/// in a register while it is computed.
/// \returns whether there was such code. It should keep its order from here on.
bool groupSums(llvm::Module &module, llvm::TargetMachine &machine);

/// Expands masked loads, stores, gathers and scatters that the CPU does not
/// have into scalar accesses, and gathers and scatters of one or two lanes.
void expandMaskedMemory(llvm::Module &module, llvm::TargetMachine &machine);

/// On CPUs without mask registers, turns masks that live across blocks into
/// vectors of i32.
void widenMasks(llvm::Module &module, llvm::TargetMachine &machine);

/// On CPUs with AVX2 and without AVX-512, turns shuffles between four vectors
/// and a vector with four elements for each of 8 lanes into transposes.
void makeTransposes(llvm::Module &module, llvm::TargetMachine &machine);

/// Restores the lines of loads that were folded into other instructions.
llvm::MachineFunctionPass *createLoadLinesPass();

/// Lets operations in a directed rounding mode share its changes, and moves
/// these out of loops. To be run when no pass will reorder instructions any
/// more.
llvm::MachineFunctionPass *createRoundingSwitchesPass();

/// Splits blocks that CodeGenPrepare would take minutes for.
llvm::FunctionPass *createSplitLongBlocksPass();

/// Splits blocks with so many stores that instruction selection would take
/// minutes.
llvm::FunctionPass *createSplitAtStoresPass();

/// Adds the stack frames of functions to `sum`, in bytes, as far as their sizes
/// are constant.
llvm::MachineFunctionPass *createStackSizesPass(uint64_t &sum);

/// Splits blocks around instructions on vectors, which LLVM's fast instruction
/// selection does not know.
void splitAtVectors(llvm::Module &module);

/// Runs groupSums, expandMaskedMemory, widenMasks and makeTransposes, then
/// emits an object or assembly.
/// \returns the stack frames of all functions together, in bytes, without an
///     alloca of run-time size. Code that does not recurse needs no more.
llvm::Expected<uint64_t> generateCode(llvm::Module &module,
                                      llvm::TargetMachine &machine,
                                      bool assembly,
                                      llvm::SmallVectorImpl<char> &out);

/// Makes an object of assembly text that has directives alone.
llvm::Error assemble(llvm::StringRef text, const CpuTarget &cpu,
                     llvm::SmallVectorImpl<char> &object);

/// Reads the object's line table, sorted by offset in the code. Code of the
/// device library has line 0.
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
  /// The section with the kernel's code.
  uint64_t codeBegin = 0, codeBytes = 0;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// LLVM reported a fatal error, or the compiler crashed. The failed run is
/// abandoned: nothing that it may still point to may be freed.
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

/// Runs `body` on a thread with a large stack. A fatal error of LLVM, or a
/// crash if a guard is set, ends `body` and is returned as CompilerGaveUp; the
/// memory of `body` leaks, and the process lives.
llvm::Error runProtected(llvm::function_ref<llvm::Error()> body);

/// See PtxjitCompiler::setGuard.
void setCrashGuard(PtxjitGuardFn guard);

} // namespace ptxjit

#endif
