//===- Linearize.h - what other passes tell Linearize -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_LINEARIZE_H
#define PTXJIT_LIB_LOWERING_LINEARIZE_H

#include "llvm/ADT/StringRef.h"

namespace ptxjit {

/// On an `scf.if`: there is a clone without masks for the case that all lanes
/// go the same way, so that this one needs none.
inline constexpr llvm::StringLiteral kClonedAttr = "ptx.cloned";

/// On an `scf.if` whose condition is that all lanes go one way: its first side
/// has no masks, and its second side does for any lanes, these as well.
inline constexpr llvm::StringLiteral kForAllAttr = "ptx.for_all";

} // namespace ptxjit

#endif
