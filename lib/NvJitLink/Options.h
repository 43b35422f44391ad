//===- Options.h - options of nvJitLink -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_NVJITLINK_OPTIONS_H
#define PTXJIT_LIB_NVJITLINK_OPTIONS_H

#include "ptxjit/NvJitLink/NvJitLinkABI.h"
#include "ptxjit/Runtime/FatBinary.h"

#include <string>
#include <vector>

namespace ptxjit::jitlink {

struct Options {
  std::string arch; ///< "sm_90a"
  Profile device{0, 0};
  bool isVirtual = false; ///< compute_90, for which there is PTX alone
  bool wantsPtx = false, isLto = false, isRelocatable = false;
};

/// \param log  gets what is wrong.
nvJitLinkResult readOptions(const std::vector<std::string> &words,
                            Options &options, std::string &log);

} // namespace ptxjit::jitlink

#endif
