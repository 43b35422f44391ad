//===- HostWork.h - work of the host in streams and graphs ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For the math libraries: device memory is memory of the host, so their calls
// are functions that the driver runs in streams.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_HOSTWORK_HOSTWORK_H
#define PTXJIT_HOSTWORK_HOSTWORK_H

#include "ptxjit/CudaDriver/CudaABI.h"

#include <functional>

namespace ptxjit {

/// Makes a context current, for as long as the object lives. Null: leaves the
/// current one.
class ContextScope {
public:
  explicit ContextScope(CUcontext context);
  ~ContextScope();
  ContextScope(const ContextScope &) = delete;
  ContextScope &operator=(const ContextScope &) = delete;
  const CUresult error;

private:
  const bool isPushed;
};

/// Finds the calling thread's context, or makes the first device's primary one
/// current if it has none.
CUresult findContext(CUcontext &context);

/// Does the stream record a graph?
bool isCaptured(CUstream stream);

/// Work that may throw: what it throws is told on stderr.
using HostWork = std::function<void()>;

/// Runs the work when the stream comes to it, once, or, in a stream that
/// records a graph, whenever the graph runs. Work does not run after an error
/// of the stream.
CUresult enqueue(CUstream stream, HostWork work);

} // namespace ptxjit

#endif
