//===- Pipelines.h - the stages of the compiler -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per stage, called by the compiler library, ptx-opt and tests.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LOWERING_PIPELINES_H
#define PTXJIT_LOWERING_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "ptxjit/Lowering/KernelTarget.h"

namespace ptxjit {

/// Attribute of a compiled kernel that was split: bytes of the CTA's frame.
inline constexpr llvm::StringLiteral kFrameBytesAttr = "ptxjit.frame_bytes";

/// In: `ptx` as parsed. Out: `ptx` in SSA, no predicated ops, one exit.
void buildNormalizePipeline(mlir::OpPassManager &pm);
/// Lifts control flow to `scf`, and says where warps give way to each other.
void buildStructurePipeline(mlir::OpPassManager &pm,
                            const KernelTarget &target);
/// Leaves only uniform control flow; every effect carries its mask.
void buildMaskPipeline(mlir::OpPassManager &pm, const KernelTarget &target);
/// One thread per lane, on native chunks.
void buildPacketizePipeline(mlir::OpPassManager &pm,
                            const KernelTarget &target);
/// Leaves only the `llvm` dialect. Fails, at its location, on any unknown op.
void buildLowerToLLVMPipeline(mlir::OpPassManager &pm);

/// Registers every pass alone, and the stages: --ptx-normalize,
/// --ptx-structure, and, with the launch and the CPU as options, --ptx-mask and
/// --ptx-to-llvm.
void registerPipelines();
/// Dialects and interfaces that the stages produce.
void registerLoweringDialects(mlir::DialectRegistry &registry);

} // namespace ptxjit

#endif
