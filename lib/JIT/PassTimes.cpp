//===- PassTimes.cpp - how long each pass takes ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/JIT/PassTimes.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Pass.h"
#include <cstdlib>

bool ptxjit::measuresPasses() {
  static const bool wanted = [] {
    const char *value = std::getenv("PTXJIT_TIME_PASSES");
    bool isSet = value && *value && llvm::StringRef(value) != "0";
    llvm::TimePassesIsEnabled = isSet;
    return isSet;
  }();
  return wanted;
}
