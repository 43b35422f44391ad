//===- Log.cpp - log lines of PTXJIT_LOG ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/Log.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace ptxjit;

bool ptxjit::isLogged(LogKind kind) {
  if (kind == LogKind::Error)
    return true;
  static const char *wanted = std::getenv("PTXJIT_LOG");
  if (!wanted)
    return false;
  const char *name = kind == LogKind::Api       ? "api"
                     : kind == LogKind::Compile ? "compile"
                                                : "launch";
  return std::strstr(wanted, name);
}

static std::atomic<void (*)(const std::string &text)> errorListener{nullptr};

void ptxjit::setErrorListener(void (*listener)(const std::string &text)) {
  errorListener = listener;
}

void ptxjit::log(LogKind kind, const std::string &text) {
  if (isLogged(kind))
    std::fprintf(stderr, "ptx-jit: %s\n", text.c_str());
  auto *listener = errorListener.load();
  if (kind == LogKind::Error && listener)
    listener(text);
}
