//===- DebugLines.h - what passes say in builds with assertions -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_JIT_DEBUGLINES_H
#define PTXJIT_JIT_DEBUGLINES_H

#include "llvm/ADT/StringRef.h"

namespace ptxjit {

/// Writes the debug lines of some passes to stderr from now on. \param names
/// separated by commas: the passes' flags without "ptx-", as "linearize". Does
/// nothing in builds without assertions, which have no such lines.
void showDebugLines(llvm::StringRef names);

} // namespace ptxjit

#endif
