//===- DebugLines.cpp - what passes say in builds with assertions ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's own switch, -debug-only, is not there in LLVM as Debian builds it;
// what it switches is.
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
