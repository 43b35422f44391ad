//===- Stream.cpp - streams of the interface ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Impl.h"
#include "ptxjit/Runtime/TaskQueue.h"
#include <mutex>

using namespace ptxjit;

struct PTXJIT_LOCAL Stream::Impl {
  std::mutex mutex;
  Error first; ///< the first since synchronize(); guarded by `mutex`
  /// Destroyed first, since its tasks use the other members.
  TaskQueue queue;

  bool hasFailed() {
    std::lock_guard<std::mutex> lock(mutex);
    return bool(first);
  }
};

Stream::Stream() : impl(std::make_shared<Impl>()) {}

Error Stream::launchList(const Kernel &kernel, const LaunchConfig &config,
                         const std::vector<Argument> &arguments) {
  ParamBlock block;
  if (Error error = kernel.impl->layOut(arguments, block))
    return error;
  // The task holds no handle of the stream: if that were the last one, the
  // stream would end inside its own task, and wait for itself.
  impl->queue.submit([state = impl.get(), kernel = kernel.impl, config,
                      block = std::move(block)] {
    if (state->hasFailed())
      return;
    Error error = kernel->run(config, block);
    std::lock_guard<std::mutex> lock(state->mutex);
    if (error && !state->first)
      state->first = std::move(error);
  });
  return Error();
}

void Stream::run(std::function<void()> function) {
  impl->queue.submit([state = impl.get(), function = std::move(function)] {
    if (!state->hasFailed())
      function();
  });
}

Error Stream::synchronize() {
  impl->queue.synchronize();
  std::lock_guard<std::mutex> lock(impl->mutex);
  return std::exchange(impl->first, Error());
}
