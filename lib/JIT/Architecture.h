//===- Architecture.h - what depends on the CPU's architecture --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One file for each architecture that code can be made for implements its part.
// All are in every build: code can be made for other machines than this one.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_JIT_ARCHITECTURE_H
#define PTXJIT_LIB_JIT_ARCHITECTURE_H

#include "ptxjit/JIT/Compiler.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/MC/MCSubtargetInfo.h"

namespace ptxjit {

/// One architecture of LLVM's, as the compiler uses it.
struct Architecture {
  llvm::StringLiteral triple;
  /// Makes LLVM's target known to its registry.
  void (*initialize)();
  /// Fills in the name, the features and the registers of this machine's CPU,
  /// which is of that architecture.
  void (*describeHost)(CpuTarget &cpu);
  /// Fills in what kernels need to know of a CPU, from what LLVM knows of it.
  /// Fails if kernels need more than it has.
  llvm::Error (*describe)(CpuTarget &cpu, const llvm::MCSubtargetInfo &info);
  /// The features of CpuFeatures.def.
  llvm::ArrayRef<llvm::StringLiteral> testable;
};

extern const Architecture kX86, kAArch64;

/// \returns a bit for each of `groups` (feature strings) that the CPU has.
inline uint32_t extensionsOf(const llvm::MCSubtargetInfo &info,
                             llvm::ArrayRef<llvm::StringLiteral> groups) {
  uint32_t bits = 0;
  for (auto [i, group] : llvm::enumerate(groups))
    bits |= uint32_t(info.checkFeatures(group)) << i;
  return bits;
}

} // namespace ptxjit

#endif
