//===- TestRunner.h - execution tests inside PTX files ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A test is a comment line in a PTX file:
//
//   // run: KERNEL {grid=X,Y,Z} {block=X,Y,Z} {cluster=X,Y,Z} {shared=N}
//          ARG... {~ulps=N} {~rel=X} {~abs=X} {fails=TEXT} {racy}
//
// ARG, one for each parameter: TYPE:VALUE, TYPE{VALUE,...}, or a buffer:
//   in=TYPE[v, v*n, ...]   given values, some of them n times
//   out=TYPE[v, v, ...]    starts as zero, must end as given; `?` is anything
//   io=TYPE[v, ...]->[w, ...]
//   in=TYPE[GEN] / out=TYPE[ref] / io=TYPE[GEN]->[ref]
// GEN: zero, edges.a, edges.b, edges.c (256 values: all pairs of 16 edge values
// of the type in a and b, a mixture in c), f16.a, bf16.a, f32.a and so on (the
// same for integers that hold such values), random(SEED), iota, each with :N
// for N elements. `ref`: what the reference interpreter computes (it runs
// always, and given values judge it too; but not where a test is `racy`: right
// only if warps run side by side, and not thread by thread). A block is as long
// as the longest buffer unless given. A kernel that writes beside a buffer
// fails (WatchedMemory.h).
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_TESTRUNNER_H
#define PTXJIT_TOOLS_TESTRUNNER_H

#include "ptxjit/Runtime/KernelABI.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ptxjit {

struct TestOptions {
  std::vector<uint32_t> chunks; ///< empty: 1, 4, 8, 16 and AVX2's masks
  std::string cpu;
  unsigned threads = 0;
  unsigned repeat = 1;                        ///< runs of each compiled case
  PtxjitMode atLeast = PTXJIT_MODE_WARP_LOOP; ///< even where nothing waits
};

/// Prints what differs and a line `FILE: N passed, N failed` each.
/// \returns 0 if nothing failed.
int runTests(const std::vector<std::string> &files, const TestOptions &options);

} // namespace ptxjit

#endif
