//===- Interpreter.h - the oracle -------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the dialect as parsed, one thread at a time, exactly and slowly. Written
// from the ISA text alone; shares nothing with Lowering. For tests and for
// `--reference`; never a fallback.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_REFERENCE_INTERPRETER_H
#define PTXJIT_REFERENCE_INTERPRETER_H

#include "mlir/IR/BuiltinOps.h"
#include "ptxjit/Runtime/CompilerABI.h"
#include "llvm/ADT/StringRef.h"

namespace ptxjit {

/// Runs every thread of `launch` on `kernel`. Barriers and warp collectives
/// make threads wait for each other; the order of threads follows
/// `launch.seed`. Fails with a diagnostic at the op for a trap, a deadlock or
/// an instruction that is not supported.
mlir::LogicalResult interpret(mlir::ModuleOp module, llvm::StringRef kernel,
                              const PtxjitReferenceLaunch &launch);

} // namespace ptxjit

#endif
