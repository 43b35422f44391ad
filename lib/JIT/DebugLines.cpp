//===- DebugLines.cpp - debug output of passes ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Debian's LLVM lacks the option -debug-only, but has the variables behind it.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/JIT/DebugLines.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Debug.h"
#include <deque>

void ptxjit::showDebugLines([[maybe_unused]] llvm::StringRef names) {
#ifndef NDEBUG
  llvm::SmallVector<llvm::StringRef> parts;
  names.split(parts, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  std::deque<std::string> kept;
  llvm::SmallVector<const char *> types;
  for (llvm::StringRef part : parts)
    types.push_back(kept.emplace_back(part.trim()).c_str());
  if (types.empty())
    return;
  llvm::DebugFlag = true;
  llvm::setCurrentDebugTypes(types.data(), unsigned(types.size()));
#endif
}
