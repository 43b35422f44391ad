//===- PerfMap.h - names of compiled code for profilers ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_PERFMAP_H
#define PTXJIT_LIB_RUNTIME_PERFMAP_H

#include "ptxjit/Runtime/CompilerABI.h"
#include <string>

namespace ptxjit {

/// Adds an image's code to /tmp/perf-PID.map, where `perf` finds names, if
/// PTXJIT_PERF=1 is set. The name contains `block`.
void writePerfMap(const PtxjitImage &image, const uint32_t block[3]);

} // namespace ptxjit

#endif
