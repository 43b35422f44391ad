//===- RealNvrtc.h - NVIDIA's NVRTC behind ours -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_NVRTC_REALNVRTC_H
#define PTXJIT_LIB_NVRTC_REALNVRTC_H

#include "ptxjit/Nvrtc/NvrtcABI.h"

#include <string>

namespace ptxjit::nvrtc {

/// The functions of NVIDIA's library; null if it is another release, without.
struct RealNvrtc {
#define PTXJIT_NVRTC_FUNCTION(result, name, parameters)                        \
  result(*name) parameters = nullptr;
#include "ptxjit/Nvrtc/Functions.def"
#undef PTXJIT_NVRTC_FUNCTION
};

/// Opens the library at the first call (PTXJIT_NVRTC, or where it is
/// installed). Null if there is none. Thread-safe.
const RealNvrtc *getRealNvrtc();

/// Why there is none, and what to install: a line.
std::string describeMissing();

} // namespace ptxjit::nvrtc

#endif
