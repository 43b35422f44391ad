//===- GraphCalls.h - what kernels ask of CUDA graphs -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_GRAPHCALLS_H
#define PTXJIT_RUNTIME_GRAPHCALLS_H

#include "ptxjit/Runtime/LaunchGrid.h"

#include <cstddef>
#include <cstdint>

namespace ptxjit {

/// The graphs that kernels reach by CUDA's device functions. Whoever has graphs
/// implements it, and names it in LaunchOptions. Handles come from kernels, so
/// they may be wrong. Thread-safe. No function faults, and none keeps a lock.
class GraphCalls {
public:
  virtual ~GraphCalls() = default;

  /// Sets the value that a conditional node tests.
  /// \returns false unless there is such a handle.
  virtual bool setCondition(uint64_t handle, uint32_t value) = 0;

  /// Launches a graph. `stream` says how, by one of CUDA's names.
  /// \returns a cudaError_t.
  virtual uint32_t launch(uint64_t exec, uint64_t stream) = 0;
  /// The graph that the kernel runs in, if it may be launched by kernels; else
  /// 0.
  virtual uint64_t getCurrent() = 0;

  // These change a node that kernels may update. They fail, without effect, if
  // there is no such node or it cannot have that value.
  virtual bool enableNode(uint64_t node, bool isEnabled) = 0;
  virtual bool setNodeGrid(uint64_t node, const Grid &grid) = 0;
  /// Writes `bytes` bytes of the node's parameters, from `offset` on. All must
  /// be inside.
  virtual bool setNodeParams(uint64_t node, size_t offset, const void *from,
                             size_t bytes) = 0;
};

} // namespace ptxjit

#endif
