//===- Pipelines.h - the stages of the compiler -----------------*- C++ -*-===//
//
// One function per stage, called by the compiler library, ptx-opt and tests.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LOWERING_PIPELINES_H
#define PTXJIT_LOWERING_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include <array>

namespace ptxjit {

/// What a kernel is specialised for.
struct LaunchShape {
  /// ntid; every extent >= 1, their product <= 1024.
  std::array<unsigned, 3> block = {32, 1, 1};
  /// In each dimension nctaid * ntid <= 2^31, so that a thread's global index
  /// is never negative as s32.
  bool smallGrid = true;
  /// One thread at a time instead of a warp: see PTXJIT_MODE_THREADS.
  bool perThread = false;
  /// Split at barriers: see PTXJIT_MODE_FISSION.
  bool fission = false;
};

/// Attribute of a compiled kernel that was split: bytes of the CTA's frame.
inline constexpr llvm::StringLiteral kFrameBytesAttr = "ptxjit.frame_bytes";

/// What the packetiser needs to know of the CPU.
struct ChunkTarget {
  /// Lanes that share a vector register: 16 (AVX-512), 8 (AVX2), 4, 1.
  unsigned chunk = 8;
  /// AVX-512 embedded rounding exists.
  bool embeddedRounding = false;
  /// AVX-512 VNNI and BF16 exist.
  bool dotProducts = false;
  /// Products of bf16 matrices as the CPU's own instruction computes them:
  /// subnormals are 0, and pairs of products are rounded.
  bool fastMatrices = false;
};

/// In: `ptx` as parsed. Out: `ptx` in SSA, no predicated ops, one exit.
void buildNormalizePipeline(mlir::OpPassManager &pm);
/// Lifts control flow to `scf`.
void buildStructurePipeline(mlir::OpPassManager &pm);
/// Leaves only uniform control flow; every effect carries its mask.
void buildMaskPipeline(mlir::OpPassManager &pm, const LaunchShape &shape);
/// One thread per lane, on native chunks.
void buildPacketizePipeline(mlir::OpPassManager &pm, const LaunchShape &shape,
                            const ChunkTarget &target);
/// Leaves only the `llvm` dialect. Fails, at its location, on any unknown op.
void buildLowerToLLVMPipeline(mlir::OpPassManager &pm);

/// Registers every pass alone, and the stages: --ptx-normalize, --ptx-structure,
/// and, with the launch and the CPU as options, --ptx-mask and --ptx-to-llvm.
void registerPipelines();
/// Dialects and interfaces that the stages produce.
void registerLoweringDialects(mlir::DialectRegistry &registry);

} // namespace ptxjit

#endif
