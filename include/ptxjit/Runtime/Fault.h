//===- Fault.h - what went wrong in a kernel --------------------*- C++ -*-===//
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

/// Where a launch has failed. Filled by the worker that came first.
struct Fault {
  LaunchStatus status = LaunchStatus::Ok;
  uint32_t ctaid[3] = {0, 0, 0};
  /// Of the access, if that was it.
  uint64_t address = 0;
  bool hasAddress = false;
  /// Bytes from the start of the image's code; only if hasPlace.
  uint64_t codeOffset = 0;
  bool hasPlace = false;
  /// Number of the thread in its CTA; -1 if that is not known.
  int32_t thread = -1;
  /// More to say: the message of an assertion.
  std::string detail;
};

/// The place in the PTX; null if it is not known.
const PtxjitLine *findLine(const Fault &fault, const PtxjitImage &image);

/// A few words for people: what, where in the PTX (and, by `.loc`, in the
/// source it was made from), which CTA and thread.
///
/// \param text  of the module, \param fileName of it.
std::string describeFault(const Fault &fault, const PtxjitImage &image,
                          const char *text, const char *fileName,
                          const uint32_t block[3]);

} // namespace ptxjit

#endif
