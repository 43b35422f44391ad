//===- DeviceGrid.h - what a grid asks of the runtime -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_DEVICEGRID_H
#define PTXJIT_LIB_RUNTIME_DEVICEGRID_H

#include "DeviceStreams.h"
#include "SystemCalls.h"
#include "ptxjit/Runtime/DeviceServices.h"

#include <memory>
#include <mutex>
#include <unordered_map>

namespace ptxjit {

/// A running grid, as CUDA's runtime on the device sees it: the launches that
/// its threads prepare, their streams, and their last errors.
class DeviceGrid {
public:
  /// \param module    has the kernels that may be launched.
  /// \param services  null: what only they know is "not supported".
  /// \param streams   receive what is launched.
  DeviceGrid(const PtxjitModuleInfo &module, const DeviceServices *services,
             DeviceStreams &streams)
      : module(module), services(services), streams(streams) {}
  DeviceGrid(const DeviceGrid &) = delete;

  /// Does a call of a function from PTXJIT_SYSTEM_DEVICE_RUNTIME on, for a
  /// thread of CTA `cta`.
  void call(PtxjitSystemFunction function, const SystemCall &call,
            uint64_t cta);

private:
  friend class DeviceCall;

  const PtxjitKernelInfo *findKernel(uint64_t address) const;
  uint64_t keep(std::unique_ptr<ChildLaunch> launch);
  std::unique_ptr<ChildLaunch> take(uint64_t buffer);
  int check(ChildLaunch &launch) const;
  int &lastErrorOf(uint64_t cta, int32_t thread);

  const PtxjitModuleInfo &module;
  const DeviceServices *services;
  DeviceStreams &streams;
  std::mutex mutex; ///< for the members below
  /// By the address of their parameters.
  std::unordered_map<uint64_t, std::unique_ptr<ChildLaunch>> buffers;
  /// By thread. CUDA keeps them apart, too.
  std::unordered_map<uint64_t, int> lastErrors;
};

} // namespace ptxjit

#endif
