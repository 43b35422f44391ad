//===- Diagnostics.cpp - errors of the interface as diagnostics -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cstdio>

using namespace ptxjit;

/// Is this the first line of a diagnostic about a text? The lines that follow
/// it show the text, and a caret.
static bool hasPlace(llvm::StringRef line) {
  auto [place, message] = line.split(": error: ");
  return !message.empty() && !place.empty() && llvm::isDigit(place.back());
}

std::string ptxjit::formatDiagnostic(const Error &error) {
  const std::string &message = error.getMessage();
  llvm::StringRef firstLine = llvm::StringRef(message).split('\n').first;
  return hasPlace(firstLine) ? message : "error: " + message;
}

unsigned ptxjit::countDiagnostics(const Error &error) {
  unsigned count = 0;
  for (llvm::StringRef line : llvm::split(error.getMessage(), '\n'))
    count += hasPlace(line);
  return std::max(count, 1u);
}

void ptxjit::print(const Error &error) {
  std::fprintf(stderr, "%s\n", formatDiagnostic(error).c_str());
}

int ptxjit::fail(const std::string &message) {
  std::fprintf(stderr, "ptx-jit: %s\n", message.c_str());
  return 1;
}

int ptxjit::fail(const Error &error) {
  if (error.getCode() == ErrorCode::InvalidArgument ||
      error.getCode() == ErrorCode::NotFound)
    return fail(error.getMessage());
  print(error);
  return 1;
}
