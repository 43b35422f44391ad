//===- Warpgroups.h - multiplications of a warpgroup ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_WARPGROUPS_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_WARPGROUPS_H

#include "WarpBuilder.h"

namespace ptxjit {

/// Runs the `wgmma` that the warp has queued, its own rows alone. Does nothing
/// behind a `wgmma.wait_group`, which has run them.
void settleQueue(WarpBuilder &warp);

} // namespace ptxjit

#endif
