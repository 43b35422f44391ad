//===- StreamGate.h - a stream that waits for its test ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_UNITTESTS_STREAMGATE_H
#define PTXJIT_UNITTESTS_STREAMGATE_H

#include "ptxjit/CudaDriver/CudaABI.h"

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <thread>

/// Makes a stream wait until the test opens the gate, which the destructor
/// does.
class StreamGate {
public:
  explicit StreamGate(CUstream stream) {
    EXPECT_EQ(cuLaunchHostFunc(stream, &wait, this), CUDA_SUCCESS);
  }
  ~StreamGate() {
    open();
    while (!passed)
      std::this_thread::yield();
  }
  StreamGate(const StreamGate &) = delete;
  StreamGate &operator=(const StreamGate &) = delete;

  void open() { opened = true; }
  void openLater() {
    helper = std::thread([this] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      open();
    });
  }
  void join() { helper.join(); }
  bool isOpen() const { return opened; }

private:
  static void wait(void *user) {
    auto *gate = static_cast<StreamGate *>(user);
    while (!gate->opened)
      std::this_thread::yield();
    gate->passed = true;
  }
  std::atomic<bool> opened{false}, passed{false};
  std::thread helper;
};

#endif
