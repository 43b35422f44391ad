//===- Interpreter.h - the reference interpreter ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The oracle of tests and of `--reference`. Runs the parsed dialect one thread
// at a time, exactly and slowly. It is written from the ISA's text alone and
// shares no code with Lowering. It never stands in for compiled code.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_REFERENCE_INTERPRETER_H
#define PTXJIT_REFERENCE_INTERPRETER_H

#include "mlir/IR/BuiltinOps.h"
#include "ptxjit/Runtime/CompilerABI.h"
#include "llvm/ADT/StringRef.h"

namespace ptxjit {

/// Runs all threads of `launch` on `kernel`. Threads wait for each other at
/// barriers and warp collectives; `launch.seed` chooses their order. Fails with
/// a diagnostic at the op for a trap, a bad access, a deadlock or an
/// unsupported instruction.
mlir::LogicalResult interpret(mlir::ModuleOp module, llvm::StringRef kernel,
                              const PtxjitReferenceLaunch &launch);

} // namespace ptxjit

#endif
