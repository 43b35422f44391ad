//===- Masks.h - masks of active lanes --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_MASKS_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_MASKS_H

#include "WarpBuilder.h"

namespace ptxjit {

/// Emits `body` under a test that any lane is active.
void ifActive(WarpBuilder &warp, mlir::Value mask,
              llvm::function_ref<void()> body);

} // namespace ptxjit

#endif
