//===- KernelTarget.h - what passes know of a launch and a CPU --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes and stages that ask what a kernel is compiled for have the same
// options. They are made from the list that Runtime and the compiler share, and
// from a short one of what the compiler has found out itself.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LOWERING_KERNELTARGET_H
#define PTXJIT_LOWERING_KERNELTARGET_H

#include "mlir/Pass/Pass.h"
#include "ptxjit/Analysis/Shape.h"
#include "ptxjit/Runtime/Specialization.h"
#include "llvm/Support/Error.h"

/// What follows from a specialization, like PTXJIT_PASS_OPTIONS: from the mode
/// that was chosen, and from the CPU.
#define PTXJIT_DERIVED_OPTIONS(X)                                              \
  X(bool, perThread, "per-thread",                                             \
    "one thread at a time instead of a warp: see PTXJIT_MODE_THREADS")         \
  X(bool, fission, "fission",                                                  \
    "kernels are split at their barriers: see PTXJIT_MODE_FISSION")            \
  X(bool, embeddedRounding, "embedded-rounding",                               \
    "the CPU has AVX-512's rounding modes in instructions")                    \
  X(bool, dotProducts, "dot-products", "the CPU has AVX-512 VNNI and BF16")

namespace ptxjit {

/// What one kernel is compiled for, as far as passes are concerned.
struct KernelTarget : PtxjitSpecialization {
  /// A warp, on a CPU with AVX2: what ptx-opt assumes where it is told nothing.
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

/// Fails unless the block has three extents within the ISA's limits, 1 to 1024
/// x 1024 x 64 and at most 1024 threads in all, and there are vectors of
/// `chunk` lanes.
llvm::Error checkTarget(const KernelTarget &target);

/// Declares the options of a pass or a stage, and a way to read them all.
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

/// What `options` say, of a pass or a stage, if it can be.
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

/// Base of the passes that ask what their kernel is compiled for.
template <typename OpT> class TargetPass : public mlir::OperationPass<OpT> {
public:
  explicit TargetPass(mlir::TypeID id) : mlir::OperationPass<OpT>(id) {}
  /// Whoever clones a pass copies its options.
  TargetPass(const TargetPass &other) : mlir::OperationPass<OpT>(other) {}

  void setTarget(const KernelTarget &target) {
    block = llvm::ArrayRef<unsigned>(target.block);
#define PTXJIT_SET(type, name, flag, meaning) name = type(target.name);
    PTXJIT_PASS_OPTIONS(PTXJIT_SET)
    PTXJIT_DERIVED_OPTIONS(PTXJIT_SET)
#undef PTXJIT_SET
  }

protected:
  /// What the options say, or an error at the op if they cannot be.
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
