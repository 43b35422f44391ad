//===- AheadModule.h - a loaded object --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_AHEAD_AHEADMODULE_H
#define PTXJIT_LIB_AHEAD_AHEADMODULE_H

#include "ptxjit/Ahead/AheadABI.h"
#include "ptxjit/Cache/Records.h"
#include "ptxjit/Runtime/LaunchShape.h"
#include "ptxjit/Runtime/ModuleVariables.h"
#include "ptxjit/ptxjit-runtime.h"

#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace ptxjit {

/// An error with its text.
struct AheadError {
  PtxjitError code = PTXJIT_OK;
  std::string text;
  explicit operator bool() const { return code != PTXJIT_OK; }
};

/// The kernels and variables of an object, ready for launches. Thread-safe.
class AheadModule {
public:
  /// \returns null, with the reason in `error`, if the object is none that this
  ///   library and this machine can run.
  static std::unique_ptr<AheadModule> load(const PtxjitObject &object,
                                           AheadError &error);
  AheadModule(const AheadModule &) = delete;

  AheadError launch(uint32_t kernel, const PtxjitLaunch &launch,
                    const void *params, size_t paramBytes);
  AheadError findVariable(const std::string &name, void *&address,
                          size_t &bytes);

private:
  /// Code of a kernel, with what its launches share.
  struct Code {
    explicit Code(const PtxjitVariant &variant) : variant(variant) {}
    const PtxjitVariant &variant;
    PtxjitImage image{};
    std::vector<uint64_t> globals; ///< PtxjitKernelContext::globals
    std::atomic<uint64_t> pace{0};
    RecordStorage storage;
  };

  explicit AheadModule(const PtxjitObject &object) : object(object) {}
  AheadError readRecords();
  AheadError defineVariables();
  AheadError complete(const PtxjitKernelInfo &kernel,
                      const PtxjitLaunch &launch, LaunchShape &shape) const;
  Code *findCode(uint32_t kernel, const LaunchShape &shape, AheadError &error);
  std::string listBlocks(uint32_t kernel) const;
  AheadError run(Code &code, const LaunchShape &shape,
                 const PtxjitLaunch &launch, const void *params);

  const PtxjitObject &object;
  PtxjitModuleInfo info{};
  RecordStorage storage;
  std::unique_ptr<ModuleVariables> variables;
  std::deque<Code> codes; ///< in the order of the object's variants
};

} // namespace ptxjit

#endif
