//===- Fork.cpp - children of a process that uses the driver --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA does not work in a child of fork(), and neither do we: workers, streams
// and the compiler are threads, which the child does not have. In a child,
// every call that needs the device returns CUDA_ERROR_NOT_INITIALIZED at once.
//
//===----------------------------------------------------------------------===//

#include "State.h"

#include <pthread.h>

using namespace ptxjit;
using namespace ptxjit::cuda;

void cuda::watchForks() {
  static std::once_flag once;
  std::call_once(once, [] {
    pthread_atfork(nullptr, nullptr,
                   [] { forked.store(true, std::memory_order_relaxed); });
  });
}
