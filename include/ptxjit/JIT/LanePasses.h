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

/// On CPUs with short vectors, computes vectors of lane numbers where they are
/// used, if that is only on some ways through the code.
void sinkLaneNumbers(llvm::Module &module, llvm::TargetMachine &machine);

/// On AArch64, computes addresses and bounds of indices that differ by a
/// constant from one of them.
void shareBases(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace ptxjit

#endif
