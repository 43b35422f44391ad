//===- KernelTarget.h - the launch and CPU of a compilation -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The properties of a launch and of a CPU that passes and stages depend on, as
// a struct and as options of passes. Both are made from the list that Runtime
// and the compiler share (Specialization.h), and from a short list of what the
// compiler derives itself.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LOWERING_KERNELTARGET_H
#define PTXJIT_LOWERING_KERNELTARGET_H

#include "mlir/Pass/Pass.h"
#include "ptxjit/Analysis/Shape.h"
#include "ptxjit/Runtime/Specialization.h"
#include "llvm/Support/Error.h"

/// Properties that the compiler derives from the specialization: from the
/// execution mode that it has chosen, and from the CPU. The format is that of
/// PTXJIT_PASS_OPTIONS.
#define PTXJIT_DERIVED_OPTIONS(X)                                              \
  X(bool, perThread, "per-thread",                                             \
    "one thread at a time instead of a warp: see PTXJIT_MODE_THREADS")         \
  X(unsigned, narrowLanes, "narrow-lanes",                                     \
    "threads of a narrow warp; 0: warps have 32 (NarrowWarps.h)")              \
  X(bool, fission, "fission",                                                  \
    "kernels are split at their barriers: see PTXJIT_MODE_FISSION")            \
  X(bool, wholeCta, "whole-cta", "one call runs all warps of a CTA")           \
  X(bool, embeddedRounding, "embedded-rounding",                               \
    "the CPU has AVX-512's rounding modes in instructions")                    \
  X(bool, shortVectors, "short-vectors", "vectors have 128 bits: NEON")        \
  X(bool, scatters, "scatters",                                                \
    "the CPU stores the lanes of a vector to places apart at once")            \
  X(bool, compresses, "compresses",                                            \
    "the CPU moves the active lanes to the front: vpcompressd of x86")         \
  X(bool, slowGathers, "slow-gathers",                                         \
    "a gather takes as long as the loads of all its lanes")                    \
  X(bool, plainStores, "plain-stores",                                         \
    "the CPU finds out by itself which stores go past the caches")             \
  X(bool, fetchesAhead, "fetches-ahead",                                       \
    "code gains where it prefetches arrays that are larger than the caches")   \
  X(bool, pairSums, "pair-sums",                                               \
    "the CPU adds two products of 16 bits: pmaddwd of x86")                    \
  X(bool, byteSums, "byte-sums",                                               \
    "the CPU adds four products of bytes: vpdpbusd of x86")                    \
  X(bool, bytePermutes, "byte-permutes",                                       \
    "the CPU takes any bytes of a vector at once: vpermb of x86")              \
  X(unsigned, permutedLanes, "permuted-lanes",                                 \
    "lanes of 32 bits in the registers that the CPU permutes by data: 16 by "  \
    "vpermi2d of x86, 8 by vpermd; 0: none")                                   \
  X(bool, neonDots, "neon-dots",                                               \
    "the CPU adds four products of bytes: udot and sdot of NEON")              \
  X(bool, neonMixedDots, "neon-mixed-dots",                                    \
    "the CPU adds products of unsigned bytes by signed ones: usdot of NEON")   \
  X(bool, dotProducts, "dot-products",                                         \
    "the device library has products of bytes for the CPU")                    \
  X(bool, fastProducts, "fast-products",                                       \
    "the CPU has products of bf16 of its own: vdpbf16ps or bfmmla")            \
  X(bool, halfProducts, "half-products",                                       \
    "the device library has exact products of f16 and bf16 for the CPU")

namespace ptxjit {

/// What passes know of the launch and the CPU that a kernel is compiled for.
struct KernelTarget : PtxjitSpecialization {
  /// One warp on a CPU with AVX2: the defaults of ptx-opt.
  KernelTarget() : PtxjitSpecialization{} {
    block[0] = 32;
    block[1] = block[2] = 1;
    smallGrid = true;
    chunk = 8;
  }
  explicit KernelTarget(const PtxjitSpecialization &spec)
      : PtxjitSpecialization(spec) {}

#define PTXJIT_DECLARE(type, name, flag, meaning) type name{};
  PTXJIT_DERIVED_OPTIONS(PTXJIT_DECLARE)
#undef PTXJIT_DECLARE

  ShapeContext getShapeContext() const;
};

/// Fails unless the block is within the limits of the ISA (1024 x 1024 x 64,
/// and 1 to 1024 threads in all) and `chunk` is 1, 4, 8 or 16.
llvm::Error checkTarget(const KernelTarget &target);

/// Declares the options of a pass or a stage, and getTarget(), which reads
/// them.
#define PTXJIT_DECLARE_TARGET_OPTIONS                                          \
  ListOption<unsigned> block{*this, "block",                                   \
                             ::llvm::cl::desc("block extents x,y,z")};         \
  PTXJIT_PASS_OPTIONS(PTXJIT_DECLARE_TARGET_OPTION)                            \
  PTXJIT_DERIVED_OPTIONS(PTXJIT_DECLARE_TARGET_OPTION)                         \
  ::llvm::Expected<::ptxjit::KernelTarget> getTarget() const {                 \
    return ::ptxjit::readTarget(*this, ::llvm::ArrayRef<unsigned>(block));     \
  }
#define PTXJIT_DECLARE_TARGET_OPTION(type, name, flag, meaning)                \
  Option<type> name{*this, flag, ::llvm::cl::desc(meaning),                    \
                    ::llvm::cl::init(type(::ptxjit::KernelTarget().name))};

/// Reads the target from the options of a pass or a stage; fails if the target
/// is not valid.
template <typename Options>
llvm::Expected<KernelTarget> readTarget(const Options &options,
                                        llvm::ArrayRef<unsigned> block) {
  KernelTarget target;
#define PTXJIT_GET(type, name, flag, meaning) target.name = options.name;
  PTXJIT_PASS_OPTIONS(PTXJIT_GET)
  PTXJIT_DERIVED_OPTIONS(PTXJIT_GET)
#undef PTXJIT_GET
  if (!block.empty() && block.size() != 3)
    return llvm::createStringError("a block must have three extents x,y,z");
  llvm::copy(block, target.block);
  if (llvm::Error error = checkTarget(target))
    return std::move(error);
  return target;
}

/// Base class of the passes that depend on the launch or the CPU.
template <typename OpT> class TargetPass : public mlir::OperationPass<OpT> {
public:
  explicit TargetPass(mlir::TypeID id) : mlir::OperationPass<OpT>(id) {}
  /// Copies no options: Pass::clone does that.
  TargetPass(const TargetPass &other) : mlir::OperationPass<OpT>(other) {}

  void setTarget(const KernelTarget &target) {
    block = llvm::ArrayRef<unsigned>(target.block);
#define PTXJIT_SET(type, name, flag, meaning) name = type(target.name);
    PTXJIT_PASS_OPTIONS(PTXJIT_SET)
    PTXJIT_DERIVED_OPTIONS(PTXJIT_SET)
#undef PTXJIT_SET
  }

protected:
  /// The target, or an error at the op if the options are not valid.
  mlir::FailureOr<KernelTarget> requireTarget() {
    auto target = getTarget();
    if (target)
      return *target;
    return this->getOperation()->emitError(llvm::toString(target.takeError()));
  }

  template <typename T> using Option = mlir::Pass::Option<T>;
  template <typename T> using ListOption = mlir::Pass::ListOption<T>;
  PTXJIT_DECLARE_TARGET_OPTIONS
  template <typename Options>
  friend llvm::Expected<KernelTarget> readTarget(const Options &,
                                                 llvm::ArrayRef<unsigned>);
};

} // namespace ptxjit

#endif
