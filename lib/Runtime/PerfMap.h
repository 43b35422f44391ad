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

/// Tells `perf` (by /tmp/perf-PID.map) what an image's code is, if the
/// environment has PTXJIT_PERF=1. `block` is part of the name.
void writePerfMap(const PtxjitImage &image, const uint32_t block[3]);

} // namespace ptxjit

#endif
