//===- Call.h - calls that put work into streams ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDNN_CALL_H
#define PTXJIT_LIB_CUDNN_CALL_H

#include "Status.h"
#include "View.h"
#include "ptxjit/HostWork/HostWork.h"

namespace ptxjit::cudnn {

/// Puts work into the stream of a handle. What the work needs of descriptors,
/// it has copies of.
void enqueue(cudnnHandle_t handle, HostWork work);

/// Puts y = alpha * map(x) + beta * y into the stream of a handle.
/// \param map  a generic lambda, called with a view of x and one of the result.
template <typename F>
void enqueueMap(cudnnHandle_t handle, const void *alpha, const Shape &from,
                const void *x, const void *beta, const Shape &to, void *y,
                F map) {
  double factor = readFactor(alpha, to.type);
  double old = readFactor(beta, to.type);
  enqueue(handle, [=] {
    inType(needsDouble(from.type), [&](auto zero) {
      using T = decltype(zero);
      Output<T> out(to, y, T(factor), T(old));
      map(readView<T>(from, x), out.view());
      out.finish();
    });
  });
}

/// Fails with CUDNN_STATUS_NOT_INITIALIZED if it is not a handle.
void checkHandle(cudnnHandle_t handle);

} // namespace ptxjit::cudnn

#endif
