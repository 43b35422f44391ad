//===- Calls.h - calls of functions and of the system -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_CALLS_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_CALLS_H

#include "WarpBuilder.h"

namespace ptxjit {

/// Declares the compiled form of a function. It gets the context, the number of
/// its strand, and the addresses of its arguments and results in `.local`
/// space.
mlir::LLVM::LLVMFuncOp declareFunction(WarpBuilder &warp, ptx::FuncOp callee);

} // namespace ptxjit

#endif
