//===- Log.h - what PTXJIT_LOG shows ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_LOG_H
#define PTXJIT_RUNTIME_LOG_H

#include <string>

namespace ptxjit {

/// `PTXJIT_LOG=api,compile,launch`; errors are always shown.
enum class LogKind { Api, Compile, Launch, Error };
bool isLogged(LogKind kind);
/// One line on stderr, if `kind` is wanted.
void log(LogKind kind, const std::string &text);

} // namespace ptxjit

#endif
