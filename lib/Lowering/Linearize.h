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

/// On an `scf.if` of a kernel that runs turn by turn (`ptx.next_turn`): the
/// first side is what its threads do in one turn, the second one is its loop as
/// it was, for the rare numbers with which an index wraps around. Only ops that
/// may run again stand in front of it, and none behind it.
inline constexpr llvm::StringLiteral kInTurnsAttr = "ptx.in_turns";

/// On an `scf.if` whose second side does the same in a slower way: that is
/// taken under masks, so that the first side is not there once more.
inline constexpr llvm::StringLiteral kUnmaskedAttr = "ptx.unmasked";

} // namespace ptxjit

#endif
