//===- DebugLines.h - debug output of passes --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_JIT_DEBUGLINES_H
#define PTXJIT_JIT_DEBUGLINES_H

#include "llvm/ADT/StringRef.h"

namespace ptxjit {

/// From now on writes the debug output of some passes to stderr. \param names
/// their flags without "ptx-", such as "linearize", separated by commas. Does
/// nothing in builds without assertions.
void showDebugLines(llvm::StringRef names);

} // namespace ptxjit

#endif
