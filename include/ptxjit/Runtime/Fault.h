//===- Fault.h - why and where a launch failed ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_FAULT_H
#define PTXJIT_RUNTIME_FAULT_H

#include "ptxjit/Runtime/CompilerABI.h"
#include "ptxjit/Runtime/LaunchGrid.h"
#include <string>

namespace ptxjit {

/// Why and where a launch failed. The first worker that fails fills it in.
struct Fault {
  LaunchStatus status = LaunchStatus::Ok;
  uint32_t ctaid[3] = {0, 0, 0};
  /// Address of a bad access, if hasAddress.
  uint64_t address = 0;
  bool hasAddress = false;
  /// Offset of the failing instruction in the image's code, if hasPlace.
  uint64_t codeOffset = 0;
  bool hasPlace = false;
  /// Linear index of the thread in its CTA; -1: unknown.
  int32_t thread = -1;
  /// The message of a failed assertion.
  std::string detail;
};

/// Finds the place in the PTX; null if it is unknown.
const PtxjitLine *findLine(const Fault &fault, const PtxjitImage &image);

/// Describes a fault for users: the error, the place in the PTX (and, by
/// `.loc`, in the source), the CTA and the thread.
///
/// \param text  of the module, \param fileName of it.
std::string describeFault(const Fault &fault, const PtxjitImage &image,
                          const char *text, const char *fileName,
                          const uint32_t block[3]);

} // namespace ptxjit

#endif
