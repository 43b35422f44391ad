//===- ImageCode.h - launches of compiled images ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_IMAGECODE_H
#define PTXJIT_RUNTIME_IMAGECODE_H

#include "ptxjit/Runtime/CompilerABI.h"
#include "ptxjit/Runtime/LaunchGrid.h"

namespace ptxjit {

/// What launchGrid needs to know of a compiled image, for a block that the
/// image serves. The caller adds what belongs to the module and to the launch.
KernelCode describeCode(const PtxjitImage &image, const uint32_t block[3]);

} // namespace ptxjit

#endif
