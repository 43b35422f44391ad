//===- DeviceNode.h - kernel nodes that kernels update ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDADRIVER_DEVICENODE_H
#define PTXJIT_LIB_CUDADRIVER_DEVICENODE_H

#include "State.h"

namespace ptxjit::cuda {

/// What kernels may change of a kernel node. Only the graph's one instance runs
/// it. Thread-safe.
class DeviceNode {
public:
  struct Work {
    bool isEnabled = false;
    Grid grid;
    std::vector<uint64_t> values; ///< the parameters
    size_t bytes = 0;             ///< of the parameters
  };

  DeviceNode();
  ~DeviceNode();
  DeviceNode(const DeviceNode &) = delete;
  DeviceNode &operator=(const DeviceNode &) = delete;
  const uint64_t handle;

  /// Sets all, as the host says.
  void load(Work work);
  Work get() const;
  void enable(bool isEnabled);
  void setGrid(const Grid &grid);
  /// False unless the bytes are inside.
  bool setParams(size_t offset, const void *from, size_t bytes);

private:
  mutable std::mutex mutex;
  Work work;
};

/// Calls body(node) for the node behind a handle. The node lives that long.
/// False if there is none, or body() returns false.
bool updateDeviceNode(uint64_t handle,
                      const std::function<bool(DeviceNode &)> &body);

/// Makes a launch a node that kernels may update, which stays so, by the value
/// of CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE. Its handle is stored in
/// `value`.
CUresult makeUpdatable(CUlaunchAttributeValue &value,
                       LaunchAttributes &attributes);
/// The value of that attribute.
void describeUpdatable(const LaunchAttributes &attributes,
                       CUlaunchAttributeValue &value);

/// Resets the node of a launch to what the launch was made with.
void loadDeviceNode(const Operation &launch, bool isEnabled);

} // namespace ptxjit::cuda

#endif
