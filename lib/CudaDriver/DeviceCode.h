//===- DeviceCode.h - code with variables on each device --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDADRIVER_DEVICECODE_H
#define PTXJIT_LIB_CUDADRIVER_DEVICECODE_H

#include "ptxjit/CudaDriver/CudaABI.h"
#include "ptxjit/Runtime/LoadedModule.h"

#include <map>
#include <memory>
#include <mutex>

namespace ptxjit::cuda {

struct Context;

/// The code of a module or a library. Kernels are compiled once. Variables
/// exist on each device that uses the code, and are known memory there, so that
/// copies may use them; managed ones exist once. Thread-safe.
class DeviceCode {
public:
  /// \param owner  the context of a module, whose device alone will use the
  ///   code; null: a library.
  DeviceCode(std::shared_ptr<LoadedModule> code, Context *owner);
  ~DeviceCode();
  DeviceCode(const DeviceCode &) = delete;
  DeviceCode &operator=(const DeviceCode &) = delete;

  /// The same for all devices.
  const PtxjitModuleInfo &getInfo() const { return original->getInfo(); }
  /// The code with the variables of a device.
  std::shared_ptr<LoadedModule> on(CUdevice device);
  /// Drops the variables of a device. It gets fresh ones when it uses the code
  /// again.
  void reset(CUdevice device);
  /// Gives managed variables their initial values. No kernel may run.
  void resetManaged() { original->resetManaged(); }

private:
  using Codes = std::map<CUdevice, std::shared_ptr<LoadedModule>>;
  void announce(LoadedModule &code, CUdevice device);
  void drop(Codes::iterator place);

  const std::shared_ptr<LoadedModule> original; ///< has the managed variables
  Context *const owner;
  std::mutex mutex;
  bool isOriginalUsed = false; ///< some device has, or had, its variables
  Codes codes;
};

} // namespace ptxjit::cuda

#endif
