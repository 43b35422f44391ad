//===- Targets.h - PTX versions and target architectures --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The PTX versions and target architectures, as listed in PtxBase.td.
// Availability (FormTable.h) says what a module of a given version and target
// may use.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_TARGETS_H
#define PTXJIT_DIALECT_TARGETS_H

#include "ptxjit/Dialect/FormTable.h"
#include <string>

namespace ptxjit::ptx {

/// The target architectures, the newest last, each with the PTX version that
/// introduced it. `compute_NN` is a synonym of `sm_NN` and is not listed.
llvm::ArrayRef<SinceSpec> getTargets();
/// The target `name` (sm_NN or compute_NN); null if there is none.
const SinceSpec *findTarget(llvm::StringRef name);
/// The last minor version of PTX `major`; nothing if there is no such major
/// version.
std::optional<unsigned> getLastMinor(unsigned major);
/// The newest PTX version, such as "9.4".
std::string getNewestVersion();

} // namespace ptxjit::ptx

#endif
