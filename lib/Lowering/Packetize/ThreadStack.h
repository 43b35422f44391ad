//===- ThreadStack.h - stacks of single threads -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_THREADSTACK_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_THREADSTACK_H

#include "WarpBuilder.h"

namespace ptxjit {

/// Is there room for `bytes` (i64; null: none) and the next frame?
void emitStackTest(WarpBuilder &warp, mlir::Value bytes);
/// i64: where a variable of `.local` lies, as an address of that space.
mlir::Value frameAddress(WarpBuilder &warp, ptx::VarOp var);

} // namespace ptxjit

#endif
