//===- ThreadStack.h - thread stacks in thread mode -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_THREADSTACK_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_THREADSTACK_H

#include "WarpBuilder.h"

namespace ptxjit {

/// Emits a test that fails the launch unless the stack has room for `bytes`
/// (i64; null: none) and the next frame.
void emitStackTest(WarpBuilder &warp, mlir::Value bytes);
/// The address of a `.local` variable in that space, i64.
mlir::Value frameAddress(WarpBuilder &warp, ptx::VarOp var);

} // namespace ptxjit

#endif
