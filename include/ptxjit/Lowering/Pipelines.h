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

/// Attribute of a kernel that was split at its barriers: size of the CTA's
/// frame in bytes.
inline constexpr llvm::StringLiteral kFrameBytesAttr = "ptxjit.frame_bytes";
/// On a packetized kernel that sweeps (PtxjitImage::sweeps): a unit attribute.
inline constexpr llvm::StringLiteral kSweepsAttr = "ptxjit.sweeps";
/// On one that also runs turn by turn: a unit attribute.
inline constexpr llvm::StringLiteral kTurnsAttr = "ptxjit.turns";
/// Of a call of a helper: its place in PtxjitHelpers, and for those of `system`
/// the PtxjitSystemFunction.
inline constexpr llvm::StringLiteral kHelperAttr = "ptxjit.helper";
inline constexpr llvm::StringLiteral kSystemAttr = "ptxjit.system";
/// On a packetized kernel: the arrays of StreamedStores, then those of
/// StreamedLoads, an i32 for each field.
inline constexpr llvm::StringLiteral kWrittenAttr = "ptxjit.written";
inline constexpr llvm::StringLiteral kFetchedAttr = "ptxjit.fetched";

/// The pattern of MLIR's canonicalizer that merges values of a loop that are
/// always equal. It compares each pair of values, and begins again after each
/// change: it took 45 s for a loop with 128 sums of a `wgmma`. No kernel of the
/// benchmark is smaller for it, so it is left out.
inline constexpr llvm::StringLiteral kMergesEqualLoopValues =
    "(anonymous namespace)::RemoveDuplicateSuccessorInputUses";

/// Turns `ptx` as parsed into SSA form with one exit and no predicated ops.
void buildNormalizePipeline(mlir::OpPassManager &pm);
/// Lifts control flow to `scf`, and inserts the ops at which warps give way to
/// each other.
void buildStructurePipeline(mlir::OpPassManager &pm,
                            const KernelTarget &target);
/// Leaves only warp-uniform control flow; ops with effects carry masks.
void buildMaskPipeline(mlir::OpPassManager &pm, const KernelTarget &target);
/// Turns each kernel into vector code that runs one CTA, a thread per lane.
void buildPacketizePipeline(mlir::OpPassManager &pm,
                            const KernelTarget &target);
/// Leaves only the `llvm` dialect. An op that cannot be converted is an error
/// at its location.
void buildLowerToLLVMPipeline(mlir::OpPassManager &pm);

/// Registers every pass alone, and the stages --ptx-normalize, --ptx-structure,
/// --ptx-mask and --ptx-to-llvm. All stages but the first have the launch and
/// the CPU as options.
void registerPipelines();
/// Registers the dialects that the stages produce, and the shape rules.
void registerLoweringDialects(mlir::DialectRegistry &registry);

} // namespace ptxjit

#endif
