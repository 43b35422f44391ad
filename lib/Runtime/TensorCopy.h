//===- TensorCopy.h - copies boxes of tensors -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `cp.async.bulk.tensor` and `tensormap.replace` do for one thread. A copy
// is complete when it returns, which the ISA allows.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_TENSORCOPY_H
#define PTXJIT_LIB_RUNTIME_TENSORCOPY_H

#include "FaultScope.h"
#include "ptxjit/Runtime/KernelABI.h"
#include "ptxjit/Runtime/TensorMap.h"

namespace ptxjit {

/// Implements PtxjitHelpers::copyTensor. \param caller  whose faults these are.
void copyTensor(PtxjitKernelContext &context, const PtxjitTensorCopy &copy,
                const KernelCall &caller);
/// Implements PtxjitHelpers::replaceInTensorMap.
void replaceInTensorMap(uint64_t map, PtxjitTensorField field,
                        unsigned dimension, uint64_t value,
                        const KernelCall &caller);

} // namespace ptxjit

#endif
