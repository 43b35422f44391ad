//===- Multimem.h - accesses to the memory of several devices ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_MULTIMEM_H
#define PTXJIT_LIB_RUNTIME_MULTIMEM_H

#include "FaultScope.h"
#include "ptxjit/Runtime/KernelABI.h"

namespace ptxjit {

/// Implements PtxjitHelpers::accessMultimem. \param caller  whose faults these
/// are; the thread is that of lane 0, and those of other lanes follow.
void accessMultimem(const PtxjitMultimemAccess &access,
                    const KernelCall &caller);

} // namespace ptxjit

#endif
