//===- TensorReduce.h - combines elements of tensors ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reductions of "cp.reduce.async.bulk.tensor".
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_TENSORREDUCE_H
#define PTXJIT_LIB_RUNTIME_TENSORREDUCE_H

#include "ptxjit/Runtime/TensorMap.h"

#include <cstddef>

namespace ptxjit {

/// Combines `count` elements in global memory, `stride` bytes apart, with
/// `values`, which are dense. Each element is updated atomically.
/// \param type    a PtxjitTensorType that has the reduction (TensorRules.h)
/// \param action  PTXJIT_TENSOR_ADD to PTXJIT_TENSOR_XOR
void reduceElements(unsigned type, PtxjitTensorAction action, char *elements,
                    size_t stride, const char *values, size_t count);

} // namespace ptxjit

#endif
