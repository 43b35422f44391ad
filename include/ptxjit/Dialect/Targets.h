//===- Targets.h - PTX versions and target architectures --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which there are, as the .td files say. What a module's version and target may
// use: Availability in FormTable.h.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_TARGETS_H
#define PTXJIT_DIALECT_TARGETS_H

#include "ptxjit/Dialect/FormTable.h"
#include <string>

namespace ptxjit::ptx {

/// Target architectures, each with the PTX version that brought it, the newest
/// last. `compute_NN` means `sm_NN` and is not listed.
llvm::ArrayRef<SinceSpec> getTargets();
/// Null if there is no such target.
const SinceSpec *findTarget(llvm::StringRef name);
/// The last minor version of PTX `major`; nothing if that does not exist.
std::optional<unsigned> getLastMinor(unsigned major);
/// The newest PTX version, "9.4".
std::string getNewestVersion();

} // namespace ptxjit::ptx

#endif
