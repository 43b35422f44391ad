//===- Log.h - log lines of PTXJIT_LOG --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_LOG_H
#define PTXJIT_RUNTIME_LOG_H

#include <string>

namespace ptxjit {

/// Kinds of lines, as in `PTXJIT_LOG=api,compile,launch`. Errors are always
/// shown.
enum class LogKind { Api, Compile, Launch, Error };
bool isLogged(LogKind kind);
/// Writes one line to stderr, if `kind` is logged.
void log(LogKind kind, const std::string &text);

/// Sets a function that gets the text of each error, too. Null: none. It may be
/// called by any thread.
void setErrorListener(void (*listener)(const std::string &text));

} // namespace ptxjit

#endif
