//===- Passes.h - the passes of Passes.td -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LOWERING_PASSES_H
#define PTXJIT_LOWERING_PASSES_H

#include "mlir/Pass/Pass.h"
#include "ptxjit/Dialect/PtxOps.h"
#include "ptxjit/Lowering/KernelTarget.h"

namespace ptxjit {
#define GEN_PASS_DECL
#include "ptxjit/Lowering/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "ptxjit/Lowering/Passes.h.inc"
} // namespace ptxjit

#endif
