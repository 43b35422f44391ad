//===- Call.h - calls that put work into streams ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDNN_CALL_H
#define PTXJIT_LIB_CUDNN_CALL_H

#include "Status.h"
#include "ptxjit/HostWork/HostWork.h"

namespace ptxjit::cudnn {

/// Puts work into the stream of a handle. What the work needs of descriptors,
/// it has copies of.
void enqueue(cudnnHandle_t handle, HostWork work);

/// Fails with CUDNN_STATUS_NOT_INITIALIZED if it is not a handle.
void checkHandle(cudnnHandle_t handle);

} // namespace ptxjit::cudnn

#endif
