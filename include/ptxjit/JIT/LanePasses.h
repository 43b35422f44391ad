//===- LanePasses.h - passes on vectors of lanes ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes on LLVM IR that run behind the optimizer (generateCode).
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_JIT_LANEPASSES_H
#define PTXJIT_JIT_LANEPASSES_H

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace ptxjit {

/// Computes integers with fewer bits, where `trunc` drops the other ones.
void narrowLanes(llvm::Module &module);

/// Lets gathers and scatters extend their indices by themselves.
void narrowIndices(llvm::Module &module);

/// On CPUs with short vectors, computes lane numbers, addresses and masks at
/// the start of the ways through the code that need them.
void sinkRareVectors(llvm::Module &module, llvm::TargetMachine &machine);

/// On AArch64, computes addresses and bounds of indices that differ by a
/// constant from one of them.
void shareBases(llvm::Module &module, llvm::TargetMachine &machine);

/// On AArch64, computes the addresses of lanes that are loaded at equal
/// distances one from the other.
void stepThroughLanes(llvm::Module &module, llvm::TargetMachine &machine);

/// On AArch64, loads vectors that only the number of the warp decides from
/// tables. It changes nothing where a loop may have any number of warps.
void tabulateWarps(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace ptxjit

#endif
