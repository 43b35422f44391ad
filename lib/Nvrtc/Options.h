//===- Options.h - options of NVRTC, for PTX --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_NVRTC_OPTIONS_H
#define PTXJIT_LIB_NVRTC_OPTIONS_H

#include <string>
#include <vector>

namespace ptxjit::nvrtc {

struct PtxOptions {
  std::vector<std::string> words; ///< that make NVRTC write PTX
  bool wantsCubin = false;        ///< the program named a device: sm_90
  /// Why what is asked for cannot be had; empty if it can.
  std::string refusal;
};

/// Makes options that ask for machine code ask for PTX. Others stay as they
/// are, since NVRTC itself checks them.
PtxOptions askForPtx(const std::vector<std::string> &words);

} // namespace ptxjit::nvrtc

#endif
