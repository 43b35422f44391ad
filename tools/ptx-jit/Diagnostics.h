//===- Diagnostics.h - errors of the interface as diagnostics ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_DIAGNOSTICS_H
#define PTXJIT_TOOLS_DIAGNOSTICS_H

#include "ptxjit/ptxjit.h"
#include <string>

namespace ptxjit {

/// The error in the form of the compiler's diagnostics, `{PLACE: }error: TEXT`.
/// The messages of errors in PTX have it already.
std::string formatDiagnostic(const Error &error);

/// How many diagnostics the message holds: 1, or those of a text.
unsigned countDiagnostics(const Error &error);

/// Prints the error on stderr, in that form.
void print(const Error &error);

/// Print an error of the command line, as the tool's own, and any other as a
/// diagnostic. \returns the exit status, 1.
int fail(const std::string &message);
int fail(const Error &error);

} // namespace ptxjit

#endif
